"""Whether nodes may lack the forms that searches read, from the numbers that indexes tell."""

import asyncio
from typing import Any

import pytest
from neo4j.exceptions import ClientError

from concept_graph_mcp.hosts.memgraph import name_forms, text_search
from conceptgraph_core.concepts.schema import NAMES as INDEX
from conceptgraph_core.name_lists import schema


def state(*rows: dict[str, Any]) -> text_search.State:
    async def run(statement: str, parameters: Any, writes: bool) -> list[dict[str, Any]]:
        assert (statement, writes) == ("SHOW INDEX INFO", False)
        return list(rows)

    return asyncio.run(name_forms.state(run, INDEX))


def counted(name: int, unlisted: int, lists: int = 0, label: str = "Concept") -> Any:
    counts = {"name": name, "folded_name": 7, "plain_name": 3, "unlisted": unlisted}
    return [
        {"label": label, "property": None, "count": 5_000},
        *({"label": label, "property": [key], "count": counts[key]} for key in counts),
        {"label": schema.LIST, "property": ["number"], "count": lists},
        {"label": schema.LIST, "property": ["label"], "count": lists},
    ]


def test_there_are_as_many_in_no_list_as_texts_where_there_are_no_lists():
    assert state(*counted(5_000, 5_000)) == text_search.State(False, 5_000, 5_000)


def test_how_many_are_in_no_list_is_told_where_there_are_lists():
    assert state(*counted(5_000, 4_000, lists=1)) == text_search.State(True, 5_000, 4_000)


@pytest.mark.parametrize(("unlisted", "are_many"), [(4_999, False), (5_000, True)])
def test_a_batch_of_names_in_no_list_are_many(unlisted, are_many):
    assert state(*counted(9_000, unlisted)).has_many_unlisted == are_many


def test_something_may_lack_a_form_where_there_are_few():
    assert state(*counted(9, 9)) == text_search.State(False, None)


def test_something_may_lack_one_where_numbers_are_few_beside_lists_too():
    assert state(*counted(9, 9, lists=3)) == text_search.State(True, None)


def test_something_may_lack_one_where_no_index_tells():
    assert state() == text_search.State(True, None)
    assert state(*counted(5_000, 5_000, label="Entity")) == text_search.State(False, None)
    without = [row for row in counted(*[5_000] * 2) if row["property"] != ["unlisted"]]
    assert state(*without) == text_search.State(False, None)


def test_a_property_that_is_no_list_is_one_too():
    rows = [
        {**row, "property": row["property"] and row["property"][0]} for row in counted(*[5_000] * 2)
    ]
    assert state(*rows) == text_search.State(False, 5_000, 5_000)


def test_something_may_lack_one_where_nobody_may_ask():
    async def refuse(*_: Any) -> Any:
        raise ClientError("no privilege")

    assert asyncio.run(name_forms.state(refuse, INDEX)) == text_search.State(True, None)
