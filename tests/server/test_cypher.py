"""The Cypher of a call: one statement or two, with everything as parameters."""

import re

import anyio
import pytest

from concept_graph_mcp import calls
from concept_graph_mcp.hosts.memgraph import pulling, store
from concept_graph_mcp.hosts.memgraph.pulling import Pulled
from concept_graph_mcp.hosts.memgraph.store import BoltStore
from conceptgraph_core.concepts import schema
from conceptgraph_core.concepts.lookups import folded, new_episode, similar
from conceptgraph_core.graph.cypher.translating import write_lookup
from conceptgraph_core.graph.layers import SHARED
from conceptgraph_core.graph.primitives import key
from conceptgraph_core.retrieval.documents import of_mentions

CONTEXT = {"now_ms": 5, "tau_ms": 7, "date": "20250615"}
# What statements before may have found, in the context of the call.
LOOKED_UP = {**CONTEXT, "found": [], "degrees": [], "read": [], "size": 0}
RETURNED = ("found", "degrees", "read")
NASTY = "a'b\"c`d}) DETACH DELETE n //"

EVERY = {
    "concept_upsert": calls.concepts.concept_upsert("apple"),
    "update_affect": calls.concepts.update_affect("apple", 0.5),
    "episode_add": calls.concepts.episode_add("Ate it", ["apple", "pear"]),
    "relation_add": calls.concepts.relation_add("apple", "fruit", "is-a"),
    "concept_search": calls.concepts.concept_search(["App", "FRU"], 10),
    "recall": calls.concepts.recall(["apple"], 2, 5),
    "peek": calls.concepts.peek(["apple"], 2),
    "recall_query": calls.concepts.recall_query(["apple"], 2, 5, True),
    "associate": calls.concepts.associate("Where did we buy apples?", 5)._replace(
        wanted=[of_mentions(("Where did we buy apples?",), "", ("english",), (), ["fruit"])]
    ),
    "unknown": calls.concepts.unknown(["apple"]),
    "a search for nothing": calls.concepts.concept_search([]),
    "stats": calls.transfer.stats(),
    "check": calls.transfer.check(),
    "unindexed episodes": calls.concepts.unindexed(),
    "unindexed memories": calls.memories.unindexed("ann"),
    "import_rows": calls.transfer.import_rows([{"kind": "concept", "name": "apple"}]),
    "rename": calls.concepts.rename("apple", "pear", True),
    "remove": calls.concepts.remove("apple", True),
    "remove_relation": calls.concepts.remove_relation("apple", "fruit", "is-a", False),
}


def statements(call: calls.Call) -> list[tuple[str, dict[str, object]]]:
    """Return the statements of the first round of *call*."""
    plans = {key(one): pulling.plan(one, True) for one in call.wanted}
    pulled: dict[str, Pulled] = {}
    for name, plan in plans.items():
        told = [one for one in RETURNED if plan.first and f" {one}" in plan.first[0][-40:]]
        prefix = f"w{len(pulled)}_" if pulled else ""
        pulled[name] = pulling.tell(name, plan, {one: [] for one in told}, prefix)
    firsts = [plan.first for plan in plans.values() if plan.first]
    return [*firsts, pulling.calling(call, CONTEXT, pulled)]


def made(call: calls.Call) -> tuple[str, dict[str, object]]:
    """Return the one statement of *call*, and its parameters."""
    [statement] = statements(call)
    return statement


def whole(call: calls.Call) -> tuple[str, dict[str, object]]:
    """Return all that is said by the statements of *call*, and all parameters."""
    all_ = statements(call)
    return "\n".join(text for text, _ in all_), {
        key: value for _, own in all_ for key, value in own.items()
    }


def test_a_call_with_names_looks_them_up_calls_and_returns_in_one_statement():
    statement, parameters = made(EVERY["update_affect"])
    name = key(EVERY["update_affect"].wanted[0])
    assert statement == (
        "UNWIND $p0 AS v"
        " OPTIONAL MATCH (n0:Concept {name: v}) WHERE (n0.user_id IS NULL OR n0.user_id = '')"
        " OPTIONAL MATCH (n1:Episode {name: v}) WHERE (n1.user_id IS NULL OR n1.user_id = '')"
        " WITH collect(n0) + collect(n1) AS found"
        " CALL conceptgraph.update_affect($a0, $a1, {now_ms: $now_ms, tau_ms: $tau_ms,"
        f" date: $date, concepts: $concepts, answers: {{{name}: {{found: found}}}}}})"
        " YIELD concept_id, episode_id, valence, arousal, accessed_at"
        " RETURN collect([concept_id, episode_id, valence, arousal, accessed_at]) AS rows"
    )
    assert parameters == {
        "p0": ["apple"],
        "a0": "apple",
        "a1": 0.5,
        **CONTEXT,
        "concepts": "shared",
    }


