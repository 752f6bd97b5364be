"""`associate`: the texts of a store that belong to a question, held against the plain formula."""

import random
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.conftest import DAY_MS, NOW_MS, Memory
from tests.retrieval import plain, stories

from concept_graph_mcp import calls
from concept_graph_mcp.errors import Refused

# Words that are their own stems, and no language's stop words.
WORDS = ("kilo", "tango", "delta", "zulu", "bravo", "lima")
SPEAKERS = (None, "Ann Lee", "Ann Wu", "Bob", "Carol")
FIRST_NAMES = {"ann": ["Ann Lee", "Ann Wu"], "bob": ["Bob"], "carol": ["Carol"]}


def found(memory: Memory, query: str, limit: int = 10, **asked: Any) -> list[dict[str, Any]]:
    return memory.run(calls.concepts.associate(query, limit, **asked))


def names(memory: Memory, query: str, limit: int = 10) -> list[str]:
    return [row["episode_id"] for row in found(memory, query, limit)]


def episode(name: str, summary: str, **told: Any) -> dict[str, Any]:
    return {"kind": "episode", "name": name, "summary": summary, **told}


def conversations(chance: random.Random, count: int) -> list[dict[str, Any]]:
    """Return records of episodes: threads with holes, loose ones, ties, and some told later."""
    places: list[tuple[str | None, int]] = [
        (thread, position) for thread in "xy" for position in chance.sample(range(30), count // 3)
    ]
    places += [(None, 0)] * (count - len(places))
    chance.shuffle(places)
    records = []
    for number, (thread, position) in enumerate(places):
        words = chance.choices(WORDS, weights=(1, 1, 2, 3, 5, 8), k=chance.randint(1, 7))
        told: dict[str, Any] = {} if thread is None else {"thread": thread, "position": position}
        speaker = chance.choice(SPEAKERS)
        if speaker:
            told["speaker"] = speaker
        if chance.random() < 0.9:
            told["said_at"] = NOW_MS - chance.choice((-2, 0, 1, 1, 3, 30, 300)) * DAY_MS
        records.append(episode(f"{number:03}", " ".join(words), **told))
    return records


def as_plain(record: dict[str, Any]) -> dict[str, Any]:
    words = record["summary"].split()
    return {
        "id": record["name"],
        "terms": {word: words.count(word) for word in words},
        "thread": record.get("thread"),
        "position": record.get("position", 0),
        "speaker": record.get("speaker"),
        "said_at": record.get("said_at"),
    }


def plain_question(records: list[dict[str, Any]], words: list[str], day: int) -> dict[str, Any]:
    """Return the question that asks *words*, some of them first names, and about a day ago."""
    speakers = {record.get("speaker") for record in records}
    named = {
        word: [whole for whole in FIRST_NAMES[word] if whole in speakers]
        for word in words
        if word in FIRST_NAMES
    }
    named = {word: wholes for word, wholes in named.items() if wholes}
    start = NOW_MS // DAY_MS * DAY_MS - day * DAY_MS
    cues = [word for word in words if word not in named] or words
    return {
        "cues": cues,
        "asked_at": NOW_MS + 1,
        "named": {whole for wholes in named.values() for whole in wholes},
        "asker": None,
        "periods": [(start, start + DAY_MS, 3)] if day else [],
    }


def query(words: list[str], day: int) -> str:
    asked = datetime.fromtimestamp(NOW_MS / 1000, UTC) - timedelta(days=day)
    return " ".join(words) + (f" {asked:%Y-%m-%d}" if day else "")


def assert_same(rows: list[dict[str, Any]], expected: list[dict[str, Any]]) -> None:
    assert [row["episode_id"] for row in rows] == [row["id"] for row in expected]
    for row, other in zip(rows, expected, strict=True):
        assert row["score"] == pytest.approx(other["score"], abs=1e-6)
        four = [row["factors"][name] for name in ("age", "named", "asker", "period")]
        assert four == pytest.approx(list(other["factors"]), abs=1e-6)
        gave = {word["term"]: word["gave"] for word in row["words"]}
        assert gave == pytest.approx(other["gave"], abs=1e-6)
        for word in row["words"]:
            parts = other["words"][word["term"]]
            shares = {part["offset"]: part["share"] for part in word["from"]}
            total = sum(parts.values())
            assert shares == pytest.approx({k: v / total for k, v in parts.items()}, abs=1e-6)


@pytest.mark.parametrize("seed", range(12))
def test_the_rows_are_those_of_the_plain_formula(memory: Memory, seed: int) -> None:
    chance = random.Random(seed)
    # So few that none of them passes on its terms.
    records = conversations(chance, 19)
    for start in range(0, 19, 7):
        memory.import_rows(records[start : start + 7])
    texts = [as_plain(record) for record in records]
    for _ in range(10):
        words = chance.sample([*WORDS, "ann", "bob", "unheard"], chance.randint(1, 4))
        day, limit = chance.choice((0, 0, 3, 30)), chance.choice((1, 3, 50))
        asked = plain_question(records, words, day)
        if day:
            # A date is made of words too.
            asked["cues"] = [*asked["cues"], *query([], day).strip().split("-")]
        else:
            asked["asked_at"] = NOW_MS - chance.choice((0, 2, 100)) * DAY_MS + 1
        asked["asker"] = chance.choice((*SPEAKERS, "Nobody"))
        said = {name: asked[name] for name in ("asker", "asked_at")}
        rows = found(memory, query(words, day), limit, **said)
        expected = plain.associate(texts, asked, len(texts))
        wholes = {record.get("speaker") for record in records}
        names = {name for name, known in FIRST_NAMES.items() if wholes.intersection(known)}
        assert_same(rows, plain.later_first(texts, expected, names, asked)[:limit])


@pytest.mark.parametrize("seed", range(6))
def test_after_any_writes_the_terms_are_those_of_the_texts(memory: Memory, seed: int) -> None:
    chance = random.Random(seed)
    records = {record["name"]: record for record in conversations(chance, 24)}
    memory.import_rows(list(records.values()))
    for step in range(30):
        name = chance.choice(sorted(records))
        old = records[name]
        match chance.randrange(4):
            case 0 if len(records) > 5:
                memory.run(calls.concepts.remove(name, dry_run=False))
                del records[name]
            case 1:
                change = {"summary": " ".join(chance.choices(WORDS, k=3))}
                memory.import_rows([episode(name, **change)])
                records[name] = old | change
            case 2:
                change = {"thread": "z", "position": step, "said_at": NOW_MS - step * DAY_MS}
                memory.import_rows([{"kind": "episode", "name": name, **old, **change}])
                records[name] = old | change
            case _:
                summary = " ".join(chance.choices(WORDS, k=4))
                made = memory.episode_add(summary, ["kilo"])["episode_id"]
                day = NOW_MS // DAY_MS * DAY_MS
                records[made] = episode(made, summary, said_at=day)
    texts = [as_plain(record) for record in records.values()]
    for word in WORDS:
        asked = plain_question([], [word], 0)
        assert_same(found(memory, word, 100), plain.associate(texts, asked, 100))
    assert memory.run(calls.transfer.check()) == []
    assert memory.run(calls.transfer.index_rest()) == [{"indexed": 0}]
    assert memory.run(calls.transfer.index(list(records.values()), again=True)) == [{"indexed": 0}]


def test_an_episode_is_found_by_what_it_says(memory: Memory) -> None:
    memory.episode_add("Bought apples at the market", ["shopping"])
    memory.episode_add("The oven broke", ["kitchen"])
    [row] = found(memory, "Where did we buy an apple?")
    assert (row["episode_id"], row["summary"]) == (
        "20250615/shopping",
        "Bought apples at the market",
    )
    assert (row["date"], row["matched"]) == ("2025-06-15", ["apple", "buy → bought"])


def test_a_person_s_questions_about_three_stories_are_answered_first_by_their_sentence(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """English, German and Japanese in one store; what is asked is in one of them."""
    monkeypatch.setenv("CONCEPT_GRAPH_LANGUAGES", "en,de,ja")
    memory.import_rows(
        [
            episode(f"{language}-{position}", said, thread=language, position=position)
            for language in stories.QUESTIONS
            for position, said in enumerate(stories.sentences(language))
        ]
    )
    for _, asked, answer in stories.ASKED:
        [first] = found(memory, asked, limit=1)
        assert first["summary"].startswith(answer), asked


@pytest.fixture
def two_languages(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> Memory:
    monkeypatch.setenv("CONCEPT_GRAPH_LANGUAGES", "en,de")
    memory.import_rows(
        [
            episode("english", "The party was at the lake, and we danced all night"),
            episode("german", "Die Katzen haben auf dem Sofa geschlafen"),
            episode("both", "Party"),
            episode("war", "They would talk of the war and of those who die"),
        ]
    )
    return memory


def test_a_question_finds_texts_in_every_language(two_languages: Memory) -> None:
    for asked, expected in (
        ("Wann war die Party?", ["both", "english"]),
        ("When was the party?", ["both", "english"]),
        ("Did anybody see Katzen?", ["german"]),
        ("Who would die in a war?", ["war"]),
    ):
        assert names(two_languages, asked) == expected, asked


def test_a_word_of_several_stems_counts_once(two_languages: Memory) -> None:
    for asked in ("Wann war die Party?", "When was the party?", "Party"):
        for row in found(two_languages, asked):
            # Of the four texts, two mention it.
            [word] = row["words"]
            assert row["matched"] == [word["word"]] == ["party"]
            assert sum(source["share"] for source in word["from"]) == pytest.approx(1)
            assert row["score"] <= word["gave"] <= 2**0.25
    own, foreign = (found(two_languages, f"{how} Party?")[1] for how in ("the", "die"))
    assert own["words"][0]["term"] == foreign["words"][0]["term"] == "parti"
    assert own["score"] == pytest.approx(foreign["score"], abs=1e-6)


@pytest.mark.parametrize("most", [1, 2, 10_000])
def test_what_stems_lead_to_is_bounded_as_terms_are(
    two_languages: Memory, bound_mentions: Any, most: int
) -> None:
    every = [
        calls.concepts.associate(asked, 20)
        for asked in ("Wann war die Party?", "Party Katzen", "the party of the war")
    ]
    rows = [two_languages.run(one) for one in every]
    bound_mentions(most, most)
    assert [two_languages.run(one) for one in every] == rows


def test_what_was_told_just_now_is_found_in_every_zone(memory: Memory) -> None:
    memory.date = "20250616"  # Where the sun rises, it is tomorrow.
    memory.episode_add("Bought apples", ["shopping"])
    assert names(memory, "apples") == ["20250616/shopping"]


def test_what_the_asker_said_counts_for_more(memory: Memory) -> None:
    told = [("1", "Ann"), ("2", "Bob"), ("3", None)]
    memory.import_rows(
        [episode(name, "Sold apples", **({"speaker": who} if who else {})) for name, who in told]
    )
    assert names(memory, "apples") == ["1", "2", "3"]
    rows = found(memory, "apples", asker="Bob")
    assert [(row["episode_id"], row["factors"]["asker"]) for row in rows] == [
        ("2", 1.5),
        ("1", 1.0),
        ("3", 1.0),
    ]
    [row] = memory.procedure("conceptgraph.associate", ["apples", 1], ("factors",), asker="Bob")
    assert row["factors"]["asker"] == 1.5


def test_when_it_is_asked_decides_what_is_older_and_what_yesterday_is(memory: Memory) -> None:
    day = DAY_MS
    memory.import_rows(
        [episode(str(n), "Sold apples", said_at=NOW_MS - n * day) for n in (1, 30, 90)]
    )
    asked_at = NOW_MS - 29 * day
    rows = found(memory, "What was sold yesterday?", asked_at=asked_at)
    assert [(row["episode_id"], row["factors"]["period"]) for row in rows] == [("30", 2), ("90", 1)]
    assert rows[0]["factors"]["age"] == pytest.approx(2**-0.05, abs=1e-6)


@pytest.mark.parametrize(
    ("given", "said"),
    [({"asker": ""}, "asker must be"), ({"asker": 1}, "asker"), ({"asked_at": "x"}, "asked_at")],
)
def test_a_wrong_asker_or_time_is_refused(memory: Memory, given: Any, said: str) -> None:
    with pytest.raises(Refused, match=f"context: {said}"):
        memory.run(calls.concepts.associate("apples"), **given)


def test_what_no_question_finds_is_counted(memory: Memory, hands: Any) -> None:
    def counted() -> list[dict[str, Any]]:
        rows = memory.run(calls.concepts.unindexed())
        assert memory.procedure("conceptgraph.unindexed", [], ("episodes",)) == rows
        return rows

    assert counted() == [{"episodes": 0}]
    memory.episode_add("Bought apples", ["shopping"])
    assert counted() == [{"episodes": 0}]
    for name in ("20250601/pears", "20250601/plums"):
        hands.node("Episode", name=name, summary="Fruit was ripe")
    assert counted() == [{"episodes": 2}]
    memory.run(calls.transfer.index_rest())
    assert counted() == [{"episodes": 0}]


def test_asking_arouses_nothing(memory: Memory) -> None:
    memory.episode_add("Bought apples", ["shopping"])
    before = memory.records()
    memory.now_ms += DAY_MS
    found(memory, "apples")
    assert memory.records() == before


def test_nothing_is_found_in_an_empty_graph_or_by_stop_words(memory: Memory) -> None:
    assert found(memory, "apples") == []
    memory.episode_add("Bought apples", ["shopping"])
    assert found(memory, "what is it?") == []


def test_looking_back_finds_nothing_that_happened_later(memory: Memory) -> None:
    memory.episode_add("Bought apples", ["shopping"])
    memory.date, memory.now_ms = "20250620", NOW_MS + 5 * DAY_MS
    memory.episode_add("Ate apples", ["lunch"])
    until = {"until_ms": NOW_MS, "until_date": "20250615", "now_ms": NOW_MS, "date": "20250615"}
    rows = memory.run(calls.concepts.associate("apples", 1), **until)
    assert [row["episode_id"] for row in rows] == ["20250615/shopping"]


def test_a_person_in_lab_gets_the_same_rows_without_a_look_up(memory: Memory) -> None:
    memory.episode_add("Bought apples", ["shopping"])
    memory.episode_add("Ate apples and more apples", ["lunch"])
    call = calls.concepts.associate("apples", 10)
    rows = memory.procedure(call.procedure.name, ["apples", 10], call.procedure.fields)
    assert rows == memory.run(call)
    arguments = ["Sold apples", ["market"]]
    memory.procedure("conceptgraph.episode_add", arguments, ("episode_id",))
    assert "20250615/market" in names(memory, "apples")
    assert memory.run(calls.transfer.check()) == []


@pytest.mark.parametrize("most", [1, 20, 10_000])
def test_what_was_not_looked_up_is_gone_to(memory: Memory, bound_mentions: Any, most: int) -> None:
    records = conversations(random.Random(1), 30)
    memory.import_rows(records)
    rows = []
    every = [
        calls.concepts.associate(asked, 20)
        for asked in ("kilo tango lima", "lima", "ann bob", "ann zulu")
    ]
    for call in every:
        alone = memory.procedure(call.procedure.name, call.arguments, call.procedure.fields)
        rows.append(memory.run(call))
        assert rows[-1] == alone
    bound_mentions(most, most)
    assert [memory.run(call) for call in every] == rows


def test_what_a_hand_wrote_is_counted_by_check_and_indexed(memory: Memory, hands: Any) -> None:
    hands.node("Episode", name="20250601/pears", summary="Pears were ripe")
    assert names(memory, "pears") == []
    problem = {"problem": "not found by words", "subject": "1 episodes"}
    assert [row for row in memory.run(calls.transfer.check()) if row.items() >= problem.items()]
    record = {"kind": "episode", "name": "20250601/pears", "summary": "Pears were ripe"}
    assert memory.run(calls.transfer.index([record], again=False)) == [{"indexed": 1}]
    assert names(memory, "pears") == ["20250601/pears"]
    assert memory.run(calls.transfer.index([record], again=False)) == [{"indexed": 0}]


def test_recall_reads_nothing_of_the_index(memory: Memory) -> None:
    memory.episode_add("Bought apples", ["shopping"])
    rows = memory.peek(["shopping"], max_hop=5)
    assert [row["text"] for row in rows] == ["shopping evokes Bought apples"]
    assert {record["kind"] for record in memory.records()} == {"concept", "episode", "relation"}
