"""Build the query of a message: its own text and, for a pronoun, the text just before it.

Imports nothing of Memgraph: the shell looks up by the same text.
"""

from typing import Final

from .. import budgets, limits
from .. import text as texts
from ..words.splitting import split
from . import schema

# Only the end of the earlier text is read, because a pronoun refers to it.
_MOST_BEFORE: Final = 1_000
_PRONOUNS: Final = frozenset(
    (
        *("he", "him", "his", "she", "her", "hers", "it", "its", "they", "them", "their", "theirs"),
        *("that", "this", "those", "these", "there", "then"),
        *("er", "ihn", "ihm", "sein", "seine", "sie", "ihr", "ihre", "ihnen", "es", "das", "dort"),
    )
)

_OWN: Final = frozenset(
    (
        *("i", "i'm", "i've", "i'll", "my", "mine", "myself", "we", "we're", "we've", "us", "our"),
        *("ours", "ich", "mein", "meine", "meinem", "meinen", "meiner", "meines", "wir", "uns"),
        *("unser", "unsere", "unserem", "unseren", "unserer", "unseres"),
    )
)


def asked(message: str, before: str | None = None) -> str:
    """Return the query text for *message*. Raises InvalidText."""
    texts.summary(message, "message")
    if not before:
        return message
    texts.summary(before, "before")
    words = split(message)
    if _PRONOUNS.isdisjoint(words):
        return message
    return f"{message}\n{before[-_MOST_BEFORE:]}"[: limits.MAX_SUMMARY]


def is_of_the_user(message: str) -> bool:
    """Tell whether *message* is about the user: my knee, are we, wo wohnen wir."""
    return not _OWN.isdisjoint(split(message))


def budget(given: int | None) -> int:
    """Return the token budget of a text. Raises InvalidNumber."""
    wanted = schema.DEFAULT_BUDGET if given is None else given
    return texts.integer(wanted, "token_budget", budgets.MIN_BUDGET, budgets.MAX_BUDGET)


def limited(limit: int | None) -> int:
    """Return the requested number of rows. Raises InvalidNumber."""
    wanted = schema.DEFAULT_LIMIT if limit is None else limit
    return texts.integer(wanted, "limit", 1, schema.MAX_LIMIT)
