"""Lines about the work, on stderr; where no terminal is, without what only a terminal needs.

To import that takes longer than most of what there is to say it of.
"""

import os
import sys

import click

from ..printable import printable

# By these `rich` is told to take anything for a terminal.
_FORCED = ("FORCE_COLOR", "TTY_COMPATIBLE")


def note(line: str) -> None:
    """Print a line about the work."""
    if is_plain():
        click.echo(printable(line), err=True)
        return
    from .terminal import notes

    notes.print(line, soft_wrap=True, style="dim")


def is_plain() -> bool:
    """Tell whether stderr is no terminal, and nothing but text is to be sent there."""
    is_terminal = sys.stderr is not None and sys.stderr.isatty()
    return not is_terminal and not any(map(os.environ.get, _FORCED))
