"""From starting the process to the handshake's answer and to the first tool's result."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter

from .harness import Figure, Setup
from .stdio import ECHO, MEMGRAPH, Server, embedded


def run(setup: Setup) -> Iterator[Figure]:
    cache = setup.folder / "cache"
    upsert = ("concept_upsert", {"concept": "apple"})
    sides: dict[str, tuple[Sequence[str], tuple[str, Mapping[str, str]], Mapping[str, str]]] = {
        "bare": (ECHO, ("echo", {"text": "apple"}), {}),
        "embedded": (embedded(setup.folder / "memory.db"), upsert, {}),
    }
    if setup.memgraph:
        sides["Memgraph"] = (MEMGRAPH, upsert, {"MEMGRAPH_URI": setup.memgraph})
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in sides}
    for _ in range(setup.times(20) + 2):
        for name, (command, call, environment) in sides.items():
            taken[name].append(_start(command, cache, environment, *call))
    shaken, answered = (
        {name: median(times[index] for times in all_times[2:]) for name, all_times in taken.items()}
        for index in (0, 1)
    )
    for name in [name for name in sides if name != "bare"]:
        against = "the SDK's echo"
        yield Figure(f"handshake, {name}", shaken[name], against, shaken["bare"])
        yield Figure(f"first result, {name}", answered[name], against, answered["bare"])


def _start(
    command: Sequence[str],
    cache: Path,
    environment: Mapping[str, str],
    tool: str,
    arguments: Mapping[str, str],
) -> tuple[float, float]:
    """Return the milliseconds until the handshake was answered, and until the call was."""
    start = perf_counter()
    with Server(command, cache, environment) as server:
        server.initialize()
        shaken = perf_counter() - start
        server.call(tool, **arguments)
        return shaken * 1_000, (perf_counter() - start) * 1_000
