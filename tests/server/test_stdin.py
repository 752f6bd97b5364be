"""Lone surrogates in JSON become NULs; everything else passes through unchanged."""

import io
import json
import sys
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from concept_graph_mcp import stdin
from concept_graph_mcp.stdin import without_lone_surrogates


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (rb'"\ud800"', rb'"\u0000"'),
        (rb'"\uDBFF"', rb'"\u0000"'),
        (rb'"a\udc00b"', rb'"a\u0000b"'),
        (rb'"\udf4e\ud83c"', rb'"\u0000\u0000"'),
        (rb'"\ud83c\ud83c\udf4e"', rb'"\u0000\ud83c\udf4e"'),
        (rb'"\ud83c\udf4e\udf4e"', rb'"\ud83c\udf4e\u0000"'),
        (rb'"\ud83cx\udf4e"', rb'"\u0000x\u0000"'),
        (rb'"\ud83c\n\udf4e"', rb'"\u0000\n\u0000"'),
        (rb'"\\\ud800"', rb'"\\\u0000"'),
    ],
)
def test_a_lone_surrogate_becomes_a_nul(line, expected):
    assert without_lone_surrogates(line) == expected
    json.loads(expected)


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\n",
        b"{}",
        rb'"\ud83c\udf4e"',
        rb'"\uD83C\uDF4E"',
        rb'"\\ud800"',
        rb'"\\\\ud800"',
        rb'"\u00e4\u3042\u0000\n\""',
        "リンゴ 🍎".encode(),
        b"\xff\xfe\\u",
        b"\\",
        b'"\\ud8',
    ],
)
def test_everything_else_passes_unchanged(line):
    assert without_lone_surrogates(line) == line


def by_json(line: bytes) -> Any:
    return json.loads(line)


@given(st.text(st.characters(), max_size=40))
def test_what_json_writes_reads_as_the_same_text_but_for_lone_surrogates(text):
    line = json.dumps(text).encode()
    # JSON joins what happens to be a pair.
    read = by_json(line)
    expected = "".join("\0" if "\ud800" <= c <= "\udfff" else c for c in read)
    assert by_json(without_lone_surrogates(line)) == expected


def test_stdin_is_read_line_by_line_as_soon_as_a_line_is_there(monkeypatch):
    lines = [b"first\n", rb'"\ud800"' + b"\n", b"x" * 200_000 + b"\n", b"no end"]
    read: list[bytes] = []

    class Stream(io.BytesIO):
        def readline(self, *_: Any) -> bytes:
            line = super().readline()
            read.append(line)
            return line

    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=Stream(b"".join(lines))))
    stdin.guard_stdin()
    guarded = io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8")
    assert guarded.readline() == "first\n"
    # Nothing was waited for beyond the line.
    assert len(read) == 1
    assert guarded.readline() == '"\\u0000"\n'
    assert guarded.readline() == "x" * 200_000 + "\n"
    assert guarded.readline() == "no end"
    assert guarded.readline() == ""
