"""Build calls over all layers: statistics, checks, export, import and indexing."""

from collections.abc import Mapping, Sequence
from typing import Any

from conceptgraph_core import text
from conceptgraph_core.errors import InvalidRow
from conceptgraph_core.procedures import Procedure
from conceptgraph_core.registry import MODEL, Model
from conceptgraph_core.transfer import procedures

from . import text_lookups
from .call import Call, checked


@checked
def version() -> Call:
    return Call(procedures.VERSION, ())


@checked
def look_ups() -> Call:
    """Return the call that says how calls by hand, without `found`, find their nodes."""
    return Call(procedures.VERSION._replace(fields=("look_ups",)), ())


@checked
def stats(model: Model = MODEL) -> Call:
    return Call(of_model(procedures.STATS, model), ())


@checked
def check(model: Model = MODEL) -> Call:
    return Call(of_model(procedures.CHECK, model), ())


@checked
def mend(owner: str | None, limit: int) -> Call:
    """Return the call that mends at most *limit* elements; memories of nobody become *owner*'s."""
    return Call(procedures.MEND, (owner, limit), context=text_lookups.context())


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
    context = text_lookups.context() | ({"only_new": True} if only_new else {})
    return Call(of_model(procedures.IMPORT_ROWS, model), (list(rows),), context=context)


@checked
def imports() -> Call:
    """Return the call that lists what imports of records created for the user."""
    return Call(procedures.IMPORTS, ())


@checked
def take_back(batch: str) -> Call:
    """Return the call that removes what one call of an import created."""
    return Call(procedures.TAKE_BACK, (batch,), context=text_lookups.context())


@checked
def index(nodes: Sequence[Mapping[str, Any]], again: bool) -> Call:
    """Return the call that indexes the nodes of the records *nodes*."""
    context = text_lookups.context() | {"nodes": list(nodes)}
    return Call(procedures.INDEX, (again, None), context=context)


@checked
def index_rest(limit: int | None = None) -> Call:
    """Return the call that indexes all nodes missing from the index, in one transaction.

    It indexes at most *limit* nodes: if it indexed that many, there may be more. With 0 it only
    removes a damaged index, in pieces: until it removed nothing.
    """
    return Call(procedures.INDEX, (False, limit), context=text_lookups.context())


def of_model(procedure: Procedure, model: Model) -> Procedure:
    """Return the variant of *procedure* in the module that covers the layers of *model*."""
    return procedure._replace(name=f"{model.modules[0]}.{procedure.name.partition('.')[2]}")


def exports(model: Model = MODEL) -> Procedure:
    """Return the procedure that exports the layers of *model*."""
    return of_model(procedures.EXPORT, model)
