"""Each line of a recall belongs to the message: what is asked for, and what matters of a name."""

import pytest
from expect import REFUSALS

from concept_graph_mcp import calls
from conceptgraph_core.verbs import context as contexts

DAY_MS = 86_400_000


def kept(days, name, *texts, keep="normal", kind=None):
    for text in texts:
        days.memory.now_ms += DAY_MS
        about = [name if kind is None else {"name": name, "kind": kind}]
        days.remember(text, about, keep, said=text)


def said(days, message):
    row = days.recalled(message)
    return [one["parts"][1].partition("“")[2] for one in row["lines"] if one["part"] == "said"]


def test_a_line_that_shares_only_words_that_say_little_goes(days):
    kept(days, "Kafka", "We are using Kafka for the events of the shop")
    kept(days, "tents", "Using the old tent works best when we go to the lake")
    assert [one[:9] for one in said(days, "What are we using for the events of the shop?")] == [
        "We are us"
    ]


def test_a_question_about_nobody_who_is_known_needs_more_than_such_words(days):
    kept(days, "Kafka", "Katrin works for the new lab")
    assert said(days, "How do vaccines work?") == []
    assert said(days, "Where does Katrin work?")
    assert said(days, "Where do I work?")


def test_a_long_note_is_not_pushed_out_by_a_short_text(days):
    filling = "The cellar was sorted on a rainy day. Nobody found the lamp. " * 15
    days.remember(f"{filling}\n\nThe carpenter wants 2,340 euros for the worktop.\n\n{filling}")
    days.remember("The carpenter brings the worktop")
    assert any("2,340" in one for one in said(days, "What does the carpenter's worktop cost?"))


def test_what_is_always_kept_comes_with_a_name(days):
    kept(days, "Milo", "Milo is allergic to latex", keep="always")
    kept(days, "Milo", "Milo plays chess", "Milo has a red bike")
    told = said(days, "What could we give Milo for his birthday?")
    assert any(one.startswith("Milo is allergic") for one in told)


def test_how_much_is_told_can_be_set(days):
    kept(days, "kiln", "The kiln in the cellar needs four hours to cool down")

    def told(chances):
        call = calls.everyday.recall("default", "how long does the kiln cool")
        [row] = days.memory.run(call._replace(context={**call.context, "chances": chances}))
        return [one for one in row["lines"] if one["part"] == "said"]

    assert len(told([0, 0])) == 1
    assert told([1, 0]) == []
    assert told([0, 1]) == []
    assert len(told([0, None])) == len(told([None, None])) == 1
    assert told([1, None]) == told([None, 1]) == []


def test_the_environment_sets_what_a_call_does_not(monkeypatch, caplog):
    contexts._usable.cache_clear()
    assert contexts.parse({}).thresholds == (None, None)
    for name, said in zip(contexts.CHANCE_VARIABLES, ("0.4", " 1 "), strict=True):
        monkeypatch.setenv(name, said)
    assert contexts.parse({}).thresholds == (0.4, 1.0)
    assert contexts.parse({"chances": [None, 0]}).thresholds == (0.4, 0)
    for said in ("2", "-0.1", "nan", "some\nmore"):
        monkeypatch.setenv("CONCEPT_GRAPH_ANSWERS", said)
        assert contexts.parse({"chances": [1, 0]}).thresholds == (1, 0)
        caplog.clear()
        assert [contexts.parse({}).thresholds for _ in range(2)] == [(0.4, None)] * 2
        told = f"CONCEPT_GRAPH_ANSWERS: must be a number from 0 to 1, not {said!r}"
        assert [one.getMessage() for one in caplog.records] == [f"{told}; the shipped one goes on"]


@pytest.mark.parametrize("chances", ["x", [0.5], [0.5, 2], [True, 0.1], [None, "0"]])
def test_chances_that_are_none_are_refused(days, chances):
    call = calls.everyday.recall("default", "kiln")
    with pytest.raises(REFUSALS, match="chances must be two numbers from 0 to 1"):
        days.memory.run(call._replace(context={**call.context, "chances": chances}))
