"""A number alone finds the texts that have it."""

from concept_graph_mcp import Memory


def test_a_number_alone_finds_the_text_that_has_it(tmp_path):
    with Memory.open(tmp_path / "memory.db", embeddings="none") as memory:
        for text in ("The key of the sounder is 88-1203", "The rent is 1450 euros", "Judo at 14"):
            memory.remember(text)
        assert "sounder" in memory.recall("88-1203")["text"]
        rent = memory.recall("1450")["text"]
        assert "rent" in rent
        assert "sounder" not in rent
        assert not memory.recall("14")["text"]
        assert not memory.recall("88-1450")["text"]
