"""Write the worker's counters as a Prometheus file for a node exporter to collect."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from prometheus_client import CollectorRegistry, write_to_textfile
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from conceptgraph_core.jobs.schema import COUNTERS

_PREFIX = "concept_graph_worker"
_SAYS = {
    "runs": "Runs of a job that were finished",
    "processed": "Elements that a job processed",
    "transitioned": "Memories that changed their state",
    "embedded": "Texts that got a vector",
    "purged": "Memories that were removed for good",
    "errors": "Failures of a job, and memories that it could not process",
}


def write(file: Path, status: Mapping[str, Any]) -> None:
    """Replace *file* by the counters of a row of the worker's *status*, whole or not at all.

    Raises OSError.
    """
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Status(status))
    write_to_textfile(str(file), registry)


class _Status(Collector):
    def __init__(self, status: Mapping[str, Any]) -> None:
        self._status = status

    def collect(self) -> Iterable[Metric]:
        yield _gauge("paused", "Whether work is paused", self._status["paused"])
        yield _gauge("works", "Whether a worker has the lease", self._status["holder"] is not None)
        for name in COUNTERS:
            counter = CounterMetricFamily(f"{_PREFIX}_{name}", _SAYS[name], labels=["job"])
            for job in self._status["jobs"]:
                counter.add_metric([job["job"]], job[name])
            yield counter
        # The counters that only some jobs have.
        labels = ["job", "what"]
        counted = CounterMetricFamily(
            f"{_PREFIX}_counted", "Further counts of a job", labels=labels
        )
        for job in self._status["jobs"]:
            for what, value in dict(job["counts"]).items():
                counted.add_metric([job["job"], what], value)
        yield counted
        yield self._seconds("last_run_timestamp_seconds", "When the last run began", "started_at")
        yield self._seconds("last_run_duration_seconds", "How long it took", "duration_ms")

    def _seconds(self, name: str, says: str, field: str) -> Metric:
        gauge = GaugeMetricFamily(f"{_PREFIX}_{name}", says, labels=["job"])
        for job in self._status["jobs"]:
            if job[field] is not None:
                gauge.add_metric([job["job"]], job[field] / 1_000)
        return gauge


def _gauge(name: str, says: str, value: bool) -> Metric:
    return GaugeMetricFamily(f"{_PREFIX}_{name}", says, value=float(value))
