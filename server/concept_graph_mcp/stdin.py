"""Repair lines on stdin that the SDK's parser would drop without an answer.

The SDK drops a line that it cannot parse, and the client waits for the answer forever. So every
line is checked first: it is repaired if possible. A request that cannot be read is replaced by one
with the same id, which is answered with the reason.
"""

import io
import json
import re
import sys
from collections.abc import Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, BinaryIO, cast

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp.types import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    PARSE_ERROR,
    JSONRPCRequest,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError

from .errors import one_line

# A surrogate pair, a lone surrogate, or any other escape, so that "\\ud800" is not misread.
_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    rb"|(?P<lone>u[dD][89abcdefABCDEF][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)
# The tokens of JSON: a text, a bracket, or anything between them. Compiled on first use.
_TOKEN = rb'"(?:[^"\\]|\\.)*"|[\[\]{}]|[^\s,:"\[\]{}]+'
# The method of the request that replaces an unreadable one.
UNREADABLE = "concept-graph-mcp/unreadable"


def guard_stdin() -> None:
    """Pass every line of stdin through a `Reader`."""
    buffer = io.BufferedReader(_Guarded(sys.stdin.buffer))
    sys.stdin = cast(Any, SimpleNamespace(buffer=buffer))


class Reader:
    """Makes the lines of one connection readable."""

    def __init__(self) -> None:
        # The fields that every request of a connection without a handshake has, and ours must have.
        self._envelope: dict[str, Any] = {}

    def readable(self, line: bytes) -> bytes:
        """Return the message *line* in a form that the SDK can read, or its replacement.

        Lone surrogates become NUL characters, which the tools refuse in one line. A line that is no
        request, or has no valid id, is returned unchanged.
        """
        line = without_lone_surrogates(line)
        try:
            message = jsonrpc_message_adapter.validate_json(line.decode(), by_name=False)
        except UnicodeDecodeError as error:
            return self._stand_in(line, PARSE_ERROR, f"is not UTF-8: byte {error.start}")
        except ValidationError as error:
            detail = error.errors(include_url=False, include_context=False, include_input=False)[0]
            if detail["type"] == "json_invalid":
                return self._stand_in(line, PARSE_ERROR, f"cannot be read: {detail['msg']}")
            return self._stand_in(line, INVALID_REQUEST, "is not one of JSON-RPC 2.0")
        if isinstance(message, JSONRPCRequest):
            self._envelope = (message.params or {}).get("_meta") or {}
        # The SDK would take it for the end of a line; in valid JSON it is only white space.
        return line.replace(b"\r", b" ")

    def _stand_in(self, line: bytes, code: int, reason: str) -> bytes:
        members = _members(line)
        request_id = _id(members.get(b'"id"', b""))
        if request_id is None or b'"method"' not in members:
            return line
        error = {"code": code, "message": one_line(f"the request {reason}")}
        request = {
            "jsonrpc": "2.0",
            "id": request_id,
            "method": UNREADABLE,
            "params": error | ({"_meta": self._envelope} if self._envelope else {}),
        }
        return json.dumps(request).encode() + b"\n"


def without_lone_surrogates(line: bytes) -> bytes:
    """Return a JSON text with every lone surrogate escape replaced by that of a NUL."""
    if b"\\u" not in line:
        return line
    return _ESCAPE.sub(lambda match: rb"\u0000" if match["lone"] else match[0], line)


# Characters of a name that no method, tool, prompt or resource of ours has as many of.
_MOST_OF_A_NAME = 100


async def shorten_names(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """Cut long names of methods, tools, prompts and resources, which nothing has.

    The SDK repeats the whole name in its error, and logs that of a prompt. Raises MCPError.
    """
    given = dict(ctx.params) if isinstance(ctx.params, Mapping) else ctx.params
    if isinstance(given, dict):
        for key in ("name", "uri"):
            if isinstance(given.get(key), str):
                given[key] = _shortened(given[key])
    ctx = replace(ctx, method=_shortened(ctx.method), params=given)
    if ctx.method != "prompts/get":
        return await call_next(ctx)
    try:
        return await call_next(ctx)
    except ValidationError:
        raise
    except ValueError as error:
        # The client's mistake, which the SDK would log as a failure of the server.
        raise MCPError(INVALID_PARAMS, str(error)) from None


def _shortened(name: str) -> str:
    return name if len(name) <= _MOST_OF_A_NAME else f"{name[:_MOST_OF_A_NAME]}…"


async def refuse_unreadable(
    ctx: ServerRequestContext[Any, Any], call_next: CallNext
) -> HandlerResult:
    """Answer the replacement of an unreadable request with the reason. Raises MCPError."""
    if ctx.method == UNREADABLE:
        told = ctx.params or {}
        raise MCPError(told["code"], told["message"])
    return await call_next(ctx)


def _members(line: bytes) -> dict[bytes, bytes]:
    """Return the members of the object *line*, which may be broken, as far as they can be read.

    The value of an array or object is left out.
    """
    members: dict[bytes, bytes] = {}
    key: bytes | None = None
    depth = 0
    for token in re.findall(_TOKEN, line, re.DOTALL):
        if token in b"]}":
            depth -= 1
        elif depth == 1:
            if key is None:
                key = token
            else:
                members[key], key = token, None
        if token in b"[{":
            depth += 1
    return members


def _id(token: bytes) -> str | int | None:
    try:
        value = json.loads(token)
    except ValueError:  # Also for bytes that are not UTF-8, and for endless integers.
        return None
    return value if isinstance(value, (str, int)) and not isinstance(value, bool) else None


class _Guarded(io.RawIOBase):
    """The lines of a stream, each one read as soon as it arrives."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._reader = Reader()
        self._rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, target: Any) -> int:
        if not self._rest:
            self._rest = self._reader.readable(self._stream.readline())
        chunk = self._rest[: len(target)]
        self._rest = self._rest[len(chunk) :]
        target[: len(chunk)] = chunk
        return len(chunk)
