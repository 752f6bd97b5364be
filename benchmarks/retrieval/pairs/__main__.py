"""Convert a set of pairs of texts into a folder to be measured, alone or among other messages."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import click

from ..converting import DAY_MS
from ..folder import Memory, Message, Query, read, write

# When the first text of all is said, where there are no other messages.
_START_MS = 1_700_000_000_000
_DAYS = 200


@click.command()
@click.argument("source", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--among",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A folder whose messages are there too.",
)
def main(source: Path, folder: Path, among: Path | None) -> None:
    """Convert SOURCE, lines of {first, second, question}, into FOLDER; first may be missing."""
    others = [] if among is None else [one for memory in read(among) for one in memory.messages]
    click.echo(write(folder, [memory(source, others)]))


def memory(source: Path, others: list[Message]) -> Memory:
    """Return the texts of *source*, among *others*, and its questions, a day after all of them."""
    times = [one.time_ms for one in others] or [_START_MS, _START_MS + _DAYS * DAY_MS]
    messages = [replace(one, memory=source.stem) for one in others]
    queries = []
    for number, line in enumerate(source.read_text(encoding="utf-8").splitlines()):
        pair = json.loads(line)
        both = list(_both(source.stem, number, pair, min(times), max(times)))
        messages += both
        queries.append(
            Query(
                qid=f"{source.stem}/{number}",
                memory=source.stem,
                text=pair["question"],
                asked_ms=max(times) + DAY_MS,
                gold=(both[-1].id,),
            )
        )
    return Memory(source.stem, tuple(messages), tuple(queries))


def _both(
    name: str, number: int, pair: dict[str, str], from_ms: int, to_ms: int
) -> Iterator[Message]:
    """Yield the texts of *pair*: the first in the first half of the time, the second in the other.

    There may be no first. Spread over it, each alone in its thread.
    """
    half = (to_ms - from_ms) // 2
    for place, said in enumerate(("first", "second")):
        if said not in pair:
            continue
        part = (number * (37, 53)[place] % 101) / 101
        time_ms = from_ms + place * half + int(part * half)
        key = f"{name}/{number}/{said}"
        yield Message(key, name, key, time_ms, "user", pair[said])


if __name__ == "__main__":
    main()
