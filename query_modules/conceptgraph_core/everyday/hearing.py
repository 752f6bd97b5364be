"""Build the observations for a memory, and for the user's word on identity.

Imports nothing of Memgraph: the shell looks up what these need.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..entities import names
from ..entities import schema as entities
from ..language import oneself
from ..texts import text as texts
from ..texts.words.phrase_files import says_new_end
from ..texts.words.splitting import split
from ..verbs import limits
from ..verbs.errors import InvalidText
from ..verbs.procedures import NOTHING
from . import schema


class Message(NamedTuple):
    """The first arguments of `observe`, in its order."""

    session_id: str
    message_id: str
    speaker: str
    text: str
    observations: list[dict[str, Any]]


def read_about(about: Sequence[Any]) -> dict[str, str | None]:
    """Return the names of *about*, each with its kind. Raises InvalidText."""
    # A text would be taken for names of one letter, a mapping for the names of its keys.
    if isinstance(about, str | Mapping):
        raise InvalidText("about: must be a list of names, each a text or with a kind")
    if len(about) > limits.MOST_ABOUT:
        raise InvalidText(f"about: at most {limits.MOST_ABOUT} names")
    found: dict[str, str | None] = {}
    for one in about:
        given: Mapping[str, Any] = one if isinstance(one, Mapping) else {"name": one}
        if unknown := given.keys() - {"name", "kind", "facts"}:
            raise InvalidText(f"about: unknown key {min(unknown)!r}; known are name, kind, facts")
        kind = given.get("kind")
        found[entities.label(given.get("name"), "about")] = (
            None if kind is None else texts.name(kind, "about.kind")
        )
    return found


def read_facts(about: Sequence[Any]) -> dict[str, list[dict[str, Any]]]:
    """Return the names of *about* with the facts that are given of each. Raises InvalidText.

    Facts are flat: `{"allergy": "hazelnuts", "age": 7}`. A fact that one has once at a time comes
    after those told before.
    """
    found: dict[str, list[dict[str, Any]]] = {}
    for one in about:
        facts = one.get("facts") if isinstance(one, Mapping) else None
        if facts is not None and not isinstance(facts, Mapping):
            raise InvalidText("about.facts: must be a map, such as allergy to hazelnuts")
        for predicate, value in (facts or {}).items():
            if isinstance(value, bool) or not isinstance(value, str | int | float):
                raise InvalidText("about.facts: each value must be a text or a number")
            name = entities.label(predicate, "about.facts").casefold()
            fact = {"predicate": name, "value": texts.summary(str(value), "about.facts")}
            is_single = name in entities.SINGLE or name.startswith(entities.DOSE)
            fact |= {"mode": entities.AFTER} if is_single else {}
            found.setdefault(one["name"], []).append(fact)
    return found


def named_in(about: Sequence[Any], text: str) -> dict[str, str | None]:
    """Return the names of *about*, and that of the user if *text* tells it. Raises InvalidText.

    "The user is Lena, a nurse" tells it.
    """
    found = read_about(about)
    read_facts(about)
    told = oneself.name_in(text)
    kinds = {kind.casefold() for kind in found.values() if kind is not None}
    is_full = told not in found and len(found) >= limits.MOST_ABOUT
    if told is None or is_full or not oneself.KINDS.isdisjoint(kinds):
        return found
    return {**found, entities.label(told, "text"): entities.SELF}


def terms(about: Mapping[str, str | None]) -> list[str]:
    """Return the additional search terms of a memory: the names and their kinds."""
    return list(dict.fromkeys((*about, *filter(None, about.values()))))


def make_observation(
    text: str,
    said: str | None,
    about: Mapping[str, str | None],
    happened_at: int | None = None,
    facts: Mapping[str, list[dict[str, Any]]] = NOTHING,
) -> Message:
    """Return the observation of a memory: session, message, speaker, text and observations.

    Each memory is a session of its own, so that the entities it is about belong together. Stored
    again with the same words, about the same time, it counts once. *facts* are those given of the
    names.
    """
    speaker, heard = (entities.MODEL, text) if said is None else (entities.USER, said)
    key = name_session(text, heard, happened_at)
    observations = [
        {"label": name, "type": entities.THING}
        # A name alone may mean one that is known: "lunch with the new Conor".
        | ({"new": False} if kind is None else {"kind": kind})
        | ({"facts": [dict(one) for one in facts[name]]} if name in facts else {})
        for name, kind in about.items()
    ]
    return Message(key, key, speaker, heard, observations)


def name_session(text: str, heard: str, happened_at: int | None) -> str:
    """Return the name of the session in which a memory was observed."""
    when = () if happened_at is None else (str(happened_at),)
    return f"{schema.SESSION} {names.make_id(text, heard, *when)}"


def make_note(
    text: str, said: str | None, about: Mapping[str, str | None], happened_at: int | None = None
) -> Message | None:
    """Return a second observation, of an end that *text* tells and *said*, the user, does not.

    "Tobias and the user broke up" is the model's reading of "It's over", and who asks for Tobias
    must be told. Where *said* speaks of it and has a name, that counts alone: "Mum died" has none.
    """
    if said is None:
        return None
    is_named = any(set(split(name)[:1]) & set(split(said)) for name in about)
    if not says_new_end(text, said if is_named else ""):
        return None
    heard = make_observation(text, said, about, happened_at)
    return heard._replace(
        message_id=f"{heard.message_id} {entities.MODEL}", speaker=entities.MODEL, text=text
    )


def make_beginning(said: str, label: str) -> Message:
    """Return the observation, for `observe`, of a name that begins to mean another entity."""
    key = f"{schema.IDENTIFIED} {names.make_id(said, label)}"
    observation = {"label": label, "type": entities.THING, "new": True}
    return Message(key, key, entities.USER, said, [observation])
