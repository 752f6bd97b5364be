"""Read the question sets: stored texts, questions about them, and the expected answers.

A file in `lives/` has a user's messages, the notes an agent made of them, and questions:

* `languages`: the codes of the languages that the user writes. `kind`: `person` or `coding`.
* `messages`: `{at, said, keeps}`. Each of `keeps` has a `key` and the arguments of `remember`.
* `questions`: `{ask, answers, notes, also}`. A right answer contains one string of each list in
  `answers`. `notes` are the keys of the relevant notes. `also` are a model's other words.
* `project`, of a message or a question: the name of the project in which it was said, if in one.
* `unanswerable`: questions about known names, without a stored answer.
* `silence`: messages that name nobody known, so that `recall` should return nothing.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ..family.__main__ import HERE as FAMILY
from ..family.__main__ import iso, read, the_familys, unix_ms
from ..life.histories import ZONE
from ..retrieval import folder

HERE: Final = Path(__file__).parent
LIVES: Final = HERE / "lives"
# 100 greetings, remarks and questions about the world.
REMARKS: Final = HERE / "remarks.txt"
# The folder of the lives that may be tuned on.
TRAINING: Final = "training"
# LoCoMo's category of questions without an answer.
ADVERSARIAL: Final = "5"
NOON: Final = 12 * 3_600_000

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Case:
    """A question, its answers as any-of lists, and the keys of the relevant texts.

    Without *answers* any relevant text answers it. Keys in *ignored* are not counted. A returned
    key of *brings* adds the keys paired with it.
    """

    ask: str
    gold: frozenset[str] = frozenset()
    answers: tuple[tuple[str, ...], ...] = ()
    also: tuple[str, ...] = ()
    typed: str | None = None
    asked_ms: int | None = None
    asker: str | None = None
    project: str | None = None
    ignored: frozenset[str] = frozenset()
    brings: tuple[tuple[str, frozenset[str]], ...] = ()


@dataclass(frozen=True, slots=True)
class Part:
    """One user's memory, either lived message by message or ingested, and its questions."""

    user: str
    asked_ms: int
    cases: Sequence[Case]
    lived: Sequence[Row] = ()
    ingested: Sequence[folder.Message] = ()
    unanswerable: Sequence[str] = ()
    silence: Sequence[str] = ()
    languages: str = "en"
    zone: str = "UTC"
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Set:
    """A row of the table. Misses are printed only for sets that may be tuned on."""

    name: str
    parts: Sequence[Part]
    is_tuned: bool = False


def sets() -> list[Set]:
    """Return the sets in this folder."""
    tuned = [_tuned(the_familys()), *(_tuned(read(user)) for user in ("priya", "ruth"))]
    lives = [
        Set(
            path.relative_to(LIVES).with_suffix("").as_posix(),
            [life(path)],
            is_tuned=path.parent.name == TRAINING,
        )
        for path in sorted(LIVES.rglob("*.json"))
    ]
    files = "word_families", "typos", "long_notes"
    return [
        Set("the family's three lives", tuned, is_tuned=True),
        *lives,
        *(Set(file.replace("_", " "), [_pairs(HERE / f"{file}.json")]) for file in files),
    ]


def life(path: Path) -> Part:
    """Return the life in the file *path*."""
    told = json.loads(path.read_text(encoding="utf-8"))
    return Part(
        told["user"],
        unix_ms(told["asked_at"]),
        [
            Case(
                one["ask"],
                frozenset(one["notes"]),
                tuple(map(tuple, one["answers"])),
                tuple(one["also"]),
                project=one.get("project"),
            )
            for one in told["questions"]
        ],
        told["messages"],
        unanswerable=told["unanswerable"],
        silence=told["silence"],
        languages=told["languages"],
        kind=told.get("kind", ""),
    )


def conversations(path: Path) -> Set:
    """Return the conversations in *path* as a set; each question keeps its time and asker."""
    remarks = REMARKS.read_text(encoding="utf-8").splitlines()
    source = folder.source(path)
    parts = [_conversation(one, remarks) for one in folder.read(path)]
    return Set(str(source), parts, source.part == "tuning")


def _conversation(memory: folder.Memory, remarks: Sequence[str]) -> Part:
    sessions = {query.qid: query.level == "session" for query in memory.queries}
    threads: dict[str, set[str]] = {}
    for message in memory.messages:
        threads.setdefault(message.thread, set()).add(message.id)
    cases = [
        Case(
            query.text,
            frozenset().union(*(threads[one] for one in query.gold))
            if sessions[query.qid]
            else frozenset(query.gold),
            asked_ms=query.asked_ms,
            asker=query.asker,
        )
        for query in memory.queries
        if query.category != ADVERSARIAL
    ]
    last = max(message.time_ms for message in memory.messages)
    return Part(memory.name, last, cases, ingested=memory.messages, silence=remarks)


def _tuned(told: Row) -> Part:
    """Return a life that the ranking was tuned on. Notes containing an answer are relevant."""
    texts = {kept["key"]: kept["text"] for one in told["messages"] for kept in one["keeps"]}
    cases = []
    for one in told["questions"]:
        answers = tuple(one["answers"])
        folded = [answer.casefold() for answer in answers]
        gold = {key for key, text in texts.items() if any(s in text.casefold() for s in folded)}
        cases.append(Case(one["ask"], frozenset(gold), (answers,)))
    silence = (FAMILY / "silence.txt").read_text(encoding="utf-8").splitlines()
    return Part(
        *(told["user"], unix_ms(told["asked_at"]), cases, told["messages"]),
        silence=silence,
        languages="en,de",
        zone=ZONE.key,
    )


def _pairs(path: Path) -> Part:
    """Return the texts in *path*, stored one a day, each with its question."""
    told = json.loads(path.read_text(encoding="utf-8"))
    days = [1_750_000_000_000 + n * 2 * NOON for n in range(len(told) + 1)]
    lived = [
        {"at": iso(day), "said": None, "keeps": [{"key": str(n), **_kept(one)}]}
        for n, (day, one) in enumerate(zip(days, told, strict=False))
    ]
    cases = [
        Case(
            *(one["ask"], frozenset({str(n)}), ((one["answer"],),), tuple(one.get("also", ()))),
            typed=one.get("typed"),
        )
        for n, one in enumerate(told)
    ]
    return Part(path.stem, days[-1], cases, lived, languages="en,de,pt")


def _kept(one: Row) -> Row:
    return {"text": one["text"], "about": one.get("about", []), "keep": "normal"}
