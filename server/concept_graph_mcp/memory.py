"""The memory from Python: the seven everyday verbs, without a server, a client or MCP.

    from concept_graph_mcp import Memory

    with Memory.open("memory.db") as memory:
        memory.remember("Clara is allergic to hazelnuts", about=["Clara"])
        print(memory.recall("What may I not cook for Clara?")["text"])

`AsyncMemory` has the same methods as coroutines. Each call is one transaction. A failed one raises
`errors.StoreError`, whose text is one line and says what is wrong; nothing is written then.
"""

import functools
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import date
from types import TracebackType
from typing import (
    TYPE_CHECKING,
    Any,
    Concatenate,
    Literal,
    ParamSpec,
    Self,
    TypedDict,
    TypeVar,
    Unpack,
)

from .results import About, AllFound, Forgotten, Identified, Profile, Recalled, Related, Remembered

if TYPE_CHECKING:
    from .memory_opening import OpenedMemory, OpenMemory
    from .session import Clock

__all__ = ["AsyncMemory", "Memory", "Options"]

P = ParamSpec("P")
T = TypeVar("T")
# A name that a text mentions, or that name with what it is: {"name": "Clara", "kind": "sister"}.
Name = str | Mapping[str, Any]
# A time in the memory's zone, such as "2026-01-31T18:00"; or a day of it, "2026-01-31".
Moment = str | date
Keep = Literal["days", "normal", "years", "always"]
Kind = Literal["memory", "episode", "entity"]
RelationType = Literal["is-a", "part-of", "evokes"]


class Options(TypedDict, total=False):
    """How a memory is opened.

    * `zone`: an IANA time zone; by default the machine's.
    * `concepts`: "own", or "shared" with all users of the store.
    * `embeddings`: as in CONCEPT_GRAPH_EMBEDDINGS, by default as set there: "none" for words alone.
    * `redact`: whether secrets are replaced in what is stored; by default CONCEPT_GRAPH_REDACT.
    * `auth`: a name and a password for Memgraph.
    * `clock`: tells the time of the calls.
    """

    zone: str
    concepts: Literal["own", "shared"]
    embeddings: str
    redact: bool
    auth: tuple[str, str]
    clock: "Clock"


