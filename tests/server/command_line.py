"""The command line, called as a person calls it."""

from click.testing import CliRunner, Result

from concept_graph_mcp.__main__ import main


def run(*arguments: str, stdin: str | bytes | None = None) -> Result:
    return CliRunner().invoke(main, list(arguments), input=stdin)


def ok(*arguments: str, stdin: str | bytes | None = None) -> Result:
    result = run(*arguments, stdin=stdin)
    assert result.exit_code == 0, result.output
    return result
