"""Check texts and numbers: names, summaries, and the numbers of calls."""

import math
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any, Final

from ..verbs import limits
from ..verbs.errors import InvalidNumber, InvalidText, TooMuch

# Stands between a user's id and what is the user's, as a name: no id has it.
BEHIND_SCOPE: Final = "\x1f"

_KINDS = {
    dict: "a map",
    list: "a list",
    tuple: "a list",
    str: "text",
    bool: "a truth value",
    type(None): "null",
}


def name(value: object, field: str) -> str:
    """Return *value* unchanged if it is a valid concept name, else raise InvalidText."""
    return _text(value, field, limits.MAX_NAME)


def existing_name(value: object, field: str) -> str:
    """Like `name`, for a name that may also be an episode's, which is a little longer."""
    return _text(value, field, limits.MAX_EPISODE_NAME)


def user(value: object, field: str) -> str:
    """Return *value* as the id of a user if it is valid, else raise InvalidText.

    Systems write an accented letter as one character or as two; both mean one user.
    """
    checked = name(value, field)
    if BEHIND_SCOPE in checked:
        raise InvalidText(f"{field}: must not contain the character U+001F")
    return unicodedata.normalize("NFC", checked)


def names(values: Iterable[object], field: str) -> list[str]:
    """Return *values*, each checked by `name` and each once, in their order."""
    return list(dict.fromkeys(name(value, field) for value in values))


def keywords(values: Sequence[object]) -> list[str]:
    """Return the keywords of a search, each checked; raises TooMuch beyond 100 of them."""
    if len(values) > limits.MAX_KEYWORDS:
        raise TooMuch(f"keywords: {len(values):,} are too many; at most {limits.MAX_KEYWORDS}")
    return [existing_name(value, "keywords") for value in values]


def summary(value: object, field: str) -> str:
    """Return *value* unchanged if it is a valid summary of an episode, else raise InvalidText."""
    return _text(value, field, limits.MAX_SUMMARY)


def long(value: object, field: str, most: int, blank: bool = False) -> str:
    """Return *value* unchanged if it is a text of at most *most* characters.

    A blank one is valid only with *blank*.
    """
    return _text(value, field, most, blank)


def number(value: Any, field: str, low: float, high: float) -> float:
    """Return *value* as a float in [low, high], else raise InvalidNumber."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise InvalidNumber(f"{field}: must be a number, not {kind(value)}")
    if not math.isfinite(value) or not low <= value <= high:
        raise InvalidNumber(f"{field}: must be between {low:g} and {high:g}, not {value:.6g}")
    return float(value)


def integer(value: Any, field: str, low: int, high: int) -> int:
    """Return *value* if it is an integer in [low, high], else raise InvalidNumber."""
    if isinstance(value, bool) or not isinstance(value, int):
        what = f"{value:g}" if isinstance(value, float) else kind(value)
        raise InvalidNumber(f"{field}: must be an integer, not {what}")
    if not low <= value <= high:
        raise InvalidNumber(f"{field}: must be between {low} and {high}, not {value}")
    return value


def limit(value: int | None, default: int, most: int) -> int:
    """Return the limit *value*, from 1 to *most*; None is the *default*. Raises InvalidNumber."""
    return integer(default if value is None else value, "limit", 1, most)


def _text(value: object, field: str, limit: int, blank: bool = False) -> str:
    if not isinstance(value, str):
        raise InvalidText(f"{field}: must be text, not {kind(value)}")
    if not blank and not value.strip():
        raise InvalidText(f"{field}: must not be empty")
    if len(value) > limit:
        raise InvalidText(f"{field}: {len(value)} characters are too long; at most {limit}")
    if not storable(value):
        raise InvalidText(unstorable(field))
    return value


def kind(value: object) -> str:
    """Return the type of a value, in words of Cypher rather than of Python."""
    named = "number" if isinstance(value, (int, float)) else type(value).__name__
    return _KINDS.get(type(value), f"a {named}")


def show_name(name: str) -> str:
    """Return *name* as an error message shows it: quoted, on one line, cut if it is long."""
    short = name if len(name) <= 80 else name[:77] + "…"
    return '"' + " ".join(short.split()) + '"'


def part(name: str, parts: int) -> int:
    """Return the number, from 0 on, of the one of *parts* that *name* falls to."""
    return sum(name.encode()) % parts


def storable(value: str) -> bool:
    """Tell whether *value* can be stored whole.

    Memgraph silently cuts a string at a NUL, and a lone surrogate cannot be encoded.
    """
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in value


def unstorable(field: str) -> str:
    """Return why the text of *field* was refused, as a line."""
    return f"{field}: must not contain a NUL character or a lone surrogate"
