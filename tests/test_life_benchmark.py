"""The benchmark `life`: a tiny life is lived to its end, and its judges see what is wrong."""

import asyncio
import json
from pathlib import Path

import pytest
from benchmarks.life import contexts
from benchmarks.life.__main__ import life, main, rules
from benchmarks.life.days import Told, nights
from benchmarks.life.graph import Graph, plain
from benchmarks.life.histories import FAMILY, History, family, ms, realmem, rows
from benchmarks.life.people import judge_person
from benchmarks.life.report import Line
from click.testing import CliRunner

REALMEM = Path(__file__).parents[2] / "shared/data/realmem_dev"


@pytest.fixture(autouse=True)
def own_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """A life sets the languages of its process, which other tests must not see."""
    monkeypatch.setenv("CONCEPT_GRAPH_LANGUAGES", "en")


def by_name(lines: list[Line]) -> dict[str, Line]:
    assert len({line.what for line in lines}) == len(lines)
    return {line.what: line for line in lines}


def test_the_family_has_all_that_it_is_asked_about() -> None:
    home = family()
    said = home.of("katrin")
    assert len(said) >= 60
    assert len({message.id for message in said}) == len(said)
    assert said[-1].at_ms - said[0].at_ms > 350 * 86_400_000
    kept = {one["key"] for message in said for one in message.keeps}
    seen = {one["is"] for message in said for one in message.sees}
    known = kept | {message.id for message in said} | {"copy"}
    expected = home.expected
    for one in [*expected["standing"], *expected["across_languages"]]:
        assert {*one["answers"]} <= known, one["ask"]
    for one in expected["named"]:
        assert {*one["names"]} <= seen, one["say"]
    assert {one for pair in expected["two"] for one in pair} <= seen
    assert all({one["earlier"], one["later"]} <= kept for one in expected["contradicted"])
    for message in said:
        for one in message.sees:
            assert one["label"].casefold() in message.text.casefold(), message.id
        for fact in message.facts:
            assert fact["span"] in message.text, message.id


def test_nothing_of_the_neighbours_is_the_familys() -> None:
    words = family().expected["others_words"]
    texts = " ".join(row["text"] for row in rows(FAMILY / "messages.jsonl"))
    assert not [word for word in words if word in texts]


def test_a_night_is_at_two_in_the_morning_local_time() -> None:
    some = list(nights(ms("2025-03-28T12:00"), 4))
    assert [f"{one:%m-%d %H:%M %Z}" for one in some] == [
        "03-29 02:00 CET",
        "03-30 02:00 CET",
        "03-31 02:00 CEST",
        "04-01 02:00 CEST",
    ]


@pytest.mark.slow
def test_a_tiny_life_is_lived_and_judged(tmp_path: Path) -> None:
    lived = life(tmp_path, None, history=family(12), days=18, perfectly=True)
    lines = by_name(asyncio.run(lived))
    assert lines["words of the other user's that show what is theirs"].shown == "0 of 9"
    assert lines["calls that were refused"].value == 0
    assert lines["sentences that quote what was not said there"].value == 0
    assert lines["of what a person would name, found"].shown == "19 of 19"
    assert lines["expired at the end"].value == 0
    assert lines["facts that one who only searches finds at the end"].of == 2


@pytest.mark.slow
def test_the_rules_are_tried_with_every_night(tmp_path: Path) -> None:
    lines = by_name(asyncio.run(rules(tmp_path, None, quick=True)))
    assert (
        lines["weight of a pair: daily for 30 days"].value > lines["weight of a pair: once"].value
    )
    assert lines["on after 60 idle days"].of == 4
    assert lines["readings of the model's that count as the user's word"].of == 12


def said(sentences: list[list[object]], sources: list[dict[str, list[str]]]) -> Told:
    return Told("katrin", 0, "", [sentences], sources, "", 0)


