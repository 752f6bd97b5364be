"""Build the owner's calls over the users of a store."""

from conceptgraph_core import text
from conceptgraph_core.graph.primitives import BEYOND, Lookup, Range, next_text
from conceptgraph_core.layers import SHARED
from conceptgraph_core.registry import LAYERS
from conceptgraph_core.transfer import procedures

from . import text_lookups
from .call import Call, checked


@checked
def next_user(after: str | None = None) -> Call:
    """Return the call for the first user after *after* who owns anything."""
    return Call(procedures.USERS, (after, 1))


@checked
def count(user_id: str) -> Call:
    """Return the call that counts all that belongs to *user_id*."""
    return Call(procedures.USER_COUNT, (text.user(user_id, "user_id"),))


@checked
def remove(user_id: str) -> Call:
    """Return the call that removes the next nodes of *user_id*."""
    return Call(procedures.USER_REMOVE, (text.user(user_id, "user_id"), procedures.BATCH))


@checked
def adopt_shared(user_id: str) -> Call:
    """Return the call that makes all shared concepts and episodes those of *user_id*."""
    return Call(procedures.USER_ADOPT, (user_id,), context=text_lookups.context())


def find_shared() -> list[Lookup]:
    """Return the look-ups of the concepts and episodes that all users share, a kind each."""
    kinds = [kind for layer in LAYERS for kind in layer.nodes if kind.may_be_shared]
    return [
        Range((kind.label,), str(kind.scope), SHARED, next_text(SHARED), (), 1) for kind in kinds
    ]


def exported(user_id: str) -> list[Lookup]:
    """Return the look-ups of the nodes in an export of *user_id*, a kind each.

    The embeddings of the store are among them, for without their model no vector can be compared.
    """
    user = text.user(user_id, "user_id")
    return [
        Range((kind.label,), kind.key[0], "", BEYOND)
        if kind.scope is None
        else Range((kind.label,), kind.scope, user, next_text(user))
        for layer in LAYERS
        for kind in layer.nodes
        if kind.exported
    ]
