"""The memory from Python: the seven everyday verbs, without a server and without a client.

    from concept_graph_mcp import Memory

    with Memory.open("memory.db") as memory:
        memory.remember("Clara is allergic to hazelnuts", about=["Clara"])
        print(memory.recall("What may I not cook for Clara?")["text"])

`AsyncMemory` has the same methods as coroutines. Both return what the tools of the toolset
`everyday` return, and raise `errors.StoreError` with one line that says what is wrong.
"""

import asyncio
import atexit
import functools
import os
import threading
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextlib import AbstractContextManager, ExitStack, suppress
from dataclasses import replace
from types import TracebackType
from typing import Any, Concatenate, Literal, ParamSpec, Self, TypedDict, TypeVar, Unpack

import anyio
from anyio.from_thread import BlockingPortal, start_blocking_portal

from conceptgraph_core import text
from conceptgraph_core.context import DEFAULT_USER, OWN
from conceptgraph_core.errors import ConceptGraphError

from . import calls
from .errors import Refused
from .hosts.lazy import connect
from .session import Clock, Session
from .settings import (
    EMBEDDINGS_VARIABLE,
    REDACT_VARIABLE,
    Settings,
    SettingsError,
    machine_zone,
    read,
)
from .tools.everyday import EverydayTools
from .worker.embedding import NewVectors

# Seconds until a program's store is looked through for texts without a vector.
_BEHIND_AFTER_S = 2.0
# A question waits for the vectors of texts kept just before it, if they are few.
_MOST_WAITED_FOR = 100
_PATIENCE_S = 2.0
# Seconds for which the end of a program waits for them.
_FINISHING_S = 10.0

P = ParamSpec("P")
T = TypeVar("T")


class Options(TypedDict, total=False):
    """How a memory is opened.

    * `zone`: an IANA time zone; by default the machine's.
    * `concepts`: "own", or "shared" with all users of the store.
    * `embeddings`: as in CONCEPT_GRAPH_EMBEDDINGS, by default as set there: "none" for words alone.
    * `redact`: whether secrets are replaced in what is stored; by default CONCEPT_GRAPH_REDACT.
    * `auth`: a name and a password for Memgraph.
    * `clock`: tells the time of the calls.
    """

    zone: str
    concepts: Literal["own", "shared"]
    embeddings: str
    redact: bool
    auth: tuple[str, str]
    clock: Clock


class _Behind:
    """Gives texts their vectors while the program does something else."""

    def __init__(self, session: Session, settings: Settings) -> None:
        self._session = session
        self._settings = settings
        self._new: NewVectors | None = None
        self._task: asyncio.Task[None] | None = None

    def begin(self) -> None:
        if self._task is None:
            self._new = NewVectors(self._session)
            self._session.on_kept.append(self._new.note_kept)
            self._task = asyncio.get_running_loop().create_task(self._run(self._new))

    async def _run(self, new: "NewVectors") -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(new.run)
            await anyio.sleep(_BEHIND_AFTER_S)
            # Many programs end before it is needed.
            from .worker.along import VectorsAlong

            await VectorsAlong(self._session, self._settings).run()

    async def settled(self) -> None:
        """Wait a little for the vectors of what the program has just kept."""
        if self._new is not None:
            await self._new.settle(_MOST_WAITED_FOR, _PATIENCE_S)

    async def end(self) -> None:
        """Finish the vectors of what the program has just kept, if they are few, and stop."""
        task, self._task = self._task, None
        if task is not None:
            try:
                if self._new is not None and not task.done():
                    await self._new.wait_until_done(_MOST_WAITED_FOR, _FINISHING_S)
            finally:
                task.cancel()
            with suppress(asyncio.CancelledError):
                await task


