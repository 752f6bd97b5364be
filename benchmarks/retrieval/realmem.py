"""RealMem (Bian et al. 2026): the folder `dataset` of github.com/zhiyuan5986/RealMemBench.

Ten personas, a file each, in sessions with an assistant over half a year. A session has a day. The
user's own messages are the questions, and earlier sessions the answers.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .converting import command, loaded, unix_ms
from .folder import Memory, Message, Query

TUNED_ON = ("Kenta_Tanaka", "Liam_O_Connor")

_ENDING = "_dialogues_256k.json"
_BETWEEN_MS = 60_000
_STEP_MS = 1_000


def memories(source: Path) -> Iterator[Memory]:
    """Yield the personas of the folder *source*."""
    for path in sorted(source.glob(f"*{_ENDING}")):
        name, sessions = path.name.removesuffix(_ENDING), loaded(path)["dialogues"]
        starts = _starts(sessions)
        messages = tuple(
            Message(
                id=f"{name}/{number}:{place}",
                memory=name,
                thread=f"{name}/s{number}",
                time_ms=start + (place + 1) * _STEP_MS,
                speaker=turn["speaker"],
                text=turn["content"],
            )
            for number, (session, start) in enumerate(zip(sessions, starts, strict=True))
            for place, turn in enumerate(session["dialogue_turns"])
        )
        yield Memory(name, messages, tuple(_queries(name, sessions, starts)))


def _starts(sessions: list[dict[str, Any]]) -> list[int]:
    """Return when each session starts: on its day, and after the end of the one before."""
    starts: list[int] = []
    end = 0
    for session in sessions:
        day = unix_ms(session["current_time"][:10], "%Y-%m-%d")
        starts.append(max(day, end + _BETWEEN_MS))
        end = starts[-1] + len(session["dialogue_turns"]) * _STEP_MS
    return starts


def _queries(name: str, sessions: list[dict[str, Any]], starts: list[int]) -> Iterator[Query]:
    numbers = {session["session_uuid"]: number for number, session in enumerate(sessions)}
    for number, (session, start) in enumerate(zip(sessions, starts, strict=True)):
        turns = session["dialogue_turns"]
        for place, turn in enumerate(turns[:-1]):
            used = turns[place + 1].get("memory_session_uuids", ())
            earlier = sorted({numbers[uuid] for uuid in used if numbers.get(uuid, number) < number})
            if turn.get("is_query") and earlier:
                yield Query(
                    qid=f"{name}/{number}:{place}",
                    memory=name,
                    text=turn["content"],
                    asked_ms=start,
                    gold=tuple(f"{name}/s{one}" for one in earlier),
                    asker=turn["speaker"],
                    category=turn["category_name"],
                    level="session",
                )


main = command("RealMem", "Convert SOURCE, the folder dataset, into FOLDER.", memories, TUNED_ON)

if __name__ == "__main__":
    main()
