"""Find statements of users about themselves: "I work at …", "I love …", "ich wohne in …".

A pattern is a sequence of words with alternatives; adverbs may stand between them. A question, a
supposition, a denial, a request to forget, or a clause about other people is no statement.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final

from ..language import dated, kin, ordinary
from ..language.folded import folded, word_set
from ..language.inflection import tokens
from ..schema import BESIDE
from . import patterns
from .written import Word

Row = dict[str, Any]

_FILLERS: Final = word_set("""
really also just still absolutely totally currently now so recently finally always actually honestly
truly very quite do today both sehr wirklich auch jetzt gerade noch total immer derzeit seit
kürzlich endlich ganz eigentlich gestern
""")
# Words before a statement that make it a supposition.
_SUPPOSED: Final = word_set("""
if whether wish imagine suppose pretend would unless say said says wenn falls ob stell sagt sagte do
did should
""")
# "Forget that …" and "don't remember that …" each deny a statement; both together do not.
_FORGETTING: Final = word_set("""
forget delete remove ignore disregard erase vergiss vergesst vergessen lösch lösche ignoriere
streiche
""")
_DENIED: Final = frozenset(("not", "never", "nicht", "nie", "untrue", "false", "wrong", "falsch"))
_RECALLING: Final = word_set("""
that remember think believe claim mean store save note assume dass merk merke merken speicher
speichere denke glaube
""")
_BREAKS: Final = frozenset(("but", "because", "and", "so", "aber", "weil", "denn", "und"))
# No place to live, and no firm to work for: "I work at night", "I live in hope".
_NOWHERE: Final = word_set("""
home night nights day myself yourself ourselves me hope fear peace poverty sin free pleasure fun
charity money food peanuts height heights speed sea least dusk dawn noon midnight weekends harmony
pain misery luxury comfort denial silence exile limbo chaos solitude isolation agony doubt danger
shame love debt grief worry moderation retirement hause daheim nacht tag angst hoffnung frieden ruhe
armut miete geld freude scheidung trennung sorge sünde gefahr zukunft bedarf mich uns luxus
wohlstand einsamkeit liebe stille spaß
""")
# One of these between a subject and "and" is a subject of its own.
_SUBJECTS: Final = word_set("""
who which that he she it they we you der die das er sie es wir du ihr
""")
# A denial stands within so many words before a statement.
_MOST_DENYING: Final = 12
_SELVES: Final = {"i": "i", "i'm": "i", "ich": "ich"}
_AFTER_AGE: Final = (("years", "old"), ("year", "old"), ("jahre", "alt"))
# "I don't like" contains one of these.
_DENYING: Final = frozenset(("don't", "cannot", "can't"))
_LIKING: Final = frozenset(("like", "stand", "love", "enjoy", "eat"))
# A phrase ends at one of these.
_STOPS: Final = word_set("""
but because when while that which who if since although for with in on at to from as than over more
most about so too very best how what where is are was aber weil wenn während dass der die das für
mit im am von als über sehr ist auch zu mehr lieber i ich it a an anymore this of around right here
there today
""")
_JOINS: Final = frozenset(("and", "und", "or", "oder"))
_ARTICLES: Final = frozenset(
    ("a", "an", "my", "mein", "meine", "meinen", "die", "der", "das", "den")
)
# A phrase that begins with one of these refers back.
_NO_PHRASES: Final = word_set("""
it this that these those you your him her them us me to how what when where having being getting the
es dich ihn sie dein deine deinen diese dieser dieses diesen both some any all one something
anything nothing everything its their his option idea ideas wie was and or not no keine keinen kein
doing working seeing hearing knowing using
""")
_GOING_ON: Final = (*'"“„(`/', "'s", "’s")
_MOST_BETWEEN: Final = 5
# A statement has at most so many words.
_MOST_AHEAD: Final = 60
# "The" adds nothing to these.
_WIDE: Final = frozenset(("sea", "ocean", "beach", "rain", "snow", "outdoors", "mountains", "sun"))
_MOST_WORDS: Final = 3
_NO_PLACES: Final = frozenset(("the", "a", "an", "my", "this"))


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement of a user about the user: the fact, and the observation of the thing it names."""

    fact: Row
    # The word for the user.
    start: int
    end: int
    observation: Row | None = None


