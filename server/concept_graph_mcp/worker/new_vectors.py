"""Embed new memories between the calls, so that they have vectors within seconds.

A call that stores a text only sends a notice. The texts are looked up by id, which begins with the
time, so no queue is lost when the process ends. The job `embed` handles any that were missed.
"""

import logging
from dataclasses import replace

import anyio

from conceptgraph_core.memories import ids
from conceptgraph_core.memories.schema import KIND

from .. import calls
from ..errors import one_line
from ..session import Session
from .embedding import Behind, prepare

logger = logging.getLogger(__name__)


class NewVectors:
    """Embeds the memories that *session* says it kept (`Session.on_kept`)."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._kept = anyio.Event()
        # By user and database, because each may have a store of their own.
        self._since_ms: dict[tuple[str, str | None], int] = {}
        self._logged = ""
        # How many calls wait to have their texts embedded.
        self._waiting = 0
        self._done = anyio.Event()
        # How many questions wait for that, and whether one has waited for it in vain.
        self._asking = 0
        self._is_slow = False

    def note_kept(self, session: Session, now_ms: int) -> None:
        """Take note that the user of *session* kept something at *now_ms*."""
        place = session.user_id, session.database
        self._since_ms[place] = min(self._since_ms.get(place, now_ms), now_ms)
        self._waiting += 1
        self._kept.set()

    async def settle(self, most: int, patience_s: float) -> None:
        """Wait until all that was kept has vectors, if at most *most* calls kept it.

        After a wait in vain nothing waits until all of it has vectors.
        """
        if not self._is_slow:
            self._is_slow = not await self.wait_until_done(most, patience_s)

    async def wait_until_done(self, most: int, patience_s: float) -> bool:
        """Wait as `settle` does, and return whether that was long enough."""
        if not 0 < self._waiting <= most:
            return True
        self._asking += 1
        try:
            with anyio.move_on_after(patience_s) as patience:
                await self._done.wait()
        finally:
            self._asking -= 1
        return not patience.cancelled_caught

    async def run(self) -> None:
        """Embed what is kept, as often as something is."""
        while True:
            await self._kept.wait()
            await self.embed()

    async def embed(self) -> None:
        """Embed what was kept since this was done last."""
        since_ms, self._since_ms, self._kept = self._since_ms, {}, anyio.Event()
        for (user_id, database), earliest_ms in since_ms.items():
            session = replace(self._session, user_id=user_id, database=database)
            await self._embed(session, earliest_ms)
        if not self._since_ms:
            self._waiting, self._is_slow = 0, False
            self._done.set()
            self._done = anyio.Event()

    async def _embed(self, session: Session, since_ms: int) -> None:
        """Embed what was kept since *since_ms* in the store of the user of *session*."""
        reached: calls.embedding.Reached = {KIND.kind: (ids.before(since_ms),)}
        try:
            embedding = await prepare(session)
            if embedding is not None:
                behind = Behind(embedding, lambda: self._asking > 0)
                async for _ in behind.rest(session, reached, (KIND.kind,)):
                    pass
            self._logged = ""
        # Any exception: a model that cannot be reached must not end the server.
        except Exception as error:  # noqa: BLE001
            if str(error) != self._logged:
                self._logged = str(error)
                logger.warning("new memories have no vectors yet: %s", one_line(error))
