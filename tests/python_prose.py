"""The sentences of Python files that people read: docstrings and comments."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path


def sentences(file: Path) -> Iterator[str]:
    """Iterate over the sentences of *file*'s docstrings and comments."""
    source = file.read_text(encoding="utf-8")
    for text in (*_docstrings(source), *_comments(source)):
        yield from re.split(r"(?<=[.!?:;])\s+(?=[A-Z“*])|\n\n", text)


def _docstrings(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            yield ast.get_docstring(node) or ""


def _comments(source: str) -> Iterator[str]:
    """Iterate over the comments; those on successive lines of one column are one."""
    text, place = "", (0, 0)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            line, column = token.start
            if place != (line - 1, column):
                yield text
                text = ""
            text += token.string.removeprefix("#")
            place = token.start
    yield text
