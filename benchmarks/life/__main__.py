"""Live a person's year and print what came of it, point by point."""

import asyncio
import tempfile
from collections.abc import Callable, Coroutine, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from . import contexts, identity, laundering, nightly, remembering, rhythms
from .days import Life
from .histories import History, family, realmem
from .report import Line, table, tell_examples
from .world import opened

YEAR, TWO_YEARS = 365, 730
# A quick life: so many messages, days, and half a year of rhythms.
QUICK = (12, 20, 35)


async def rules(folder: Path, uri: str | None, *, quick: bool) -> list[Line]:
    """Return what needs no history: rhythms, and what counts as the user's word."""
    async with opened(folder, uri, "rhythms") as world:
        made = await (rhythms.lines(world, QUICK[2]) if quick else rhythms.lines(world))
    async with opened(folder, uri, "laundering") as world:
        return made + await laundering.lines(world, list(family().expected["laundering"]))


async def life(
    folder: Path, uri: str | None, *, history: History, days: int, perfectly: bool
) -> list[Line]:
    """Live *history* for *days* in an empty store, and return what came of it."""
    name = f"{history.name}-{'perfect' if perfectly else 'extractor'}"
    async with opened(folder, uri, name) as world:
        one = Life(world, history, perfectly, remembering.after_a_year)
        lived = await one.live(days)
        person = one.people[history.users[0]]
        return [
            *identity.lines(history, lived),
            *await contexts.lines(world, history, lived, person),
            *lived.year,
            *await remembering.at_the_end(one),
            *nightly.lines(lived),
        ]


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("folders", nargs=-1, type=click.Path(path_type=Path))
@click.option("--days", type=int, help="Live so many; by default two years, a persona's one.")
@click.option("--quick", is_flag=True, help="A few messages and nights.")
@click.option("--uri", help="Live in this Memgraph, which is emptied.")
@click.option("--only", metavar="NAME", help="Only this one: rules, family, or a persona.")
@click.option("--examples", type=int, default=0, help="Print so many examples of each line.")
def main(folders: Sequence[Path], *, uri: str | None, examples: int, **chosen: Any) -> None:
    """Live the family's year, and that of each persona of FOLDERS (RealMem's, as realmem_dev)."""
    console = Console()
    console.width = max(console.width, 130)
    with tempfile.TemporaryDirectory(prefix="concept-graph-life-") as folder:
        for name, title, live in _lives(folders, **chosen):
            if chosen["only"] in (None, name):
                lines = asyncio.run(live(Path(folder), uri))
                console.print(table(title, lines))
                tell_examples(console, lines, examples)
                console.print()


def _lives(
    folders: Sequence[Path], *, days: int | None, quick: bool, **_: Any
) -> Iterator[tuple[str, str, Callable[[Path, str | None], Coroutine[Any, Any, list[Line]]]]]:
    """Iterate over what there is to live: what `--only` calls it, its title, and what lives it."""
    yield "rules", "Rules", partial(rules, quick=quick)
    home = family(QUICK[0] if quick else None)
    length = days or (QUICK[1] if quick else TWO_YEARS)
    for perfectly, seen in ((False, "the built-in extractor"), (True, "a perfect observer")):
        lived = partial(life, history=home, days=length, perfectly=perfectly)
        yield "family", f"The family, seen by {seen}", lived
    for one in (one for given in folders if given.is_dir() for one in realmem(given)):
        lived = partial(life, history=one, days=days or YEAR, perfectly=False)
        yield one.name, f"RealMem: {one.name}", lived


if __name__ == "__main__":
    main()
