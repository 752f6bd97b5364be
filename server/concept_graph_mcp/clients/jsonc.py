"""Edit JSON with comments as text, so that all that is not changed stays as it was written.

No library on the package index does so without Node.js. Comments and trailing commas are blanked,
which leaves JSON with the same offsets; Python's decoder then tells where each value ends.
"""

import json
import re
from collections.abc import Iterator, Sequence
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any, NamedTuple

# A string, which may hold what looks like a comment; else a comment, or a comma before an end.
_TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|//[^\r\n]*|/\*.*?\*/', re.DOTALL)
_TRAILING = re.compile(r'"(?:\\.|[^"\\])*"|,(?=\s*[}\]])', re.DOTALL)
_BLANK = re.compile(r"\s*")
_SEEN = re.compile(r"[^\s]")
# A comment behind a value, on its line.
_REST_OF_LINE = re.compile(r"(?:[ \t]*(?://[^\r\n]*|/\*[^\n]*?\*/))?")
_decoder = json.JSONDecoder()

Path = Sequence[str | int]


class JsoncError(ValueError):
    """The text is no JSON with comments, or has something else at a path."""


class _Member(NamedTuple):
    """A member of an object, or an item of a list: its name, and where it and its value are."""

    name: str | int
    start: int
    value: int
    end: int


def loads(text: str) -> Any:
    """Return the value of *text*; an empty one is {}. Raises JsoncError."""
    try:
        return json.loads(_plain(text) if text.strip() else "{}")
    except (ValueError, RecursionError) as error:
        raise JsoncError(f"is no JSON: {error}") from None


def put(text: str, path: Path, value: Any) -> str:
    """Return *text* with *value* at *path*, whose missing objects are made. Raises JsoncError.

    A number that is the length of a list appends to it.
    """
    text = text if text.strip() else "{}\n"
    loads(text)
    plain = _plain(text)
    start, done = _SEEN.search(plain).start(), 0  # type: ignore[union-attr]
    for name in path:
        found = next((one for one in _members(plain, start) if one.name == name), None)
        if found is None:
            break
        start, done = found.value, done + 1
        end = found.end
    if done == len(path):
        return text[:start] + _write_value(value, _depth(plain, start), text) + text[end:]
    for name in reversed(path[done + 1 :]):
        value = {name: value} if isinstance(name, str) else [value]
    return _add_member(text, plain, start, path[done], value)


def remove(text: str, path: Path) -> str:
    """Return *text* without the value at *path*, and without objects and lists that this empties.

    Raises JsoncError.
    """
    loads(text)
    plain = _plain(text)
    start, chain = _SEEN.search(plain).start(), list[tuple[list[_Member], int]]()  # type: ignore[union-attr]
    for name in path:
        members = list(_members(plain, start))
        at = next((at for at, one in enumerate(members) if one.name == name), None)
        if at is None:
            return text
        chain.append((members, at))
        start = members[at].value
    while len(chain) > 1 and len(chain[-1][0]) == 1:
        chain.pop()
    return _remove_member(text, plain, *chain[-1])


def _plain(text: str) -> str:
    """Return *text* as JSON of the same length: comments and trailing commas are blanks."""

    def blanked(found: re.Match[str]) -> str:
        token = found[0]
        return token if token.startswith('"') else re.sub(r"[^\r\n]", " ", token)

    return _TRAILING.sub(blanked, _TOKEN.sub(blanked, text))


def _members(plain: str, start: int) -> Iterator[_Member]:
    """Iterate over what the object or list that begins at *start* holds."""
    if plain[start] not in "{[":
        raise JsoncError("has a value of another kind where an object belongs")
    is_object, at, count = plain[start] == "{", _skip_blanks(plain, start + 1), 0
    while plain[at] not in "}]":
        begun, name = at, count
        if is_object:
            name, at = scanstring(plain, at + 1)
            at = _skip_blanks(plain, _skip_blanks(plain, at) + 1)
        _, end = _decoder.raw_decode(plain, at)
        yield _Member(name, begun, at, end)
        count += 1
        at = _skip_blanks(plain, end)
        if plain[at] == ",":
            at = _skip_blanks(plain, at + 1)


def _skip_blanks(plain: str, at: int) -> int:
    return _BLANK.match(plain, at).end()  # type: ignore[union-attr]


def _add_member(text: str, plain: str, start: int, name: str | int, value: Any) -> str:
    """Return *text* with a last member in the object or list at *start*."""
    depth = _depth(plain, start) + 1
    members = list(_members(plain, start))
    if isinstance(name, int) and (plain[start] != "[" or name != len(members)):
        raise JsoncError("has a value of another kind where a list belongs")
    if isinstance(name, str) and plain[start] != "{":
        raise JsoncError("has a value of another kind where an object belongs")
    label = f"{json.dumps(name)}: " if isinstance(name, str) else ""
    line = _newline(text) + _indent(text) * depth + label + _write_value(value, depth, text)
    if not members:
        end = _skip_blanks(plain, start + 1)
        inside = text[start + 1 : end].rstrip()
        close = _newline(text) + _indent(text) * (depth - 1)
        return text[: start + 1] + inside + line + close + text[end:]
    last = members[-1].end
    comma = _after_comments(text, last)
    if text[comma] == ",":
        # A trailing comma: the new last one has it too.
        told = _REST_OF_LINE.match(text, comma + 1).end()  # type: ignore[union-attr]
        return text[:told] + line + "," + text[told:]
    told = _REST_OF_LINE.match(text, last).end()  # type: ignore[union-attr]
    return f"{text[:last]},{text[last:told]}{line}{text[told:]}"


def _after_comments(text: str, at: int) -> int:
    """Return where, behind *at*, something stands that is neither blank nor a comment."""
    while True:
        at = _skip_blanks(text, at)
        found = _TOKEN.match(text, at)
        if found is None or found[0].startswith('"'):
            return at
        at = found.end()


def _remove_member(text: str, plain: str, members: list[_Member], at: int) -> str:
    """Return *text* without one of *members*, its line and its comma."""
    start, end = members[at].start, members[at].end
    behind = _after_comments(text, end)
    before = plain.index(",", members[at - 1].end) if at else 0
    begun = text.rfind(_newline(text), 0, start)
    if begun >= 0 and not text[begun:start].strip():
        start = begun
    if text[behind] == ",":
        return text[:start] + text[behind + 1 :]
    without = text[:start] + text[end:]
    return without[:before] + without[before + 1 :] if at else without


def _depth(plain: str, at: int) -> int:
    """Return how many objects and lists are open at *at*."""
    unsaid = re.sub(r'"(?:\\.|[^"\\])*"', "", plain[:at])
    return sum(map(unsaid.count, "{[")) - sum(map(unsaid.count, "}]"))


def _write_value(value: Any, depth: int, text: str) -> str:
    indent = _indent(text)
    lines = json.dumps(value, ensure_ascii=False, indent=indent).splitlines()
    return (_newline(text) + indent * depth).join(lines)


def _indent(text: str) -> str:
    found = re.search(r"^([ \t]+)\S", text, re.MULTILINE)
    return found[1] if found else "  "


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"
