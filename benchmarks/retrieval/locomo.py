"""LoCoMo (Maharana et al. 2024): `data/locomo10.json` of github.com/snap-research/locomo.

Ten conversations of two people over months. A session has one time; a turn's picture has a caption.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from .converting import STEP_MS, loaded, numbers_of_sessions, questions, text_of, unix_ms
from .folder import Memory, Message, write

# Nothing is tuned on any other, so that what is measured on the other seven means something.
TUNED_ON = ("conv-26", "conv-30", "conv-41")


def memories(source: Path, part: str = "all") -> Iterator[Memory]:
    """Yield the conversations of *source*: "all", those for "tuning", or the "unseen" ones."""
    for sample in loaded(source):
        if part == "all" or (part == "tuning") == (sample["sample_id"] in TUNED_ON):
            messages = tuple(_messages(sample["sample_id"], sample["conversation"]))
            asked = questions(messages, sample["qa"])
            yield Memory(sample["sample_id"], messages, asked)


def _messages(memory: str, conversation: dict[str, Any]) -> Iterator[Message]:
    for session in numbers_of_sessions(conversation):
        time = unix_ms(conversation[f"session_{session}_date_time"], "%I:%M %p on %d %B, %Y")
        for number, turn in enumerate(conversation[f"session_{session}"]):
            yield Message(
                id=f"{memory}/{turn['dia_id']}",
                memory=memory,
                thread=f"{memory}/{session}",
                time_ms=time + number * STEP_MS,
                speaker=turn["speaker"],
                text=text_of(turn, "text"),
            )


@click.command()
@click.argument("source", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option("--part", type=click.Choice(["all", "tuning", "unseen"]), default="unseen")
def main(source: Path, folder: Path, part: str) -> None:
    """Convert SOURCE, which is locomo10.json, into FOLDER."""
    click.echo(write(folder, memories(source, part)))


if __name__ == "__main__":
    main()
