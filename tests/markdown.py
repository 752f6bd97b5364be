"""The code blocks, tables and links of a Markdown page, as the documentation tests read them."""

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token
from tests.prose import split

ROOT = Path(__file__).resolve().parents[1]
_PARSER = MarkdownIt("commonmark").enable("table")
_TARGETS = {"link_open": "href", "image": "src"}


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
    heading, marker = "", None
    lines = page.read_text(encoding="utf-8").splitlines()
    tokens = _tokens(page)
    for before, token in zip([None, *tokens], tokens, strict=False):
        if token.type == "fence":
            first, end = token.map
            assert lines[end - 1].strip() == token.markup, f"{page.name}: a block is not closed"
            text = token.content.removesuffix("\n")
            found.append(Block(token.info.strip(), text, first + 1, heading, marker))
        elif before is not None and before.type == "heading_open":
            heading = token.content
        comment = re.fullmatch(r"<!-- (.*) -->\s*", token.content)
        marker = comment[1] if token.type == "html_block" and comment else None
    return found


def prose(page: Path) -> str:
    """Return *page* without its code blocks."""
    lines = page.read_text(encoding="utf-8").splitlines()
    for token in _tokens(page):
        if token.type == "fence":
            first, end = token.map
            lines[first:end] = [""] * (end - first)
    return "\n".join(lines)


def sentences(page: Path) -> Iterator[str]:
    """Iterate over the sentences of *page*, those of lists and tables too; any code is "Code"."""
    for token in _tokens(page):
        text = ""
        for child in token.children or ():
            if child.type in {"softbreak", "hardbreak"}:
                text += " "
            else:
                text += "Code" if child.type == "code_inline" else child.content
        yield from split(text)


def links(page: Path) -> list[str]:
    return [
        str(child.attrs[_TARGETS[child.type]])
        for token in _tokens(page)
        for child in token.children or ()
        if child.type in _TARGETS
    ]


def anchors(page: Path) -> set[str]:
    """Return the names under which the headings of *page* can be linked to."""
    tokens = _tokens(page)
    headings = (
        "".join(child.content for child in after.children or ())
        for token, after in itertools.pairwise(tokens)
        if token.type == "heading_open"
    )
    return {re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-") for text in headings}


def table(page: Path, *header: str) -> list[list[str]]:
    """Return the rows of the table of *page* that has this header, all back-ticks removed."""
    (rows,) = (rest for first, *rest in _tables(_tokens(page)) if first == list(header))
    return rows


def _tables(tokens: list[Token]) -> Iterator[list[list[str]]]:
    rows: list[list[str]] = []
    for before, token in itertools.pairwise(tokens):
        if token.type == "tr_open":
            rows.append([])
        elif before.type in {"th_open", "td_open"}:
            rows[-1].append(token.content.replace("`", ""))
        elif token.type == "table_close":
            yield rows
            rows = []


def _tokens(page: Path) -> list[Token]:
    return _PARSER.parse(page.read_text(encoding="utf-8"))
