"""Declare the layers of work: the worker's, which clients can stop, of imports, of questions."""

from collections.abc import Sequence
from typing import Any, Final

from ..graph.layers import Index, Layer, NodeKind, optional
from ..graph.primitives import BEYOND, Range

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


def _make_layer(label: str, kind: str, text: str, properties: Sequence[str]) -> Layer:
    """Declare the layer of a user's records of that label, which no search finds and no export has.

    A restore removes them.
    """
    measure = f"{kind}s"
    return Layer(
        name=measure,
        nodes=(
            NodeKind(
                label,
                kind=kind,
                measure=measure,
                key=("scope", "id"),
                properties=tuple(
                    optional(name, _accept_any) for name in ("scope", "id", *properties)
                ),
                text=text,
                scope="scope",
                exported=False,
            ),
        ),
        edges=(),
        walked=(label,),
        indexes=(Index(label, ("scope", "id"), unique=True),),
    )


# The elements that each call of an import created, as records without their values.
JOURNAL: Final = "Import"
_CREATED: Final = ("import_id", "made_at", "count", "rows")
JOURNALS: Final = _make_layer(JOURNAL, "journal", "import_id", _CREATED)
# The questions that recalls were asked: only `everyday.questions` lists them.
QUESTION: Final = "KeptQuestion"
_ASKED: Final = ("asked_at", "message", "also", "project", "shown")
KEPT: Final = _make_layer(QUESTION, "question", "message", _ASKED)
