"""Fit the weights by which a recall decides (`conceptgraph_core.recall`), and write them.

Each life is stored and asked on the project's own code path. For each message this gives a row of
signals, and a row for each candidate. Two logistic models are fitted: whether a message asks for
anything told, and whether a text belongs to its answer. Needs scikit-learn (the extra `dev`).
"""

import importlib
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

# More threads take longer here, and may add up in another order.
os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")

import anyio
import click
import numpy as np
from sklearn.linear_model import LogisticRegression

import conceptgraph_core
from concept_graph_mcp.hosts.sqlite import procedure_host
from conceptgraph_core.recall import weights as deciding
from conceptgraph_core.recall.weights import FILE, FURTHEST, MESSAGE, OTHER, TEXT, WORDS

from .answers.asking import Asked, opened
from .answers.sets import HERE, Case, Part, life, sets

OUT: Final = Path(conceptgraph_core.__file__).parent / "recall" / FILE
# By the names of weights, the embeddings that they are of.
MODELS: Final = {
    "use-multilingual": "use-multilingual",
    WORDS: "none",
}
HELD: Final = "held"
# All three were chosen on lives left out.
THRESHOLDS: Final = {"asks": 0.3, "answers": 0.02, "share": 0.1}
# How freely the weights may grow: that of the direction is of a unit vector.
_FREE, _FREE_DIRECTION = 0.1, 10.0
_DECIMALS: Final = 4

QUESTION, UNANSWERABLE, SILENCE = "question", "unanswerable", "silence"


@dataclass(frozen=True, slots=True)
class Told:
    """A message as it was weighed; `keys` are those of the candidates, in the order of `rows`.

    `beside` has the lines that are told whatever the models decide.
    """

    kind: str
    ask: str
    vector: Sequence[float]
    message: Sequence[float]
    rows: Sequence[Sequence[float]]
    keys: Sequence[str]
    texts: Sequence[str]
    gold: Sequence[str]
    answers: Sequence[Sequence[str]]
    beside: str
    beside_keys: Sequence[str]

    @property
    def asks(self) -> bool:
        return self.kind != SILENCE

    @property
    def labels(self) -> list[bool]:
        return [key in self.gold for key in self.keys]


@contextmanager
def _recording() -> Iterator[list[tuple[Any, Any]]]:
    """Record what each recall weighs, which then tells no text.

    So nothing depends on the weights of before.
    """
    # The core must be imported on the embedded host's interface.
    procedure_host.load_mgp()
    recalling: Any = importlib.import_module("conceptgraph_core.recall.answering")
    from conceptgraph_core.recall.score import Scored

    weighed: list[tuple[Any, Any]] = []
    real, real_score = recalling.weigh, recalling.score

    def weigh(question: Any, gathered: Any) -> Any:
        weighed.append((question, real(question, gathered)))
        return weighed[-1][1]

    recalling.weigh = weigh
    recalling.score = lambda *_: Scored(0.0, {}, [])
    try:
        yield weighed
    finally:
        recalling.weigh, recalling.score = real, real_score


async def _tables(part: Part, embeddings: str) -> list[Told]:
    """Store *part*, and return what each of its messages is weighed as."""
    told: list[Told] = []
    with tempfile.TemporaryDirectory() as folder:
        async with opened(Path(folder), part, embeddings) as world:
            asked = Asked(world, part)
            with _recording() as weighed:
                await asked.fill()
                world.clock.set(part.asked_ms)
                messages = [(QUESTION, one) for one in part.cases if one.gold]
                messages += [(UNANSWERABLE, Case(one)) for one in part.unanswerable]
                messages += [(SILENCE, Case(one)) for one in part.silence]
                for kind, case in messages:
                    weighed.clear()
                    said = await asked.ask(case)
                    # A time alone is answered by what is of it.
                    if weighed:
                        told.append(_told(kind, case, weighed[-1], asked, said))
    return told


def _told(kind: str, case: Case, recorded: tuple[Any, Any], asked: Asked, said: Any) -> Told:
    question, weighed = recorded
    rows = [
        (asked.key(one.node.memory_id), one.node.content, row)
        for one, some in weighed.rows.items()
        for row in some
    ]
    # Ids differ in each run.
    rows.sort(key=lambda one: (one[0], str(one[2])))
    return Told(
        kind=kind,
        ask=case.ask,
        vector=[round(one, 6) for one in question.vector],
        message=[_number(one) for one in weighed.message],
        rows=[[_number(one) for one in row] for *_, row in rows],
        keys=[key for key, *_ in rows],
        texts=[text for _, text, _ in rows],
        gold=sorted(case.gold),
        answers=case.answers,
        beside=said.text,
        beside_keys=said.keys,
    )


def _number(value: float) -> float:
    return round(float(value), 6)


