"""What entities are called: one form for every way to write a name, and how alike names are."""

import difflib
import math
import unicodedata
from collections.abc import Container, Sequence
from typing import Final

# Without embeddings, near are names that begin alike, by so many letters.
KIN_LETTERS: Final = 3
# Behind all that begins with a name, if put behind it.
LAST: Final = chr(0x10FFFF)


def canonical(label: str) -> str:
    """Return *label* NFKC-normalised, case-folded, its blanks collapsed: " Ｍａｘ " → "max"."""
    folded = unicodedata.normalize("NFKC", label).casefold()
    return " ".join(unicodedata.normalize("NFKC", folded).split())


def free(name: str, taken: Container[str]) -> str:
    """Return the first of *name*, "name #2", "name #3" … that is not *taken*."""
    number, wanted = 1, name
    while wanted in taken:
        number += 1
        wanted = f"{name} #{number}"
    return wanted


def kin(name: str) -> tuple[str, str]:
    """Return from and below what those canonical names are that begin like *name*."""
    beginning = name[:KIN_LETTERS]
    return beginning, beginning + LAST


def ratio(one: str, other: str, least: float = 0.0) -> float:
    """Return how alike two canonical names are, 0 to 1 (Ratcliff and Obershelp, 1988).

    The same either way round, which difflib's is not by itself. What is soon seen to be below
    *least* counts as 0.
    """
    first, second = sorted((one, other))
    matcher = difflib.SequenceMatcher(None, first, second, autojunk=False)
    if matcher.real_quick_ratio() < least or matcher.quick_ratio() < least:
        return 0.0
    return matcher.ratio()


def cosine(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Return the cosine of two vectors; None if they differ in dimension, or one has no length."""
    if len(one) != len(other):
        return None
    lengths = math.hypot(*one) * math.hypot(*other)
    return math.fsum(a * b for a, b in zip(one, other, strict=True)) / lengths if lengths else None
