"""Show on a terminal's stderr what takes long, and how far it is; elsewhere nothing."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from .notes import is_plain


@contextmanager
def progress(
    what: str, total: int | None, *, of_bytes: bool = False
) -> Iterator[Callable[[int], None]]:
    """Show a bar for *what*, of *total* steps or bytes; yield the function that advances it."""
    if is_plain():
        yield lambda _: None
        return
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    from .terminal import notes

    count = DownloadColumn() if of_bytes else MofNCompleteColumn()
    columns = (TextColumn("{task.description}"), BarColumn(), count)
    bar = Progress(
        *columns,
        TimeRemainingColumn(),
        console=notes,
        transient=True,
        disable=not notes.is_terminal,
    )
    with bar:
        task = bar.add_task(what, total=total)
        yield lambda done: bar.update(task, completed=done)


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Show *what* while it is done, where there are no steps to count."""
    if is_plain():
        yield
        return
    from .terminal import notes

    with notes.status(f"{what} …"):
        yield
