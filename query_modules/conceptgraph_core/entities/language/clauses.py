"""Split a text into clauses, and tell which of them deny what they say.

The words are data files (`denials.txt`) of the languages that the text may be in. Nothing is
parsed: a denial denies the whole clause.
"""

from collections.abc import Sequence
from typing import Final

from ... import language
from .inflection import Token, tokens
from .spans import Said

_TOPIC: Final = "denials"
_ENDS: Final = frozenset(',;:()[]{}"“”„«»–—')
_DASHES: Final = ("-", "--", "–", "—")


def split_clauses(said: Said) -> list[list[Token]]:
    """Return the words of each clause: it ends with a mark, or before a word such as "but"."""
    begins = language.read_spoken([one.form for one in said.tokens], _TOPIC, "clause")
    sentences, end = said.sentences(), 0
    clauses: list[list[Token]] = []
    last = 0
    for one in said.tokens:
        is_new = one.start >= end
        while one.start >= end:
            _, end = next(sentences)
        if is_new or one.form in begins or _is_end(said.text[last : one.start]):
            clauses.append([])
        clauses[-1].append(one)
        last = one.end
    return clauses


def _is_end(gap: str) -> bool:
    """Tell whether a clause ends between two words; a time such as 3:30 is one."""
    return (gap.strip() in _DASHES and gap != "-") or (len(gap) > 1 and not _ENDS.isdisjoint(gap))


def denies(forms: Sequence[str], said: Said) -> bool:
    """Tell whether the words *forms*, of a clause of *said* or of a label, contain a denial."""
    spoken = [one.form for one in said.tokens]
    clause = f" {' '.join(forms)} "
    for phrase in language.read_spoken(spoken, _TOPIC, "affirm"):
        clause = clause.replace(f" {' '.join(one.form for one in tokens(phrase))} ", " ")
    return not language.read_spoken(spoken, _TOPIC, "deny").isdisjoint(clause.split())
