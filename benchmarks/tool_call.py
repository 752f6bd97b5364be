"""A tool call over stdio against the bare SDK's echo tool, both servers warm."""

from collections.abc import Iterator
from functools import partial

from .harness import Figure, Setup, interleaved
from .stdio import ECHO, Server, embedded


def run(setup: Setup) -> Iterator[Figure]:
    cache = setup.folder / "cache"
    with (
        Server(ECHO, cache) as bare,
        Server(embedded(setup.folder / "memory.db"), cache) as ours,
    ):
        bare.initialize()
        ours.initialize()
        for end in ("pear", "plum", "tree", "juice", "cider"):
            ours.call("relation_add", **{"from": "apple", "to": end, "type": "evokes"})
        tools = {
            "concept_upsert, known name": partial(ours.call, "concept_upsert", concept="apple"),
            "update_affect": partial(ours.call, "update_affect", target="apple", valence_delta=0.1),
            "recall_query, 5 rows": partial(ours.call, "recall_query", seeds=["apple"], max_hop=2),
        }
        echo = partial(bare.call, "echo", text="apple")
        for what, side in tools.items():
            milliseconds, base = interleaved((side, echo), setup.times(300), warm_up=20)
            yield Figure(what, milliseconds, "the SDK's echo", base)
