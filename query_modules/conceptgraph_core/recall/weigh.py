"""Weigh what was gathered: a row of named numbers for each candidate, and one for the message.

A number that is not known, such as one of a vector that there is not, is NaN.
"""

from collections.abc import Mapping, Sequence
from math import log1p, log10, nan, sqrt
from typing import Final, NamedTuple

from ..memories import schema as memories
from ..memories.search import Finder
from ..retrieval.question import LEADS
from ..retrieval.scoring import RARITY_EXPONENT
from ..retrieval.searching import Found
from ..texts.dates import DAY_MS
from ..texts.words.splitting import split
from . import budgets
from .gather import Candidate, Gathered
from .read import Question
from .weights import MESSAGE, TEXT

_MOST_WORDS: Final = 4
# A cue with less of a name's share is only led to by it.
_NAME_SHARE: Final = 0.5
_SHORTEST_NAME: Final = 3


class Weighed(NamedTuple):
    """The rows of each candidate, one for each wording that found it, and that of the message.

    A row of a candidate has the values of `weights.TEXT`, that of the message those of
    `weights.MESSAGE`, but "asking", which depends on the model (`score`).
    """

    rows: Mapping[Candidate, Sequence[Sequence[float]]]
    message: Sequence[float]


def weigh(question: Question, gathered: Gathered) -> Weighed:
    """Return the signals of *gathered*, and of *question*."""
    tables = [_Wording(question, *one) for one in gathered.wordings]
    rows = {
        one: [tables[number].row(one, found) for number, found in one.found.items()]
        or [tables[0].row(one, None)]
        for one in gathered.candidates
    }
    return Weighed(rows, tables[0].message())


class _Wording:
    """One wording of a question, with what it found."""

    def __init__(self, question: Question, finder: Finder, found: Sequence[Found]) -> None:
        self._question, self._finder = question, finder
        self._read = read = finder.reading
        self._best = max((one.score for one in found), default=0.0)
        self._places = {id(one): place for place, one in enumerate(found, 1)}
        self._evidence = {id(one): finder.evidence(one.match) for one in found}
        self._covered = {id(one): finder.covered(one.match) for one in found}
        self._most_covered = max(self._covered.values(), default=0.0)
        self._most_evidence = max((sum(e.values()) for e in self._evidence.values()), default=0.0)
        self._concepts = question.words - read.asking

    def row(self, candidate: Candidate, found: Found | None) -> list[float]:
        """Return the values of `TEXT` of a *candidate* that was *found*, or not."""
        node, question, read = candidate.node, self._question, self._read
        near = read.z(self._finder.similarity(node))
        key, own = id(found), float(question.own)
        covered, evidence = self._covered.get(key, 0.0), self._evidence.get(key, {})
        weight = sum(evidence.values())
        score = 0.0 if found is None else found.score
        covering = () if found is None else self._finder.covering(found.match)
        # An association of a name is no name.
        has_name = any(
            cue.share >= _NAME_SHARE and cue.said.partition(LEADS)[0] in question.names
            for cue, *_ in covering
        )
        names = {one for name in node.get("concepts") or () for one in split(name)}
        is_about = any(len(one) >= _SHORTEST_NAME for one in names & self._concepts)
        of_user = isinstance(node.raw.get_property("own"), int)
        is_ended = question.past is not None and question.graph.ended(node) is not None
        values = {
            "near": near,
            "behind the nearest": near - read.nearest,
            "nearest": read.nearest,
            "near and own": own * near,
            "place": 1 / self._places[key] if key in self._places else 0.0,
            "score": log1p(score / read.texts**RARITY_EXPONENT),
            "share of score": score / self._best if self._best else 0.0,
            "covered": covered,
            "covered less": covered - self._most_covered,
            "evidence": weight / read.weight if read.weight else 0.0,
            "share of evidence": weight / self._most_evidence if self._most_evidence else 0.0,
            "words": min(_MOST_WORDS, sum(word not in question.names for word in evidence)),
            "named": float(has_name),
            "not named": float(bool(question.meant) and not has_name),
            "about": float(is_about),
            "own": own,
            "both own": own * of_user,
            "always": float(memories.is_always(node.get("tags"))),
            "age": log1p(max(0.0, (question.at - node.told_at) / DAY_MS)),
            "linked": candidate.linked,
            "ahead": float(node.told_at > question.at),
            "ended": float(is_ended),
            "length": log10(1 + budgets.size(node.content)),
            "importance": node.get("importance_score"),
        }
        return [values[one.name] for one in TEXT]

    def message(self) -> list[float]:
        """Return the values of `MESSAGE`, "asking" not known."""
        question, read, own = self._question, self._read, float(self._question.own)
        rarest = max((max(e.values(), default=0.0) for e in self._evidence.values()), default=0.0)
        words = max(map(len, self._evidence.values()), default=0)
        said = split(question.message)
        values = {
            "asking": nan,
            "near": read.nearest,
            "near and own": own * read.nearest,
            "score": log1p(self._best / read.texts**RARITY_EXPONENT),
            "covered": self._most_covered,
            "rarest": rarest / sqrt(read.texts),
            "words": min(_MOST_WORDS, words),
            "own": own,
            "named": min(2, len(question.meant)),
            "names": float(bool(question.meant)),
            "concepts": float(bool(question.concepts)),
            "length": min(20, len(said)) / 20,
            "content": min(6, len(self._finder.content)),
            "unknown": read.unknown,
            "time": float(read.names_a_time),
            "past": float(question.past is not None),
        }
        return [values[one.name] for one in MESSAGE]
