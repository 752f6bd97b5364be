"""Run the job `groups`: find the neighbours of the words of each scope, for its questions.

The texts are read and the neighbours stored in batches of one transaction each. Between these they
are computed in this process. A scope is computed again when it has grown or shrunk by a tenth.

Compute the neighbours of the words of texts by latent semantic analysis, in NumPy.

A text is the vector log(1 + count) · idf of its terms, plus half of the vectors of its neighbours
in the thread, normalised. The greatest singular vectors of these rows give each term a place; the
cosine of two places says how near two terms are. The singular vectors come from a randomized
subspace iteration (Halko, Martinsson and Tropp, "Finding Structure with Randomness", SIAM Review
53, 2011), so the matrix stays sparse.
"""

from collections import Counter
from collections.abc import AsyncIterator, Collection, Iterator, Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from itertools import pairwise
from math import ceil, log, log1p
from typing import TYPE_CHECKING, Any, NamedTuple

from anyio import to_thread

from conceptgraph_core.retrieval import groups
from conceptgraph_core.retrieval.groups import MOST
from conceptgraph_core.retrieval.question import speaker_terms
from conceptgraph_core.texts.words import missing, terms
from conceptgraph_core.texts.words.languages import language
from conceptgraph_core.texts.words.splitting import split

from .. import calls
from ..calls.call import spoken
from ..embedding.base import check_room
from ..errors import TOO_LITTLE_MEMORY
from ..settings import Settings
from .job import Job, JobRun

if TYPE_CHECKING:
    import numpy as np


if TYPE_CHECKING:
    Matrix = np.ndarray[Any, Any]

# Measured on conversations; `python -m benchmarks.retrieval` measures their effect.
_DIMENSIONS = 50
_LEAST_COSINE = 0.5
_OF_A_NEIGHBOUR = 0.5
_MIN_TEXTS = 2

# The terms that most texts have; of more, the rarest have no neighbours.
MOST_TERMS = 20_000
_SPARE_DIMENSIONS = 20
_ITERATIONS = 6
# Values handled at once, which bounds the memory.
_VALUES_AT_ONCE = 100_000
_COSINES_AT_ONCE = 500

Near = dict[str, list[tuple[str, str, float]]]
"""By term: its neighbours, nearest first, each with its most frequent word and the cosine."""


class Text(NamedTuple):
    """A text, and its place in a thread, if it has one."""

    text: str
    thread: str | None
    position: int | None


class _Rows(NamedTuple):
    """A sparse matrix: row r has *values* in *columns* from starts[r] to starts[r + 1]."""

    starts: "Matrix"
    columns: "Matrix"
    values: "Matrix"

    def times(self, other: "Matrix") -> "Matrix":
        """Return the product with the dense matrix *other*, a part of the rows at a time."""
        import numpy as np

        made = np.zeros((len(self.starts) - 1, other.shape[1]), np.float32)
        cuts = np.searchsorted(self.starts, np.arange(0, self.starts[-1], _VALUES_AT_ONCE))
        for first, last in pairwise([*np.unique(cuts), len(made)]):
            starts = self.starts[first : last + 1]
            part = slice(starts[0], starts[-1])
            some = other[self.columns[part]] * self.values[part, None]
            filled = np.flatnonzero(np.diff(starts))
            if len(filled):
                sums = np.add.reduceat(some, starts[:-1][filled] - starts[0], axis=0)
                made[first + filled] = sums
        return made


def neighbours(
    texts: Sequence[Text], languages: Sequence[str], speakers: Collection[str] = ()
) -> Near:
    """Return the neighbours of the terms of *texts* that have any; *speakers* are no terms.

    The same texts have the same neighbours. Raises LibraryMissing.
    """
    counts = [terms(one.text, languages) for one in texts]
    of_texts = Counter(term for one in counts for term in one)
    often = sorted(of_texts.items(), key=lambda one: (-one[1], one[0]))
    names = [term for term, count in often if count >= _MIN_TEXTS and term not in speakers]
    column_of = {term: column for column, term in enumerate(names[:MOST_TERMS])}
    if len(column_of) < 2:
        return {}
    idf = {term: log(len(texts) / of_texts[term]) for term in column_of}
    weighed = [
        {column_of[term]: log1p(count) * idf[term] for term, count in one.items() if term in idf}
        for one in counts
    ]
    rows = list(_with_neighbours(texts, weighed))
    places = _places(rows, len(column_of))
    words = _words(texts, languages, column_of)
    listed = list(column_of)
    return {
        listed[column]: [(listed[other], words[listed[other]], cosine) for other, cosine in near]
        for column, near in _nearest(places)
    }


def _with_neighbours(
    texts: Sequence[Text], weighed: Sequence[Mapping[int, float]]
) -> Iterator[dict[int, float]]:
    """Yield each text's row with its share of those before and after it, normalised."""
    at = {(one.thread, one.position): row for one, row in zip(texts, weighed, strict=True)}
    for one, row in zip(texts, weighed, strict=True):
        found = dict(row)
        if one.thread is not None and one.position is not None:
            for position in (one.position - 1, one.position + 1):
                for column, value in at.get((one.thread, position), {}).items():
                    found[column] = found.get(column, 0.0) + _OF_A_NEIGHBOUR * value
        length = sum(value * value for value in found.values()) ** 0.5
        yield {column: value / length for column, value in found.items()} if length else {}


