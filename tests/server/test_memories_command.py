"""`memories`: the owner's side of memories, on the command line of each store."""

import json
from typing import Any

import pytest
from command_line import fails, ok, run

MADE_MS = 1_749_000_000_000


def record(memory_id: str, content: str, user: str = "default", **given: Any) -> dict[str, Any]:
    ids = {"kind": "memory", "id": memory_id, "user_id": user}
    return ids | {"content": content, "created_at": MADE_MS, "accessed_at": MADE_MS} | given


RECORDS = [
    record("tea", "Prefers green tea in the morning", tags=["favorite"], summary="Green tea"),
    record("kettle", "Bought a kettle at the market", metadata={"shop": "Lidl"}),
    record("gone", "Hates coffee", state="expired", deleted_at=MADE_MS),
    record("theirs", "Somebody's tea", "somebody"),
    {
        "kind": "link",
        "from": "tea",
        "to": "kettle",
        "type": "causes",
        "strength": 1.0,
        "last_strengthened": MADE_MS,
    },
]


@pytest.fixture
def kept(there, tmp_path) -> list[str]:
    file = tmp_path / "memories.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in RECORDS), encoding="utf-8")
    ok(*there, "import", str(file))
    return there


def listed(there: list[str], *arguments: str) -> list[str]:
    shown = json.loads(ok(*there, "memories", "list", "--json", *arguments).stdout)
    return sorted(row["memory_id"] for row in shown["memories"])


def test_a_list_has_the_memories_of_its_user_only_and_what_is_forgotten_too(kept, monkeypatch):
    assert listed(kept) == ["gone", "kettle", "tea"]
    assert listed(kept, "--state", "expired") == ["gone"]
    monkeypatch.setenv("CONCEPT_GRAPH_USER", "somebody")
    assert listed(kept) == ["theirs"]


def test_a_list_is_bounded_and_says_that_there_are_more(kept):
    shown = ok(*kept, "memories", "list", "--limit", "2").stdout
    assert len(shown.splitlines()) == 3
    assert "There are more; --limit shows them." in shown
    assert "There are more" not in ok(*kept, "memories", "list", "--limit", "3").stdout


def test_all_of_a_memory_is_shown_with_its_links_and_not_accessed_by_that(kept):
    shown = ok(*kept, "memories", "show", "tea").stdout
    assert shown.startswith(
        "Prefers green tea in the morning\n\nmemory_id: tea\nsummary: Green tea"
    )
    assert "state: active\ndecay_score: 1\npreserved: True\n" in shown
    link = "direction outgoing, relation causes, strength 0.1"
    assert f"links: Bought a kettle at the market (kettle): {link}\n" in shown
    assert "access_count: 0\n" in ok(*kept, "memories", "show", "tea").stdout
    assert "metadata: shop Lidl" in ok(*kept, "memories", "show", "kettle").stdout


def test_the_lines_of_a_memory_are_shown_as_lines_and_nothing_else_of_it_is_obeyed(kept):
    content = "Shopping:\n- tea\r\n\nmemory_id: not this one\x1b[2J"
    ok(*kept, "import", "-", stdin=json.dumps(record("long", content)) + "\n")
    shown = ok(*kept, "memories", "show", "long").stdout
    lines = ["Shopping:", "  - tea", "  ", r"  memory_id: not this one\x1b[2J", ""]
    lines.append("memory_id: long")
    assert shown.startswith("\n".join(lines) + "\n")


def test_who_said_a_message_is_told_wherever_it_is_shown(kept):
    said = record("told", "I start in May", speaker="Ann Lee", said_at=MADE_MS)
    ok(*kept, "import", "-", stdin=json.dumps(said) + "\n")
    assert "Ann Lee: I start in May" in ok(*kept, "memories", "list").stdout
    assert "Ann Lee: I start in May" in ok(*kept, "memories", "search", "who starts?").stdout
    assert "speaker: Ann Lee\n" in ok(*kept, "memories", "show", "told").stdout


def test_what_became_of_a_memory_is_shown_with_its_days_and_reasons(kept, monkeypatch):
    monkeypatch.setenv("TZ", "Europe/Berlin")
    steps = [{"from": "dormant", "to": "archived", "at": MADE_MS, "score": 0.0912345}]
    noted = {"shop": "Lidl", "history": steps, "forgotten": {"at": MADE_MS, "reason": "cold"}}
    made = [record("past", "Cold tea", metadata=noted), record("odd", "x", metadata={"history": 5})]
    ok(*kept, "import", "-", stdin="".join(json.dumps(one) + "\n" for one in made))
    shown = ok(*kept, "memories", "show", "past").stdout
    at = "2025-06-04T03:20:00+02:00"
    assert f"history at {at}, from dormant, score 0.09123, to archived" in shown
    assert f"forgotten at {at}, reason cold" in shown
    assert "shop Lidl" in shown
    assert "metadata: history 5\n" in ok(*kept, "memories", "show", "odd").stdout


