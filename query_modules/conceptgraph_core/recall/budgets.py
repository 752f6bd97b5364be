"""Estimate the tokens of a text, and check token budgets.

Imports nothing of Memgraph: the shell counts as the modules do.
"""

from typing import Final

from ..texts import text as texts

# An estimate without any model's tokenizer: English has about four bytes a token, other scripts
# fewer characters.
BYTES_A_TOKEN: Final = 4
# The default token budget of a text, for every layer.
DEFAULT_BUDGET: Final = 2_000
MIN_BUDGET: Final = 50
MAX_BUDGET: Final = 100_000


def budget(given: int | None, default: int = DEFAULT_BUDGET) -> int:
    """Return the token budget of a text. Raises InvalidNumber."""
    wanted = default if given is None else given
    return texts.integer(wanted, "token_budget", MIN_BUDGET, MAX_BUDGET)


def tokens(size: int) -> int:
    """Return the estimated tokens of a text of *size* bytes."""
    return -(-size // BYTES_A_TOKEN)


def size(text: str) -> int:
    """Return the size of *text* in bytes."""
    return len(text) if text.isascii() else len(text.encode())
