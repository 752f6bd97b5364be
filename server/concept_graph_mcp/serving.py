"""Build the MCP server over a store, and serve it over stdio.

End a server on a signal of the system: first cancel its calls. Note when a client last called.
"""

import functools
import gc
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import anyio
from mcp.server.context import CallNext, HandlerResult, ServerMiddleware, ServerRequestContext
from mcp.server.mcpserver import MCPServer

from conceptgraph_core import __version__
from conceptgraph_core.texts.dates import DAY_MS
from conceptgraph_core.verbs import limits

from . import answers, logs, overdue, stdin
from .clients.entry import CLIENT_VARIABLE, CLIENTS, WITH_HOOKS
from .errors import TOO_LITTLE_MEMORY, StoreError, check_memory, lacks_memory
from .hooks import journal
from .hosts.lazy import LazyStore, connect
from .hosts.per_user import UserFiles
from .hosts.store import EXPORTS, KeptStore, Store
from .resources import (
    ICON,
    LISTS,
    Bus,
    add_resources,
    describe_user,
    tell_changes,
    tell_others_changes,
)
from .session import Clock, Session
from .settings import KNOWN_TOOLSETS, Settings
from .sharing import adopt_shared
from .tools import toolsets as registered
from .tools.adapter import answer_by_text, show_visible

if TYPE_CHECKING:
    from .worker.along import Along, AlongEach

# Longer than cancelling a call takes, and shorter than a supervisor's patience.
_PATIENCE_S = 2.0