def test_what_is_forgotten_is_shown_and_restored_whole(kept):
    shown = ok(*kept, "memories", "show", "gone").stdout
    assert "deleted_at: 2025-06-04" in shown
    assert ok(*kept, "memories", "restore", "gone").stdout == "gone: restored, active\n"
    assert ok(*kept, "memories", "restore", "gone").stdout == "gone: active\n"
    assert json.loads(ok(*kept, "memories", "show", "gone", "--json").stdout)["deleted_at"] is None


def test_memories_are_found_by_words(kept):
    shown = ok(*kept, "memories", "search", "where", "did", "the", "kettle", "come", "from?").stdout
    assert shown.startswith("Bought a kettle at the market (kettle): archived, score ")
    assert "tea" not in shown
    found = json.loads(ok(*kept, "memories", "search", "kettle", "--json").stdout)["memories"]
    assert {"age", "named", "asker", "period"} <= found[0]["factors"].keys()
    assert ok(*kept, "memories", "search", "coffee").stdout == "No memory says any of that.\n"


def test_purging_shows_what_it_removes_and_asks_first(kept):
    preview = "Hates coffee (gone): forgotten 2025-06-04\n"
    assert ok(*kept, "memories", "purge", "--older-than", "30", "--dry-run").stdout == preview
    fails(*kept, "memories", "purge", "--older-than", "30", stdin="n\n")
    assert listed(kept, "--state", "expired") == ["gone"]
    said = ok(*kept, "memories", "purge", "gone", "--yes").stdout
    assert said == preview + "Removed: 1.\n"
    assert listed(kept) == ["kettle", "tea"]
    assert ok(*kept, "memories", "purge", "--older-than", "1").stdout == (
        "There is nothing to purge.\n"
    )


def test_tells_how_many_are_left_to_purge(kept, tmp_path, monkeypatch):
    monkeypatch.setattr("concept_graph_mcp.commands.layers.MAX_BATCH", 1)
    file = tmp_path / "another.jsonl"
    when = {"created_at": 1_000, "accessed_at": 1_000, "deleted_at": 2_000, "state": "expired"}
    another = {"kind": "memory", "id": "too", "user_id": "default", "content": "x", **when}
    file.write_text(json.dumps(another), encoding="utf-8")
    ok(*kept, "import", str(file))
    purge = ("memories", "purge", "--older-than", "1", "--yes")
    assert ok(*kept, *purge).stdout.endswith(
        "Removed: 1.\nThere are more; the same command removes them.\n"
    )
    assert ok(*kept, *purge).stdout.endswith("Removed: 1.\n")


def test_purging_keeps_to_the_retention_window_that_is_set(kept, monkeypatch):
    monkeypatch.setenv("CONCEPT_GRAPH_RETENTION_DAYS", "90000")
    assert ok(*kept, "memories", "purge").stdout == "There is nothing to purge.\n"
    monkeypatch.setenv("CONCEPT_GRAPH_RETENTION_DAYS", "90")
    assert ok(*kept, "memories", "purge", "--dry-run").stdout.startswith("Hates coffee (gone)")


def test_what_was_forgotten_within_the_window_is_not_purged(kept):
    assert ok(*kept, "memories", "purge", "--older-than", "90000").stdout == (
        "There is nothing to purge.\n"
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["purge", "tea"], "memory: tea is active; only what is forgotten or expired is purged"),
        (["purge"], "CONCEPT_GRAPH_RETENTION_DAYS is not set"),
        (["purge", "gone", "--older-than", "3"], "name memories, or say --older-than DAYS"),
        (["purge", "--older-than", "0"], "0.0 is not in the range"),
        (["purge", "--older-than", "nan"], "'nan' is not a number"),
        (["show", "theirs"], "memory: not found: theirs"),
        (["restore", "theirs"], 'id: not found: "theirs"'),
        (["purge", "theirs"], "memory: not found: theirs"),
        (["show", ""], "memory_id: must not be empty"),
        (["list", "--limit", "0"], "0 is not in the range"),
        (["list", "--state", "lost"], "'lost' is not one of"),
        (["forget", "tea"], "No such command 'forget'"),
    ],
)
def test_what_cannot_be_is_one_line(kept, arguments, said):
    refused = run(*kept, "memories", *arguments)
    assert refused.exit_code != 0
    assert said in refused.stderr
    assert refused.stderr.count("\n") == 1
    assert listed(kept) == ["gone", "kettle", "tea"]


