"""`entities`: the owner's side of entities, on the command line of each store."""

import json
from dataclasses import astuple

import pytest
from command_line import ok, run
from tests.columns import set_columns

from concept_graph_mcp import calls
from concept_graph_mcp.commands import common
from conceptgraph_core.entities.inputs import Given

SAID = [
    ("mon", "1", "user", "Max chewed my shoe. The puppy is bored.", ["Max", "puppy"]),
    ("tue", "1", "user", "Max sleeps.", ["Max"]),
    ("tue", "2", "model", "Perhaps Project Phoenix?", ["Project Phoenix"]),
]


@pytest.fixture
def kept(there) -> list[str]:
    """The options that name a store in which things were said in two sessions."""
    in_store(there, tell)
    return there


async def tell(session):
    for session_id, message_id, speaker, text, labels in SAID:
        observed = [{"label": label, "type": "entity"} for label in labels]
        told = session_id, message_id, speaker, text, observed
        await session.run(calls.entities.observe(*told))
    for session_id in ("mon", "tue"):
        await session.run(calls.entities.end_session(session_id, session.user_id))


def in_store(there, work):
    embedded = there[0].removeprefix("--embedded=") if there else None
    common.with_session(embedded, work)


@pytest.fixture
def narrow(plain_environment, monkeypatch) -> None:
    set_columns(monkeypatch, 80)


def listed(there: list[str], *arguments: str) -> dict[str, dict]:
    shown = json.loads(ok(*there, "entities", "list", "--json", *arguments).stdout)
    return {row["label"]: row for row in shown["entities"]}


def test_a_list_has_the_entities_of_its_user_only_and_says_what_is_inferred(kept, monkeypatch):
    rows = listed(kept)
    assert rows.keys() == {"Max", "puppy", "Project Phoenix"}
    assert [label for label, row in rows.items() if row["inferred"]] == ["Project Phoenix"]
    assert listed(kept, "--status", "distinct").keys() == {"Max"}
    assert listed(kept, "--status", "distinct", "--status", "provisional").keys() == rows.keys()
    monkeypatch.setenv("CONCEPT_GRAPH_USER", "somebody")
    assert listed(kept) == {}
    assert ok(*kept, "entities", "list").stdout == "No entity is kept.\n"
    assert ok(*kept, "entities", "list", "--status", "merged").stdout == "No entity is merged.\n"


@pytest.mark.usefixtures("narrow")
def test_a_list_fits_its_width_is_bounded_and_says_that_there_are_more(kept):
    shown = ok(*kept, "entities", "list", "--limit", "2").stdout
    assert max(map(len, shown.splitlines())) <= 80
    assert "There are more; --limit shows them." in shown
    shown = ok(*kept, "entities", "list").stdout
    assert "There are more" not in shown
    assert "* the user never mentioned it" in shown


def test_an_entity_is_shown_by_its_id_or_by_its_name_alone(kept):
    max_id = listed(kept)["Max"]["entity_id"]
    by_name = ok(*kept, "entities", "show", "max").stdout
    assert by_name == ok(*kept, "entities", "show", max_id).stdout
    assert by_name.startswith(f"Max\n\nentity_id: {max_id}\ntype: entity\nstatus: distinct\n")
    assert "mentions: 2 by the user in 2 sessions, 0 by the model\n" in by_name
    assert "– co occurrence puppy: weight 0.30, strength 0.50, recency 1.00" in by_name
    assert "the user: Max sleeps." in by_name
    whole = json.loads(ok(*kept, "entities", "show", "Max", "--json").stdout)
    assert whole["entity_id"] == max_id
    assert len(whole["mentions"]) == 2
    inferred = ok(*kept, "entities", "show", "Project Phoenix").stdout
    assert "the user never mentioned it" in inferred
    assert "inferred: Perhaps Project Phoenix?" in inferred


