"""The later of two texts that say the same of one thing goes first.

"The meeting is on Tuesday", "the meeting is on Thursday": words alone do not tell which holds.
"""

from collections.abc import Sequence
from typing import Final

from .index import H, Index
from .question import Question
from .ranking import Associated

# So many of the best are compared.
COMPARED: Final = 20
# They hold the same words of the question, so many or more, and of all their terms this share.
_CUES: Final = 2
_OVERLAP: Final = 0.5


def later_first(
    question: Question, index: Index[H], rows: Sequence[Associated[H]]
) -> list[Associated[H]]:
    """Return *rows*, of the best of them the later before an older one that says the same.

    Where the question names a time, they stay as they are: it may be the older one's.
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
        """Tell whether *new* says later what *old* does."""
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
    """Return the words of the question that the text of *row* has itself."""
    own = (word for word in row.words if any(offset == 0 for offset, _ in word.sources))
    return frozenset(word.cue.said for word in own if word.cue.why is None and word.cue.terms)
