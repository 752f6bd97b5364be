"""Keep a framework's values in a memory, under paths."""

import inspect
import json
from collections.abc import Generator, Mapping, Sequence
from functools import partial
from typing import Any, Protocol, TypeVar, cast

from anyio import to_thread

from conceptgraph_core.memories import schema
from conceptgraph_core.texts import text
from conceptgraph_core.verbs import limits

Step = Mapping[str, Any]
Row = dict[str, Any]
T = TypeVar("T")
# Yields the steps of one transaction each, is sent their rows, and returns a result.
Plan = Generator[Sequence[Step], list[Row], T]


class Items(Protocol):
    """A memory: a `Memory`, or an `AsyncMemory`, whose method is a coroutine."""

    def items(self, *steps: Step) -> Any:
        """Do *steps* in one transaction, and return their rows. Raises StoreError."""


def run(memory: Items, plan: Plan[T]) -> T:
    """Return the result of *plan* on *memory*. Raises StoreError, and TypeError for coroutines."""
    if inspect.iscoroutinefunction(memory.items):
        raise TypeError("a plain call needs a Memory; with AsyncMemory use the coroutines")
    steps, result = _advance(plan, None)
    while steps is not None:
        steps, result = _advance(plan, memory.items(*steps) if steps else [])
    return result


async def arun(memory: Items, plan: Plan[T]) -> T:
    """Return the result of *plan* on *memory*, of either kind. Raises StoreError."""
    if not inspect.iscoroutinefunction(memory.items):
        return await to_thread.run_sync(partial(run, memory, plan))
    steps, result = _advance(plan, None)
    while steps is not None:
        steps, result = _advance(plan, await memory.items(*steps) if steps else [])
    return result


def _advance(plan: Plan[T], rows: list[Row] | None) -> tuple[Sequence[Step] | None, T]:
    """Send *rows* to *plan*; return its next steps, or None and its result."""
    try:
        # A generator begins without rows.
        return plan.send(cast(list[Row], rows)), cast(T, None)
    except StopIteration as ended:
        return None, ended.value


def path(*names: str) -> str:
    """Return *names* as a path: any text may be a name, the empty one too."""
    return "/".join(map(_quote_name, names))


def names(of: str) -> tuple[str, ...]:
    """Return the names of a path, as `path` was given them."""
    return tuple(map(_unquote_name, of.split("/")))


# "%" first: the others bring one.
_CODES = (("%", "%25"), ("/", "%2F"), ("\0", "%00"))
_EMPTY = "%"


def _quote_name(name: str) -> str:
    for character, code in _CODES:
        name = name.replace(character, code)
    return name or _EMPTY


def _unquote_name(name: str) -> str:
    if name == _EMPTY:
        return ""
    for character, code in reversed(_CODES):
        name = name.replace(code, character)
    return name


def encode_value(value: Any) -> str:
    """Return *value* as JSON that can be stored. Raises TypeError for what is no JSON."""
    made = json.dumps(value, ensure_ascii=False)
    return made if text.storable(made) else json.dumps(value)


def readable(said: str) -> str:
    """Return *said* as the text of a memory: cut, and without what cannot be stored.

    Nothing becomes a text that no question finds.
    """
    cut = said[: limits.MAX_SUMMARY].replace("\0", " ")
    return cut.encode("utf-8", "replace").decode() if cut.strip() else schema.SILENT


def name_extra(error: ImportError, extra: str) -> ImportError:
    """Return *error* as one line that names the *extra* of this package to install."""
    return ImportError(
        f"{error.name or extra} is not installed: install concept-graph-mcp with its extra {extra},"
        f" as in pip install '.[{extra}]'",
        name=error.name,
    )
