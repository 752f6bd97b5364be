"""Log the worker's events, one line each with its fields."""

import logging
from typing import Any

from .. import logs

logger = logging.getLogger("concept_graph_mcp.worker")


def tell(event: str, level: int = logging.INFO, /, **fields: Any) -> None:
    """Log *event*, a few words, with *fields*."""
    logs.tell(logger, event, level, **fields)


def only_ours() -> None:
    """Silence library messages that repeat our own or report no fault."""
