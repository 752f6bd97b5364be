"""The memory from Python: the seven everyday verbs, without a server, a client or MCP.

    from concept_graph_mcp import Memory

    with Memory.open("memory.db") as memory:
        memory.remember("Clara is allergic to hazelnuts", about=["Clara"])
        print(memory.recall("What may I not cook for Clara?")["text"])

`AsyncMemory` has the same methods as coroutines. Each call is one transaction. A failed one raises
`errors.StoreError`, whose text is one line and says what is wrong; nothing is written then.
"""

import functools
import inspect
import os
from collections.abc import Awaitable, Callable, Mapping
from types import MethodType, TracebackType
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
    cast,
    get_type_hints,
)

from . import calls
from .results import About, AllFound, Forgotten, Identified, Profile, Recalled, Related, Remembered

if TYPE_CHECKING:
    from .calls.verb import RuleVerb
    from .memory_opening import OpenedMemory, OpenMemory
    from .session import Clock

__all__ = ["AsyncMemory", "Memory", "Options"]

P = ParamSpec("P")
T = TypeVar("T")


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


class _Late:
    """A method that is made when it is first used, because importing the verbs takes long."""

    def __init__(self, make: Callable[[], Callable[..., Any]]) -> None:
        self._make = make

    @functools.cached_property
    def method(self) -> Callable[..., Any]:
        return self._make()

    def __get__(self, memory: object, _: type) -> Callable[..., Any]:
        return self.method if memory is None else MethodType(self.method, memory)


def _make_of(
    returns: Callable[..., T], find: Callable[[], "RuleVerb[P]"]
) -> Callable[[Callable[[Any], None]], Callable[Concatenate["AsyncMemory", P], Awaitable[T]]]:
    """Make of a docstring the method with the arguments of the verb that *find* returns."""

    def decorate(told: Callable[[Any], None]) -> Any:
        return _Late(lambda: _make_method(find(), returns, told))

    return decorate


