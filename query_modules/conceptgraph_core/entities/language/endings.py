"""Read the words for the end of a couple or a life, and of what somebody was: ex, died."""

from collections.abc import Iterator
from functools import cache
from typing import Final

from ... import language
from ...words.splitting import split

_TOPIC: Final = "change"
FORMER: Final = frozenset(
    word for word in language.words(_TOPIC, "former") if split(word) == [word]
)
_MARKS: Final = (".", ";", "!", "?", ",", ":", "–", "—")
HARDLY: Final = language.words(_TOPIC, "hardly")
# Words that begin or end what has happened beside what has not.
_ANEW: Final = language.words(_TOPIC, "anew")
_GOES_ON: Final = language.words(_TOPIC, "goes on")


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
    """Return *text* without what has not happened: "I dreamt that Tom left me".

    A clause with an unreal word tells of what has happened before the last "and" ahead of that
    word, and behind a "because" after it: "Rex died and I wish …". One that begins with "since"
    does up to that word, but for a dream, which goes on to its end.
    """
    if not has_phrase(pad_words(text), "unreal"):
        return text
    return ". ".join(one for clause in list_clauses(text) for one in _list_real(clause))


def _list_real(clause: str) -> Iterator[str]:
    """Yield the parts of a *clause*, as `list_clauses` returns it, that have happened."""
    parts: list[list[str]] = [[]]
    for word in clause.split():
        if word in _ANEW:
            parts.append([])
        parts[-1].append(word)
    for words in parts:
        said = pad_words(" ".join(words))
        if not has_phrase(said, "unreal"):
            yield said
            continue
        ahead = min(said.index(one) for one in list_phrases("unreal") if one in said)
        before = said[:ahead].split()
        last = max((at for at, word in enumerate(before) if word in _GOES_ON), default=0)
        is_since = has_phrase(pad_words(" ".join(before[:2])), "since")
        if is_since and not has_phrase(said, "dreamt"):
            # "Since Tom and I broke up I might move"
            last = len(before)
        yield f" {' '.join(before[:last])} "
        if has_phrase(said, "dreamt"):
            return


def list_clauses(text: str) -> list[str]:
    """Return the clauses of *text* as `pad_words` does: "Dana isn't my boss" of "… , Ravi is"."""
    for mark in _MARKS:
        text = text.replace(mark, "\n")
    return [pad_words(one) for one in text.split("\n")]


def pad_words(text: str) -> str:
    """Return the words of *text* with a blank before and behind each."""
    return f" {' '.join(split(text))} "
