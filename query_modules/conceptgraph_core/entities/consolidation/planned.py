"""Record the changes that earlier steps of a rehearsal would have made, for its later steps.

So a rehearsal reports what the run would do, step by step, and writes nothing. The context holds
the record as `planned`: the rehearsed `steps`, and the edges and merges that they reported.
"""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from .. import schema


class Planned:
    """The rehearsed steps, and the semantic edges and merges that they would make."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        steps = given.get("steps", ())
        self.has_decayed = schema.DECAY in steps
        self.has_deactivated = schema.DEACTIVATE in steps
        # By entity id: the weights of its edges, and the entity that it would count as.
        self.weights: defaultdict[str, list[float]] = defaultdict(list)
        self.merged: dict[str, str] = dict(given.get(schema.MERGE_STEP, ()))
        for one, other, weight in given.get(schema.SEMANTIC_STEP, ()):
            self.join(one, other, weight)

    def join(self, one: str, other: str, weight: float) -> None:
        for key in (one, other):
            self.weights[key].append(weight)

    def merges(self, one: str, other: str) -> bool:
        """Tell whether the rehearsal would have merged one of the two into the other."""
        return self.merged.get(one) == other or self.merged.get(other) == one
