"""Print to the terminal: data is printed as text, never as markup or control codes."""

import math
import sys
from typing import Any

from rich.console import Console
from rich.table import Column
from rich.text import Text

from ..printable import json_text, printable


class Terminal(Console):
    """A console that prints every string as one line of literal text.

    Styled text is passed with a style argument, or as a `rich.text.Text`.
    """

    def __init__(self, stderr: bool = False) -> None:
        super().__init__(stderr=stderr, markup=False, emoji=False, highlight=False)

    def render_str(self, text: str, **options: Any) -> Text:
        return super().render_str(printable(text), **options)


# Results go to stdout, everything about the work (progress, notes) to stderr.
out = Terminal()
notes = Terminal(stderr=True)


def say(line: str) -> None:
    """Print a line of the result, however long."""
    out.print(line, soft_wrap=True)


def wide(header: str) -> Column:
    """Return a column of texts, which takes the remaining width and wraps."""
    return Column(header, overflow="fold")


def narrow(header: str) -> Column:
    """Return a column of numbers, or of other short values that must not wrap."""
    return Column(header, justify="right", no_wrap=True)


def cut(text: str) -> Text:
    """Return *text* for a cell of one line, which ends it with an ellipsis if it is too long."""
    return Text(printable(text), no_wrap=True, overflow="ellipsis")


def print_json(value: Any) -> None:
    """Print *value* as JSON, with null for numbers that JSON does not have."""
    sys.stdout.write(json_text(_finite(value), indent=2) + "\n")


def _finite(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    return [_finite(item) for item in value] if isinstance(value, list) else value
