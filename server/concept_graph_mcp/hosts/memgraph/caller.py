"""Make calls in Memgraph, over Bolt, in rounds: the look-ups that a call lacks, then the call.

A round has one to four statements, and the last round of a write is one transaction. A cancelled
call is ended there too. Accesses that reads of replicas count are sent behind the answers.
"""

import asyncio
import logging
import random
import time
import uuid
from collections import deque
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Collection,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import asynccontextmanager, suppress
from typing import Any, TypeVar

import anyio
import neo4j
from neo4j.exceptions import ClientError, DriverError, Neo4jError, TransientError
from neo4j.graph import Node as BoltNode
from neo4j.graph import Relationship as BoltEdge

from conceptgraph_core.concepts import procedures as concepts
from conceptgraph_core.embeddings import schema as embeddings
from conceptgraph_core.graph.cypher.planning import Finding
from conceptgraph_core.graph.layers import SHARED
from conceptgraph_core.graph.primitives import Embedded, Lookup, key
from conceptgraph_core.transfer.registry import MODEL, Model
from conceptgraph_core.verbs.context import DEFAULT_USER, OWN
from conceptgraph_core.verbs.procedures import ACCESSED

from ... import calls
from ...calls import Call
from ...errors import (
    Contended,
    Ended,
    Full,
    Misdeployed,
    StoreError,
    Unauthenticated,
    Unavailable,
    Unwritable,
)
from ...settings import DEFAULT_URI, location
from ..store import RELEASING, Edge, Node, Rows
from . import probes, pulling, readiness
from .probes import (
    find_lacking,
    find_taken_key,
    find_unreplicated,
    is_conflict,
    is_ended,
    is_unauthenticated,
    refusal,
    unsent,
)
from .pulling import Pulled

Make = Callable[[Call, Mapping[str, Any]], Awaitable[Any]]

# Beyond that many the oldest are dropped: the main has been away for long.
_MOST_ACCESSES = 10_000
_ACCESS_PAUSE_S = 1.0
_ACCESS_PATIENCE_S = 1.0


def take_accesses(rows: Sequence[dict[str, Any]], context: Mapping[str, Any]) -> Iterator[Call]:
    """Take from the *rows* of a read-only twin what it accessed; yield the calls that count it."""
    user = str(context.get("user_id", DEFAULT_USER))
    scope = user if context.get("concepts") == OWN else SHARED
    for row in rows:
        accessed = row.pop(ACCESSED)
        given = accessed.get("memories", ()), accessed.get("concepts", {})
        if any(given):
            yield calls.everyday.access(user, *given, concept_scope=scope)


class Accesses:
    """Accesses on their way to the main, made one after the other, each with its own context.

    `advice` says why they wait, or is None.
    """

    def __init__(self, make: Make) -> None:
        self._make = make
        self._waiting: deque[tuple[Call, Mapping[str, Any]]] = deque(maxlen=_MOST_ACCESSES)
        self._sending: asyncio.Task[None] | None = None
        self.advice: str | None = None

    def add(self, call: Call, context: Mapping[str, Any]) -> None:
        """Make *call* soon, behind those that wait."""
        self._waiting.append((call, context))
        if self._sending is None or self._sending.done():
            self._sending = asyncio.create_task(self._send())

    async def end(self) -> None:
        """Wait a moment for those that wait; log how many are lost."""
        if self._sending is None:
            return
        if self.advice is None:
            with anyio.move_on_after(_ACCESS_PATIENCE_S):
                await asyncio.wait([self._sending])
        self._sending.cancel()
        if self._waiting:
            reason = self.advice or "the main is slow"
            logger.warning("%d accesses were not counted: %s", len(self._waiting), reason)

    async def _send(self) -> None:
        while self._waiting:
            one = self._waiting.popleft()
            try:
                await self._make(*one)
            except Unavailable as error:
                self.advice = f"accesses are counted when the main can be written again: {error}"
                self._waiting.appendleft(one)
                await anyio.sleep(_ACCESS_PAUSE_S)
                continue
            except StoreError as error:
                logger.warning("an access was not counted: %s", error)
            self.advice = None


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


logger = logging.getLogger(__name__)

T = TypeVar("T")

