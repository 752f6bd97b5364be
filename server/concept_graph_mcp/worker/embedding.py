"""Compute missing vectors, for the job `embed` and the command of the same name.

Embed new memories between the calls, so that they have vectors within seconds.

A call that stores a text only sends a notice. The texts are looked up by id, which begins with the
time, so no queue is lost when the process ends. The job `embed` handles any that were missed.
"""

import logging
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from dataclasses import replace
from time import perf_counter
from types import MappingProxyType
from typing import Any

import anyio

from conceptgraph_core.memories import schema
from conceptgraph_core.memories.schema import KIND

from .. import calls
from ..embedding import multilingual, readiness
from ..embedding.base import Embedding, EmbeddingError, LocalEmbedding, Vector
from ..errors import StoreError, one_line
from ..session import Session
from ..settings import AUTOMATIC, EMBEDDINGS_VARIABLE, Settings
from .job import Job, JobRun

Row = dict[str, Any]
Made = Callable[[Sequence[str]], Awaitable[list[Vector]]]

logger = logging.getLogger(__name__)
# Texts in one transaction: as many as endpoints accept in one request.
BATCH = 256
# Texts that are looked up at once, and the first few of them that are embedded at once.
_PAGE = 1_024
_FEW = 4
# Seconds for which a few texts may take the processor; a call waits no longer for it.
_A_WHILE_S = 0.2
# Vectors that are stored at once, and seconds after which fewer are.
_STORED = 64
_A_TURN_S = 2.0


async def prepare(session: Session) -> Embedding | None:
    """Return the model of *session*, which its store is made ready for. Raises StoreError.

    Nobody chose the automatic one, so a store with another chosen one keeps that: then it is None.
    """
    assert session.embedding is not None
    if not await readiness.may_embed(session):
        return None
    embedding = await session.embedding.wait_until_open()
    given = embedding.name, embedding.dimension
    while await readiness.is_outdated(session):
        await session.run(calls.embedding.choose(*given, again=True))
    await session.run(calls.embedding.choose(*given, again=False))
    readiness.forget(session)
    await session.store.fit_vectors()
    return embedding


async def embed_lacking(session: Session, embedding: Embedding) -> AsyncIterator[tuple[int, int]]:
    """Embed texts without a vector, one transaction a batch; yield (done, total) after each.

    The walk reaches each text once. It skips texts without any word that the embedding knows, texts
    that change meanwhile, and texts stored behind it meanwhile. Raises EmbeddingError, StoreError.
    """
    async for rows in _lacking(session):
        made = await _with_vectors(rows, embedding.vectors)
        yield await _store_vectors(session, embedding, made), len(rows)


async def _lacking(
    session: Session,
    reached: calls.embedding.Reached = MappingProxyType({}),
    kinds: Collection[str] | None = None,
) -> AsyncIterator[list[Row]]:
    """Iterate over the texts without a vector, each batch from the end of the one before."""
    while rows := await session.run(calls.embedding.lacking(BATCH, reached, kinds=kinds)):
        yield rows
        reached = calls.embedding.reached(reached, rows)


async def _with_vectors(rows: list[Row], made: Made) -> list[Row]:
    """Return those of *rows* that get a vector, with it. Raises EmbeddingError."""
    told = [row for row in rows if row["text"]]
    vectors = await made([row["text"] for row in told]) if told else []
    return [
        {**row, "vector": list(vector)}
        for row, vector in zip(told, vectors, strict=True)
        if any(vector)
    ]


async def _store_vectors(session: Session, embedding: Embedding, given: list[Row]) -> int:
    if not given:
        return 0
    [row] = await session.run(calls.embedding.embed(embedding.name, given))
    count: int = row["embedded"]
    return count


