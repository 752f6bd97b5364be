"""A server in this process and one of its clients, without their asynchrony."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from zoneinfo import ZoneInfo

from mcp.client.client import Client
from tests.conftest import NOW_MS

from concept_graph_mcp.serving import build
from concept_graph_mcp.session import Clock, Session
from conceptgraph_core.verbs import limits


class Toy:
    """An embedding of three numbers: how often a text has the letters a, b and c."""

    name, dimension = "toy", 3

    async def wait_until_open(self):
        return self

    async def vectors(self, texts):
        return [tuple(float(text.count(letter)) for letter in "abc") for text in texts]

    async def close(self):
        """Nothing is open."""


class Talk:
    """A client of a server: `call(tool, **arguments)` is what a tool gives, or a refusal's text."""

    def __init__(self, portal: Any, client: Client, session: Session) -> None:
        self._portal, self.client, self.session = portal, client, session

    def __call__(self, tool: str, /, **arguments: Any) -> Any:
        result = self.ask("call_tool", tool, arguments)
        return result.content[0].text if result.is_error else result.structured_content

    def done(self, tool: str, /, **arguments: Any) -> Any:
        """Return what a tool gives that must not refuse."""
        result = self.ask("call_tool", tool, arguments)
        assert not result.is_error, result.content[0].text
        assert json.loads(result.content[0].text) == result.structured_content
        return result.structured_content

    def ask(self, method: str, *given: Any) -> Any:
        """Return what a method of the client gives."""
        return self._portal.call(getattr(self.client, method), *given)

    def read(self, uri: str) -> str:
        """Return the text of a resource."""
        return self.ask("read_resource", uri).contents[0].text

    def run(self, call: Any) -> Any:
        """Return the rows of a call that the server's owner makes beside the client."""
        return self._portal.call(self.session.run, call)

    def records(self) -> list[dict[str, Any]]:
        async def collect() -> list[dict[str, Any]]:
            return [record async for batch in self.session.store.stream() for record in batch]

        return self._portal.call(collect)


@contextmanager
def talking(
    portal: Any, store: Any, *toolsets: str, zone: str = "Europe/Berlin", **given: Any
) -> Iterator[Talk]:
    """Give a client of a server with *toolsets* over *store*, at one time.

    *client* are options of the client, and all else is the session's.
    """
    options = given.pop("client", {})

    async def made() -> tuple[Client, Session]:
        made = store, limits.DEFAULT_TAU_MS, ZoneInfo(zone), Clock(NOW_MS)
        session = Session(*made, **given)
        return Client(build(session, toolsets=toolsets), **options), session

    client, session = portal.call(made)
    with portal.wrap_async_context_manager(client):
        yield Talk(portal, client, session)
