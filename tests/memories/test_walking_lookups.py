"""Look-ups that walk edges, as Memgraph is asked for them."""

from conceptgraph_core.graph.cypher.planning import finding
from conceptgraph_core.graph.primitives import Union
from conceptgraph_core.memories import lookups


def test_no_statement_has_the_walks_of_two_lookups():
    """Memgraph compares all their plans with one another, for seconds."""
    plan = finding(Union(tuple(lookups.of_any_id("x"))), True)
    texts = [text for text, _ in (plan.first, *plan.also)]
    assert [text for text in texts if "*BFS" in text] == texts[1:]
    assert not [text for text in texts[1:] if " AS f1" in text]
