"""BEAM (Tavakoli et al. 2025): a folder such as `chats/100K` of github.com/mohammadtavakoli78/BEAM.

Long chats with an assistant, a folder each; a batch of turns has one date. Questions that test
whether a model abstains have no answer and are left out.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from .converting import DAY_MS, STEP_MS, command, loaded, unix_ms
from .folder import Memory, Message, Query

TUNED_ON = ("1", "2", "3", "4", "5")


def memories(source: Path) -> Iterator[Memory]:
    """Yield the chats of the folder *source*, by their numbers."""
    folders = (path for path in source.iterdir() if path.name.isdigit())
    for folder in sorted(folders, key=lambda path: int(path.name)):
        memory = f"{source.name}/{folder.name}"
        # Where there is a shortened chat, the questions are about that.
        shortened = folder / "chat_trunecated.json"
        chat = loaded(shortened if shortened.exists() else folder / "chat.json")
        messages = tuple(_messages(memory, chat))
        asked = loaded(folder / "probing_questions/probing_questions.json")
        yield Memory(memory, messages, tuple(_queries(messages, asked)))


def _messages(memory: str, chat: list[dict[str, Any]]) -> Iterator[Message]:
    for number, batch in enumerate(chat, 1):
        turns = [message for turn in batch["turns"] for message in turn]
        anchors = [message["time_anchor"] for message in turns if message.get("time_anchor")]
        time = unix_ms(anchors[0], "%B-%d-%Y")
        for place, message in enumerate(turns):
            yield Message(
                id=f"{memory}/{message['id']}",
                memory=memory,
                thread=f"{memory}/batch {number}",
                time_ms=time + place * STEP_MS,
                speaker=message["role"],
                # The note of the makers at the end of a message: "->-> 1,1".
                text=re.sub(r"\s*->->\s*[\d,]*\s*$", "", message["content"]),
            )


def _queries(
    messages: tuple[Message, ...], asked: dict[str, list[dict[str, Any]]]
) -> Iterator[Query]:
    memory, known = messages[0].memory, {message.id for message in messages}
    last = max(message.time_ms for message in messages)
    for category, questions in asked.items():
        for number, question in enumerate(questions, 1):
            gold = dict.fromkeys(f"{memory}/{id}" for id in _ids(question.get("source_chat_ids")))
            answers = tuple(id for id in gold if id in known)
            if answers:
                yield Query(
                    qid=f"{memory}/{category} {number}",
                    memory=memory,
                    text=question["question"],
                    asked_ms=last + DAY_MS,
                    gold=answers,
                    asker="user",
                    category=category,
                )


def _ids(nested: Any) -> Iterable[int]:
    """Yield the numbers in *nested*, which is lists in lists, or lists by what they are about."""
    if isinstance(nested, int):
        yield nested
    elif isinstance(nested, dict):
        yield from _ids(list(nested.values()))
    elif isinstance(nested, list):
        for one in nested:
            yield from _ids(one)


main = command(
    "BEAM", "Convert SOURCE, a folder of chats of one size, into FOLDER.", memories, TUNED_ON
)

if __name__ == "__main__":
    main()
