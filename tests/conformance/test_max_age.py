"""A recall leaves out what is older than it wants, on both hosts, from the shell and by Cypher."""

import pytest
from expect import REFUSALS

from concept_graph_mcp import calls
from conceptgraph_core.texts.dates import DAY_MS
from memories import node

QUESTION = "Who sold pears?"


def ago(memory, days):
    return memory.now_ms - days * DAY_MS


@pytest.fixture
def pears(memory):
    """Keep forty old texts and a later one of fewer of the words."""
    old = [
        node(f"old-{one}", content=f"Ann sold {one} pears", said_at=ago(memory, 90))
        for one in range(40)
    ]
    late = node("late", content="Bob has pears to sell", said_at=ago(memory, 9))
    memory.import_rows([*old, late])
    return memory


def recalled(memory, **given):
    call = calls.everyday.recall("default", QUESTION, None, 4_000, **given)
    [row] = memory.run(call._replace(context={**call.context, "chances": [0, 0]}))
    return {one["id"] for one in row["sources"]}


def test_what_is_older_is_left_out_however_much_there_is_of_it(pears):
    assert len(recalled(pears)) > 10
    assert recalled(pears, max_age_days=10) == {"late"}
    assert recalled(pears, max_age_days=8) == set()
    assert "old-1" in recalled(pears, max_age_days=100)


def test_the_age_is_that_at_the_time_of_the_question(pears):
    assert recalled(pears, max_age_days=10, asked_at=pears.now_ms - 85 * DAY_MS) >= {"old-1"}


@pytest.mark.parametrize("days", [0, -1, 36_501, 1.5])
def test_an_age_that_is_none_is_refused(pears, days):
    with pytest.raises(REFUSALS, match="max_age_days: must be"):
        recalled(pears, max_age_days=days)


def test_another_procedure_does_not_know_it(memory):
    call = calls.everyday.about("default", "Ann")
    with pytest.raises(REFUSALS, match="unknown key 'max_age_days'"):
        memory.run(call._replace(context={**call.context, "max_age_days": 10}))


def test_by_hand_it_is_a_key_of_the_context(pears, hands, host):
    if host == "embedded":
        pytest.skip("embedded, nobody writes Cypher")
    given = f"{{now_ms: {pears.now_ms}, max_age_days: 10, chances: [0, 0]}}"
    asked = f"CALL everyday.peek('{QUESTION}', null, 1200, [], null, {given}) YIELD sources"
    assert hands.value(f"{asked} RETURN [one IN sources | one.id]") == ["late"]
