"""Rank the later of two texts on the same matter first.

"The meeting is on Tuesday", "the meeting is on Thursday": words alone do not show which holds.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, Generic

from .index import H, Index
from .question import Question
from .ranking import Associated

# This many of the best texts are compared.
COMPARED: Final = 20
# Both texts have the same words of the question, at least this many, and share this part of terms.
_CUES: Final = 2
_OVERLAP: Final = 0.5
# A correction names what it corrects: both texts share this many rare terms, and this part of the
# shorter one. It has the same speaker, and at least this part of the older one's score.
_NAMED: Final = 2
_OF_SHORTER: Final = 0.5
_NEARLY: Final = 0.7
# A term is rare if at most this part of all texts mention it, or this many.
RARE: Final = 0.01
FEW: Final = 5


def later_first(
    question: Question, index: Index[H], texts: int, rows: Sequence[Associated[H]]
) -> list[Associated[H]]:
    """Return *rows*, out of *texts* texts, with a later text before an older one that it renews.

    The later row names the older ones in `renews`. If the question names a time, the order stays,
    because the older text may be meant.
    """
    matters = _Matters(index, texts, rows[:COMPARED])
    if question.periods or not matters.terms:
        return list(rows)
    ordered: list[Associated[H]] = []
    for row in rows[:COMPARED]:
        older = [one for one in rows[:COMPARED] if matters.is_renewed(one, row)]
        renewing = replace(row, renews=tuple(one.text for one in older)) if older else row
        places = (place for place, one in enumerate(ordered) if one.text in renewing.renews)
        ordered.insert(next(places, len(ordered)), renewing)
    return [*ordered, *rows[COMPARED:]]


class _Matters(Generic[H]):
    """The words of the question in some texts, and the terms of those that may be on one matter."""

    def __init__(self, index: Index[H], texts: int, rows: Sequence[Associated[H]]) -> None:
        self._index = index
        self._few = max(FEW, int(RARE * texts))
        self._cues = {row.text: row.held for row in rows}
        held = list(self._cues.values())
        alike = [text for text, cues in self._cues.items() if cues and held.count(cues) > 1]
        self.terms = dict(zip(alike, map(set, index.terms(alike)), strict=True)) if alike else {}

    def is_renewed(self, old: Associated[H], new: Associated[H]) -> bool:
        """Return whether *new* is a later text on the matter of *old*."""
        before, after = old.told.heard_at, new.told.heard_at
        if before is None or after is None or before >= after or old.text not in self.terms:
            return False
        cues = self._cues[old.text]
        if self._cues[new.text] != cues:
            return False
        one, other = self.terms[old.text], self.terms[new.text]
        shared = one & other
        if len(cues) >= _CUES and len(shared) >= _OVERLAP * len(one | other):
            return True
        return (
            old.told.speaker == new.told.speaker
            and new.score >= _NEARLY * old.score
            and len(shared) >= max(_NAMED, _OF_SHORTER * min(len(one), len(other)))
            and sum(map(self._is_rare, shared)) >= _NAMED
        )

    def _is_rare(self, term: str) -> bool:
        return self._index.count(term, self._few) <= self._few
