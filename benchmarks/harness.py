"""Time two sides in turn, and print the table of the results: shared by all benchmarks."""

import gc
import os
import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter

from rich.table import Table


@dataclass(frozen=True, slots=True)
class Setup:
    """The setting of a benchmark: a folder of its own, perhaps a Memgraph, and its length."""

    folder: Path
    memgraph: str | None
    quick: bool
    log: Callable[[str], None]

    def times(self, count: int) -> int:
        """Return how often to repeat what is repeated *count* times in a full run."""
        return max(5, count // 5) if self.quick else count


@dataclass(frozen=True, slots=True)
class Figure:
    """One row: what was measured, what it is compared with, and what it should be.

    *aim* is words; where the measured side should be the slower one, it says "≥".
    """

    what: str
    measured: float
    against: str = ""
    compared: float | None = None
    aim: str = ""
    unit: str = "ms"


def interleaved(
    sides: Sequence[Callable[[], object]], repetitions: int, warm_up: int = 3
) -> list[float]:
    """Return the median milliseconds of each side, taken in turn so that noise hits all alike."""
    for _ in range(warm_up):
        for side in sides:
            side()
    taken: list[list[float]] = [[] for _ in sides]
    for _ in range(repetitions):
        for side, times in zip(sides, taken, strict=True):
            gc.collect(0)
            start = perf_counter()
            side()
            times.append(perf_counter() - start)
    return [median(times) * 1_000 for times in taken]


def table(figures: Mapping[str, Sequence[Figure]]) -> Table:
    made = Table(box=None, pad_edge=False, header_style="bold", show_edge=False)
    for title in ("", "what", "measured", "compared with", "", "ratio", "aim"):
        right = title in ("measured", "ratio") or len(made.columns) == 4
        made.add_column(title, justify="right" if right else "left")
    for name, rows in figures.items():
        for count, row in enumerate(rows):
            compared = "" if row.compared is None else _shown(row.compared, row.unit)
            ratio = "" if not row.compared else f"{row.measured / row.compared:.2f}"
            made.add_row(
                name if count == 0 else "",
                row.what,
                _shown(row.measured, row.unit),
                row.against,
                compared,
                ratio,
                row.aim,
                end_section=count == len(rows) - 1,
            )
        made.add_row()
    return made


def machine(quick: bool) -> str:
    """Return a line on what it ran on."""
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    return (
        f"{os.cpu_count()} cores, {platform.machine()}, {platform.system()} {platform.release()}, "
        f"Python {platform.python_version()}, load {load}{', --quick' if quick else ''}"
    )


def _shown(value: float, unit: str) -> str:
    digits = 0 if value >= 100 else 1 if value >= 10 else 2 if value >= 0.1 else 3
    return f"{value:,.{digits}f} {unit}"
