"""Escape characters in text and JSON that would control a terminal."""

import json
import re
from typing import Any

# Control characters; line and paragraph separators; characters that reverse the direction of text;
# invisible characters that a model reads; and characters that cannot be encoded. Compiled on first
# use. (Joiners stay: scripts and emoji need them.)
_OBEYED = (
    "\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff"
    "\U000e0000-\U000e007f"
)
_IN_TEXT = f"[\0-\x1f{_OBEYED}]"
# JSON itself escapes all ASCII control characters but one.
_IN_JSON = f"[{_OBEYED}]"
# Making an encoder takes longer than encoding a record.
_encode = json.JSONEncoder(ensure_ascii=False).encode


def printable(text: str) -> str:
    r"""Return *text* in one line, with "\n", "\x1b", "\u202e" and the like in place of what is."""
    return re.sub(_IN_TEXT, lambda found: ascii(found[0])[1:-1], text)


def json_text(value: Any, indent: int | None = None) -> str:
    """Return *value* as JSON of the same meaning, without characters that control a terminal."""
    if indent is None:
        text = _encode(value)
    else:
        text = json.dumps(value, ensure_ascii=False, indent=indent)
    if text.isascii() and "\x7f" not in text:
        return text
    return re.sub(_IN_JSON, lambda found: json.dumps(found[0])[1:-1], text)
