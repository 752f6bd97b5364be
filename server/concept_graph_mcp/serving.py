"""Building the MCP server over a store, and serving it over stdio."""

import asyncio
import gc
import logging
import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import anyio
from mcp.server.mcpserver import MCPServer

from conceptgraph_core import __version__, limits

from . import signals, stderr, stdin
from .errors import Misdeployed, StoreError
from .session import Clock, Session
from .settings import DEFAULT_TOOLSETS, KNOWN_TOOLSETS, Settings
from .stores.lazy import LazyStore, connect
from .stores.store import EXPORTS, KeptStore
from .tools import aliases
from .tools import toolsets as registered
from .tools.prompts import prompts
from .view import mcp_app

if TYPE_CHECKING:
    from .worker.along import Along

logger = logging.getLogger(__name__)

# When what a start left over is looked for: not amid the first answers.
_STARTED_AFTER_S = 2.0
# When due jobs are first looked for: after the first calls of a client.
_WORKING_AFTER_S = 20.0


def build(
    session: Session,
    with_set_time: bool = False,
    watch_store: bool = False,
    refusal: str | None = None,
    toolsets: Sequence[str] = DEFAULT_TOOLSETS,
    *,
    works_for: Settings | None = None,
) -> MCPServer:
    """Return the server over *session*; with *watch_store* it opens the store as it starts.

    With *refusal* every call of a tool is answered with that line. With *works_for* the server also
    runs the due jobs of these settings between the calls.
    """
    tools = registered.tools(session, toolsets, with_set_time)
    others = registered.aliases(toolsets)
    tools += aliases.of(tools, others)
    for tool in tools:
        tool.refusal = refusal

    @asynccontextmanager
    async def lifespan(_: MCPServer) -> AsyncIterator[None]:
        async with anyio.create_task_group() as tasks:
            if watch_store:
                tasks.start_soon(signals.end_calls_first, session.store)
                tasks.start_soon(_open_store, session)
                tasks.start_soon(_collect_again)
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
        instructions=refusal or registered.instructions(toolsets, session.concepts),
        tools=[*tools],
        extensions=[mcp_app.extension()],
        lifespan=lifespan,
        log_level="WARNING",
    )
    for prompt in prompts(toolsets):
        server.add_prompt(prompt)
    server.middleware.append(stdin.refuse_unreadable)
    server.middleware.append(mcp_app.told_to_hosts_that_show_it)
    if others:
        server.middleware.append(aliases.unlisted(others))
    return server


def serve(settings: Settings, with_set_time: bool, without_worker: bool = False) -> None:
    """Serve over stdio until stdin closes.

    A store file has no worker beside it, so that its server runs the due jobs too. With a clock
    that can be set no time is the right one for them, and *without_worker* leaves them out as well.
    """
    stderr.log_there()
    # A file of another kind is a path that was set wrong, and told like every other setting; but a
    # database that is not prepared must not be waited for.
    ends = None if settings.embedded is not None else _end_soon
    store = connect(settings, creates=True)
    session = Session.of(store, settings, on_misdeployed=ends)
    works = settings.embedded is not None and not (with_set_time or without_worker)
    works_for = settings if works else None
    server = build(session, with_set_time, True, toolsets=settings.toolsets, works_for=works_for)
    _run(server)


def serve_refusing(refusal: str, with_set_time: bool) -> None:
    """Serve over stdio until stdin closes, answering every call with the line *refusal*.

    Of every toolset, for what a client was to be offered may be what is wrong: a model that knows
    of a tool is told why, not that there is no such tool.
    """
    stderr.log_there()

    def no_store() -> KeptStore:
        raise StoreError(refusal)

    store = LazyStore("", EXPORTS, no_store)
    session = Session(store, limits.DEFAULT_TAU_MS, ZoneInfo("UTC"), Clock())
    _run(build(session, with_set_time, refusal=refusal, toolsets=KNOWN_TOOLSETS))


def _run(server: MCPServer) -> None:
    stdin.guard_stdin()
    signals.die_of_interrupts()
    server.run("stdio")


@asynccontextmanager
async def _working(session: Session, settings: Settings) -> AsyncIterator[None]:
    """Run the due jobs meanwhile; at the end the batch under way is finished."""
    async with anyio.create_task_group() as tasks:
        begun: list[Along] = []

        async def work() -> None:
            await anyio.sleep(_WORKING_AFTER_S)
            # With the scheduler, which a server that ends soon never needs.
            from .worker.along import Along

            begun.append(Along(session, settings))
            await begun[0].run()

        tasks.start_soon(work)
        yield
        for along in begun:
            await along.end()
        tasks.cancel_scope.cancel()


async def _open_store(session: Session) -> None:
    """Open the store while the client shakes hands, so that the first call finds it ready."""
    try:
        await session.store.open()
    except StoreError as error:
        if isinstance(error, Misdeployed) and session.on_misdeployed is not None:
            _end(error)
        logger.warning("%s", error)


async def _collect_again() -> None:
    """Look for what can be let go, as Python does; while a server starts that is not done."""
    try:
        await anyio.sleep(_STARTED_AFTER_S)
    finally:
        gc.enable()


def _end_soon(error: Misdeployed) -> None:
    """End the server once the tool error that says the same has been sent."""
    asyncio.get_running_loop().call_later(0.5, _end, error)


def _end(error: Misdeployed) -> None:
    stderr.say(str(error))
    # Not sys.exit: a thread waits for stdin, which the client keeps open, and would be waited for.
    os._exit(1)
