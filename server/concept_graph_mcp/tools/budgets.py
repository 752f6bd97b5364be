"""Define the token budget of texts that tools assemble, for all toolsets."""

from typing import Annotated

from pydantic import Field, Strict

from conceptgraph_core import budgets

from .arguments import clamped

TokenBudget = Annotated[
    int,
    Strict(),
    Field(
        ge=budgets.MIN_BUDGET,
        le=budgets.MAX_BUDGET,
        description="At most so many tokens, estimated.",
    ),
    clamped(budgets.MIN_BUDGET, budgets.MAX_BUDGET),
]

# A recall comes with every message: a budget beyond this is a model's slip, not its wish.
_MOST_RECALLED = 20_000
RecallBudget = Annotated[
    int,
    Strict(),
    Field(
        ge=budgets.MIN_BUDGET, le=_MOST_RECALLED, description="At most so many tokens, estimated."
    ),
    clamped(budgets.MIN_BUDGET, _MOST_RECALLED),
]
