"""The files of the lives: every question can be answered from the notes that it names."""

import json

import pytest
from benchmarks.answers.sets import LIVES, life, sets

FILES = sorted(LIVES.rglob("*.json"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_answer_of_a_life_is_in_its_notes(path):
    told = json.loads(path.read_text(encoding="utf-8"))
    keeps = [kept for one in told["messages"] for kept in one["keeps"]]
    texts = {kept["key"]: kept["text"].casefold() for kept in keeps}
    assert len(texts) == len(keeps)
    times = [one["at"] for one in told["messages"]] + [told["asked_at"]]
    assert times == sorted(times)
    part = life(path)
    assert len({case.ask for case in part.cases}) == len(part.cases) >= 28
    for case in part.cases:
        notes = [texts[key] for key in case.gold]
        for some in case.answers:
            assert any(one.casefold() in note for one in some for note in notes), case.ask
    assert len(set(part.silence)) == 60
    assert {case.ask for case in part.cases}.isdisjoint({*part.unanswerable, *part.silence})


def test_each_life_is_a_set_and_only_those_for_training_are_tuned_on():
    named = {one.name: one.is_tuned for one in sets()}
    lives = [path.relative_to(LIVES).with_suffix("").as_posix() for path in FILES]
    assert "alois" in lives
    assert {name: named[name] for name in lives} == {
        name: name.startswith("training/") for name in lives
    }
    users = [life(path).user for path in FILES]
    assert len(set(users)) == len(users)