def _places(rows: Sequence[Mapping[int, float]], columns: int) -> "Matrix":
    """Return the place of each column, of length 1: singular vectors times singular values."""
    import numpy as np

    by_row = _sparse(rows)
    numbers = np.repeat(np.arange(len(rows)), np.diff(by_row.starts))
    order = np.argsort(by_row.columns, kind="stable")
    sizes = np.bincount(by_row.columns, minlength=columns)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    by_column = _Rows(starts, numbers[order], by_row.values[order])
    width = min(_DIMENSIONS + _SPARE_DIMENSIONS, len(rows), columns)
    basis = np.random.default_rng(0).standard_normal((columns, width)).astype(np.float32)
    for _ in range(_ITERATIONS):
        basis, _ = np.linalg.qr(by_column.times(by_row.times(basis)))
    _, lengths, turned = np.linalg.svd(by_row.times(basis), full_matrices=False)
    places = (basis @ turned.T[:, :_DIMENSIONS]) * lengths[:_DIMENSIONS]
    norms = np.linalg.norm(places, axis=1, keepdims=True)
    made: Matrix = places / np.where(norms > 0, norms, 1.0)
    return made


def _sparse(rows: Sequence[Mapping[int, float]]) -> _Rows:
    import numpy as np

    starts = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    columns = np.fromiter((column for row in rows for column in row), np.int64, starts[-1])
    values = np.fromiter((one for row in rows for one in row.values()), np.float32, starts[-1])
    return _Rows(starts, columns, values)


def _nearest(places: "Matrix") -> Iterator[tuple[int, list[tuple[int, float]]]]:
    """Yield each row of *places* that has others near it, and these, nearest first."""
    import numpy as np

    for first in range(0, len(places), _COSINES_AT_ONCE):
        cosines = places[first : first + _COSINES_AT_ONCE] @ places.T
        for row, found in enumerate(cosines, first):
            found[row] = -1.0
            near = np.flatnonzero(found >= _LEAST_COSINE)
            best = near[np.lexsort((near, -found[near]))][:MOST]
            if len(best):
                yield row, [(int(one), round(float(found[one]), 2)) for one in best]


def _words(
    texts: Sequence[Text], languages: Sequence[str], wanted: Collection[str]
) -> dict[str, str]:
    """Return the most frequent word of each of the *wanted* terms."""
    counts = Counter(word for one in texts for word in split(one.text))
    words: dict[str, str] = {}
    for word in sorted(counts, key=lambda word: (-counts[word], word)):
        for name in languages:
            words.setdefault(language(name).term(word), word)
    # A run of capitalised words is a term itself.
    return {term: words.get(term, term) for term in wanted}


Row = dict[str, Any]

# A larger scope lacks whole conversations here, which bounds time and memory.
MOST_TEXTS = 10_000


async def run(turn: JobRun) -> None:
    async for row in _scopes(turn):
        is_stale = groups.are_stale(row["texts"], row["grouped"])
        if not is_stale or not groups.wants(row["texts"], row["length"]):
            continue
        if turn.dry_run:
            turn.tell({"processed": row["texts"]})
            turn.would([_change(row)])
        else:
            await _group(turn, row)


async def _scopes(turn: JobRun) -> AsyncIterator[Row]:
    after = None
    while rows := await turn.session.run(calls.embedding.group_scopes(after)):
        for row in rows:
            yield row
        after = rows[-1]["scope"]


async def _group(turn: JobRun, row: Row) -> None:
    languages = spoken()
    texts: list[Text] = []
    speakers: set[str] = set()
    async for one in _texts(turn, row):
        texts.append(Text(one["text"], one["thread"], one["position"]))
        speakers.add(one["speaker"] or "")
    named = {term for speaker in speakers for term in speaker_terms(speaker, languages)}
    near = await to_thread.run_sync(partial(neighbours, texts, languages, named))
    await turn.go_on()
    names, after = sorted(near), None
    while True:
        following = [name for name in names if after is None or name > after][: turn.batch]
        some = {name: [list(one) for one in near[name]] for name in following}
        [done] = await turn.session.run(
            calls.embedding.group_terms(row["scope"], some, after, turn.batch)
        )
        await turn.report(grouped=done["changed"])
        await turn.go_on()
        after = done["last"]
        if after is None:
            return


async def _texts(turn: JobRun, row: Row) -> AsyncIterator[Row]:
    """Iterate over the texts of a scope, or over those of a part of its threads."""
    parts = ceil(row["texts"] / MOST_TEXTS)
    for label in calls.embedding.LABELS:
        after = None
        while rows := await turn.session.run(
            calls.embedding.group_texts(row["scope"], label, after, turn.batch, parts)
        ):
            for one in rows:
                if one["text"] is not None:
                    yield one
            after = rows[-1]["key"]
            await turn.report(processed=len(rows))
            await turn.go_on()


def _change(row: Row) -> Row:
    known = row["grouped"]
    why = "it has none" if known is None else f"there were {known:,} texts when they were computed"
    text = f"the neighbours of the words of {row['texts']:,} texts"
    return {"user_id": row["scope"], "text": text, "to": "computed", "why": why}


def _missing(_: Settings) -> str | None:
    if find_spec("numpy") is None:
        return "NumPy is not installed: pip install numpy"
    try:
        check_room()
    except MemoryError:
        return TOO_LITTLE_MEMORY
    lacking = missing()
    return f"{', '.join(lacking)}: is not installed" if lacking else None


JOB = Job("groups", "find related words", {"minute": 20}, run, _missing)
