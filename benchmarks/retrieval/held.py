"""How many of the messages that answer a question a text of so many tokens holds.

`everyday.recall` within 1,200 tokens beside `memory_context` within 2,000 and 1,200. A recall says
nothing where no text has enough of the question's words; what it holds then is nothing.
"""

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from statistics import mean, median

import click
from rich.console import Console
from rich.table import Table

from benchmarks.stores import Caller
from concept_graph_mcp import calls
from conceptgraph_core import budgets, dates
from conceptgraph_core.context import DEFAULT_USER
from conceptgraph_core.everyday.schema import DEFAULT_BUDGET
from conceptgraph_core.memories import rendering

from .folder import Memory, Query, read
from .in_store import Ingested, emptied
from .measures import interval

Held = tuple[list[str], int]
_CONTEXT = 2_000


def recalled(store: Caller, query: Query) -> Held:
    """Return the memories that a recall holds, and its tokens."""
    [row] = store.run(calls.everyday.recall(DEFAULT_USER, query.text), query.asked_ms)
    ids = [one["id"] for one in row["sources"] if one["kind"] == "memory"]
    return ids, row["tokens"]


def in_context(budget: int, store: Caller, query: Query) -> Held:
    """Return the memories that a context of *budget* tokens holds, and its tokens."""
    call = calls.memory_search.context(DEFAULT_USER, query.text, budget)
    [row] = store.run(call, query.asked_ms)
    text = rendering.written(row["entries"], dates.minute)
    return [one["memory_id"] for one in row["entries"]], budgets.tokens(budgets.size(text))


HOLDING: dict[str, Callable[[Caller, Query], Held]] = {
    f"memory_context, {_CONTEXT:,}": partial(in_context, _CONTEXT),
    f"memory_context, {DEFAULT_BUDGET:,}": partial(in_context, DEFAULT_BUDGET),
    f"recall, {DEFAULT_BUDGET:,}": recalled,
}


@click.command()
@click.argument(
    "folders",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
)
@click.option("--store", metavar="URI", required=True, help="As for benchmarks.retrieval.")
def main(folders: Iterable[Path], store: str) -> None:
    """Measure FOLDERS, each with messages.jsonl and queries.jsonl."""
    console = Console()
    for folder in folders:
        console.print(_table(folder.name, read(folder), store))


def _table(name: str, memories: list[Memory], store: str) -> Table:
    shares: dict[str, list[float]] = {label: [] for label in HOLDING}
    tokens: dict[str, list[int]] = {label: [] for label in HOLDING}
    for memory in memories:
        with emptied(store) as opened:
            kept = Ingested(opened, memory.messages)
            for query in memory.queries:
                for label, holding in HOLDING.items():
                    ids, size = holding(opened, query)
                    answers = {query.answer(memory.messages[kept.numbers[one]]) for one in ids}
                    shares[label].append(len(answers & {*query.gold}) / len(set(query.gold)))
                    tokens[label].append(size)
    table = Table(f"{name}, tokens", "answers held, %", "95 %", "median tokens", "nothing said, %")
    for label, held in shares.items():
        low, high = (f"{100 * end:.1f}" for end in interval(held))
        silent = mean(size == 0 for size in tokens[label])
        share = f"{100 * mean(held):.1f}"
        table.add_row(
            label, share, f"{low} … {high}", f"{median(tokens[label]):.0f}", f"{100 * silent:.1f}"
        )
    return table


if __name__ == "__main__":
    main()