class Behind:
    """Embeds texts below everything else: in a thread of the least priority, a few at a time.

    A few are as many as take a fifth of a second, so that nothing waits longer for it. Each
    transaction stores the vectors of some seconds. While *is_awaited*, they have the priority of
    what waits for them: on a busy machine the least would never have its turn.
    """

    def __init__(
        self, embedding: Embedding, is_awaited: Callable[[], bool] = lambda: False
    ) -> None:
        self._embedding = embedding
        self._is_awaited = is_awaited
        # A request to an endpoint is no work of this machine.
        self._most = _FEW if isinstance(embedding, LocalEmbedding) else BATCH

    async def embed(self, session: Session, rows: list[Row]) -> AsyncIterator[tuple[int, int]]:
        """Embed *rows*; yield (done, total) between two pieces of work. Raises StoreError."""
        made: list[Row] = []
        at = seen = 0
        since = perf_counter()
        while at < len(rows):
            some = rows[at : at + self._most]
            made += await self._make_vectors(some)
            at, seen = at + len(some), seen + len(some)
            is_full = seen >= _STORED or perf_counter() - since >= _A_TURN_S
            if not is_full and at < len(rows):
                yield 0, 0
                continue
            # In the order in which they were stored: a file then needs half the room.
            yield await _store_vectors(session, self._embedding, made[::-1]), seen
            made, seen, since = [], 0, perf_counter()

    async def _make_vectors(self, rows: list[Row]) -> list[Row]:
        began, embedding = perf_counter(), self._embedding
        if not isinstance(embedding, LocalEmbedding):
            return await _with_vectors(rows, embedding.vectors)
        make = embedding.vectors if self._is_awaited() else embedding.vectors_behind
        made = await _with_vectors(rows, make)
        rate = len(rows) / max(perf_counter() - began, 1e-6)
        self._most = max(1, min(BATCH, int(rate * _A_WHILE_S)))
        return made

    async def newest(self, session: Session) -> AsyncIterator[tuple[int, int]]:
        """Embed the texts of the user of *session* that lack a vector, the newest first."""
        try:
            async for one in self._newest(session):
                yield one
        finally:
            session.unfinished.end(session.user_id)

    async def _newest(self, session: Session) -> AsyncIterator[tuple[int, int]]:
        passed: set[tuple[Any, ...]] = set()
        while True:
            page = await session.run(calls.embedding.newest_lacking(session.user_id, _PAGE))
            rows = [row for row in page if _key(row) not in passed]
            if not rows:
                return
            # A text that gets none now, because no word is known or it changed, is passed.
            passed.update(map(_key, rows))
            left = len(rows)
            session.unfinished.note(session.user_id, left)
            async for one in self.embed(session, rows):
                left -= one[1]
                session.unfinished.note(session.user_id, left)
                yield one

    async def rest(
        self,
        session: Session,
        reached: calls.embedding.Reached = MappingProxyType({}),
        kinds: Collection[str] | None = None,
    ) -> AsyncIterator[tuple[int, int]]:
        """Embed all other texts of the store, such as those without a time, or those behind a key.

        `lacking` explains the arguments.
        """
        async for rows in _lacking(session, reached, kinds):
            async for one in self.embed(session, rows):
                yield one


async def embed_newest(
    session: Session, most: int, patience_s: float, loading_s: float = 0.0
) -> bool:
    """Embed the newest texts of the user of *session* that lack a vector, at most *most* of a kind.

    A question does so first, because the program that kept them may have ended. The rest after
    *patience_s*, and *loading_s* more for the model, is left to a later one: then it returns False.
    """
    if session.embedding is None:
        return True
    with anyio.move_on_after(patience_s + loading_s) as patience:
        try:
            if not await readiness.may_embed(session):
                return True
            rows = await session.run(calls.embedding.newest_lacking(session.user_id, most))
            if rows and (embedding := await prepare(session)) is not None:
                patience.deadline = min(patience.deadline, anyio.current_time() + patience_s)
                async for _ in Behind(embedding, lambda: True).embed(session, rows):
                    pass
        # The question says itself what is wrong; a file that cannot be written is only read.
        except (StoreError, EmbeddingError) as error:
            logger.debug("texts have no vectors yet: %s", one_line(error))
    return not patience.cancelled_caught


