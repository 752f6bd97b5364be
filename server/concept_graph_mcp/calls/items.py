"""Build the call that reads and stores values of programs under paths."""

from collections.abc import Mapping, Sequence
from typing import Any

from conceptgraph_core.layers import SHARED
from conceptgraph_core.memories import procedures, schema

from . import text_lookups
from .call import Call, checked, whose
from .memories import Embedded

# The steps that write.
WRITING = frozenset({"put", "use", "forget", "remove"})


@checked
def items(
    scope: str,
    steps: Sequence[Mapping[str, Any]],
    embedded: Embedded | None = None,
    concept_scope: str = SHARED,
) -> Call:
    """Return the call that does *steps*, as `memories.items` says, in one transaction.

    A step with a query is a call of its own; *embedded* is its vector, if there is one.
    """
    model, vector = embedded or (None, ())
    arguments = (list(steps), list(vector), model)
    writes = any(step.get("do") in WRITING for step in steps)
    procedure = procedures.ITEMS if writes else procedures.PEEK_ITEMS
    context = text_lookups.context()
    for step in steps:
        _storable(step)
        if step.get("query"):
            context |= whose(concept_scope)
    return Call(procedure, arguments, context=context)


def _storable(step: Mapping[str, Any]) -> None:
    """Check the texts of *step* early, because some must not even reach a database."""
    for name in ("path", "under"):
        if step.get(name) is not None:
            schema.checked_path(step[name], name)
    for name in ("value", "text"):
        if step.get(name) is not None:
            schema.checked_value(step[name], name)
