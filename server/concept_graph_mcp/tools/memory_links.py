"""Define the tools for links between memories."""

from collections.abc import Sequence
from typing import Any, cast

from ..calls import memory_links
from ..session import Session
from ..times import iso, without_none
from .adapter import ADDING, READING, ConceptTool, tool
from .memory_types import (
    MemoriesConnected,
    MemoriesExplored,
    MemoriesReached,
    MemoryAnalysis,
    MemoryFigures,
    MemoryLinked,
)
from .toolset import Row, Tools, Toolset
from .verbs import run_verb

_INSTRUCTIONS = """\
Link memories that belong together with memory_node_link; linking again makes a link firmer. \
memory_node_connected shows what one memory is linked to, memory_traverse what lies further, by \
type of link, type and tags of memory; reading keeps nothing present."""


class LinkTools(Tools):
    """The tools over one session."""

    @run_verb(memory_links.link)
    def memory_node_link(self, row: Row) -> MemoryLinked:
        """Link two memories, or make the link that exists firmer. For both ways, link both ways."""
        return cast(MemoryLinked, row)

    @run_verb(memory_links.connected)
    def memory_node_connected(self, *rows: Row) -> MemoriesConnected:
        """Show the memories linked to one, each once, by its strongest link; strongest first."""
        made = MemoriesConnected(memories=[self._shown(row, "total") for row in rows])
        if rows and rows[0]["total"] > len(rows):
            made["total"] = rows[0]["total"]
        return made

    @run_verb(memory_links.explore, names={"start_id": "start_node_id"})
    def memory_graph_explore(self, *rows: Row) -> MemoriesExplored:
        """Show what lies around a memory, nearest first, along links in both directions."""
        return cast(MemoriesExplored, self._walked(rows))

    @run_verb(memory_links.traverse)
    def memory_traverse(self, *rows: Row) -> MemoriesReached:
        """Walk from a memory along its links; the start comes first. Reading is no access. \
memory_graph_search is another name of this tool."""
        return cast(MemoriesReached, self._walked(rows))

    @run_verb(memory_links.stats)
    def memory_graph_stats(self, row: Row) -> MemoryFigures:
        """Count this user's memories and links: states, sources, types of links, isolated ones."""
        return cast(MemoryFigures, row)

    @run_verb(memory_links.analysis)
    def memory_graph_analysis(self, row: Row) -> MemoryAnalysis:
        """Show how this user's links are distributed, and which memories have most of them."""
        shown = [self._shown(one) for one in row["top_connectors"]]
        return cast(MemoryAnalysis, {**row, "top_connectors": shown})

    def _walked(self, rows: Sequence[Row]) -> Any:
        made: dict[str, Any] = {"nodes": [self._shown(row, "truncated") for row in rows]}
        # Every row has the total, and the start is always a row.
        return without_none({**made, "truncated": rows[0]["truncated"]})

    def _shown(self, row: Row, *without: str) -> Any:
        """Return a row in the form of results: time with a zone, no nulls, and not *without*."""
        shown = {key: value for key, value in row.items() if key not in without}
        created_at = iso(row["created_at"], self._session.zone)
        return without_none({**shown, "tags": list(row["tags"]), "created_at": created_at})


def _tools(session: Session) -> list[ConceptTool]:
    """Return the tools over *session*, in the order of the list."""
    tools = LinkTools(session)
    return [
        tool(tools.memory_node_link, "Link memories", ADDING),
        tool(tools.memory_node_connected, "See linked memories", READING),
        tool(tools.memory_graph_explore, "Explore around a memory", READING),
        tool(tools.memory_traverse, "Walk along links", READING),
        tool(tools.memory_graph_stats, "Count memories", READING),
        tool(tools.memory_graph_analysis, "Analyse links", READING),
    ]


TOOLSET = Toolset(_tools, _INSTRUCTIONS, {"memory_graph_search": "memory_traverse"})
