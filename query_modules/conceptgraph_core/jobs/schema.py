"""The worker's own layer: what it keeps in the store, so that any client can see and stop it.

Imports nothing of Memgraph, so that the shell can read it without a host.
"""

from typing import Any, Final

from ..layers import Index, Layer, NodeKind, optional

# Who works, under a name that no job has; and under the name of each job what it has done.
WORKER: Final = "Worker"
WORKER_NAME: Final = "worker"
# How long a worker that says nothing keeps others from working: longer than a batch takes.
LEASE_MS: Final = 120_000
DECAY: Final = "decay"
PURGE: Final = "purge"
# How much of what a job goes through one transaction takes.
BATCH: Final = 500
MAX_BATCH: Final = 10_000
COUNTERS: Final = ("runs", "processed", "transitioned", "embedded", "purged", "errors")


def _any(value: Any, _: str) -> Any:
    return value


# In no record of an export.
LAYER: Final = Layer(
    name="work",
    nodes=(
        NodeKind(
            WORKER,
            kind="worker",
            measure="workers",
            key=("name",),
            properties=tuple(
                optional(name, _any)
                for name in (
                    *("name", "paused", "holder", "lease_until"),
                    *("started_at", "finished_at", "duration_ms", "last_error", *COUNTERS),
                    "counts",
                )
            ),
            text="name",
            exported=False,
        ),
    ),
    edges=(),
    walked=(WORKER,),
    indexes=(Index(WORKER, ("name",), unique=True),),
    # Who paused the work and then brings a backup back must not find it going on.
    stays=True,
)
