"""Find the prose of a message: pasted code, tables and addresses are nobody's words."""

from collections.abc import Iterator
from typing import Any, Final

from ...folding import fold_marks
from ..schema import FIRST_PERSON

# Not by an import statement: a reload of the modules drops what such a statement names, and with
# it everything else that begins with "re".
re: Final[Any] = __import__("re")

_FENCES: Final = ("```", "~~~")
_QUOTED: Final = (">", "|", "#", "+---", "$ ", "<", "//", "/*")
_POINTS: Final = ("*", "-", "•", "+", *"0123456789")
_CODE: Final = (";", "{", "}", "()", ");", "->", "=>", "==", "</", "/>", "\\n", ":=", " = ")
# Signs of paths, identifiers and expressions; no word of a language has one.
_SIGNS: Final = frozenset("_=<>{}[]\\$|~^")
_ADDRESSES: Final = ("://", "www.", "@")
_FILES: Final = (
    *(".py", ".js", ".ts", ".java", ".xml", ".html", ".css", ".json", ".jsonl", ".csv", ".txt"),
    *(".pdf", ".png", ".jpg", ".docx", ".xlsx", ".zip", ".jar", ".war", ".md", ".sh", ".sql"),
)
# A longer message contains pasted text; then only lines in the first person count.
_LONG: Final = 150
# So many characters of prose are read, and of a sentence: nobody says all that in one message, and
# some rules compare each word with the others of its sentence.
_MOST_READ: Final = 8_000
_ENDLESS: Final = re.compile(r"([^.!?…\n]{800}[\w'’-]{0,40})[^.!?…\n]+")


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
    """Iterate over the start and end of each line outside code, tables and quotations."""
    start, fence = 0, False
    for whole in text.splitlines(keepends=True):
        line = whole.strip()
        if line.startswith(_FENCES):
            # A fence that opens and closes on one line is no fence.
            fence ^= line.count(line[:3]) % 2 == 1
        elif line and not fence and not _is_pasted(line):
            yield start, start + len(whole)
        start += len(whole)


def _is_pasted(line: str) -> bool:
    if line.startswith(_QUOTED) or "\t" in line or line.count("|") > 1:
        return True
    return line.endswith((";", "{", "}")) or sum(sign in line for sign in _CODE) > 1


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
    form = fold_marks(word).rstrip(".,;:!?)\"'")
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
    return [word.strip(".,;:!?\"'()[]*") for word in fold_marks(line).split()]
