"""What earlier steps of a night's rehearsal would have done, for the later ones to reckon with.

So a rehearsal says what the run does, step by step, and nothing is written. The context has it as
`planned`: the `steps` that were rehearsed, and of those that join or merge, what they told.
"""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from .. import schema


class Planned:
    """The steps that were rehearsed, and the semantic edges and merges that they would make."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        steps = given.get("steps", ())
        self.has_decayed = schema.DECAY in steps
        self.has_deactivated = schema.DEACTIVATE in steps
        # By the ids of entities: what the edges of each would weigh, whom each would count as.
        self.weights: defaultdict[str, list[float]] = defaultdict(list)
        self.merged: dict[str, str] = dict(given.get(schema.MERGE_STEP, ()))
        for one, other, weight in given.get(schema.SEMANTIC_STEP, ()):
            self.join(one, other, weight)

    def join(self, one: str, other: str, weight: float) -> None:
        for key in (one, other):
            self.weights[key].append(weight)

    def merges(self, one: str, other: str) -> bool:
        """Tell whether one of two would have been merged into the other."""
        return self.merged.get(one) == other or self.merged.get(other) == one
