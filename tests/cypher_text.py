"""Cypher as the documentation shows it: run on a host, its rows as the table that is shown."""

import json
import re
from collections.abc import Iterable
from typing import Any

import neo4j
from neo4j.graph import Node, Path, Relationship

from concept_graph_mcp.hosts.store import Edge

_CALL = re.compile(
    r"CALL ((?:\w+graph|everyday)\.\w+)\((.*?)\)\s+YIELD (\w+(?:, \w+)*);", re.DOTALL
)
_KEY = re.compile(r'"(?:[^"\\]|\\.)*"|\b\w+(?=:)')

Rows = list[dict[str, Any]]


def plain_call(cypher: str) -> tuple[str, list[Any], tuple[str, ...]] | None:
    """Return (procedure, arguments, fields) if *cypher* is one call of ours and nothing else."""
    match = _CALL.fullmatch(cypher)
    if match is None:
        return None
    name, given, fields = match.groups()
    quoted = _KEY.sub(lambda key: key[0] if key[0][0] == '"' else f'"{key[0]}"', given)
    return name, json.loads(f"[{quoted}]"), tuple(field.strip() for field in fields.split(","))


def run(session: neo4j.Session, cypher: str) -> Rows:
    """Return the rows of any Cypher on a Memgraph, as auto-committed statement."""
    result = session.run(cypher.strip().removesuffix(";"))  # type: ignore[arg-type]
    keys = result.keys()
    return [dict(zip(keys, record.values(), strict=True)) for record in result]


def shown(rows: Iterable[dict[str, Any]]) -> str:
    """Return *rows* as a table of text, or "(no rows)"."""
    rows = list(rows)
    if not rows:
        return "(no rows)"
    lines = [list(rows[0]), *([_cell(value) for value in row.values()] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        " | ".join(f"{cell:{width}}" for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def _cell(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, (Relationship, Edge)):
        properties = value.properties if isinstance(value, Edge) else dict(value)
        return f"[:{value.type} {_map(properties)}]"
    if isinstance(value, Node):
        return f"(:{':'.join(sorted(value.labels))} {_map({'name': value['name']})})"
    if isinstance(value, Path):
        return "-".join(f"({node['name']})" for node in value.nodes)
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _map(properties: dict[str, Any]) -> str:
    pairs = (f"{key}: {json.dumps(value)}" for key, value in sorted(properties.items()))
    return "{" + ", ".join(pairs) + "}"
