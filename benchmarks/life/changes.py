"""Say how many short histories with changes, wishes and denials end in what is true.

`python -m benchmarks.life.changes [--show tuned]`: each is told in an empty store, by whole
messages or, where a message has a `note`, as an agent remembers it. Those `held` are for the total:
no rule is made on them. A line of an answer is of the past if it says so; a quotation under "Said"
has its date and states nothing of today.
"""

import asyncio
import re
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from concept_graph_mcp import AsyncMemory, calls
from concept_graph_mcp.errors import StoreError
from concept_graph_mcp.session import Clock

from .histories import ZONE, Row, ms, rows

CASES = Path(__file__).with_name("changes.jsonl")
DAY_MS = 86_400_000
FIRST_MS = ms("2025-01-01T12:00")
PAST = re.compile(
    r"\buntil\b|\bformer|\bex[- ]|\bended\b|\bdied\b|\bwas\b|\bno longer\b", re.IGNORECASE
)
QUOTED = re.compile("“[^”]*”")
SAID = "Said:"


async def judge_history(folder: Path, case: Row, number: int, uri: str | None) -> list[str]:
    """Tell *case* to an empty store, and return what is wrong in the end; nothing: it holds."""
    clock = Clock(FIRST_MS)
    place = uri or folder / f"{number}.db"
    async with AsyncMemory.open(
        place, f"history {number}", clock=clock, zone=ZONE.key, embeddings="none"
    ) as memory:
        await tell_history(memory, clock, case["says"])
        return [wrong for check in case["checks"] for wrong in await judge_check(memory, check)]


async def tell_history(
    memory: AsyncMemory, clock: Clock, says: list[Row], *, as_notes: bool = False
) -> None:
    """Tell each of *says* on its day, or remember its words as they are; ends a day later."""
    for turn, say in enumerate(says):
        clock.set(FIRST_MS + say["day"] * DAY_MS + turn * 60_000)
        await (
            memory.remember(say["said"], said=say["said"]) if as_notes else _tell(memory, say, turn)
        )
    clock.set(clock.now_ms() + DAY_MS)


async def _tell(memory: AsyncMemory, say: Row, number: int) -> None:
    if "note" in say:
        await memory.remember(say["note"], about=say["about"], said=say["said"], keep="years")
        return
    session, thread = memory._opened.session, f"t{number}"
    told = calls.entities.observe(thread, f"m{number}", "user", say["said"])
    [row] = await session.run(told)
    if row["entities"]:
        await session.run(calls.entities.end_session(thread, session.user_id))


async def judge_check(memory: AsyncMemory, check: Row) -> list[str]:
    """Return what an answer lacks or should not say.

    `now`: a line states it as so, and not in a quotation; `told`: a line says it in any form;
    `was`: it is told, and not as so now; `past`: no line states it as so; `never`: no line
    states it at all.
    """
    lines = list(stated(await ask_memory(memory, check["ask"])))
    now = [line for line, quoted in lines if not PAST.search(line)]
    every = [f"{line} {quoted}" for line, quoted in lines]
    wrong = []
    for wants, found in (("now", now), ("told", every), ("was", every)):
        wrong += [f"{wants} {one}" for one in check.get(wants, ()) if not _matches(one, found)]
    for wants, found in (("past", now), ("was", now), ("never", [line for line, _ in lines])):
        wrong += [f"not {wants} {one}" for one in check.get(wants, ()) if _matches(one, found)]
    return [f"{check['ask']}: {one}" for one in wrong] + (every if wrong else [])


async def is_stated(memory: AsyncMemory, check: Row) -> bool:
    """Tell whether an answer states all that *check* wants, so that no quotation is needed."""
    found = [line for line, _ in stated(await ask_memory(memory, check["ask"]))]
    wanted = (one for form in ("now", "told", "was") for one in check.get(form, ()))
    return all(_matches(one, found) for one in wanted)


def _matches(pattern: str, lines: list[str]) -> bool:
    return any(re.search(pattern, line, re.IGNORECASE) for line in lines)


async def ask_memory(memory: AsyncMemory, ask: str) -> str:
    if ask == "profile":
        return (await memory.profile())["text"]
    if not ask.startswith("about:"):
        return (await memory.recall(ask))["text"]
    try:
        row: Any = await memory.about(ask.removeprefix("about:"))
    except StoreError:
        return ""
    lines = [f"{row['name']} ({row.get('kind')}{date_end(row)})"]
    lines += [f"{one['predicate']}: {one['value']}{date_end(one)}" for one in row["facts"]]
    return "\n".join([*lines, *row["relations"], SAID, *(one["text"] for one in row["said"])])


def date_end(row: Row) -> str:
    return f" until {row['until']}" if "until" in row else ""


def stated(text: str) -> Iterator[tuple[str, str]]:
    """Yield what each line states, and what it quotes.

    A note in a profile, or on who and what, is told as what is so now.
    """
    part = ""
    for line in text.splitlines():
        if line.endswith(":") and not line.startswith("["):
            part = line
            continue
        if part == SAID:
            yield "", line
        elif ", note: " in line:
            yield line, ""
        else:
            yield QUOTED.sub("", line), " ".join(QUOTED.findall(line))


async def _run(uri: str | None, show: str | None) -> None:
    held, told = Counter[str](), Counter[str]()
    with tempfile.TemporaryDirectory(prefix="concept-graph-changes-") as folder:
        for number, case in enumerate(rows(CASES)):
            wrong = await judge_history(Path(folder), case, number, uri)
            told[case["half"]] += 1
            held[case["half"]] += not wrong
            if wrong and show in (case["half"], case["name"]):
                click.echo("\n    ".join([f"{case['name']}:", *wrong]))
    for half in told:
        click.echo(f"{half}: {held[half]} of {told[half]}")


@click.command()
@click.option("--uri", help="In this Memgraph; each history is another user's.")
@click.option("--show", metavar="HALF", help="Print what is wrong in this half, or history.")
def main(uri: str | None, show: str | None) -> None:
    asyncio.run(_run(uri, show))


if __name__ == "__main__":
    main()
