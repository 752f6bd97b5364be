"""Live through a made-up person's half year, and print what her agent knows unasked."""

import json
import tempfile
import textwrap
from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from importlib import resources
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from conceptgraph_core.everyday import lines

from .. import everyday
from ..embedding.base import EmbeddingError
from ..session import Session
from ..times import time_given
from .interrupts import Interrupts
from .storing import Ingest
from .terminal import out, say

SAMPLE: Final = "rosa.jsonl"
# Tokens: few lines, so that all of the demo is seen at once.
_BUDGET: Final = 205
_INDENT: Final = "    "
# A step is a message, something that the agent stores, or a message that the demo shows.
_KINDS: Final = ("said", "remember", "shown")

Step = dict[str, Any]


def read_steps() -> list[Step]:
    """Return the half year, in the order of time."""
    file = resources.files("concept_graph_mcp") / "sample" / SAMPLE
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


async def print_story(session: Session) -> None:
    """Live through the half year on the empty store of *session*, and print the notes."""
    steps = read_steps()
    said = [one for one in steps if "said" in one]
    shown = sum("shown" in one for one in steps)
    _print(
        f"Half a year of Rosa, a made-up person: from {_show_day(said[0])} to"
        f" {_show_day(said[-1])} she writes her agent {len(said)} messages. With each one the"
        " agent gets notes from its memory, unasked. No language model is at work."
        f" {shown} messages, and their notes:"
    )
    async for step, notes in live(session, steps):
        out.print()
        out.print(step["why"], style="bold")
        _print(f"{_show_day(step)}, Rosa: “{step['shown']}”")
        for line in notes.splitlines() or ["no notes: nothing belongs to this"]:
            _print(line, _INDENT)


async def live(session: Session, steps: Sequence[Step]) -> AsyncIterator[tuple[Step, str]]:
    """Take each of *steps* at its time; yield those to show, with the notes that the agent gets.

    The clock of *session* is stopped at each. No notes are "". Raises StoreError, Failure.
    """
    ids: dict[str, str] = {}
    for kind, group in groupby(steps, lambda step: next(one for one in _KINDS if one in step)):
        if kind == "said":
            await _ingest(session, [*group])
            continue
        for step in group:
            session.clock.set(time_given(step["at"], "at", session.zone))
            if kind == "remember":
                ids[step.get("name", "")] = await _remember(session, step, ids)
            else:
                await _embed(session)
                row, _ = await everyday.recall(
                    session, step["shown"], token_budget=_BUDGET, counts=False
                )
                yield step, lines.text(row["lines"], session.show_minute, session.show_day)


async def _ingest(session: Session, steps: Sequence[Step]) -> None:
    """Store messages as hooks and `ingest` do, with whom they mention: each day has its thread."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "messages.jsonl"
        rows = (
            {
                "thread": f"Rosa {one['at'][:10]}",
                "speaker": "user",
                "text": one["said"],
                "created_at": one["at"],
            }
            for one in steps
        )
        file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
        await Ingest([(file, None)], None, Interrupts(), people=True).run(session)


async def _remember(session: Session, step: Step, ids: dict[str, str]) -> str:
    given = {**step["remember"]}
    if "replaces" in given:
        given["replaces"] = ids[given["replaces"]]
    if "happened_at" in given:
        given["happened_at"] = time_given(given["happened_at"], "happened_at", session.zone)
    row, _ = await everyday.remember(session, **given)
    made: str = row["id"]
    return made


async def _embed(session: Session) -> None:
    """Give the texts their vectors, as a server does in the background."""
    if session.embedding is None:
        return
    # Imported only here, because words alone need none of it.
    from ..worker.embedding import embed_lacking, prepare

    try:
        embedding = await prepare(session)
        if embedding is not None:
            async for _ in embed_lacking(session, embedding):
                pass
    except EmbeddingError:
        # Words find them all the same.
        return


def _show_day(step: Step) -> str:
    day = datetime.fromisoformat(step["at"])
    return f"{day.day} {day:%B}"


def _print(text: str, indent: str = "") -> None:
    for line in textwrap.wrap(text, out.width - len(indent)):
        say(indent + line)
