"""Attribute a claim to the user only if the user's words contain it, else to the model.

A span that the text contains proves nothing about a label: "depression" for "work is rough" is the
model's reading. So the span itself must contain the label, or a name that the user gave the entity
before. Three exceptions let through labels that say no more than the words: a qualifier in
brackets; the plural of a name, or its legal form; an inflected name of a topic, preference or
event. None of them applies to an emotion.

A topic, preference or event states something, so its words must stand together in one clause that
does not deny it: "sister died" is not in "My sister called: her old cat died".
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from ... import language
from ...language import oneself
from ...texts.words.languages import STOP_WORDS
from ..language import dated
from ..language.inflection import Token, is_one_word, tokens
from ..language.spans import Said, Span
from ..schema import MODEL, USER

ENTITY: Final = "entity"
_TOPIC: Final = "topic"
_BY_INFLECTION: Final = (_TOPIC, "preference", "event")
_BRACKETS: Final = ("(", ")")
# These words say nothing about the subject of a label. Denials are kept: "no job" is not "job".
_FUNCTION_WORDS: Final = language.words("people", "function words", ("en",))
_ARTICLES: Final = frozenset(("a", "an", "the", "der", "die", "das", "den", "dem", "ein", "eine"))
_LEGAL_FORMS: Final = language.words("people", "legal forms", ("en",))
# Between two words of one name.
_JOINTS: Final = frozenset(" -'’&./")
_LONGEST_SHORTENED: Final = 3
# So many words may stand between those of a statement.
_OTHER_WORDS: Final = 3
# So many words and more stand in their order.
_MOST_TURNED: Final = 3


@dataclass(frozen=True, slots=True)
class Found:
    """Whether a claim is the user's or the model's, and its place in the text.

    `refused`: the text does not contain the claimed span. `inferred_from`: the text contains the
    span, but the span does not contain the label, so the label is the model's reading.
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
    """Return whether the user or the model made the mention of *label*.

    The mention is the user's if the user speaks, and the *span* contains the label or one of the
    *known* names, which the user gave before. Without a span, a sentence of the text must contain
    it.
    """
    claimed = None if span is None else said.find(span)
    if span is not None and claimed is None:
        return Found(MODEL, None, refused=True)
    words = said if claimed is None else Said(said.text[claimed.start : claimed.end])
    offset = 0 if claimed is None else claimed.start
    found = [(one, at) for one in known if (at := words.find(one))]
    found += [(label, at) for at in _places(words, label, node_type, said)]
    places = (at for name, at in found if not _is_denied(said, name, node_type, at, offset))
    place = next(places, None)
    if place is None:
        inferred_from = span if speaker == USER else None
        return Found(MODEL, claimed, inferred_from=inferred_from)
    return Found(USER if speaker == USER else MODEL, claimed or place)


def _places(words: Said, label: str, node_type: str, message: Said) -> Iterator[Span]:
    """Iterate over the places of *label* in *words*, a part of *message*."""
    if exactly := words.find(label):
        yield exactly
    if node_type not in (ENTITY, *_BY_INFLECTION):
        return
    base, qualifier = _qualified(label)
    if qualifier is not None:
        wanted = _content(tokens(qualifier))
        if not _all_stand(wanted, message.tokens, message.is_german):
            return
        label = base
    by_words = _in_order if node_type == ENTITY else _together
    for place in (words.find(label), _date(words, label)):
        if place is not None:
            yield place
    yield from by_words(words, label, message.is_german)


def _is_denied(said: Said, label: str, node_type: str, place: Span, offset: int) -> bool:
    """Tell whether *said* denies the statement *label*, which has its *place* behind *offset*.

    A topic of one word states nothing: who does not like beer speaks of beer.
    """
    wanted = [one.form for one in tokens(label)]
    is_subject = node_type == _TOPIC and len(wanted) == 1
    if node_type not in _BY_INFLECTION or is_subject or denies(wanted, said):
        return False
    start, end = place.start + offset, place.end + offset
    return any(
        denies([one.form for one in clause], said)
        for clause in split_clauses(said)
        if clause[0].start < end and start < clause[-1].end
    )


def _qualified(label: str) -> tuple[str, str | None]:
    """Split *label* into the name and its qualifier in brackets: "Max (the old dog)"."""
    first, last = label.find(_BRACKETS[0]), label.rfind(_BRACKETS[1])
    base = f"{label[:first]} {label[last + 1 :]}".strip()
    return (base, label[first + 1 : last]) if 0 <= first < last and base else (label, None)


def _date(words: Said, label: str) -> Span | None:
    wanted = dated.whole(label)
    if wanted is None:
        return None
    there = (one for one in dated.dates(words.text) if one.states(wanted))
    return next((words.at(one.start, one.end) for one in there), None)


