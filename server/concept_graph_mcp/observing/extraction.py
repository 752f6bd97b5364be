"""Extract a message's entities with a model, and check every claim that it makes."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import resources
from typing import Any

from conceptgraph_core.entities import inputs, names, schema
from conceptgraph_core.errors import ConceptGraphError

from ..extras.chat_model import Chat, Model, Reply
from .sessions import Candidate

Row = dict[str, Any]

# The number of earlier messages that a model sees, and the characters of each.
BEFORE = 6
_MOST_OF_ONE = 1_000
_TIMES_ASKED = 2

# The kinds that a model may use, so that one thing has one kind.
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


@dataclass(frozen=True, slots=True)
class Said:
    """A message: its speaker, "user" or "model", and its text; `notes` resolve its pronouns."""

    speaker: str
    text: str
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class Extracted:
    """The usable observations, and the number of refused claims of the model."""

    observations: list[Row] = field(default_factory=list)
    relations: list[Row] = field(default_factory=list)
    refused: int = 0


async def extract_observations(
    model: Model, before: Sequence[Said], message: Said, known: Sequence[Candidate] = ()
) -> Extracted | None:
    """Return the model's observations on *message*; None if its reply cannot be parsed.

    The model sees the *known* entities, and can name one of them as meant. Raises ModelError.
    """
    prompt = resources.files(__package__).joinpath("prompt.md").read_text(encoding="utf-8")
    chat: list[Chat] = [
        {"role": "system", "content": prompt},
        {"role": "user", "content": _write_prompt(before, message, known)},
    ]
    for _ in range(_TIMES_ASKED):
        answer = _answer(await model.reply(chat, [_TOOL]))
        if answer is not None:
            return _keep_valid(answer, {one.entity_id for one in known})
    return None


def _write_prompt(before: Sequence[Said], message: Said, known: Sequence[Candidate]) -> str:
    lines = [f"{one.speaker}: {one.text[:_MOST_OF_ONE]}" for one in before]
    said = ["Before it:", *lines, ""] if before else []
    if known:
        said += ["Known already, by id:", *(f"- {one}" for one in known), ""]
    said += [f"The message, by the {message.speaker}:", message.text]
    return "\n".join([*said, *(["", *message.notes] if message.notes else [])])


def _answer(reply: Reply) -> Row | None:
    """Return the arguments of the call, or the JSON object in the text."""
    said = [call.arguments for call in reply.calls if call.name == "observe"] or [reply.text]
    text = said[0]
    try:
        answer = json.loads(text[text.index("{") : text.rindex("}") + 1])
    except (ValueError, RecursionError):
        return None
    return answer if isinstance(answer, dict) else None


def _keep_valid(answer: Row, ids: set[str]) -> Extracted:
    """Remove invalid observations and relations from *answer*; keep the rest.

    *ids* were shown to the model: an observation can be the same as one of these only.
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
        # A relation needs the name of an observation in this message.
        if {related.source, related.target} <= known:
            made.relations.append(row)
        else:
            made.refused += 1
    return made


def _left_out(row: Row, ids: set[str]) -> int:
    """Remove an invalid id or kind, and invalid facts, from *row*; return their number."""
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
    """Remove facts whose value names a missing observation; return their number."""
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
    """Return the *known* fields of *value* that are set.

    A model may add fields, or leave some empty.
    """
    if not isinstance(value, dict):
        return {}
    return {key: one for key, one in value.items() if key in known and one not in (None, "")}