def test_a_look_up_says_only_what_it_looks_for_and_no_more_than_is_needed():
    without_parent, _ = whole(calls.memories.create("somebody", "tea"))
    with_parent, _ = whole(calls.memories.create("somebody", "tea", parent_id="m1"))
    assert "(n0:Memory {id: v})" in with_parent
    assert "(n0:Memory {id: v})" not in without_parent


def test_a_look_up_of_no_names_finds_nothing():
    statement, _ = made(calls.concepts.peek([], 2))
    assert statement.startswith("WITH [] AS found CALL conceptgraph.peek(")


def test_a_name_in_any_case_is_looked_up_as_it_is_and_by_its_folded_form_where_that_is_another():
    call = calls.concepts.unknown(["apple"])
    statement, parameters = made(call._replace(wanted=[folded("", ["apples"])]))
    assert statement.startswith(
        "UNWIND $p0 AS v"
        " OPTIONAL MATCH (n0:Concept {name: v}) WHERE (n0.user_id IS NULL OR n0.user_id = '')"
        " OPTIONAL MATCH (n1:Concept {folded_name: v})"
        " WHERE (n1.user_id IS NULL OR n1.user_id = '')"
        " WITH collect(DISTINCT n0) + collect(DISTINCT n1) AS found CALL conceptgraph.unknown("
    )
    assert "apples" in parameters["p0"]


def test_a_call_without_a_look_up_hands_over_no_nodes():
    statement, parameters = made(EVERY["stats"])
    assert statement == (
        "CALL conceptgraph.stats({now_ms: $now_ms, tau_ms: $tau_ms, date: $date, answers: {}})"
        " YIELD measure, kind, value RETURN collect([measure, kind, value]) AS rows"
    )
    assert parameters == CONTEXT


def test_a_call_without_a_context_has_no_arguments():
    statement, parameters = pulling.calling(calls.transfer.version(), {}, {})
    assert (
        statement == "CALL conceptgraph.version() YIELD version RETURN collect([version]) AS rows"
    )
    assert parameters == {}


def test_an_episode_looks_up_what_follows_its_base():
    [numbered, *_] = new_episode(SHARED, "20250615/apple", "Ate it", ["en"])
    statement, parameters = write_lookup(numbered)
    first, beyond = parameters["p0"], parameters["p1"]
    assert (first, beyond) == ("20250615/apple-", "20250615/apple.")
    for label in schema.LABELS:
        assert f"MATCH (n:{label}) WHERE n.name >= $p0 AND n.name < $p1" in statement
    # "-2" and the like are within the range, a longer name of another concept is not.
    for name, within in (("-2", True), ("-10", True), ("-x", True), ("s", False), ("", False)):
        inside = first <= f"20250615/apple{name}" < beyond
        assert inside is within


def test_a_search_gives_its_keywords_folded():
    _, parameters = whole(EVERY["concept_search"])
    assert ["app", "fru"] in parameters.values()
    assert parameters["a0"] == ["App", "FRU"]


def test_a_search_without_keywords_scans_no_names():
    statement, _ = whole(calls.concepts.concept_search([], 10))
    assert "CONTAINS" not in statement
    assert "ORDER BY rank DESC" in statement


@pytest.mark.parametrize("call", EVERY.values(), ids=EVERY)
def test_the_parameters_of_a_call_are_those_that_its_statements_name(call):
    for text, own in statements(call):
        assert placeholders(text) - CONTEXT.keys() == own.keys() - CONTEXT.keys()


def placeholders(text: str) -> set[str]:
    return set(re.findall(r"\$(\w+)", text))


def test_what_takes_long_to_say_is_looked_up_in_a_statement_that_calls_no_procedure():
    (looking_up, _), (calling, parameters) = statements(EVERY["concept_search"])
    name = key(EVERY["concept_search"].wanted[0])
    assert not re.search(r"\bCALL \w", looking_up)
    assert looking_up.endswith(" RETURN [n IN found | id(n)] AS found")
    assert calling == (
        "CALL conceptgraph.concept_search($a0, $a1, {now_ms: $now_ms, tau_ms: $tau_ms,"
        f" date: $date, concepts: $concepts, answers: {{{name}: {{found: $found}}}}}})"
        " YIELD concept, arousal, matched RETURN collect([concept, arousal, matched]) AS rows"
    )
    given = {"a0": ["App", "FRU"], "a1": 10, "concepts": "shared", "found": []}
    assert parameters == {**given, **CONTEXT}


def test_a_search_scans_the_shared_names_and_names_no_keyword_in_its_text():
    for asked in (EVERY["concept_search"].wanted[0], similar(SHARED, ["app", "fru"])):
        looking_up, given = write_lookup(asked)
        assert looking_up.count("n.name IS NOT NULL AND (n.user_id IS NULL") >= 2
        assert "squeezed CONTAINS k" in looking_up or "both CONTAINS k" in looking_up
        assert "app" not in looking_up
        assert ["app", "fru"] in given.values()


