"""Find sentences that open with a clause where the subject should be."""

import ast
import io
import itertools
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

_CLAUSE = re.compile(r"\W*(Of|What|Whatever|Who|Whoever|Whom|Whose)\b")


def opens_with_a_clause(sentence: str) -> bool:
    return bool(_CLAUSE.match(sentence)) and not sentence.rstrip("”\"'*)").endswith("?")


def split(text: str) -> Iterator[str]:
    yield from filter(None, re.split(r"(?<=[.!?:;])\s+(?=[A-Z“*])", text))


def of_source(source: str) -> Iterator[str]:
    """Iterate over the sentences of Python: docstrings, comments, help and descriptions."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Module() | ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                for paragraph in (ast.get_docstring(node) or "").split("\n\n"):
                    yield from split(" ".join(paragraph.split()))
            case ast.keyword(arg="description" | "help", value=ast.Constant(value=str(said))):
                yield from split(said)
    yield from itertools.chain.from_iterable(map(split, _comments(source)))


def _comments(source: str) -> Iterator[str]:
    """Iterate over comments; lines of their own join the comment above at the same column."""
    said, last = "", (0, 0)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            line, column = token.start
            follows = last == (line - 1, column) and not token.line[:column].strip()
            if said and not follows:
                yield said
                said = ""
            said, last = f"{said} {token.string.lstrip('# ')}".strip(), token.start
    if said:
        yield said


def of_file(file: Path) -> Iterator[str]:
    yield from of_source(file.read_text(encoding="utf-8"))
