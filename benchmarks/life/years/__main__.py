"""Live two years of changes told in plain words, and judge what is told at their end.

`python -m benchmarks.life.years [--only NAME] [--uri bolt://…] [--show 20]`
"""

import asyncio
import re
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

import click
from rich.console import Console

from ..changes import ask_memory, is_stated, judge_check
from ..histories import ZONE
from ..report import Line, table, tell_examples
from ..world import mine
from .truth import ENDED, TRUE, UNKNOWN, UNTRUE, Judge, compare_told, split_sentences
from .year import DAYS, NAMES, Lived, Year, end_sessions, live_year, read_year, tell_message

FRESH = "fresh"


async def measure_year(
    folder: Path, uri: str | None, year: Year, days: int = DAYS
) -> AsyncIterator[Line]:
    """Live *year* without its nights and with them, and yield what came of it."""
    async with live_year(folder, uri, year, days=days, with_nights=False) as lived:
        alone = await judge_sentences(lived)
        held_alone = len((await judge_expectations(lived)).held)
    async with live_year(folder, uri, year, days=days) as lived:
        # A recall counts as an access: nobody has asked for the idle user's until here.
        for line in await compare_idle(lived):
            yield line
        judge = await judge_sentences(lived)
        judged = await judge_expectations(lived)
    told, of = judge.count(), len(judge.told)
    expected = len(year.expected["expect"])
    held, missed, quoted = judged.held, judged.missed, judged.quoted
    yield Line("told", "expectations held", len(held), expected, "all", some=missed)
    yield Line("told", "of those, only by a quotation", len(quoted), len(held), some=quoted)
    yield Line("told", "untrue sentences", told[UNTRUE], of, "0", some=judge.select(UNTRUE))
    yield Line("told", "true sentences", told[TRUE], of, some=judge.select(TRUE))
    past = judge.select(ENDED)
    yield Line("told", "sentences of the past, told as past", told[ENDED], of, some=past)
    unknown = judge.select(UNKNOWN)
    yield Line("told", "sentences that no list knows", told[UNKNOWN], of, some=unknown)
    changed, lost = lived.changed, compare_told(alone.told, judge.told)
    yield Line("nights", "lived", lived.nights)
    yield Line("nights", "what is so, changed by a night", len(changed), aim="0", some=changed)
    yield Line("nights", "entities that faded in a night", len(lived.faded), some=lived.faded)
    yield Line("nights", "true sentences told without nights only", len(lost), aim="0", some=lost)
    yield Line("nights", "expectations held without nights", held_alone, expected)


async def judge_sentences(lived: Lived) -> Judge:
    """Ask all that the year asks, and judge each sentence once for each time it is told."""
    expected = lived.year.expected
    judge = Judge(expected["truth"], lived.year.messages)
    memory = lived.memory(expected["user"])
    asked = [one["ask"] for one in expected["expect"]] + expected["asked"]
    for one in dict.fromkeys(asked):
        await judge.hear(memory, one)
    return judge


@dataclass
class Judged:
    """The expectations that hold, those of them that only a quotation answers, and the others."""

    held: list[str] = field(default_factory=list)
    quoted: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)


async def judge_expectations(lived: Lived) -> Judged:
    """Judge each expectation; one that is missed has what is wrong and what was told."""
    memory, judged = lived.memory(lived.year.expected["user"]), Judged()
    for check in lived.year.expected["expect"]:
        wrong = await judge_check(memory, check)
        if wrong:
            judged.missed.append("\n      ".join(wrong))
            continue
        judged.held.append(check["ask"])
        if not await is_stated(memory, check):
            judged.quoted.append(check["ask"])
    return judged


async def compare_idle(lived: Lived) -> list[Line]:
    """Compare what the idle user is told with one who has said the same a moment ago."""
    said, idle = lived.year.idle, lived.year.expected["idle"]
    await _tell_again(lived)
    after, first = [await _ask_things(lived, user) for user in (idle, FRESH)]
    lost = [row["ask"] for row in said if first.held[row["ask"]] and not after.held[row["ask"]]]
    stated = first.stated - after.stated
    records = await lived.world.records()
    kept = [one for one in mine(records["memory"], idle) if one["state"] != "expired"]
    faint = [f"{one['state']}: {one['content']}" for one in kept if one["state"] != "active"]
    asked = len(said)
    told = sum(first.held.values()), sum(after.held.values())
    return [
        Line("idle", "things told back to one who has just said them", told[0], asked),
        Line("idle", "things told back after the nights", told[1], asked, "as many"),
        Line("idle", "told back at first and lost in the year", len(lost), asked, "0", some=lost),
        Line(
            "idle",
            "statements of such answers lost in the year",
            len(stated),
            len(first.stated),
            "0",
            some=sorted(stated),
        ),
        Line("idle", "memories kept", len(kept), asked, "all", some=faint),
    ]


async def _tell_again(lived: Lived) -> None:
    """Let another user say now what the idle one said a year ago."""
    said, now = lived.year.idle, datetime.fromtimestamp(lived.world.clock.now_ms() / 1000, ZONE)
    for minute, row in enumerate(said):
        at = (now + timedelta(minutes=minute)).replace(tzinfo=None).isoformat()
        await tell_message(lived, FRESH, row | {"id": f"{FRESH}-{row['id']}", "at": at})
    await end_sessions(lived.world, lived.world.clock.now_ms())


@dataclass
class Answers:
    """Whether each question is told its answer, and the statements of all answers."""

    held: dict[str, bool]
    stated: set[str]


async def _ask_things(lived: Lived, user: str) -> Answers:
    made, memory = Answers({}, set()), lived.memory(user)
    for row in lived.year.idle:
        told = await ask_memory(memory, row["ask"])
        made.held[row["ask"]] = re.search(row["holds"], told, re.IGNORECASE) is not None
        made.stated.update(one for one in split_sentences(told) if "last mentioned" not in one)
    return made


async def _print_years(console: Console, uri: str | None, only: str | None, show: int) -> None:
    with tempfile.TemporaryDirectory(prefix="concept-graph-years-") as folder:
        for name in NAMES:
            if only in (None, name):
                year = read_year(name)
                lines = [one async for one in measure_year(Path(folder), uri, year)]
                title = f"{name}: {len(year.messages)} messages, {year.expected['languages']}"
                console.print(table(title, lines))
                tell_examples(console, lines, show)
                console.print()


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--uri", help="Live in this Memgraph, which is emptied.")
@click.option("--only", type=click.Choice(NAMES), help="Only this year.")
@click.option("--show", type=int, default=0, help="Print so many cases of each line.")
def main(uri: str | None, only: str | None, show: int) -> None:
    """Live two years of changes told in plain words, and judge what is told at their end."""
    console = Console()
    console.width = max(console.width, 130)
    asyncio.run(_print_years(console, uri, only, show))


if __name__ == "__main__":
    main()
