"""End a cancelled call in the database too, and not only the wait for it.

A driver that stops waiting closes its connection. Memgraph notices that only after the query, when
its changes are written. So each transaction has a mark, by which another connection finds and
terminates it.
"""

import uuid
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager, suppress

import anyio
import neo4j
from neo4j.exceptions import DriverError, Neo4jError

_MARK = "concept_graph_call"
# The last transaction sent may not have begun when the database is first asked for it.
_PAUSES_S = (0.0, 0.05, 0.2)
_PATIENCE_S = 1.0
_PAUSE_S = 0.01


class Calls:
    """The running calls of one store; *session* opens a session on its database."""

    def __init__(self, session: Callable[..., neo4j.AsyncSession]) -> None:
        self._session = session
        self._under_way: dict[str, str] = {}

    @asynccontextmanager
    async def marked(self, access_mode: str) -> AsyncIterator[dict[str, str]]:
        """Yield the metadata for a transaction that is terminated when its caller is cancelled.

        It goes around the session, which lets go of its connection first.
        """
        mark = uuid.uuid4().hex
        self._under_way[mark] = access_mode
        try:
            yield {_MARK: mark}
        except anyio.get_cancelled_exc_class():
            with anyio.CancelScope(shield=True):
                await self._end([mark])
            raise
        finally:
            del self._under_way[mark]

    async def end(self) -> None:
        """Terminate all calls; their callers get the database's error before this returns.

        A driver closed while it reads a result would raise internal errors.
        """
        await self._end([*self._under_way])
        with anyio.move_on_after(_PATIENCE_S):
            while self._under_way:
                await anyio.sleep(_PAUSE_S)

    async def _end(self, marks: Collection[str]) -> None:
        # Routed to the database's instance that runs the transaction.
        for access_mode in {self._under_way[mark] for mark in marks}:
            with anyio.move_on_after(_PATIENCE_S), suppress(Neo4jError, DriverError, OSError):
                async with self._session(default_access_mode=access_mode) as session:
                    for pause_s in _PAUSES_S:
                        await anyio.sleep(pause_s)
                        if await _terminate(session, marks):
                            break


async def _terminate(session: neo4j.AsyncSession, marks: Collection[str]) -> bool:
    result = await session.run("SHOW TRANSACTIONS")
    found = [
        record["transaction_id"]
        async for record in result
        if record["metadata"].get(_MARK) in marks
    ]
    if found:
        listed = ", ".join(f"'{transaction_id}'" for transaction_id in found)
        await (await session.run(f"TERMINATE TRANSACTIONS {listed}")).consume()
    return bool(found)