_CONNECT_TIMEOUT_S = 5.0
# A connection idle for longer than this is tested first: a restart of the database then shows
# before a call is sent, and the call can be retried safely.
_LIVENESS_S = 5.0
_RETRY_S = 8.0
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.004, 0.25
# A call asks for all that it needs in a few rounds; more are a fault of its own.
_MOST_ROUNDS = 12
# How long after a conflict accesses are counted in calls of their own.
_CONTENDED_S = 10.0
_ALL_ROWS = -1
# These may be written where a constraint is missing, because they take away what is in its way.
_MENDING = RELEASING | {concepts.REMOVE.name, concepts.REMOVE_RELATION.name}
# So often in a row another caller can hardly have taken a key just before: a node made by hand has
# it for good.
_MOST_TAKEN = 10
_TAKEN = f"another node has this {{}}, so nothing was written; if that stays so, {readiness.MEND}"
_TOO_MANY = "too many writes to the same place; nothing was written"
_PLAIN = frozenset({str, int, float, bool, type(None)})


def driver_of(uri: str, user: str, password: str) -> neo4j.AsyncDriver:
    """Return a pool of connections to *uri*."""
    return neo4j.AsyncGraphDatabase.driver(
        uri,
        auth=(user, password) if user else None,
        connection_timeout=_CONNECT_TIMEOUT_S,
        connection_acquisition_timeout=2 * _CONNECT_TIMEOUT_S,
        liveness_check_timeout=_LIVENESS_S,
        notifications_min_severity="OFF",
        telemetry_disabled=True,
    )


