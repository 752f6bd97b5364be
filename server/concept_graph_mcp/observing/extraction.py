"""What a message mentions, told by a model; all that it claims is checked, and none is believed."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import resources
from typing import Any, Protocol

from conceptgraph_core.entities import observed, schema
from conceptgraph_core.errors import ConceptGraphError

from ..backfill.conversation import Chat, Reply

Row = dict[str, Any]

# How much of what was said before a model is given, and of one message of it.
BEFORE = 6
_MOST_OF_ONE = 1_000
_TIMES_ASKED = 2

_OBSERVATION = {
    "type": "object",
    "properties": {
        "label": {"type": "string"},
        "type": {"type": "string", "enum": list(schema.NODE_TYPES)},
        "kind": {"type": "string"},
        "span": {"type": "string"},
        "valence": {"type": "number", "minimum": -1, "maximum": 1},
        "intensity": {"type": "number", "minimum": 0, "maximum": 1},
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


async def extracted(model: Model, before: Sequence[Said], message: Said) -> Extracted | None:
    """Return what *model* says that *message* mentions; None if it says nothing that can be read.

    Raises ModelError.
    """
    prompt = resources.files(__package__).joinpath("prompt.md").read_text(encoding="utf-8")
    chat: list[Chat] = [
        {"role": "system", "content": prompt},
        {"role": "user", "content": _told(before, message)},
    ]
    for _ in range(_TIMES_ASKED):
        answer = _answer(await model.reply(chat, [_TOOL]))
        if answer is not None:
            return _checked(answer)
    return None


def _told(before: Sequence[Said], message: Said) -> str:
    lines = [f"{one.speaker}: {one.text[:_MOST_OF_ONE]}" for one in before]
    said = ["Before it:", *lines, ""] if before else []
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


def _checked(answer: Row) -> Extracted:
    """Leave out of *answer* what no observation or relation can be; the rest is taken."""
    made = Extracted()
    known: set[str] = set()
    for one in _list(answer.get("observations"))[: schema.MAX_OBSERVATIONS]:
        row = _only(one, _OBSERVATION["properties"])
        try:
            [checked] = observed.observations([row])
        except ConceptGraphError:
            made.refused += 1
            continue
        known.add(checked.name)
        made.observations.append(row)
    for one in _list(answer.get("relations"))[: schema.MAX_OBSERVATIONS]:
        row = _only(one, _RELATION["properties"])
        try:
            [related] = observed.relations([row])
        except ConceptGraphError:
            made.refused += 1
            continue
        # What nothing in this message is called cannot be related by it.
        if {related.source, related.target} <= known:
            made.relations.append(row)
        else:
            made.refused += 1
    return made


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _only(value: Any, known: Any) -> Row:
    """Return of *value* what is *known* and said: a model may add fields, or leave them empty."""
    if not isinstance(value, dict):
        return {}
    return {key: one for key, one in value.items() if key in known and one not in (None, "")}