def die_of_interrupts() -> None:
    """Let an interrupt end the process until `end_calls_first` runs.

    Python's own handler would wait for the thread that reads stdin.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)


async def end_calls_first(store: Store) -> None:
    """On a signal, cancel the calls of *store*, with nothing written, and end the process."""
    if sys.platform == "win32":
        return  # Windows sends no signal that could be handled.
    if threading.current_thread() is not threading.main_thread():
        return  # The main thread handles signals, and this server runs in another.
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as received:
        async for number in received:
            with anyio.move_on_after(_PATIENCE_S):
                await store.close()
            _die(number)


def _die(number: signal.Signals) -> None:
    """End the process by the signal itself, which its sender checks."""
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    # A signal from itself does not kill the first process of a container.
    os._exit(128 + number)


logger = logging.getLogger(__name__)

# With less memory a thread may not start, and whoever starts it waits for ever.
_LEAST_MEMORY = 500 * 2**20
# Seconds until garbage of the start is collected: after the first answers.
_STARTED_AFTER_S = 2.0
# New objects between two collections; a call makes some thousand.
_COLLECTED_AFTER = 20_000
# Seconds until due jobs first run: after a client's first calls.
_WORKING_AFTER_S = 20.0
# Seconds for which a call waits while the model loads; then words answer it.
PATIENCE_S = 1.5
# The requests that read or write the store.
STORED = ("tools/call", "resources/read", "prompts/get", "completion/complete")
# The toolsets that ask for texts by their meaning.
ASKING = ("memory", "everyday", "chatgpt")
# Seconds until a store that is away is asked again.
_AGAIN_S = 60.0
# Seconds between two looks for files of users that are not in use.
_LOOKED_AT_EVERY_S = 60.0


def build(
    session: Session,
    with_set_time: bool = False,
    watch_store: bool = False,
    refusal: str | None = None,
    toolsets: Sequence[str] = ("concept",),
    *,
    works_for: Settings | None = None,
    hooks_of: Settings | None = None,
    asked: Session | None = None,
    adopts: Callable[[], Awaitable[str | None]] | None = None,
    has_notes: bool = False,
) -> MCPServer:
    """Return the server over *session*; with *watch_store* it opens the store as it starts.

    With *refusal* every tool call is answered with that line. With *works_for* the server also runs
    the due jobs of these settings between the calls, and with *hooks_of* it answers the hooks of
    agents that have these settings. With *asked* the tools use that session, which is another one
    for each request, and the process is not ended from here. *adopts* is called once the store is
    open, and returns what to log; requests for what is stored wait until then. A model is told
    whether notes come by themselves.
    """
    tools = registered.tools(asked or session, toolsets, with_set_time)
    others = registered.aliases(toolsets)
    tools += registered.copy_under_aliases(tools, others)
    bus, opened = Bus(session.store.location), anyio.Event()
    for tool in tools:
        tool.refusal = refusal
        tool.icons = [ICON]

    @asynccontextmanager
    async def lifespan(_: MCPServer) -> AsyncIterator[None]:
        async with anyio.create_task_group() as tasks:
            if watch_store and asked is None:
                tasks.start_soon(end_calls_first, session.store)
            if watch_store:
                tasks.start_soon(_open_store, session, adopts, opened)
                tasks.start_soon(_collect_again)
                if {*ASKING} & {*toolsets} and asked is None:
                    tasks.start_soon(_load_model, session, opened)
            if session.embedding is not None:
                tasks.start_soon(_embed_new, session)
            if asked is None:
                tasks.start_soon(tell_changes, session, bus)
                tasks.start_soon(tell_others_changes, session, bus)
            if hooks_of is not None:
                # Imported here, because a server of many users has no hooks.
                from .hooks import listening

                is_expected = os.environ.get(CLIENT_VARIABLE) in WITH_HOOKS
                answer = functools.partial(listening.answer_hooks, is_expected=is_expected)
                tasks.start_soon(answer, session, hooks_of)
            if isinstance(session.store, UserFiles):
                tasks.start_soon(_close_idle, session.store)
            if asked is not None and not isinstance(session.store, UserFiles):
                tasks.start_soon(_log_overdue, session)
            if works_for is None:
                yield
            else:
                async with _working(session, works_for):
                    yield
            tasks.cancel_scope.cancel()
        await session.store.close()
        if session.embedding is not None:
            await session.embedding.close()

    server = MCPServer(
        "concept-graph-mcp",
        title="Concept graph memory",
        version=__version__,
        instructions=refusal or registered.instructions(toolsets, session.concepts, has_notes),
        tools=[*tools],
        lifespan=lifespan,
        log_level="WARNING",
        icons=[ICON],
        cache_hints=LISTS,
        # A server of many users does not know whose memory a subscriber reads.
        subscriptions=False if asked is not None else bus,
    )
    profile: Callable[[], Awaitable[str]] | None = None
    if {"everyday", "chatgpt"} & {*toolsets} and refusal is None:
        add_resources(server, asked or session)
        profile = functools.partial(describe_user, asked or session)
    for prompt in registered.list_prompts(toolsets, profile):
        server.add_prompt(prompt)
    server.middleware.extend(
        [show_visible, answer_by_text, stdin.refuse_unreadable, stdin.shorten_names]
    )
    if watch_store and adopts is not None:
        server.middleware.append(_wait_until(opened))
    if others:
        server.middleware.append(registered.hide_aliases(others))
    return server


def serve(
    settings: Settings,
    with_set_time: bool,
    without_worker: bool = False,
    *,
    has_notes: bool = False,
) -> None:
    """Serve over stdio until stdin closes.

    A store file has no worker beside it, so its server runs the due jobs too. It does not with
    *without_worker*, nor with a settable clock, because no time is then the right one for jobs.
    """
    logs.log_there()
    try:
        check_memory(_LEAST_MEMORY)
    except MemoryError:
        logs.say(TOO_LITTLE_MEMORY)
        sys.exit(1)
    store = connect(settings, creates=True)
    client = os.environ.get(CLIENT_VARIABLE, "").strip()
    session = replace(Session.of(store, settings), patience_s=PATIENCE_S)
    if client in CLIENTS and CLIENTS[client].is_in_project:
        from .histories.conversation import name_project

        session = replace(session, project=name_project(str(Path.cwd())))

    async def prepare() -> str | None:
        told = await adopt_shared(settings, store, session)
        await answers.tell_name(session, settings.me)
        return told

    works_for = None if with_set_time or without_worker else works_along(settings)
    server = build(
        *(session, with_set_time, True),
        toolsets=settings.toolsets,
        works_for=works_for,
        # A stopped clock is of no session of an agent.
        hooks_of=None if with_set_time else settings,
        adopts=prepare,
        has_notes=has_notes,
    )
    if client:
        server.middleware.append(note_calls(client))
    _run(server)


def works_along(settings: Settings) -> Settings | None:
    """Return *settings* if the server has jobs to run: a file's, or the vectors of a database."""
    asks = settings.embeddings is not None and {*ASKING} & {*settings.toolsets}
    return settings if settings.embedded is not None or asks else None


def serve_refusing(refusal: str, with_set_time: bool) -> None:
    """Serve over stdio until stdin closes, answering every call with the line *refusal*.

    It offers every toolset, because the setting of the toolsets may be the wrong one: a model that
    calls a tool must get the reason, not an unknown tool.
    """
    logs.log_there()

    def no_store() -> KeptStore:
        raise StoreError(refusal)

    store = LazyStore("", EXPORTS, no_store)
    session = Session(store, limits.DEFAULT_TAU_MS, ZoneInfo("UTC"), Clock())
    _run(build(session, with_set_time, refusal=refusal, toolsets=KNOWN_TOOLSETS))