def test_what_leads_to_the_words_of_a_question_never_leaves_the_database():
    (looking_up, _), (calling, _) = statements(EVERY["associate"])
    assert looking_up.endswith(" RETURN [n IN found | id(n)] AS found, degrees, read")
    assert calling.startswith("UNWIND $read AS i MATCH (n) WHERE id(n) = i MATCH (n)<-[e:")
    assert "{found: $found, degrees: $degrees, incoming: incoming}" in calling


@pytest.mark.parametrize("call", EVERY.values(), ids=EVERY)
def test_only_returning_follows_the_procedure(call):
    statement, _ = whole(call)
    after = statement.partition(f"CALL {call.procedure.name}(")[2]
    assert after
    assert not re.search(r"\b(MATCH|MERGE|CREATE|SET|DELETE|WITH|UNWIND)\b", after)
    assert not re.search(r"\b(MERGE|CREATE|SET|DELETE)\b", statement)


def test_nothing_that_a_caller_says_is_in_the_text_of_a_statement():
    for call in (
        calls.concepts.concept_upsert(NASTY),
        calls.concepts.update_affect(NASTY, 0.5),
        calls.concepts.episode_add(NASTY, [NASTY]),
        calls.concepts.relation_add(NASTY, "fruit", NASTY),
        calls.concepts.concept_search([NASTY]),
        calls.concepts.recall([NASTY]),
        calls.concepts.recall_query([NASTY]),
        calls.transfer.import_rows([{"kind": NASTY, "name": NASTY}]),
        calls.concepts.rename(NASTY, NASTY + "2", False),
    ):
        assert "DETACH" not in whole(call)[0]


def test_the_parameters_of_an_argument_and_of_the_context_do_not_collide():
    procedure = calls.Procedure("m.p", ("x",), writes=False)
    call = calls.Call(procedure, (1, 2))
    _, parameters = pulling.calling(call, {"a": 3, "now_ms": 4}, {})
    assert parameters == {"a0": 1, "a1": 2, "a": 3, "now_ms": 4}


def test_an_export_asks_for_nodes_and_then_relations_a_batch_of_each_label_at_a_time():
    labels = [re.findall(r":(\w+)\)", text)[0] for text, _ in store.select_exported()]
    assert {*labels} >= {"Concept", "Episode", "Memory", "Embedding", "Entity", "Fact"}
    asked = list(store.write_export([[5, 3, 4], [], [9]], batch=2))
    # One text, whose calls take many nodes each.
    [text] = {text for text, _ in asked}
    assert text.startswith("CALL conceptgraph.export($part, {found: $ids}) YIELD record")
    batches = [[3, 4], [5], [9]]
    assert [given["ids"] for _, given in asked] == batches * 2
    assert [given["part"] for _, given in asked] == ["nodes"] * 3 + ["relations"] * 3


@pytest.mark.parametrize("call", EVERY.values(), ids=EVERY)
def test_a_memgraph_parses_every_statement(call, empty_memgraph):
    import neo4j

    with neo4j.GraphDatabase.driver(empty_memgraph) as driver, driver.session() as session:
        for statement, parameters in statements(call):
            assert session.run(f"EXPLAIN {statement}", {**LOOKED_UP, **parameters}).values()


async def open_and_close(uri: str) -> None:
    """Make the indexes in the Memgraph at *uri*."""
    store = BoltStore(uri, "", "")
    await store.open()
    await store.close()


@pytest.mark.parametrize("call", EVERY.values(), ids=EVERY)
def test_no_look_up_goes_through_the_nodes_of_others(call, empty_memgraph):
    import neo4j

    anyio.run(open_and_close, empty_memgraph)
    with neo4j.GraphDatabase.driver(empty_memgraph) as driver, driver.session() as session:
        session.run("UNWIND range(1, 100) AS i CREATE (:Other)").consume()
        for statement, parameters in statements(call):
            plan = session.run(f"EXPLAIN {statement}", {**LOOKED_UP, **parameters}).values()
            assert not [line for (line,) in plan if "ScanAll (" in line]


def test_the_latest_are_read_by_their_index_where_another_has_fewer_entries(empty_memgraph):
    import neo4j

    with neo4j.GraphDatabase.driver(empty_memgraph) as driver, driver.session() as session:
        for properties in ("id", "user_id, state, latest, id"):
            session.run(f"CREATE INDEX ON :Memory({properties})").consume()
        session.run("CREATE (:Memory {id: 'a', user_id: 'ann', state: 'active', latest: 0})")
        for latest in range(20):
            session.run("MATCH (n:Memory) SET n.latest = $latest", latest=latest).consume()
        statement, parameters = statements(calls.memories.recent("ann"))[0]
        plan = [line for (line, *_) in session.run(f"EXPLAIN {statement}", parameters).values()]
    scans = [line for line in plan if "Scan" in line]
    # Any index that begins with the user and the state counts; only `latest` has the order.
    assert all("{user_id, state, " in line for line in scans), scans
    assert sum("{user_id, state, latest, id}" in line for line in scans) >= 3
    assert not [line for line in plan if "OrderBy" in line]
