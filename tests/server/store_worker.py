"""A process with a store of its own, doing what it reads on stdin and printing what came of it.

    python store_worker.py LOCATION

LOCATION is the path of a file or a bolt:// URI. A line is `[call, *arguments]`, with a function of
`calls.concepts` or `calls.transfer`, or as `layer.call` one of another module of `calls`, or one of
the extra commands below; its answer is one line too, either `{"rows": …}` or `{"error": …}`. Before
them comes the answer to opening the store.
"""

import asyncio
import json
import logging
import os
import resource
import signal
import sys
from pathlib import Path
from typing import Any

from concept_graph_mcp import calls
from concept_graph_mcp.errors import StoreError
from concept_graph_mcp.hosts.store import Store
from conceptgraph_core.verbs.errors import ConceptGraphError

NOBODY = 65534
CONTEXT = {"now_ms": 1_750_000_000_000, "tau_ms": 86_400_000, "date": "20250615"}


async def main(location: str) -> None:
    logging.disable()
    # A write beyond the limit is then an error instead of the end of the process.
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    store = _store(location)
    await _answer(_open(store))
    for line in sys.stdin:
        name, *arguments = json.loads(line)
        if name == "records":
            await _answer(_records(store))
        elif name in ("backup", "restore"):
            await _answer(_kept(store, name, *arguments))
        elif name == "limit_file_size":
            await _answer(_limit_file_size(*arguments))
        elif name == "open_as_nobody":
            os.setegid(NOBODY)
            os.seteuid(NOBODY)
            await store.close()
            store = _store(*arguments)
            await _answer(_open(store))
        else:
            await _answer(_call(store, name, arguments))
    await store.close()


def _store(location: str) -> Store:
    if "://" in location:
        from concept_graph_mcp.hosts.memgraph.store import BoltStore

        return BoltStore(location, "", "")
    from concept_graph_mcp.hosts.sqlite.store import EmbeddedStore

    return EmbeddedStore(Path(location))


async def _answer(rows: Any) -> None:
    try:
        answer = {"rows": await rows}
    except (StoreError, ConceptGraphError) as error:
        answer = {"error": str(error)}
    print(json.dumps(answer), flush=True)  # noqa: T201


async def _open(store: Store) -> list[Any]:
    await store.open()
    return []


async def _call(store: Store, name: str, arguments: list[Any]) -> list[dict[str, Any]]:
    layer, _, own = name.rpartition(".")
    if layer:
        module = getattr(calls, layer)
    else:
        module = calls.concepts if hasattr(calls.concepts, name) else calls.transfer
    call = getattr(module, own)(*arguments)
    return await store.call(call, CONTEXT)


async def _records(store: Store) -> list[dict[str, Any]]:
    return [record async for batch in store.stream() for record in batch]


async def _kept(store: Store, what: str, file: str | None) -> list[Any]:
    """Back the store up to *file*, or replace it by that, or by nothing."""
    await getattr(store, what)(None if file is None else Path(file))
    return []


async def _limit_file_size(size: int) -> list[Any]:
    """Let no file grow beyond *size* bytes; a negative one lifts the limit."""
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard if size < 0 else size, hard))
    return []


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