def _run(server: MCPServer) -> None:
    stdin.guard_stdin()
    die_of_interrupts()
    has_failed = False
    try:
        server.run("stdio")
    except* Exception as failed:
        errors = [*_leaves(failed)]
        if any(map(lacks_memory, errors)):
            logs.say(TOO_LITTLE_MEMORY)
        elif gone := [error for error in errors if isinstance(error, OSError)]:
            # Nobody can be answered: the client has gone, or the file of its answers is full.
            logs.say(f"stdout: {gone[0].strerror or gone[0]}")
        else:
            raise
        has_failed = True
    # Raised above, it would come in a group, which some versions of Python print.
    if has_failed:
        sys.exit(1)


def _leaves(group: BaseException) -> Iterator[Any]:
    """Yield the exceptions in *group*, at any depth."""
    if isinstance(group, BaseExceptionGroup):
        for one in group.exceptions:
            yield from _leaves(one)
    else:
        yield group


async def _embed_new(session: Session) -> None:
    """Embed new memories between the calls."""
    kept = anyio.Event()
    early: list[tuple[Session, int]] = []

    def noted(by: Session, now_ms: int) -> None:
        early.append((by, now_ms))
        kept.set()

    session.on_kept.append(noted)
    await kept.wait()
    # Only who keeps something needs it.
    from .worker.embedding import NewVectors

    new = NewVectors(session)
    session.on_kept[session.on_kept.index(noted)] = new.note_kept
    for one in early:
        new.note_kept(*one)
    await new.run()


@asynccontextmanager
async def _working(session: Session, settings: Settings) -> AsyncIterator[None]:
    """Run the due jobs meanwhile; at the end wait for the current batch."""
    async with anyio.create_task_group() as tasks:
        begun: list[Along | AlongEach] = []

        async def work() -> None:
            await anyio.sleep(_WORKING_AFTER_S)
            # Imports the scheduler, which a server that ends soon never needs.
            from .worker.along import Along, AlongEach

            store = session.store
            begun.append(
                AlongEach(session, settings, store)
                if isinstance(store, UserFiles)
                else Along(session, settings)
            )
            await begun[0].run()

        tasks.start_soon(work)
        yield
        for along in begun:
            await along.end()
        tasks.cancel_scope.cancel()


def _wait_until(opened: anyio.Event) -> ServerMiddleware[Any]:
    """Return the middleware that lets requests for what is stored wait until *opened*."""

    async def wait(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        if ctx.method in STORED:
            await opened.wait()
        return await call_next(ctx)

    return wait


async def _open_store(
    session: Session, adopts: Callable[[], Awaitable[str | None]] | None, opened: anyio.Event
) -> None:
    """Open the store while the client shakes hands, so that the first call finds it ready.

    A store that cannot be used does not end the server, because most clients hide its stderr: each
    call tries again, and answers with the reason until the owner has mended it.
    """
    try:
        await session.store.open()
        told = None if adopts is None else await adopts()
    except (StoreError, OSError) as error:
        told = str(error)
    finally:
        opened.set()
    if told is not None:
        logger.warning("%s", told)


async def _load_model(session: Session, opened: anyio.Event) -> None:
    """Begin to load the model of the store's vectors: the first question waits less for it."""
    await opened.wait()
    if session.embedding is not None:
        # Imported here, because some servers have none.
        from .embedding import readiness

        # The first question says what is wrong.
        with suppress(StoreError):
            await readiness.begin_loading(session)


async def _log_overdue(session: Session) -> None:
    """Log once a day if no worker runs: users of other people's servers are not told."""
    while True:
        try:
            advice = await overdue.advice(session)
        except StoreError:
            await anyio.sleep(_AGAIN_S)
            continue
        if advice is not None:
            logger.warning("%s", advice)
        await anyio.sleep(DAY_MS / 1_000)


async def _close_idle(files: UserFiles) -> None:
    """Close unused files, every minute."""
    while True:
        await anyio.sleep(_LOOKED_AT_EVERY_S)
        await files.close_idle()


async def _collect_again() -> None:
    """Enable garbage collection, which is disabled while a server starts, but rarer than usual.

    A call leaves thousands of objects in the caches, and each collection goes through them.
    """
    try:
        await anyio.sleep(_STARTED_AFTER_S)
    finally:
        gc.freeze()
        gc.set_threshold(_COLLECTED_AFTER, *gc.get_threshold()[1:])
        gc.enable()


_PAUSE_S = 60.0


def note_calls(client: str) -> ServerMiddleware[Any]:
    """Return the middleware that notes the calls of *client*, one a minute, and each failure."""
    last = -_PAUSE_S

    async def note(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        nonlocal last
        result = await call_next(ctx)
        if ctx.method == "tools/call":
            failed = isinstance(result, Mapping) and bool(result.get("isError"))
            if failed or time.monotonic() - last >= _PAUSE_S:
                last = time.monotonic()
                journal.note_result(client, "tool", "an error" if failed else "answered")
        return result

    return note
