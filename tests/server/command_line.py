"""The command line, called as a person calls it."""

import json
from typing import Any

from click.testing import CliRunner, Result

from concept_graph_mcp.__main__ import main


def run(*arguments: str, stdin: str | bytes | None = None) -> Result:
    return CliRunner().invoke(main, list(arguments), input=stdin)


def ok(*arguments: str, stdin: str | bytes | None = None) -> Result:
    result = run(*arguments, stdin=stdin)
    assert result.exit_code == 0, result.output
    return result


def fails(*arguments: str, stdin: str | bytes | None = None) -> Result:
    """Return how a command ends that must not succeed."""
    result = run(*arguments, stdin=stdin)
    assert result.exit_code == 1, result.output
    return result


def memories(there: list[str]) -> list[dict[str, Any]]:
    """Return the records of all memories in a store."""
    _, *records = map(json.loads, ok(*there, "export", "-").stdout.splitlines())
    return [record for record in records if record["kind"] == "memory"]