def read_tables(parts: Iterable[Part], embeddings: str, kept: Path | None) -> dict[str, list[Told]]:
    """Return what the messages of each of *parts* are weighed as; in *kept* they are looked up."""
    found = {}
    for part in parts:
        path = None if kept is None else kept / f"{part.user}.{embeddings}.json"
        if path is not None and path.exists():
            found[part.user] = [Told(**one) for one in json.loads(path.read_text())]
            continue
        found[part.user] = anyio.run(_tables, part, embeddings)
        if path is not None:
            rows = [
                {name: getattr(one, name) for name in Told.__slots__} for one in found[part.user]
            ]
            path.write_text(json.dumps(rows))
        click.echo(f"{part.user}, {embeddings}: {len(found[part.user])} messages", err=True)
    return found


@dataclass(frozen=True, slots=True)
class Fitted:
    """A logistic model; values that are not known count as the mean."""

    means: Any
    scales: Any
    weights: Any
    intercept: float

    @classmethod
    def of(cls, rows: Any, labels: Sequence[bool]) -> "Fitted":
        rows = np.array(rows, float)
        known = ~np.isnan(rows)
        counts = np.maximum(known.sum(axis=0), 1)
        means = np.where(known, rows, 0.0).sum(axis=0) / counts
        scales = np.sqrt((np.where(known, rows - means, 0.0) ** 2).sum(axis=0) / counts)
        scales[scales < 1e-6] = 1.0
        made = cls(means.round(_DECIMALS), scales.round(_DECIMALS + 2), np.zeros(len(means)), 0.0)
        model = LogisticRegression(C=_FREE, max_iter=5_000, tol=1e-8).fit(
            made._scaled(rows), labels
        )
        weights = model.coef_[0].round(_DECIMALS)
        return replace(
            made, weights=weights, intercept=round(float(model.intercept_[0]), _DECIMALS)
        )

    def _scaled(self, rows: Any) -> Any:
        scaled = (np.array(rows, float) - self.means) / self.scales
        return np.nan_to_num(scaled, nan=0.0).clip(-FURTHEST, FURTHEST)

    def chances(self, rows: Any) -> Any:
        return 1 / (1 + np.exp(-self.intercept - self._scaled(rows) @ self.weights))

    def told(self) -> dict[str, Any]:
        lists = {name: getattr(self, name).tolist() for name in ("means", "scales", "weights")}
        return {**lists, "intercept": self.intercept}


@dataclass(frozen=True, slots=True)
class Models:
    """The models fitted on some lives, and the direction of vectors that ask."""

    message: Fitted
    text: Fitted
    direction: Any

    def asks(self, told: Told) -> float:
        return float(self.message.chances([_with_direction(told, self.direction)])[0])

    def told(self) -> dict[str, Any]:
        return {
            "message": self.message.told(),
            "text": self.text.told(),
            "direction": [] if self.direction is None else self.direction.tolist(),
        }


def _with_direction(told: Told, direction: Any) -> list[float]:
    if direction is None:
        return list(told.message)
    vector = np.array(told.vector)
    return [float(vector @ direction / np.linalg.norm(vector)), *told.message[1:]]


def _direction(lives: Iterable[Sequence[Told]]) -> Any:
    """Return the direction of the vectors of messages that ask; None without vectors."""
    told = [one for life in lives for one in life]
    if not all(one.vector for one in told):
        return None
    vectors = np.array([one.vector for one in told])
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    labels = [one.asks for one in told]
    return (
        LogisticRegression(C=_FREE_DIRECTION, max_iter=2_000).fit(vectors, labels).coef_[0].round(3)
    )


# Lives with the same remarks are left out together.
_ALIKE: Final = {"katrin": "family", "priya": "family", "ruth": "family"}


def fit(lives: Mapping[str, Sequence[Told]]) -> Models:
    """Return the models fitted on *lives*.

    The direction is one signal of the model of messages, which sees each life by a direction that
    was found on the others. Otherwise it would seem to know everything.
    """
    groups = {_ALIKE.get(name, name) for name in lives}
    rows, labels = [], []
    for group in sorted(groups):
        others = [lives[one] for one in lives if _ALIKE.get(one, one) != group]
        direction = _direction(others) if len(groups) > 1 else None
        for name in sorted(lives):
            if _ALIKE.get(name, name) == group:
                rows += [_with_direction(one, direction) for one in lives[name]]
                labels += [one.asks for one in lives[name]]
    real = [one for name in sorted(lives) for one in lives[name] if one.asks and one.rows]
    text = Fitted.of(
        np.concatenate([one.rows for one in real]), [label for one in real for label in one.labels]
    )
    return Models(Fitted.of(rows, labels), text, _direction(lives[name] for name in sorted(lives)))


@dataclass
class Tally:
    """The counts of a life that was left out."""

    asked: int = 0
    answered: int = 0
    remarks: int = 0
    silent: int = 0
    shown: int = 0
    belong: int = 0
    empty: int = 0

    def __add__(self, other: "Tally") -> "Tally":
        names = self.__dataclass_fields__
        return Tally(*(getattr(self, one) + getattr(other, one) for one in names))