def statements(text: str, written: Sequence[Word]) -> Iterator[Statement]:
    """Iterate over the statements of *written*, the words of *text*, each value once."""
    for whole in _sentences(text, written):
        sentence = _with_subjects(whole)
        taken: set[int] = set()
        starts = list(_starts(sentence))
        for pattern in patterns.PATTERNS:
            for place, word in starts:
                if place in taken or word not in pattern.words[0]:
                    continue
                after = _matched(sentence, place, pattern)
                if after is None:
                    continue
                found = list(_told(text, sentence, place, after, pattern))
                if found:
                    taken.add(place)
                yield from found


def _sentences(text: str, written: Sequence[Word]) -> Iterator[list[Word]]:
    """Iterate over the words of each sentence that is no question."""
    sentence: list[Word] = []
    for word in (*written, None):
        if sentence and (word is None or word.begins):
            end = word.start if word is not None else len(text)
            if "?" not in text[sentence[-1].end : end]:
                yield sentence
            sentence = []
        if word is not None:
            sentence.append(word)


def _starts(sentence: Sequence[Word]) -> Iterator[tuple[int, str]]:
    """Iterate over the places where a statement may begin, each with its word."""
    for place, word in enumerate(sentence):
        form = word.folded
        if form in patterns.FIRST and not _is_denied(sentence, place):
            yield place, form
        if form in _SUPPOSED:
            return


def _with_subjects(sentence: list[Word]) -> list[Word]:
    """Return *sentence* with the subject that a second clause omits: "and work at …"."""
    found, subject = list(sentence), None
    for place, word in enumerate(sentence[:-1]):
        follows = sentence[place + 1].folded in patterns.VERBS
        if word.folded in _SELVES:
            # "My friend and I": only a clause that is like a statement continues.
            is_one = follows or word.folded == "i'm"
            subject = replace(word, text=_SELVES[word.folded]) if is_one else None
        elif word.folded in _SUBJECTS:
            subject = None
        elif subject is not None and word.folded in ("and", "und") and follows:
            found[place] = replace(subject, gap=", ")
    return found


def _is_denied(sentence: Sequence[Word], place: int) -> bool:
    """Tell whether the words before *place* deny the statement."""
    near = sentence[max(0, place - _MOST_DENYING) : place + 1]
    clause: set[str] = set()
    for one, before in pairwise(near[::-1]):
        is_apart = "," in one.gap and one.folded not in ("that", "dass")
        if is_apart or before.folded in _BREAKS:
            break
        clause.add(before.folded)
    forgets = not _FORGETTING.isdisjoint(clause)
    denies = not _DENIED.isdisjoint(clause) or any(one.endswith("n't") for one in clause)
    return forgets != denies if forgets else denies and not _RECALLING.isdisjoint(clause)


def _matched(sentence: Sequence[Word], place: int, pattern: patterns.Pattern) -> int | None:
    """Return the place after the words of *pattern* that begin at *place*."""
    for number, wanted in enumerate(pattern.words):
        if patterns.ANY in wanted:
            ahead = pattern.words[number + 1]
            near = sentence[place : place + _MOST_BETWEEN]
            place += next((gap for gap, word in enumerate(near) if word.folded in ahead), 0)
            continue
        while place < len(sentence) and _is_filler(sentence[place], wanted):
            place += 1
        if place >= len(sentence) or sentence[place].folded not in wanted:
            return None
        denies = sentence[place].folded in _DENYING and pattern.predicate == "dislikes"
        place += 1
        if denies:
            if place >= len(sentence) or sentence[place].folded not in _LIKING:
                return None
            place += 1
    return place


def _is_filler(word: Word, wanted: frozenset[str]) -> bool:
    return word.folded in _FILLERS and word.folded not in wanted


