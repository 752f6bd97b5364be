"""Calls by hand in Lab look up by index what they read, and see what their transaction wrote."""

import pytest

from concept_graph_mcp import calls
from conceptgraph_core.verbs import limits

TEXT = "Lena is allergic to hazelnuts"


@pytest.fixture
def lab(hands, host):
    if host == "embedded":
        pytest.skip("embedded, nobody writes Cypher")
    return hands


@pytest.fixture
def large(lab, memory):
    """A person's hands in a graph that no bare call may read as a whole."""
    memory.relation_add("apple", "fruit", "is-a")
    memory.concept_upsert("pear")
    lab.value(
        "UNWIND range(0, $most) AS i CREATE (n:Other {number: i}) RETURN count(n)",
        most=limits.MAX_SCANNED,
    )
    yield lab
    lab.value("MATCH (n:Other) DELETE n RETURN count(n)")


def test_a_call_by_hand_reads_no_more_in_a_large_graph(large, memory):
    run = large.value
    assert run("CALL conceptgraph.version() YIELD look_ups RETURN look_ups") == "by index"
    one = "CALL conceptgraph.recall(['apple'], 2) YIELD text RETURN text"
    assert run(one) == "apple is-a fruit"
    assert run("CALL conceptgraph.unknown(['aple']) YIELD similar RETURN similar") == []
    assert run("CALL conceptgraph.concept_search(['pea']) YIELD concept RETURN collect(concept)")
    kept = f"CALL everyday.remember('{TEXT}', ['Lena'], 'years') YIELD id RETURN id"
    memory_id = run(kept)
    assert run(kept) == memory_id
    got = "CALL memorygraph.get($id) YIELD content RETURN content"
    assert run(got, id=memory_id) == TEXT
    asked = "CALL everyday.recall('What is Lena allergic to?') YIELD text RETURN text"
    assert TEXT in run(asked)
    assert TEXT in run(asked.replace("recall", "peek"))
    entity = run("CALL entitygraph.search('Lena') YIELD entity_id RETURN entity_id")
    got = "CALL entitygraph.get($id) YIELD names RETURN count(names)"
    assert run(got.replace("names", "entity_id"), id=entity) == 1
    with pytest.raises(Exception, match="without found this call reads all nodes"):
        run("CALL conceptgraph.recall(['apple'], 2, 10, {found: null}) YIELD text RETURN text")


def test_a_call_by_hand_answers_as_the_shell(lab, memory):
    memory.relation_add("apple", "fruit", "is-a")
    memory.episode_add("Bought apples", ["apple", "market"])
    context = {"now_ms": memory.now_ms, "user_id": "lena"}
    kept = calls.everyday.remember("lena", TEXT, ["Lena"])
    memory.run(kept)
    for call in (
        calls.concepts.peek(["apple"]),
        calls.concepts.unknown(["aple", "apple"]),
        calls.concepts.concept_search(["app"], 5),
        calls.concepts.associate("Where were the apples bought?"),
        calls.everyday.search("lena", "hazelnuts"),
        calls.everyday.about("lena", "Lena"),
        calls.memories.search("lena", "allergic"),
        calls.memories.recent("lena"),
        calls.entities.search("Lena", user_id="lena"),
    ):
        own = "own" if call.procedure.name.startswith("everyday") else "shared"
        given = [*call.arguments, {**context, "concepts": own}]
        fields = ", ".join(f"{name}: {name}" for name in call.procedure.fields)
        rows = lab.value(
            f"CALL {call.procedure.name}({', '.join(f'$a[{n}]' for n in range(len(given)))})"
            f" YIELD {', '.join(call.procedure.fields)} RETURN collect({{{fields}}})",
            a=given,
        )
        said = call._replace(context={**call.context, "user_id": "lena"})
        assert rows == memory.run(said), call.procedure.name


def runner(transaction):
    return lambda text: transaction.run(text).single(strict=True).value()


def test_each_row_of_a_statement_sees_what_the_rows_before_it_made(lab):
    made = "CALL conceptgraph.concept_upsert(name) YIELD created RETURN collect(created)"
    given = {"names": ["apple", "apple", "pear", "apple"]}
    assert lab.value(f"UNWIND $names AS name {made}", **given) == [True, False, True, False]
    kept = "CALL everyday.remember(text, ['Lena']) YIELD existing RETURN collect(existing)"
    assert lab.value(f"UNWIND $texts AS text {kept}", texts=[TEXT, TEXT]) == [False, True]


