"""Measure one conversation by the baselines, and by the product in every way."""

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import cache, partial

from benchmarks.stores import Caller
from concept_graph_mcp.calls.call import spoken

from .by_meaning import ByMeaning, Model, model
from .finders import BASELINES, FINDERS
from .folder import Memory, Message
from .in_memory import InMemory
from .in_store import FILE, Grouped, Ingested, emptied
from .measures import Shares, found_by, found_in

WORDS = "words"
GROUPS = "words, groups"

Opening = Callable[[], AbstractContextManager[Caller]]
Figures = Mapping[str, Sequence[Shares]]
"""The shares of each question, by the baselines and in each way."""


@contextmanager
def opening(store: str | None) -> Iterator[Opening]:
    """Yield what opens *store*, or a new file if there is none, with nothing in it."""
    with tempfile.TemporaryDirectory() as made:
        yield partial(emptied, store or f"{FILE}{made}/memories.db")


def measured(models: Mapping[str, Model], opened: Opening, memory: Memory) -> Figures:
    """Return the figures of *memory*, with vectors by each of *models* too."""
    index = InMemory(memory.messages, spoken())
    shares = {name: list(found_by(FINDERS[name], memory, index)) for name in BASELINES}
    ways: dict[str, Callable[[Caller, Sequence[Message]], Ingested]] = {
        WORDS: Ingested,
        GROUPS: Grouped,
        **{said: partial(ByMeaning, by=by) for said, by in models.items()},
    }
    for name, made in ways.items():
        with opened() as store:
            kept = made(store, memory.messages)
            # Without groups the same is found as by words.
            same = name == GROUPS and not kept.has_groups
            shares[name] = shares[WORDS] if same else list(found_in(kept, memory))
    return shares


def measured_alone(embeddings: Sequence[str], memory: Memory) -> Figures:
    """Return the same in a process of its own, which opens each model once."""
    with opening(None) as opened:
        return measured(_models(embeddings)[1], opened, memory)


@cache
def _models(embeddings: Sequence[str]) -> tuple[ExitStack, Mapping[str, Model]]:
    """Open the models; they are open as long as the returned stack is."""
    stack = ExitStack()
    return stack, {said: stack.enter_context(model(said)) for said in embeddings}