def _after_vectors(
    method: Callable[Concatenate[EverydayTools, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate["AsyncMemory", P], Coroutine[Any, Any, T]]:
    """Return *method* as one that finds by their meaning what was kept just before."""

    async def call(self: "AsyncMemory", /, *arguments: P.args, **named: P.kwargs) -> T:
        if self._behind is not None:
            await self._behind.settled()
        return await method(self, *arguments, **named)

    functools.update_wrapper(call, method)
    return call


class AsyncMemory(EverydayTools):
    """One user's memory on a store, with the seven verbs as coroutines.

    Use `async with AsyncMemory.open(...) as memory`. Any number of processes may open one store.
    """

    def __init__(self, session: Session, behind: "_Behind | None" = None) -> None:
        super().__init__(session)
        self._opened = session
        self._behind = behind

    @classmethod
    def open(
        cls, store: str | os.PathLike[str], user: str = DEFAULT_USER, **options: Unpack[Options]
    ) -> Self:
        """Return the memory of *user* on *store*, not yet opened.

        *store* is the path of a file, which the first write creates, or the URI of a Memgraph.
        Raises Refused.
        """
        chosen = _settings(store, user, options)
        session = Session.of(connect(chosen, creates=True), chosen, options.get("clock"))
        return cls(session, _Behind(session, chosen) if session.embedding else None)

    async def __aenter__(self) -> Self:
        try:
            await self._opened.store.open()
            if self._behind is not None:
                self._behind.begin()
        except BaseException:
            await self.close()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        await self.close()

    def of(self, user: str) -> Self:
        """Return the memory of another *user* on the same store, which this one closes."""
        try:
            session = replace(self._opened, user_id=text.user(user, "user"))
            return type(self)(session, self._behind)
        except ConceptGraphError as error:
            raise Refused(str(error)) from None

    async def items(self, *steps: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Do *steps* on values under paths, in one transaction: see `CALL memorygraph.items`.

        The drop-ins are built on it. A step with a query is a call of its own. Raises StoreError.
        """
        session = self._opened
        query = next((one["query"] for one in steps if one.get("query")), None)
        if query is None:
            return await session.run(calls.items.items(session.user_id, steps))
        whose = session.concept_scope
        rows, _ = await session.answered(
            query, lambda embedded: calls.items.items(session.user_id, steps, embedded, whose)
        )
        return rows

    recall = _after_vectors(EverydayTools.recall)
    search = _after_vectors(EverydayTools.search)

    async def close(self) -> None:
        """Finish the vectors of what was just kept, close the store and the embedding."""
        try:
            if self._behind is not None:
                await self._behind.end()
        finally:
            await self._opened.store.close()
            if self._opened.embedding is not None:
                await self._opened.embedding.close()


class _Opened:
    """The thread in which a store is open, from the first call on until it is closed."""

    def __init__(self, memory: AsyncMemory) -> None:
        self._memory = memory
        self._opening = threading.Lock()
        self._stack = ExitStack()
        self._portal: BlockingPortal | None = None
        self._is_closed = False

    def portal(self) -> BlockingPortal:
        with self._opening:
            if self._is_closed:
                raise Refused("the memory is closed; Memory.open opens it again")
            if self._portal is None:
                with ExitStack() as stack:
                    portal = stack.enter_context(start_blocking_portal())
                    opened: AbstractContextManager[AsyncMemory]
                    opened = portal.wrap_async_context_manager(self._memory)
                    stack.enter_context(opened)
                    self._stack = stack.pop_all()
                self._portal = portal
                _open.add(self)
            return self._portal

    def close(self) -> None:
        with self._opening:
            self._is_closed = True
            _open.discard(self)
            self._stack.close()


_open: set[_Opened] = set()


def _close_all() -> None:
    """Close what the program leaves open: its thread would keep the interpreter from ending."""
    for one in [*_open]:
        one.close()


# Vectors are finished in threads, which can hardly be begun any more when `atexit` has its turn.
with suppress(AttributeError, RuntimeError):
    threading._register_atexit(_close_all)  # type: ignore[attr-defined]
atexit.register(_close_all)


def _blocking(
    method: Callable[Concatenate[AsyncMemory, P], Awaitable[T]],
) -> Callable[Concatenate["Memory", P], T]:
    """Return *method* as one that waits for its result."""

    def call(self: "Memory", /, *arguments: P.args, **named: P.kwargs) -> T:
        portal = self._opened.portal()
        return portal.call(functools.partial(method, self._memory, *arguments, **named))

    functools.update_wrapper(call, method)
    return call


class Memory:
    """One user's memory on a store, with the seven verbs as plain calls.

    The first call opens the store; the end of `with Memory.open(...) as memory`, `close` or the end
    of the program closes it. It may be used from several threads.
    """

    def __init__(self, memory: AsyncMemory, opened: _Opened | None = None) -> None:
        self._memory = memory
        self._opened = opened or _Opened(memory)

    @classmethod
    def open(
        cls, store: str | os.PathLike[str], user: str = DEFAULT_USER, **options: Unpack[Options]
    ) -> Self:
        """Return the memory of *user* on *store*, as `AsyncMemory.open` does."""
        return cls(AsyncMemory.open(store, user, **options))

    def __enter__(self) -> Self:
        self._opened.portal()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        self.close()

    def of(self, user: str) -> Self:
        """Return the memory of another *user* on the same store, as `AsyncMemory.of` does."""
        return type(self)(self._memory.of(user), self._opened)

    def close(self) -> None:
        """Close the store for good."""
        self._opened.close()

    recall = _blocking(AsyncMemory.recall)
    remember = _blocking(AsyncMemory.remember)
    search = _blocking(AsyncMemory.search)
    about = _blocking(AsyncMemory.about)
    forget = _blocking(AsyncMemory.forget)
    relate = _blocking(AsyncMemory.relate)
    profile = _blocking(AsyncMemory.profile)
    items = _blocking(AsyncMemory.items)
    identify = _blocking(AsyncMemory.identify)


def _settings(store: str | os.PathLike[str], user: str, options: Options) -> Settings:
    """Return the settings of these arguments, checked as those of a server are."""
    place = os.fspath(store)
    name, password = options.get("auth", ("", ""))
    given = {
        "CONCEPT_GRAPH_CONCEPTS": options.get("concepts", OWN),
        "CONCEPT_GRAPH_EMBEDDINGS": options.get("embeddings")
        or os.environ.get(EMBEDDINGS_VARIABLE, ""),
        "TZ": options.get("zone") or machine_zone(),
        REDACT_VARIABLE: os.environ.get(REDACT_VARIABLE, ""),
    }
    if "redact" in options:
        given[REDACT_VARIABLE] = "on" if options["redact"] else "off"
    if "://" in place:
        given |= {"MEMGRAPH_URI": place, "MEMGRAPH_USER": name, "MEMGRAPH_PASSWORD": password}
    embedded = None if "://" in place else place
    try:
        chosen = read(given, embedded, toolsets="everyday")
        return replace(chosen, user_id=text.user(user, "user"))
    except (SettingsError, ConceptGraphError) as error:
        raise Refused(str(error)) from None
