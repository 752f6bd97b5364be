"""Calls of the entity layer; all of them within the scope of one user."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from conceptgraph_core import text
from conceptgraph_core.context import DEFAULT_USER
from conceptgraph_core.entities import ids, names, observed, schema

from .call import Call, Procedure, checked
from .lookups import Equal, Lookup, Nearest, Ordered, Range, Union, Where

OBSERVE = Procedure("entitygraph.observe", ("entities", "edges"), writes=True)

PROCEDURES = (OBSERVE,)


@checked
def observe(
    session_id: str,
    message_id: str,
    speaker: str,
    message: str,
    observations: Sequence[Mapping[str, Any]],
    *,
    relations: Sequence[Mapping[str, Any]] = (),
    user_id: str = DEFAULT_USER,
) -> Call:
    text.name(session_id, "session_id")
    text.name(message_id, "message_id")
    text.summary(message, "text")
    wanted, related = observed.observations(observations), observed.relations(relations)
    called = [one.name for one in wanted]
    called += [name for one in related for name in (one.source, one.target)]
    mentioned = {
        ids.mention(user_id, session_id, message_id, one.name, one.node_type) for one in wanted
    }
    parts = [
        _session(session_id, user_id),
        Equal((schema.MENTION,), ("id",), tuple((one,) for one in sorted(mentioned))),
        *_called(called, user_id),
        _with_ids(one.same_as for one in wanted if one.same_as is not None),
        _latest(user_id),
        *(_near(one.embedding, user_id) for one in wanted if one.embedding is not None),
    ]
    arguments = (
        *(session_id, message_id, speaker, message),
        *([dict(one) for one in observations], [dict(one) for one in relations]),
    )
    return Call(OBSERVE, arguments, Union(tuple(parts)))


def _session(session_id: str, user_id: str) -> Lookup:
    return Equal((schema.SESSION,), ("user_id", "session_id"), ((user_id, session_id),))


def _with_ids(entity_ids: Iterable[str]) -> Lookup:
    """Look up entities by their ids, whose scope the procedure sees to."""
    values = tuple((one,) for one in dict.fromkeys(entity_ids))
    return Equal((schema.ENTITY,), ("id",), values)


def _called(wanted: Iterable[str], user_id: str) -> list[Lookup]:
    """Look up the entities of those canonical names, and those whose names begin alike."""
    once = tuple(dict.fromkeys(wanted))
    values = tuple((user_id, name) for name in once)
    exactly = Equal((schema.ENTITY,), ("user_id", "called"), values)
    begun = dict.fromkeys(names.kin(name) for name in once)
    return [
        exactly,
        # A name can be taken by an entity that is called otherwise.
        Equal((schema.ENTITY,), ("user_id", "canonical_name"), values),
        *(
            Range(
                *((schema.ENTITY,), "canonical_name", first, beyond),
                where=_mine(user_id),
                limit=schema.KIN_LOOKED_UP,
            )
            for first, beyond in begun
        ),
    ]


def _latest(user_id: str) -> Lookup:
    return Ordered(schema.ENTITY, "last_activated", schema.LATEST_LOOKED_UP, where=_mine(user_id))


def _near(embedding: tuple[float, ...], user_id: str) -> Lookup:
    where = _mine(user_id)
    return Nearest(schema.ENTITY, "embedding", embedding, schema.NEAREST_CANDIDATES, where)


def _mine(user_id: str) -> Where:
    return (("user_id", user_id),)
