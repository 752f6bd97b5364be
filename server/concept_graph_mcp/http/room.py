"""Limit the records that one user keeps."""

from typing import Final

from conceptgraph_core.concepts import procedures as concepts
from conceptgraph_core.entities import procedures as entities
from conceptgraph_core.everyday import procedures as everyday
from conceptgraph_core.memories import procedures as memories

from .. import calls
from ..errors import StoreError
from ..session import Session

# The procedures by which tools add records.
GROWING: Final = frozenset(
    one.name
    for one in (
        *(everyday.REMEMBER, everyday.RELATE, memories.CREATE, entities.OBSERVE, entities.FACT),
        *(concepts.CONCEPT_UPSERT, concepts.EPISODE_ADD, concepts.RELATION_ADD),
    )
)
# Records that one call adds, at a guess; a count is too slow for every call.
_A_CALL = 20


class NoRoom(StoreError):
    """The user keeps as many records as they may; nothing was written."""


class Room:
    """Lets each user keep about *most* memories and entities; None lets them keep any number."""

    def __init__(self, most: int | None) -> None:
        self._most = most
        # Calls of each user until their records are counted again.
        self._left: dict[tuple[str, str | None], int] = {}

    async def check(self, session: Session) -> None:
        """Raise NoRoom if the user of *session* may keep no more."""
        if self._most is None:
            return
        place = session.user_id, session.database
        if (left := self._left.pop(place, 0)) > 0:
            self._left[place] = left - 1
            return
        kept = await _count_nodes(session)
        if kept >= self._most:
            raise NoRoom(
                f"you keep {kept:,} memories and entities, and {self._most:,} are allowed; forget"
                " some that are no longer needed, or ask whoever runs this server for more"
            )
        self._left[place] = (self._most - kept) // _A_CALL


async def _count_nodes(session: Session) -> int:
    [row] = await session.run(calls.memory_links.stats(session.user_id))
    found = await session.run(calls.entities.stats(session.user_id))
    named = sum(one["value"] for one in found if one["measure"] == "entities")
    return int(row["nodes"] + named)
