"""LoCoMo (Maharana et al. 2024): `data/locomo10.json` of github.com/snap-research/locomo.

Ten conversations of two people over months. A session has one time; a turn's picture has a caption.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .converting import (
    STEP_MS,
    command,
    loaded,
    numbers_of_sessions,
    questions,
    text_of,
    unix_ms,
)
from .folder import Memory, Message

TUNED_ON = ("conv-26", "conv-30", "conv-41")


def memories(source: Path) -> Iterator[Memory]:
    """Yield the conversations of *source*."""
    for sample in loaded(source):
        messages = tuple(_messages(sample["sample_id"], sample["conversation"]))
        yield Memory(sample["sample_id"], messages, questions(messages, sample["qa"]))


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


main = command("LoCoMo", "Convert SOURCE, locomo10.json, into FOLDER.", memories, TUNED_ON)

if __name__ == "__main__":
    main()
