"""Report everything stored about a name, by every name of its entity."""

from collections.abc import Sequence
from typing import Any

from conceptgraph_core import folding

from . import calls
from .session import Session

Row = dict[str, Any]

# One entity may have hundreds of names.
_MOST_NAMES = 20


async def all_about(
    session: Session, name: str, limit: int, entity_id: str | None = None, *, embeds: bool = True
) -> tuple[Row, str | None]:
    """Return the row of `CALL everyday.about` for *name*, and advice, if there is any.

    A part of a name, a name without its accent, and one of several merged names have the relations
    of all names. Concepts are looked up as they are spelt, so these names are looked up first.
    Without *embeds* only words find what was said. Raises StoreError.
    """
    row, advice = await _told(session, name, limit, entity_id, (), embeds=embeds)
    spelt = (one.partition(" (")[0] for one in (row["name"], *row["also"]))
    others = [one for one in dict.fromkeys(spelt) if folding.folded(one) != folding.folded(name)]
    if row["id"] is None or not others:
        return row, advice
    return await _told(session, name, limit, entity_id, others[:_MOST_NAMES], embeds=embeds)


async def _told(
    session: Session,
    name: str,
    limit: int,
    entity_id: str | None,
    others: Sequence[str],
    *,
    embeds: bool,
) -> tuple[Row, str | None]:
    def by(embedded: calls.memories.Embedded | None) -> calls.Call:
        return calls.everyday.about(
            *(session.user_id, name, limit, entity_id, embedded),
            called=others,
            concept_scope=session.concept_scope,
        )

    if not embeds:
        [row] = await session.run(by(None))
        return row, None
    [row], advice = await session.answered(name, by)
    return row, advice
