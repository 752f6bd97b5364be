"""Whether nodes may lack the forms that searches read, from the numbers that indexes tell."""

import asyncio
from typing import Any

import pytest
from neo4j.exceptions import ClientError

from concept_graph_mcp.stores.bolt import forms
from conceptgraph_core.concepts import schema
from conceptgraph_core.registry import text_index

INDEX = text_index(schema.CONCEPT)


def lacking(*rows: dict[str, Any]) -> bool:
    async def run(statement: str, parameters: Any, writes: bool) -> list[dict[str, Any]]:
        assert (statement, writes) == ("SHOW INDEX INFO", False)
        return list(rows)

    return asyncio.run(forms.lacking(run, INDEX))


def counted(name: int, folded: int, plain: int, label: str = schema.CONCEPT) -> Any:
    counts = {"name": name, "search_name": folded, "plain_name": plain}
    return [
        {"label": label, "property": None, "count": 5_000},
        *({"label": label, "property": [key], "count": counts[key]} for key in counts),
    ]


def test_nothing_lacks_a_form_where_there_are_as_many_as_texts():
    assert lacking(*counted(5_000, 5_000, 5_000)) is False


@pytest.mark.parametrize("counts", [(5_001, 5_000, 5_000), (5_000, 5_000, 4_999), (9, 9, 9)])
def test_something_may_lack_one_where_numbers_differ_or_are_few(counts):
    assert lacking(*counted(*counts)) is True


def test_something_may_lack_one_where_no_index_tells():
    assert lacking() is True
    assert lacking(*counted(5_000, 5_000, 5_000, "Entity")) is True
    assert lacking(*counted(5_000, 5_000, 5_000)[:-1]) is True


def test_a_property_that_is_no_list_is_one_too():
    rows = [
        {**row, "property": row["property"] and row["property"][0]} for row in counted(*[5_000] * 3)
    ]
    assert lacking(*rows) is False


def test_something_may_lack_one_where_nobody_may_ask():
    async def refuse(*_: Any) -> Any:
        raise ClientError("no privilege")

    assert asyncio.run(forms.lacking(refuse, INDEX)) is True
