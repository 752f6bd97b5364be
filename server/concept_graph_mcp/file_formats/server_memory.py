"""Read the reference memory server's file, a JSON object a line: entities and relations.

An entity becomes a concept, its type an is-a relation, each observation an episode that it evokes.
A relation of a foreign type becomes evokes, and its sentence an episode of both ends. Both are
notes too, as texts that stand alone. Files of other versions have times, which count.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from conceptgraph_core.concepts import schema
from conceptgraph_core.texts.dates import unix_ms
from conceptgraph_core.texts.text import kind

from .lines import (
    NOTE,
    FormatError,
    Lines,
    Naming,
    Record,
    Row,
    Tally,
    json_objects,
    shorten_key,
    spell_relation,
    text,
)

# The times that some versions of the server write, the one that counts first.
_TIMES = ("timestamp", "updatedAt", "updated_at", "createdAt", "created_at")
_FIELDS = {
    "entity": {"type", "name", "entityType", "observations", *_TIMES},
    "relation": {"type", "from", "to", "relationType", *_TIMES},
}
# The keys of an observation that is a map, with its time.
_SAID = ("content", "text", "observation")
# Is told if nothing in a file stands for the user.
WHO = "Nothing in it is called default_user; --me NAME says which entity you are."


class _Observation(NamedTuple):
    """A text about an entity, and its time, if the file has one (unix ms)."""

    said: str
    at: int | None


def read(lines: Lines, naming: Naming, tally: Tally) -> Iterator[Row]:
    """Read entities and relations, and count conversions. Raises FormatError."""
    kinds: dict[str, str] = {}
    has_user = has_notes = False
    for number, record in json_objects(lines):
        given = record.get("type")
        if given not in ("entity", "relation"):
            raise FormatError(f'line {number}: type must be "entity" or "relation"')
        for key in record.keys() - _FIELDS[given]:
            tally.left_out("fields of no meaning here", shorten_key(key))
        made = _entity if given == "entity" else _relation
        for one in made(number, record, naming, kinds, tally):
            is_named = one["kind"] == "concept" and is_user(one["name"], naming.called)
            has_user = has_user or is_named
            if one["kind"] != NOTE or naming.with_notes:
                has_notes = has_notes or one["kind"] == NOTE
                yield Row(number, one)
    if has_notes and not has_user:
        tally.advise(WHO)


def sentence(source: str, relation: str, target: str) -> str:
    """Return a relation as a sentence."""
    return f"{source} {relation.strip().replace('_', ' ')} {target}"


def _entity(
    number: int, record: Record, naming: Naming, kinds: dict[str, str], tally: Tally
) -> Iterator[Record]:
    name = text(number, record, "name")
    yield {"kind": "concept", "name": name}
    if record.get("entityType") is not None:
        entity_type = text(number, record, "entityType")
        if entity_type == name:
            tally.left_out("types of the same name as their entity", shorten_key(name))
        elif entity_type.strip():
            kinds[name] = entity_type
            yield _make_relation(name, entity_type, "is-a")
    observations = record.get("observations") or []
    if not isinstance(observations, list):
        raise FormatError(f"line {number}: observations: must be a list, not {kind(observations)}")
    known: dict[str, _Observation] = {}
    for given in observations:
        one = _read_observation(number, given, _time(record))
        if one.said.strip():
            known.setdefault(one.said, one)
            yield from _episode([name], one, naming)
        else:
            tally.left_out("empty observations")
    if is_user(name, naming.called):
        for one in known.values():
            yield _note(_observation("The user", name, one.said), (), one.at)
        return
    about = _describe_name(name, kinds)
    by_time: dict[int | None, list[str]] = {}
    for one in known.values():
        by_time.setdefault(one.at, []).append(_observation(about["name"], name, one.said))
    for at, every in by_time.items():
        yield from (_note(one, (about,), at) for one in _join(about, every))


def _read_observation(number: int, given: Any, at: int | None) -> _Observation:
    said = given
    if isinstance(given, dict):
        said = next((given[key] for key in _SAID if key in given), None)
        at = _time(given) or at
    if not isinstance(said, str):
        raise FormatError(f"line {number}: observations: must be text, not {kind(given)}")
    return _Observation(said, at)


def _time(record: Mapping[str, Any]) -> int | None:
    """Return the time that *record* has, ISO 8601 or a number of seconds or ms, as unix ms."""
    for value in filter(None, map(record.get, _TIMES)):
        try:
            if isinstance(value, str):
                return unix_ms(value)
            return int(value if value > _LEAST_MS else value * 1_000)
        except (TypeError, ValueError, OverflowError):
            continue
    return None


def _relation(
    number: int, record: Record, naming: Naming, kinds: dict[str, str], tally: Tally
) -> Iterator[Record]:
    source, target, relation = (text(number, record, k) for k in ("from", "to", "relationType"))
    if not relation.strip():
        raise FormatError(f"line {number}: relationType: must not be empty")
    kept = spell_relation(relation) if spell_relation(relation) in schema.RELATION_TYPES else None
    if source == target:
        tally.left_out("relations to themselves", shorten_key(sentence(source, relation, target)))
    else:
        yield _make_relation(source, target, kept or "evokes")
    if kept is not None:
        return
    said = _Observation(sentence(source, relation, target), _time(record))
    if not naming.knows(source, said.said):
        tally.count_changed(
            "relations to evokes, with what they say as an episode", shorten_key(relation)
        )
    ends = list(dict.fromkeys((source, target)))
    yield from _episode(ends, said, naming)
    others = [one for one in ends if not is_user(one, naming.called)]
    about = tuple(_describe_name(one, kinds) for one in others)
    if len(ends) == 1 and not others:
        yield _note(_observation("The user", source, said.said), about, said.at)
        return
    # A relation of two names of the user says the other name.
    told = _sentence(said.said, ends if others else ends[:1], naming.called)
    yield _note(told, about, said.at)


def _episode(concepts: list[str], told: _Observation, naming: Naming) -> Iterator[Record]:
    name = naming.episode(concepts[0], told.said, told.at)
    yield {"kind": "episode", "name": name, "summary": told.said}
    for concept in concepts:
        yield _make_relation(concept, name, "evokes")


def _make_relation(source: str, target: str, relation: str) -> Record:
    return {"kind": "relation", "from": source, "to": target, "type": relation}


def _note(said: str, about: Sequence[Mapping[str, str]], at: int | None) -> Record:
    """Return a note: a text that stands alone, the others that it is about, and its time."""
    return {"kind": NOTE, "text": said, "about": list(about), "happened_at": at}


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


def _sentence(said: str, ends: Iterable[str], called: Iterable[str]) -> str:
    """Return *said*, the sentence of a relation, with its ends as people call them."""
    for name in ends:
        shown = "the user" if is_user(name, called) else _space_words(name)
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
# Unix seconds up to the year 5138 are below this; milliseconds since 1973 are above.
_LEAST_MS = 100_000_000_000
