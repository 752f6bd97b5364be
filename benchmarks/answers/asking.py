"""Fill a store from a question set, ask every question, and count the results."""

import os
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from inspect import signature
from pathlib import Path
from statistics import mean
from typing import Any, Self

from concept_graph_mcp import calls, settings
from concept_graph_mcp.errors import Refused
from concept_graph_mcp.hosts.lazy import connect
from concept_graph_mcp.session import Session
from concept_graph_mcp.tools.everyday import TOOLSET
from concept_graph_mcp.worker.embedding import embed_lacking, prepare
from conceptgraph_core.verbs.limits import MAX_CONTENT

from ..family.__main__ import unix_ms
from ..life.world import World
from ..retrieval.folder import Message
from ..stores import batches
from .sets import Case, Part

# Older versions, measured for comparison, lack the argument.
HAS_ALSO = "also" in signature(calls.everyday.recall).parameters
_BATCH = 1_000


@dataclass(frozen=True, slots=True)
class Told:
    """The result of one `recall`: its text, the keys of the quoted texts, and its tokens."""

    text: str
    keys: tuple[str, ...]
    tokens: int

    def answers(self, case: Case) -> bool:
        """Return whether the text has an answer or, if *case* lists none, a relevant text."""
        if not case.answers:
            return not case.gold.isdisjoint(self.keys)
        text = self.text.casefold()
        return all(any(one.casefold() in text for one in some) for some in case.answers)

    def counted(self, case: Case) -> set[str]:
        """Return the keys that count for *case*."""
        brought = [keys for key, keys in case.brings if key in self.keys]
        return set(self.keys).union(*brought) - case.ignored


@dataclass
class Tally:
    """The counts of one set."""

    asked: int = 0
    answered: int = 0
    swapped: int = 0
    with_also: int = 0
    has_also: bool = False
    silent_where_answered: int = 0
    remarks: int = 0
    silent: int = 0
    precision: list[float] = field(default_factory=list)
    recall: list[float] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    unanswerable: list[int] = field(default_factory=list)
    missed: list[tuple[str, str]] = field(default_factory=list)

    def __iadd__(self, other: "Tally") -> Self:
        for name in self.__dataclass_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        return self

    def add(self, case: Case, told: Told) -> None:
        self.asked += bool(case.gold)
        self.answered += bool(case.gold) and told.answers(case)
        self.silent_where_answered += bool(case.gold) and not told.text
        self.tokens.append(told.tokens)
        found = told.counted(case)
        hits = len(found & case.gold)
        if case.gold:
            self.precision.append(hits / len(found) if found else 0.0)
            self.recall.append(hits / len(case.gold))
            if not told.answers(case):
                self.missed.append((case.ask, told.text))


class Asked:
    """A user's memory, asked through the tool `recall` in its default budget."""

    def __init__(self, world: World, part: Part) -> None:
        self._world, self._part = world, part
        self._session: Session = world.session(part.user)
        self._keys: dict[str, str] = {}
        self._made: dict[str | None, dict[str, Any]] = {}

    async def fill(self) -> None:
        """Store all texts and, if there is an embedding, compute every vector."""
        self._world.clock.set(self._part.asked_ms)
        for rows in batches(map(_ingested, self._part.ingested), _BATCH):
            await self._session.run(calls.memories.ingest(self._part.user, rows))
        await self._live()
        self._world.clock.set(self._part.asked_ms)
        if self._session.embedding is not None:
            embedding = await prepare(self._session)
            if embedding is None:
                raise RuntimeError("the embedding cannot be opened")
            async for _ in embed_lacking(self._session, embedding):
                pass

    def _tools(self, project: str | None) -> dict[str, Any]:
        """Return the tools as a client in *project* has them."""
        if project not in self._made:
            session = self._session if project is None else replace(self._session, project=project)
            # Making their schemas takes longer than a call.
            self._made[project] = {one.name: one.fn for one in TOOLSET.tools(session)}
        return self._made[project]

    async def _live(self) -> None:
        ids: dict[str, str] = {}
        for one in self._part.lived:
            self._world.clock.set(unix_ms(one["at"]))
            tools = self._tools(one.get("project"))
            if one["said"]:
                await tools["recall"](one["said"])
            for kept in one["keeps"]:
                given = {name: kept[name] for name in ("text", "about", "keep")}
                given |= {"said": one["said"], "happened_at": kept.get("happened_at")}
                given["replaces"] = ids.get(kept.get("replaces", ""))
                row = await self._remembered(tools, given)
                ids[kept["key"]] = row["id"]
        self._keys |= {memory: key for key, memory in ids.items()}

    async def _remembered(self, tools: dict[str, Any], given: dict[str, Any]) -> Any:
        try:
            return await tools["remember"](**given)
        except Refused:
            # Older versions refuse a future time.
            return await tools["remember"](**given | {"happened_at": None})

    def key(self, memory: str) -> str:
        """Return the key of the memory of that id."""
        return self._keys.get(memory, memory)

    async def ask(self, case: Case, **given: Any) -> Told:
        """Recall the question of *case*; *given* replaces or adds arguments."""
        asked = {"message": case.ask, "asker": case.asker, **given}
        if case.asked_ms is not None:
            self._world.clock.set(case.asked_ms)
        row = await self._tools(case.project)["recall"](**asked)
        sources = (one["id"] for one in row.get("sources", ()) if one["kind"] == "memory")
        keys = tuple(self._keys.get(one, one) for one in sources)
        return Told(row["text"], keys, row.get("tokens", 0))


