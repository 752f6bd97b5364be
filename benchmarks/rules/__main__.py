"""Turn each rule of the core off in turn, and count what that changes in what a recall tells.

The sets are those of `benchmarks.answers`. Nothing is counted as accessed, so that no question
depends on another one.
"""

import os
import tempfile
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import anyio
import click
from rich import box
from rich.console import Console
from rich.table import Column, Table

from concept_graph_mcp import answers
from concept_graph_mcp.worker.embedding import prepare
from conceptgraph_core.everyday import lines

from ..answers.asking import Asked, Told, opened
from ..answers.sets import Part, sets
from ..harness import machine
from ..life.world import World
from .table import RULES, Rule, load_core, off

_HEADS: Final = (
    *("rule", "by", "questions: texts", "answered", "remarks: texts", "silent"),
    *("without an answer: texts", "promised"),
)
QUESTION, REMARK, UNANSWERABLE = "question", "remark", "unanswerable"


@dataclass
class Tellings:
    """The texts that messages got, by the user, the kind of message, and the message."""

    texts: dict[tuple[str, str, str], str] = field(default_factory=dict)
    answered: int = 0
    silent: int = 0

    def count_changed(self, kind: str, other: "Tellings") -> int:
        return sum(other.texts[key] != text for key, text in self.texts.items() if key[1] == kind)

    def count(self, kind: str) -> int:
        return sum(key[1] == kind for key in self.texts)


class Memory:
    """One user's filled store, asked without counting anything."""

    def __init__(self, world: World, part: Part) -> None:
        self._world, self._part = world, part
        self._session = world.session(part.user)

    async def fill(self) -> None:
        """Store everything, and compute every vector if there is an embedding."""
        await Asked(self._world, self._part).fill()
        if self._session.embedding is not None:
            await prepare(self._session)

    async def ask(self, into: Tellings) -> None:
        """Ask every question and remark, and add what is told *into* the tellings."""
        part = self._part
        # Calls in this process read them there.
        os.environ["CONCEPT_GRAPH_LANGUAGES"] = part.languages
        self._world.clock.set(part.asked_ms)
        for case in part.cases:
            for message in filter(None, (case.ask, case.typed)) if case.gold else ():
                text = await self._recall(message, case.project)
                into.texts[part.user, QUESTION, message] = text
                into.answered += Told(text, (), 0).answers(case)
        asked = {message for _, kind, message in into.texts if kind == REMARK}
        # Some users are given the same ones.
        for message in (one for one in part.silence if one not in asked):
            text = into.texts[part.user, REMARK, message] = await self._recall(message)
            into.silent += not text
        for message in part.unanswerable:
            into.texts[part.user, UNANSWERABLE, message] = await self._recall(message)

    async def _recall(self, message: str, project: str | None = None) -> str:
        session = replace(self._session, project=project)
        row, _ = await answers.recall(session, message, counts=False)
        return lines.text(row["lines"], self._session.show_minute, self._session.show_day)


@asynccontextmanager
async def filled(parts: Iterable[Part], embeddings: str) -> AsyncIterator[list[Memory]]:
    """Open a filled store for each of *parts*."""
    async with AsyncExitStack() as stack:
        memories = []
        for part in parts:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            world = await stack.enter_async_context(opened(folder, part, embeddings))
            memories.append(Memory(world, part))
            await memories[-1].fill()
        yield memories


async def ask(memories: Iterable[Memory]) -> Tellings:
    """Ask all of *memories* everything."""
    into = Tellings()
    for memory in memories:
        await memory.ask(into)
    return into


async def measure(
    parts: Sequence[Part], rules: Sequence[Rule], embeddings: str
) -> AsyncIterator[tuple[Rule | None, Tellings]]:
    """Yield what is told with every rule, with None, then what is told without each of *rules*."""
    load_core()
    async with filled(parts, embeddings) as memories:
        yield None, await ask(memories)
        for rule in rules:
            with off(rule):
                if not rule.stores:
                    yield rule, await ask(memories)
                    continue
                async with filled(parts, embeddings) as others:
                    yield rule, await ask(others)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    *("--embeddings", "models"),
    multiple=True,
    default=("none", "auto"),
    help="As in CONCEPT_GRAPH_EMBEDDINGS; by default none and auto.",
)
@click.option("--only", multiple=True, metavar="RULE", help="Turn only this rule off.")
@click.option("--tuned", is_flag=True, help="Ask only the sets that may be tuned on.")
def main(models: tuple[str, ...], only: tuple[str, ...], tuned: bool) -> None:
    """Turn each rule off in turn, and print a table of what that changes."""
    rules = [rule for rule in RULES if not only or rule.name in only]
    table = Table(*(Column(head, no_wrap=True) for head in _HEADS), box=box.MARKDOWN)
    notes = Console(stderr=True)
    for embeddings in models:
        anyio.run(_add_rows, table, rules, embeddings, notes, tuned)
    console = Console()
    console.width = max(console.width, 200)
    console.print(table)
    console.print(machine(quick=False), style="dim")


async def _add_rows(
    table: Table, rules: Sequence[Rule], embeddings: str, notes: Console, tuned: bool
) -> None:
    said = "words" if embeddings == "none" else "default"
    parts = [part for one in sets() if one.is_tuned or not tuned for part in one.parts]
    whole = Tellings()
    async for rule, told in measure(parts, rules, embeddings):
        if rule is None:
            whole = told
            counts = (told.count(kind) for kind in (QUESTION, REMARK, UNANSWERABLE))
            questions, remarks, unanswerable = map(str, counts)
            cells = questions, str(told.answered), remarks, str(told.silent), unanswerable, ""
        else:
            changed = (told.count_changed(kind, whole) for kind in (QUESTION, REMARK, UNANSWERABLE))
            questions, remarks, unanswerable = map(str, changed)
            answered, silent = told.answered - whole.answered, told.silent - whole.silent
            cells = questions, f"{answered:+}", remarks, f"{silent:+}", unanswerable, rule.keeps
        name = "none (all there is)" if rule is None else rule.name
        table.add_row(name, said, *cells)
        notes.log(name, said, *cells)


if __name__ == "__main__":
    main()
