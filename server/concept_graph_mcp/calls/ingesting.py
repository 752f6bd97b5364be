"""The call that keeps messages as memories."""

from collections.abc import Mapping, Sequence
from typing import Any

from conceptgraph_core.associate import schema as of_words
from conceptgraph_core.associate.spreading import NEIGHBOURS
from conceptgraph_core.memories import schema

from . import words
from .call import Call, Procedure, checked
from .lookups import Equal, Last, Lookup, Union
from .memories import ids, mine

INGEST = Procedure("memorygraph.ingest", ("created", "existing", "ends"), writes=True)

PROCEDURES = (INGEST,)


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
        *(_ends(scope, unknown) if unknown else ()),
    ]
    return Call(INGEST, (list(messages), given), Union(tuple(parts)), words.context())


def _last(scope: str, ends: Mapping[str, int]) -> list[Lookup]:
    """Look up what the index of words has at the ends of threads."""
    places = tuple(
        (scope, thread, end - back) for thread, end in ends.items() for back in range(NEIGHBOURS)
    )
    return [Equal((of_words.TEXT,), ("scope", "thread", "position"), places)] if places else []


def _ends(scope: str, threads: Sequence[str]) -> tuple[Lookup, Lookup]:
    """Look up where threads end, if they are there, and what the index of words has there."""
    names = tuple(threads)
    last = Last(schema.MEMORY, "thread", names, "position", 1, where=mine(scope))
    said = Last(of_words.TEXT, "thread", names, "position", NEIGHBOURS, where=(("scope", scope),))
    return last, said
