"""How many tokens a text has, estimated, and in how many one may be asked for.

Imports nothing of Memgraph: the shell counts as the modules do.
"""

from typing import Final

from . import text as texts

# No model is asked: English has about four bytes a token, other scripts fewer characters to them.
BYTES_A_TOKEN: Final = 4
# What a text may be asked for in, of whichever layer.
DEFAULT_BUDGET: Final = 2_000
MIN_BUDGET: Final = 50
MAX_BUDGET: Final = 100_000


def budget(given: int | None) -> int:
    """Return in how many tokens a text is wanted. Raises InvalidNumber."""
    wanted = DEFAULT_BUDGET if given is None else given
    return texts.integer(wanted, "token_budget", MIN_BUDGET, MAX_BUDGET)


def tokens(size: int) -> int:
    """Return how many tokens a text of *size* bytes has, estimated."""
    return -(-size // BYTES_A_TOKEN)


def size(text: str) -> int:
    """Return how many bytes *text* has."""
    return len(text.encode())
