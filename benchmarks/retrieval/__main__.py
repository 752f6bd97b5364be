"""Measure how well and how fast the messages that answer a question are found."""

import multiprocessing
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from statistics import mean

import click
from rich import box
from rich.console import Console
from rich.progress import track
from rich.table import Column, Table

from benchmarks.harness import machine

from . import folder as folders_of
from .by_meaning import model
from .cost import cost
from .finders import BASELINES, FINDERS
from .folder import Memory
from .in_every_way import GROUPS, WORDS, Figures, Opening, measured, measured_alone, opening
from .in_store import IN_STORE
from .measures import Shares, interval
from .published import comparable

_SIZES = (6_000, 100_000)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument(
    "folders",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
)
@click.option(
    "--embeddings",
    multiple=True,
    metavar="MODEL",
    help="Also with vectors by MODEL, as in CONCEPT_GRAPH_EMBEDDINGS.",
)
@click.option(
    "--store",
    metavar="URI",
    help="sqlite:///FILE, which is made and removed (the default), or bolt://…, which is emptied.",
)
@click.option("--jobs", default=1, metavar="N", help="Measure N conversations at a time.")
@click.option("--cost", "with_cost", is_flag=True, help="Also the time, at 6,000 and 100,000.")
def main(
    folders: Iterable[Path],
    embeddings: tuple[str, ...],
    store: str | None,
    jobs: int,
    with_cost: bool,
) -> None:
    """Measure FOLDERS, each with messages.jsonl and queries.jsonl, in one table.

    Texts and questions are in the languages of CONCEPT_GRAPH_LANGUAGES, as for the server.
    """
    console = Console()
    console.width = max(console.width, 200)
    every = [(folders_of.source(folder), _questions(folder)) for folder in folders]
    if jobs > 1 and store:
        raise click.UsageError("--jobs: a store has one conversation at a time; leave out --store")
    heads = ("", "%", *BASELINES, WORDS, GROUPS, *embeddings, "published")
    table = Table(*(Column(head, no_wrap=True) for head in heads), box=box.MARKDOWN)
    notes: list[str] = []
    with ExitStack() as stack:
        opened = stack.enter_context(opening(store))
        models = {said: stack.enter_context(model(said)) for said in embeddings}
        figures: Iterator[Figures]
        memories = [memory for _, some in every for memory in some]
        if jobs > 1:
            pool = stack.enter_context(multiprocessing.get_context("spawn").Pool(jobs))
            figures = pool.imap(partial(measured_alone, embeddings), memories)
        else:
            figures = map(partial(measured, models, opened), memories)
        followed = iter(
            track(figures, total=len(memories), console=Console(stderr=True), transient=True)
        )
        for source, some in every:
            _add(table, notes, source, some, _joined([next(followed) for _ in some]))
        console.print(table)
        for number, note in enumerate(notes, 1):
            console.print(f"{number}. {note}.", soft_wrap=True, highlight=False)
        for _, memories in every if with_cost else ():
            console.print(_cost(memories, opened if store else None))
            console.print(machine(quick=False), style="dim")


def _questions(folder: Path) -> list[Memory]:
    memories = folders_of.read(folder)
    if not any(memory.queries for memory in memories):
        raise click.UsageError(f"{folder}: has no questions")
    return memories


def _joined(every: Sequence[Figures]) -> Figures:
    return {name: [share for one in every for share in one[name]] for name in every[0]}


def _add(
    table: Table,
    notes: list[str],
    source: folders_of.Source,
    memories: Sequence[Memory],
    shares: Figures,
) -> None:
    """Add the rows of a folder to *table*, and to *notes* what its figures may be compared with."""
    levels = {query.level for memory in memories for query in memory.queries}
    answers = "sessions" if levels == {"session"} else "turns"
    asked = shares[WORDS]
    names = [str(source), f"{len(asked):,} questions, {answers}"]
    for figure in asked[0]:
        published = ""
        if (against := comparable(source, figure)) is not None:
            notes.append(against[1])
            published = f"{against[0]} ({len(notes)})"
        cells = [_of(one, figure, sure=name not in BASELINES) for name, one in shares.items()]
        table.add_row(names.pop(0) if names else "", figure, *cells, published)


def _of(shares: Sequence[Shares], figure: str, sure: bool) -> str:
    """Return the mean of *figure* in percent, if *sure* with its interval."""
    if figure not in shares[0]:
        return ""
    values = [one[figure] for one in shares]
    share = f"{100 * mean(values):.1f}"
    if not sure:
        return share
    low, high = interval(values)
    return f"{share} ({100 * low:.1f} … {100 * high:.1f})"


def _cost(memories: list[Memory], opening: Opening | None) -> Table:
    names = [*FINDERS, *([] if opening is None else IN_STORE)]
    own = [] if opening is None else [f"as {label}" for label in IN_STORE]
    table = Table("messages", "ms a message", *own, *(f"{name}, ms" for name in names))
    for size in _SIZES:
        measured = cost(memories, size, opening)
        taken = [f"{milliseconds:.3f}" for milliseconds in measured.in_store.values()]
        cells = [
            f"median {middle:.2f}, p95 {most:.2f}" for middle, most in measured.question.values()
        ]
        table.add_row(f"{size:,}", f"{measured.message:.3f}", *taken, *cells)
    return table


if __name__ == "__main__":
    main()
