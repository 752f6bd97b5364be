"""PersonaMem (Jiang et al. 2025): `questions_32k.csv` and `shared_contexts_32k.jsonl` in a folder.

The dataset is bowen-upenn/PersonaMem of huggingface.co; 128k and 1M are sizes as well. A context is
the history of a user with an assistant in sessions without times, each after a message of the
system with the persona. A question is about the messages before `end_index_in_shared_context`.

The makers name no message that answers. They say how far before the question its reference is, as a
share of the tokens; the session at that share of the characters counts as the answer.
"""

import csv
import json
import re
from collections.abc import Iterator, Sequence
from itertools import accumulate
from pathlib import Path

from .converting import DAY_MS, STEP_MS, command
from .folder import Memory, Message, Query

# Where the first session starts: contexts have no times, so sessions are a day apart.
_START_MS = 1_700_000_000_000
_SYSTEM = "system"


def memories(source: Path) -> Iterator[Memory]:
    """Yield the contexts of the folder *source* with the questions about each."""
    for path in sorted(source.glob("questions_*.csv")):
        size = path.stem.removeprefix("questions_")
        with path.open(encoding="utf-8", newline="") as file:
            questions = list(csv.DictReader(file))
        with (source / f"shared_contexts_{size}.jsonl").open(encoding="utf-8") as file:
            contexts = [context for line in file for context in json.loads(line).items()]
        for key, turns in contexts:
            name = f"{size}/{key}"
            messages = _messages(name, turns)
            asked = [one for one in questions if one["shared_context_id"] == key]
            queries = tuple(_query(name, messages, turns, one) for one in asked)
            yield Memory(name, tuple(one for one in messages if one.speaker != _SYSTEM), queries)


def _messages(name: str, turns: Sequence[dict[str, str]]) -> list[Message]:
    """Return a message for each of *turns*, those of the system included."""
    sessions = accumulate(turn["role"] == _SYSTEM for turn in turns)
    return [
        Message(
            id=f"{name}/{place}",
            memory=name,
            thread=f"{name}/s{session}",
            time_ms=_START_MS + session * DAY_MS + place * STEP_MS,
            speaker=turn["role"],
            text=re.sub(r"^(User|Assistant|Patient|Therapist): ", "", turn["content"]),
        )
        for place, (turn, session) in enumerate(zip(turns, sessions, strict=True))
    ]


def _query(
    name: str,
    messages: Sequence[Message],
    turns: Sequence[dict[str, str]],
    asked: dict[str, str],
) -> Query:
    seen = int(asked["end_index_in_shared_context"])
    ends = list(accumulate(len(turn["content"]) for turn in turns[:seen]))
    before = float(asked["distance_to_ref_proportion_in_context"].rstrip("%")) / 100
    at = (1 - before) * ends[-1]
    answer = next((n for n, end in enumerate(ends) if end > at), seen - 1)
    return Query(
        qid=f"{name}/{asked['question_id']}",
        memory=name,
        text=asked["user_question_or_message"],
        asked_ms=messages[seen - 1].time_ms + 1,
        gold=(messages[answer].thread,),
        asker="user",
        category=asked["question_type"],
        level="session",
    )


main = command(
    "PersonaMem", "Convert SOURCE, a folder with questions and contexts, into FOLDER.", memories
)

if __name__ == "__main__":
    main()
