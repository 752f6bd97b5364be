"""What a message mentions, told by a model; all that it claims is checked, and none is believed."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import resources
from typing import Any, Protocol

from conceptgraph_core.entities import inputs, names, schema
from conceptgraph_core.errors import ConceptGraphError

from ..backfill.conversation import Chat, Reply
from .known import Candidate

Row = dict[str, Any]

# How much of what was said before a model is given, and of one message of it.
BEFORE = 6
_MOST_OF_ONE = 1_000
_TIMES_ASKED = 2

# What a model may call something, so that one thing has one kind.
KINDS = (
    *("person", "mother", "father", "sister", "brother", "daughter", "son", "grandmother"),
    *("grandfather", "aunt", "uncle", "cousin", "wife", "husband", "partner", "girlfriend"),
    *("boyfriend", "friend", "roommate", "neighbour", "boss", "colleague", "doctor", "teacher"),
    *("therapist", "pet", "dog", "cat", "horse", "bird", "company", "school", "organisation"),
    *("team", "place", "city", "country", "home", "restaurant", "project", "product", "software"),
    *("book", "film", "music", "game", "food", "drink", "sport", "vehicle", "thing"),
)
_FACT = {
    "type": "object",
    "properties": {
        "predicate": {"type": "string"},
        "value": {"type": "string"},
        "object": {"type": "string"},
        "span": {"type": "string"},
        "mode": {"type": "string", "enum": list(schema.FACT_MODES)},
    },
    "required": ["predicate"],
}
_OBSERVATION = {
    "type": "object",
    "properties": {
        "label": {"type": "string"},
        "type": {"type": "string", "enum": list(schema.NODE_TYPES)},
        "kind": {"type": "string", "enum": list(KINDS)},
        "span": {"type": "string"},
        "valence": {"type": "number", "minimum": -1, "maximum": 1},
        "intensity": {"type": "number", "minimum": 0, "maximum": 1},
        "same_as": {"type": "string"},
        "new": {"type": "boolean"},
        "qualifier": {"type": "string"},
        "facts": {"type": "array", "items": _FACT},
    },
    "required": ["label", "type"],
}
_RELATION = {
    "type": "object",
    "properties": {
        "from": {"type": "string"},
        "to": {"type": "string"},
        "type": {"type": "string", "enum": list(schema.RELATIONS)},
        "span": {"type": "string"},
    },
    "required": ["from", "to", "type"],
}
_TOOL: Chat = {
    "type": "function",
    "function": {
        "name": "observe",
        "description": "Say what the last message mentions.",
        "parameters": {
            "type": "object",
            "properties": {
                "observations": {"type": "array", "items": _OBSERVATION},
                "relations": {"type": "array", "items": _RELATION},
            },
            "required": ["observations"],
        },
    },
}


class Model(Protocol):
    """Any chat model that can call tools."""

    async def reply(self, chat: Sequence[Chat], tools: Sequence[Chat]) -> Reply:
        """Return the model's next message in *chat*. Raises ModelError."""


@dataclass(frozen=True, slots=True)
class Said:
    """A message: who spoke, "user" or "model", and its text; `notes` say who a pronoun means."""

    speaker: str
    text: str
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class Extracted:
    """What can be observed, and how much of what the model said is of no use."""

    observations: list[Row] = field(default_factory=list)
    relations: list[Row] = field(default_factory=list)
    refused: int = 0


async def extracted(
    model: Model, before: Sequence[Said], message: Said, known: Sequence[Candidate] = ()
) -> Extracted | None:
    """Return what *model* says that *message* mentions; None if it says nothing that can be read.

    It is shown those that are *known*, and can say that one of them is meant. Raises ModelError.
    """
    prompt = resources.files(__package__).joinpath("prompt.md").read_text(encoding="utf-8")
    chat: list[Chat] = [
        {"role": "system", "content": prompt},
        {"role": "user", "content": _told(before, message, known)},
    ]
    for _ in range(_TIMES_ASKED):
        answer = _answer(await model.reply(chat, [_TOOL]))
        if answer is not None:
            return _checked(answer, {one.entity_id for one in known})
    return None


def _told(before: Sequence[Said], message: Said, known: Sequence[Candidate]) -> str:
    lines = [f"{one.speaker}: {one.text[:_MOST_OF_ONE]}" for one in before]
    said = ["Before it:", *lines, ""] if before else []
    if known:
        said += ["Known already, by id:", *(f"- {one}" for one in known), ""]
    said += [f"The message, by the {message.speaker}:", message.text]
    return "\n".join([*said, *(["", *message.notes] if message.notes else [])])


def _answer(reply: Reply) -> Row | None:
    """Return the arguments of the call, or the JSON object that the text is or has in it."""
    said = [call.arguments for call in reply.calls if call.name == "observe"] or [reply.text]
    text = said[0]
    try:
        answer = json.loads(text[text.index("{") : text.rindex("}") + 1])
    except (ValueError, RecursionError):
        return None
    return answer if isinstance(answer, dict) else None


def _checked(answer: Row, ids: set[str]) -> Extracted:
    """Leave out of *answer* what no observation or relation can be; the rest is taken.

    *ids* are those that it was shown: what it says to be the same must be one of them.
    """
    made = Extracted()
    known: set[str] = set()
    for one in _list(answer.get("observations"))[: schema.MAX_OBSERVATIONS]:
        row = _only(one, _OBSERVATION["properties"])
        made.refused += _left_out(row, ids)
        try:
            [checked] = inputs.observations([row])
        except ConceptGraphError:
            made.refused += 1
            continue
        known.add(checked.name)
        made.observations.append(row)
    for row in made.observations:
        made.refused += _without_unknown(row, known)
    for one in _list(answer.get("relations"))[: schema.MAX_OBSERVATIONS]:
        row = _only(one, _RELATION["properties"])
        try:
            [related] = inputs.relations([row])
        except ConceptGraphError:
            made.refused += 1
            continue
        # What nothing in this message is called cannot be related by it.
        if {related.source, related.target} <= known:
            made.relations.append(row)
        else:
            made.refused += 1
    return made


def _left_out(row: Row, ids: set[str]) -> int:
    """Leave out of *row* an id and a kind that are none, and facts that cannot be; count them."""
    facts = [_only(one, _FACT["properties"]) for one in _list(row.pop("facts", None))]
    wrong = [
        name
        for name, allowed in (("same_as", ids), ("kind", KINDS))
        if name in row and row[name] not in allowed
    ]
    for name in wrong:
        del row[name]
    usable = [one for one in facts if _is_fact(one)]
    if usable:
        row["facts"] = usable
    return len(wrong) + len(facts) - len(usable)


def _is_fact(fact: Row) -> bool:
    try:
        inputs.observations([{"label": schema.SELF, "type": "entity", "facts": [fact]}])
    except ConceptGraphError:
        return False
    return True


def _without_unknown(row: Row, known: set[str]) -> int:
    """Leave out facts whose value is to be an observation that there is none of; count them."""
    facts = row.get("facts", [])
    usable = [
        one for one in facts if "object" not in one or names.canonical(one["object"]) in known
    ]
    if len(usable) < len(facts):
        row["facts"] = usable
    return len(facts) - len(usable)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _only(value: Any, known: Any) -> Row:
    """Return of *value* what is *known* and said: a model may add fields, or leave them empty."""
    if not isinstance(value, dict):
        return {}
    return {key: one for key, one in value.items() if key in known and one not in (None, "")}
