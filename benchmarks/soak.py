"""Watch the memory of one stdio server over many calls.

One call in fifty stores a memory of forty words; the others read memories, entities and concepts,
and change some. Nothing is removed. Once so many memories are stored, no more are, so that what
grows with the calls is told apart from what grows with the data.
"""

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter

import click
from rich.console import Console

from . import memories, stdio

_NAMES = ("Anna", "Bruno", "Clara", "David", "Emma", "Felix", "Greta", "Hugo", "Ines", "Jonas")
_CONCEPTS = 900
_WARMING = 1_000
_MARKS = 20
_KIB = 1024


class Load:
    """Makes the calls of an agent on *server*, each at random."""

    def __init__(self, server: stdio.Server, most_stored: int) -> None:
        self._server, self._most_stored = server, most_stored
        self._chance = random.Random(5)
        self._ids: list[str] = []
        self._shares: tuple[tuple[int, Callable[[], object]], ...] = (
            (2, self._remember_or_recall),
            (20, self._recall),
            (22, lambda: self._ask("search", query=self._words(4))),
            (6, lambda: self._ask("about", name=self._name())),
            (8, lambda: self._ask("memory_node_get", memory_id=self._chance.choice(self._ids))),
            (6, lambda: self._ask("memory_context", query=self._words(5))),
            (8, lambda: self._ask("recall_query", seeds=[self._concept()], max_hop=2)),
            (4, lambda: self._ask("concept_search", keywords=[self._words(1)])),
            (6, self._relate),
            (6, lambda: self._ask("update_affect", target=self._concept(), valence_delta=0.1)),
            (4, lambda: self._ask("entity_search", query=self._name())),
            (4, lambda: self._ask("entity_context", message=f"{self._name()} asked")),
            (4, lambda: self._ask("memory_node_recent", limit=10)),
        )
        # Each name and concept that a call gives is stored already.
        for name in _NAMES:
            self._remember(name)
        for number in range(_CONCEPTS):
            self._ask("update_affect", target=f"c{number}", valence_delta=0.1)

    def call(self) -> None:
        weights, actions = zip(*self._shares, strict=True)
        self._chance.choices(actions, weights)[0]()

    def _remember_or_recall(self) -> None:
        if len(self._ids) < self._most_stored:
            self._remember()
        else:
            self._recall()

    def _remember(self, name: str | None = None) -> None:
        name = name or self._name()
        text = f"{name} said on {self._chance.randrange(1, 28)} May: {self._words(40)}."
        made = self._server.call("remember", text=text, about=[name])
        self._ids.append(made["id"])

    def _recall(self) -> None:
        self._ask("recall", message=f"What did {self._name()} say? {self._words(3)}")

    def _relate(self) -> None:
        ends = {"from": self._concept(), "to": self._concept()}
        if ends["from"] != ends["to"]:
            self._ask("relation_add", **ends, type="is-a")

    def _ask(self, tool: str, **arguments: object) -> None:
        self._server.call_plain(tool, **arguments)

    def _name(self) -> str:
        return self._chance.choice(_NAMES)

    def _concept(self) -> str:
        return f"c{self._chance.randrange(_CONCEPTS)}"

    def _words(self, count: int) -> str:
        return memories.text(self._chance, count)


@click.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option("--calls", "count", type=int, default=200_000, show_default=True)
@click.option("--stored", "most_stored", type=int, default=500, show_default=True)
@click.option("--embeddings", default="none", show_default=True)
def main(folder: Path, count: int, most_stored: int, embeddings: str) -> None:
    """Print the server's memory and its data at each twentieth of the calls; keep it in FOLDER."""
    console = Console()
    folder.mkdir(parents=True)
    path = folder / "soak.db"
    chosen = {
        "CONCEPT_GRAPH_TOOLSETS": "concept,memory,entity,everyday",
        "CONCEPT_GRAPH_EMBEDDINGS": embeddings,
    }
    with stdio.Server(stdio.embedded(path), folder / "bytecode", chosen) as server:
        server.initialize()
        for line in _lines(server, path, count, most_stored):
            console.print(line)


def _lines(server: stdio.Server, path: Path, count: int, most_stored: int) -> Iterator[str]:
    load, begun = Load(server, most_stored), perf_counter()
    for number in range(1, count + 1):
        load.call()
        if number == _WARMING or number % max(1, count // _MARKS) == 0:
            yield (
                f"{number:,} calls, {perf_counter() - begun:,.0f} s:"
                f" {server.resident_bytes() / _KIB**2:.0f} MB resident,"
                f" {path.stat().st_size / _KIB**2:.1f} MB of data"
            )


if __name__ == "__main__":
    main()
