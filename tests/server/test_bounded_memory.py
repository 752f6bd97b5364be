"""A server keeps a bounded number of entries in memory between calls."""

import functools
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from concept_graph_mcp import Memory
from concept_graph_mcp.hosts.sqlite import cache
from conceptgraph_core.texts.words.terms import terms

OURS = ("conceptgraph_core", "concept_graph_mcp")
NAMES = ("Anna", "Bruno", "Clara", "David")
# More long texts than are remembered.
TEXTS = 300


@pytest.fixture
def memory(tmp_path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "memory.db", zone="UTC", embeddings="none") as opened:
        yield opened


def use(memory: Memory, first: int, count: int) -> None:
    """Ask and store what nobody asked or stored before."""
    for number in range(first, first + count):
        name = NAMES[number % len(NAMES)]
        made = memory.remember(f"{name} said word{number} of boat{number} at the harbour")
        memory.recall(f"What did {name} say of word{number} and thing{number}?")
        memory.search(f"boat{number} or ship{number}")
        memory.about(name)
        if number % 2:
            memory.forget(made["id"])


def kept() -> dict[str, int]:
    """Return the sizes of all caches without a bound, and of all containers of our modules."""
    sizes: dict[str, int] = {}
    modules = [one for name, one in [*sys.modules.items()] if name.startswith(OURS)]
    for module in modules:
        for name, value in [*vars(module).items()]:
            if isinstance(value, functools._lru_cache_wrapper):
                size = value.cache_info().currsize if value.cache_info().maxsize is None else 0
            elif isinstance(value, (dict, list, set)):
                size = len(value)
            else:
                continue
            sizes[f"{module.__name__}.{name}"] = size
    return sizes


@pytest.mark.slow
def test_no_cache_and_no_list_of_a_module_grows_with_the_calls(memory):
    use(memory, 0, 40)
    before = kept()
    catalogue = {
        name: len(one) for name, one in vars(host(memory)._catalogue).items() if sized(one)
    }
    use(memory, 40, 60)
    after = kept()
    assert {name: size for name, size in after.items() if size != before.get(name, size)} == {}
    for name, size in catalogue.items():
        assert len(getattr(host(memory)._catalogue, name)) == size, name


@pytest.mark.slow
def test_elements_are_let_go_of_beyond_the_bound(memory, monkeypatch):
    use(memory, 0, 10)
    most = 500_000
    monkeypatch.setattr(cache, "MAX_BYTES", most)
    for first in range(10, 60, 10):
        use(memory, first, 10)
        kept = host(memory)._cache
        assert kept.bytes <= most
        # An element is reckoned at no less than its own objects.
        assert len(kept.vertices) * 200 + len(kept.edges) * 350 <= 2 * most


def test_the_terms_of_few_long_texts_are_remembered():
    for number in range(TEXTS):
        terms(f"word{number} " * 150)
    remembered = terms.__globals__["_remembered_long"].cache_info()
    assert remembered.currsize == remembered.maxsize == 256


def sized(one: Any) -> bool:
    return isinstance(one, (dict, list, set))


def host(memory: Memory) -> Any:
    """Return what keeps the elements of the store of *memory*."""
    return memory._memory._opened.session.store._made._host  # type: ignore[union-attr]
