"""Measure how often the valid one of two facts is listed first, or at least before the outdated."""

from collections.abc import Iterable
from pathlib import Path
from statistics import mean

import click
from rich.console import Console
from rich.table import Table

from .folder import Query, read
from .in_store import Ingested, emptied

_SHOWN = 10
_BUDGET = 2_000


@click.command()
@click.argument(
    "folders",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
)
@click.option("--store", metavar="URI", required=True, help="As for benchmarks.retrieval.")
def main(folders: Iterable[Path], store: str) -> None:
    """Measure FOLDERS, made by benchmarks.retrieval.pairs of facts that changed."""
    console = Console()
    for folder in folders:
        console.print(_table(folder, store))


def _table(folder: Path, store: str) -> Table:
    first: dict[str, list[bool]] = {}
    before: dict[str, list[bool]] = {}
    for memory in read(folder):
        with emptied(store) as opened:
            kept = Ingested(opened, memory.messages)
            for query in memory.queries:
                [valid] = query.gold
                pair = (valid, f"{valid.rpartition('/')[0]}/first")
                for name, numbers in _listed(kept, query).items():
                    ids = [memory.messages[number].id for number in numbers]
                    of_pair = [one for one in ids if one in pair]
                    first.setdefault(name, []).append(ids[:1] == [valid])
                    before.setdefault(name, []).append(of_pair[:1] == [valid])
    table = Table(folder.name, "the valid one first, %", "before the outdated, %")
    for name, shares in first.items():
        table.add_row(name, f"{100 * mean(shares):.1f}", f"{100 * mean(before[name]):.1f}")
    return table


def _listed(kept: Ingested, query: Query) -> dict[str, list[int]]:
    """Return what each way of asking lists, in its order."""
    rows = kept.rows(query, _SHOWN)
    return {
        "search": [kept.numbers[row["memory_id"]] for row in rows],
        f"memory_context, {_BUDGET:,}": kept.held(query, [_BUDGET])[_BUDGET],
        "recall": kept.recalled(query),
    }


if __name__ == "__main__":
    main()
