"""A text that is sent as an argument arrives as it was sent, whatever it looks like."""

import json
from typing import Any
from zoneinfo import ZoneInfo

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp.server.mcpserver.exceptions import ToolError
from tests.examples import limit_examples

from concept_graph_mcp.session import Clock, Session
from concept_graph_mcp.tools.adapter import ConceptTool
from concept_graph_mcp.tools.toolsets import TOOLSETS, tools

NOW_MS = 1_750_000_000_000
# No call gets as far as a store.
TOOLS = {
    tool.name: tool
    for tool in tools(
        Session(None, 1, ZoneInfo("UTC"), Clock(NOW_MS)),  # type: ignore[arg-type]
        tuple(TOOLSETS),
        with_set_time=True,
    )
}
BY_TYPE: dict[str, Any] = {
    "string": "x",
    "object": {},
    "integer": 1,
    "number": 1,
    "boolean": True,
}


def types(schema: dict[str, Any]) -> list[str]:
    return [one["type"] for one in schema.get("anyOf", [schema])]


def value_of(schema: dict[str, Any]) -> Any:
    """Return the simplest value that *schema* takes."""
    if "enum" in schema:
        return schema["enum"][0]
    [kind, *_] = types(schema)
    return ["x"] * schema.get("minItems", 0) if kind == "array" else BY_TYPE[kind]


TEXTS = [
    pytest.param(tool, name, id=f"{tool.name}-{name}")
    for tool in TOOLS.values()
    for name, schema in tool.parameters["properties"].items()
    if any(one["type"] == "string" and "enum" not in one for one in schema.get("anyOf", [schema]))
]
STRUCTURES = [
    pytest.param(tool, name, id=f"{tool.name}-{name}")
    for tool in TOOLS.values()
    for name, schema in tool.parameters["properties"].items()
    if {"array", "object"} & set(types(schema))
]

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)
texts = st.one_of(
    st.sampled_from(["null", '["b"]', '{"a": 1}', "true", "NaN", "-0", '"x"', "", " null "]),
    json_values.map(json.dumps),
    st.text(),
)


def received(tool: ConceptTool, name: str, value: Any) -> Any:
    """Return what the function of *tool* gets as *name* where *value* is sent."""
    got: dict[str, Any] = {}

    async def function(**given: Any) -> dict[str, Any]:
        got.update(given)
        return {}

    schemas = tool.parameters["properties"]
    arguments = {one: value_of(schemas[one]) for one in tool.parameters.get("required", ())}
    listening = tool.model_copy(update={"fn": function, "pictured": None})
    anyio.run(listening.run, arguments | {name: value}, None)
    # Some parameters have a name that Python reserves.
    fields = tool.fn_metadata.arg_model.model_fields
    [called] = [one for one, field in fields.items() if (field.alias or one) == name]
    return got[called]


def test_there_are_texts_among_the_arguments_of_every_toolset() -> None:
    assert len(TEXTS) > 40
    assert {"memory_node_update-content", "entity_explain-from"} <= {one.id for one in TEXTS}


@pytest.mark.parametrize(("tool", "name"), TEXTS)
@settings(max_examples=limit_examples(40))
@given(text=texts)
def test_a_text_arrives_as_it_was_sent(tool: ConceptTool, name: str, text: str) -> None:
    assert received(tool, name, text) == text


@pytest.mark.parametrize(("tool", "name"), STRUCTURES)
def test_a_list_or_a_map_may_be_sent_as_json(tool: ConceptTool, name: str) -> None:
    value = value_of(tool.parameters["properties"][name])
    assert received(tool, name, json.dumps(value)) == value
    for other in ("null", "true", "1", '"x"', "[", "[" * 100_000):
        with pytest.raises(ToolError, match=name):
            received(tool, name, other)
