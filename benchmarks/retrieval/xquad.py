"""XQuAD (Artetxe et al. 2020): the files `xquad.*.json` of github.com/google-deepmind/xquad.

Paragraphs of Wikipedia and questions about them (CC BY-SA 4.0), each in twelve languages: told in
one and asked in another. Every third question is taken.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from .converting import DAY_MS, loaded
from .folder import Memory, Message, Query, Source, write

_BEGINS_MS = 1_700_000_000_000
_EACH = 3


def memory(source: Path, told: str, asked: str) -> Memory:
    """Return the paragraphs in the language *told* and the questions in the language *asked*."""
    name = f"{told}, asked in {asked}"
    paragraphs = list(_paragraphs(source, told))
    messages = [
        Message(key, name, key, _BEGINS_MS + number * DAY_MS, "Reader", one["context"])
        for number, (key, one) in enumerate(paragraphs)
    ]
    asked_ms = _BEGINS_MS + len(messages) * DAY_MS
    queries = [
        Query(question["id"], name, question["question"], asked_ms, (key,))
        for key, one in _paragraphs(source, asked)
        for question in one["qas"]
    ]
    return Memory(name, tuple(messages), tuple(queries[::_EACH]))


def _paragraphs(source: Path, language: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for article, one in enumerate(loaded(source / f"xquad.{language}.json")["data"]):
        for number, paragraph in enumerate(one["paragraphs"]):
            yield f"{article}/{number}", paragraph


@click.command()
@click.argument("source", type=click.Path(exists=True, path_type=Path))
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option("--told", default="en", show_default=True, metavar="LANGUAGE")
@click.option("--asked", default="de", show_default=True, metavar="LANGUAGE")
def main(source: Path, folder: Path, told: str, asked: str) -> None:
    """Convert SOURCE, the folder of the xquad.*.json files, into FOLDER."""
    made = memory(source, told, asked)
    click.echo(write(folder, [made], Source(f"XQuAD {made.name}")))


if __name__ == "__main__":
    main()
