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
        description="At most so many tokens.",
    ),
    clamped(budgets.MIN_BUDGET, budgets.MAX_BUDGET),
]
