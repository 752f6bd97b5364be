"""`AsyncMemory`: the memory from Python as coroutines, and the types of its arguments."""

import os
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self, TypedDict, TypeVar, Unpack

from .results import About, AllFound, Forgotten, Identified, Profile, Recalled, Related, Remembered

if TYPE_CHECKING:
    from .memory_opening import OpenMemory
    from .session import Clock

T = TypeVar("T")
# A name that a text mentions, or that name with what it is: {"name": "Clara", "kind": "sister"}.
Name = str | Mapping[str, str]
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
    """One user's memory on a store, with the verbs of `Memory` as coroutines.

    Use `async with AsyncMemory.open(...) as memory`. Any number of processes may open one store.
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
        """Return what is known that bears on *message*: see `Memory.recall`."""
        return await self._answer(
            *("recall", Recalled),
            message=message,
            before=before,
            token_budget=token_budget,
            asker=asker,
            asked_at=asked_at,
            also=also,
            max_age_days=max_age_days,
            project=project,
        )

    async def remember(
        self,
        text: str,
        about: Sequence[Name] = (),
        keep: Keep = "normal",
        said: str | None = None,
        replaces: str | None = None,
        happened_at: Moment | None = None,
    ) -> Remembered:
        """Store *text*: see `Memory.remember`."""
        return await self._answer(
            *("remember", Remembered),
            text=text,
            about=about,
            keep=keep,
            said=said,
            replaces=replaces,
            happened_at=happened_at,
        )

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
        """Search what is stored: see `Memory.search`."""
        return await self._answer(
            *("search", AllFound),
            query=query,
            since=since,
            until=until,
            about=about,
            kinds=kinds,
            limit=limit,
            asker=asker,
            asked_at=asked_at,
            also=also,
            project=project,
        )

    async def about(self, name: str, limit: int = 10) -> About:
        """Return everything on a name: see `Memory.about`."""
        return await self._answer("about", About, name=name, limit=limit)

    async def forget(self, id: str, reason: str | None = None) -> Forgotten:
        """Hide something from every question: see `Memory.forget`."""
        return await self._answer("forget", Forgotten, id=id, reason=reason)

    async def relate(self, source: str, target: str, type: RelationType) -> Related:
        """Relate two general notions: see `Memory.relate`."""
        return await self._answer("relate", Related, source=source, target=target, type=type)

    async def identify(self, a: str, b: str | None = None, *, same: bool, said: str) -> Identified:
        """Record whether two names mean one: see `Memory.identify`."""
        return await self._answer("identify", Identified, a=a, b=b, same=same, said=said)

    async def profile(self, token_budget: int = 300) -> Profile:
        """Describe the user: see `Memory.profile`."""
        return await self._answer("profile", Profile, token_budget=token_budget)

    async def items(self, *steps: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Do *steps* on values under paths: see `Memory.items`."""
        return await self._opened.items(steps)

    async def _answer(self, verb: str, _: Callable[..., T], /, **given: Any) -> T:
        answer: T = await self._opened.answer(verb, given)
        return answer
