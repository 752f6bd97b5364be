"""The call that keeps messages as memories."""

from collections.abc import Mapping, Sequence
from typing import Any

from conceptgraph_core.associate import schema as of_words
from conceptgraph_core.associate.spreading import NEIGHBOURS
from conceptgraph_core.memories import schema

from . import words
from .call import Call, Procedure, checked
from .lookups import Equal, Lookup, Ordered, Union
from .memories import ids, mine

INGEST = Procedure("memorygraph.ingest", ("created", "existing", "ends"), writes=True)

PROCEDURES = (INGEST,)

# Where each thread that is not known ends takes a look-up of its own.
MOST_UNKNOWN = 20


@checked
def ingest(
    scope: str, messages: Sequence[Mapping[str, Any]], ends: Mapping[str, int] | None = None
) -> Call:
    """Return the call that keeps those of *messages* that are not there yet, in one transaction.

    *ends* are the `ends` that earlier calls returned: where threads end that are known.
    """
    known = ends or {}
    threads = dict.fromkeys(str(message["thread"]) for message in messages)
    given = {thread: known[thread] for thread in threads if thread in known}
    records = [
        {
            "kind": schema.KIND.kind,
            "id": message["id"],
            "user_id": scope,
            "content": message["text"],
            "speaker": message.get("speaker"),
        }
        for message in messages
    ]
    unknown = [thread for thread in threads if thread not in given]
    parts: list[Lookup] = [
        ids(*(message["id"] for message in messages)),
        *words.of_records(records),
        *_last(scope, given),
        *(part for thread in unknown for part in _ends(scope, thread)),
    ]
    return Call(INGEST, (list(messages), given), Union(tuple(parts)), words.context())


def _last(scope: str, ends: Mapping[str, int]) -> list[Lookup]:
    """Look up what the index of words has at the ends of threads."""
    places = tuple(
        (scope, thread, end - back) for thread, end in ends.items() for back in range(NEIGHBOURS)
    )
    return [Equal((of_words.TEXT,), ("scope", "thread", "position"), places)] if places else []


def _ends(scope: str, thread: str) -> tuple[Lookup, Lookup]:
    """Look up where a thread ends, if it is there, and what the index of words has of that end."""
    last = Ordered(schema.MEMORY, "position", 1, where=(*mine(scope), ("thread", thread)))
    said = Ordered(
        of_words.TEXT,
        "position",
        NEIGHBOURS,
        where=(("scope", scope), ("thread", thread)),
    )
    return last, said