class AsyncMemory:
    """One user's memory on a store, with each verb as a coroutine.

    Use `async with AsyncMemory.open(...) as memory`. Any number of processes may open one store.
    The examples are those of `Memory`, which has the same verbs as plain calls.
    """

    def __init__(self, opened: "OpenMemory") -> None:
        self._opened = opened

    @classmethod
    def open(
        cls,
        store: str | os.PathLike[str] | None = None,
        user: str | None = None,
        **options: Unpack[Options],
    ) -> Self:
        """Return the memory of *user* on *store*, which `async with` opens; see `Memory.open`."""
        from .memory_opening import OpenMemory

        return cls(OpenMemory.connect(store, user, options))

    async def __aenter__(self) -> Self:
        await self._opened.open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        await self.close()

    def of(self, user: str) -> Self:
        """Return the memory of another *user* on the same store, which this one closes.

        Raises Refused.
        """
        return type(self)(self._opened.change_user(user))

    async def close(self) -> None:
        """Finish the vectors of what was just kept, and close the store."""
        await self._opened.close()

    async def recall(
        self,
        message: str,
        before: str | None = None,
        token_budget: int = 1_200,
        asker: str | None = None,
        asked_at: Moment | None = None,
        also: Sequence[str] = (),
        max_age_days: int | None = None,
        project: str = "this",
    ) -> Recalled:
        """Return what is known that bears on *message*, as text for a model.

        Everything returned counts as accessed, so it fades later.

            answer = memory.recall("What may I not cook for Clara?")
            if not answer.get("nothing"):
                prompt += answer["text"]

        Args:
            message: The message, as the user wrote it.
            before: The messages before it, in which "she" and "it" have their names.
            token_budget: The most tokens of the text, 50 to 100,000, estimated as bytes / 4.
            asker: The name of the speaker who asks; what that speaker said counts 1.5 times.
            asked_at: The time of the question, if it is not now; nothing later is found.
            also: Other wordings of the message, up to 20.
            max_age_days: The age in days beyond which no memory is found.
            project: "this", "all" or the name of one whose notes are found.

        Returns:
            `text`, a numbered line for each finding; `sources`, the `kind` and `id` of each
            number; `tokens`. If nothing is known, `text` is "" and `nothing` is True. `advice` says
            what the owner should do, if anything.

        Raises:
            StoreError: An argument is wrong, or the store cannot be reached.
        """
        return await self._answer("recall", Recalled, locals())

    async def remember(
        self,
        text: str,
        about: Sequence[Name] = (),
        keep: Keep = "normal",
        said: str | None = None,
        replaces: str | None = None,
        happened_at: Moment | None = None,
    ) -> Remembered:
        """Store one thing that will matter in later conversations.

            clara = {"name": "Clara", "kind": "sister", "facts": {"allergy": "hazelnuts"}}
            made = memory.remember("Clara may not eat hazelnuts", about=[clara], keep="years")
            for one in made.get("similar", []):
                print(one["id"], one["text"])

        Args:
            text: A sentence that is understood on its own, up to 100,000 characters.
            about: The names that it mentions, up to 10; with a `kind` and `facts`, if it tells
                these.
            keep: How long it matters. "days" are two weeks.
            said: The user's message, word for word; it makes the text the user's, not a guess.
            replaces: The id of a memory that is no longer so.
            happened_at: The day or the time that it is about, if not now; it may lie ahead.

        Returns:
            `id` of the memory; `existing` True if the text was stored before; `similar` memories
            (`id`, `text`), which it may replace.

        Raises:
            StoreError: An argument is wrong, or the store cannot be written. Nothing was stored.
        """
        return await self._answer("remember", Remembered, locals())

    async def search(
        self,
        query: str,
        since: Moment | None = None,
        until: Moment | None = None,
        about: str | None = None,
        kinds: Sequence[Kind] = (),
        limit: int = 10,
        asker: str | None = None,
        asked_at: Moment | None = None,
        also: Sequence[str] = (),
        project: str = "this",
    ) -> AllFound:
        """Search what is stored, past states included. Nothing counts as accessed.

            rows = memory.search("holiday", since="2026-01-01", kinds=["memory"])
            for one in rows["found"]:
                print(one["date"], one["text"])

        Args:
            query: A question or words; "" with *since* lists what is of that time.
            since: A day or a time; nothing from before it is found.
            until: A day, to its end, or a time; nothing from after it is found.
            about: A name that everything found is about.
            kinds: The kinds to return; by default all.
            limit: The most results, 1 to 100.
            asker: The name of the speaker who asks; what that speaker said counts 1.5 times.
            asked_at: The time of the question, if it is not now; nothing later is found.
            also: Other wordings of the query, up to 20.
            project: "this", "all" or the name of one whose notes are found.

        Returns:
            `found`, the best first: `kind`, `id`, `text`, `date`, `matched` words, `who` said it,
            and `until` when it held. `total` counts up to 100 of each kind.

        Raises:
            StoreError: An argument is wrong, or the store cannot be reached.
        """
        return await self._answer("search", AllFound, locals())

    async def about(self, name: str, limit: int = 10) -> About:
        """Return everything that is known about a name.

            clara = memory.about("Clara")
            for fact in clara["facts"]:
                print(fact["predicate"], fact["value"], fact.get("until"))

        Args:
            name: A name, the id of an entity, or "me" for the user.
            limit: The most facts, relations and texts, 1 to 100 of each.

        Returns:
            `name`, `kind`, `also` (other names), `facts` (past ones have `until`), open `doubts`,
            `relations`, texts that were `said`, and how many `more` there are of each.

        Raises:
            StoreError: An argument is wrong, or the store cannot be reached.
        """
        return await self._answer("about", About, locals())

    async def forget(self, id: str, reason: str | None = None) -> Forgotten:
        """Hide a memory, a fact, a mention or an entity from every question.

            for one in memory.search("hazelnuts")["found"]:
                memory.forget(one["id"], reason="it was a mistake")

        The owner can restore it: `concept-graph-mcp memories restore ID`.

        Args:
            id: An id that another verb returned.
            reason: The reason, for the owner.

        Returns:
            `id` and `forgotten_at`, an ISO time.

        Raises:
            StoreError: Nothing has that id, or the store cannot be written.
        """
        return await self._answer("forget", Forgotten, locals())

    async def relate(self, source: str, target: str, type: RelationType) -> Related:
        """Relate two general notions, so that one brings the other to mind.

            memory.relate("hazelnut", "nut", "is-a")
            memory.relate("nut", "allergy", "evokes")

        Args:
            source: A concept.
            target: Another concept.
            type: How the first is related to the other.

        Returns:
            `from`, `to` and `type` of the relation; its weight grows with each repetition.

        Raises:
            StoreError: An argument is wrong, or the store cannot be written.
        """
        return await self._answer("relate", Related, locals())

    async def identify(self, a: str, b: str | None = None, *, same: bool, said: str) -> Identified:
        """Record that two names mean one, or that one name means two.

            said = "Clara and Aunt Clara are the same"
            made = memory.identify("Clara", "Aunt Clara", same=True, said=said)
            print(made["verdict"])

        Args:
            a: A name, or the id of an entity.
            b: Another; None with *same* False if *a* is the name of somebody new from now on.
            same: Whether both are one.
            said: The message in which the user said so, with both names.

        Returns:
            `verdict`: "same", "different", or "asked" if *said* lacks a name, so that it stays a
            question. `undo` is an id, with which the owner takes it back.

        Raises:
            StoreError: An argument is wrong, or the store cannot be written.
        """
        return await self._answer("identify", Identified, locals())

    async def profile(self, token_budget: int = 300) -> Profile:
        """Describe the user: who it is, what holds always, who is close, what is coming up.

            system = memory.profile()["text"]

        Args:
            token_budget: The most tokens, 50 to 100,000, estimated as bytes / 4.

        Returns:
            `text`, numbered lines; `sources`, the `kind` and `id` of each number; `tokens`. All are
            empty if nothing is known. Nothing counts as accessed.

        Raises:
            StoreError: The budget is wrong, or the store cannot be reached.
        """
        return await self._answer("profile", Profile, locals())

    async def items(self, *steps: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Do *steps* on values under paths, in one transaction.

            memory.items({"do": "put", "path": "a/b", "value": "{}", "text": "an empty map"})
            [row] = memory.items({"do": "get", "path": "a/b"})

        The drop-ins are built on it. A step with a query is a call of its own.

        Args:
            steps: The steps, as `CALL memorygraph.items` takes them.

        Returns:
            A row for each value that was read, with the number of its `step`.

        Raises:
            StoreError: A step is wrong, or the store cannot be written. No step was done.
        """
        return await self._opened.items(steps)

    async def _answer(self, verb: str, _: Callable[..., T], given: dict[str, Any]) -> T:
        """Return the answer of *verb* to the arguments *given*, the variables of its method."""
        del given["self"]
        answer: T = await self._opened.answer(verb, given)
        return answer


def _wait_for(
    method: Callable[Concatenate[AsyncMemory, P], Awaitable[T]],
) -> Callable[Concatenate["Memory", P], T]:
    """Return *method* as a plain call, which waits in the thread of the store."""

    def call(self: "Memory", /, *given: P.args, **named: P.kwargs) -> T:
        portal = self._opened.portal()
        return portal.call(functools.partial(method, self._memory, *given, **named))

    functools.update_wrapper(call, method)
    return call


class Memory:
    """One user's memory on a store, with the seven verbs as plain calls.

    The first call opens the store; the end of `with Memory.open(...) as memory`, `close` or the end
    of the program closes it. It may be used from several threads.
    """

    def __init__(self, memory: AsyncMemory, opened: "OpenedMemory | None" = None) -> None:
        from .memory_opening import OpenedMemory

        self._memory = memory
        self._opened = opened or OpenedMemory(memory)

    @classmethod
    def open(
        cls,
        store: str | os.PathLike[str] | None = None,
        user: str | None = None,
        **options: Unpack[Options],
    ) -> Self:
        """Return the memory of *user* on *store*.

        Args:
            store: The path of a file, which the first write creates, or the URI of a Memgraph
                (`bolt://host:7687`). Without it, it is the memory of the command line and of the
                agents on this machine, as the settings file and the environment name it.
            user: The user whose memories are read and written; no call meets another's.
            options: `zone`, `concepts`, `embeddings`, `redact`, `auth` and `clock`: see `Options`.

        Raises:
            Refused: An argument is wrong. Nothing was opened.
        """
        return cls(AsyncMemory.open(store, user, **options))

    def __enter__(self) -> Self:
        self._opened.portal()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        self.close()

    def of(self, user: str) -> Self:
        """Return the memory of another *user* on the same store, which this one closes.

        Raises:
            Refused: *user* is no name for a user.
        """
        return type(self)(self._memory.of(user), self._opened)

    def close(self) -> None:
        """Close the store for good, after finishing the vectors of what was just kept."""
        self._opened.close()

    recall = _wait_for(AsyncMemory.recall)
    remember = _wait_for(AsyncMemory.remember)
    search = _wait_for(AsyncMemory.search)
    about = _wait_for(AsyncMemory.about)
    forget = _wait_for(AsyncMemory.forget)
    relate = _wait_for(AsyncMemory.relate)
    identify = _wait_for(AsyncMemory.identify)
    profile = _wait_for(AsyncMemory.profile)
    items = _wait_for(AsyncMemory.items)
