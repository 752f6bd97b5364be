"""Offer what a person attaches to a chat: who the user is, the last days, all on a name.

Tell subscribers when these change, and clients how long they may keep the lists.
"""

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import anyio
from mcp.server.caching import CacheHint
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.resources import FunctionResource
from mcp.server.subscriptions import InMemorySubscriptionBus, ResourceUpdated, ServerEvent
from mcp.types import Completion, CompletionArgument, Icon, ResourceTemplateReference

from . import calls
from .answers import Answers
from .errors import StoreError
from .session import Session

ME: Final = "memory://me"
TODAY: Final = "memory://today"
ABOUT: Final = "memory://about/{name}"
# Three names with two ties, drawn small: each tool carries it.
ICON: Final = Icon(
    src="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'%3E%3Cpath"
    " d='M6 18 12 6l6 12' stroke='%23888' fill='none' stroke-width='5' stroke-linecap='round'/%3E"
    "%3C/svg%3E",
    mime_type="image/svg+xml",
    sizes=["any"],
)
# The lists of a server stay the same until it ends.
LISTS: Final[dict[Any, CacheHint]] = dict.fromkeys(
    ("tools/list", "prompts/list", "resources/list", "resources/templates/list"),
    CacheHint(ttl_ms=3_600_000),
)
# Seconds within which several writes are told as one change.
_TOGETHER_S: Final = 0.5
# Seconds between two looks at a store file for changes by other processes.
_LOOK_S: Final = 5.0
_MOST_NAMES: Final = 20


def add_resources(server: MCPServer, session: Session) -> None:
    """Add the resources over *session* to *server*, and the completion of their names."""
    server.add_resource(_make_today(session))
    server.add_resource(_make_me(session))

    @server.resource(
        ABOUT,
        name="about",
        title="All on a name",
        description="Facts, doubts, relations and what was said, with who said it.",
        mime_type="application/json",
        icons=[ICON],
    )
    async def about(name: str) -> str:
        return json.dumps(await Answers(session).about(name=name), ensure_ascii=False)

    @server.completion()  # type: ignore[no-untyped-call, untyped-decorator]
    async def complete(ref: Any, argument: CompletionArgument, _: Any) -> Completion | None:
        if not isinstance(ref, ResourceTemplateReference) or ref.uri != ABOUT:
            return None
        return Completion(values=await complete_name(session, argument.value))


def _make_today(session: Session) -> FunctionResource:
    async def today() -> str:
        # Imported when it is first read, because few servers are asked for it.
        from .hooks import notes
        from .hooks.options import Options

        defaults = Options()
        text, _ = await notes.make_notes_on_project(
            session, "", budget=defaults.start_tokens, days=defaults.days, seen=()
        )
        return text or "Nothing was said in the last days."

    return FunctionResource(
        uri=TODAY,
        name="today",
        title="Memory of the last days",
        description="The texts of the last days, the latest first, as quoted notes.",
        mime_type="text/plain",
        icons=[ICON],
        fn=today,
    )


def _make_me(session: Session) -> FunctionResource:
    async def me() -> str:
        # Imported when it is first read, because few servers are asked for it.
        from .hooks import notes

        return await notes.make_notes_on_user(session)

    return FunctionResource(
        uri=ME,
        name="me",
        title="Who the user is",
        description="Own facts, what is kept always, wishes, those closest, and what is coming up.",
        mime_type="text/plain",
        icons=[ICON],
        fn=me,
    )


async def describe_user(session: Session) -> str:
    """Return who the user is for a prompt: nothing, if the store does not answer."""
    from .hooks import notes

    try:
        return await notes.make_notes_on_user(session)
    except StoreError:
        return ""


async def complete_name(session: Session, begun: str) -> list[str]:
    """Return names of people, things and concepts that begin with *begun*, or have such a word."""
    if not begun.strip():
        return []
    limit = _MOST_NAMES
    found = await session.run(session.call(calls.entities.search, query=begun, limit=limit))
    labels = [str(row["label"]) for row in found]
    given = {"keywords": [begun], "limit": limit}
    rows = await session.run(session.call(calls.concepts.concept_search, **given))
    names = [*labels, *(str(row["concept"]) for row in rows if row["matched"])]
    return [*dict.fromkeys(names)][:limit]


class Bus(InMemorySubscriptionBus):
    """Brings changes to the subscribers, and knows since when there are any.

    *location* is that of the store. `seen` are the times of its file when the first one came.
    """

    def __init__(self, location: str) -> None:
        super().__init__()
        self.file = None if "://" in location else Path(location)
        self.seen: list[int] = []
        self._there: set[object] = set()
        self._subscribed = anyio.Event()

    @property
    def has_subscribers(self) -> bool:
        """Whether anybody is told."""
        return bool(self._there)

    def subscribe(self, listener: Callable[[ServerEvent], None]) -> Callable[[], None]:
        """Tell *listener* of each change; return what ends that."""
        leave, token = super().subscribe(listener), object()
        if self.file is not None and not self._there:
            self.seen = _list_times(self.file)
        self._there.add(token)
        self._subscribed.set()

        def unsubscribe() -> None:
            leave()
            self._there.discard(token)

        return unsubscribe

    async def wait(self) -> None:
        """Wait until there is a subscriber."""
        while not self.has_subscribers:
            self._subscribed = anyio.Event()
            await self._subscribed.wait()


async def tell_changes(session: Session, bus: Bus) -> None:
    """Tell the subscribers on *bus* of what this server writes, until cancelled."""
    changed = anyio.Event()

    def note_written() -> None:
        changed.set()

    session.on_written.append(note_written)
    while True:
        await changed.wait()
        await anyio.sleep(_TOGETHER_S)
        changed = anyio.Event()
        for uri in (ME, TODAY):
            await bus.publish(ResourceUpdated(uri=uri))


async def tell_others_changes(session: Session, bus: Bus) -> None:
    """Tell the subscribers on *bus* of what other processes write to a store file, until cancelled.

    While there are subscribers, the times of the file are looked at. If they changed, the resources
    are read, and those with another text are told of. A change by this server may be told twice.
    """
    resources = {ME: _make_me(session), TODAY: _make_today(session)}
    while bus.file is not None:
        await bus.wait()
        seen: list[int] = bus.seen
        shown: dict[str, str] = {}
        while bus.has_subscribers:
            if (now := _list_times(bus.file)) != seen:
                read = await _read(resources)
                for uri, text in read.items():
                    if text != shown.get(uri):
                        await bus.publish(ResourceUpdated(uri=uri))
                # The texts may have another change already, which was told to nobody.
                seen, shown = now, read if _list_times(bus.file) == now else {}
            await anyio.sleep(_LOOK_S)


async def _read(resources: dict[str, FunctionResource]) -> dict[str, str]:
    """Return the texts of *resources*: nothing of a store that does not answer."""
    try:
        return {uri: str(await one.read()) for uri, one in resources.items()}
    except (StoreError, ValueError):
        return dict.fromkeys(resources, "")


def _list_times(file: Path) -> list[int]:
    """Return when *file*, and the log beside it, was last written, in ns."""
    times = []
    for one in (file, file.with_name(f"{file.name}-wal")):
        # The log goes with the last connection.
        with suppress(OSError):
            times.append(one.stat().st_mtime_ns)
    return times
