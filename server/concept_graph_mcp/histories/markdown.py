"""Notes in Markdown: a vault of Obsidian, MEMORY.md, AGENTS.md. Each heading's text is a message.

Front matter (`date`, `created` or `updated`) or else the file's own time dates it.
"""

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

from ..file_formats.lines import FormatError, Record
from .conversation import ASSISTANT, USER, Kept, message, moment

NAME = "markdown"
# How the notes that `export` writes begin. They hold what the store has.
OURS = "---\nconcept-graph-mcp:"
SUFFIXES = (".md", ".markdown")
# The folder beside a project's sessions in which Claude Code keeps its memory, and that of Codex.
MEMORY = "memory"
_CLAUDE, _CODEX = ("projects", MEMORY), (".codex", "memories")
# The longest file in bytes: it must fit into memory.
MOST_BYTES = 2**24

_FRONT = re.compile(r"\A---\n(.*?)\n---\n", re.DOTALL)
_DATE = re.compile(
    r"^(?:updated|date|created)(?:_at)?:\s*+[\"']?([\dT:.+Z-][\dT:.+Z -]{0,40}?)[\"']?[ \t]*$", re.M
)
_TAGS = re.compile(r"^tags:[ \t]*(.*(?:\n[ \t]*- .*)*)", re.MULTILINE)
# [[a note|its name here]] and [[a note#a heading]] link to the note; a tag has a letter.
_LINKS = re.compile(r"\[\[([^\[\]|#\n]*\w[^\[\]|#\n]*)|(?<!\S)#(\w*[^\W\d_][\w/-]*)")
_MOST, _LONGEST = 100, 200
# Closing marks and blanks are removed afterwards, because a pattern of them takes too long.
_HEADING = re.compile(r"^(#{1,6})\s+(\S.*)$", re.MULTILINE)


def messages(path: Path, kept: Kept) -> Iterator[Record]:
    """Iterate over the texts of *path*: a heading with what is below it, up to the next."""
    if path.stat().st_size > MOST_BYTES:
        raise FormatError(f"is longer than {MOST_BYTES:,} bytes; divide it")
    try:
        text = path.read_text(encoding="utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise FormatError("is not UTF-8 text") from None
    if text.startswith(OURS):
        kept.tally.left_out("notes that export wrote, which are only read", path.name)
        return
    front = _FRONT.match(text)
    at = _time(front[1]) if front else None
    of_all = _tags(front[1]) if front else []
    body = text[front.end() :] if front else text
    thread = f"Markdown {path.name}"
    # The notes of an agent are not the user's words.
    place = path.parent.parts
    is_agents = place[-3:-2] + place[-1:] == _CLAUDE or place[-2:] == _CODEX
    speaker = ASSISTANT if is_agents else USER
    time = path.stat().st_mtime if at is None else at / 1_000
    for title, said in _sections(body):
        # Without an id of its own a text that is changed is another one.
        digest = hashlib.sha256(f"{path.resolve()}\0{title}\0{said}".encode()).hexdigest()[:32]
        told = kept.prose(said)
        whole = f"{title}: {told}" if title and told else told
        if found := message(f"{NAME} {digest}", thread, speaker, time, whole):
            yield found | {"concepts": [*of_all, *_list_links_and_tags(said)][:_MOST]}


def _list_links_and_tags(text: str) -> list[str]:
    """Return the links and tags of *text*, each once: they are concepts."""
    found = (link or tag for link, tag in _LINKS.findall(text))
    return [*dict.fromkeys(" ".join(one.split())[:_LONGEST] for one in found)]


def _tags(front: str) -> list[str]:
    """Return the tags of the front matter: `tags: [a, b]`, or a line each."""
    found = _TAGS.search(front)
    names = re.split(r"[,\n]", found[1]) if found else []
    return [*filter(None, (one.strip(" \t[]-#\"'")[:_LONGEST] for one in names))]


def _time(front: str) -> int | None:
    times = [moment(found[1].strip()) for found in _DATE.finditer(front)]
    return max((one for one in times if one is not None), default=None)


def _sections(body: str) -> Iterator[tuple[str, str]]:
    """Iterate over the headings of *body*, each below its upper ones, and their texts."""
    parts = _HEADING.split(body)
    parts[-1] = parts[-1] if parts[-1].strip() else ""
    yield "", parts[0]
    titles: list[str] = []
    for marks, title, text in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
        titles = [*titles[: len(marks) - 1], title.rstrip().rstrip("#").rstrip() or title[0]]
        yield " / ".join(titles), _skip_blank_lines(text)


def _skip_blank_lines(text: str) -> str:
    """Return *text* from the end of the blank lines that it begins with."""
    blank = text[: len(text) - len(text.lstrip())]
    return text[max(blank.rfind("\n"), 0) :]
