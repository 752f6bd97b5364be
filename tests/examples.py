"""How many examples a property is tried on: a few, or all of them with TEST_EXAMPLES=all."""

import os
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")

HAS_ALL = os.environ.get("TEST_EXAMPLES") == "all"
# Enough to see that a property still runs; a rare case is found by the many runs of `.ci/run`.
FEW = 10
# Hypothesis' own number.
MANY = 100


def limit_examples(count: int = MANY) -> int:
    """Return *count* if all examples are wanted, else at most a few."""
    return count if HAS_ALL else min(count, FEW)


def spread_examples(examples: Sequence[T], few: int = FEW) -> Sequence[T]:
    """Return all of *examples* if those are wanted, else at most *few*, spread evenly."""
    return examples if HAS_ALL else examples[:: -(-len(examples) // few)]
