"""The answers of a server over stdio."""

import json
from typing import Any

INITIALIZE = (
    b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",'
    b'"capabilities":{},"clientInfo":{"name":"test","version":"1"}}}\n'
)


def ok(result: dict[str, Any]) -> dict[str, Any]:
    """Return what a call returned, the same as data and as text."""
    assert result["isError"] is False, result
    (content,) = result["content"]
    assert content["type"] == "text"
    assert json.loads(content["text"]) == result["structuredContent"]
    structured: dict[str, Any] = result["structuredContent"]
    return structured


def refusal(result: dict[str, Any]) -> str:
    assert result["isError"] is True, result
    (content,) = result["content"]
    text: str = content["text"]
    assert "\n" not in text
    return text
