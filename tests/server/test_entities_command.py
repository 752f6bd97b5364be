"""`entities`: the owner's side of entities, on the command line of each store."""

import json
from dataclasses import astuple

import pytest
from command_line import fails, ok, run

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
    assert ok(*kept, "entities", "list").stdout == "No such entity is kept.\n"


def test_a_list_is_bounded_and_says_that_there_are_more(kept):
    shown = ok(*kept, "entities", "list", "--limit", "2").stdout
    assert "There are more; --limit shows them." in shown
    shown = ok(*kept, "entities", "list").stdout
    assert "There are more" not in shown
    [inferred] = [line for line in shown.splitlines() if line.endswith(", inferred")]
    assert inferred.startswith("Project Phoenix (")


def test_an_entity_is_shown_by_its_id_or_by_its_name_alone(kept):
    max_id = listed(kept)["Max"]["entity_id"]
    by_name = ok(*kept, "entities", "show", "max").stdout
    assert by_name == ok(*kept, "entities", "show", max_id).stdout
    assert by_name.startswith(
        f"Max\n\nentity_id: {max_id}\ntype: entity\nidentity_status: distinct\n"
    )
    [parts] = [line for line in by_name.splitlines() if line.startswith("trust_parts: ")]
    assert "model_mentions 0, user_mentions 2, user_sessions 2" in parts
    edges = [line for line in by_name.splitlines() if line.startswith("edges: puppy (")]
    assert any("recency 1, strength 0.5, trust" in one for one in edges)
    assert "context Max sleeps." in by_name
    whole = json.loads(ok(*kept, "entities", "show", "Max", "--json").stdout)
    assert whole["entity_id"] == max_id
    assert len(whole["mentions"]) == 2
    inferred = ok(*kept, "entities", "show", "Project Phoenix").stdout
    assert "inferred: True" in inferred
    assert "context Perhaps Project Phoenix?" in inferred


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
        if line.startswith("conflicts: ")
    ]
    assert f"fact ids {of_age[0]}, {of_age[1]}" in told
    assert "values four, five" in told
    assert "values puppy, Project Phoenix" in at_home
    assert f"fact ids {of_home[0]}, {of_home[1]}" in at_home
    assert tie.startswith(f"conflicts: puppy ({ids['puppy']}): ")
    assert "evidence is no" in tie


def test_an_entity_and_an_edge_are_explained(kept):
    told = ok(*kept, "entities", "explain", "Max").stdout
    assert "Max" in told
    rows = json.loads(ok(*kept, "entities", "explain", "Max", "--json").stdout)["rows"]
    assert "\n".join(row["text"] for row in rows) + "\n" == told
    edge = ok(*kept, "entities", "explain", "Max", "puppy", "--type", "co_occurrence").stdout
    assert "puppy" in edge


def test_an_id_names_one_of_several_with_a_name(kept):
    async def of_another_kind(session):
        for kind in ("pet", "person"):
            observed = [{"label": "Sam", "type": "entity", "kind": kind}]
            told = "wed", kind, "user", "Sam came.", observed
            await session.run(calls.entities.observe(*told))

    in_store(kept, of_another_kind)
    refused = fails(*kept, "entities", "show", "Sam")
    assert "Sam: several are called so; name one by its id: " in refused.stderr
    assert "(pet)" in refused.stderr
    assert "(person)" in refused.stderr


@pytest.mark.slow
def test_merging_shows_both_and_asks_first_and_unmerging_takes_it_back(kept):
    refused = fails(*kept, "entities", "merge", "puppy", "Max", stdin="n\n")
    assert "puppy (" in refused.stdout
    assert "Merge?" in refused.stdout
    assert ok(*kept, "entities", "merges").stdout == "Nothing was merged.\n"

    merged = ok(*kept, "entities", "merge", "puppy", "Max", "--reason", "my puppy", stdin="y\n")
    assert "verdict: merged\n" in merged.stdout
    merge_id = merged.stdout.partition("merge_id: ")[2].split()[0]
    assert ok(*kept, "entities", "show", "puppy").stdout.startswith("Max, puppy\n")
    [entry] = json.loads(ok(*kept, "entities", "merges", "--json").stdout)["merges"]
    assert (entry["merge_id"], entry["source"], entry["target"]) == (merge_id, "puppy", "Max")
    assert (entry["reason"], entry["by"], entry["is_active"]) == (
        *("my puppy", "user_correction"),
        True,
    )
    rows = listed(kept)
    assert rows["puppy"]["merged_into"] == rows["Max"]["entity_id"]

    refused = fails(*kept, "entities", "unmerge", merge_id, stdin="n\n")
    assert listed(kept)["puppy"]["status"] == "merged"
    undone = ok(*kept, "entities", "unmerge", merge_id, "--yes").stdout
    assert undone.startswith(f"{merge_id}: merge, source puppy, target Max, by user_correction")
    status = "identity status distinct"
    assert f"separate: puppy ({rows['puppy']['entity_id']}): {status}\n" in undone
    [entry] = json.loads(ok(*kept, "entities", "merges", "--json").stdout)["merges"]
    assert (entry["is_active"], entry["unmerge_reason"]) == (False, "the owner said so")


def test_a_split_asks_and_refuses_what_would_move_all_or_nothing(kept):
    whole = json.loads(ok(*kept, "entities", "show", "Max", "--json").stdout)
    [latest, *_] = whole["mentions"]
    assert latest["mention_id"] in ok(*kept, "entities", "show", "Max").stdout
    shown = fails(*kept, "entities", "split", "Max", latest["mention_id"], stdin="n\n")
    assert shown.stdout.startswith("Max (")
    assert "Split?" in shown.stdout
    for what, said in (
        (("--since", "1970-01-02"), "mention_ids: all of its mentions would move"),
        (("--since", "2999-01-01"), "since: none of its mentions would move"),
        (("unknown",), "mention_ids: no mention or fact of this entity"),
        ((), "name what moves by MENTION_IDS or --since, one of them"),
    ):
        refused = run(*kept, "entities", "split", "Max", *what, "--yes")
        assert refused.exit_code != 0
        assert said in refused.stderr


def test_the_ledger_is_bounded(kept):
    for source in ("puppy", "Project Phoenix"):
        ok(*kept, "entities", "merge", source, "Max", "--yes", "--json", "--reason", "so it is")
    shown = ok(*kept, "entities", "merges", "--limit", "1").stdout
    assert "There are more; --limit shows them." in shown
    shown = ok(*kept, "entities", "merges").stdout
    assert shown.count("reason so it is") == 2
    assert "There are more" not in shown


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["show", "nobody"], "nobody: no entity has this name or id"),
        (["explain", "nobody"], "nobody: no entity has this name or id"),
        (["explain", "Max", "puppy"], "an edge is named by TARGET and --type, both"),
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
    refused = fails(*kept, "entities", "merge", "puppy", "Max", "--said", "they are one", "--yes")
    assert "kept as a question, not done: said: has no name of" in refused.stderr


def entry(kept, merge_id):
    [row] = [
        one
        for one in json.loads(told(kept, "merges", "--json"))["merges"]
        if one["merge_id"] == merge_id
    ]
    return row


def told(kept, *arguments):
    return ok(*kept, "entities", *arguments).stdout