def _told(
    text: str, sentence: Sequence[Word], first: int, place: int, pattern: patterns.Pattern
) -> Iterator[Statement]:
    rest = sentence[place : place + _MOST_AHEAD]
    if len(rest) > 1 and kin.of(rest[0].folded, rest[1].folded):
        return
    while rest and rest[0].folded in _FILLERS:
        rest = rest[1:]
    if pattern.followed and not any(word.folded in pattern.followed for word in rest):
        return
    for value, end in _SLOTS[pattern.slot](text, rest):
        predicate, node = pattern.predicate, pattern.node_type
        if pattern.kind is not None and _is_nowhere(value, rest[0]):
            continue
        if predicate == "likes" and rest[0].folded in ("keine", "keinen", "kein"):
            predicate = "dislikes"
        span = text[sentence[first].start : end].strip()
        fact: Row = {"predicate": predicate, "value": value, "span": span}
        if pattern.mode != BESIDE:
            fact["mode"] = pattern.mode
        observation = None
        if node is not None:
            felt = pattern.valence if predicate == pattern.predicate else -0.5
            about = {"label": value, "type": node, "kind": pattern.kind, "valence": felt}
            observation = {key: one for key, one in about.items() if one is not None}
        yield Statement(fact, sentence[first].start, sentence[first].end, observation)


def _is_nowhere(value: str, word: Word) -> bool:
    """Tell whether *value*, from *word* on or after it, is no firm and no place."""
    name = folded(value)
    return name in _NOWHERE or (word.text.islower() and name in ordinary.ORDINARY)


def _name(text: str, rest: Sequence[Word]) -> Iterator[tuple[str, int]]:
    """Yield the name at the start of *rest*."""
    if rest and rest[0].folded in ("the", "der", "die", "dem", "einer") and len(rest) > 1:
        rest = rest[1:]
    end = 0
    while end < min(len(rest), 4) and rest[end].is_capitalised:
        if end and not rest[end].follows:
            break
        end += 1
    if end and rest[0].folded not in _NO_PHRASES:
        yield text[rest[0].start : rest[end - 1].end], rest[end - 1].end
    elif rest and rest[0].text.islower() and not any(one.is_capitalised for one in rest):
        word = rest[0]
        if word.folded not in _STOPS | _NO_PHRASES | _NO_PLACES and len(word.text) > 3:
            # In a text without capitals the first word is the name.
            last = len(rest) == 1 or not rest[1].follows or rest[1].folded in _STOPS | _JOINS
            if last:
                yield word.text.capitalize(), word.end


def _phrase(text: str, rest: Sequence[Word]) -> Iterator[tuple[str, int]]:
    """Yield the things at the start of *rest*; "cats and dogs, but …" has two."""
    group: list[Word] = []
    for word in (*rest, None):
        joins = word is not None and word.folded in _JOINS and bool(group)
        stops = word is None or joins or _stops(word, bool(group))
        if not stops and word is not None:
            if group or word.folded not in _ARTICLES | frozenset(("keine", "keinen", "kein")):
                group.append(word)
            continue
        if _is_thing(text, group, word):
            yield text[group[0].start : group[-1].end], group[-1].end
        if not joins:
            return
        group = []


def _stops(word: Word, is_inside: bool) -> bool:
    if word.gap.strip() not in ("", "-") and (is_inside or "," not in word.gap):
        return True
    return is_inside and word.folded in _STOPS


def _is_thing(text: str, group: Sequence[Word], after: Word | None) -> bool:
    if not 0 < len(group) <= _MOST_WORDS:
        return False
    if group[0].folded == "the":
        return len(group) == 2 and group[1].folded in _WIDE
    # "I like being asked", "I like Tom's idea": the phrase goes on, and names no thing.
    end = group[-1].end
    goes_on = text[end : end + 4].lstrip(" ").startswith(_GOING_ON)
    if after is not None and "," not in after.gap:
        goes_on |= after.folded in ("that", "how", "what", "it", "i", "dass")
    return group[0].folded not in _NO_PHRASES | _STOPS and len(group[-1].text) > 2 and not goes_on


def _date(text: str, rest: Sequence[Word]) -> Iterator[tuple[str, int]]:
    if rest:
        part = text[rest[0].start : rest[-1].end]
        found = next(dated.dates(part), None)
        if found is not None:
            yield found.label, rest[0].start + found.end


def _number(_: str, rest: Sequence[Word]) -> Iterator[tuple[str, int]]:
    if len(rest) > 2 and tuple(one.folded for one in rest[1:3]) in _AFTER_AGE:
        number = tokens(rest[0].text)[0].form
        if number.isdigit():
            yield number, rest[2].end


_SLOTS: Final = {
    patterns.NAME: _name,
    patterns.PHRASE: _phrase,
    patterns.DATE: _date,
    patterns.NUMBER: _number,
}
