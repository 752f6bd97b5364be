"""What is stored of an element is one map of JSON, in whatever layout, and nothing else."""

import pytest

from concept_graph_mcp.hosts.sqlite.cache import decode
from concept_graph_mcp.hosts.sqlite.opening import Unsound

PLAIN = '{"strength":0.5,"created_at":1750000000000}'


def test_a_map_in_any_layout_is_read_with_tuples_for_lists() -> None:
    assert decode(PLAIN) == {"strength": 0.5, "created_at": 1_750_000_000_000}
    assert decode(' {"tags": ["a", ["b"]], "by": {"a": [1]}} ') == {
        "tags": ("a", ("b",)),
        "by": {"a": (1,)},
    }


@pytest.mark.parametrize("stored", ["", "[]", "1", f"{PLAIN},{PLAIN}", '{"a":1', '"b":2}'])
def test_what_is_no_map_is_refused(stored: str) -> None:
    with pytest.raises(Unsound, match="a dict is not as it is stored"):
        decode(stored)
