"""Define the tools for links between memories."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, cast

from pydantic import Field, Strict

from conceptgraph_core.memories import schema

from .. import calls
from ..session import Session
from .adapter import ConceptTool, Hints, tool
from .arguments import WHOLE, Whole, clamped, iso, without_none
from .memory_types import (
    GivenDirection,
    GivenId,
    LinkType,
    MemoriesConnected,
    MemoriesExplored,
    MemoriesReached,
    MemoryAnalysis,
    MemoryFigures,
    MemoryLinked,
    Names,
    Unit,
)
from .toolset import Toolset

_INSTRUCTIONS = """\
Link memories that belong together with memory_node_link; linking again makes a link firmer. \
memory_node_connected shows what one memory is linked to, memory_traverse what lies further, by \
type of link, type and tags of memory; reading keeps nothing present."""


class LinkTools:
    """The tools over one session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    async def memory_node_link(
        self,
        source_id: GivenId,
        target_id: GivenId,
        type: LinkType = schema.DEFAULT_RELATION,
        strength: Annotated[
            Unit | None,
            Field(description="How firm it is from now on; 0 takes it away. A new one has 0.5."),
        ] = None,
        amount: Annotated[
            Unit, Field(description="Added to an existing link if no strength is given.")
        ] = schema.DEFAULT_AMOUNT,
    ) -> MemoryLinked:
        """Link two memories, or make the link that exists firmer. For both ways, link both ways."""
        call = calls.memory_links.link(source_id, target_id, type, strength, amount)
        [row] = await self._session.run(call)
        return cast(MemoryLinked, row)

    async def memory_node_connected(
        self,
        memory_id: GivenId,
        direction: GivenDirection = "both",
        min_weight: Annotated[
            Unit, Field(description="Only links at least as firm as this now.")
        ] = schema.MIN_WEIGHT_CONNECTED,
        limit: Annotated[
            int,
            Strict(),
            Field(ge=1, le=schema.MAX_NODES, description="At most this many."),
            clamped(1, schema.MAX_NODES),
        ] = schema.DEFAULT_CONNECTED,
    ) -> MemoriesConnected:
        """Show the memories linked to one, each once, by its strongest link; strongest first."""
        call = calls.memory_links.connected(memory_id, direction, min_weight, limit)
        rows = await self._session.run(call)
        made = MemoriesConnected(memories=[self._shown(row, "total") for row in rows])
        if rows and rows[0]["total"] > len(rows):
            made["total"] = rows[0]["total"]
        return made

    async def memory_graph_explore(
        self,
        start_node_id: GivenId,
        max_depth: Annotated[
            int,
            Strict(),
            Field(ge=0, le=schema.MAX_DEPTH_EXPLORED, description="How many links away."),
            WHOLE,
        ] = schema.DEFAULT_DEPTH_EXPLORED,
        max_nodes: Annotated[
            int,
            Strict(),
            Field(ge=1, le=schema.MAX_NODES, description="At most this many, the start included."),
            clamped(1, schema.MAX_NODES),
        ] = schema.DEFAULT_NODES_EXPLORED,
        min_weight: Annotated[
            Unit, Field(description="Only along links at least as firm as this now.")
        ] = schema.MIN_WEIGHT_EXPLORED,
    ) -> MemoriesExplored:
        """Show what lies around a memory, nearest first, along links in both directions."""
        call = calls.memory_links.explore(start_node_id, max_depth, max_nodes, min_weight)
        rows = await self._session.run(call)
        return cast(MemoriesExplored, self._walked(rows))

    async def memory_traverse(
        self,
        start_id: GivenId,
        *,
        strategy: Annotated[
            Literal["bfs", "dfs"],
            Field(description="Nearest first, or each link to its end before the next."),
        ] = "bfs",
        max_depth: Annotated[
            int,
            Strict(),
            Field(ge=0, le=schema.MAX_DEPTH_TRAVERSED, description="How many links away."),
            WHOLE,
        ] = schema.DEFAULT_DEPTH_TRAVERSED,
        max_nodes: Annotated[
            int,
            Strict(),
            Field(ge=1, le=schema.MAX_NODES, description="At most this many, the start included."),
            clamped(1, schema.MAX_NODES),
        ] = schema.DEFAULT_NODES_TRAVERSED,
        direction: GivenDirection = "both",
        relation_types: Annotated[
            Names, Field(description="Only along links of these types; none: of any.")
        ] = [],  # noqa: B006 - the schema shows it, and nobody keeps it
        types: Annotated[
            Names, Field(description="Only to and through memories of one of these types.")
        ] = [],  # noqa: B006
        tags: Annotated[
            Names, Field(description="Only to and through memories with one of these tags.")
        ] = [],  # noqa: B006
        min_strength: Annotated[
            Unit, Field(description="Only along links at least as firm as this now.")
        ] = 0.0,
        include_parent_links: Annotated[
            bool, Strict(), Field(description="Also from parts to their parents, and back.")
        ] = False,
        time_budget_ms: Annotated[
            Whole | None,
            Field(
                ge=0, le=schema.MAX_BUDGET_MS, description="Return what was found after this long."
            ),
            clamped(0, schema.MAX_BUDGET_MS),
        ] = None,
    ) -> MemoriesReached:
        """Walk from a memory along its links; the start comes first. Reading is no access. \
memory_graph_search is another name of this tool."""
        call = calls.memory_links.traverse(
            self._session.user_id,
            start_id,
            strategy=strategy,
            max_depth=max_depth,
            max_nodes=max_nodes,
            direction=direction,
            relation_types=relation_types,
            types=types,
            tags=tags,
            min_strength=min_strength,
            include_parent_links=include_parent_links,
            time_budget_ms=time_budget_ms,
        )
        rows = await self._session.run(call)
        return cast(MemoriesReached, self._walked(rows))

    async def memory_graph_stats(self) -> MemoryFigures:
        """Count this user's memories and links: states, sources, types of links, isolated ones."""
        [row] = await self._session.run(calls.memory_links.stats(self._session.user_id))
        return cast(MemoryFigures, row)

    async def memory_graph_analysis(
        self,
        top: Annotated[
            int,
            Strict(),
            Field(ge=1, le=schema.MAX_TOP, description="How many of the most linked memories."),
            clamped(1, schema.MAX_TOP),
        ] = schema.DEFAULT_TOP,
    ) -> MemoryAnalysis:
        """Show how this user's links are distributed, and which memories have most of them."""
        [row] = await self._session.run(calls.memory_links.analysis(self._session.user_id, top))
        shown = [self._shown(one) for one in row["top_connectors"]]
        return cast(MemoryAnalysis, row | {"top_connectors": shown})

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
