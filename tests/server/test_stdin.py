"""Every line of stdin is one that the SDK answers; what it can read passes through unchanged."""

import io
import json
import sys
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from concept_graph_mcp import stdin
from concept_graph_mcp.stdin import Reader, without_lone_surrogates


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


def request(arguments: bytes, request_id: bytes = b"7") -> bytes:
    params = b'{"name":"concept_upsert","arguments":' + arguments + b"}"
    return b'{"jsonrpc":"2.0","params":' + params + b',"id":' + request_id + b',"method":"x/y"}\n'


def readable(line: bytes) -> bytes:
    return Reader().readable(line)


DEEP = b"[" * 5_000 + b"]" * 5_000


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (request(DEEP), "recursion limit exceeded"),
        (request(b'{"a":' * 5_000 + b"1" + b"}" * 5_000), "recursion limit exceeded"),
        (request(b"1" * 5_000), "number out of range"),
        (request(b'"\xff"'), "not UTF-8"),
        (request(b"nope"), "cannot be read"),
        (b'{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a"', "cannot be read"),
        (b'{"id":7,"method":"ping"}', "JSON-RPC"),
        (b'{"jsonrpc":"2.0","id":7,"method":5}', "JSON-RPC"),
        (b'{"jsonrpc":"2.0","id":7,"method":"ping","params":[1]}', "JSON-RPC"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_request_that_cannot_be_read_is_replaced_by_one_that_says_why(line, reason):
    stand_in = by_json(readable(line))
    assert readable(line).count(b"\n") == 1
    assert (stand_in["id"], stand_in["method"]) == (7, stdin.UNREADABLE)
    assert reason in stand_in["params"]["message"]
    assert "\n" not in stand_in["params"]["message"]
    assert stand_in["params"]["code"] in (-32700, -32600)


@pytest.mark.parametrize("request_id", [b"0", b"-3", b'"x"', rb'"a\"]}{\u00e4"', b'"id"'])
def test_the_stand_in_has_the_id_of_the_request(request_id):
    assert by_json(readable(request(DEEP, request_id)))["id"] == by_json(request_id)


@pytest.mark.parametrize("request_id", [b"1.5", b"null", b"true", b"[7]", b"1" * 5_000, b'"\xff"'])
def test_without_an_id_that_can_be_answered_a_line_is_left_alone(request_id):
    line = request(DEEP, request_id)
    assert readable(line) == line


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\n",
        b"not json\n",
        b"\xff\xfe\n",
        b"[]\n",
        b'{"jsonrpc":"2.0","method":"notifications/x","params":' + DEEP + b"}\n",
        b'{"jsonrpc":"2.0","id":7,"result":' + DEEP + b"}\n",
        b'{"jsonrpc":"2.0","params":{"id":7,"method":"x"},"result":' + DEEP + b"}\n",
    ],
    ids=range(8),
)
def test_what_is_no_request_is_left_alone(line):
    assert readable(line) == line


def test_a_carriage_return_between_values_is_no_end_of_a_line():
    line = b'{"jsonrpc":"2.0",\r"id":7,"method":"ping"}\r\n'
    assert readable(line) == line.replace(b"\r", b" ")


@given(st.binary(max_size=60) | st.text('[]{}:,"\\\\idmethod 0', max_size=60).map(str.encode))
def test_no_line_is_too_strange_to_be_looked_at(line):
    assert isinstance(readable(line), bytes)


def test_the_stand_in_says_of_itself_what_the_request_before_it_did():
    reader, envelope = Reader(), {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
    before = {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"_meta": envelope}}
    reader.readable(json.dumps(before).encode())
    assert by_json(reader.readable(request(DEEP)))["params"]["_meta"] == envelope
    assert "_meta" not in by_json(readable(request(DEEP)))["params"]
