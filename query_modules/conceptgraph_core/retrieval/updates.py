"""Rank the later of two texts on the same matter first.

"The meeting is on Tuesday", "the meeting is on Thursday": words alone do not show which holds.
"""

from collections.abc import Sequence
from typing import Final

from .index import H, Index
from .question import Question
from .ranking import Associated

# This many of the best texts are compared.
COMPARED: Final = 20
# Both texts have the same words of the question, at least this many, and share this part of terms.
_CUES: Final = 2
_OVERLAP: Final = 0.5


def later_first(
    question: Question, index: Index[H], rows: Sequence[Associated[H]]
) -> list[Associated[H]]:
    """Return *rows* with a later text before an older one on the same matter.

    If the question names a time, the order stays, because the older text may be meant.
    """
    first = list(rows[:COMPARED])
    cues = {row.text: _held(row) for row in first}
    held = list(cues.values())
    alike = [row.text for row in first if len(cues[row.text]) >= _CUES]
    alike = [text for text in alike if held.count(cues[text]) > 1]
    if question.periods or not alike:
        return list(rows)
    terms = dict(zip(alike, map(set, index.terms(alike)), strict=True))

    def is_renewed(old: Associated[H], new: Associated[H]) -> bool:
        """Return whether *new* is a later text on the matter of *old*."""
        if old.text not in terms or new.text not in terms or cues[old.text] != cues[new.text]:
            return False
        before, after = old.told.said_at, new.told.said_at
        if before is None or after is None or before >= after:
            return False
        one, other = terms[old.text], terms[new.text]
        return len(one & other) >= _OVERLAP * len(one | other)

    ordered: list[Associated[H]] = []
    for row in first:
        places = (place for place, one in enumerate(ordered) if is_renewed(one, row))
        ordered.insert(next(places, len(ordered)), row)
    return [*ordered, *rows[COMPARED:]]


def _held(row: Associated[H]) -> frozenset[str]:
    """Return the words of the question that the text of *row* contains itself."""
    own = (word for word in row.words if any(offset == 0 for offset, _ in word.sources))
    return frozenset(word.cue.said for word in own if word.cue.why is None and word.cue.terms)
