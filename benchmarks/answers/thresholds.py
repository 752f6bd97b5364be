"""Count what the thresholds of a recall cost, on the lives for training and on those held apart.

A message *asks* from one chance on, and a text *answers* from another one on. One of them is
changed at a time. Only totals are printed. Nothing is counted as accessed, so that no question
depends on another one.
"""

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from unittest import mock

import anyio
import click

from concept_graph_mcp import answers
from concept_graph_mcp.hosts.sqlite.procedure_host import load_mgp
from concept_graph_mcp.session import Session
from conceptgraph_core.everyday import lines
from conceptgraph_core.verbs.context import CHANCE_VARIABLES

from ..harness import machine
from .asking import Asked, Told, opened
from .sets import Part, sets

HALVES = ("training", "held")


@dataclass
class Counts:
    """How the questions and remarks of some lives are answered with these thresholds.

    *environment* sets those that are not as shipped.
    """

    asks: float
    answers: float
    environment: Mapping[str, str] = field(default_factory=dict)
    asked: int = 0
    answered: int = 0
    lines: int = 0
    remarks: int = 0
    silent: int = 0

    def __str__(self) -> str:
        each = self.lines / max(1, self.asked)
        answered, silent = f"{self.answered} of {self.asked}", f"{self.silent} of {self.remarks}"
        return f"| {self.asks:g} | {self.answers:g} | {answered} | {silent} | {each:.1f} |"


def vary(asks: Sequence[float], texts: Sequence[float]) -> Iterator[Counts]:
    """Yield no counts yet: with the shipped thresholds, each of *asks*, and each of *texts*."""
    load_mgp()
    from conceptgraph_core.recall.weights import load

    _, given = load()
    first, second = CHANCE_VARIABLES
    yield Counts(given.asks, given.answers)
    yield from (Counts(one, given.answers, {first: str(one)}) for one in asks)
    yield from (Counts(given.asks, one, {second: str(one)}) for one in texts)


async def count(part: Part, embeddings: str, into: Sequence[Counts]) -> None:
    """Store *part*, and ask all of it with the thresholds of each of *into*."""
    with tempfile.TemporaryDirectory() as folder:
        async with opened(Path(folder), part, embeddings) as world:
            await Asked(world, part).fill()
            world.clock.set(part.asked_ms)
            for counts in into:
                with mock.patch.dict(os.environ, counts.environment):
                    await _ask(world.session(part.user), part, counts)


async def _ask(session: Session, part: Part, counts: Counts) -> None:
    for case in part.cases:
        if case.gold:
            of = replace(session, project=case.project)
            row, _ = await answers.recall(of, case.ask, counts=False)
            text = lines.text(row["lines"], session.show_minute, session.show_day)
            counts.asked += 1
            counts.answered += Told(text, (), 0).answers(case)
            counts.lines += len(row["lines"])
    for remark in part.silence:
        row, _ = await answers.recall(session, remark, counts=False)
        counts.silent += not row["lines"]
    counts.remarks += len(part.silence)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--asks", multiple=True, type=float, default=(0.1, 0.5, 0.7))
@click.option("--answers", "texts", multiple=True, type=float, default=(0.005, 0.05, 0.1))
@click.option("--embeddings", default="auto", help="As in CONCEPT_GRAPH_EMBEDDINGS.")
def main(asks: Sequence[float], texts: Sequence[float], embeddings: str) -> None:
    """Print what the shipped thresholds, and others in place of one of them, cost."""
    click.echo("| lives | asks | answers | answered | right silence | lines a question |")
    click.echo("|---|---|---|---|---|---|")
    for half in HALVES:
        into = list(vary(asks, texts))
        for one in sets():
            for part in one.parts if one.name.startswith(f"{half}/") else ():
                anyio.run(count, part, embeddings, into)
        for counts in into:
            click.echo(f"| {half} {counts}")
    click.echo(machine(quick=False), err=True)


if __name__ == "__main__":
    main()