def test_a_call_sees_what_its_transaction_wrote_before(lab, memory):
    memory.concept_upsert("pear")
    relate = "CALL conceptgraph.relation_add('apple', 'fruit', 'is-a') YIELD weight RETURN weight"
    recall = "CALL conceptgraph.peek(['apple', 'quince']) YIELD text RETURN collect(text)"
    quince = "MERGE (c:Concept {name: 'quince'})"
    with lab.transaction() as transaction:
        run = runner(transaction)
        run("CREATE (c:Concept {name: 'apple'}) RETURN c.name")
        assert run(relate) == 0.25
        assert run(relate) > 0.25
        assert run(recall) == ["apple is-a fruit"]
        transaction.commit()
    assert lab.value("MATCH (c:Concept {name: 'apple'}) RETURN count(c)") == 1
    unknown = "CALL conceptgraph.unknown(['quince']) YIELD seed RETURN count(seed)"
    assert lab.value(f"{quince} WITH c {unknown}") == 0
    gone = "MATCH (c:Concept {name: 'pear'}) DETACH DELETE c RETURN 1"
    with lab.transaction() as transaction:
        run = runner(transaction)
        run(gone)
        assert run("CALL conceptgraph.concept_upsert('pear') YIELD created RETURN created")


def test_words_of_cypher_in_a_text_are_no_writing(large):
    said = "CALL everyday.peek(\"How do I set, create and 'delete' it?\") YIELD total RETURN 1"
    assert large.value(said.replace("total", "text")) == 1


@pytest.mark.parametrize("limit", ["PROCEDURE MEMORY LIMIT 100 KB", "PROCEDURE MEMORY LIMIT 1 MB"])
def test_a_memory_limit_leaves_a_server_that_runs(lab, memory, limit):
    memory.relation_add("apple", "fruit", "is-a")
    for _ in range(200):
        try:
            lab.value(f"CALL conceptgraph.peek(['apple']) {limit} YIELD text RETURN text")
        except Exception as error:  # noqa: BLE001 (the driver's)
            assert "emory" in str(error) or "Python exception" in str(error)  # noqa: PT017
    assert lab.value("RETURN 1") == 1


BY_ID = "MATCH (n:Memory {id: $id}) WITH collect(n) AS found"
BY_NAME = 'MATCH (n:Concept {user_id: "", name: "apple"}) WITH collect(n) AS found'
BY_WORDS = (
    'MATCH (n:Corpus {scope: "default"}) WITH collect(n) AS corpus'
    ' UNWIND ["allerg", "hazeln"] AS word MATCH (n:Term {scope: "default"})'
    " WHERE n.name STARTS WITH word WITH corpus + collect(n) AS found"
)
BY_HAND = (
    (BY_NAME, "conceptgraph.recall(['apple'], 2, 10, ", "text", "apple is-a fruit"),
    (BY_ID, "memorygraph.get($id, ", "content", TEXT),
    (BY_WORDS, "memorygraph.search('hazelnuts', 10, null, [], [], [], [], null, ", "text", TEXT),
    (BY_WORDS, "everyday.recall('What is Lena allergic to?', null, 1200, [], null, ", "text", TEXT),
)


@pytest.mark.parametrize(("found", "call", "field", "wanted"), BY_HAND)
def test_a_later_statement_of_a_transaction_can_look_up_itself(large, found, call, field, wanted):
    kept = f"CALL everyday.remember('{TEXT}', ['Lena'], 'years') YIELD id RETURN id"
    memory_id = large.value(kept)

    def after_a_write(statement):
        with large.transaction() as transaction:
            transaction.run("CREATE (o:Other {number: -1})").consume()
            return transaction.run(statement, id=memory_id).single(strict=True).value()

    with pytest.raises(Exception, match="CONCEPT_GRAPH_MOST_SCANNED"):
        after_a_write(f"CALL {call}{{}}) YIELD {field} RETURN {field}")
    given = f"CALL {call}{{found: found}}) YIELD {field} RETURN {field}"
    assert wanted in after_a_write(f"{found} {given}")
