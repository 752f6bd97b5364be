"""`find` and `index`: episodes by what they say, on the command line."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from embedded_files import copy_without_words

from concept_graph_mcp.__main__ import main

EPISODES = {
    "20250601/market": "Bought apples at the Sunday market",
    "20250602/oven": "Der Ofen ging kaputt, als wir Brot buken",
    "20250603/sea": "海で泳いで貝殻を拾った",
}


@pytest.fixture
def store(tmp_path: Path) -> Path:
    file = tmp_path / "episodes.jsonl"
    records = [{"kind": "episode", "name": n, "summary": s} for n, s in EPISODES.items()]
    file.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    assert run(tmp_path / "memory.db", "import", str(file), languages="en,de,ja").exit_code == 0
    return tmp_path / "memory.db"


def run(store: Path, *arguments: str, languages: str = "") -> Result:
    environment = {"TZ": "UTC", "COLUMNS": "80", "CONCEPT_GRAPH_LANGUAGES": languages}
    return CliRunner().invoke(main, [f"--embedded={store}", *arguments], env=environment)


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ("What did we buy at the markets?", "20250601/market"),
        ("Wann wurde Brot gebacken?", "20250602/oven"),
        ("貝殻はどこで拾いましたか？", "20250603/sea"),
    ],
)
def test_a_question_in_each_language_finds_its_episode(store: Path, asked: str, name: str) -> None:
    found = json.loads(run(store, "concept", "find", asked, "--json", languages="en,de,ja").stdout)
    assert found["episodes"][0]["episode_id"] == name


def test_what_nothing_says_is_told_so(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONCEPT_GRAPH_CONCEPTS", "shared")
    nothing = run(store, "concept", "find", "zeppelin")
    assert nothing.stdout == "No episode says any of that.\n"
    assert "CONCEPT_GRAPH_CONCEPTS=own shows your own" in nothing.stderr


def test_what_cannot_be_found_yet_is_told_when_nothing_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONCEPT_GRAPH_CONCEPTS", "shared")
    store = copy_without_words(tmp_path / "memory.db")
    said = run(store, "concept", "find", "apples").stderr
    assert "not found by words: 5 episodes; run concept-graph-mcp index\n" in said
    run(store, "index")
    assert "Bought apples" in run(store, "concept", "find", "apples").stdout


def test_an_asker_without_a_name_is_told_as_it_was_given(store: Path) -> None:
    refused = run(store, "concept", "find", "apples", "--asker", " ")
    assert (refused.exit_code, refused.stderr) == (
        1,
        "concept-graph-mcp: --asker: must not be empty\n",
    )


def test_what_the_asker_said_comes_first(store: Path, tmp_path: Path) -> None:
    file = tmp_path / "talk.jsonl"
    said = [("talk-1", "Ann Lee"), ("talk-2", "Bob")]
    records = [
        {"kind": "episode", "name": n, "summary": "I sold pears", "speaker": s} for n, s in said
    ]
    file.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    run(store, "import", str(file))
    asked = json.loads(run(store, "concept", "find", "pears", "--asker", "Bob", "--json").stdout)
    assert [row["episode_id"] for row in asked["episodes"]] == ["talk-2", "talk-1"]
    assert asked["episodes"][0]["factors"]["asker"] == 1.5


def test_looking_at_another_time_finds_only_what_was_told_by_then(store: Path) -> None:
    earlier = run(store, "concept", "find", "apples", "--at", "2025-05-01", "--json")
    assert json.loads(earlier.stdout)["episodes"] == []
    later = run(store, "concept", "find", "apples", "--at", "2025-07-01", "--json")
    assert [row["episode_id"] for row in json.loads(later.stdout)["episodes"]] == [
        "20250601/market"
    ]


def test_after_a_change_of_languages_the_index_is_made_again(store: Path) -> None:
    assert "indexed: 0" in run(store, "index", languages="en").stderr
    assert "indexed: 0" not in run(store, "index", "--again", languages="en").stderr
    assert "indexed: 0" in run(store, "index", "--again", languages="en").stderr
    assert run(store, "check").exit_code == 0


@pytest.mark.slow
def test_a_run_of_words_between_texts_does_not_end_the_making_of_the_index(tmp_path: Path) -> None:
    # Each word is a node, which stands in no record: more of them in a row than a batch has.
    long = " ".join("w" + "".join(chr(97 + int(digit)) for digit in str(n)) for n in range(1_200))
    store, file = tmp_path / "memory.db", tmp_path / "told.jsonl"
    for name, summary in (("20250604/long", long), ("20250605/last", "Ana played chess")):
        record = {"kind": "episode", "name": name, "summary": summary}
        file.write_text(json.dumps(record) + "\n", encoding="utf-8")
        assert run(store, "import", str(file), languages="ja").exit_code == 0
    assert "20250605/last" not in run(store, "concept", "find", "playing", languages="en").stdout
    run(store, "index", "--again", languages="en")
    assert "20250605/last" in run(store, "concept", "find", "playing", languages="en").stdout


def test_an_unknown_language_is_told_in_one_line(store: Path) -> None:
    told = run(store, "concept", "find", "apples", languages="klingon")
    assert told.exit_code == 1
    assert told.stderr.startswith("concept-graph-mcp: CONCEPT_GRAPH_LANGUAGES: ")
    assert "klingon" in told.stderr
    assert len(told.stderr.splitlines()) == 1


def test_all_settings_that_are_wrong_are_told_a_line_each(store: Path) -> None:
    environment = {"TZ": "Nowhere", "CONCEPT_GRAPH_LANGUAGES": "klingon", "AROUSAL_TAU_MS": "0"}
    told = CliRunner().invoke(
        main, [f"--embedded={store}", "concept", "find", "apples"], env=environment
    )
    assert told.exit_code == 1
    lines = told.stderr.splitlines()
    assert [line.split(": ")[:2] for line in lines] == [
        ["concept-graph-mcp", name] for name in ("AROUSAL_TAU_MS", "TZ", "CONCEPT_GRAPH_LANGUAGES")
    ]
