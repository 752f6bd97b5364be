"""Read the words for the end of a couple or a life, and of what somebody was: ex, died."""

from functools import cache
from typing import Final

from ... import language
from ...words.splitting import split

_TOPIC: Final = "change"
FORMER: Final = frozenset(
    word for word in language.words(_TOPIC, "former") if split(word) == [word]
)
_MARKS: Final = (".", ";", "!", "?", ",", ":")
HARDLY: Final = language.words(_TOPIC, "hardly")


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


def drop_unreal(text: str) -> str:
    """Return *text* without the clauses on what has not happened: "I dreamt that Tom left me"."""
    if not has_phrase(pad_words(text), "unreal"):
        return text
    return ". ".join(one for one in list_clauses(text) if not has_phrase(one, "unreal"))


def list_clauses(text: str) -> list[str]:
    """Return the clauses of *text* as `pad_words` does: "Dana isn't my boss" of "… , Ravi is"."""
    for mark in _MARKS:
        text = text.replace(mark, "\n")
    return [pad_words(one) for one in text.split("\n")]


def pad_words(text: str) -> str:
    """Return the words of *text* with a blank before and behind each."""
    return f" {' '.join(split(text))} "
