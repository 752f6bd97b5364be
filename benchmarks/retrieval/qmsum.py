"""QMSum (Zhong et al. 2021): a folder of `data/ALL` of github.com/Yale-LILY/QMSum (MIT).

Meetings of product teams, researchers and committees, a file each, and questions about spans of
their turns. All meetings of the folder are one memory, a day each.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .converting import DAY_MS, STEP_MS, command, loaded
from .folder import Memory, Message, Query

_BEGINS_MS = 1_700_000_000_000
# Sounds and breaks, noted beside the words.
_NOTED = re.compile(r"\{\w+\}")


def memories(source: Path) -> Iterator[Memory]:
    """Yield the meetings of the folder *source*, as one memory."""
    meetings = {path.stem: loaded(path) for path in sorted(source.glob("*.json"))}
    messages = [
        message
        for number, (name, meeting) in enumerate(meetings.items())
        for message in _messages(name, meeting, _BEGINS_MS + number * DAY_MS)
    ]
    asked_ms = _BEGINS_MS + len(meetings) * DAY_MS
    queries = [
        Query(f"{name}/q{number}", "QMSum", one["query"], asked_ms, _turns(name, one))
        for name, meeting in meetings.items()
        for number, one in enumerate(meeting["specific_query_list"], 1)
    ]
    yield Memory("QMSum", tuple(messages), tuple(queries))


def _messages(name: str, meeting: dict[str, Any], begins_ms: int) -> Iterator[Message]:
    for number, turn in enumerate(meeting["meeting_transcripts"]):
        yield Message(
            id=f"{name}/{number}",
            memory="QMSum",
            thread=name,
            time_ms=begins_ms + number * STEP_MS,
            speaker=turn["speaker"],
            text=" ".join(_NOTED.sub("", turn["content"]).split()),
        )


def _turns(name: str, asked: dict[str, Any]) -> tuple[str, ...]:
    spans = asked["relevant_text_span"]
    turns = (turn for first, last in spans for turn in range(int(first), int(last) + 1))
    return tuple(f"{name}/{turn}" for turn in turns)


main = command("QMSum", "Convert SOURCE, a folder such as data/ALL/test, into FOLDER.", memories)

if __name__ == "__main__":
    main()
