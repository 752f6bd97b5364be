"""Read the reference memory server's file, a JSON object a line: entities and relations.

An entity becomes a concept, its type an is-a relation, each observation an episode that it evokes.
A relation of a foreign type becomes evokes, and its sentence an episode of both ends.
"""

from collections.abc import Iterator

from conceptgraph_core.concepts import schema
from conceptgraph_core.text import kind

from .lines import (
    FormatError,
    Lines,
    Naming,
    Record,
    Row,
    json_object,
    shorten_key,
    spell_relation,
    text,
)
from .tally import Tally

SERVER_MEMORY = "server-memory"
_FIELDS = {
    "entity": {"type", "name", "entityType", "observations"},
    "relation": {"type", "from", "to", "relationType"},
}


def read(lines: Lines, naming: Naming, tally: Tally) -> Iterator[Row]:
    """Read entities and relations, and count conversions. Raises FormatError."""
    for number, line in lines:
        record = json_object(number, line)
        given = record.get("type")
        if given not in ("entity", "relation"):
            raise FormatError(f'line {number}: type must be "entity" or "relation"')
        for key in record.keys() - _FIELDS[given]:
            tally.left_out("fields of no meaning here", shorten_key(key))
        made = _entity if given == "entity" else _relation
        yield from (Row(number, each) for each in made(number, record, naming, tally))


def sentence(source: str, relation: str, target: str) -> str:
    """Return a relation as a sentence."""
    return f"{source} {relation.strip().replace('_', ' ')} {target}"


def _entity(number: int, record: Record, naming: Naming, tally: Tally) -> Iterator[Record]:
    name = text(number, record, "name")
    yield {"kind": "concept", "name": name}
    if record.get("entityType") is not None:
        entity_type = text(number, record, "entityType")
        if entity_type == name:
            tally.left_out("types of the same name as their entity", shorten_key(name))
        elif entity_type.strip():
            yield _make_relation(name, entity_type, "is-a")
    observations = record.get("observations") or []
    if not isinstance(observations, list):
        raise FormatError(f"line {number}: observations: must be a list, not {kind(observations)}")
    for observation in observations:
        if not isinstance(observation, str):
            raise FormatError(f"line {number}: observations: must be text, not {kind(observation)}")
        if observation.strip():
            yield from _episode([name], observation, naming)
        else:
            tally.left_out("empty observations")


def _relation(number: int, record: Record, naming: Naming, tally: Tally) -> Iterator[Record]:
    source, target, relation = (text(number, record, k) for k in ("from", "to", "relationType"))
    if not relation.strip():
        raise FormatError(f"line {number}: relationType: must not be empty")
    kept = spell_relation(relation) if spell_relation(relation) in schema.RELATION_TYPES else None
    if source == target:
        tally.left_out("relations to themselves", shorten_key(sentence(source, relation, target)))
    else:
        yield _make_relation(source, target, kept or "evokes")
    if kept is None:
        said = sentence(source, relation, target)
        if not naming.knows(source, said):
            tally.count_changed(
                "relations to evokes, with what they say as an episode", shorten_key(relation)
            )
        yield from _episode(list(dict.fromkeys((source, target))), said, naming)


def _episode(concepts: list[str], said: str, naming: Naming) -> Iterator[Record]:
    name = naming.episode(concepts[0], said)
    yield {"kind": "episode", "name": name, "summary": said}
    for concept in concepts:
        yield _make_relation(concept, name, "evokes")


def _make_relation(source: str, target: str, relation: str) -> Record:
    return {"kind": "relation", "from": source, "to": target, "type": relation}
