"""A person as the memory knows them: their agent's tools, at the time of the simulated clock."""

from collections import Counter
from typing import Any

from mcp.server.mcpserver.exceptions import ToolError

from concept_graph_mcp import calls
from concept_graph_mcp.session import Session
from concept_graph_mcp.tools import toolsets

from .histories import Message, Row


class Person:
    """Calls tools, and leaves out arguments that this version of a tool does not know."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.user = session.user_id
        self.refused: Counter[str] = Counter()
        # By the keys of a history: what was kept, stated, and seen as whom.
        self.memories: dict[str, str] = {}
        self.facts: dict[str, str] = {}
        self.entities: dict[str, str] = {}
        self._topics: dict[str, str] = {}
        self._tools = {
            one.name: one for one in toolsets.tools(session, ("memory", "entity"), False)
        }

    async def call(self, tool: str, **given: Any) -> Row:
        """Return what *tool* answers; {} if it refuses, which is counted."""
        one = self._tools[tool]
        try:
            answer: Row = await one.run(given, None)
        except ToolError as error:
            self.refused[f"{tool}: {error}"] += 1
            return {}
        return answer

    async def ingest(self, message: Message) -> None:
        """Keep a message of a conversation as the memory that it is."""
        told = {
            "id": message.id,
            "thread": message.thread,
            "speaker": message.speaker,
            "text": message.text,
            "said_at": message.at_ms,
        }
        await self.session.run(calls.memories.ingest(self.user, [told]))

    async def observe(self, message: Message, perfectly: bool) -> None:
        """Observe *message*, by the built-in extractor or as a perfect observer would."""
        if perfectly and not message.sees:
            return
        given = [self._known(one) for one in message.sees] if perfectly else []
        row = await self.call(
            "entity_observe",
            session_id=message.thread,
            message_id=message.id,
            speaker=message.speaker,
            text=message.text,
            observations=given,
        )
        if perfectly and row:
            for seen, found in zip(message.sees, row["entities"], strict=True):
                self.entities[seen["is"]] = found["entity_id"]
            for fact in message.facts:
                await self._state(message, fact)

    def _known(self, seen: Row) -> Row:
        """Return an observation with what the tool of this version takes."""
        schema = self._tools["entity_observe"].parameters["properties"]["observations"]["items"]
        given = {"type": "entity", **seen}
        return {name: value for name, value in given.items() if name in schema["properties"]}

    async def _state(self, message: Message, fact: Row) -> None:
        given = {"speaker": message.speaker, "text": message.text, "span": fact["span"]}
        given |= {name: fact[name] for name in ("predicate", "value", "single") if name in fact}
        for name in ("corrects", "ends"):
            if name in fact:
                given[name] = self.facts[fact[name]]
        row = await self.call("entity_fact", entity_id=self.entities[fact["of"]], **given)
        if row and "key" in fact:
            self.facts[fact["key"]] = row["fact_id"]

    async def keep(self, message: Message) -> None:
        """Keep what an agent would of *message*, and link it to what it is about."""
        for one in message.keeps:
            given = {name: one[name] for name in ("content", "type", "importance") if name in one}
            row = await self.call("memory_node_create", **given)
            if not row:
                continue
            made = self.memories[one["key"]] = row["memory_id"]
            await self.link(made, message.id, "references")
            if one.get("contradicts") in self.memories:
                await self.link(made, self.memories[one["contradicts"]], "contradicts")
            topic = one.get("topic")
            if topic is not None:
                if topic in self._topics:
                    await self.link(made, self._topics[topic], "extends")
                self._topics[topic] = made

    async def link(self, source: str, target: str, type_: str = "relates_to") -> None:
        await self.call("memory_node_link", source_id=source, target_id=target, type=type_)

    async def search(self, query: str, limit: int = 10) -> list[Row]:
        found: list[Row] = (await self.call("memory_node_search", query=query, limit=limit)).get(
            "memories", []
        )
        return found

    def named(self, key: str) -> str:
        """Return the id of the memory that a history calls *key*: a message's, or one kept."""
        return self.memories.get(key, key)
