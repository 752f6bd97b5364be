"""What no procedure takes, asked of the procedures themselves; nothing is ever written."""

import math

import pytest
from expect import REFUSALS

from concept_graph_mcp import calls
from concept_graph_mcp.errors import Misdeployed, Refused

LONG = "x" * 1_001
VERY_LONG = "x" * 20_001

# Per procedure: arguments that fit its signature but not its rules, and what the refusal names.
REFUSED = [
    ("concept_upsert", [""], "concept: must not be empty"),
    ("concept_upsert", [" \t\n"], "concept: must not be empty"),
    ("concept_upsert", [LONG], "concept: 1001 characters"),
    ("update_affect", ["", 0.5], "target: must not be empty"),
    ("update_affect", [LONG, 0.5], "target: 1001 characters"),
    ("update_affect", ["apple", 1.0000001], "valence_delta"),
    ("update_affect", ["apple", 2], "valence_delta"),
    ("update_affect", ["apple", 2**62], "valence_delta"),
    ("update_affect", ["apple", math.nan], "valence_delta"),
    ("update_affect", ["apple", -math.inf], "valence_delta"),
    ("episode_add", ["", ["apple"]], "summary: must not be empty"),
    ("episode_add", [VERY_LONG, ["apple"]], "summary: 20001 characters"),
    ("episode_add", ["S", []], "concepts"),
    ("episode_add", ["S", ["apple", ""]], "concepts: must not be empty"),
    ("episode_add", ["S", ["apple", "\u3000"]], "concepts: must not be empty"),
    ("episode_add", ["\n\t ", ["apple"]], "summary: must not be empty"),
    ("episode_add", ["S", ["apple", LONG]], "concepts: 1001 characters"),
    ("relation_add", ["", "fruit", "is-a"], "from: must not be empty"),
    ("relation_add", ["apple", "", "is-a"], "to: must not be empty"),
    ("relation_add", ["apple", LONG, "is-a"], "to: 1001 characters"),
    ("relation_add", [LONG, "apple", "is-a"], "from: 1001 characters"),
    ("relation_add", ["apple", "fruit", "IS_A"], "type: must be one of"),
    ("relation_add", ["apple", "fruit", ""], "type: must be one of is-a, part-of, evokes"),
    ("relation_add", ["apple", "fruit", " is-a"], "type: must be one of"),
    ("relation_add", ["apple", "fruit", "likes"], "type: must be one of"),
    ("relation_add", ["apple", "apple", "is-a"], 'tautology: from and to are both "apple"'),
    ("relation_add", ["apple", "apple", "evokes"], "tautology"),
    ("concept_search", [[""], 50], "keywords: must not be empty"),
    ("recall", [[""], 2, None], "seeds: must not be empty"),
    ("recall", [["apple", 7], 2, None], "seeds: must be text"),
    ("recall", [["apple", "  "], 2, None], "seeds: must not be empty"),
    ("recall", [["apple"], -1, None], "max_hop"),
    ("recall", [["apple"], 2**40, None], "max_hop"),
    ("recall", [["apple"], 11, None], "max_hop"),
    ("recall", [["apple"], 2, 0], "limit"),
    ("recall", [[], 11, None], "max_hop"),
    ("peek", [["apple"], -1, None], "max_hop"),
    ("peek", [["apple"], 11, None], "max_hop"),
    ("peek", [[""], 1, None], "seeds: must not be empty"),
    ("peek", [["apple"], 2, -5], "limit"),
    ("recall_query", [["apple"], -1, None, False], "max_hop"),
    ("recall_query", [["apple"], 1, 0, False], "limit"),
    ("rename", ["known", "", False], "new_name: must not be empty"),
    ("rename", ["known", LONG, False], "new_name: 1001 characters"),
    ("remove", ["", False], "name: must not be empty"),
    ("remove_relation", ["known", "known", "likes", False], "type: must be one of"),
    ("export", ["all"], "part"),
    ("import_rows", [[{}]], "row 0: kind"),
]

# Arguments that do not fit the signature: refused by the host, before the procedure runs.
MISFITS = [
    ("concept_upsert", [7], "concept", "STRING"),
    ("concept_upsert", [None], "concept", "STRING"),
    ("update_affect", ["apple", "0.5"], "valence_delta", "NUMBER"),
    ("update_affect", ["apple", True], "valence_delta", "NUMBER"),
    ("update_affect", ["apple", None], "valence_delta", "NUMBER"),
    ("episode_add", ["S", "apple"], "concepts", "LIST OF STRING"),
    ("episode_add", ["S", ["apple", None]], "concepts", "LIST OF STRING"),
    ("episode_add", ["S", [7]], "concepts", "LIST OF STRING"),
    ("relation_add", ["apple", "fruit", None], "type", "STRING"),
    ("concept_search", ["apple", 50], "keywords", "LIST OF STRING"),
    ("concept_search", [["apple"], 1.5], "limit", "INTEGER"),
    ("recall", ["apple", 2, None], "seeds", "LIST OF ANY"),
    ("recall", [[None], 2, None], "seeds", "LIST OF ANY"),
    ("recall", [["apple"], 2.0, None], "max_hop", "INTEGER"),
    ("peek", [["apple"], "2", None], "max_hop", "INTEGER"),
    ("import_rows", [["apple"]], "rows", "LIST OF MAP"),
    ("remove", ["known", 1], "dry_run", "BOOLEAN"),
]

