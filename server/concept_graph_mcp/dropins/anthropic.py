"""Anthropic's memory tool `memory_20250818` on a memory: its files are memories with a path.

This needs the extra `anthropic`.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .kept import name_extra

try:
    from anthropic.lib.tools import (
        BetaAbstractMemoryTool,
        BetaAsyncAbstractMemoryTool,
        ToolError,
    )
except ImportError as error:
    raise name_extra(error, "anthropic") from None

from ..errors import StoreError
from ..memory import AsyncMemory, Memory
from . import files
from .files import Files
from .kept import Plan


class _Commands:
    """The part that both tools share: the files, and the plan of each command."""

    def __init__(
        self, memory: Memory | AsyncMemory, *, root: str = files.USUAL, **options: Any
    ) -> None:
        super().__init__(**options)
        self._memory = memory
        self._files = Files(root)

    def _plan(self, name: str, command: Any) -> Plan[str]:
        given = (getattr(command, one) for one in files.TAKEN[name])
        plan: Plan[str] = getattr(self._files, name)(*given)
        return plan


def _plain(name: str) -> Any:
    """Return the method that does the command *name*."""

    def do(self: Any, command: Any = None) -> str:
        with _told():
            return files.run(self._memory, lambda: self._plan(name, command))

    return do


def _coroutine(name: str) -> Any:
    """Return the same as a coroutine."""

    async def do(self: Any, command: Any = None) -> str:
        with _told():
            return await files.arun(self._memory, lambda: self._plan(name, command))

    return do


class MemoryTool(_Commands, BetaAbstractMemoryTool):
    """The memory tool for plain clients: `client.beta.messages.tool_runner(tools=[...])`.

    All files belong to the user of the memory. The options are those of the tool itself.
    """

    view, create, str_replace, insert, delete, rename, clear_all_memory = map(_plain, files.TAKEN)


class AsyncMemoryTool(_Commands, BetaAsyncAbstractMemoryTool):
    """The same for asynchronous clients, on a memory of either kind."""

    view, create, str_replace, insert, delete, rename, clear_all_memory = map(
        _coroutine, files.TAKEN
    )


@contextmanager
def _told() -> Iterator[None]:
    """Raise what fails in this block as an error for the model."""
    try:
        yield
    except files.FileError as error:
        raise ToolError(str(error)) from error
    except StoreError as error:
        raise ToolError(f"Error: {error}") from error
