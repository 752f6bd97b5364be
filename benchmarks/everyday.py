"""Measure a `recall` of all layers: 100,000 memories, 10,000 entities, 10,000 concepts.

With --quick a tenth of each. A memory has a dozen words, drawn as words are, and names an entity
and a concept; a concept has four relations, half of them with a few that many have. A message has
three words and names one entity and one concept. Each is asked once, so that nothing is warm of it
but what all share. It is compared with `memory_context` of the same messages and budget, which
looks at memories alone.
"""

import random
from collections.abc import Iterator, Sequence
from statistics import median, quantiles
from time import perf_counter, process_time
from typing import Any, Final

from concept_graph_mcp import calls
from concept_graph_mcp.calls import Call
from conceptgraph_core.everyday.schema import DEFAULT_BUDGET

from . import entities, memories
from .harness import Figure, Setup
from .stores import Bolt, Caller, Embedded, batches, empty_memgraph

USER: Final = "default"
RELATIONS: Final = 4
_AIMS: Final = {"embedded": "< 40 ms", "Memgraph": "< 60 ms"}
_TIMES: Final = 300


def run(setup: Setup) -> Iterator[Figure]:
    size = 10_000 if setup.quick else 100_000
    yield from _measured(setup, Embedded(setup.folder / "everyday.db"), "embedded", size)
    if setup.memgraph is not None:
        empty_memgraph(setup.memgraph)
        yield from _measured(setup, Bolt(setup.memgraph), "Memgraph", size)


def _measured(setup: Setup, store: Caller, host: str, size: int) -> Iterator[Figure]:
    setup.log(f"{host}: keeping {size:,} memories")
    for rows in batches(records(size), 1_000):
        store.run(calls.transfer.import_rows(list(rows)))
    setup.log(f"{host}: recalling")
    asked = list(messages(size, setup.times(_TIMES)))
    before = process_time()
    ours = _taken(store, [calls.everyday.recall(USER, one, concept_scope="") for one in asked])
    between = process_time()
    theirs = _taken(store, [calls.memories.context(USER, one, DEFAULT_BUDGET) for one in asked])
    used = [(one / len(asked)) * 1e3 for one in (between - before, process_time() - between)]
    store.close()
    for what, of in (("median", median), ("95th percentile", _p95)):
        aim = _AIMS[host] if of is _p95 else ""
        yield Figure(
            f"recall, {host}, {size:,} memories, {what}",
            of(ours),
            "memory context",
            of(theirs),
            aim,
        )
    # Other programs on the machine lengthen it less. On Memgraph it is that of the client alone.
    what = f"recall, {host}, {size:,} memories, processor time"
    yield Figure(what, used[0], "memory context", used[1])


def _taken(store: Caller, asked: Sequence[Call]) -> list[float]:
    """Return the milliseconds of each call, the first few aside, which find nothing warm."""
    taken = []
    for call in asked:
        start = perf_counter()
        store.run(call)
        taken.append((perf_counter() - start) * 1e3)
    return taken[5:]


def _p95(taken: Sequence[float]) -> float:
    return quantiles(taken, n=20)[-1]


def records(size: int) -> Iterator[dict[str, Any]]:
    """Iterate over *size* memories and a tenth as many entities and concepts."""
    few, chance = size // 10, random.Random(1)
    yield from ({"kind": "concept", "name": _concept(number)} for number in range(few))
    for number in range(few):
        for step in range(RELATIONS):
            # Every second one goes to one of the few that many have.
            other = chance.randrange(few) if step % 2 else int(few ** chance.random())
            if other != number:
                ends = {"from": _concept(number), "to": _concept(other)}
                yield {"kind": "relation", **ends, "type": "evokes", "weight": 0.4}
    yield from entities.entities(few)
    for one in memories.records(size):
        names = f"{entities.label(chance.randrange(few))} {_concept(chance.randrange(few))}"
        yield one | {"content": f"{one['content']} {names}"}


def messages(size: int, times: int) -> Iterator[str]:
    """Iterate over what is asked: of other chances than what is kept."""
    few, chance = size // 10, random.Random(2)
    for _ in range(times):
        name, concept = entities.label(chance.randrange(few)), _concept(chance.randrange(few))
        yield f"Is {name} {memories.text(chance, 3)} or {concept}?"


def _concept(number: int) -> str:
    return f"k{number}"