def _in_order(words: Said, label: str, german: bool) -> Iterator[Span]:
    """Iterate over the places where the words of a name follow one another, singular or plural."""
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
            yield words.at(part[0].start, part[-1].end)


def _goes_on(text: str, one: Token, other: Token) -> bool:
    """Tell whether two successive words may belong to one name: "Dr. Smith", but no list."""
    gap = text[one.end : other.start]
    return _JOINTS.issuperset(gap) and ("." not in gap or len(one.form) <= _LONGEST_SHORTENED)


def _together(words: Said, label: str, german: bool) -> Iterator[Span]:
    """Iterate over the places where the meaningful words of *label* stand together in a clause.

    They may be inflected, with up to three other words, none of which says something of its own;
    two may be in any order: "planned the wedding" is a wedding plan.
    """
    wanted = _content(tokens(label))
    for clause in split_clauses(words):
        for first, one in enumerate(clause):
            if not any(is_one_word(word, one.form, german) for word in wanted):
                continue
            there = clause[first : first + len(wanted) + _OTHER_WORDS]
            found = _all_stand(wanted, there, german)
            if not found or _is_genitive(found, there):
                continue
            starts = [one.start for one in found]
            is_ordered = len(found) < _MOST_TURNED or starts == sorted(starts)
            if is_ordered and _is_close(words.text, found, there, german):
                yield words.at(min(starts), max(one.end for one in found))


def _is_close(text: str, found: Sequence[Token], there: Sequence[Token], german: bool) -> bool:
    """Tell whether of the words between those *found* at most one says something of its own.

    That is no name and no noun: "Belgian" of beer, "finally" of a death.
    """
    first, last = (edge(one.start for one in found) for edge in (min, max))
    pairs = list(pairwise(there))
    between = [(ahead.form, one) for ahead, one in pairs if first < one.start < last]
    said = [(ahead, one) for ahead, one in between if one not in found and _content([one])]
    own = [(ahead, one) for ahead, one in said if one.form not in STOP_WORDS]
    return len(own) <= 1 and not any(
        ahead in _ARTICLES
        or (text[one.start].isupper() and not german and one.form not in oneself.PEOPLES)
        for ahead, one in own
    )


def _is_genitive(found: Sequence[Token], there: Sequence[Token]) -> bool:
    """Tell whether a found word only says whose another one is: "my sister's cat died"."""
    following = zip(there, there[1:], there[2:], strict=False)
    return any(one in found and s.form == "s" and of not in found for one, s, of in following)


def _content(found: Sequence[Token]) -> list[str]:
    return [one.form for one in found if one.form not in _FUNCTION_WORDS]


def _all_stand(wanted: Sequence[str], there: Sequence[Token], german: bool) -> list[Token]:
    """Return a form from *there* for each *wanted* word; an empty result if one is missing."""
    found = []
    for word in wanted:
        at = next((one for one in there if is_one_word(word, one.form, german)), None)
        if at is None:
            return []
        found.append(at)
    return found


# The words are data files (`denials.txt`) of the languages that the text may be in. Nothing is
# parsed: a denial denies the whole clause.
_DENIALS: Final = "denials"
_ENDS: Final = frozenset(',;:()[]{}"“”„«»–—')
_DASHES: Final = ("-", "--", "–", "—")


def split_clauses(said: Said) -> list[list[Token]]:
    """Return the words of each clause: it ends with a mark, or before a word such as "but"."""
    begins = language.read_spoken([one.form for one in said.tokens], _DENIALS, "clause")
    sentences, end = said.sentences(), 0
    clauses: list[list[Token]] = []
    last = 0
    for one in said.tokens:
        is_new = one.start >= end
        while one.start >= end:
            _, end = next(sentences)
        if is_new or one.form in begins or _is_end(said.text[last : one.start]):
            clauses.append([])
        clauses[-1].append(one)
        last = one.end
    return clauses


def _is_end(gap: str) -> bool:
    """Tell whether a clause ends between two words; a time such as 3:30 is one."""
    return (gap.strip() in _DASHES and gap != "-") or (len(gap) > 1 and not _ENDS.isdisjoint(gap))


def denies(forms: Sequence[str], said: Said) -> bool:
    """Tell whether the words *forms*, of a clause of *said* or of a label, contain a denial."""
    spoken = [one.form for one in said.tokens]
    clause = f" {' '.join(forms)} "
    for phrase in language.read_spoken(spoken, _DENIALS, "affirm"):
        clause = clause.replace(f" {' '.join(one.form for one in tokens(phrase))} ", " ")
    return not language.read_spoken(spoken, _DENIALS, "deny").isdisjoint(clause.split())
