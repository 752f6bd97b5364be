"""Whether nodes may lack the forms that searches read, from the numbers that indexes tell."""

import asyncio
from typing import Any

import pytest
from neo4j.exceptions import ClientError

from concept_graph_mcp.stores.bolt import forms
from conceptgraph_core.concepts.schema import NAMES as INDEX
from conceptgraph_core.lists import schema


def state(*rows: dict[str, Any]) -> forms.State:
    async def run(statement: str, parameters: Any, writes: bool) -> list[dict[str, Any]]:
        assert (statement, writes) == ("SHOW INDEX INFO", False)
        return list(rows)

    return asyncio.run(forms.state(run, INDEX))


def counted(name: int, plain: int, lists: int = 0, label: str = "Concept") -> Any:
    counts = {"name": name, "folded_name": 7, "plain_name": plain}
    return [
        {"label": label, "property": None, "count": 5_000},
        *({"label": label, "property": [key], "count": counts[key]} for key in counts),
        {"label": schema.LIST, "property": ["number"], "count": lists},
        {"label": schema.LIST, "property": ["of"], "count": lists},
    ]


def test_nothing_lacks_a_form_where_there_are_as_many_as_texts():
    assert state(*counted(5_000, 5_000)) == forms.State(False, False, 0)


def test_what_has_no_plain_form_of_its_own_must_be_in_lists():
    assert state(*counted(5_000, 4_000, lists=1)) == forms.State(False, True, 1_000)


@pytest.mark.parametrize("counts", [(5_001, 5_000), (5_000, 4_999), (9, 9)])
def test_something_may_lack_one_where_numbers_differ_or_are_few(counts):
    assert state(*counted(*counts)).lacking is True


def test_something_may_lack_one_where_numbers_are_few_beside_lists_too():
    assert state(*counted(9, 9, lists=3)) == forms.State(True, True)


def test_something_may_lack_one_where_no_index_tells():
    assert state() == forms.State(True, True)
    assert state(*counted(5_000, 5_000, label="Entity")) == forms.State(True, False)
    without_plain = [row for row in counted(*[5_000] * 2) if row["property"] != ["plain_name"]]
    assert state(*without_plain) == forms.State(True, False)


def test_a_property_that_is_no_list_is_one_too():
    rows = [
        {**row, "property": row["property"] and row["property"][0]} for row in counted(*[5_000] * 2)
    ]
    assert state(*rows).lacking is False


def test_something_may_lack_one_where_nobody_may_ask():
    async def refuse(*_: Any) -> Any:
        raise ClientError("no privilege")

    assert asyncio.run(forms.state(refuse, INDEX)) == forms.State(True, True)
