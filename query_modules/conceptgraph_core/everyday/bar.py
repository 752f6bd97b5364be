"""Decide which memories belong to a message: each has a bar of its own to pass.

A replaced text and a long one need more than one word. A replaced text stands for the one that
replaced it, which may share nothing with the message. A long one has some word of nearly every
message.
"""

from collections.abc import Collection, Sequence
from typing import Final

from .. import budgets
from ..dates import DAY_MS
from ..memories.near_duplicates import age
from ..memories.search import Finder, Found
from ..memories.view import Graph, Node
from ..retrieval.question import LEADS
from ..retrieval.scoring import LENGTH_EXPONENT
from ..words.phrase_files import says_change
from . import schema
from .passages import LONG

# A line has at least these shares of the best score, and of the best line's own words.
_LEAST_SCORE: Final = 0.45
_LEAST_EVIDENCE: Final = 0.4
# Where words answer, a text that is only near has this share of the greatest cosine.
_BESIDE_WORDS: Final = 0.9
# So many texts that matter are shown, and so many of these that are always kept.
_MOST_MATTERING: Final = 4
_MOST_ALWAYS: Final = 2
# Only so many of the texts with a name, the best, are read for what matters.
_MOST_READ: Final = 40
# A cue with less of a name's share is only led to by it (`concepts.widening`).
_NAME_SHARE: Final = 0.5
# An older change matters if it was important.
_RECENT_MS: Final = 365 * DAY_MS
_IMPORTANT: Final = 0.85


