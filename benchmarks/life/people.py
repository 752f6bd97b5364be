"""Say what short people's changes come to: told in plain words, asked in other words.

`python -m benchmarks.life.people [--show tuned]`: each tells everything twice, to an empty store
each time: as messages that are observed, and as texts that are remembered without saying whom they
are about. Then each asks, as in `changes`, and says what no memory answers. No rule is made on
those `held`.
"""

import asyncio
import tempfile
from pathlib import Path

import click

from concept_graph_mcp import AsyncMemory
from concept_graph_mcp.session import Clock

from .changes import FIRST_MS, is_stated, judge_check, tell_history
from .histories import ZONE, Row, rows

PEOPLE = Path(__file__).with_name("people.jsonl")
WAYS = ("observed", "remembered")


async def judge_person(folder: Path, person: Row, way: str) -> tuple[int, int, int, list[str]]:
    """Return the answers that hold, those stated outright, the silences, and what is wrong."""
    clock, held, outright, silent, wrong = Clock(FIRST_MS), 0, 0, 0, list[str]()
    place = folder / f"{person['name']}-{way}.db"
    async with AsyncMemory.open(
        place, person["name"], clock=clock, zone=ZONE.key, embeddings="none"
    ) as memory:
        await tell_history(memory, clock, person["says"], as_notes=way == "remembered")
        for check in person["checks"]:
            found = await judge_check(memory, check)
            held += not found
            outright += not found and await is_stated(memory, check)
            wrong += ["\n      ".join(found)] if found else []
        for said in person["silent"]:
            told = (await memory.recall(said))["text"]
            silent += not told
            wrong += [f"{said}: {told}"] if told else []
    return held, outright, silent, wrong


async def _run(show: str | None) -> None:
    with tempfile.TemporaryDirectory(prefix="concept-graph-people-") as folder:
        for person in rows(PEOPLE):
            for way in WAYS:
                held, outright, silent, wrong = await judge_person(Path(folder), person, way)
                click.echo(
                    f"{person['name']} ({person['language']}, {person['half']}), {way}: "
                    f"{held} of {len(person['checks'])} hold, {outright} outright, "
                    f"silent {silent} of {len(person['silent'])}"
                )
                if show in (person["half"], person["name"]):
                    click.echo("".join(f"    {one}\n" for one in wrong))


@click.command()
@click.option("--show", metavar="HALF", help="Print what is wrong in this half, or of this person.")
def main(show: str | None) -> None:
    asyncio.run(_run(show))


if __name__ == "__main__":
    main()
