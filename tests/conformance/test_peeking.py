"""What only reads answers as what counts accesses does, and leaves everything as it is."""

from test_memory_ingest import ingest, message

from concept_graph_mcp import calls


def test_what_peeks_returns_the_same_and_changes_nothing(memory):
    memory.relation_add("apple", "fruit", "is-a")
    memory.episode_add("Bought apples", ["apple", "market"])
    ingest(memory, message(1, "Daniele prefers tea"), message(2, "Daniele likes apples"))
    memory.now_ms += 1_000_000
    for call in (
        calls.concepts.recall_query(["apple", "frut"], 2, 10, True),
        calls.memories.get("t1"),
        calls.memories.context("default", "What does Daniele prefer?"),
    ):
        before = memory.records()
        peek = call._replace(procedure=call.procedure.peek())
        peeked = memory.run(peek)
        assert memory.records() == before
        assert memory.run(peek) == peeked
        [answer], [counted] = peeked, memory.run(call)
        changing = {"access_count", "accessed_at", "decay_score"}
        assert {key: answer[key] for key in answer if key not in changing} == {
            key: counted[key] for key in counted if key not in changing
        }
        assert memory.records() != before