def test_doctor_says_of_which_embedding_the_vectors_are_and_how_many_texts_lack_one(
    kept, tmp_path, monkeypatch
):
    assert told_by_doctor(kept) == "none; texts are found by their words"
    monkeypatch.setenv("CONCEPT_GRAPH_EMBEDDINGS", "model2vec:somebody/a-model")
    assert "no text has a vector yet" in told_by_doctor(kept)
    file = tmp_path / "chosen.jsonl"
    chosen = {"kind": "embedding", "use": "texts", "model": "model2vec:a-model", "dimension": 3}
    file.write_text(json.dumps(chosen), encoding="utf-8")
    ok(*kept, "import", str(file))
    assert told_by_doctor(kept) == (
        "model2vec:a-model, 3 numbers; without a vector: 4; run concept-graph-mcp embed"
    )
    for other in ("openai:another", "model2vec:somebody/another-model"):
        monkeypatch.setenv("CONCEPT_GRAPH_EMBEDDINGS", other)
        assert run(*kept, "doctor").exit_code == 1
        assert f"embed --again {other}" in told_by_doctor(kept)


def test_what_was_forgotten_is_told_apart_and_found_by_its_words(kept):
    counted = json.loads(ok(*kept, "stats", "--json").stdout)
    assert (counted["memories forgotten"], "memories expired" in counted) == (1, False)
    [gone] = json.loads(ok(*kept, "memories", "list", "--state", "expired", "--json").stdout)[
        "memories"
    ]
    assert (gone["memory_id"], gone["state"], gone["forgotten"]) == ("gone", "expired", True)
    assert ", forgotten, " in ok(*kept, "memories", "list", "--state", "expired").stdout
    assert ok(*kept, "memories", "expired", "coffee").stdout.startswith("Hates coffee (gone): forg")
    assert ok(*kept, "memories", "restore", "gone").stdout == "gone: restored, active\n"


def told_by_doctor(there: list[str]) -> str:
    found = json.loads(run(*there, "doctor", "--json").stdout)["findings"]
    [state] = [one["state"] for one in found if one["what"] == "embedding"]
    return str(state)


def test_what_has_expired_is_told_of_and_brought_back_by_its_words(kept):
    ok(*kept, "worker", "--once", "decay", "--retention", "30")
    states = json.loads(ok(*kept, "memories", "list", "--json").stdout)["memories"]
    assert {row["memory_id"]: row["state"] for row in states}["kettle"] == "expired"
    found = ok(*kept, "memories", "search", "kettle")
    assert "expired besides: 1; memories expired lists them" in found.stderr
    told = json.loads(ok(*kept, "memories", "search", "kettle", "--json").stdout)
    assert told == {"memories": [], "more": False, "total": 0}
    assert "expired besides: 1" not in ok(*kept, "memories", "list", "--state", "active").stderr
    # Of all users.
    assert json.loads(ok(*kept, "stats", "--json").stdout)["memories expired"] == 2
    nothing = "Nothing that was forgotten or has expired says any of that.\n"
    assert ok(*kept, "memories", "expired", "zebra").stdout == nothing
    assert "(kettle)" in ok(*kept, "memories", "expired", "kettle").stdout
    ok(*kept, "memories", "restore", "kettle")
    assert json.loads(ok(*kept, "stats", "--json").stdout)["memories expired"] == 1
    assert "Missing argument 'ID...'" in run(*kept, "memories", "restore").stderr


def test_a_link_that_was_taken_away_is_shown_and_brought_back(kept):
    refused = run(*kept, "memories", "relink", "tea", "kettle", "--type", "causes")
    assert (refused.exit_code, "strength: 0.1\n" in refused.stdout) == (0, True)
    refused = run(*kept, "memories", "relink", "tea", "kettle")
    assert "no relates_to link between these memories was taken away" in refused.stderr


def test_a_list_can_be_of_one_tag_forgotten_ones_too(there, tmp_path):
    rows = [record("one", "Tea", tags=["drink"]), record("two", "Rye", tags=["food", "plain"])]
    rows += [record("three", "Nothing"), record("hers", "Ann's tea", "ann", tags=["drink"])]
    rows += [record("gone", "Coffee", tags=["drink"], state="expired", deleted_at=5)]
    file = tmp_path / "tagged.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    ok(*there, "import", str(file))
    assert set(listed(there, "--tag", "drink")) == {"one", "gone"}
    assert set(listed(there, "--tag", "drink", "--tag", "plain")) == {"one", "two", "gone"}
    assert listed(there, "--tag", "drink", "--state", "expired") == ["gone"]
    assert ok(*there, "memories", "list", "--tag", "none").stdout == "No such memory is kept.\n"