def _make_method(
    verb: "RuleVerb[Any]", returns: Callable[..., Any], told: Callable[[Any], None]
) -> Callable[..., Any]:
    """Return the coroutine function of *verb*, with plain types and a meaning of each argument."""
    from conceptgraph_core.verbs.arguments import describe

    types = get_type_hints(verb.__wrapped__)
    given = [*inspect.signature(verb.__wrapped__).parameters.values()][1:]
    parameters = [one.replace(annotation=types[one.name]) for one in given]
    itself = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    signature = inspect.Signature([itself, *parameters], return_annotation=returns)

    async def method(self: "AsyncMemory", *given: Any, **named: Any) -> Any:
        bound = signature.bind(self, *given, **named).arguments
        del bound["self"]
        return await self._opened.answer(verb.__name__, bound)

    lines = [f"    {one.name}: {describe(one.type)}\n" for one in verb.arguments]
    before, returned, after = inspect.cleandoc(told.__doc__ or "").partition("Returns:\n")
    method.__name__, method.__qualname__ = told.__name__, told.__qualname__
    method.__doc__ = "".join([before, "Args:\n", *lines, "\n", returned, after])
    method.__signature__ = signature  # type: ignore[attr-defined]
    method.__annotations__ = {one: types[one] for one in signature.parameters if one in types}
    method.__annotations__["return"] = returns
    return method


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

    @_make_of(Recalled, lambda: calls.everyday.recall)
    def recall(self) -> None:
        """Return what is known that bears on *message*, as text for a model.

        Everything returned counts as accessed, so it fades later.

            answer = memory.recall("What may I not cook for Clara?")
            if not answer.get("nothing"):
                prompt += answer["text"]

        Returns:
            `text`, a numbered line for each finding; `sources`, the `kind` and `id` of each
            number; `tokens`. If nothing is known, `text` is "" and `nothing` is True. `advice` says
            what the owner should do, if anything.

        Raises:
            StoreError: An argument is wrong, or the store cannot be reached.
        """

    @_make_of(Remembered, lambda: calls.everyday.remember)
    def remember(self) -> None:
        """Store one thing that will matter in later conversations.

            clara = {"name": "Clara", "kind": "sister", "facts": {"allergy": "hazelnuts"}}
            made = memory.remember("Clara may not eat hazelnuts", about=[clara], keep="years")
            for one in made.get("similar", []):
                print(one["id"], one["text"])

        Returns:
            `id` of the memory; `existing` True if the text was stored before; `similar` memories
            (`id`, `text`), which it may replace.

        Raises:
            StoreError: An argument is wrong, or the store cannot be written. Nothing was stored.
        """

    @_make_of(AllFound, lambda: calls.everyday.search)
    def search(self) -> None:
        """Search what is stored, past states included. Nothing counts as accessed.

            rows = memory.search("holiday", since="2026-01-01", kinds=["memory"])
            for one in rows["found"]:
                print(one["date"], one["text"])

        Returns:
            `found`, the best first: `kind`, `id`, `text`, `date`, `matched` words, `who` said it,
            and `until` when it held. `total` counts up to 100 of each kind.

        Raises:
            StoreError: An argument is wrong, or the store cannot be reached.
        """

    @_make_of(About, lambda: calls.everyday.about)
    def about(self) -> None:
        """Return everything that is known about a name.

            clara = memory.about("Clara")
            for fact in clara["facts"]:
                print(fact["predicate"], fact["value"], fact.get("until"))

        Returns:
            `name`, `kind`, `also` (other names), `facts` (past ones have `until`), open `doubts`,
            `relations`, texts that were `said`, and how many `more` there are of each.

        Raises:
            StoreError: An argument is wrong, or the store cannot be reached.
        """

    @_make_of(Forgotten, lambda: calls.everyday.forget)
    def forget(self) -> None:
        """Hide a memory, a fact, a mention or an entity from every question.

            for one in memory.search("hazelnuts")["found"]:
                memory.forget(one["id"], reason="it was a mistake")

        The owner can restore it: `concept-graph-mcp memories restore ID`.

        Returns:
            `id`, `forgotten_at`, an ISO time, and with an entity `others`: the texts that stay,
            because they are about others too (`id`, `text`, and their names in `about`).

        Raises:
            StoreError: Nothing has that id, or the store cannot be written.
        """

    @_make_of(Related, lambda: calls.everyday.relate)
    def relate(self) -> None:
        """Relate two general notions, so that one brings the other to mind.

            memory.relate("hazelnut", "nut", "is-a")
            memory.relate("nut", "allergy", "evokes")

        Returns:
            `from`, `to` and `type` of the relation; its weight grows with each repetition.

        Raises:
            StoreError: An argument is wrong, or the store cannot be written.
        """

    @_make_of(Identified, lambda: calls.everyday.identify)
    def identify(self) -> None:
        """Record that two names mean one, or that one name means two.

            said = "Clara and Aunt Clara are the same"
            made = memory.identify("Clara", "Aunt Clara", same=True, said=said)
            print(made["verdict"])

        Returns:
            `verdict`: "same", "different", or "asked" if *said* lacks a name, so that it stays a
            question. `undo` is an id, with which the owner takes it back.

        Raises:
            StoreError: An argument is wrong, or the store cannot be written.
        """

    @_make_of(Profile, lambda: calls.everyday.profile)
    def profile(self) -> None:
        """Describe the user: who it is, what holds always, who is close, what is coming up.

            system = memory.profile()["text"]

        Returns:
            `text`, numbered lines; `sources`, the `kind` and `id` of each number; `tokens`. All are
            empty if nothing is known. Nothing counts as accessed.

        Raises:
            StoreError: The budget is wrong, or the store cannot be reached.
        """

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


def _wait_for(
    find: Callable[[], Callable[Concatenate[AsyncMemory, P], Awaitable[T]]],
) -> Callable[Concatenate["Memory", P], T]:
    """Return the method that *find* returns as a plain call, which waits in the store's thread."""

    def make() -> Callable[..., T]:
        method = find()

        def call(self: "Memory", /, *given: P.args, **named: P.kwargs) -> T:
            portal = self._opened.portal()
            return portal.call(functools.partial(method, self._memory, *given, **named))

        functools.update_wrapper(call, method)
        return call

    return cast(Any, _Late(make))  # type: ignore[no-any-return]


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

    recall = _wait_for(lambda: AsyncMemory.recall)
    remember = _wait_for(lambda: AsyncMemory.remember)
    search = _wait_for(lambda: AsyncMemory.search)
    about = _wait_for(lambda: AsyncMemory.about)
    forget = _wait_for(lambda: AsyncMemory.forget)
    relate = _wait_for(lambda: AsyncMemory.relate)
    identify = _wait_for(lambda: AsyncMemory.identify)
    profile = _wait_for(lambda: AsyncMemory.profile)
    items = _wait_for(lambda: AsyncMemory.items)
