"""The code blocks, tables and links of a Markdown page, as the documentation tests read them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_LINK = re.compile(r"\]\(([^)\s]+)\)")


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, text, first line, the heading over it and its comment."""

    language: str
    text: str
    line: int
    heading: str
    marker: str | None


def blocks(page: Path) -> list[Block]:
    """Return the fenced code blocks of *page* in their order."""
    found: list[Block] = []
    heading, marker, fence = "", None, None
    lines: list[str] = []
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if fence is not None:
            if line == "```":
                language, start = fence
                found.append(Block(language, "\n".join(lines), start, heading, marker))
                fence, marker, lines = None, None, []
            else:
                lines.append(line)
        elif line.startswith("```"):
            fence = line.removeprefix("```").strip(), number
        elif line.startswith("#"):
            heading, marker = line.lstrip("# "), None
        elif comment := re.fullmatch(r"<!-- (.*) -->", line):
            marker = comment[1]
        elif line:
            marker = None
    assert fence is None, f"{page.name}: a block is not closed"
    return found


def prose(page: Path) -> str:
    """Return *page* without its code blocks."""
    return re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)


def links(page: Path) -> list[str]:
    return _LINK.findall(prose(page))


def anchors(page: Path) -> set[str]:
    """Return the names under which the headings of *page* can be linked to."""
    headings = re.findall(r"^#+ (.*)$", prose(page), re.M)
    return {re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-") for text in headings}


def table(page: Path, *header: str) -> list[list[str]]:
    """Return the rows of the table of *page* that has this header, all back-ticks removed."""
    lines = page.read_text(encoding="utf-8").replace("`", "").splitlines()
    start = lines.index("| " + " | ".join(header) + " |")
    return [list(_cells(line)) for line in _until_blank(lines[start + 2 :])]


def _until_blank(lines: list[str]) -> Iterator[str]:
    for line in lines:
        if not line.startswith("|"):
            return
        yield line


def _cells(line: str) -> Iterator[str]:
    for cell in line.strip("|").split(" | "):
        yield cell.strip()
