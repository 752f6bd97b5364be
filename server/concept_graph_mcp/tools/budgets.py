"""How long a text may be that a tool puts together, in whichever toolset."""

from typing import Annotated

from pydantic import Field, Strict

from conceptgraph_core.memories import wording

from .arguments import clamped

TokenBudget = Annotated[
    int,
    Strict(),
    Field(
        ge=wording.MIN_BUDGET,
        le=wording.MAX_BUDGET,
        description="At most so many tokens, estimated.",
    ),
    clamped(wording.MIN_BUDGET, wording.MAX_BUDGET),
]
