"""REALTALK (Lee et al. 2025): the folder `data` of github.com/danny911kr/REALTALK.

Ten conversations of two people over three weeks, a file each; every message has its time.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .converting import command, loaded, numbers_of_sessions, questions, text_of, unix_ms
from .folder import Memory, Message


def memories(source: Path) -> Iterator[Memory]:
    """Yield the conversations of the folder *source*."""
    for path in sorted(source.glob("Chat_*.json")):
        chat = loaded(path)
        messages = tuple(_messages(path.stem, chat))
        yield Memory(path.stem, messages, questions(messages, chat["qa"]))


def _messages(memory: str, chat: dict[str, Any]) -> Iterator[Message]:
    for session in numbers_of_sessions(chat):
        for turn in chat[f"session_{session}"]:
            yield Message(
                id=f"{memory}/{turn['dia_id']}",
                memory=memory,
                thread=f"{memory}/{session}",
                time_ms=unix_ms(turn["date_time"], "%d.%m.%Y, %H:%M:%S"),
                speaker=turn["speaker"],
                text=text_of(turn, "clean_text"),
            )


main = command(
    "REALTALK", "Convert SOURCE, the folder of the Chat_*.json files, into FOLDER.", memories
)

if __name__ == "__main__":
    main()
