"""Build calls over all layers: statistics, checks, export, import, indexing and users."""

from collections.abc import Mapping, Sequence
from typing import Any

from conceptgraph_core.graph.layers import SHARED
from conceptgraph_core.graph.primitives import BEYOND, Lookup, Range, next_text
from conceptgraph_core.texts import text
from conceptgraph_core.transfer import procedures
from conceptgraph_core.transfer.registry import LAYERS, MODEL, Model
from conceptgraph_core.verbs.errors import InvalidRow
from conceptgraph_core.verbs.procedures import Procedure

from .call import Call, checked, spoken_context
from .verb import verb

version = verb(procedures.VERSION)(lambda: None)
# How calls by hand, without `found`, find their nodes.
look_ups = verb(procedures.VERSION._replace(fields=("look_ups",)))(lambda: None)
# Mends so many elements; memories of nobody become the owner's.
mend = verb(procedures.MEND, is_worded=True)(lambda owner, limit: None)
# List what imports created for the user; take back what one call of an import created.
imports = verb(procedures.IMPORTS)(lambda: None)
take_back = verb(procedures.TAKE_BACK, is_worded=True)(lambda batch: None)
# The first user after one who owns anything.
next_user = verb(procedures.USERS)(lambda after=None, limit=1: None)
# Makes all shared concepts and episodes those of a user.
adopt_shared = verb(procedures.USER_ADOPT, is_worded=True)(lambda owner: None)


@checked
def stats(model: Model = MODEL) -> Call:
    return Call(of_model(procedures.STATS, model), ())


@checked
def check(model: Model = MODEL) -> Call:
    return Call(of_model(procedures.CHECK, model), ())


@checked
def import_rows(
    rows: Sequence[Mapping[str, Any]],
    model: Model = MODEL,
    only_new: bool = False,
) -> Call:
    """Return the call that imports *rows*, records of an export.

    *only_new*: leave existing elements unchanged.
    """
    for number, row in enumerate(rows):
        for key, value in row.items():
            if isinstance(value, str) and not text.storable(value):
                raise InvalidRow(f"row {number}: {text.unstorable(key)}")
    context = spoken_context() | ({"only_new": True} if only_new else {})
    return Call(of_model(procedures.IMPORT_ROWS, model), (list(rows),), context=context)


@checked
def index(nodes: Sequence[Mapping[str, Any]], again: bool) -> Call:
    """Return the call that indexes the nodes of the records *nodes*."""
    context = spoken_context() | {"nodes": list(nodes)}
    return Call(procedures.INDEX, (again, None), context=context)


@checked
def index_rest(limit: int | None = None) -> Call:
    """Return the call that indexes all nodes missing from the index, in one transaction.

    It indexes at most *limit* nodes: if it indexed that many, there may be more. With 0 it only
    removes a damaged index, in pieces: until it removed nothing.
    """
    return Call(procedures.INDEX, (False, limit), context=spoken_context())


def of_model(procedure: Procedure, model: Model) -> Procedure:
    """Return the variant of *procedure* in the module that covers the layers of *model*."""
    return procedure._replace(name=f"{model.modules[0]}.{procedure.name.partition('.')[2]}")


def exports(model: Model = MODEL) -> Procedure:
    """Return the procedure that exports the layers of *model*."""
    return of_model(procedures.EXPORT, model)


@checked
def count_user(user_id: str) -> Call:
    """Return the call that counts all that belongs to *user_id*."""
    return Call(procedures.USER_COUNT, (text.user(user_id, "user_id"),))


@checked
def remove_user(user_id: str) -> Call:
    """Return the call that removes the next nodes of *user_id*."""
    return Call(procedures.USER_REMOVE, (text.user(user_id, "user_id"), procedures.BATCH))


def find_shared() -> list[Lookup]:
    """Return the look-ups of the concepts and episodes that all users share, a kind each."""
    kinds = [kind for layer in LAYERS for kind in layer.nodes if kind.may_be_shared]
    return [
        Range((kind.label,), str(kind.scope), SHARED, next_text(SHARED), (), 1) for kind in kinds
    ]


def exported_by(user_id: str) -> list[Lookup]:
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
