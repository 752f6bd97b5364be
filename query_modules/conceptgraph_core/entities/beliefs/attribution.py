"""Whose a claim is: the user's only if it stands in the user's words, else the model's reading.

A span that stands in the text proves nothing of a label: "depression" for "work is rough" is what a
model makes of it. So the label itself must stand in the span, or a name that the entity already has
from the user. Three exceptions, none of them for an emotion, let through what says no more than
the words: a qualifier in brackets, the plural of a name or its legal form, and the inflection of
what a topic, preference or event is called.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from ..language import dated
from ..language.folded import word_set
from ..language.inflection import Token, is_one_word, tokens
from ..language.spans import Said, Span
from ..schema import MODEL, USER

ENTITY: Final = "entity"
_BY_INFLECTION: Final = ("topic", "preference", "event")
_BRACKETS: Final = ("(", ")")
# Say nothing of what a label is about. What denies does: "no job" is not "job".
_FUNCTION_WORDS: Final = word_set("""
a an the of to in on at for with by from and or my your his her its our their this that be s about
der die das den dem des ein eine einen einem einer von zu zum zur im am auf für mit bei aus und oder
mein meine meinen meinem meiner dein deine sein seine ihr
""")
_ARTICLES: Final = frozenset(("a", "an", "the", "der", "die", "das", "den", "dem", "ein", "eine"))
_LEGAL_FORMS: Final = word_set("""
inc incorporated ltd limited llc llp lp corp corporation co company plc gmbh mbh ag kg ohg ug se sa
bv nv ev
""")
# Between two words of one name.
_JOINTS: Final = frozenset(" -'’&./")
_LONGEST_SHORTENED: Final = 3


@dataclass(frozen=True, slots=True)
class Found:
    """Whose a claim is, and where it stands.

    `refused`: the span that was claimed does not stand in the text. `inferred_from`: it does, but
    the label does not stand in it, so that it is what the model reads there.
    """

    origin: str
    span: Span | None
    refused: bool = False
    inferred_from: str | None = None


def origin(
    said: Said,
    speaker: str,
    label: str,
    span: str | None,
    node_type: str = ENTITY,
    known: Iterable[str] = (),
) -> Found:
    """Return whose the mention of *label* is; *known* are names that it has from the user.

    It is the user's if the user speaks, and the label or a known name stands in the *span*; where
    none is claimed, in a sentence of the text.
    """
    claimed = None if span is None else said.find(span)
    if span is not None and claimed is None:
        return Found(MODEL, None, refused=True)
    words = said if claimed is None else Said(said.text[claimed.start : claimed.end])
    place = next((at for one in known if (at := words.find(one))), None)
    place = place or stands(words, label, node_type, said)
    if place is None:
        inferred_from = span if speaker == USER else None
        return Found(MODEL, claimed, inferred_from=inferred_from)
    return Found(USER if speaker == USER else MODEL, claimed or place)


def stands(words: Said, label: str, node_type: str, message: Said) -> Span | None:
    """Return where *label* stands in *words*, a part of *message*; None if it does not."""
    exactly = words.find(label)
    if exactly is not None or node_type not in (ENTITY, *_BY_INFLECTION):
        return exactly
    base, qualifier = _qualified(label)
    if qualifier is not None:
        wanted = _content(tokens(qualifier))
        if not _all_stand(wanted, message.tokens, message.is_german):
            return None
        label = base
    if words.find(label) is not None:
        return words.find(label)
    by_words = _in_order if node_type == ENTITY else _inflected
    return _date(words, label) or by_words(words, label, message.is_german)


def _qualified(label: str) -> tuple[str, str | None]:
    """Return *label* without what stands in brackets, and that: "Max (the old dog)"."""
    first, last = label.find(_BRACKETS[0]), label.rfind(_BRACKETS[1])
    base = f"{label[:first]} {label[last + 1 :]}".strip()
    return (base, label[first + 1 : last]) if 0 <= first < last and base else (label, None)


def _date(words: Said, label: str) -> Span | None:
    wanted = dated.whole(label)
    if wanted is None:
        return None
    there = (one for one in dated.dates(words.text) if one.states(wanted))
    return next((words.at(one.start, one.end) for one in there), None)


def _in_order(words: Said, label: str, german: bool) -> Span | None:
    """Return where the words of a name stand together, singular or plural."""
    wanted = [one.form for one in tokens(label)]
    while len(wanted) > 1 and wanted[0] in _ARTICLES:
        wanted.pop(0)
    while len(wanted) > 1 and wanted[-1] in _LEGAL_FORMS:
        wanted.pop()
    there = words.tokens
    for first in range(len(there) - len(wanted) + 1 if wanted else 0):
        part = there[first : first + len(wanted)]
        pairs = zip(wanted, part, strict=True)
        if all(is_one_word(one, two.form, german, verbs=False) for one, two in pairs) and all(
            _goes_on(words.text, one, two) for one, two in pairwise(part)
        ):
            return words.at(part[0].start, part[-1].end)
    return None


def _goes_on(text: str, one: Token, other: Token) -> bool:
    """Tell whether two words that follow each other may be of one name: "Dr. Smith", no list."""
    gap = text[one.end : other.start]
    return _JOINTS.issuperset(gap) and ("." not in gap or len(one.form) <= _LONGEST_SHORTENED)


def _inflected(words: Said, label: str, german: bool) -> Span | None:
    """Return where all words that say something of *label* stand in one sentence."""
    wanted = _content(tokens(label))
    for start, end in words.sentences():
        there = [one for one in words.tokens if start <= one.start and one.end <= end]
        found = _all_stand(wanted, there, german)
        if found:
            return words.at(min(one.start for one in found), max(one.end for one in found))
    return None


def _content(found: Sequence[Token]) -> list[str]:
    return [one.form for one in found if one.form not in _FUNCTION_WORDS]


def _all_stand(wanted: Sequence[str], there: Sequence[Token], german: bool) -> list[Token]:
    """Return of *there* a form of each word that is *wanted*; nothing if one is missing."""
    found = []
    for word in wanted:
        at = next((one for one in there if is_one_word(word, one.form, german)), None)
        if at is None:
            return []
        found.append(at)
    return found
