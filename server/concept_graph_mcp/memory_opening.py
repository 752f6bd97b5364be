"""Open a store for `Memory`: its settings, its thread, and the vectors made meanwhile.

All that is slow to import is here and below, so that importing `Memory` costs a program little.
"""

import asyncio
import atexit
import logging
import os
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AbstractContextManager, ExitStack, suppress
from dataclasses import replace
from functools import partial
from typing import Any

import anyio
from anyio.from_thread import BlockingPortal, start_blocking_portal

from conceptgraph_core.texts import text
from conceptgraph_core.verbs.context import CHANCE_VARIABLES, OWN
from conceptgraph_core.verbs.errors import ConceptGraphError

from . import calls, settings_file
from .answers import Answers
from .errors import Refused, StoreError, one_line
from .hosts.lazy import connect
from .session import Session
from .settings import (
    EMBEDDINGS_VARIABLE,
    KEEP_VARIABLE,
    REDACT_VARIABLE,
    Settings,
    SettingsError,
    read,
)
from .sharing import adopt_shared
from .times import find_moments, read_moments
from .worker.embedding import NewVectors, embed_newest

logger = logging.getLogger(__name__)
# Seconds until a program's store is looked through for texts without a vector.
_BEHIND_AFTER_S = 2.0
# A question waits for the vectors of texts kept just before it, if they are few.
_MOST_WAITED_FOR = 100
_PATIENCE_S = 2.0
# The first of them waits for the model too: on a busy machine it takes long to load.
_LOADING_S = 30.0
# Seconds for which the end of a program waits for them.
_FINISHING_S = 10.0
# The settings of the machine that hold for every store.
_OF_TEXTS = (EMBEDDINGS_VARIABLE, REDACT_VARIABLE, KEEP_VARIABLE, *CHANCE_VARIABLES, "TZ")
# The verbs that find texts by their meaning.
_FINDING = ("recall", "search")


class OpenMemory:
    """One user's memory on a store; any number of them share one `Behind`."""

    def __init__(
        self,
        session: Session,
        behind: "Behind | None" = None,
        adopts: Callable[[], Awaitable[str | None]] | None = None,
    ) -> None:
        self.session = session
        self.behind = behind
        self._adopts = adopts
        self._answers = Answers(session)

    @classmethod
    def connect(
        cls,
        store: str | os.PathLike[str] | None,
        user: str | None,
        options: Mapping[str, Any],
    ) -> "OpenMemory":
        """Return the memory that these arguments name, not yet opened. Raises Refused."""
        chosen = read_settings(store, user, options)
        made = connect(chosen, creates=True)
        session = Session.of(made, chosen, options.get("clock"))
        behind = Behind(session, chosen) if session.embedding else None
        return cls(session, behind, partial(adopt_shared, chosen, made, session))

    async def open(self) -> None:
        """Open the store, and begin to make vectors. Raises StoreError."""
        try:
            await self.session.store.open()
            await self._adopt_shared()
            if self.behind is not None:
                self.behind.begin()
        except BaseException:
            await self.close()
            raise

    async def _adopt_shared(self) -> None:
        try:
            told = None if self._adopts is None else await self._adopts()
        except (StoreError, OSError) as error:
            told = one_line(error)
        if told is not None:
            logger.warning("%s", told)

    def change_user(self, user: str) -> "OpenMemory":
        """Return the memory of *user* on the same store. Raises Refused."""
        try:
            session = replace(self.session, user_id=text.user(user, "user"))
        except ConceptGraphError as error:
            raise Refused(str(error)) from None
        return OpenMemory(session, self.behind)

    async def answer(self, verb: str, given: Mapping[str, Any]) -> Any:
        """Return the answer of *verb*; its times are texts or dates. Raises StoreError."""
        if verb in _FINDING and self.behind is not None:
            await self.behind.settle(self.session)
        moments = find_moments(getattr(calls.everyday, verb))
        times = read_moments(given, moments, self.session.zone, self.session.clock.now_ms())
        return await getattr(self._answers, verb)(**{**given, **times})

    async def items(self, steps: tuple[Mapping[str, Any], ...]) -> list[dict[str, Any]]:
        """Do *steps* in one transaction: see `AsyncMemory.items`. Raises StoreError."""
        session = self.session
        query = next((one["query"] for one in steps if one.get("query")), None)
        if query is None:
            rows = await session.run(calls.memories.items(session.user_id, steps))
            if self.behind is not None and any(one.get("text") for one in steps):
                self.behind.note_items(session)
            return rows
        if self.behind is not None:
            await self.behind.settle(session)
        whose = session.concept_scope
        by = partial(calls.memories.items, session.user_id, steps, concept_scope=whose)
        return (await session.answered(query, by))[0]

    async def close(self) -> None:
        """Finish the vectors of what was just kept, close the store and the embedding."""
        try:
            if self.behind is not None:
                await self.behind.end()
        finally:
            await self.session.store.close()
            if self.session.embedding is not None:
                await self.session.embedding.close()


