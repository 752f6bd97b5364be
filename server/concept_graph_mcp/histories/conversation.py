"""Share the record of a message among the formats, and the text that is worth keeping of it."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, tzinfo
from functools import lru_cache
from pathlib import Path
from typing import Any

from conceptgraph_core.memories.projects import TAG
from conceptgraph_core.texts.dates import unix_ms

from ..file_formats.lines import Record, Tally

USER, ASSISTANT = "user", "assistant"

_FENCED = re.compile(r"^([ \t]*)(```|~~~)[^\n]*\n.*?(?:^\1\2[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
# From its head to the last line that a unified diff can have.
_DIFF = re.compile(
    r"^(?:diff --git .*|--- \S.*\n\+\+\+ \S.*)(?:\n(?:[-+ @\\]|index |new file|deleted file).*)*",
    re.MULTILINE,
)
_BLANK_LINES = re.compile(r"\n{3,}")
_LONGEST_PROJECT = 100
_LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class Kept:
    """The choice of what to keep: with *everything* also code, diffs and the output of tools.

    `tally` counts what is left out. The user is called *me* among several people. Times without an
    offset are of *zone*, and what has no time has that of its file, *file_ms*.
    """

    tally: Tally
    everything: bool = False
    me: frozenset[str] = frozenset()
    zone: tzinfo = UTC
    file_ms: int = 0

    def name_speaker(self, name: str) -> str:
        """Return who says what *name* says: the user, or another of that name."""
        shown = " ".join(name.split())[:_LONGEST_NAME]
        return USER if fold_name(shown) in self.me else shown

    def prose(self, text: str) -> str:
        """Return *text* without blocks of code and diffs."""
        if self.everything:
            return text.strip()
        for what, pattern in (("blocks of code", _FENCED), ("diffs", _DIFF)):
            text, found = pattern.subn("\n", text)
            for _ in range(found):
                self.tally.left_out(what)
        return _BLANK_LINES.sub("\n\n", text).strip()

    def of_blocks(self, content: Any, texts: Iterable[str] = ("text",)) -> str:
        """Return the text of a message's *content*: a text, or a list of blocks of some types."""
        if isinstance(content, str):
            return self.prose(content)
        blocks = [one for one in content if isinstance(one, Mapping)] if content else []
        return self.prose("\n\n".join(filter(None, self._texts(blocks, {*texts}))))

    def _texts(self, blocks: Iterable[Mapping[str, Any]], texts: set[str]) -> Iterator[str]:
        for block in blocks:
            kind = str(block.get("type"))
            if kind in texts:
                yield str(block.get("text") or "")
            elif self.everything and (said := _output(block)):
                yield said
            else:
                self.tally.left_out(_KINDS.get(kind, f"blocks of type {kind[:40]}"))


# The names of blocks that are left out.
_KINDS = {
    **dict.fromkeys(("tool_use", "function_call", "server_tool_use"), "calls of tools"),
    **dict.fromkeys(("tool_result", "function_call_output"), "outputs of tools"),
    **dict.fromkeys(("thinking", "redacted_thinking", "reasoning"), "thoughts of the model"),
    **dict.fromkeys(("image", "document", "input_image", "file"), "attachments"),
}


def _output(block: Mapping[str, Any]) -> str:
    content = block.get("content", block.get("output"))
    if isinstance(content, list):
        parts = [one.get("text") for one in content if isinstance(one, Mapping)]
        return "\n".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


def message(
    key: str,
    thread: str,
    speaker: str,
    at: str | float | None,
    text: str,
    *,
    folder: object = None,
) -> Record | None:
    """Return the record of a message; None if it has no text or no time.

    *key* identifies it among all messages of its format. *at* is ISO 8601 or unix seconds. *folder*
    is where the agent worked, if it worked in one: its name is the project.
    """
    time = moment(at)
    if not text or time is None:
        return None
    tags = [project] if (project := project_tag(folder)) else []
    said = {"key": key, "thread": thread, "speaker": speaker, "time_ms": time, "text": text}
    return {**said, "tags": tags}


def fold_name(name: str) -> str:
    """Return *name* in the form in which two spellings of it are the same."""
    return " ".join(name.split()).casefold()


def project_tag(folder: object) -> str | None:
    """Return the tag of what was said in *folder*, a path of any platform; None without a project.

    The project is the git repository, else the folder. The home folder is none.
    """
    if not isinstance(folder, str) or folder.rstrip("/\\") == str(Path.home()):
        return None
    folder = _find_repository(folder) or folder
    name = re.split(r"[/\\]", folder.rstrip("/\\"))[-1].encode(errors="replace").decode()
    return f"{TAG}{name[:_LONGEST_PROJECT]}" if name.strip() and name.isprintable() else None


def name_project(folder: object) -> str | None:
    """Return the name of the project of *folder*, as `project_tag` has it."""
    tag = project_tag(folder)
    return None if tag is None else tag.removeprefix(TAG)


def name_repository(folder: str) -> str | None:
    """Return the name of the project of *folder* if that is in a git repository."""
    return None if _find_repository(folder) is None else name_project(folder)


@lru_cache(maxsize=64)
def _find_repository(folder: str) -> str | None:
    """Return the top level of the git repository that *folder* is in, if it is on this machine."""
    place, home = Path(folder), Path.home()
    try:
        for one in (place, *place.parents):
            if one in {home, one.parent}:
                return None
            if (one / ".git").exists():
                return str(one)
    except (OSError, ValueError):
        # The path may be of another platform, or too long.
        pass
    return None


def moment(at: str | float | None) -> int | None:
    """Return *at*, ISO 8601 or unix seconds, as unix milliseconds; None if it is neither."""
    if isinstance(at, bool) or at is None:
        return None
    if isinstance(at, int | float):
        return int(at * 1_000)
    try:
        return unix_ms(at)
    except ValueError:
        return None
