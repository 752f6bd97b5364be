"""Build the calls that store messages as memories."""

from collections.abc import Mapping, Sequence
from typing import Any

from conceptgraph_core.memories import lookups, procedures

from . import text_lookups
from .call import Call, checked


@checked
def ingest(scope: str, messages: Sequence[Mapping[str, Any]]) -> Call:
    """Return the call that stores the new ones of *messages*, in one transaction."""
    found = lookups.ingested(scope, messages, text_lookups.spoken())
    return Call(procedures.INGEST, (list(messages),), text_lookups.context(), [found])


@checked
def ingested(messages: Sequence[Mapping[str, Any]]) -> Call:
    """Return the call that finds those of *messages* that are stored."""
    found = lookups.ids(*dict.fromkeys(message["id"] for message in messages))
    return Call(procedures.INGESTED, (list(messages),), wanted=[found])


@checked
def retract(scope: str, import_id: str, memory_ids: Sequence[str]) -> Call:
    """Return the call that removes those of *memory_ids* that rest on the import alone."""
    return Call(procedures.RETRACT, (import_id, list(memory_ids)))
