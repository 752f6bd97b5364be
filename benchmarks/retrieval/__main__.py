"""Measure how well and how fast the messages that answer a question are found."""

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from pathlib import Path
from statistics import mean

import click
from rich import box
from rich.console import Console
from rich.progress import track
from rich.table import Column, Table

from benchmarks.harness import machine
from benchmarks.stores import Caller
from concept_graph_mcp.calls import text_lookups

from . import folder as folders_of
from .by_meaning import ByMeaning, Model, model
from .cost import cost
from .finders import BASELINES, FINDERS
from .folder import Memory, Message
from .in_memory import InMemory
from .in_store import FILE, IN_STORE, Grouped, Ingested, emptied
from .measures import Shares, found_by, found_in, interval
from .published import comparable
from .silence import REMARKS, silent

_SIZES = (6_000, 100_000)
_WORDS = "words"
_GROUPS = "words, groups"

Opening = Callable[[], AbstractContextManager[Caller]]
Ways = Mapping[str, Callable[[Caller, Sequence[Message]], Ingested]]


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
@click.option("--cost", "with_cost", is_flag=True, help="Also the time, at 6,000 and 100,000.")
def main(
    folders: Iterable[Path], embeddings: tuple[str, ...], store: str | None, with_cost: bool
) -> None:
    """Measure FOLDERS, each with messages.jsonl and queries.jsonl, in one table.

    Texts and questions are in the languages of CONCEPT_GRAPH_LANGUAGES, as for the server.
    """
    console = Console()
    console.width = max(console.width, 200)
    every = [(folders_of.source(folder), _questions(folder)) for folder in folders]
    with ExitStack() as stack:
        opening = stack.enter_context(_opening(store))
        models = {said: stack.enter_context(model(said)) for said in embeddings}
        ways = {
            _WORDS: Ingested,
            _GROUPS: Grouped,
            **{said: partial(ByMeaning, by=by) for said, by in models.items()},
        }
        heads = ("", "%", *BASELINES, *ways, "published")
        table = Table(*(Column(head, no_wrap=True) for head in heads), box=box.MARKDOWN)
        notes: list[str] = []
        for source, memories in every:
            shares = _measured(source, memories, ways, opening)
            _add(table, notes, source, memories, shares)
        if models:
            memories = [memory for _, some in every for memory in some]
            _add_silence(table, memories, models, opening)
        console.print(table)
        for number, note in enumerate(notes, 1):
            console.print(f"{number}. {note}.", soft_wrap=True, highlight=False)
        for _, memories in every if with_cost else ():
            console.print(_cost(memories, opening if store else None))
            console.print(machine(quick=False), style="dim")


def _questions(folder: Path) -> list[Memory]:
    memories = folders_of.read(folder)
    if not any(memory.queries for memory in memories):
        raise click.UsageError(f"{folder}: has no questions")
    return memories


@contextmanager
def _opening(store: str | None) -> Iterator[Opening]:
    """Yield what opens *store*, or a new file if there is none, with nothing in it."""
    with tempfile.TemporaryDirectory() as made:
        yield partial(emptied, store or f"{FILE}{made}/memories.db")


def _measured(
    source: folders_of.Source, memories: Sequence[Memory], ways: Ways, opening: Opening
) -> dict[str, list[Shares]]:
    """Return the shares of each question, by the baselines and then by each of *ways*."""
    languages = text_lookups.spoken()
    shares: dict[str, list[Shares]] = {name: [] for name in (*BASELINES, *ways)}
    for memory in track(memories, str(source), console=Console(stderr=True), transient=True):
        index = InMemory(memory.messages, languages)
        for name in BASELINES:
            shares[name] += found_by(FINDERS[name], memory, index)
        for name, made in ways.items():
            with opening() as store:
                shares[name] += found_in(made(store, memory.messages), memory)
    return shares


def _add(
    table: Table,
    notes: list[str],
    source: folders_of.Source,
    memories: Sequence[Memory],
    shares: Mapping[str, list[Shares]],
) -> None:
    """Add the rows of a folder to *table*, and to *notes* what its figures may be compared with."""
    levels = {query.level for memory in memories for query in memory.queries}
    answers = "sessions" if levels == {"session"} else "turns"
    asked = shares[_WORDS]
    names = [str(source), f"{len(asked):,} questions, {answers}"]
    for figure in asked[0]:
        published = ""
        if (against := comparable(source, figure)) is not None:
            notes.append(against[1])
            published = f"{against[0]} ({len(notes)})"
        cells = [_of(one, figure, sure=name not in BASELINES) for name, one in shares.items()]
        table.add_row(names.pop(0) if names else "", figure, *cells, published)


def _add_silence(
    table: Table, memories: Sequence[Memory], models: Mapping[str, Model], opening: Opening
) -> None:
    counted = {name: list(silent(opening, memories, by)) for name, by in models.items()}
    remarks = len(REMARKS.read_text(encoding="utf-8").splitlines())
    for n, (size, _) in enumerate(next(iter(counted.values()))):
        name = f"{remarks} remarks that nothing answers" if n == 0 else ""
        cells = [f"{100 * shares[n][1]:.0f}" for shares in counted.values()]
        table.add_row(
            name, f"silent among {size:,}", *("" for _ in (*BASELINES, _WORDS, _GROUPS)), *cells, ""
        )


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
