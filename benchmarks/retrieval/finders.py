"""Compare the formula, and BM25 over the same terms, alone and with neighbours."""

from collections.abc import Callable
from math import log

from conceptgraph_core.retrieval.question import read_sought
from conceptgraph_core.retrieval.ranking import Association
from conceptgraph_core.texts.words import terms

from .folder import Query
from .in_memory import InMemory

Finder = Callable[[InMemory, Query, int], list[int]]
"""(index, query, limit) → the texts found, the best first."""

# As usual; nothing here is tuned.
_K1 = 1.2
_B = 0.75
_TO_NEIGHBOURS = 0.3


def by_associate(index: InMemory, query: Query, limit: int) -> list[int]:
    """The formula."""
    asked = read_sought(
        query.text,
        query.asked_ms,
        speakers=index.speakers,
        askers=(query.asker,) if query.asker else (),
        languages=index.languages,
    )
    return [found.text for found in Association(asked, index.corpus, index).best(limit)]


def by_bm25(index: InMemory, query: Query, limit: int) -> list[int]:
    """BM25 over the terms."""
    return _best(_bm25(index, query), limit)


def by_bm25_and_neighbours(index: InMemory, query: Query, limit: int) -> list[int]:
    """BM25, and 0.3 of each message's score for the one before and the one after."""
    scores = _bm25(index, query)
    spread = dict(scores)
    for text, score in scores.items():
        for offset in (-1, 1):
            neighbour = index.beside(text, offset)
            if neighbour is not None and index.messages[neighbour].time_ms < query.asked_ms:
                spread[neighbour] = spread.get(neighbour, 0.0) + _TO_NEIGHBOURS * score
    return _best(spread, limit)


def _bm25(index: InMemory, query: Query) -> dict[int, float]:
    corpus = index.corpus
    scores: dict[int, float] = {}
    for term in terms(query.text, index.languages):
        mentioned = index.count(term)
        rarity = log(1 + (corpus.texts - mentioned + 0.5) / (mentioned + 0.5))
        mentions = index.mentions(term)
        for text, count, length, said_at in zip(
            mentions.texts, mentions.counts, mentions.lengths, mentions.said_at, strict=True
        ):
            if said_at is not None and said_at < query.asked_ms:
                norm = _K1 * (1 - _B + _B * length / corpus.mean_length)
                scores[text] = scores.get(text, 0.0) + rarity * count * (_K1 + 1) / (count + norm)
    return scores


def _best(scores: dict[int, float], limit: int) -> list[int]:
    return sorted(scores, key=lambda text: (-scores[text], text))[:limit]


BASELINES = ("BM25", "BM25 and neighbours")

FINDERS: dict[str, Finder] = {
    **dict(zip(BASELINES, (by_bm25, by_bm25_and_neighbours), strict=True)),
    "associate": by_associate,
}
