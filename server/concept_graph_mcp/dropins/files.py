"""Files of a model's own below /memories: memories with a path, and the commands on them.

The texts are those of the reference of Anthropic's memory tool `memory_20250818`
(platform.claude.com/docs, "Memory tool"); what it leaves open is as in
`BetaLocalFilesystemMemoryTool`.
"""

import posixpath
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final
from urllib.parse import unquote

from conceptgraph_core.verbs import limits
from conceptgraph_core.verbs.errors import NotAllowed

from ..errors import Refused, StoreError
from . import kept
from .kept import Items, Plan, Row, Step

ROOT: Final = "/memories"
# Where the files are kept, unless a program names another place.
USUAL: Final = "claude"
_MOST_LINES: Final = 999_999
_LINE: Final = 6
_DEPTH: Final = 2
# How often an edit is tried if somebody else edits the file meanwhile.
_TRIES: Final = 5
_HIDDEN: Final = "node_modules"
# The arguments of each command, in their order.
TAKEN: Final[Mapping[str, tuple[str, ...]]] = {
    "view": ("path", "view_range"),
    "create": ("path", "file_text"),
    "str_replace": ("path", "old_str", "new_str"),
    "insert": ("path", "insert_line", "insert_text"),
    "delete": ("path",),
    "rename": ("old_path", "new_path"),
    "clear": (),
}


class FileError(StoreError):
    """A command cannot be done; the message is for the model."""


def run(memory: Items, plan: Callable[[], Plan[str]]) -> str:
    """Return the answer of the command *plan* on *memory*. Raises StoreError."""
    for tried in range(_TRIES):
        try:
            return kept.run(memory, plan())
        except StoreError as error:
            _raise_unless_changed(error, is_last=tried == _TRIES - 1)
    raise AssertionError


async def arun(memory: Items, plan: Callable[[], Plan[str]]) -> str:
    """Return the answer of the command *plan* on *memory*, of either kind. Raises StoreError."""
    for tried in range(_TRIES):
        try:
            return await kept.arun(memory, plan())
        except StoreError as error:
            _raise_unless_changed(error, is_last=tried == _TRIES - 1)
    raise AssertionError


def _raise_unless_changed(error: StoreError, is_last: bool) -> None:
    """Raise *error*, unless the file has changed meanwhile and it is to try again."""
    has_changed = isinstance(error, Refused) and issubclass(error.kind, NotAllowed)
    if is_last or not has_changed:
        raise error


class Files:
    """The commands as plans. A directory is what files have in their paths; it is never empty."""

    def __init__(self, root: str = USUAL) -> None:
        self._root = root

    def view(self, path: str, lines: Sequence[int] | None) -> Plan[str]:
        at = self._find_location(path)
        found = yield [{"do": "get", "path": at}, {"do": "find", "under": at}]
        if found and found[0]["step"] == 0:
            return _show_file(path, found[0]["value"], lines)
        if not found and at != self._root:
            raise FileError(f"The path {path} does not exist. Please provide a valid path.")
        return _list_directory(
            path, [(row["path"][len(at) + 1 :], len(row["value"].encode())) for row in found]
        )

    def create(self, path: str, text: str) -> Plan[str]:
        at = self._find_location(path)
        if (yield from self._is_taken(at)):
            raise FileError(f"Error: File {path} already exists")
        yield [_put(at, text, 0)]
        return f"File created successfully at: {path}"

    def str_replace(self, path: str, old: str, new: str | None) -> Plan[str]:
        at = self._find_location(path)
        row = yield from self._file(at)
        if row is None:
            raise FileError(f"Error: The path {path} does not exist. Please provide a valid path.")
        text = row["value"]
        places = list(_places(text, old)) if old else []
        if not places:
            raise FileError(
                f"No replacement was performed, old_str `{old}` did not appear verbatim in {path}."
            )
        if len(places) > 1:
            numbers = ", ".join(str(text.count("\n", 0, place) + 1) for place in places)
            raise FileError(
                f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines:"
                f" {numbers}. Please ensure it is unique"
            )
        changed = text.replace(old, new or "", 1)
        yield [_put(at, changed, row["changed_at"])]
        first = text.count("\n", 0, places[0])
        return "\n".join(
            [
                "The memory file has been edited. Here is the snippet showing the change (with line"
                " numbers):",
                *_number_lines(changed.split("\n"), max(0, first - 2), first + 3),
            ]
        )

    def insert(self, path: str, line: int, text: str) -> Plan[str]:
        at = self._find_location(path)
        row = yield from self._file(at)
        if row is None:
            raise FileError(f"Error: The path {path} does not exist")
        lines = row["value"].split("\n")
        if lines[-1] == "":
            lines.pop()
        if not 0 <= line <= len(lines):
            raise FileError(
                f"Error: Invalid `insert_line` parameter: {line}."
                f" It should be within the range of lines of the file: [0, {len(lines)}]"
            )
        lines.insert(line, text.rstrip("\n"))
        yield [_put(at, "\n".join(lines) + "\n", row["changed_at"])]
        return f"The file {path} has been edited."

    def delete(self, path: str) -> Plan[str]:
        at = self._find_location(path)
        if at == self._root:
            raise FileError(f"Error: Cannot delete the {ROOT} directory itself")
        found = yield [{"do": "get", "path": at}, {"do": "find", "under": at}]
        if not found:
            raise FileError(f"Error: The path {path} does not exist")
        yield [{"do": "forget", "path": row["path"]} for row in found]
        return f"Successfully deleted {path}"

    def rename(self, old: str, new: str) -> Plan[str]:
        source, target = self._find_location(old), self._find_location(new)
        if source == self._root:
            raise FileError(f"Error: Cannot rename the {ROOT} directory itself")
        if (yield from self._is_taken(target)):
            raise FileError(f"Error: The destination {new} already exists")
        found = yield [{"do": "get", "path": source}, {"do": "find", "under": source}]
        if not found:
            raise FileError(f"Error: The path {old} does not exist")
        if target.startswith(f"{source}/"):
            raise FileError(f"Error: Cannot rename {old} to a path below itself")
        steps: list[Step] = []
        for row in found:
            steps.append(_put(target + row["path"][len(source) :], row["value"], 0))
            steps.append({"do": "remove", "path": row["path"]})
        yield steps
        return f"Successfully renamed {old} to {new}"

    def clear(self) -> Plan[str]:
        found = yield [{"do": "find", "under": self._root}]
        yield [{"do": "forget", "path": row["path"]} for row in found]
        return "All memory cleared"

    def _find_location(self, path: str) -> str:
        """Return where the file or directory *path* is kept. Raises FileError."""
        if path != ROOT and not path.startswith(f"{ROOT}/"):
            raise FileError(f"Error: Path must start with {ROOT}, got: {path}")
        # A traversal may be encoded, once or more often.
        decoded = path
        while (once := unquote(decoded)) != decoded:
            decoded = once
        if ".." in decoded.replace("\\", "/").split("/"):
            raise FileError(f"Error: Path {path} would escape {ROOT} directory")
        if not decoded.isprintable():
            raise FileError("Error: A path must not contain a line break or a control character")
        names = posixpath.normpath(path).split("/")[2:]
        return kept.path(self._root, *names)

    def _file(self, at: str) -> Plan[Row | None]:
        found = yield [{"do": "get", "path": at}]
        return found[0] if found else None

    def _is_taken(self, at: str) -> Plan[bool]:
        """Return whether a file or directory is at *at*, or a file at a part of it."""
        parts = at.split("/")
        above = ["/".join(parts[:depth]) for depth in range(2, len(parts) + 1)]
        found = yield [
            *({"do": "get", "path": one} for one in above),
            {"do": "find", "under": at, "limit": 1},
        ]
        return at == self._root or bool(found)