def _key(row: Row) -> tuple[Any, ...]:
    return row["kind"], *row["key"]


async def is_behind(session: Session) -> bool:
    """Return whether any text of the store lacks a vector that it may get. Raises StoreError."""
    if not await readiness.may_embed(session):
        return False
    if await readiness.is_outdated(session):
        return True
    return bool(await session.run(calls.embedding.lacking(1)))


async def run(turn: JobRun) -> None:
    session = turn.session
    if turn.dry_run:
        async for rows in _lacking(session):
            turn.check()
            turn.tell({"processed": len(rows)})
            what = {"to": "embedded", "why": "it has no vector"}
            keys = (" ".join(map(str, row["key"])) for row in rows)
            texts = zip(keys, rows, strict=True)
            turn.would({"memory_id": key, "text": row["text"], **what} for key, row in texts)
        return
    # The model is loaded late, because that takes long and most runs find nothing to do.
    if session.embedding is None or not await is_behind(session):
        return
    embedding = await prepare(session)
    if embedding is None:
        return
    behind, told = Behind(embedding), Counter[str]()

    async def count(pieces: AsyncIterator[tuple[int, int]]) -> None:
        async for embedded, seen in pieces:
            told.update(processed=seen, embedded=embedded)
            turn.check()
            if told["processed"] >= BATCH:
                await tell()

    async def tell() -> None:
        await turn.report(**told)
        told.clear()
        await turn.go_on()

    async for one in turn.scopes():
        await count(behind.newest(one))
    await count(behind.rest(session))
    if told:
        await tell()


def _missing(settings: Settings) -> str | None:
    if settings.embeddings is None:
        return f"{EMBEDDINGS_VARIABLE}: is none"
    if settings.embeddings == AUTOMATIC and not multilingual.is_installed():
        return str(multilingual.not_installed())
    return None


JOB = Job(
    "embed",
    "compute missing vectors",
    {"minute": "*/10"},
    run,
    _missing,
)


class NewVectors:
    """Embeds the memories that *session* says it kept (`Session.on_kept`)."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._kept = anyio.Event()
        # By user, because each may have a store of their own.
        self._since_ms: dict[str, int] = {}
        self._logged = ""
        # How many calls wait to have their texts embedded.
        self._waiting = 0
        self._done = anyio.Event()
        # Set once the model was first loaded, or could not be.
        self._prepared = anyio.Event()
        # How many questions wait for that, and whether one has waited for it in vain.
        self._asking = 0
        self._is_slow = False

    def note_kept(self, session: Session, now_ms: int) -> None:
        """Take note that the user of *session* kept something at *now_ms*."""
        user_id = session.user_id
        self._since_ms[user_id] = min(self._since_ms.get(user_id, now_ms), now_ms)
        self._waiting += 1
        self._kept.set()

    async def settle(self, most: int, patience_s: float, loading_s: float = 0.0) -> None:
        """Wait until all that was kept has vectors, if at most *most* calls kept it.

        The model may take *loading_s* before. After a wait in vain nothing waits until all of it
        has vectors.
        """
        if 0 < self._waiting <= most:
            with anyio.move_on_after(loading_s):
                await self._prepared.wait()
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
        for user_id, earliest_ms in since_ms.items():
            await self._embed(replace(self._session, user_id=user_id), earliest_ms)
        if not self._since_ms:
            self._waiting, self._is_slow = 0, False
            self._done.set()
            self._done = anyio.Event()

    async def _embed(self, session: Session, since_ms: int) -> None:
        """Embed what was kept since *since_ms* in the store of the user of *session*."""
        reached: calls.embedding.Reached = {KIND.kind: (schema.make_bound(since_ms),)}
        try:
            embedding = await prepare(session)
            self._prepared.set()
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
        finally:
            self._prepared.set()
