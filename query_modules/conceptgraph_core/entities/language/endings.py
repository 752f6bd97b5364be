"""Read the words for the end of a couple or a life, and of what somebody was: ex, died."""

from functools import cache
from typing import Final

from ... import language
from ...texts.words.splitting import split

_TOPIC: Final = "change"
FORMER: Final = frozenset(
    word for word in language.words(_TOPIC, "former") if split(word) == [word]
)
_MARKS: Final = (".", ";", "!", "?", ",", ":", "–", "—")
HARDLY: Final = language.words(_TOPIC, "hardly")
# "Rex died and I wish …": between these, what has happened stands beside what has not.
_PARTS: Final = language.words(_TOPIC, "parts")


def has_phrase(said: str, name: str) -> bool:
    """Tell whether *said*, words with a blank before and behind each, has a phrase of *name*."""
    return any(one in said for one in list_phrases(name))


@cache
def list_phrases(name: str) -> tuple[str, ...]:
    """Return the phrases called *name*, those after which a name stands without blanks around."""
    said = (" ".join(split(one)) for one in language.words(_TOPIC, name))
    return tuple(sorted(one if name == "former" else f" {one} " for one in said))


def is_former_kind(kind: str) -> bool:
    """Tell whether *kind* says itself that it is past: an ex-wife, a former boss."""
    return split(kind.replace("-", " "))[:1] in [[one] for one in FORMER]


def drop_former(kind: str) -> str:
    """Return *kind* as it was when it was so: the boyfriend of "former boyfriend"."""
    return kind.replace("-", " ").partition(" ")[2] if is_former_kind(kind) else kind


def drop_unreal(text: str) -> str:
    """Return *text* without what has not happened: "Rex died" of "Rex died and I wish he had not".

    A dream tells nothing that has.
    """
    said = pad_words(text)
    if not has_phrase(said, "unreal"):
        return text
    parts: list[list[str]] = []
    for clause in [] if has_phrase(said, "dreamt") else list_clauses(text):
        parts.append([])
        for word in clause.split():
            if word in _PARTS:
                parts.append([])
            parts[-1].append(word)
    told = (pad_words(" ".join(one)) for one in parts)
    return "".join(one for one in told if not has_phrase(one, "unreal"))


def list_clauses(text: str) -> list[str]:
    """Return the clauses of *text* as `pad_words` does: "Dana isn't my boss" of "… , Ravi is"."""
    for mark in _MARKS:
        text = text.replace(mark, "\n")
    return [pad_words(one) for one in text.split("\n")]


def pad_words(text: str) -> str:
    """Return the words of *text* with a blank before and behind each."""
    return f" {' '.join(split(text))} "