def _put(at: str, text: str, was: int) -> Step:
    # A text that is too long for a memory is a value, found by its beginning.
    whole = {} if len(text) <= limits.MAX_CONTENT else {"value": text}
    said = text[: limits.MAX_SUMMARY] if whole else text
    return {"do": "put", "path": at, "text": said, "source": "claude", "was": was, **whole}


def _places(text: str, part: str) -> Iterator[int]:
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + 1)


def _show_file(path: str, text: str, wanted: Sequence[int] | None) -> str:
    lines = text.split("\n")
    if len(lines) > _MOST_LINES:
        raise FileError(f"File {path} exceeds maximum line limit of {_MOST_LINES:,} lines.")
    first, end = 0, len(lines)
    if wanted and len(wanted) == 2:
        first = max(1, wanted[0]) - 1
        end = len(lines) if wanted[1] == -1 else wanted[1]
    header = f"Here's the content of {path} with line numbers:"
    return "\n".join([header, *_number_lines(lines, first, end)])


def _number_lines(lines: Sequence[str], first: int, end: int) -> Iterator[str]:
    for number, line in enumerate(lines[first : max(first, end)], first + 1):
        yield f"{number:>{_LINE}}\t{line}"


def _list_directory(path: str, files: Sequence[tuple[str, int]]) -> str:
    """Return the listing of the directory *path*, from the paths below it and their sizes."""
    sizes: dict[tuple[str, ...], int] = {}
    for below, size in files:
        names = kept.names(below)
        if any(name.startswith(".") or name == _HIDDEN for name in names):
            continue
        for depth in range(1, min(len(names), _DEPTH) + 1):
            directory = (*names[:depth], "") if depth < len(names) else names
            sizes[directory] = sizes.get(directory, 0) + size
    whole = sum(size for _, size in files)
    header = f"Here're the files and directories up to 2 levels deep in {path}, excluding hidden"
    return "\n".join(
        [
            f"{header} items and node_modules:",
            f"{_readable(whole)}\t{path}",
            *(
                f"{_readable(size)}\t{path.rstrip('/')}/{'/'.join(names)}"
                for names, size in sorted(sizes.items())
            ),
        ]
    )


def _readable(size: float) -> str:
    """Return a number of bytes as people read it: "0B", "17B", "5.5K"."""
    units = iter("BKMG")
    unit = next(units)
    for larger in units:
        if size < 1024:
            break
        size, unit = size / 1024, larger
    return f"{int(size)}{unit}" if size == int(size) else f"{size:.1f}{unit}"
