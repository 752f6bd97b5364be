"""The weights by which a recall decides: the shipped file, what is refused, how they are fitted."""

import json
import math
from pathlib import Path

import pytest

import conceptgraph_core
from concept_graph_mcp import Memory
from conceptgraph_core.recall import weights
from conceptgraph_core.recall.weights import MESSAGE, TEXT
from conceptgraph_core.verbs.errors import InvalidNumber

FILE = Path(conceptgraph_core.__file__).parent / "recall" / weights.FILE


def told():
    return json.loads(FILE.read_text(encoding="utf-8"))


def test_the_shipped_weights_are_of_these_signals():
    sets, thresholds = weights.load()
    assert set(sets) == {"use-multilingual", weights.OTHER, weights.WORDS}
    for one in sets.values():
        for model, signals in ((one.message, MESSAGE), (one.text, TEXT)):
            assert {len(values) for values in model[:3]} == {len(signals)}
            assert all(scale > 0 for scale in model.scales)
    assert len(sets["use-multilingual"].direction) == 512
    assert all(0 < one < 1 for one in thresholds)


def test_signals_are_few_and_have_names_of_their_own():
    assert (len(TEXT) <= 40, len(MESSAGE) <= 24) == (True, True)
    for signals in (TEXT, MESSAGE):
        assert len({one.name for one in signals}) == len(signals)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"signals": {"message": [], "text": []}}, "is of other signals; run python -m"),
        ({"sets": {"words": {}}}, "cannot be read"),
        ({"sets": []}, "cannot be read"),
        ({"thresholds": {"asks": 0.5}}, "cannot be read"),
        ({"thresholds": {"asks": 0.5, "answers": 0, "share": 0.1}}, "are no thresholds"),
    ],
)
def test_weights_of_other_signals_are_refused_with_one_line(change, message):
    with pytest.raises(InvalidNumber, match=message) as refused:
        weights.parse(json.dumps({**told(), **change}).encode())
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("part", "numbers"),
    [
        ("scales", [0.0] * len(TEXT)),
        ("scales", [1.0] * (len(TEXT) - 1)),
        ("means", ["0"] * len(TEXT)),
        ("weights", [math.nan] * len(TEXT)),
        ("weights", [1e9] * len(TEXT)),
        ("intercept", None),
    ],
)
def test_damaged_numbers_are_found_before_a_recall_needs_them(part, numbers):
    damaged = told()
    damaged["sets"]["use-multilingual"]["text"][part] = numbers
    with pytest.raises(InvalidNumber, match="cannot be read"):
        weights.parse(json.dumps(damaged).encode())


@pytest.mark.parametrize("name", ["missing.json", "weights.py"])
def test_without_weights_recalls_go_by_words_and_one_warning_says_so(
    name, tmp_path, monkeypatch, caplog
):
    monkeypatch.setattr(weights, "FILE", name)
    weights.load.cache_clear()
    try:
        with Memory.open(tmp_path / "memory.db", embeddings="none") as memory:
            memory.remember("The kiln in the cellar needs four hours to cool down")
            memory.remember("The roof of the shed leaks")
            told = [memory.recall(one)["text"] for one in ("How long does the kiln cool?", "Hi!")]
    finally:
        monkeypatch.undo()
        weights.load.cache_clear()
    assert "four hours" in told[0]
    assert ("roof" in told[0], "Said" in told[1]) == (False, False)
    [said] = [one.getMessage() for one in caplog.records if one.name == "conceptgraph"]
    assert f"{name} is damaged, and recalls go by words alone; install it again" in said
    assert "\n" not in said


def test_a_signal_that_is_not_known_adds_nothing_and_one_far_off_not_much():
    model = weights.Model([1.0, 0.0], [2.0, 1.0], [0.5, 3.0], 0.0)
    assert model.contributions([math.nan, math.nan]) == [0.0, 0.0]
    assert model.contributions([3.0, -0.5]) == [0.5, -1.5]
    assert model.contributions([1e9, -1e9]) == [2.0, -12.0]
    assert model.chance([math.nan, math.nan]) == 0.5


def test_the_direction_is_of_vectors_of_its_own_length_alone():
    made = weights.Weights(*weights.load()[0][weights.WORDS][:2], [0.0, 2.0])
    assert made.asking([3.0, 4.0]) == pytest.approx(1.6)
    assert math.isnan(made.asking([]))
    assert math.isnan(made.asking([0.0, 0.0]))


def test_a_model_without_weights_of_its_own_has_those_of_others():
    sets, _ = weights.load()
    assert weights.choose(sets, [1.0], "use-multilingual") == "use-multilingual"
    assert weights.choose(sets, [1.0], "openai:some") == weights.OTHER
    assert weights.choose(sets, [], None) == weights.WORDS


@pytest.mark.slow
def test_the_same_lives_give_the_same_weights():
    pytest.importorskip("sklearn")
    from benchmarks import train

    def message(kind, number):
        row = [(number * 7 + place) % 5 / 5 for place in range(len(TEXT))]
        of_all = [math.nan, *row[: len(MESSAGE) - 1]]
        vector = [1.0 if kind == train.QUESTION else -1.0, number / 10]
        rest = [row, row[::-1]], ["a", "b"], ["A", "B"], ["a"], [["A"]], "", []
        return train.Told(kind, f"{number}", vector, of_all, *rest)

    kinds = train.QUESTION, train.SILENCE
    lives = {
        name: [message(kind, 10 * n + at) for at in range(6) for kind in kinds]
        for n, name in enumerate(("ada", "ben", "cem"))
    }
    made = [json.dumps(train.fit(lives).told()) for _ in range(2)]
    assert made[0] == made[1]
    tally = train.cross_validate(lives, train.THRESHOLDS, lambda _: None)
    assert (tally.asked, tally.remarks) == (18, 18)
