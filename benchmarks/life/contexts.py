"""Judge the sentences of contexts: whether each is true, has its source, and was asked for."""

import re
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime

from .days import Lived, Told, context
from .graph import Graph, plain
from .histories import ZONE, History, Message, Row, rows
from .person import Person
from .report import Line
from .world import World

_QUOTED = re.compile("“([^”]*)”")
_USERS = re.compile(
    r"\b(the user|you) (said|mentioned|spoke|told)|by the user|user said", re.IGNORECASE
)


@dataclass
class Judged:
    """The sentences of a life's contexts, by what is wrong with them."""

    sentences: int = 0
    unsourced: int = 0
    date: list[str] = field(default_factory=list)
    speaker: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)


class Witness:
    """The messages, by the ids that sentences cite."""

    def __init__(self, history: History, graph: Graph) -> None:
        said = {message.id: message for message in history.messages}
        if history.imported is not None:
            said |= {one.id: one for one in _imported(history)}
        self.said = said
        self.graph = graph
        self.names = [
            f"{one['node_label']} ({one.get('qualifier')})" for one in graph.entities.values()
        ]

    def cited(self, source: Row) -> list[Message]:
        """Return the messages that a sentence cites by mentions."""
        ids = [self.graph.mentions.get(one) for one in source.get("mention_ids", ())]
        return [
            self.said[one["message_id"]] for one in ids if one and one["message_id"] in self.said
        ]

    def facts(self, source: Row) -> list[Row]:
        return [
            self.graph.facts[one] for one in source.get("fact_ids", ()) if one in self.graph.facts
        ]


def _imported(history: History) -> list[Message]:
    from .histories import ms

    assert history.imported is not None
    return [
        Message(
            history.users[0],
            row["id"],
            ms(row["at"]),
            row["thread"],
            "user" if row["speaker"] == "user" else "model",
            row["text"],
        )
        for row in rows(history.imported)
    ]


def judge(told: list[Told], witness: Witness) -> Judged:
    judged = Judged()
    for one in told:
        sentences = [parts for paragraph in one.paragraphs for parts in paragraph]
        for parts, source in zip(sentences, one.sources, strict=False):
            _judge(judged, parts, source, witness)
    return judged


def _judge(judged: Judged, parts: list[object], source: Row, witness: Witness) -> None:
    judged.sentences += 1
    messages, facts = witness.cited(source), witness.facts(source)
    text = "".join(part if isinstance(part, str) else _day(part) for part in parts)
    if not messages and not facts:
        judged.unsourced += 1
        return
    told = [_flat(one.text) for one in messages]
    told += [_flat(one.get("context") or one.get("source_span") or "") for one in facts]
    # A name is quoted too, where it is more than a word.
    told += witness.names
    for quoted in _QUOTED.findall(text):
        if not any(_flat(quoted).rstrip("…") in one for one in told):
            judged.words.append(text)
            break
    bare = _QUOTED.sub("", text)
    users = bool(_USERS.search(bare)) and "inferred" not in bare
    if (
        users
        and not any(one.speaker == "user" for one in messages)
        and not any(one["origin"] == "user" for one in facts)
    ):
        judged.speaker.append(text)
    days = {_day(one.at_ms) for one in messages if not users or one.speaker == "user"}
    for fact in facts:
        days |= {_day(value) for name, value in fact.items() if name in _TIMES}
    if any(_day(part) not in days for part in parts if not isinstance(part, str)):
        judged.date.append(text)


_TIMES = ("known_from", "known_until", "valid_from", "valid_until", "ended_at", "believed_until")


def _flat(text: str) -> str:
    """Return *text* as quotations have it, whichever way they write ends of lines."""
    return " ".join(text.replace("\\n", " ").split()).replace("“", "'").replace("”", "'")


def _day(at_ms: object) -> str:
    assert isinstance(at_ms, int)
    return datetime.fromtimestamp(at_ms / 1000, ZONE).date().isoformat()


async def lines(world: World, history: History, lived: Lived, person: Person) -> list[Line]:
    """Return what was told in the life, and what is told at its end for the names there are."""
    graph = Graph(await world.records(), person.user)
    judged = judge([*lived.told, *lived.greeted], Witness(history, graph))
    of = judged.sentences
    named = _named(history)
    missed = []
    for said, labels in named:
        text = plain((await context(person, said)).text)
        if not any(plain(label) in text for label in labels):
            missed.append(f"{said} -> {labels[0]}")
    greeted = lived.greeted
    if history.expected:
        greeted = greeted + [await context(person, one) for one in history.expected["greetings"]]
    loud = [
        f"{one.message} -> {one.tokens} tokens: {one.text[:90]}" for one in greeted if one.tokens
    ]
    return [
        Line(
            "context",
            "sentences with a date on which it was not said",
            len(judged.date),
            of,
            "0",
            some=judged.date,
        ),
        Line(
            "context",
            "sentences of the user's that the user did not say",
            len(judged.speaker),
            of,
            "0",
            some=judged.speaker,
        ),
        Line(
            "context",
            "sentences that quote what was not said there",
            len(judged.words),
            of,
            "0",
            some=judged.words,
        ),
        Line("context", "sentences that cite no mention and no fact", judged.unsourced, of, "0"),
        Line(
            "context",
            "greetings that are answered with people",
            len(loud),
            len(greeted),
            "0",
            some=loud,
        ),
        Line("context", "tokens told for greetings", sum(one.tokens for one in greeted), aim="0"),
        Line(
            "context",
            "messages that name somebody who is not told of",
            len(missed),
            len(named),
            "0",
            some=missed,
        ),
    ]


def _named(history: History) -> list[tuple[str, list[str]]]:
    """Return what to say, and how whom it names is called; one of these must be told."""
    called: dict[str, set[str]] = defaultdict(set)
    for message in history.messages:
        for seen in message.sees:
            called[seen["is"]].add(seen["label"])
    return [
        (one["say"], sorted(called[who], key=len, reverse=True))
        for one in history.expected.get("named", ())
        for who in one["names"]
        if who in called
    ]
