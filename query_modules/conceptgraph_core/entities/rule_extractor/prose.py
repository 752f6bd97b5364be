"""Find the prose of a message: pasted code, tables, logs and addresses are nobody's words."""

from collections.abc import Iterator
from typing import Any, Final

from ..language.folded import folded
from ..schema import FIRST_PERSON

# Not by an import statement: a reload of the modules drops what such a statement names, and with
# it everything else that begins with "re".
re: Final[Any] = __import__("re")

_FENCES: Final = ("```", "~~~")
_QUOTED: Final = (">", "|", "#", "+---", "$ ", "<", "//", "/*")
_POINTS: Final = ("*", "-", "•", "+", *"0123456789")
_CODE: Final = (";", "{", "}", "()", ");", "->", "=>", "==", "</", "/>", "\\n", ":=", " = ")
# A line that is a statement of a program, without a fence around it.
_STATEMENT: Final = re.compile(
    r"\s*(?:"
    r"(?:async )?def \w+\s*\(|class \w+\s*[(:{]|(?:export |async )*function\b.*[({]"
    r"|import [\w.]+(?: as \w+)?(?:, ?[\w.]+)*;?\s*$|from [\w.]+ import\s|@\w+(?:\.\w+)*(?:\(|\s*$)"
    r"|(?:return|yield|raise|throw)\b\s*(?:['\"\[({\d]|f['\"]|\w+[.(\[])"
    r"|(?:for \w+(?:, ?\w+)* in\s.+|while\s.+|(?:el)?if\s.+|else|try|except.*|finally):\s*$"
    r"|(?:const|let|var|int|string|auto) \w+\s*=|[A-Za-z_][\w.\[\]'\"]*\s*[-+*/|&]?=\s*[^=\s]"
    r"|(?:print|console\.\w+|printf|echo)\s*\(|[\w.]+\(.*\)\s*(?:;\s*)?$|#include\b"
    r"|SELECT\s.+|INSERT INTO\s|UPDATE \w+ SET\s|DELETE FROM\s"
    r")"
)
_INDENTED: Final = ("  ", "\t")
# Signs of paths, identifiers and expressions; no word of a language has one.
_SIGNS: Final = frozenset("_=<>{}[]\\$|~^")
_ADDRESSES: Final = ("://", "www.", "@")
_FILES: Final = (
    *(".py", ".js", ".ts", ".java", ".xml", ".html", ".css", ".json", ".jsonl", ".csv", ".txt"),
    *(".pdf", ".png", ".jpg", ".docx", ".xlsx", ".zip", ".jar", ".war", ".md", ".sh", ".sql"),
)
_LEVELS: Final = frozenset(("info", "warn", "warning", "error", "debug", "fatal", "trace"))
# A longer message contains pasted text; then only lines in the first person count.
_LONG: Final = 150
# So many characters of prose are read, and of a sentence: nobody says all that in one message, and
# some rules compare each word with the others of its sentence.
_MOST_READ: Final = 8_000
_ENDLESS: Final = re.compile(r"([^.!?…\n]{800}[\w'’-]{0,40})[^.!?…\n]+")
_HEADING, _HEADING_SHORT = 0.7, 0.6
_HEADING_WORDS: Final = 3
_LONG_WORD: Final = 4


def spoken(text: str, *, lists: bool = True) -> str:
    """Return *text* with a line end in place of each character that is not prose.

    The length stays, so that places in both texts agree. *lists*: list items count as prose. Text
    beyond 8,000 characters of prose, or 800 of a sentence, is left out too.
    """
    kept = [False] * len(text)
    is_long = len(text.split()) > _LONG
    read = 0
    for start, end in _lines(text):
        line = text[start:end]
        if not lists and line.lstrip().startswith(_POINTS):
            continue
        if is_long and FIRST_PERSON.isdisjoint(_bare(line)):
            continue
        for first, last in _said(line):
            size = min(last - first, _MOST_READ - read)
            kept[start + first : start + first + size] = [True] * size
            read += size
    said = "".join(one if is_kept else "\n" for one, is_kept in zip(text, kept, strict=True))
    return str(_ENDLESS.sub(lambda found: found[1].ljust(len(found[0]), "\n"), said))


def _lines(text: str) -> Iterator[tuple[int, int]]:
    """Iterate over the start and end of each line outside code, tables, logs and headings."""
    start, fence, in_code = 0, False, False
    for whole in text.splitlines(keepends=True):
        line = whole.strip()
        # The indented lines after a statement belong to it, past empty lines.
        is_code = _STATEMENT.match(whole) is not None
        in_code = is_code or (in_code and (not line or whole.startswith(_INDENTED)))
        if line.startswith(_FENCES):
            # A fence that opens and closes on one line is no fence.
            fence ^= line.count(line[:3]) % 2 == 1
        elif line and not fence and not (in_code or _is_pasted(whole) or _is_heading(line)):
            yield start, start + len(whole)
        start += len(whole)


def _is_pasted(line: str) -> bool:
    stripped = line.strip()
    if stripped.startswith(_QUOTED) or "\t" in line.rstrip() or line.count("|") > 1:
        return True
    if stripped.startswith("at ") and stripped.endswith(")"):
        return True
    if stripped.endswith((";", "{", "}")) or sum(sign in line for sign in _CODE) > 1:
        return True
    # A log has the level after its time, or in brackets.
    words = _bare(line)[:4]
    return not _LEVELS.isdisjoint(words) and (stripped[0] == "[" or stripped[0].isdigit())


def _is_heading(line: str) -> bool:
    """Tell whether most words of a line have a capital, short ones too; German prose has fewer."""
    bare = [one.strip("*:") for one in line.split()]
    words = [one for one in bare if len(one) >= _LONG_WORD and one[0].isalpha()]
    is_said = line.endswith((".", "!", "?")) or not FIRST_PERSON.isdisjoint(_bare(line))
    # "Peggy lives in Hove. She is 78" has a sentence before its end.
    is_said |= any(one[-1] in ".!?" and len(one) >= _LONG_WORD for one in words[:-1])
    if len(words) < _HEADING_WORDS or is_said:
        return False
    every = [one for one in bare if one[:1].isalpha()]
    return all(
        sum(one[0].isupper() for one in some) > share * len(some)
        for some, share in ((words, _HEADING), (every, _HEADING_SHORT))
    )


def _said(line: str) -> Iterator[tuple[int, int]]:
    """Iterate over the start and end of the words of a line that are no code, path or address."""
    place, in_code = 0, False
    for word in line.split(" "):
        ticks = word.count("`")
        if not (in_code or ticks or _is_sign(word)):
            yield place, min(place + len(word) + 1, len(line))
        in_code ^= ticks % 2 == 1
        place += len(word) + 1


def _is_sign(word: str) -> bool:
    """Tell whether a word is an identifier, a file, a path or an address."""
    form = folded(word).rstrip(".,;:!?)\"'")
    if form[:1] == "$" and form[1:2].isdigit():
        # A price.
        form = form[1:]
    return (
        not _SIGNS.isdisjoint(form)
        or any(one in form for one in _ADDRESSES)
        or form.endswith(_FILES)
        or form.count("/") > 1
        or form.count(".") > 2
        or "::" in form
    )


def _bare(line: str) -> list[str]:
    return [word.strip(".,;:!?\"'()[]*") for word in folded(line).split()]
