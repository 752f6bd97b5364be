"""Give each request a session of its own, for the user that its token names.

Limit the records that one user keeps.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from time import perf_counter
from typing import Any, Final, cast

from mcp.server.auth.provider import AccessToken

from conceptgraph_core.concepts import procedures as concepts
from conceptgraph_core.entities import procedures as entities
from conceptgraph_core.everyday import procedures as everyday
from conceptgraph_core.memories import procedures as memories

from .. import calls
from ..calls.call import Call
from ..errors import StoreError
from ..hosts.store import SPENT, Spent, Store
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
        self._left: dict[str, int] = {}

    async def check(self, session: Session) -> None:
        """Raise NoRoom if the user of *session* may keep no more."""
        if self._most is None:
            return
        place = session.user_id
        if (left := self._left.pop(place, 0)) > 0:
            self._left[place] = left - 1
            return
        [row] = await session.run(calls.memories.stats(place))
        found = await session.run(calls.entities.stats())
        named = sum(one["value"] for one in found if one["measure"] == "entities")
        kept = int(row["nodes"] + named)
        if kept >= self._most:
            raise NoRoom(
                f"you keep {kept:,} memories and entities, and {self._most:,} are allowed; forget"
                " some that are no longer needed, or ask whoever runs this server for more"
            )
        self._left[place] = (self._most - kept) // _A_CALL


READ, WRITE = "memory:read", "memory:write"
SCOPES = (READ, WRITE)
FORBIDDEN, FULL = "forbidden", "full"

# How errors of a store file begin: its path, of which only the owner of the machine should know.
_STORE = re.compile(r"\bstore (?:/|[A-Za-z]:[\\/]).*?: ")
_READER = "this token may only read"

_session: ContextVar[Session] = ContextVar("session")


class Forbidden(StoreError):
    """The token lacks the scope that the call needs; nothing was written."""


class _Askers:
    """Stands for the session of the request that is being answered; outside of one it fails."""

    def __getattr__(self, name: str) -> Any:
        return getattr(current(), name)


def current() -> Session:
    """Return the session of the request that is being answered. Raises LookupError without one."""
    return _session.get()


def askers_session() -> Session:
    """Return what tools take for their session: in each request that of its user."""
    return cast(Session, _Askers())


class Gate:
    """A store for one request, which refuses what its token may not do."""

    def __init__(self, store: Store, scopes: list[str], room: Room) -> None:
        self._store = store
        self._may_write = WRITE in scopes
        self._room = room
        # Why a call was refused: FORBIDDEN or FULL; "" if none was.
        self.refused = ""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def call(self, call: Call, context: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Make *call*; a reader's call leaves no trace. Raises Forbidden, NoRoom, StoreError."""
        if call.procedure.writes and not self._may_write:
            call = call._replace(procedure=call.procedure.peek())
            if call.procedure.writes:
                self.refused = FORBIDDEN
                raise Forbidden(f"{_READER}; writing needs the scope {WRITE}")
        if _adds(call):
            try:
                await self._room.check(current())
            except NoRoom:
                self.refused = FULL
                raise
        spent = SPENT.get() or Spent()
        before, begun = spent.stored, perf_counter()
        try:
            return await self._store.call(call, context)
        except StoreError as error:
            # Where the store is on the server's disk is no user's business.
            error.args = tuple(_STORE.sub("the store: ", str(one)) for one in error.args)
            raise
        finally:
            # A database does not say what a call cost it, so the time until its answer counts.
            if spent.stored == before:
                spent.stored += perf_counter() - begun


def _adds(call: Call) -> bool:
    """Return whether *call* adds records; of the steps on files, those that store one do."""
    if call.procedure.name == memories.ITEMS.name:
        return any(step["do"] == "put" for step in call.arguments[0])
    return call.procedure.name in GROWING


@contextmanager
def asked_by(token: AccessToken, session: Session, room: Room) -> Iterator[Gate]:
    """Give tools *session* as the user of *token* meanwhile; yield the gate to the store."""
    if not token.subject:
        raise PermissionError("the token names no user")
    gate = Gate(session.store, token.scopes, room)
    # Without a token everybody is the one user of this machine, who started the server.
    own = replace(
        session,
        user_id=token.subject,
        store=cast(Store, gate),
        is_owner=session.is_owner and not token.token,
        unwritable=None if WRITE in token.scopes else _READER,
    )
    before = _session.set(own)
    try:
        yield gate
    finally:
        _session.reset(before)
