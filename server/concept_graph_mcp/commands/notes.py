"""Print notes on the work to stderr; without a terminal, plain text only.

`rich` is not imported for them, because importing it takes longer than most commands run.
"""

import os
import shlex
import shutil
import sys
from pathlib import Path
from subprocess import list2cmdline

import click

from ..printable import printable

_PROGRAM = "concept-graph-mcp"
# Variables that make `rich` treat any stream as a terminal.
_FORCED = ("FORCE_COLOR", "TTY_COMPATIBLE")


def note(line: str) -> None:
    """Print a line about the work."""
    if is_plain():
        click.echo(printable(line), err=True)
        return
    from .terminal import notes

    notes.print(line, soft_wrap=True, style="dim")


def name_program() -> str:
    """Return how to call this program: as it was called, if its name alone does not find it."""
    called = sys.argv[0]
    if Path(called).stem != _PROGRAM or shutil.which(_PROGRAM) is not None:
        return _PROGRAM
    return list2cmdline([called]) if sys.platform == "win32" else shlex.quote(called)


def is_plain() -> bool:
    """Return whether stderr is no terminal and gets plain text only."""
    is_terminal = sys.stderr is not None and sys.stderr.isatty()
    return not is_terminal and not any(map(os.environ.get, _FORCED))
