"""Embed new memories between the calls, so that they have vectors within seconds.

A call that stores a text only sends a notice. The texts are looked up by id, which begins with the
time, so no queue is lost when the process ends. The job `embed` handles any that were missed.
"""

import logging

import anyio

from conceptgraph_core.memories import ids
from conceptgraph_core.memories.schema import KIND

from .. import calls
from ..errors import one_line
from ..session import Session
from .embedding import embed_lacking, prepare

logger = logging.getLogger(__name__)


class NewVectors:
    """Embeds the memories that *session* says it kept (`Session.on_kept`)."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._kept = anyio.Event()
        self._since_ms: int | None = None
        self._logged = ""

    def kept(self, now_ms: int) -> None:
        """Take note that something was kept at *now_ms*."""
        self._since_ms = now_ms if self._since_ms is None else min(self._since_ms, now_ms)
        self._kept.set()

    async def run(self) -> None:
        """Embed what is kept, as often as something is."""
        while True:
            await self._kept.wait()
            await self.embed()

    async def embed(self) -> None:
        """Embed what was kept since this was done last."""
        since_ms, self._since_ms, self._kept = self._since_ms, None, anyio.Event()
        if since_ms is None or self._session.embedding is None:
            return
        reached: calls.embedding.Reached = {KIND.kind: (ids.before(since_ms),)}
        try:
            embedding = await prepare(self._session)
            async for _ in embed_lacking(self._session, embedding, reached, (KIND.kind,)):
                pass
            self._logged = ""
        # Any exception: a model that cannot be reached must not end the server.
        except Exception as error:  # noqa: BLE001
            if str(error) != self._logged:
                self._logged = str(error)
                logger.warning("new memories have no vectors yet: %s", one_line(error))
