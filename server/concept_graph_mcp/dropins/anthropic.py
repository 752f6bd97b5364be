"""Anthropic's memory tool `memory_20250818` on a memory: its files are memories with a path.

This needs the extra `anthropic`.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from .kept import name_extra

try:
    from anthropic.lib.tools import (
        BetaAbstractMemoryTool,
        BetaAsyncAbstractMemoryTool,
        ToolError,
    )
    from anthropic.types.beta import (
        BetaMemoryTool20250818CreateCommand,
        BetaMemoryTool20250818DeleteCommand,
        BetaMemoryTool20250818InsertCommand,
        BetaMemoryTool20250818RenameCommand,
        BetaMemoryTool20250818StrReplaceCommand,
        BetaMemoryTool20250818ViewCommand,
    )
except ImportError as error:
    raise name_extra(error, "anthropic") from None

from ..errors import StoreError
from ..memory import AsyncMemory, Memory
from . import files
from .files import Files
from .kept import Plan


class MemoryTool(BetaAbstractMemoryTool):
    """The memory tool for plain clients: `client.beta.messages.tool_runner(tools=[...])`.

    All files belong to the user of *memory*. *options* are those of the tool itself.
    """

    def __init__(self, memory: Memory, *, root: str = files.USUAL, **options: Any) -> None:
        super().__init__(**options)
        self._memory = memory
        self._files = Files(root)

    def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        return self._run(lambda: self._files.view(command.path, command.view_range))

    def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        return self._run(lambda: self._files.create(command.path, command.file_text))

    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        new = command.new_str
        return self._run(lambda: self._files.str_replace(command.path, command.old_str, new))

    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        line, text = command.insert_line, command.insert_text
        return self._run(lambda: self._files.insert(command.path, line, text))

    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        return self._run(lambda: self._files.delete(command.path))

    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        return self._run(lambda: self._files.rename(command.old_path, command.new_path))

    def clear_all_memory(self) -> str:
        return self._run(self._files.clear)

    def _run(self, plan: Callable[[], Plan[str]]) -> str:
        with _told():
            return files.run(self._memory, plan)


class AsyncMemoryTool(BetaAsyncAbstractMemoryTool):
    """The same for asynchronous clients, on a memory of either kind."""

    def __init__(
        self, memory: Memory | AsyncMemory, *, root: str = files.USUAL, **options: Any
    ) -> None:
        super().__init__(**options)
        self._memory = memory
        self._files = Files(root)

    async def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        return await self._run(lambda: self._files.view(command.path, command.view_range))

    async def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        return await self._run(lambda: self._files.create(command.path, command.file_text))

    async def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        new = command.new_str
        return await self._run(lambda: self._files.str_replace(command.path, command.old_str, new))

    async def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        line, text = command.insert_line, command.insert_text
        return await self._run(lambda: self._files.insert(command.path, line, text))

    async def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        return await self._run(lambda: self._files.delete(command.path))

    async def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        return await self._run(lambda: self._files.rename(command.old_path, command.new_path))

    async def clear_all_memory(self) -> str:
        return await self._run(self._files.clear)

    async def _run(self, plan: Callable[[], Plan[str]]) -> str:
        with _told():
            return await files.arun(self._memory, plan)


@contextmanager
def _told() -> Iterator[None]:
    """Raise what fails in this block as an error for the model."""
    try:
        yield
    except files.FileError as error:
        raise ToolError(str(error)) from error
    except StoreError as error:
        raise ToolError(f"Error: {error}") from error
