"""Print lists for the commands: at most `--limit` rows, and a note if there are more."""

from collections.abc import Callable
from typing import Any, TypeVar

import click
from rich.table import Table

from .terminal import out, print_json, say

Row = dict[str, Any]
F = TypeVar("F", bound=Callable[..., Any])


def limited(most: int, default: int = 20) -> Callable[[F], F]:
    """Return the option --limit, of 1 to *most* rows."""
    return click.option(
        "--limit",
        type=click.IntRange(1, most),
        default=default,
        show_default=True,
        help="At most this many.",
    )


def print_listed(
    what: str,
    rows: list[Row],
    limit: int,
    table: Callable[[list[Row]], Table],
    nothing: str,
    *,
    as_json: bool,
) -> None:
    """Print *limit* of *rows*, and whether there are more: who has more gives one more than that.

    *what* they are is their key in JSON; *nothing* is said where there are none.
    """
    shown, more = rows[:limit], len(rows) > limit
    if as_json:
        print_json({what: shown, "more": more})
    elif shown:
        out.print(table(shown))
        if more:
            say("There are more; --limit shows them.")
    else:
        say(nothing)
