"""What a recall reads and computes, counted: times depend on the machine."""

from collections import Counter

from concept_graph_mcp import Memory
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
