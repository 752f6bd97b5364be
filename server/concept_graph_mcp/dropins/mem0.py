"""The interface of mem0 2 on a memory: `from concept_graph_mcp.dropins.mem0 import Memory`.

A program that uses mem0 changes this import. No model reads its messages: each is kept as it is,
as a memory of its user, found by its words and its meaning. This needs no package.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final, Self, TypeVar

from anyio import to_thread

from conceptgraph_core.errors import NotAllowed

from .. import memory as opened
from ..errors import Refused
from . import kept, mem0_plans
from .kept import Plan
from .mem0_plans import UNSET, Messages

T = TypeVar("T")
# How often an update is tried if somebody else updates the memory meanwhile.
_TRIES: Final = 5


class Memory:
    """mem0's `Memory`, on the store of *memory*; without one on the default store file.

    Memories with a `user_id` belong to that user of the store, others to the user of *memory*.
    *config* is mem0's and is not read: no model and no vector store is needed.
    """

    def __init__(self, config: Any = None, *, memory: opened.Memory | None = None) -> None:
        self._memory = opened.Memory.open() if memory is None else memory

    @classmethod
    def from_config(cls, config_dict: Mapping[str, Any]) -> Self:
        """Return a memory on the default store; the configuration of mem0 is not read."""
        return cls(config_dict)

    def add(
        self,
        messages: Messages,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        timestamp: Any = None,
        expiration_date: Any = None,
        infer: bool = True,
        memory_type: str | None = None,
        prompt: str | None = None,
    ) -> dict[str, Any]:
        """Keep *messages*; return {"results": [{"id", "memory", "event": "ADD", …}]}.

        With *infer* those of the user alone, each text once; those of the assistant too if there is
        no *user_id*. Without it all but those of the system. Raises ValueError, StoreError.
        """
        mem0_plans.refuse_given(timestamp=timestamp, memory_type=memory_type, prompt=prompt)
        scopes = mem0_plans.check_scopes(user_id=user_id, agent_id=agent_id, run_id=run_id)
        plan = mem0_plans.plan_adding(messages, scopes, metadata, expiration_date, infer=infer)
        return {"results": self._run(scopes.get("user_id"), plan)}

    def search(
        self,
        query: str,
        *,
        top_k: int = 20,
        filters: Mapping[str, Any] | None = None,
        threshold: float = 0.1,
        rerank: bool = False,
        explain: bool = False,
        reference_date: Any = None,
        show_expired: bool = False,
        **others: Any,
    ) -> dict[str, Any]:
        """Return {"results": […]}, the best first, each with a `score` from 0 to 1.

        Raises ValueError, StoreError.
        """
        mem0_plans.refuse_given(reference_date=reference_date)
        least, most = mem0_plans.check_bounds(threshold, top_k)
        scopes, wanted = mem0_plans.check_filters(filters, others)
        if not isinstance(query, str) or not query.strip():
            raise ValueError("Invalid query: must be a non-empty string.")
        plan = mem0_plans.plan_finding(scopes, wanted, query.strip())
        found = self._run(scopes.get("user_id"), plan)
        return {"results": [one for one in found if one["score"] >= least][:most]}

    def get_all(
        self,
        *,
        filters: Mapping[str, Any] | None = None,
        top_k: int = 20,
        show_expired: bool = False,
        **others: Any,
    ) -> dict[str, Any]:
        """Return {"results": […]}, the latest first. Raises ValueError, StoreError."""
        _, most = mem0_plans.check_bounds(None, top_k)
        scopes, wanted = mem0_plans.check_filters(filters, others)
        plan = mem0_plans.plan_finding(scopes, wanted, None)
        return {"results": self._run(scopes.get("user_id"), plan)[:most]}

    def get(self, memory_id: str) -> dict[str, Any] | None:
        """Return a memory; None if there is none of that id. Raises StoreError."""
        plan = mem0_plans.plan_getting(memory_id)
        row: dict[str, Any] | None = self._run(mem0_plans.find_user(memory_id), plan)
        return row

    def update(
        self,
        memory_id: str,
        text: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        expiration_date: Any = UNSET,
        data: str | None = None,
    ) -> dict[str, str]:
        """Change a memory's text, metadata or end. Raises ValueError, StoreError."""
        text = data if text is None else text
        for tried in range(_TRIES):
            plan = mem0_plans.plan_updating(memory_id, text, metadata, expiration_date)
            try:
                self._run(mem0_plans.find_user(memory_id), plan)
                break
            except Refused as error:
                if tried == _TRIES - 1 or not issubclass(error.kind, NotAllowed):
                    raise
        return {"message": "Memory updated successfully!"}

    def delete(self, memory_id: str) -> dict[str, str]:
        """Forget a memory; the owner can restore it. Raises ValueError, StoreError."""
        self._run(mem0_plans.find_user(memory_id), mem0_plans.plan_deleting(memory_id))
        return {"message": "Memory deleted successfully!"}

    def delete_all(
        self, user_id: str | None = None, agent_id: str | None = None, run_id: str | None = None
    ) -> dict[str, str]:
        """Forget all memories with these ids. Raises ValueError, StoreError."""
        scopes = mem0_plans.check_scopes(user_id=user_id, agent_id=agent_id, run_id=run_id)
        self._run(scopes.get("user_id"), mem0_plans.plan_deleting_all(scopes))
        return {"message": "Memories deleted successfully!"}

    def history(self, memory_id: str) -> list[dict[str, Any]]:
        """Return the changes of a memory, the first first; [] once it is deleted.

        Raises StoreError.
        """
        plan = mem0_plans.plan_history(memory_id)
        rows: list[dict[str, Any]] = self._run(mem0_plans.find_user(memory_id), plan)
        return rows

    def close(self) -> None:
        """Close the store."""
        self._memory.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self, user: str | None, plan: Plan[Any]) -> Any:
        return kept.run(self._memory if user is None else self._memory.of(user), plan)


