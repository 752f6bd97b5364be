"""LongMemEval (Wu et al. 2025): `longmemeval_s.json` and the like, of huggingface.co.

The dataset is xiaowu0162/longmemeval; `longmemeval_s_cleaned.json` has the same format. Each of the
500 questions has its own history of sessions with an assistant; the answers are whole sessions.
The 30 questions whose id ends in `_abs` have no answer and are left out, as by the makers.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .converting import STEP_MS, command, loaded, unix_ms
from .folder import Memory, Message, Query

_TIME = "%Y/%m/%d (%a) %H:%M"


def memories(source: Path) -> Iterator[Memory]:
    """Yield the questions of *source*, each as a memory with the history that it is asked about."""
    for asked in loaded(source):
        if not asked["question_id"].endswith("_abs"):
            yield _memory(asked)


def _memory(asked: dict[str, Any]) -> Memory:
    name = asked["question_id"]
    sessions = zip(
        asked["haystack_session_ids"],
        asked["haystack_dates"],
        asked["haystack_sessions"],
        strict=True,
    )
    # Some ids occur twice, so a thread has the session's number as well.
    numbered = sorted(
        ((unix_ms(date, _TIME), f"{name}/{n} {id}", id, turns)
         for n, (id, date, turns) in enumerate(sessions)),
        key=lambda session: session[0],
    )  # fmt: skip
    messages = tuple(
        Message(f"{thread}/{place}", name, thread, start + place * STEP_MS, turn["role"],
                turn["content"])
        for start, thread, _, turns in numbered
        for place, turn in enumerate(turns)
    )  # fmt: skip
    gold = tuple(thread for _, thread, id, _ in numbered if id in asked["answer_session_ids"])
    query = Query(
        qid=name,
        memory=name,
        text=asked["question"],
        asked_ms=unix_ms(asked["question_date"], _TIME),
        gold=gold,
        asker="user",
        category=asked["question_type"],
        level="session",
    )
    return Memory(name, messages, (query,) if gold else ())


main = command(
    "LongMemEval", "Convert SOURCE, longmemeval_s.json or the like, into FOLDER.", memories
)

if __name__ == "__main__":
    main()