def test_what_contradicts_is_shown_with_what_it_is_and_where_to_find_it(kept):
    ids = {label: row["entity_id"] for label, row in listed(kept).items()}

    async def contradict(session):
        stated = (Given("age", value="four"), Given("age", value="five"))
        facts = [calls.entities.fact(ids["Max"], *astuple(one)) for one in stated]
        both = [Given("home", object_id=ids[one]) for one in ("puppy", "Project Phoenix")]
        for call in [*facts, *(calls.entities.fact(ids["Max"], *astuple(one)) for one in both)]:
            await session.run(call)
        said = "Max is no puppy."
        observed = [{"label": one, "type": "entity"} for one in ("Max", "puppy")]
        tie = [{"from": "Max", "to": "puppy", "type": "contradicts", "span": "is no"}]
        await session.run(calls.entities.observe("wed", "1", "user", said, observed, relations=tie))

    in_store(kept, contradict)
    whole = json.loads(ok(*kept, "entities", "show", "Max", "--json").stdout)
    of_age, of_home = (one["fact_ids"] for one in whole["conflicts"][:2])
    [told, at_home, tie] = [
        line
        for line in ok(*kept, "entities", "show", "Max").stdout.splitlines()
        if line.startswith("conflict: ")
    ]
    assert told == f"conflict: age is four or five ({of_age[0]}, {of_age[1]})"
    homes = "puppy or Project Phoenix"
    assert at_home == f"conflict: home is {homes} ({of_home[0]}, {of_home[1]})"
    assert tie == f"conflict: contradicts puppy ({ids['puppy']}): is no"


def test_an_entity_and_an_edge_are_explained(kept):
    told = ok(*kept, "entities", "explain", "Max").stdout
    assert "Max" in told
    rows = json.loads(ok(*kept, "entities", "explain", "Max", "--json").stdout)["rows"]
    assert "\n".join(row["text"] for row in rows) + "\n" == told
    first = ok(*kept, "entities", "explain", "Max", "--limit", "1").stdout
    assert first == f"{rows[0]['text']}\nand {len(rows) - 1} more\n"
    edge = ok(*kept, "entities", "explain", "Max", "puppy", "--type", "co_occurrence").stdout
    assert "puppy" in edge


def test_an_id_names_one_of_several_with_a_name(kept):
    async def of_another_kind(session):
        for kind in ("pet", "person"):
            observed = [{"label": "Sam", "type": "entity", "kind": kind}]
            told = "wed", kind, "user", "Sam came.", observed
            await session.run(calls.entities.observe(*told))

    in_store(kept, of_another_kind)
    refused = run(*kept, "entities", "show", "Sam")
    assert refused.exit_code == 1
    assert "Sam: several are called so; name one by its id: " in refused.stderr
    assert "(pet)" in refused.stderr
    assert "(person)" in refused.stderr


def test_merging_shows_both_and_asks_first_and_unmerging_takes_it_back(kept):
    refused = run(*kept, "entities", "merge", "puppy", "Max", stdin="n\n")
    assert refused.exit_code == 1
    assert "puppy (" in refused.stdout
    assert "Let puppy count as Max?" in refused.stdout
    assert ok(*kept, "entities", "merges").stdout == "Nothing was merged.\n"

    merged = ok(*kept, "entities", "merge", "puppy", "Max", "--reason", "my puppy", stdin="y\n")
    merge_id = merged.stdout.rpartition("Merged: ")[2].strip(". \n")
    assert ok(*kept, "entities", "show", "puppy").stdout.startswith("Max, also puppy\n")
    [entry] = json.loads(ok(*kept, "entities", "merges", "--json").stdout)["merges"]
    assert (entry["merge_id"], entry["source"], entry["target"]) == (merge_id, "puppy", "Max")
    assert (entry["reason"], entry["by"], entry["is_active"]) == (
        *("my puppy", "user_correction"),
        True,
    )
    rows = listed(kept)
    assert rows["puppy"]["merged_into"] == rows["Max"]["entity_id"]

    refused = run(*kept, "entities", "unmerge", merge_id, stdin="n\n")
    assert refused.exit_code == 1
    assert listed(kept)["puppy"]["status"] == "merged"
    undone = ok(*kept, "entities", "unmerge", merge_id, "--yes").stdout
    assert undone.startswith("puppy → Max, since ")
    assert f"puppy ({rows['puppy']['entity_id']}): distinct\n" in undone
    [entry] = json.loads(ok(*kept, "entities", "merges", "--json").stdout)["merges"]
    assert (entry["is_active"], entry["unmerge_reason"]) == (False, "the owner said so")


