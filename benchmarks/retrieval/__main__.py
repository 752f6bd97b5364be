"""Measure how well and how fast the messages that answer a question are found."""

from collections.abc import Iterable
from pathlib import Path
from statistics import mean

import click
from rich.console import Console
from rich.table import Column, Table

from benchmarks.harness import machine

from .cost import cost
from .finders import FINDERS
from .folder import Memory, read
from .in_memory import InMemory
from .measures import DEPTHS, interval, recalls

_SIZES = (6_000, 100_000)
_FORMULA = "associate"


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument(
    "folders",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
)
@click.option("--cost", "with_cost", is_flag=True, help="Also the time, at 6,000 and 100,000.")
def main(folders: Iterable[Path], with_cost: bool) -> None:
    """Measure FOLDERS, each with messages.jsonl and queries.jsonl."""
    console = Console()
    console.width = max(console.width, 130)
    for folder in folders:
        memories = read(folder)
        console.print(_quality(folder.name, memories))
        if with_cost:
            console.print(_cost(memories))
            console.print(machine(quick=False), style="dim")


def _quality(name: str, memories: list[Memory]) -> Table:
    indexes = {memory.name: InMemory(memory.messages) for memory in memories}
    messages = sum(len(memory.messages) for memory in memories)
    found = {label: recalls(finder, memories, indexes) for label, finder in FINDERS.items()}
    ours = found[_FORMULA]
    title = f"{name}: {len(ours)} questions about {messages} messages; recall in %, 95 % interval"
    heads = ["", *(f"@{depth}" for depth in DEPTHS), *_against()]
    table = Table(*(Column(head, no_wrap=True) for head in heads), title=title)
    for label, shares in found.items():
        cells = [_of([share[n] for share in shares]) for n in range(len(DEPTHS))]
        differences = [
            _of([mine[n] - other[n] for mine, other in zip(ours, shares, strict=True)], "+")
            for n in range(len(DEPTHS))
        ]
        table.add_row(label, *cells, *([] if label == _FORMULA else differences))
    return table


def _against() -> list[str]:
    return [f"{_FORMULA} @{depth}: more by" for depth in DEPTHS]


def _of(values: list[float], sign: str = "") -> str:
    low, high = interval(values)
    return f"{100 * mean(values):{sign}.1f} ({100 * low:{sign}.1f} … {100 * high:{sign}.1f})"


def _cost(memories: list[Memory]) -> Table:
    table = Table("messages", "ms a message", *(f"{name}, ms" for name in FINDERS))
    for size in _SIZES:
        measured = cost(memories, size)
        cells = [
            f"median {middle:.2f}, p95 {most:.2f}" for middle, most in measured.question.values()
        ]
        table.add_row(f"{size:,}", f"{measured.message:.3f}", *cells)
    return table


if __name__ == "__main__":
    main()