class Behind:
    """Gives texts their vectors while the program does something else."""

    def __init__(self, session: Session, settings: Settings) -> None:
        self._session = session
        self._settings = settings
        self._new: NewVectors | None = None
        self._task: asyncio.Task[None] | None = None
        # The users whose texts have vectors, or get them because the session says what it kept.
        self._settled: set[str] = set()
        # How many calls kept values of each user since a question last waited for their vectors.
        self._items = Counter[str]()

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

    def note_items(self, session: Session) -> None:
        """Take note that the user of *session* kept values, whose ids do not tell when."""
        self._settled.discard(session.user_id)
        self._items[session.user_id] += 1

    async def settle(self, session: Session) -> None:
        """Wait a little for the vectors of what was just kept: here, or by a program before."""
        if self._new is not None:
            await self._new.settle(_MOST_WAITED_FOR, _PATIENCE_S, _LOADING_S)
        user = session.user_id
        if user not in self._settled:
            self._settled.add(user)
            count = self._items.pop(user, 0)
            if not await embed_newest(session, _MOST_WAITED_FOR, _PATIENCE_S, _LOADING_S):
                self._settled.discard(user)
                self._items[user] += count

    async def end(self) -> None:
        """Finish the vectors of what the program has just kept, if they are few, and stop."""
        task, self._task = self._task, None
        if task is not None:
            try:
                if self._new is not None and not task.done():
                    await self._new.wait_until_done(_MOST_WAITED_FOR, _FINISHING_S)
                for user, count in list(self._items.items()):
                    if count <= _MOST_WAITED_FOR:
                        own = replace(self._session, user_id=user)
                        await embed_newest(own, _MOST_WAITED_FOR, _FINISHING_S)
            finally:
                task.cancel()
            with suppress(asyncio.CancelledError):
                await task


class OpenedMemory:
    """The thread in which a store is open, from the first call on until it is closed."""

    def __init__(self, memory: AbstractAsyncContextManager[Any]) -> None:
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
                    opened: AbstractContextManager[Any]
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


_open: set[OpenedMemory] = set()


def _close_all() -> None:
    """Close what the program leaves open: its thread would keep the interpreter from ending."""
    for one in [*_open]:
        one.close()


# Vectors are finished in threads, which can hardly be begun any more when `atexit` has its turn.
with suppress(AttributeError, RuntimeError):
    threading._register_atexit(_close_all)  # type: ignore[attr-defined]
atexit.register(_close_all)


def read_settings(
    store: str | os.PathLike[str] | None, user: str | None, options: Mapping[str, Any]
) -> Settings:
    """Return the settings of these arguments, checked as those of a server are.

    A store that is named is the program's own: only how texts are read and told is that of the
    machine.
    """
    try:
        given = settings_file.merge_environment()
        settings_file.set_languages(given)
        place = None if store is None else os.fspath(store)
        if place is not None:
            given = {name: given[name] for name in _OF_TEXTS if name in given}
            given |= {"CONCEPT_GRAPH_CONCEPTS": OWN}
        if place is not None and "://" in place:
            given |= {"MEMGRAPH_URI": place}
            place = None
        chosen = read(given | _name_variables(options), place, "everyday")
        return chosen if user is None else replace(chosen, user_id=text.user(user, "user"))
    except (SettingsError, ConceptGraphError) as error:
        raise Refused(str(error)) from None


def _name_variables(options: Mapping[str, Any]) -> dict[str, str]:
    """Return the variables that stand for the given ones of *options*."""
    name, password = options.get("auth", ("", ""))
    redacts = options.get("redact")
    given = {
        "CONCEPT_GRAPH_CONCEPTS": options.get("concepts"),
        EMBEDDINGS_VARIABLE: options.get("embeddings"),
        "TZ": options.get("zone"),
        REDACT_VARIABLE: None if redacts is None else "on" if redacts else "off",
        "MEMGRAPH_USER": name,
        "MEMGRAPH_PASSWORD": password,
    }
    return {variable: value for variable, value in given.items() if value}
