"""Write down what tools and procedures take and return: `python -m tests.interface.write`.

`tests/test_interface.py` compares it with the program, so that a change of the house that should
change nothing here cannot do so unseen. The help of the commands is in docs/reference/commands.md.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docs import generate

from concept_graph_mcp.hosts.sqlite import procedure_host
from concept_graph_mcp.tools import toolsets

FOLDER = Path(__file__).resolve().parent
TOOLS, PROCEDURES = FOLDER / "tools.jsonl", FOLDER / "procedures.txt"


def tools() -> str:
    """Return all tools of all toolsets as JSON, one a line: what a client is told of each."""
    offered = [(name, one) for name in toolsets.TOOLSETS for one in generate.offered(name, True)]
    return "".join(f"{_told(name, one)}\n" for name, one in offered)


def _told(toolset: str, tool: Any) -> str:
    told = {
        "toolset": toolset,
        "name": tool.name,
        "title": tool.title,
        "hints": tool.annotations.model_dump(exclude_none=True),
        "meta": tool.meta,
        "description": tool.description,
        "input": tool.parameters,
        "output": tool.output_schema,
    }
    return json.dumps(told, ensure_ascii=False)


def procedures() -> str:
    """Return the signatures of all procedures on the embedded host, in the form of Memgraph."""
    # A function has no fields.
    there = [one for one in procedure_host.load_modules().items() if one[1].results]
    return "".join(f"{one}\n" for one in sorted(map(_signature, there)))


def _signature(named: tuple[str, Any]) -> str:
    name, callback = named
    returns = sorted((field, type.name) for field, type in callback.results.items())
    fields = ", ".join(f"{field} :: {type}" for field, type in returns)
    return f"{name}({', '.join(_arguments(callback))}) :: ({fields})"


def _arguments(callback: Any) -> Iterator[str]:
    required = len(callback.arguments) - len(callback.defaults)
    for number, (name, type) in enumerate(callback.arguments):
        given = callback.defaults[number - required] if number >= required else ...
        yield f"{name}{'' if given is ... else f' = {_default(given)}'} :: {type.name}"


def _default(value: Any) -> str:
    if value is None:
        return "Null"
    whole = isinstance(value, float) and value.is_integer()
    return json.dumps(int(value) if whole else value, ensure_ascii=False)


if __name__ == "__main__":
    TOOLS.write_text(tools(), encoding="utf-8")
    PROCEDURES.write_text(procedures(), encoding="utf-8")
