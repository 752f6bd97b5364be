"""Read the reference memory server's file, a JSON object a line: entities and relations.

An entity becomes a concept, its type an is-a relation, each observation an episode that it evokes.
A relation of a foreign type becomes evokes, and its sentence an episode of both ends.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from conceptgraph_core.concepts import schema
from conceptgraph_core.text import kind

from .lines import (
    FormatError,
    Lines,
    Naming,
    Record,
    Row,
    Tally,
    json_object,
    shorten_key,
    spell_relation,
    text,
)

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


class Told(NamedTuple):
    """A text of an entity's observation or a relation, and the others that it is about."""

    text: str
    about: tuple[dict[str, str], ...]


def tell(rows: Iterable[Record], called: Iterable[str]) -> Iterator[Told]:
    """Iterate over what the records of some lines say, as texts that stand alone.

    The entities that stand for the user, such as "default_user" and those *called* so, are named
    "the user". All observations of another one are one text, or several if they are long: so a
    question that describes it finds all of it.
    """
    rows, users = list(rows), {*_USERS, *map(_fold, called)}
    ties = [one for one in rows if one["kind"] == schema.LAYER.edge_kind]
    kinds = {one["from"]: one["to"] for one in ties if one["type"] == "is-a"}
    ends: dict[str, list[str]] = defaultdict(list)
    for one in ties:
        ends[one["to"]].append(one["from"])
    observed: dict[str, list[str]] = defaultdict(list)
    for episode in (one for one in rows if one["kind"] == "episode"):
        of = ends[episode["name"]]
        others = [one for one in of if _fold(one) not in users]
        if len(of) == 1 and others:
            observed[of[0]].append(episode["summary"])
            continue
        said = _observation("The user", of[0], episode["summary"])
        if len(of) > 1:
            # A relation of two names of the user says the other name.
            said = _sentence(episode["summary"], of if others else of[:1], users)
        yield Told(said, tuple(_describe_name(one, kinds) for one in others))
    for name, every in observed.items():
        about = _describe_name(name, kinds)
        for text_of_some in _join(about, [_observation(about["name"], name, one) for one in every]):
            yield Told(text_of_some, (about,))


def is_user(name: str, called: Iterable[str]) -> bool:
    """Tell whether the entity *name* stands for the user, who may be *called* by other names."""
    return _fold(name) in {*_USERS, *map(_fold, called)}


def _join(about: Mapping[str, str], told: Sequence[str]) -> Iterator[str]:
    """Iterate over texts of sentences that say of whom they are: one unless they are long."""
    bare = f"{about['name']}:"
    head = f"{about['name']} ({about['kind']}):" if "kind" in about else bare
    if len(told) == 1:
        yield told[0].replace(bare, head) if told[0].startswith(bare) else told[0]
        return
    made = head
    for one in told:
        # The name stands before it already.
        said = one.removeprefix(f"{bare} ").rstrip(". ")
        if len(made) > len(head) and len(made) + len(said) > _LONGEST_TEXT:
            yield made
            made = head
        made += f" {said}."
    yield made


def _describe_name(name: str, kinds: Mapping[str, str]) -> dict[str, str]:
    kind = kinds.get(name)
    return {"name": _space_words(name)} | ({} if kind is None else {"kind": _space_words(kind)})


def _observation(shown: str, name: str, said: str) -> str:
    """Return what is *said* of *name* as a sentence about the one *shown*."""
    if _fold(said).startswith((_fold(name), *_USERS)):
        return said
    first, _, rest = said.partition(" ")
    is_verb = first.isalpha() and first.endswith("s") and not first.endswith("ss")
    return f"{shown} {first.lower()} {rest}" if is_verb else f"{shown}: {said}"


def _sentence(said: str, ends: Iterable[str], users: Collection[str]) -> str:
    """Return *said*, the sentence of a relation, with its ends as people call them."""
    for name in ends:
        shown = "the user" if _fold(name) in users else _space_words(name)
        said = said.replace(name.replace("_", " "), shown).replace(name, shown)
    return said[:1].upper() + said[1:]


def _space_words(name: str) -> str:
    return " ".join(name.replace("_", " ").split()) or name


def _fold(name: str) -> str:
    return _space_words(name).casefold()


# Texts of this length are still about one thing, and are shown as they are.
_LONGEST_TEXT = 700
# The names under which agents store the user.
_USERS = ("default user", "the user", "user")
