"""Say how many questions about what was so, and what is so now, get their answer first.

`python -m benchmarks.life.then [--show tuned]`: each history is told in an empty store, as an
agent remembers it. The answer has to tell what the question asks for before all else that was so at
some time, and nothing that has ended as so now. Those `held` and the `third` are for the total: no
rule is made on them.
"""

import asyncio
import re
import tempfile
from collections import Counter
from pathlib import Path

import click

from concept_graph_mcp import AsyncMemory
from concept_graph_mcp.session import Clock

from .changes import DAY_MS, FIRST_MS, PAST, stated
from .histories import ZONE, Row, rows

CASES = Path(__file__).with_name("then.jsonl")


async def judge_questions(folder: Path, case: Row, number: int, uri: str | None) -> list[str]:
    """Tell *case* to an empty store, and return for each question what is wrong, if anything."""
    clock = Clock(FIRST_MS)
    place = uri or folder / f"{number}.db"
    every = [check["first"] for check in case["checks"]]
    async with AsyncMemory.open(
        place, f"then {number}", clock=clock, zone=ZONE.key, embeddings="none"
    ) as memory:
        made: list[str] = []
        for say in case["says"]:
            clock.set(FIRST_MS + say["day"] * DAY_MS)
            replaces = made[say["replaces"]] if "replaces" in say else None
            row = await memory.remember(
                say["note"],
                about=say.get("about", ()),
                said=say["said"],
                keep="years",
                replaces=replaces,
            )
            made.append(row["id"])
        found = []
        for check in case["checks"]:
            clock.set(FIRST_MS + check["day"] * DAY_MS)
            text = (await memory.recall(check["ask"]))["text"]
            wrong = _judge(text, check, every)
            found.append(f"{check['ask']}: {wrong}\n{text}" if wrong else "")
        return found


def _judge(text: str, check: Row, every: list[str]) -> str:
    """Return what is wrong with the answer *text*; *every* value was so at some time."""
    lines = list(stated(text))
    told = [f"{line} {quoted}" for line, quoted in lines]
    first = next((one for one in told if re.search("|".join(every), one)), None)
    if first is None or not re.search(check["first"], first):
        return f"{check['first']} is not told first"
    now = [line for line, _ in lines if not PAST.search(line)]
    if "not_now" in check and any(re.search(check["not_now"], one) for one in now):
        return f"{check['not_now']} is told as so now"
    return ""


async def _run(uri: str | None, show: str | None) -> None:
    held, told = Counter[str](), Counter[str]()
    with tempfile.TemporaryDirectory(prefix="concept-graph-then-") as folder:
        for number, case in enumerate(rows(CASES)):
            for wrong in await judge_questions(Path(folder), case, number, uri):
                told[case["half"]] += 1
                held[case["half"]] += not wrong
                if wrong and show in (case["half"], case["name"]):
                    click.echo("\n    ".join(f"{case['name']}: {wrong}".splitlines()))
    for half in told:
        click.echo(f"{half}: {held[half]} of {told[half]}")


@click.command()
@click.option("--uri", help="In this Memgraph; each history is another user's.")
@click.option("--show", metavar="HALF", help="Print what is wrong in this half, or history.")
def main(uri: str | None, show: str | None) -> None:
    asyncio.run(_run(uri, show))


if __name__ == "__main__":
    main()
