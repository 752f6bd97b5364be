"""Ada's memory on each host."""

from collections.abc import Iterator

import pytest

from concept_graph_mcp import Memory


@pytest.fixture
def memory(place: str) -> Iterator[Memory]:
    with Memory.open(place, "ada", zone="UTC") as opened:
        yield opened