def ask(lives: Sequence[Told], models: Models, thresholds: Mapping[str, float]) -> Tally:
    """Count how the *models* answer."""
    tally = Tally()
    for one in lives:
        chances = models.text.chances(one.rows) if one.rows else np.zeros(0)
        best = max(chances, default=0.0)
        least = max(thresholds["answers"], thresholds["share"] * best)
        keys, texts = list(one.beside_keys), [one.beside]
        if models.asks(one) >= thresholds["asks"]:
            each = zip(chances, one.rows, one.keys, one.texts, strict=True)
            chosen = {k: text for c, row, k, text in each if c >= least or deciding.is_kept(row)}
            keys += [key for key in chosen if key not in keys]
            texts += chosen.values()
        said = "\n".join(texts).casefold()
        if one.kind == SILENCE:
            tally += Tally(remarks=1, silent=not said.strip())
        elif one.kind == QUESTION:
            is_right = all(any(s.casefold() in said for s in some) for some in one.answers)
            is_right &= bool(one.answers) or not set(keys).isdisjoint(one.gold)
            counts = len(keys), len(set(keys).intersection(one.gold)), not said.strip()
            tally += Tally(1, is_right, 0, 0, *counts)
    return tally


def cross_validate(
    lives: Mapping[str, Sequence[Told]], thresholds: Mapping[str, float], echo: Callable[..., None]
) -> Tally:
    """Ask each life by models that were fitted on the others."""
    every = Tally()
    models: dict[str, Models] = {}
    for name in sorted(lives):
        group = _ALIKE.get(name, name)
        if group not in models:
            models[group] = fit({k: v for k, v in lives.items() if _ALIKE.get(k, k) != group})
        tally = ask(lives[name], models[group], thresholds)
        echo(f"{name}: {describe(tally)}")
        every += tally
    return every


def describe(tally: Tally) -> str:
    return (
        f"answered {tally.answered} of {tally.asked}, silent {tally.silent} of {tally.remarks},"
        f" {tally.shown / max(1, tally.asked):.1f} lines a question, of which"
        f" {tally.belong / max(1, tally.shown):.2f} belong, nothing said to {tally.empty}"
    )


def _parts(folders: Sequence[Path]) -> list[Part]:
    lives = [one for one in sets() if not one.name.startswith(HELD)]
    parts = {
        part.user: part
        for one in lives
        for part in one.parts
        if one.is_tuned or (HERE / "lives" / f"{one.name}.json").exists()
    }
    for part in (life(path) for one in folders for path in sorted(one.glob("*.json"))):
        if part.user in parts:
            raise click.UsageError(f"there are two lives of {part.user}: name one otherwise")
        parts[part.user] = part
    return list(parts.values())


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("folders", nargs=-1, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), default=OUT, help="The file to write.")
@click.option(
    "--tables",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Keep what the messages were weighed as in this folder, and take it from there.",
)
@click.option("--model", "models", multiple=True, type=click.Choice(list(MODELS)))
@click.option("--only", multiple=True, metavar="LIFE", help="Weigh these alone, and write nothing.")
def main(
    folders: tuple[Path, ...],
    out: Path,
    tables: Path | None,
    models: tuple[str, ...],
    only: tuple[str, ...],
) -> None:
    """Fit the weights on all lives here that are not held, and on those in FOLDERS.

    `export --format training` writes the life of one's own store.
    """
    parts = [one for one in _parts(folders) if not only or one.user in only]
    read = {one: read_tables(parts, MODELS[one], tables) for one in models or MODELS}
    if only:
        sys.exit()
    made: dict[str, Any] = {}
    figures: dict[str, str] = {}
    for name, lives in read.items():
        click.echo(f"{name}, each life by models fitted on the others:")
        figures[name] = describe(cross_validate(lives, THRESHOLDS, click.echo))
        click.echo(f"together: {figures[name]}")
        made[name] = fit(lives).told()
    joined = {
        f"{life_}, {name}": [replace(one, vector=()) for one in told]
        for name, lives in read.items()
        if name != WORDS
        for life_, told in lives.items()
    }
    made[OTHER] = fit(joined).told()
    weights = {
        "made": {"by": "python -m benchmarks.train", "on": sorted(one.user for one in parts)},
        "figures": figures,
        "thresholds": THRESHOLDS,
        "signals": {
            "message": [one.name for one in MESSAGE],
            "text": [one.name for one in TEXT],
        },
        "sets": made,
    }
    out.write_text(print_weights(weights), encoding="utf-8")


def print_weights(weights: Mapping[str, Any]) -> str:
    """Return *weights* as JSON with one model a line."""
    sets = ",\n".join(
        f"  {json.dumps(name)}: {json.dumps(weights['sets'][name])}" for name in weights["sets"]
    )
    rest = (
        f" {json.dumps(one)}: {json.dumps(value)}"
        for one, value in weights.items()
        if one != "sets"
    )
    return "{\n" + ",\n".join(rest) + ',\n "sets": {\n' + sets + "\n }\n}\n"


if __name__ == "__main__":
    main()