class AsyncMemory:
    """mem0's `AsyncMemory`: the methods of `Memory` as coroutines, each in a thread."""

    def __init__(self, config: Any = None, *, memory: opened.Memory | None = None) -> None:
        self._memory = Memory(config, memory=memory)

    @classmethod
    def from_config(cls, config_dict: Mapping[str, Any]) -> Self:
        """Return a memory on the default store; the configuration of mem0 is not read."""
        return cls(config_dict)

    async def add(self, messages: Messages, **given: Any) -> dict[str, Any]:
        """Keep *messages*: see `Memory.add`."""
        return await _call(self._memory.add, messages, **given)

    async def search(self, query: str, **given: Any) -> dict[str, Any]:
        """Find memories: see `Memory.search`."""
        return await _call(self._memory.search, query, **given)

    async def get_all(self, **given: Any) -> dict[str, Any]:
        """List memories: see `Memory.get_all`."""
        return await _call(self._memory.get_all, **given)

    async def get(self, memory_id: str) -> dict[str, Any] | None:
        """Return a memory: see `Memory.get`."""
        return await _call(self._memory.get, memory_id)

    async def update(self, memory_id: str, *given: Any, **named: Any) -> dict[str, str]:
        """Change a memory: see `Memory.update`."""
        return await _call(self._memory.update, memory_id, *given, **named)

    async def delete(self, memory_id: str) -> dict[str, str]:
        """Forget a memory: see `Memory.delete`."""
        return await _call(self._memory.delete, memory_id)

    async def delete_all(self, *given: Any, **named: Any) -> dict[str, str]:
        """Forget memories: see `Memory.delete_all`."""
        return await _call(self._memory.delete_all, *given, **named)

    async def history(self, memory_id: str) -> list[dict[str, Any]]:
        """Return the changes of a memory: see `Memory.history`."""
        return await _call(self._memory.history, memory_id)

    def close(self) -> None:
        """Close the store."""
        self._memory.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await _call(self.close)


async def _call(method: Callable[..., T], *given: Any, **named: Any) -> T:
    return await to_thread.run_sync(partial(method, *given, **named))
