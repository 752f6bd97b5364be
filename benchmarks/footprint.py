"""Count the files and functions that one call steps through: a measure of how much to read.

Each call runs twice on a small store file, and the second time is counted, without imports and
first reads. `--files` lists the files. A checkout in PYTHONPATH is counted in place of this one.
"""

import asyncio
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from rich.console import Console

from concept_graph_mcp import answers, calls, settings
from concept_graph_mcp.hosts.sqlite.store import EmbeddedStore
from concept_graph_mcp.session import Clock, Session
from concept_graph_mcp.worker.along import JOBS
from concept_graph_mcp.worker.lease_runner import LeaseRunner
from conceptgraph_core.verbs import limits

from .stores import NOW_MS

_ROOTS = ("/conceptgraph_core/", "/concept_graph_mcp/")
_TEXTS = ("Clara plants hazelnuts", "Max lives in Turin", "Clara moved to Turin with Max")
_DAY_MS = 86_400_000


class Trace:
    """The files and the functions of this project that were entered, with how often."""

    def __init__(self) -> None:
        self.entered: Counter[tuple[str, str]] = Counter()

    def install(self) -> None:
        """Count from now on, also in the threads that begin later: a store file has one."""
        sys.setprofile(self._count)
        threading.setprofile(self._count)

    def _count(self, frame: Any, event: str, _: Any) -> None:
        if event == "call":
            code = frame.f_code
            if any(root in code.co_filename for root in _ROOTS):
                self.entered[code.co_filename, code.co_qualname] += 1

    def taken(self) -> Counter[tuple[str, str]]:
        """Return what was counted, and begin again."""
        taken, self.entered = self.entered, Counter()
        return taken


def files_of(entered: Counter[tuple[str, str]]) -> Counter[str]:
    """Return how often each file was entered."""
    found: Counter[str] = Counter()
    for (file, _), times in entered.items():
        root = next(root for root in _ROOTS if root in file)
        found[root[1:] + file.rpartition(root)[2]] += times
    return found


def operations(session: Session, path: Path) -> dict[str, Callable[[int], Awaitable[Any]]]:
    """Return what is counted, by name; each takes the number of its run."""

    async def night(_: int) -> None:
        runner = LeaseRunner(session, settings.read({"TZ": "UTC"}, str(path)))
        for job in JOBS:
            await runner.run(job)

    def recall(number: int) -> Awaitable[Any]:
        return answers.recall(session, f"Where does Max live now? {number}")

    def remember(number: int) -> Awaitable[Any]:
        return answers.remember(session, f"Clara ate {number} nuts", ["Clara"])

    def observe(number: int) -> Awaitable[Any]:
        said = f"Tom met Clara {number} times in Turin"
        return session.run(calls.entities.observe("s", f"m{number}", "user", said))

    return {"recall": recall, "remember": remember, "observe": observe, "night pass": night}


async def counted(path: Path) -> dict[str, Counter[tuple[str, str]]]:
    """Return what each operation stepped through on a new store at *path*."""
    trace = Trace()
    trace.install()
    store = EmbeddedStore(path)
    await store.open()
    clock = Clock(NOW_MS)
    session = Session(store, limits.DEFAULT_TAU_MS, ZoneInfo("UTC"), clock)
    for text in _TEXTS:
        await answers.remember(session, text, ["Clara"])
    found: dict[str, Counter[tuple[str, str]]] = {}
    for name, operation in operations(session, path).items():
        for number in range(2):
            clock.set(NOW_MS + (len(found) * 2 + number) * _DAY_MS)
            trace.taken()
            await operation(number)
            found[name] = trace.taken()
    await store.close()
    return found


def main() -> None:
    console = Console()
    with tempfile.TemporaryDirectory() as folder:
        counts = asyncio.run(counted(Path(folder) / "footprint.db"))
    for name, entered in counts.items():
        files = files_of(entered)
        steps = f"{len(entered)} functions, {entered.total():,} steps"
        console.print(f"{name}: {len(files)} files, {steps}")
        if "--files" in sys.argv:
            for file, times in files.most_common():
                console.print(f"  {times:6,}  {file}")


if __name__ == "__main__":
    main()
