"""Compute vectors of texts with a local model or an endpoint, if one is configured.

A session knows here which embedding it has, and for whose texts vectors are still being made.
"""

from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .base import Embedding
    from .opening import LazyEmbedding


class Later:
    """The embedding configured as *said*, whose modules are imported when it is first used.

    A server starts without them, and many sessions never need one.
    """

    def __init__(self, said: str) -> None:
        self._said = said

    @cached_property
    def lazy(self) -> "LazyEmbedding":
        from .opening import LazyEmbedding

        return LazyEmbedding(self._said)

    @property
    def is_loading(self) -> bool:
        """Whether a thread is loading the model."""
        return "lazy" in self.__dict__ and self.lazy.is_loading

    async def wait_until_open(self) -> "Embedding":
        """Return the embedding itself. Raises EmbeddingError."""
        return await self.lazy.wait_until_open()

    async def close(self) -> None:
        """Close it if it was used."""
        if "lazy" in self.__dict__:
            await self.lazy.close()


class Unfinished:
    """The texts of each user that wait for their vectors, as far as this process knows them."""

    def __init__(self) -> None:
        self._left: dict[str, int] = {}
        self._told: set[str] = set()

    def note(self, user_id: str, left: int) -> None:
        """Note that at least *left* texts wait."""
        self._left[user_id] = left

    def end(self, user_id: str) -> None:
        """Note that none is waited for any more."""
        self._left.pop(user_id, None)
        self._told.discard(user_id)

    def advice(self, user_id: str) -> str | None:
        """Return the words for an answer without results, once until the end."""
        left = self._left.get(user_id)
        if not left or user_id in self._told:
            return None
        self._told.add(user_id)
        return f"vectors of {left:,} or more texts are still being made; words alone find these"
