"""Look up known entities that a message may mean, to show them to a model."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from conceptgraph_core.entities import rule_extractor, schema

from .. import calls
from ..calls import text_lookups
from ..printable import printable
from ..session import Session

Row = dict[str, Any]

# The most entities shown to a model, in all and for each name.
MOST = 10
_EACH = 3
_MOST_NAMES = 8
_MOST_OF_A_LINE = 160


@dataclass(frozen=True, slots=True)
class Candidate:
    """A known entity: its id, label, kind (or type), and a line about it."""

    entity_id: str
    label: str
    kind: str
    line: str = ""

    def __str__(self) -> str:
        line = f": {self.line}" if self.line else ""
        return f"{self.entity_id} | {self.label} ({self.kind}){line}"[: _MOST_OF_A_LINE + 40]


async def candidates(session: Session, text: str) -> list[Candidate]:
    """Return the entities that the names in *text* may mean, and the user; at most ten."""
    found: dict[str, Row] = {}
    for name in _names(text):
        call = calls.entities.search(name, limit=_EACH, user_id=session.user_id)
        for row in await session.run(call):
            found.setdefault(row["entity_id"], row)
    return [await _candidate(session, row) for row in list(found.values())[:MOST]]


def _names(text: str) -> Iterator[str]:
    rows = rule_extractor.observations(text, text_lookups.spoken())
    named = [row["label"] for row in rows if "facts" not in row]
    yield from dict.fromkeys([*named[: _MOST_NAMES - 1], schema.SELF])


async def _candidate(session: Session, row: Row) -> Candidate:
    [whole] = await session.run(calls.entities.get(row["entity_id"], limit=1))
    facts = [f"{one['predicate']} {one.get('value') or ''}" for one in whole["facts"]]
    said = [one.get("context") or one.get("label") or "" for one in whole["mentions"]]
    # Quoted text of a speaker, kept on one line.
    line = printable("; ".join([*facts[:_EACH], *said[:1]]))[:_MOST_OF_A_LINE]
    return Candidate(row["entity_id"], row["label"], row.get("kind") or row["type"], line)
