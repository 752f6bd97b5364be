"""Measure how many stored answers one `recall` returns, and how much else comes with them.

The lives, pairs, typos and long notes in this folder were written before their author saw the
ranking. Never tune on them.
"""

import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import anyio
import click
from rich import box
from rich.console import Console
from rich.progress import track
from rich.table import Column, Table

from ..harness import machine
from .asking import HAS_ALSO, Tally, average, measure, middle, opened
from .precision import beliefs
from .sets import Set, conversations, sets

_HEADS = (
    *("", "", "answered", "after `also`", "letters swapped", "precision", "recall"),
    *("false silence", "right silence", "tokens: median, 95 %", "unanswerable: tokens"),
)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("folders", nargs=-1, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    *("--public", "public"),
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The folder `fixtures` of a copy of PrecisionMemBench.",
)
@click.option(
    *("--embeddings", "models"),
    multiple=True,
    default=("none", "auto"),
    help="As in CONCEPT_GRAPH_EMBEDDINGS; by default none and auto.",
)
@click.option("--only", multiple=True, metavar="SET", help="Measure only this set.")
@click.option("--show", is_flag=True, help="Print the missed questions of tuning sets.")
def main(
    folders: tuple[Path, ...],
    public: Path | None,
    models: tuple[str, ...],
    only: tuple[str, ...],
    show: bool,
) -> None:
    """Measure the sets in this folder, and FOLDERS of conversations, in one table.

    The converters of `benchmarks.retrieval` write such folders. Pass tuning parts.
    """
    every = [*sets(), *map(conversations, folders)]
    every += [] if public is None else [Set("PrecisionMemBench", beliefs(public))]
    every = [one for one in every if not only or one.name in only]
    console = Console()
    console.width = max(console.width, 200)
    table = Table(*(Column(head, no_wrap=True) for head in _HEADS), box=box.MARKDOWN)
    groups: dict[tuple[str, str], Tally] = defaultdict(Tally)
    work = [(one, said) for one in every for said in models]
    for one, said in track(work, console=Console(stderr=True), transient=True):
        tally = anyio.run(_measured, one, said)
        table.add_row(one.name if said == models[0] else "", *_cells(said, tally))
        for group in _groups(one):
            groups[group, said] += tally
        for asked, text in tally.missed if show and one.is_tuned else ():
            console.print(f"{one.name}, {said}, missed: {asked}\n{text}", markup=False)
    for (group, said), tally in sorted(groups.items()):
        table.add_row(group, *_cells(said, tally))
    console.print(table)
    console.print(machine(quick=False), style="dim")


def _groups(one: Set) -> list[str]:
    """Return the groups of lives that a set counts to: of its kind, and of its languages."""
    return [
        f"all: {name}" for part in one.parts if part.kind for name in (part.kind, part.languages)
    ]


async def _measured(one: Set, embeddings: str) -> Tally:
    tally = Tally()
    for part in one.parts:
        with tempfile.TemporaryDirectory() as folder:
            async with opened(Path(folder), part, embeddings) as world:
                await measure(part, world, tally)
    return tally


def _cells(said: str, tally: Tally) -> Sequence[str]:
    return (
        "words" if said == "none" else said,
        f"{tally.answered} of {tally.asked}",
        f"{tally.with_also}" if tally.has_also and HAS_ALSO else "",
        f"{tally.swapped}",
        f"{average(tally.precision):.2f}",
        f"{average(tally.recall):.2f}",
        f"{tally.silent_where_answered}",
        f"{tally.silent} of {tally.remarks}" if tally.remarks else "",
        f"{middle(tally.tokens, 0.5):.0f}, {middle(tally.tokens, 0.95):.0f}",
        f"{middle(tally.unanswerable, 0.5):.0f}" if tally.unanswerable else "",
    )


if __name__ == "__main__":
    main()
