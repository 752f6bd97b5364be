"""Measure how well and how fast the messages that answer a question are found."""

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from statistics import mean

import click
from rich.console import Console
from rich.table import Column, Table

from benchmarks.harness import machine
from concept_graph_mcp.calls import text_lookups

from .by_meaning import searched_by
from .cost import cost
from .finders import FINDERS, by_associate
from .folder import Memory, read
from .in_memory import InMemory
from .in_store import IN_STORE, emptied
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
@click.option(
    "--store",
    metavar="URI",
    help="Also in a store: sqlite:///FILE, which is made, or bolt://…, which is emptied.",
)
@click.option(
    "--embeddings",
    multiple=True,
    metavar="MODEL",
    help="Also with vectors by MODEL, as in CONCEPT_GRAPH_EMBEDDINGS; with --store.",
)
def main(
    folders: Iterable[Path], with_cost: bool, store: str | None, embeddings: tuple[str, ...]
) -> None:
    """Measure FOLDERS, each with messages.jsonl and queries.jsonl.

    Texts and questions are in the languages of CONCEPT_GRAPH_LANGUAGES, as for the server.
    """
    console = Console()
    console.width = max(console.width, 130)
    if embeddings and store is None:
        raise click.UsageError("--embeddings needs --store")
    with searched_by(embeddings):
        for folder in folders:
            memories = read(folder)
            console.print(_quality(folder.name, memories, store))
            if with_cost:
                console.print(_cost(memories, store))
                console.print(machine(quick=False), style="dim")


def _quality(name: str, memories: list[Memory], store: str | None) -> Table:
    languages = text_lookups.spoken()
    indexes = {memory.name: InMemory(memory.messages, languages) for memory in memories}
    messages = sum(len(memory.messages) for memory in memories)
    found = {label: recalls(finder, memories, indexes) for label, finder in FINDERS.items()}
    captions = []
    for label in IN_STORE if store is not None else ():
        found[label], same = _in_store(str(store), label, memories, indexes)
        captions.append(f"{label}: ranks as the dictionaries do: {same} of {len(found[label])}")
    caption = "\n".join(captions) or None
    ours = found[_FORMULA]
    title = f"{name}: {len(ours)} questions about {messages} messages; recall in %, 95 % interval"
    heads = ["", *(f"@{depth}" for depth in DEPTHS), *_against()]
    table = Table(*(Column(head, no_wrap=True) for head in heads), title=title, caption=caption)
    for label, shares in found.items():
        cells = [_of([share[n] for share in shares]) for n in range(len(DEPTHS))]
        differences = [
            _of([mine[n] - other[n] for mine, other in zip(ours, shares, strict=True)], "+")
            for n in range(len(DEPTHS))
        ]
        table.add_row(label, *cells, *([] if label == _FORMULA else differences))
    return table


def _in_store(
    store: str, label: str, memories: list[Memory], indexes: dict[str, InMemory]
) -> tuple[list[tuple[float, ...]], int]:
    """Return the recalls of a store, and of how many questions the first ten are the same."""
    found: list[tuple[float, ...]] = []
    same = 0
    for memory in memories:
        with emptied(store) as opened:
            find = IN_STORE[label](opened, memory.messages).find
            found += recalls(find, [memory], indexes)
            index = indexes[memory.name]
            pairs = [
                (find(index, query, max(DEPTHS)), by_associate(index, query, max(DEPTHS)))
                for query in memory.queries
            ]
            same += sum(one == other for one, other in pairs)
    return found, same


def _against() -> list[str]:
    return [f"{_FORMULA} @{depth}: more by" for depth in DEPTHS]


def _of(values: list[float], sign: str = "") -> str:
    low, high = interval(values)
    return f"{100 * mean(values):{sign}.1f} ({100 * low:{sign}.1f} … {100 * high:{sign}.1f})"


def _cost(memories: list[Memory], store: str | None) -> Table:
    names = [*FINDERS, *([] if store is None else IN_STORE)]
    own = [] if store is None else [f"as {label}" for label in IN_STORE]
    table = Table("messages", "ms a message", *own, *(f"{name}, ms" for name in names))
    for size in _SIZES:
        opening = None if store is None else partial(emptied, store)
        measured = cost(memories, size, opening)
        taken = [f"{milliseconds:.3f}" for milliseconds in measured.in_store.values()]
        cells = [
            f"median {middle:.2f}, p95 {most:.2f}" for middle, most in measured.question.values()
        ]
        table.add_row(f"{size:,}", f"{measured.message:.3f}", *taken, *cells)
    return table


if __name__ == "__main__":
    main()