def test_a_split_shows_what_would_move_and_refuses_before_it_asks(kept):
    whole = json.loads(ok(*kept, "entities", "show", "Max", "--json").stdout)
    [latest, *_] = whole["mentions"]
    assert latest["mention_id"] in ok(*kept, "entities", "show", "Max").stdout
    shown = run(*kept, "entities", "split", "Max", latest["mention_id"], stdin="n\n")
    assert shown.exit_code == 1
    assert "Would move 1 mentions and 0 facts:\n" in shown.stdout
    line = f"{latest['created_at'][:10]} the user: {latest['context']} ({latest['mention_id']})\n"
    assert line in shown.stdout
    assert "Split Max?" in shown.stdout
    for what, said in (
        (("--since", "1970-01-02"), "Max: all mentions would move; leave at least one"),
        (("--since", "2999-01-01"), "Max: no mention would move; "),
        (("unknown",), "Max: no mention would move; "),
    ):
        refused = run(*kept, "entities", "split", "Max", *what)
        assert refused.exit_code == 1
        assert said in refused.stderr
        assert "Split Max?" not in refused.stdout


@pytest.mark.usefixtures("narrow")
def test_the_ledger_is_bounded_and_fits_its_width(kept):
    for source in ("puppy", "Project Phoenix"):
        ok(*kept, "entities", "merge", source, "Max", "--yes", "--json", "--reason", "so " * 200)
    shown = ok(*kept, "entities", "merges", "--limit", "1").stdout
    assert "There are more; --limit shows them." in shown
    shown = ok(*kept, "entities", "merges").stdout
    assert max(map(len, shown.splitlines())) <= 80
    assert "There are more" not in shown


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["show", "nobody"], "nobody: no entity has this name or id"),
        (["explain", "nobody"], "nobody: no entity has this name or id"),
        (["explain", "Max", "puppy"], "an edge is named by OTHER and --type, both"),
        (["explain", "Max", "puppy", "--type", "causal"], "type: no causal edge joins these"),
        (["show", ""], "entity_id: must not be empty"),
        (["merge", "Max", "max", "--yes"], 'target_id: "Max" is the same already'),
        (["merge", "nobody", "Max", "--yes"], "nobody: no entity has this"),
        (["unmerge", "none", "--yes"], 'merge_id: not found: "none"'),
        (["list", "--limit", "0"], "0 is not in the range"),
        (["list", "--status", "lost"], "'lost' is not one of"),
        (["forget", "Max"], "No such command 'forget'"),
    ],
)
def test_what_cannot_be_is_one_line(kept, arguments, said):
    refused = run(*kept, "entities", *arguments)
    assert refused.exit_code != 0
    assert said in refused.stderr
    assert refused.stderr.count("\n") == 1


@pytest.mark.usefixtures("narrow")
def test_an_id_in_a_table_is_whole_and_no_line_is_escaped(kept):
    rows = listed(kept)
    shown = ok(*kept, "entities", "list").stdout
    assert all(row["entity_id"] in shown for row in rows.values())
    source, target, *_ = (row["entity_id"] for row in rows.values())
    ok(*kept, "entities", "merge", source, target, "--yes", "--reason", "one of them")
    entries = json.loads(ok(*kept, "entities", "merges", "--json").stdout)["merges"]
    ledger = ok(*kept, "entities", "merges").stdout
    assert all(entry["merge_id"] in ledger for entry in entries)
    assert "one of them" in ledger
    assert "\\n" not in shown + ledger


@pytest.mark.parametrize(
    "arguments", [["merge", "puppy", "Max"], ["end", "Max"]], ids=["merge", "end"]
)
def test_the_ledger_has_no_words_that_the_owner_did_not_give(kept, arguments):
    row = json.loads(told(kept, *arguments, "--yes", "--json"))
    assert entry(kept, row["merge_id"])["said"] is None
    told(kept, "unmerge", row["merge_id"], "--yes")
    row = json.loads(told(kept, *arguments, "--said", "Max is the puppy", "--yes", "--json"))
    assert entry(kept, row["merge_id"])["said"] == "Max is the puppy"


def test_words_without_the_names_are_kept_as_a_question(kept):
    refused = run(*kept, "entities", "merge", "puppy", "Max", "--said", "they are one", "--yes")
    assert "kept as a question, not done: said: has no name of" in refused.stderr
    assert refused.exit_code == 1


def entry(kept, merge_id):
    [row] = [
        one
        for one in json.loads(told(kept, "merges", "--json"))["merges"]
        if one["merge_id"] == merge_id
    ]
    return row


def told(kept, *arguments):
    return ok(*kept, "entities", *arguments).stdout