class Bar:
    """Keeps what belongs to a message that has the words *names* for whom it names.

    It *is_known* if it is about the user, or about somebody who is stored.
    """

    def __init__(
        self,
        graph: Graph,
        names: Sequence[frozenset[str]] = (),
        is_known: bool = True,
        is_of_past: bool = False,
    ) -> None:
        self._graph = graph
        self._names = names
        self._every = frozenset().union(*names)
        self.is_known = is_known
        self._is_of_past = is_of_past
        # The texts that matter about those it names; these come first.
        self.first: list[Node] = []
        # Whether anything shares more than a name with the message; None if nothing was found.
        self._is_answered: bool | None = None

    def admitted(self, finder: Finder, found: Sequence[Found]) -> list[Found]:
        """Return *found* without what only one word of several in the message leads to.

        This is of texts that another one replaced, unless the message is of the past, and of long
        ones. A word of a name is enough, and so is being near in meaning.
        """
        return [
            one
            for one in found
            if not self._needs_more(one.node) or _is_asked_for(finder, one, self._every)
        ]

    def belonging(self, finder: Finder, found: Sequence[Found], is_answer: bool) -> list[Found]:
        """Return those of *found* that pass; if they do not answer, only what matters of a name.

        * One that is near enough in meaning passes.
        * Another one needs a share of the best score, and of the rare words of the best. Where the
          message asks only for whom it names, texts that name them need no score.
        * A text that matters about somebody named always passes.
        """
        evidence = [finder.evidence(one) for one in found]
        matters = self._matters(finder, found, evidence)
        self.first += (one.node for one in matters if one.node not in self.first)
        if not is_answer:
            self._is_answered = self._is_answered or False
            return matters
        sums = [sum(words.values()) for words in evidence]
        best, most = max(map(_timeless, found), default=0.0), max(sums, default=0.0)
        # A message that asks only for whom it names is answered by each text with the name.
        names_answer = finder.content <= self._every
        answers = [
            one
            for one, words, has in zip(found, evidence, sums, strict=True)
            if 0.0 < has >= _LEAST_EVIDENCE * most
            and self._says_enough(finder, words)
            and (
                (names_answer and _has_name(one, self._every)) or _reaches(one, _LEAST_SCORE * best)
            )
        ]
        # A text that is only near a message with a name is mostly about that name too.
        self._is_answered = self._is_answered or bool(answers) or not self._names
        near = self._near(finder, found, bool(answers))
        chosen = {*map(id, (*matters, *answers, *near))}
        return [one for one in found if id(one) in chosen]

    @property
    def tells_names_alone(self) -> bool:
        """Whether nothing is known but whom the message names."""
        return bool(self._names) and self._is_answered is False

    def place(self, node: Node) -> int:
        """Return a sort key by which what matters comes first."""
        return self.first.index(node) if node in self.first else len(self.first)

    def is_first(self, node: Node) -> bool:
        """Tell whether *node* matters about whom the message names."""
        return node in self.first

    def _needs_more(self, node: Node) -> bool:
        is_over = not self._is_of_past and self._graph.ended(node) is not None
        return is_over or budgets.size(node.content) > LONG

    def _says_enough(self, finder: Finder, words: Collection[str]) -> bool:
        """Tell whether *words* say something, where the message is about nobody who is known.

        "How do vaccines work?" does not ask where somebody works, and "Go on" asks nothing.
        """
        return self.is_known or not finder.content.isdisjoint(words)

    def _near(self, finder: Finder, found: Sequence[Found], is_answered: bool) -> list[Found]:
        """Return those of *found* that are near enough in meaning.

        A text that has none of the names in the message must be as near as if it had no name. Where
        words answer, they must be nearly as near as the nearest.
        """
        meanings = [(one, meaning) for one in found if (meaning := finder.meaning(one)) is not None]
        least = max((meaning.cosine for _, meaning in meanings), default=0.0) * _BESIDE_WORDS
        return [
            one
            for one, meaning in meanings
            if (meaning.is_near_unnamed if self._has_no_name(finder, one) else meaning.is_near)
            and (not is_answered or meaning.cosine >= least)
        ]

    def _has_no_name(self, finder: Finder, one: Found) -> bool:
        return bool(self._every) and self._every.isdisjoint(finder.evidence(one))

    def _matters(
        self, finder: Finder, found: Sequence[Found], evidence: Sequence[Collection[str]]
    ) -> list[Found]:
        """Return the latest change of whom the message names, and what is always kept of them."""
        matters: list[Found] = []
        for name in self._names[: schema.MOST_WHO]:
            of_name = [
                one
                for one, words in zip(found, evidence, strict=True)
                if not name.isdisjoint(words)
                and _has_name(one, name)
                and self._graph.ended(one.node) is None
            ][:_MOST_READ]
            changes = [one for one in of_name if self._is_change(one.node)]
            always = [one for one in of_name if _is_always(one.node)]
            changes = sorted(changes, key=lambda one: age(one.node))[-1:]
            matters += (one for one in (*changes, *always[:_MOST_ALWAYS]) if one not in matters)
        return matters[:_MOST_MATTERING]

    def _is_change(self, node: Node) -> bool:
        asked_at = self._graph.context.asked_at
        now_ms = self._graph.context.now_ms if asked_at is None else asked_at
        is_recent = now_ms - node.told_at <= _RECENT_MS
        return (is_recent or node.value("importance_score") >= _IMPORTANT) and says_change(
            node.content
        )


def _has_name(one: Found, name: Collection[str]) -> bool:
    """Tell whether the text has *name*, or another one of it; an association of it is no name."""
    return one.hit is not None and any(
        cue.share >= _NAME_SHARE and cue.said.partition(LEADS)[0] in name
        for cue, *_ in one.hit.found.covered
    )


def _reaches(one: Found, least: float) -> bool:
    """Tell whether *one* has a score of *least*; of a long text only a passage is compared.

    The score falls with the length of a text, so that a short one would push out a long note.
    """
    score = _timeless(one)
    if score >= least:
        return True
    longer = budgets.size(one.node.content) / LONG
    return longer > 1.0 and bool(score * longer**-LENGTH_EXPONENT >= least)


def _timeless(one: Found) -> float:
    """Return the score of *one* as if it were from no period that the question names.

    Being from the period puts a text first (`around`); it is no reason to leave out another one.
    """
    return one.score if one.hit is None else one.score / one.hit.found.factors.period


def _is_always(node: Node) -> bool:
    return not schema.ALWAYS_TAGS.isdisjoint(node.value("tags"))


def _is_asked_for(finder: Finder, one: Found, names: Collection[str]) -> bool:
    if finder.is_near(one):
        return True
    words = finder.evidence(one).keys()
    if not words.isdisjoint(names) or (words and finder.content <= words):
        return True
    return len(words & finder.content) > 1
