"""Propagate labels over the edges (Raghavan, Albert and Kumara, 2007) to find communities.

Each entity takes the label with the largest weight among its neighbours; ties go to the smaller id.
Entities take turns in the order of their ids, so the result is deterministic. Passes start from
scratch and stop when one changes nothing, or after ten. The module imports nothing of Memgraph: it
runs in the worker's process, where no transaction waits for it.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, Literal

Row = dict[str, Any]

MOST_PASSES: Final = 10
# Equal sums differ in the last digits, because their parts faded at different times.
_DECIMALS: Final = 9


class Propagation:
    """Label propagation over entities that are added with the edges that leave them."""

    def __init__(self) -> None:
        # By database id: entity_id, label (what it is called) and community as they are.
        self._known: dict[int, tuple[str, str, str | None]] = {}
        self._sources: list[int] = []
        self._targets: list[int] = []
        self._weights: list[float] = []
        self._places: dict[int, int] = {}
        self._ids: list[int] = []
        # The neighbours of the nth entity begin at the nth of these positions.
        self._begins, self._others, self._weighs = _zeros("q", 0), _zeros("q", 0), _zeros("d", 0)
        self._labels: list[int] = []
        self._waiting = bytearray()
        self._passes = 0

    @property
    def size(self) -> int:
        """Return the number of entities."""
        return len(self._known)

    def add(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Add rows of `connections`."""
        for row in rows:
            self._known[row["node"]] = row["entity_id"], row["label"], row["community"]
            self._sources.extend([row["node"]] * len(row["others"]))
            self._targets.extend(row["others"])
            self._weights.extend(row["weights"])

    def take_pass(self) -> bool:
        """Take the next pass; return whether another one must follow."""
        if not self._passes:
            self._prepare()
        self._passes += 1
        moved = [self._take(place) for place in range(len(self._ids)) if self._waiting[place]]
        return any(moved) and self._passes < MOST_PASSES

    def changes(self) -> Iterator[Row]:
        """Iterate over the changes: entity_id, text (its label), from, to and why."""
        for place, label in enumerate(self._labels):
            key, name, was = self._known[self._ids[place]]
            becomes, called, _ = self._known[self._ids[label]]
            if becomes != was:
                why = "on its own" if label == place else f"its neighbours are with {called}"
                yield {
                    "entity_id": key,
                    "text": name,
                    "from": was or "none",
                    "to": becomes,
                    "why": why,
                }

    def _prepare(self) -> None:
        """Give each entity a place, in the order of ids, and its neighbours either way."""
        self._ids = sorted(self._known, key=lambda one: self._known[one][0])
        self._places = {one: place for place, one in enumerate(self._ids)}
        count, places = len(self._ids), self._places
        pairs = [
            (places[source], places[target], weight)
            for source, target, weight in zip(
                self._sources, self._targets, self._weights, strict=True
            )
            # An entity that was created meanwhile waits for the next run.
            if target in places
        ]
        self._begins = _zeros("q", count + 1)
        for one, other, _ in pairs:
            self._begins[one + 1] += 1
            self._begins[other + 1] += 1
        for place in range(count):
            self._begins[place + 1] += self._begins[place]
        self._others = _zeros("q", 2 * len(pairs))
        self._weighs = _zeros("d", 2 * len(pairs))
        free = list(self._begins[:-1])
        for one, other, weight in pairs:
            for here, there in ((one, other), (other, one)):
                self._others[free[here]], self._weighs[free[here]] = there, weight
                free[here] += 1
        self._labels = list(range(count))
        self._waiting = bytearray(b"\1" * count)

    def _take(self, place: int) -> bool:
        """Let an entity take the label of its neighbours; tell whether its label changed.

        It need not be visited again until the label of a neighbour changes.
        """
        labels, waiting = self._labels, self._waiting
        waiting[place] = 0
        begin, end = self._begins[place], self._begins[place + 1]
        others, weights = self._others[begin:end], dict[int, float]()
        for other, weight in zip(others, self._weighs[begin:end], strict=True):
            label = labels[other]
            weights[label] = weights.get(label, 0.0) + weight
        if not weights:
            return False
        _, chosen = min((-round(weight, _DECIMALS), label) for label, weight in weights.items())
        if chosen == labels[place]:
            return False
        labels[place] = chosen
        for other in others:
            waiting[other] = 1
        return True


def _zeros(kind: Literal["q", "d"], count: int) -> Any:
    """Return room for *count* integers ("q") or floats ("d"), of eight bytes each."""
    return memoryview(bytearray(8 * count)).cast(kind)