def test_false_sentences_are_seen() -> None:
    home = family(12)
    first = home.of("katrin")[2]
    mention = {"id": "m", "user_id": "katrin", "message_id": first.id, "origin": "user"}
    records = {"entity": [], "mention": [mention], "fact": [], "tie": []}
    witness = contexts.Witness(home, Graph(records, "katrin"))
    cited = {"entity_ids": ["e"], "mention_ids": ["m"]}
    true = ["Lena was mentioned by the user on ", first.at_ms, ": “She is fine.”"]
    day_late = ["Lena was mentioned by the user on ", first.at_ms + 86_400_000, "."]
    invented = ["Lena was mentioned by the user on ", first.at_ms, ": “She is ill.”"]
    told = said([true, day_late, invented, true], [cited, cited, cited, {"entity_ids": ["e"]}])
    judged = contexts.judge([told], witness)
    assert (judged.sentences, judged.unsourced) == (4, 1)
    assert (len(judged.date), len(judged.words), len(judged.speaker)) == (1, 1, 0)


def test_what_the_assistant_said_is_not_the_users() -> None:
    home = family(12)
    second = home.of("katrin")[3]
    assert second.speaker == "model"
    mention = {"id": "m", "user_id": "katrin", "message_id": second.id, "origin": "model"}
    records = {"entity": [], "mention": [mention], "fact": [], "tie": []}
    witness = contexts.Witness(home, Graph(records, "katrin"))
    users = ["Lena was last mentioned by the user on ", second.at_ms, "."]
    inferred = ["Lena (inferred) was last mentioned on ", second.at_ms, "."]
    told = said([users, inferred], [{"entity_ids": ["e"], "mention_ids": ["m"]}] * 2)
    judged = contexts.judge([told], witness)
    assert (len(judged.speaker), len(judged.date)) == (1, 1)


@pytest.mark.parametrize(
    ("one", "other"),
    [("The Dogs", "dog"), ("José", "jose"), ("Clara's", "clara"), ("my mother", "Mother")],
)
def test_spellings_of_one_name_are_alike(one: str, other: str) -> None:
    assert plain(one) == plain(other)


def test_realmem_is_read_from_its_folder(tmp_path: Path) -> None:
    message = {"id": "A/0:0", "memory": "A", "thread": "A/s0", "time_ms": 1, "speaker": "User"}
    other = message | {"id": "B/0:0", "memory": "B", "speaker": "Assistant", "text": "Hi"}
    lines = [message | {"text": "Hello"}, other]
    (tmp_path / "messages.jsonl").write_text("\n".join(map(json.dumps, lines)))
    (tmp_path / "queries.jsonl").write_text(json.dumps({"memory": "A", "text": "Hello"}))
    point = {"index": "X-1", "type": "Static", "content": "【Home】 A", "source_turn": 1}
    persona = {"dialogues": [{"extracted_memory": [point]}]}
    (tmp_path / "realmem_A.json").write_text(json.dumps(persona))
    first, second = realmem(tmp_path)
    assert (first.name, first.other, second.other) == ("A", "B", "A")
    [kept] = first.of("A")[0].keeps
    assert (kept["topic"], kept["importance"]) == ("X/Home", 0.9)
    assert [one.speaker for one in first.messages] == ["user", "model"]


@pytest.mark.skipif(not REALMEM.is_dir(), reason="RealMem's personas are not here")
def test_the_personas_are_whole() -> None:
    histories: list[History] = realmem(REALMEM)
    assert [one.name for one in histories] == ["Kenta_Tanaka", "Liam_O_Connor"]
    assert all(one.messages and one.queries for one in histories)
    for history in histories:
        own = [message for message in history.messages if message.user == history.name]
        file = REALMEM.parent / f"realmem_{history.name}.json"
        sessions = json.loads(file.read_text(encoding="utf-8"))["dialogues"]
        extracted = sum(len(session["extracted_memory"]) for session in sessions)
        # Some points name a turn that has no text.
        assert 0.8 * extracted < sum(len(message.keeps) for message in own) <= extracted


def test_a_short_person_may_say_what_names_nobody(tmp_path: Path) -> None:
    person = {
        "name": "Hattie",
        "says": [{"day": 0, "said": "Good morning!"}, {"day": 1, "said": "I live in Leeds."}],
        "checks": [{"ask": "Where do I live?", "now": ["Leeds"]}],
        "silent": ["Good night!"],
    }
    held, outright, silent, wrong = asyncio.run(judge_person(tmp_path, person, "observed"))
    assert (held, outright, silent, wrong) == (1, 1, 1, [])


def test_the_command_says_what_it_takes() -> None:
    told = CliRunner().invoke(main, ["--help"])
    assert told.exit_code == 0
    assert "--uri" in told.output
