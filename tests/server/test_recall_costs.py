"""Count what a recall reads and computes: times depend on the machine."""

from collections import Counter

from benchmarks.stores import NOW_MS, Embedded

from concept_graph_mcp import Memory, calls
from concept_graph_mcp.hosts.sqlite.database import Database
from conceptgraph_core.retrieval.scoring import Spread

NOTES = ("Clara is allergic to hazelnuts", "The boat is moored in Porto", "Milo has judo at six")


def test_the_words_of_a_text_are_compared_with_a_message_once(tmp_path, monkeypatch):
    compared = Counter[int]()
    covered = Spread.covered

    def counted(spread, place):
        compared[place] += 1
        return covered(spread, place)

    with Memory.open(tmp_path / "memory.db", embeddings="none") as memory:
        for note in NOTES:
            memory.remember(note)
        monkeypatch.setattr(Spread, "covered", counted)
        assert "Porto" in memory.recall("Is the boat of Clara in Porto?")["text"]
    # Whether it is an answer counts what was only heard in another way.
    assert 0 < max(compared.values()) <= 2


def memories(count):
    for number in range(count):
        yield {
            "kind": "memory",
            "id": f"m{number}",
            "user_id": "default",
            "content": f"{NOTES[number % len(NOTES)]}, says guest{number}",
            "created_at": NOW_MS - number,
            "accessed_at": NOW_MS - number,
            "embedding": [1.0, number / count],
        }


def test_a_recall_sends_no_more_statements_for_more_vectors_and_terms(tmp_path, monkeypatch):
    sent: list[str] = []
    execute = Database.execute

    def counted(database, statement, *given):
        sent.append(statement)
        return execute(database, statement, *given)

    def statements(count: int) -> int:
        path = tmp_path / f"{count}.db"
        store = Embedded(path)
        store.run(calls.embedding.choose("toy", 2, False))
        store.run(calls.transfer.import_rows(list(memories(count))))
        store.close()
        store = Embedded(path)
        sent.clear()
        call = calls.everyday.recall("default", "Who has judo?", embedded=("toy", (1.0, 0.5)))
        call = call._replace(context={**call.context, "chances": [0, 0]})
        [row] = store.run(call._replace(procedure=call.procedure.peek()))
        assert row["lines"]
        store.close()
        return len(sent)

    monkeypatch.setattr(Database, "execute", counted)
    counts = statements(20), statements(80)
    assert counts[1] <= counts[0] + 10, counts
