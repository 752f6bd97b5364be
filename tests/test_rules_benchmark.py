"""The benchmark of rules: its table is of the core as it is, and a rule that is off is on again."""

import asyncio

import pytest
from benchmarks.answers.sets import Case, Part
from benchmarks.rules.__main__ import QUESTION, measure
from benchmarks.rules.table import RULES, Rule, find_places, load_core, off

from conceptgraph_core.everyday import asking
from conceptgraph_core.retrieval import question

YESTERDAY = "What did I tell you yesterday?"
PART = Part(
    "someone",
    1_750_075_200_000,
    [Case(YESTERDAY, frozenset(["boat"]), (("boat",),))],
    [
        {
            "at": "2025-06-15T09:00:00Z",
            "said": None,
            "keeps": [{"key": "boat", "text": "Ida sold her boat.", "about": [], "keep": "normal"}],
        }
    ],
    silence=["Good morning!"],
)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_the_core_has_every_name_of_a_rule_and_has_it_again_afterwards(rule):
    before = {
        path: [(owner, name, vars(owner)[name]) for owner, name in find_places(path)]
        for path in rule.replaced
    }
    with off(rule):
        for places in before.values():
            assert all(vars(owner)[name] is not was for owner, name, was in places)
    for places in before.values():
        assert all(vars(owner)[name] is was for owner, name, was in places)


def test_rules_have_names_of_their_own():
    assert len({rule.name for rule in RULES}) == len(RULES)


@pytest.mark.parametrize(
    "path", ["retrieval.question:gone", "retrieval.gone:light", "recall.score:Gone.place"]
)
def test_a_rule_of_a_name_that_the_core_lacks_is_an_error(path):
    with pytest.raises(LookupError, match="the core has no such name"), off(Rule("", {path: None})):
        pass


def test_what_one_name_of_a_rule_replaced_is_put_back_where_another_is_missing():
    was = question.light
    rule = Rule("", {"retrieval.question:light": len, "retrieval.question:gone": len})
    with pytest.raises(LookupError), off(rule):
        pass
    assert question.light is was


def test_a_function_is_replaced_wherever_it_was_imported():
    with off(Rule("", {"everyday.asking:make_query": len})):
        reading = load_core()["conceptgraph_core.recall.read"]
        assert reading.make_query is asking.make_query is len


@pytest.mark.slow
def test_what_a_rule_decides_is_told_otherwise_without_it():
    async def told():
        rules = [rule for rule in RULES if rule.name in {"periods", "the second step"}]
        return [(rule and rule.name, told) async for rule, told in measure([PART], rules, "none")]

    whole, *others = asyncio.run(told())
    assert (whole[0], whole[1].answered, whole[1].silent) == (None, 1, 1)
    changed = {name: one.count_changed(QUESTION, whole[1]) for name, one in others}
    assert changed == {"periods": 1, "the second step": 0}