def _ingested(message: Message) -> dict[str, Any]:
    return {
        "id": message.id,
        "text": message.text[:MAX_CONTENT].strip() or ".",
        "thread": message.thread,
        "speaker": message.speaker,
        "said_at": message.time_ms,
    }


async def measure(part: Part, world: World, tally: Tally) -> None:
    """Fill the empty *world* with *part*, ask everything, and add the counts to *tally*."""
    asked = Asked(world, part)
    await asked.fill()
    for case in part.cases:
        told = await asked.ask(case)
        tally.add(case, told)
        if not case.gold:
            continue
        slipped = await asked.ask(case, message=case.typed or swapped(case.ask))
        tally.swapped += slipped.answers(case)
        tally.has_also |= bool(case.also)
        again = told
        if case.also and HAS_ALSO and not told.answers(case):
            again = await asked.ask(case, also=list(case.also))
        tally.with_also += told.answers(case) or again.answers(case)
    world.clock.set(part.asked_ms)
    for name in part.unanswerable:
        tally.unanswerable.append((await asked.ask(Case(name))).tokens)
    for remark in part.silence:
        tally.silent += not (await asked.ask(Case(remark))).text
    tally.remarks += len(part.silence)


def swapped(ask: str) -> str:
    """Return *ask* with two neighbouring letters in the middle of its longest word swapped."""
    word = max("".join(c if c.isalpha() else " " for c in ask).split(), key=len)
    for at in _from_the_middle(len(word) - 1):
        if word[at] != word[at + 1]:
            return ask.replace(word, word[:at] + word[at + 1] + word[at] + word[at + 2 :], 1)
    return ask


def _from_the_middle(count: int) -> Iterator[int]:
    yield from sorted(range(count), key=lambda at: abs(2 * at + 1 - count))


@asynccontextmanager
async def opened(folder: Path, part: Part, embeddings: str) -> AsyncIterator[World]:
    """Open an empty store in *folder* with the languages of *part* and *embeddings*."""
    environment = {
        "TZ": part.zone,
        "CONCEPT_GRAPH_CONCEPTS": "own",
        "CONCEPT_GRAPH_LANGUAGES": part.languages,
        "CONCEPT_GRAPH_EMBEDDED": str(folder / "store.db"),
    }
    os.environ["CONCEPT_GRAPH_LANGUAGES"] = part.languages
    try:
        chosen = {**environment, "CONCEPT_GRAPH_EMBEDDINGS": embeddings}
        store = connect(settings.read(chosen), creates=True)
    except settings.SettingsError:
        # Older versions have no "none": no embedding is their default.
        chosen = environment
        store = connect(settings.read(chosen), creates=True)
    try:
        await store.open()
        yield World(store, folder, chosen)
    finally:
        await store.close()


def middle(values: Sequence[float], share: float) -> float:
    """Return the value below which *share* of *values* are; 0 if there are none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


def average(values: Sequence[float]) -> float:
    return mean(values) if values else 0.0