class BoltCaller:
    """Calls on a graph in Memgraph (see `store.Store`); `neo4j://` URIs are routed."""

    def __init__(
        self,
        uri: str,
        user: str,
        password: str,
        model: Model = MODEL,
    ) -> None:
        self._model = model
        self._location = location(uri)
        self._driver = driver_of(uri, user, password)
        self._calls = Calls(self._session)
        self._opening = anyio.Lock()
        self._is_open = False
        self._has_vector_search = False
        self._has_replicas = False
        # Why nothing can be written safely.
        self._unsafe: str | None = None
        self._contended_until_s = 0.0

    @property
    def location(self) -> str:
        return self._location

    async def open(self) -> None:
        async with self._opening:
            if self._is_open:
                return
            ask = probes.once(self.rows)
            self._unsafe = await self._translate(
                False, readiness.check, ask, self._location, self._model
            )
            if self._unsafe:
                logger.warning("%s", self._reading_only())
            await self._fit_vectors(ask)
            self._has_replicas = bool(await self._translate(False, probes.replicas, ask))
            self._is_open = True

    async def fit_vectors(self) -> None:
        await self.open()
        await self._fit_vectors(self.rows)

    async def identity(self) -> str:
        await self.open()
        return await self._translate(False, readiness.identity, self.rows, self.location)

    async def size(self) -> str | None:
        await self.open()
        return await self._translate(False, readiness.memory, self.rows)

    async def unwritable(self) -> str | None:
        await self.open()
        if await self._translate(False, probes.is_replica, self.rows):
            return "this server is a replica; connect to the main to change anything"
        return await self._still_unsafe()

    async def overwrite_removed(self) -> str | None:
        return "Memgraph's snapshots and write-ahead logs, until it replaces them"

    async def call(self, call: Call, context: Mapping[str, Any]) -> list[dict[str, Any]]:
        if not self._is_open:
            await self.open()
        must_be_safe = call.procedure.writes and call.procedure.name not in _MENDING
        if must_be_safe and (told := await self._still_unsafe()):
            raise Unwritable(told)
        if call.procedure.counts:
            return await self._counting(call, context)
        try:
            return await self._make(call, context)
        except Full:
            if call.procedure.name not in RELEASING:
                raise
            # Deleted nodes and refused writes take memory until the database collects them.
            await self._translate(True, self.rows, "FREE MEMORY", {}, True)
            return await self._make(call, context)
        except Misdeployed:
            # The modules went while it was open: the check says which are missing, and the remedy.
            self._is_open = False
            await self.open()
            raise

    def _reading_only(self) -> str:
        return f"{self._location}: only reads are answered: {self._unsafe}"

    async def _still_unsafe(self) -> str | None:
        """Return why nothing can be written safely, unless that was mended meanwhile."""
        if self._unsafe:
            self._unsafe = await self._translate(
                False, readiness.ensure_constraints, self.rows, self._model.stored
            )
        return self._reading_only() if self._unsafe else None

    async def _counting(self, call: Call, context: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Make *call*, whose only writes are accesses.

        If another caller counts accesses of the same nodes, it conflicts, and to repeat all of it
        would take as long and conflict as likely. So then and for a while its read-only twin
        answers, and the accesses are counted in a short call of their own.
        """
        if time.monotonic() >= self._contended_until_s:
            try:
                return await self._make(call, context, patience_s=0.0)
            except Contended:
                self._contended_until_s = time.monotonic() + _CONTENDED_S
            except Unavailable as error:
                if find_unreplicated(error.__cause__) is None:
                    raise
                # The accesses are counted, but the error took the place of the rows.
                twin = call._replace(procedure=call.procedure.peek())
                return Rows(await self._make(twin, context), str(error))
        twin = call._replace(procedure=call.procedure.peek().with_accessed())
        rows = await self._make(twin, context)
        for counting in take_accesses(rows, {**context, **call.context}):
            try:
                await self._make(counting, context)
            except (Contended, Unwritable) as error:
                return Rows(rows, f"no access was counted: {error}")
        return rows

    async def _make(
        self, call: Call, context: Mapping[str, Any], patience_s: float | None = None
    ) -> list[dict[str, Any]]:
        """Make *call*, which says what it needs, until it lacks nothing, and return its rows.

        Each round makes the look-ups of the rounds before it and those that the call lacked then,
        each written once, and sends the call with their answers. A call that lacks one has written
        nothing. After conflicts a round is retried for *patience_s* or 8 s.
        """
        plans: dict[str, Finding] = {}
        kept: dict[str, Pulled] = {}
        told: dict[str, Pulled] = {}
        new = {key(one): one for one in call.wanted}
        for _ in range(_MOST_ROUNDS):
            plans |= pulling.plan_all(new, self._has_vector_search)
            made = await self._translate(
                *(call.procedure.writes, self._round, call, context, plans, kept, told),
                patience_s=patience_s,
            )
            if isinstance(made, Rows):
                fields = call.procedure.fields
                rows = [dict(zip(fields, row, strict=True)) for row in made[0]["rows"]]
                return rows if made.advice is None else Rows(rows, made.advice)
            lacking = {key(one): one for one in made}
            new = {n: one for n, one in lacking.items() if n not in plans and n not in told}
            if not new:
                raise StoreError(f"{call.procedure.name} asks for what it was given")
            for name, one in [*new.items()]:
                if isinstance(one, Embedded):
                    if call.embed is None:
                        raise StoreError(f"{call.procedure.name} asks for a vector")
                    vector = await call.embed(one.text)
                    told[name] = pulling.tell_given(name, vector, f"e{len(told)}_")
                    del new[name]
        raise Contended(f"{self._location}: {_TOO_MANY}")

    async def _round(
        self,
        call: Call,
        context: Mapping[str, Any],
        plans: Mapping[str, Finding],
        kept: dict[str, Pulled],
        told: Mapping[str, Pulled],
    ) -> Rows | tuple[Lookup, ...]:
        """Make *call* with the answers to its *plans*; return its rows, or what it lacks.

        A read goes on with the answers *kept* of earlier rounds. A write rests on what holds in its
        own transaction, also when that is repeated.
        """
        writes = call.procedure.writes
        rests = writes and not call.procedure.counts
        known = {} if rests else kept
        known.update(told)
        has_others = rests and any(one.first for one in plans.values())
        mode = neo4j.WRITE_ACCESS if writes else neo4j.READ_ACCESS
        async with (
            self._calls.marked(mode) as metadata,
            self._session(default_access_mode=mode, fetch_size=_ALL_ROWS) as session,
        ):

            async def alone(text: str, given: Mapping[str, Any]) -> neo4j.AsyncResult:
                return await session.run(neo4j.Query(text, metadata=metadata), dict(given))

            try:
                if not has_others and not (writes and self._has_replicas):
                    return Rows(await _rows(await pulling.make(alone, call, context, plans, known)))
                async with await session.begin_transaction(metadata=metadata) as transaction:
                    run = transaction.run
                    rows = Rows(await _rows(await pulling.make(run, call, context, plans, known)))
                    try:
                        await transaction.commit()
                    except (ClientError, TransientError) as error:
                        rows.advice = find_unreplicated(error)
                        if rows.advice is None:
                            raise
                    return rows
            except ClientError as error:
                if lacks := find_lacking(error):
                    return lacks
                raise

    async def _fit_vectors(self, ask: probes.Run) -> None:
        layers = self._model.layers
        if not embeddings.embedded_kinds(layers):
            return
        has_search = await self._translate(False, readiness.has_vector_search, ask)
        if has_search:
            await self._translate(True, readiness.fit_vector_indexes, ask, layers)
        self._has_vector_search = has_search

    async def close(self) -> None:
        await self._calls.end()
        await self._driver.close()

    def _session(self, **options: Any) -> neo4j.AsyncSession:
        return self._driver.session(**options)

    async def rows(
        self, statement: str, parameters: Mapping[str, Any], writes: bool
    ) -> list[dict[str, Any]]:
        """Run one statement as one auto-committed transaction and return its rows.

        A managed transaction would retry after a lost connection too, and write twice.
        """
        mode = neo4j.WRITE_ACCESS if writes else neo4j.READ_ACCESS
        async with (
            self._calls.marked(mode) as metadata,
            self._session(default_access_mode=mode, fetch_size=_ALL_ROWS) as session,
        ):
            query = neo4j.Query(statement, metadata=metadata)
            return await _rows(await session.run(query, dict(parameters)))

    async def _translate(
        self,
        writes: bool,
        operation: Callable[..., Awaitable[T]],
        *arguments: Any,
        patience_s: float | None = None,
    ) -> T:
        """Run *operation*, retry it after conflicts, and raise other errors as a StoreError."""
        until = time.monotonic() + (_RETRY_S if patience_s is None else patience_s)
        refusals, pause_s = 0, _FIRST_PAUSE_S
        while True:
            try:
                return await operation(*arguments)
            except (Neo4jError, DriverError, OSError) as error:
                refusals = refusals + 1 if find_taken_key(error) else 0
                if not is_conflict(error) or refusals == _MOST_TAKEN or time.monotonic() >= until:
                    self._has_replicas |= find_unreplicated(error) is not None
                    raise self._failure(error, writes) from error
            await anyio.sleep(random.uniform(0, pause_s))
            pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)

    def _failure(self, error: Exception, writes: bool) -> StoreError:
        if is_unauthenticated(error):
            return Unauthenticated(
                f"{self._location}: MEMGRAPH_USER and MEMGRAPH_PASSWORD were not accepted"
            )
        if is_ended(error):
            return Ended(f"{self._location}: the database ended the call; nothing was written")
        if is_conflict(error):
            key = find_taken_key(error)
            told = _TOO_MANY if key is None else _TAKEN.format(key)
            return Contended(f"{self._location}: {told}")
        if isinstance(error, (ClientError, TransientError)):
            return refusal(error)
        if unsent(error):
            # The default address: the user may have no database at all.
            hint = "; --embedded needs none" if self._location == DEFAULT_URI else ""
            return Unavailable(
                f"Memgraph cannot be reached at {self._location}; is it running?{hint}"
            )
        outcome = "the write may have happened" if writes else "nothing was written"
        return Unavailable(f"the connection to Memgraph at {self._location} was lost; {outcome}")


async def _rows(result: neo4j.AsyncResult) -> list[dict[str, Any]]:
    keys = result.keys()
    return [
        {key: _plain(value) for key, value in zip(keys, record.values(), strict=True)}
        async for record in result
    ]


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        # Nearly all values in a call's rows are plain already.
        return [item if item.__class__ in _PLAIN else _plain(item) for item in value]
    if isinstance(value, BoltNode):
        return Node(int(value.element_id), tuple(value.labels), dict(value))
    if isinstance(value, BoltEdge):
        source, target = (int(node.element_id) for node in value.nodes if node is not None)
        return Edge(int(value.element_id), value.type, source, target, dict(value))
    return value
