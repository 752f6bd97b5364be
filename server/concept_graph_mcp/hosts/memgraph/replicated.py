"""Read a graph from replicas and write it to their main."""

import asyncio
import logging
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

import anyio

from conceptgraph_core.transfer.registry import MODEL, Model
from conceptgraph_core.verbs.context import DEFAULT_USER

from ...calls import Call
from ...errors import Ended, Misdeployed, Refused, StoreError, Unavailable, Unwritable
from ..store import Rows
from .caller import Accesses, take_accesses
from .store import BoltStore

logger = logging.getLogger(__name__)

# How often the main is asked about its replicas, and a missing replica is tried again.
_LOOK_S = 1.0
# A server that does not answer for so long counts as missing.
_MAIN_PATIENCE_S = 2.0
_READ_PATIENCE_S = 10.0
# The keys of a context that say whose the accesses of a call are.
_WHOSE = ("user_id", "concepts")
_SYNC = ("sync", "strict_sync")
_BEHIND = ("invalid", "recovery")
_SHUTDOWN = "shutdown"


class Replica:
    """A replica, and what is known of it.

    `is_away`: it did not answer. `lags`: the main says that it lacks writes, or does not know it.
    """

    def __init__(self, store: BoltStore) -> None:
        self.store = store
        self.is_away = False
        self.lags = False
        self._reading = 0
        self._read_s = 0.0

    @property
    def load(self) -> tuple[int, float]:
        """Return what is least for the replica to read next."""
        return self._reading, self._read_s

    @property
    def host(self) -> str | None:
        return urlsplit(self.store.location).hostname

    async def read(self, call: Call, context: Mapping[str, Any]) -> list[dict[str, Any]] | None:
        """Return the rows of *call*, or None if the replica cannot answer; it is then left out."""
        self._reading += 1
        self._read_s = time.monotonic()
        try:
            with anyio.fail_after(_READ_PATIENCE_S):
                return await self.store.call(call, context)
        except Ended as error:
            if _SHUTDOWN not in str(error.__cause__):
                raise
            self._leave(error)
        except (Unavailable, Misdeployed, TimeoutError) as error:
            self._leave(error)
        finally:
            self._reading -= 1
        return None

    async def try_again(self) -> None:
        """Use the replica if it answers."""
        try:
            with anyio.fail_after(_MAIN_PATIENCE_S):
                await self.store.identity()
        except (StoreError, TimeoutError) as error:
            self._leave(error)
            return
        if self.is_away:
            logger.warning("the replica %s is read again", self.store.location)
        self.is_away = False

    def judge(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Note whether it lags by *rows*, those of the main that are about it."""
        lagged = self.lags
        self.lags = all(one["status"] in _BEHIND for row in rows for one in _states(row))
        if not rows and not lagged:
            logger.warning("the main does not know the replica %s", self.store.location)

    def _leave(self, error: Exception) -> None:
        if not self.is_away:
            reason = str(error) or "no answer"
            logger.warning("the replica %s is left out: %s", self.store.location, reason)
        self.is_away = True


class ReplicatedStore(BoltStore):
    """A graph in Memgraph (see `store.Store`) whose replicas answer what only reads.

    * A procedure that only counts accesses is read on a replica, by its read-only twin. Its
      accesses go to the main behind the answer.
    * After a write, its user reads replicas that have it, or the main.
    * A replica that does not answer is left out until it does.
    * Without the main, reads are answered, with a warning if they may lack a write.
    """

    def __init__(
        self,
        uri: str,
        read_uris: Sequence[str],
        user: str,
        password: str,
        model: Model = MODEL,
    ) -> None:
        super().__init__(uri, user, password, model)
        self._replicas = [Replica(BoltStore(one, user, password, model)) for one in read_uris]
        self._accesses = Accesses(super().call)
        # By user, the number of the last write that a replica may lack.
        self._unsynced: dict[str, int] = {}
        self._writes = 0
        self._is_sync = False
        self._looked_s = 0.0
        self._looking: asyncio.Task[None] | None = None

    async def open(self) -> None:
        try:
            await super().open()
        except Unwritable:
            raise
        except Unavailable as error:
            for one in self._replicas:
                await one.try_again()
            if all(one.is_away for one in self._replicas):
                raise
            logger.warning("%s; only reads are answered", error)

    async def call(self, call: Call, context: Mapping[str, Any]) -> list[dict[str, Any]]:
        user = str({**context, **call.context}.get("user_id", DEFAULT_USER))
        if call.procedure.peek().writes:
            return await self._write(user, call, context)
        self._look_soon()
        fresh, doubt = await self._fresh(user)
        rows = await self._read(fresh, call, context)
        if rows is None and doubt is None:
            try:
                return await super().call(call, context)
            except Unwritable:
                raise
            except Unavailable as error:
                doubt = error
        if rows is None:
            rows = await self._read(self._replicas, call, context)
        if doubt is None:
            assert rows is not None
            return rows
        if rows is None:
            raise doubt
        return _advise(rows, f"the answer may lack the latest writes: {doubt}")

    async def close(self) -> None:
        await self._accesses.end()
        if self._looking is not None:
            self._looking.cancel()
        for one in self._replicas:
            await one.store.close()
        await super().close()

    async def _write(
        self, user: str, call: Call, context: Mapping[str, Any]
    ) -> list[dict[str, Any]]:
        """Make *call* on the main; note its user if a replica may lack the write."""
        is_everywhere = False
        try:
            rows = await super().call(call, context)
            is_everywhere = self._is_sync and getattr(rows, "advice", None) is None
            return rows
        except Refused:
            is_everywhere = True
            raise
        finally:
            if not is_everywhere:
                self._writes += 1
                self._unsynced[user] = self._writes

    async def _fresh(self, user: str) -> tuple[list[Replica], Unavailable | None]:
        """Return the replicas that have the writes of *user*, and why nothing is known of that."""
        if user not in self._unsynced:
            return [one for one in self._replicas if not one.lags], None
        before = self._writes
        try:
            rows = await self._ask_main()
        except Unavailable as error:
            return [], error
        caught_up = [one for one in self._replicas if _has_all(self._find_rows(one, rows or []))]
        if len(caught_up) == len(self._replicas):
            self._unsynced = {one: at for one, at in self._unsynced.items() if at > before}
        return caught_up, None

    async def _read(
        self, replicas: Iterable[Replica], call: Call, context: Mapping[str, Any]
    ) -> list[dict[str, Any]] | None:
        """Return the rows of *call* from the least busy of *replicas* that answers."""
        asked, counts = call, call.procedure.counts
        if counts:
            asked = call._replace(procedure=call.procedure.peek().with_accessed())
        for one in sorted(replicas, key=lambda one: one.load):
            rows = None if one.is_away else await one.read(asked, context)
            if rows is not None:
                # The other keys are arguments of the call, which counting does not have.
                whose = {one: call.context[one] for one in _WHOSE if one in call.context}
                return self._count(rows, {**context, **whose}) if counts else rows
        return None

    def _count(
        self, rows: list[dict[str, Any]], context: Mapping[str, Any]
    ) -> list[dict[str, Any]]:
        """Send what a twin accessed to the main; return its rows without that."""
        for call in take_accesses(rows, context):
            self._accesses.add(call, context)
        return rows if self._accesses.advice is None else Rows(rows, self._accesses.advice)

    def _look_soon(self) -> None:
        """Look after the replicas behind the answers, if that was not done lately."""
        if time.monotonic() - self._looked_s < _LOOK_S:
            return
        self._looked_s = time.monotonic()
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look())

    async def _look(self) -> None:
        """Ask the main how its replicas are, and try those again that were away."""
        rows = None
        with suppress(Unavailable):
            rows = await self._ask_main()
        for one in self._replicas:
            if rows is None:
                # An older answer is better than none.
                one.lags = False
            else:
                one.judge(self._find_rows(one, rows))
            if one.is_away:
                await one.try_again()

    async def _ask_main(self) -> list[dict[str, Any]] | None:
        """Return what the main says of its replicas, None if it may not. Raises Unavailable."""
        rows, self._is_sync = None, False
        try:
            with anyio.fail_after(_MAIN_PATIENCE_S):
                rows = await self._translate(False, self.rows, "SHOW REPLICAS", {}, False)
        except TimeoutError:
            raise Unavailable(f"{self.location} does not answer") from None
        except Refused:
            return None
        self._has_replicas = bool(rows)
        self._is_sync = bool(rows) and all(row["sync_mode"] in _SYNC for row in rows)
        return rows

    def _find_rows(self, replica: Replica, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return those of the main's *rows* that are about *replica*.

        They name the addresses that the main sends to. If none of the replicas is registered by
        the host at which it is read, each row counts for each replica.
        """
        hosts = {one.host for one in self._replicas}
        if not any(_host(row) in hosts for row in rows):
            return rows
        return [row for row in rows if _host(row) == replica.host]


def _host(row: Mapping[str, Any]) -> str:
    return str(row["socket_address"]).rpartition(":")[0].strip("[]")


def _states(row: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the state of each database of a replica; older versions return none."""
    return list((row.get("data_info") or {}).values())


def _has_all(rows: Sequence[Mapping[str, Any]]) -> bool:
    """Tell whether a replica has every write of the main, by the *rows* about it."""
    states = [one for row in rows for one in _states(row)]
    return bool(states) and all(one["status"] == "ready" and one["behind"] == 0 for one in states)


def _advise(rows: list[dict[str, Any]], advice: str) -> Rows:
    """Return *rows* with *advice* beside what they have."""
    said = filter(None, (getattr(rows, "advice", None), advice))
    return Rows(rows, "; ".join(said))
