"""Say of how many pairs `remember` shows the older text as one that the new one may replace.

`python -m benchmarks.life.replacing [--embeddings MODEL]`: all older texts are in one store, each
new one is told to it and forgotten again. A pair is of the same `same` matter, or of two that have
some words in common. The `third` were written when the rules stood: by words alone 7 of 10 changed
ones were found at first, and 2 of 20 unrelated ones; then words were added for them.
"""

import asyncio
import tempfile
from collections import Counter
from pathlib import Path

import click

from concept_graph_mcp import AsyncMemory
from concept_graph_mcp.session import Clock

from .changes import DAY_MS, FIRST_MS
from .histories import Row, rows

CASES = Path(__file__).with_name("replacing.jsonl")


async def find_similar(place: Path | str, cases: list[Row], embeddings: str) -> list[list[str]]:
    """Return the texts that each new text of *cases* may have to replace."""
    clock = Clock(FIRST_MS)
    async with AsyncMemory.open(place, "replacing", clock=clock, embeddings=embeddings) as memory:
        for case in cases:
            clock.set(clock.now_ms() + DAY_MS)
            await memory.remember(case["old"], about=case.get("about", ()), keep="years")
        found = []
        for case in cases:
            clock.set(clock.now_ms() + DAY_MS)
            row = await memory.remember(case["new"], about=case.get("about", ()), keep="years")
            found.append([one["text"] for one in row.get("similar", ())])
            await memory.forget(row["id"])
        return found


async def _run(uri: str | None, embeddings: str, show: str | None) -> None:
    cases = rows(CASES)
    counts = Counter[tuple[str, str]]()
    for half in dict.fromkeys(case["half"] for case in cases):
        mine = [case for case in cases if case["half"] == half]
        with tempfile.TemporaryDirectory(prefix="concept-graph-replacing-") as folder:
            place = uri or Path(folder) / "memory.db"
            found = await find_similar(place, mine, embeddings)
        for case, texts in zip(mine, found, strict=True):
            name = "changed" if case["same"] else "unrelated"
            counts[half, f"{name} pairs"] += 1
            counts[half, f"{name} found"] += case["old"] in texts
            counts[half, "others"] += len([one for one in texts if one != case["old"]])
            if show == half and (case["old"] in texts) != case["same"]:
                click.echo(f"{name}: {case['old']} / {case['new']}")
            if show == half:
                for text in texts:
                    click.echo(f"    {case['new']}: {text}" if text != case["old"] else "    found")
    for (half, name), count in counts.items():
        click.echo(f"{half}: {name} {count}")


@click.command()
@click.option("--uri", help="In this Memgraph, for another user.")
@click.option("--embeddings", default="none", show_default=True)
@click.option("--show", metavar="HALF", help="Print what was found in this half.")
def main(uri: str | None, embeddings: str, show: str | None) -> None:
    asyncio.run(_run(uri, embeddings, show))


if __name__ == "__main__":
    main()
