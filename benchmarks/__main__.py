"""Run the benchmarks and print one table of what they measured."""

import importlib
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console

from .harness import Figure, Setup, machine, table

# Name -> module; in the order in which they run.
BENCHMARKS = {
    "tool-call": "tool_call",
    "start-up": "start_up",
    "recall": "recall",
    "round-trips": "round_trips",
    "growth": "growth",
    "search": "search",
    "nearest": "nearest",
    "find": "finding",
    "clients": "clients",
    "http": "http_clients",
    "starving": "starving",
    "callers": "callers",
    "replicas": "replicas",
    "memory": "memory",
    "memories": "memories",
    "entities": "entities",
    "links": "links",
    "everyday": "everyday",
}


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("names", nargs=-1, metavar="[NAME ...]", type=click.Choice(list(BENCHMARKS)))
@click.option("--quick", is_flag=True, help="Smaller graphs and fewer repetitions.")
def main(names: Sequence[str], quick: bool) -> None:
    """Measure everything, or what is NAMEd.

    With MEMGRAPH_TEST_URI, which is emptied, also on that Memgraph.
    """
    notes = Console(stderr=True)
    figures: dict[str, list[Figure]] = {}
    with tempfile.TemporaryDirectory(prefix="concept-graph-bench-") as folder:
        for name in names or BENCHMARKS:
            own = Path(folder) / name
            own.mkdir()
            setup = Setup(own, os.environ.get("MEMGRAPH_TEST_URI"), quick, notes.log)
            module = importlib.import_module(f".{BENCHMARKS[name]}", __package__)
            notes.log(f"[bold]{name}[/]: {(module.__doc__ or name).splitlines()[0]}")
            figures[name] = list(module.run(setup))
    console = Console()
    console.width = max(console.width, 150)
    console.print(table(figures))
    console.print(machine(quick), style="dim")


if __name__ == "__main__":
    main()
