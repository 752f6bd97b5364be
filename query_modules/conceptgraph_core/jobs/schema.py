"""Declare the layers of work: the worker's, which clients can stop, of imports, of questions."""

from typing import Any, Final

from ..graph.primitives import BEYOND, Range
from ..layers import Index, Layer, NodeKind, optional

# The worker has a name that no job has; each job's record has the job's name.
WORKER: Final = "Worker"
WORKER_NAME: Final = "worker"
# The look-up of the worker and its jobs.
EVERY: Final = Range((WORKER,), "name", "", BEYOND)
# The name under which the owner's last backup is recorded; it is no job.
BACKUP: Final = "backup"
NO_JOBS: Final = frozenset({WORKER_NAME, BACKUP})
# A silent worker blocks other workers for so long: longer than a batch takes.
LEASE_MS: Final = 120_000
DECAY: Final = "decay"
PURGE: Final = "purge"
# The number of elements that one transaction processes.
BATCH: Final = 500
MAX_BATCH: Final = 10_000
COUNTERS: Final = ("runs", "processed", "transitioned", "embedded", "purged", "errors")


def _accept_any(value: Any, _: str) -> Any:
    return value


# No export has a record of it.
LAYER: Final = Layer(
    name="work",
    nodes=(
        NodeKind(
            WORKER,
            kind="worker",
            measure="workers",
            key=("name",),
            properties=tuple(
                optional(name, _accept_any)
                for name in (
                    *("name", "paused", "holder", "lease_until"),
                    *("started_at", "finished_at", "duration_ms", "last_error", *COUNTERS),
                    *("counts", "file"),
                )
            ),
            text="name",
            exported=False,
        ),
    ),
    edges=(),
    walked=(WORKER,),
    indexes=(Index(WORKER, ("name",), unique=True),),
    # An owner who paused the work and then restores a backup must not find it running.
    stays=True,
)

JOURNAL: Final = "Import"
# The elements that each call of an import created, as records without their values. A restored
# graph has others, so a restore removes it; no export has a record of it.
JOURNALS: Final = Layer(
    name="journals",
    nodes=(
        NodeKind(
            JOURNAL,
            kind="journal",
            measure="journals",
            key=("scope", "id"),
            properties=tuple(
                optional(name, _accept_any)
                for name in ("scope", "id", "import_id", "made_at", "count", "rows")
            ),
            text="import_id",
            scope="scope",
            exported=False,
        ),
    ),
    edges=(),
    walked=(JOURNAL,),
    indexes=(Index(JOURNAL, ("scope", "id"), unique=True),),
)

QUESTION: Final = "KeptQuestion"
# The questions that recalls were asked. No search finds them, and no export has one: only
# `everyday.questions` lists them.
KEPT: Final = Layer(
    name="questions",
    nodes=(
        NodeKind(
            QUESTION,
            kind="question",
            measure="questions",
            key=("scope", "id"),
            properties=tuple(
                optional(name, _accept_any)
                for name in ("scope", "id", "asked_at", "message", "also", "project", "shown")
            ),
            text="message",
            scope="scope",
            exported=False,
        ),
    ),
    edges=(),
    walked=(QUESTION,),
    indexes=(Index(QUESTION, ("scope", "id"), unique=True),),
)
