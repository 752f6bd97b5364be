"""Leave secrets out of what agents store, where the owner has set CONCEPT_GRAPH_REDACT."""

from collections.abc import Mapping
from typing import Any

from .file_formats.lines import Tally
from .histories import secrets

_COUNTED = "changed: secrets redacted, "


def redacted(given: Any) -> tuple[Any, str | None]:
    """Return *given* with each secret in its texts replaced, and what was, or None.

    *given* is a text, or lists and maps with texts in them.
    """
    tally = Tally()
    made = _without(given, tally)
    told = "; ".join(line.removeprefix(_COUNTED) for line in tally.lines())
    return made, f"stored, with these secrets hidden: {told}" if told else None


def _without(given: Any, tally: Tally) -> Any:
    if isinstance(given, str):
        return secrets.redact_text(given, tally)
    if isinstance(given, Mapping):
        return {key: _without(one, tally) for key, one in given.items()}
    if isinstance(given, (list, tuple)):
        return [_without(one, tally) for one in given]
    return given