FIELDS = {procedure.name: procedure.fields[:1] for procedure in calls.ALL}


def ask(memory, name, arguments):
    return memory.procedure(f"conceptgraph.{name}", arguments, FIELDS[f"conceptgraph.{name}"])


def shortened(value):
    return value if not isinstance(value, list) else repr(value)[:40]


@pytest.mark.parametrize(("name", "arguments", "message"), REFUSED, ids=shortened)
def test_what_breaks_a_rule_is_refused_in_one_line(memory, name, arguments, message):
    memory.concept_upsert("known")
    before = memory.records()
    with pytest.raises(Refused, match=message) as refusal:
        ask(memory, name, arguments)
    assert len(str(refusal.value).splitlines()) == 1
    assert len(str(refusal.value)) < 300
    assert memory.records() == before


@pytest.mark.parametrize(("name", "arguments", "argument", "kind"), MISFITS, ids=shortened)
def test_what_does_not_fit_the_signature_is_refused(memory, name, arguments, argument, kind):
    memory.concept_upsert("known")
    before = memory.records()
    with pytest.raises(Refused, match=f"argument named '{argument}'.*must be of type {kind}"):
        ask(memory, name, arguments)
    assert memory.records() == before


def test_too_many_arguments_are_refused(memory):
    with pytest.raises(Refused, match="requires between 1 and 2 arguments"):
        ask(memory, "concept_upsert", ["apple", {}])


def test_an_unknown_procedure_is_refused(memory):
    with pytest.raises((Refused, Misdeployed), match=r"no procedure named 'conceptgraph\.nosuch'"):
        memory.procedure("conceptgraph.nosuch", [], ("x",))


def test_the_longest_names_and_summaries_are_taken(memory):
    name = "Ä" * 1_000
    row = memory.episode_add("日" * 20_000, [name])
    assert row["episode_id"] == f"20250615/{name}"
    second = memory.episode_add("S", [name])["episode_id"]
    assert second == f"20250615/{name}-2"
    assert memory.update_affect(second, 0.5)["episode_id"] == second
    assert len(memory.peek([second], 1)) == 1
    assert memory.concept_search(["ä" * 1_000]) == [name]


# A NUL would be cut off by a database without a word, a lone surrogate cannot be sent to one.
@pytest.mark.parametrize("bad", ["a\0b", "\0", "a\ud800", "\udfff"], ids=ascii)
@pytest.mark.parametrize(
    "call",
    [
        calls.concepts.concept_upsert,
        lambda bad: calls.concepts.update_affect(bad, 0.5),
        lambda bad: calls.concepts.episode_add(bad, ["apple"]),
        lambda bad: calls.concepts.episode_add("S", ["apple", bad]),
        lambda bad: calls.concepts.relation_add(bad, "fruit", "is-a"),
        lambda bad: calls.concepts.relation_add("apple", bad, "is-a"),
        lambda bad: calls.concepts.concept_search([bad]),
        lambda bad: calls.concepts.recall([bad]),
        lambda bad: calls.concepts.peek(["apple", bad]),
        lambda bad: calls.concepts.rename("known", bad, False),
        lambda bad: calls.concepts.rename(bad, "new", False),
        lambda bad: calls.concepts.remove(bad, False),
        lambda bad: calls.concepts.remove_relation(bad, "known", "is-a", False),
        lambda bad: calls.transfer.import_rows([{"kind": "concept", "name": bad}]),
        lambda bad: calls.transfer.import_rows([{"kind": "episode", "name": "e", "summary": bad}]),
    ],
    ids=[
        "concept_upsert",
        "update_affect",
        "summary",
        "concepts",
        "from",
        "to",
        "keywords",
        "seeds",
        "peek",
        "rename to",
        "rename from",
        "remove",
        "remove_relation",
        "import name",
        "import summary",
    ],
)
def test_a_nul_and_a_lone_surrogate_are_refused(memory, call, bad):
    memory.concept_upsert("known")
    before = memory.records()
    with pytest.raises(REFUSALS):
        memory.run(call(bad))
    assert memory.records() == before


def test_a_name_can_be_any_other_text(memory):
    odd = [
        "\x01",
        "\u200b",
        "\u202e",
        "\ufeff",
        "\U0010ffff",
        "'; DROP",
        "`",
        "$names",
        "{}",
        "\\u0000",
    ]
    for name in odd:
        assert memory.concept_upsert(name)["created"] is True
        assert memory.concept_upsert(name)["created"] is False
        assert memory.concept_search([name], 1) == [name]
    assert sorted(record["name"] for record in memory.records()) == sorted(odd)
