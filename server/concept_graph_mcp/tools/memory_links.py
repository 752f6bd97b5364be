"""Define the tools for links between memories."""

from collections.abc import Mapping
from typing import Any, cast

from ..calls import memory_links
from ..calls.verb import AnyVerb
from ..session import Session
from ..times import iso, without_none
from .adapter import ConceptTool, Hints, tool
from .memory_types import (
    MemoriesConnected,
    MemoriesExplored,
    MemoriesReached,
    MemoryAnalysis,
    MemoryFigures,
    MemoryLinked,
)
from .toolset import Toolset
from .verbs import take_arguments

_INSTRUCTIONS = """\
Link memories that belong together with memory_node_link; linking again makes a link firmer. \
memory_node_connected shows what one memory is linked to, memory_traverse what lies further, by \
type of link, type and tags of memory; reading keeps nothing present."""


class LinkTools:
    """The tools over one session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @take_arguments(memory_links.link)
    async def memory_node_link(self, **given: Any) -> MemoryLinked:
        """Link two memories, or make the link that exists firmer. For both ways, link both ways."""
        [row] = await self._rows(memory_links.link, given)
        return cast(MemoryLinked, row)

    @take_arguments(memory_links.connected)
    async def memory_node_connected(self, **given: Any) -> MemoriesConnected:
        """Show the memories linked to one, each once, by its strongest link; strongest first."""
        rows = await self._rows(memory_links.connected, given)
        made = MemoriesConnected(memories=[self._shown(row, "total") for row in rows])
        if rows and rows[0]["total"] > len(rows):
            made["total"] = rows[0]["total"]
        return made

    @take_arguments(memory_links.explore, names={"start_id": "start_node_id"})
    async def memory_graph_explore(self, **given: Any) -> MemoriesExplored:
        """Show what lies around a memory, nearest first, along links in both directions."""
        return cast(MemoriesExplored, self._walked(await self._rows(memory_links.explore, given)))

    @take_arguments(memory_links.traverse)
    async def memory_traverse(self, **given: Any) -> MemoriesReached:
        """Walk from a memory along its links; the start comes first. Reading is no access. \
memory_graph_search is another name of this tool."""
        return cast(MemoriesReached, self._walked(await self._rows(memory_links.traverse, given)))

    @take_arguments(memory_links.stats)
    async def memory_graph_stats(self) -> MemoryFigures:
        """Count this user's memories and links: states, sources, types of links, isolated ones."""
        [row] = await self._rows(memory_links.stats, {})
        return cast(MemoryFigures, row)

    @take_arguments(memory_links.analysis)
    async def memory_graph_analysis(self, **given: Any) -> MemoryAnalysis:
        """Show how this user's links are distributed, and which memories have most of them."""
        [row] = await self._rows(memory_links.analysis, given)
        shown = [self._shown(one) for one in row["top_connectors"]]
        return cast(MemoryAnalysis, row | {"top_connectors": shown})

    async def _rows(self, verb: AnyVerb[Any], given: Mapping[str, Any]) -> list[dict[str, Any]]:
        return await self._session.run(self._session.call(verb, **given))

    def _walked(self, rows: list[dict[str, Any]]) -> dict[str, Any]:
        made: dict[str, Any] = {"nodes": [self._shown(row, "truncated") for row in rows]}
        # Every row has the total, and the start is always a row.
        return without_none({**made, "truncated": rows[0]["truncated"]})

    def _shown(self, row: Mapping[str, Any], *without: str) -> Any:
        """Return a row in the form of results: time with a zone, no nulls, and not *without*."""
        shown = {key: value for key, value in row.items() if key not in without}
        created_at = iso(row["created_at"], self._session.zone)
        return without_none({**shown, "tags": list(row["tags"]), "created_at": created_at})


def _tools(session: Session) -> list[ConceptTool]:
    """Return the tools over *session*, in the order of the list."""
    tools = LinkTools(session)
    adding = Hints(read_only=False, destructive=False, idempotent=False)
    reading = Hints(read_only=True, destructive=False, idempotent=True)
    return [
        tool(tools.memory_node_link, "Link memories", adding),
        tool(tools.memory_node_connected, "See linked memories", reading),
        tool(tools.memory_graph_explore, "Explore around a memory", reading),
        tool(tools.memory_traverse, "Walk along links", reading),
        tool(tools.memory_graph_stats, "Count memories", reading),
        tool(tools.memory_graph_analysis, "Analyse links", reading),
    ]


TOOLSET = Toolset(_tools, _INSTRUCTIONS, {"memory_graph_search": "memory_traverse"})
