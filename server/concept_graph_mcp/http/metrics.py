"""Count calls and requests for Prometheus; no label names a user."""

from collections.abc import Callable
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from starlette.requests import Request
from starlette.responses import Response

_PREFIX = "concept_graph_http"
# Seconds: from a call in memory to the usual timeout.
_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Metrics:
    """The counters of one server."""

    def __init__(self) -> None:
        made: dict[str, Any] = {"registry": CollectorRegistry(auto_describe=False)}
        self._registry = made["registry"]
        self.calls = Counter(
            f"{_PREFIX}_calls", "Calls of a tool, by outcome", ["tool", "outcome"], **made
        )
        self.seconds = Histogram(
            f"{_PREFIX}_call_seconds",
            "Seconds from a call to its answer, waiting included",
            ["tool"],
            buckets=_BUCKETS,
            **made,
        )
        self.requests = Counter(
            f"{_PREFIX}_requests",
            "Answered requests to /mcp and /page, by status",
            ["status"],
            **made,
        )

    def show(self, name: str, says: str, value: Callable[[], float]) -> None:
        """Add the gauge *name*, which *value* returns whenever it is read."""
        gauge = Gauge(f"{_PREFIX}_{name}", says, registry=self._registry)
        gauge.set_function(value)

    async def page(self, _: Request) -> Response:
        return Response(generate_latest(self._registry), media_type=CONTENT_TYPE_LATEST)
