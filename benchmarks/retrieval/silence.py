"""How many of 100 greetings, remarks and questions about the world bring nothing to mind.

The server's own sentences, from which it learns what asks for nothing, are others. Memories found
by words do not count: a store of thousands of messages says "good morning" somewhere.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from benchmarks.stores import Caller
from conceptgraph_core.retrieval.schema import MAX_LIMIT

from .by_meaning import ByMeaning, Model
from .folder import Memory, Message, Query

REMARKS = Path(__file__).with_name("remarks.txt")
SIZES = (8, 100, 3_000)


def silent(
    opening: Callable[[], AbstractContextManager[Caller]], memories: Sequence[Memory], by: Model
) -> Iterator[tuple[int, float]]:
    """Yield, for stores of 8, 100 and 3,000 of the messages, the share that finds nothing."""
    remarks = REMARKS.read_text(encoding="utf-8").splitlines()
    for size in SIZES:
        chosen = _spread([one for memory in memories for one in memory.messages], size)
        last = max(one.time_ms for one in chosen) + 1
        with opening() as store:
            found = ByMeaning(store, chosen, by)
            loud = sum(
                any(not row["matched"] for row in found.rows(query, MAX_LIMIT))
                for query in (Query("", "", text, last, ()) for text in remarks)
            )
        yield len(chosen), 1 - loud / len(remarks)


def _spread(messages: Sequence[Message], size: int) -> Sequence[Message]:
    """Return *size* of *messages*, evenly spread."""
    return messages[:: max(1, len(messages) // size)][:size]
