"""Take a second step: find the texts that share rare terms with the best texts.

"Until when does Rosa's bakery open?" finds "Rosa works at Lindqvist's". That text leads to
"Lindqvist's shuts at noon", which has no word of the question.

Rank the later of two texts on the same matter first. "The meeting is on Tuesday", "the meeting is
on Thursday": words alone do not show which holds.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from heapq import nlargest
from itertools import compress
from math import sqrt
from typing import Final, Generic

from .index import Corpus, H, Index, Mentions
from .nearness import Near
from .question import BY_WAY_OF, LEADS, Cue, Question
from .ranking import Associated, choose, spread_activation
from .schema import MOST_PASSED
from .scoring import Spread

# This many of the best texts pass on their rare terms.
PASSING: Final = 3
# Where few texts are rare, at most this share of all may mention the term.
_TENTH: Final = 0.1
# A text receives at most this share of the best score; a text with more terms passes on less.
SHARE: Final = 0.4
LENGTH: Final = 20
# Terms are counted up to this number first, then up to so many times as many.
_FIRST_COUNT: Final = 8
_MORE: Final = 4
# The scale is measured on this many of the strongest texts.
_STRONGEST: Final = 10


def associate(
    question: Question,
    corpus: Corpus,
    index: Index[H],
    limit: int,
    admits: Callable[[H], bool] = lambda _: True,
    near: Near[H] | None = None,
) -> list[Associated[H]]:
    """Return the *limit* texts that match *question* best, in one step or two.

    This extends `ranking.associate`. The cue of a second step names the text that passed it on.
    """
    return Association(question, corpus, index, admits, near).best(limit)


class Association(Generic[H]):
    """The texts that `associate` finds, for any limits: their mentions are summed only once."""

    def __init__(
        self,
        question: Question,
        corpus: Corpus,
        index: Index[H],
        admits: Callable[[H], bool] = lambda _: True,
        near: Near[H] | None = None,
        only: Collection[str] | None = None,
    ) -> None:
        """With *only*, no other terms are read, and no second step is taken."""
        self._question, self._corpus, self._index = question, corpus, index
        self._admits = admits
        self._spread = spread_activation(question, corpus, index, near, only)
        self._has_passed = only is not None
        self._matters: _Matters[H] | None = None

    def best(self, limit: int) -> list[Associated[H]]:
        """Return the *limit* best texts, a later one before an older that it renews."""
        question, index, most = self._question, self._index, max(limit, COMPARED)
        if not self._has_passed:
            self._has_passed = True
            _pass_on(self._spread, question, self._corpus, index, self._choose(PASSING))
        rows = self._choose(most)
        compared = rows[:COMPARED]
        if question.periods or not compared:
            # The older text may be meant.
            return rows[:limit]
        if self._matters is None or not self._matters.is_of(compared):
            self._matters = _Matters(index, self._corpus.texts, compared)
        return [*later_first(self._matters, compared), *rows[COMPARED:]][:limit]

    def _choose(self, limit: int) -> list[Associated[H]]:
        """Return the *limit* best texts, the best first."""
        of = self._question, self._index, self._spread
        return choose(*of, limit, self._admits)


def _pass_on(
    into: Spread[H],
    question: Question,
    corpus: Corpus,
    index: Index[H],
    first: Sequence[Associated[H]],
) -> None:
    """Add the rare terms of the *first* texts, each as a cue, *into* the spread.

    Other texts that mention them receive something. A term weighs more if its text is better or has
    fewer terms. All weights are scaled so that the strongest text receives `SHARE` of the best
    score.
    """
    of_texts = index.terms([one.text for one in first])
    passed = _rare(question, corpus, index, of_texts)
    spread = into.beside()
    most = 0.0
    # A text that passes terms on receives none.
    passing = {one.text for one in first}
    for one, terms in zip(first, of_texts, strict=True):
        rare = sorted(passed.intersection(terms))
        if not rare:
            continue
        shortness = min(1.0, LENGTH / len(terms))
        most = max(most, shortness)
        weight = shortness * (one.score / first[0].score) ** 2 / sqrt(len(rare))
        by = max(one.words, key=lambda word: (word.gave, word.term)).cue.said
        for term in rare:
            cue = Cue(f"{by}{LEADS}{term}", (term,), (), weight, f"{BY_WAY_OF}{one.told.id}", True)
            spread.add(cue, _leave_out(index.mentions(term), passing), {})
    strengths = spread.strengths
    if not strengths:
        return
    strongest = nlargest(_STRONGEST, strengths, key=strengths.__getitem__)
    scale = SHARE * most * max(one.score / one.factors.product for one in first)
    scale /= max(map(spread.total, strongest))
    into.take(spread, scale)


def _rare(
    question: Question, corpus: Corpus, index: Index[H], of_texts: Sequence[Sequence[str]]
) -> set[str]:
    """Return the terms to pass on: the rarest ones, up to the bound of mentions."""
    said = {term for cue in (*question.cues, *question.further) for term in cue.terms}
    few = min(FEW, _TENTH * corpus.texts)
    most = min(MOST_PASSED, int(max(few, RARE * corpus.texts)))
    terms = {term for terms in of_texts for term in terms} - said
    rare: set[str] = set()
    left, counted = MOST_PASSED, 0
    # A store may have to read what it counts, so common terms are counted in part.
    while terms and counted < min(left, most):
        counted = min(_MORE * counted or _FIRST_COUNT, left, most)
        for count, term in sorted((index.count(term, counted), term) for term in terms):
            if count > min(left, counted):
                break
            terms.remove(term)
            # A term that no other text mentions leads nowhere.
            if count > 1:
                rare.add(term)
                left -= count
    return rare


def _leave_out(mentions: Mentions[H], texts: Collection[H]) -> Mentions[H]:
    """Return *mentions* without those of *texts*."""
    others = [one not in texts for one in mentions.texts]
    return Mentions._make(tuple(compress(column, others)) for column in mentions)


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


def later_first(matters: "_Matters[H]", rows: Sequence[Associated[H]]) -> list[Associated[H]]:
    """Return *rows*, texts on these *matters*, with a later one before an older that it renews.

    The later row names the older ones in `renews`.
    """
    ordered: list[Associated[H]] = []
    alike: dict[frozenset[str], list[Associated[H]]] = {}
    for row in rows:
        if row.text in matters.terms:
            alike.setdefault(matters.cues[row.text], []).append(row)
    if not alike:
        return list(rows)
    for row in rows:
        may_be_older = alike.get(matters.cues[row.text], ())
        older = [one for one in may_be_older if matters.is_renewed(one, row)]
        renewing = replace(row, renews=tuple(one.text for one in older)) if older else row
        places = (place for place, one in enumerate(ordered) if one.text in renewing.renews)
        ordered.insert(next(places, len(ordered)), renewing)
    return ordered


class _Matters(Generic[H]):
    """The words of the question in some texts, and the terms of those that may be on one matter."""

    def __init__(self, index: Index[H], texts: int, rows: Sequence[Associated[H]]) -> None:
        self._index = index
        self._few = max(FEW, int(RARE * texts))
        self.cues = {row.text: row.held for row in rows}
        held = list(self.cues.values())
        alike = [text for text, cues in self.cues.items() if cues and held.count(cues) > 1]
        self.terms = dict(zip(alike, map(set, index.terms(alike)), strict=True)) if alike else {}

    def is_of(self, rows: Sequence[Associated[H]]) -> bool:
        """Return whether these are the words and terms of *rows*."""
        return self.cues.keys() == {row.text for row in rows}

    def is_renewed(self, old: Associated[H], new: Associated[H]) -> bool:
        """Return whether *new*, which has the same words, is later and on the matter of *old*."""
        before, after = old.told.heard_at, new.told.heard_at
        if before is None or after is None or before >= after:
            return False
        one, other = self.terms[old.text], self.terms[new.text]
        shared = one & other
        if len(self.cues[old.text]) >= _CUES and len(shared) >= _OVERLAP * len(one | other):
            return True
        return (
            old.told.speaker == new.told.speaker
            and new.score >= _NEARLY * old.score
            and len(shared) >= max(_NAMED, _OF_SHORTER * min(len(one), len(other)))
            and sum(map(self._is_rare, shared)) >= _NAMED
        )

    def _is_rare(self, term: str) -> bool:
        return self._index.count(term, self._few) <= self._few
