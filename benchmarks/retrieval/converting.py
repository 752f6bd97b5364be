"""The common part of the converters of published benchmarks."""

import json
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from .folder import Memory, Message, Query, Source, write

DAY_MS = 86_400_000

# From one message to the next where only a session has a time.
STEP_MS = 30_000


def unix_ms(text: str, layout: str) -> int:
    """Return *text*, a time without a zone in that *layout*, as unix milliseconds."""
    return int(datetime.strptime(text, layout).replace(tzinfo=UTC).timestamp() * 1_000)


def numbers_of_sessions(conversation: dict[str, Any]) -> list[int]:
    """Return the numbers of the sessions that have turns: of the keys "session_1", "session_2" …"""
    keys = (re.fullmatch(r"session_(\d+)", key) for key in conversation)
    return sorted(int(key[1]) for key in keys if key and conversation[key[0]])


def text_of(turn: dict[str, Any], field: str) -> str:
    """Return what was said in a turn, and in brackets what a picture sent with it shows."""
    caption = turn.get("blip_caption")
    return f"{turn[field]} [{caption}]" if caption else turn[field]


def questions(messages: Sequence[Message], asked: Iterable[dict[str, Any]]) -> tuple[Query, ...]:
    """Return the questions {question, evidence, category} that some of *messages* answer.

    They are asked a day after the last message, by nobody who took part.
    """
    memory = messages[0].memory
    last = max(message.time_ms for message in messages)
    known = {message.id for message in messages}
    made = []
    for number, question in enumerate(asked, 1):
        gold = [f"{memory}/{turn}" for turn in _turns(question["evidence"])]
        gold = [turn for turn in gold if turn in known]
        if gold:
            made.append(
                Query(
                    qid=f"{memory}/q{number}",
                    memory=memory,
                    text=question["question"],
                    asked_ms=last + DAY_MS,
                    gold=tuple(gold),
                    category=str(question["category"]),
                )
            )
    return tuple(made)


def _turns(evidence: Iterable[str]) -> list[str]:
    """Return the turns, each once, that *evidence* names; some texts name several, or "D30:05"."""
    found = (turn for text in evidence for turn in re.findall(r"D\s*(\d+):(\d+)", text))
    return list(dict.fromkeys(f"D{int(session)}:{int(turn)}" for session, turn in found))


def command(
    benchmark: str,
    description: str,
    convert: Callable[[Path], Iterable[Memory]],
    tuned_on: Collection[str] = (),
) -> click.Command:
    """Return the command that converts SOURCE, files of *benchmark*, into FOLDER.

    Numbers of the ranking are chosen on the memories *tuned_on* and on no others, so that figures
    about the others mean something. The last part of a memory's name identifies it.
    """

    def run(source: Path, folder: Path, part: str = "all") -> None:
        memories = (
            memory
            for memory in convert(source)
            if part == "all" or (part == "tuning") == (memory.name.split("/")[-1] in tuned_on)
        )
        click.echo(write(folder, memories, Source(benchmark, part)))

    source = click.Argument(["source"], type=click.Path(exists=True, path_type=Path))
    folder = click.Argument(["folder"], type=click.Path(file_okay=False, path_type=Path))
    parts = click.Choice(["all", "tuning", "unseen"])
    part = click.Option(["--part"], type=parts, default="unseen", show_default=True)
    params = [source, folder, *([part] if tuned_on else [])]
    return click.Command(None, callback=run, params=params, help=description)


def loaded(path: Path) -> Any:
    """Return what the JSON file *path* holds."""
    return json.loads(path.read_text(encoding="utf-8"))
