"""`keep_questions` and `export --format training`: from what was asked to what `train` reads."""

import json
from pathlib import Path
from typing import Any

import anyio
import pytest
from command_line import fails, ok, run

from concept_graph_mcp import settings, settings_file
from concept_graph_mcp.settings import KEEP_VARIABLE, SettingsError

TOKEN = "ghp_" + "Ab1Cd2Ef3G" * 3 + "Hi4Jk5"


@pytest.fixture(autouse=True)
def by_words(monkeypatch):
    monkeypatch.setenv("CONCEPT_GRAPH_CONCEPTS", "own")
    monkeypatch.setenv("CONCEPT_GRAPH_EMBEDDINGS", "none")


@pytest.fixture
def keeps(monkeypatch):
    monkeypatch.setenv(KEEP_VARIABLE, "on")


def remember(there, text: str, *more: str) -> str:
    return str(json.loads(ok(*there, "remember", text, *more, "--json").stdout)["id"])


def ask(there, message: str, *also: str) -> list[str]:
    """Ask as an agent does, and return the ids of the memories that were shown."""
    more = [part for one in also for part in ("--also", one)]
    row = json.loads(ok(*there, "recall", message, *more, "--touch", "--json").stdout)
    return [one["id"] for one in row.get("sources", ()) if one["kind"] == "memory"]


def export(there, file: Path) -> dict[str, Any]:
    ok(*there, "export", str(file), "--format", "training", "--force")
    made: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return made


@pytest.fixture
def lived(there, keeps, tmp_path) -> dict[str, Any]:
    """A life of three memories: one question found more with other words, one a wrong text."""
    given = "--about", "Lena", "--keep", "years"
    boiler = remember(there, "The boiler is serviced by Kwame every October", *given[2:])
    kettle = remember(there, "Lena has a brass kettle from her aunt", *given)
    wrong = remember(there, "The brass kettle was sold in spring", "--happened", "2024-04-02")
    assert boiler not in ask(there, "heating engineer")
    assert boiler in ask(there, "heating engineer", "boiler", "serviced")
    assert {kettle, wrong} <= {*ask(there, "Lena's brass kettle")}
    ok(*there, "forget", wrong)
    ask(there, "thanks")
    ids = {"boiler": boiler, "kettle": kettle, "wrong": wrong}
    return {"ids": ids, "life": export(there, tmp_path / "life.json")}


def test_questions_are_written_with_what_belongs(lived):
    ids, life = lived["ids"], lived["life"]
    heating, kettle = life["questions"]
    assert (heating["ask"], heating["also"]) == ("heating engineer", ["boiler", "serviced"])
    assert ids["boiler"] in heating["notes"]
    assert (kettle["ask"], kettle["notes"]) == ("Lena's brass kettle", [ids["kettle"]])
    assert (life["unanswerable"], life["silence"]) == ([], [])
    kept = {one["keeps"][0]["key"]: one["keeps"][0] for one in life["messages"]}
    # A text that was shown and then forgotten did not belong.
    assert kept.keys() == {*ids.values()}
    assert kept[ids["kettle"]]["about"] == ["Lena"]
    assert [kept[ids[one]]["keep"] for one in ids] == ["years", "years", "normal"]
    assert kept[ids["wrong"]]["happened_at"].startswith("2024-04-0")


def test_training_reads_it(lived, tmp_path):
    train = pytest.importorskip("benchmarks.train")
    from benchmarks.answers.sets import life

    told = anyio.run(train._tables, life(tmp_path / "life.json"), "none")
    by_ask = {one.ask: one for one in told}
    one = by_ask["Lena's brass kettle"]
    assert one.kind == train.QUESTION
    assert dict(zip(one.keys, one.labels, strict=True)) == {
        lived["ids"]["kettle"]: True,
        lived["ids"]["wrong"]: False,
    }


def test_a_forgotten_question_is_not_written(there, lived, tmp_path):
    heating, kettle = lived["life"]["questions"]
    ok(*there, "forget", heating["id"])
    assert [one["ask"] for one in export(there, tmp_path / "again.json")["questions"]] == [
        kettle["ask"]
    ]


def test_no_other_export_has_a_question(there, lived, tmp_path):
    file = tmp_path / "whole.jsonl"
    ok(*there, "export", str(file))
    assert "heating engineer" not in file.read_text(encoding="utf-8")
    ok(*there, "users", "export", "default", str(file), "--force")
    assert "heating engineer" not in file.read_text(encoding="utf-8")
    ok(*there, "export", str(tmp_path / "notes"), "--format", "markdown")
    notes = "".join(one.read_text("utf-8") for one in (tmp_path / "notes").rglob("*.md"))
    assert "heating engineer" not in notes


def test_a_user_s_questions_are_deleted_with_the_user(there, lived, tmp_path):
    assert "questions: 4" in ok(*there, "users", "delete", "default", "--yes").output
    failed = fails(*there, "export", str(tmp_path / "none.json"), "--format", "training")
    assert failed.output.splitlines()[-1].endswith(
        "no question was kept: set keep_questions = true, and ask"
    )
    assert not (tmp_path / "none.json").exists()


def test_by_default_and_to_one_who_only_looks_nothing_is_kept(there, tmp_path, monkeypatch):
    remember(there, "Lena has a brass kettle")
    ask(there, "Lena's brass kettle")
    monkeypatch.setenv(KEEP_VARIABLE, "on")
    ok(*there, "recall", "Lena's brass kettle")
    failed = run(*there, "export", str(tmp_path / "life.json"), "--format", "training")
    assert "no question was kept" in failed.output


def test_questions_that_nothing_followed_say_so(there, keeps, tmp_path):
    ask(there, "Lena's brass kettle")
    failed = fails(*there, "export", str(tmp_path / "life.json"), "--format", "training")
    assert "none of the kept questions (1) was asked again with also" in failed.output


def test_a_secret_is_not_kept(there, keeps, tmp_path, monkeypatch):
    monkeypatch.setenv("CONCEPT_GRAPH_REDACT", "on")
    wrong = remember(there, "The token of the bakery is in the drawer")
    assert ask(there, f"Is {TOKEN} the token of the bakery?") == [wrong]
    ok(*there, "forget", wrong)
    life = export(there, tmp_path / "life.json")
    assert life["unanswerable"] == ["Is [secret: GitHub Token] the token of the bakery?"]


def test_the_settings_file_switches_it(tmp_path):
    file = tmp_path / "config.toml"
    for said, is_on in (("true", True), ('"on"', True), ("false", False)):
        file.write_text(f"keep_questions = {said}\n", encoding="utf-8")
        variables = settings_file.read_file(file) or {}
        assert settings.read({"TZ": "UTC", **variables}).keeps_questions is is_on
    file.write_text("keep_questions = 3\n", encoding="utf-8")
    with pytest.raises(SettingsError, match="keep_questions: must be a string, not 3"):
        settings_file.read_file(file)
    with pytest.raises(SettingsError, match=f"{KEEP_VARIABLE}: must be on or off"):
        settings.read({"TZ": "UTC", KEEP_VARIABLE: "maybe"})
