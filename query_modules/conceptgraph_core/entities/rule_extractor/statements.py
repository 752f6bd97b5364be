"""Find the statements of a message, about the user or another: "I work at …", "Jan lives in …".

A pattern is a sequence of words with alternatives; adverbs may stand between them. A question, a
supposition, a denial or a request to forget is no statement.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final, NamedTuple

from ... import language
from ...language import oneself
from ..language import dated, kin, ordinary
from ..language.folded import folded
from ..schema import BESIDE, EVERY, NAMED, OVER, SELF
from . import name_words, naming, patterns
from .naming import Named, find_name_end
from .patterns import Pattern
from .statement_values import read_values
from .written import Word

Row = dict[str, Any]

# A denial stands within so many words before a statement.
_MOST_DENYING: Final = 12
_SELVES: Final = frozenset(("i", "ich", "je"))
_OF_USER: Final = _SELVES | {"me", "mir", "eu", "yo"}
_IS_SHORT: Final = ("'s", "’s")
_POSSESSIVES: Final = ("'", "’")
_MOST_BETWEEN: Final = 6
# A statement has at most so many words.
_MOST_AHEAD: Final = 60
# In German a noun too has a capital, but only a person has one of these.
_OF_PERSONS: Final = frozenset(("occupation", "birthday", "home", "age", "allergy", "spouse"))
_ALL_SUBJECTS: Final = frozenset().union(*(one.spoken.subjects for one in patterns.PATTERNS))
_PRONOUNS: Final = language.words("statements", "pronouns")
_POSSESSED: Final = language.words("statements", "possessives")
# In these languages the verb alone may mean the only one: "É alérgico a …".
_WITHOUT_PRONOUN: Final = frozenset(
    verb for one in patterns.PATTERNS if one.is_without_pronoun for verb in one.words[1]
)
_RELATIVES: Final = language.words("statements", "relatives")
_APPOSING: Final = kin.OWN | language.words("whose", "definite")
_WORKPLACE: Final = "workplace"
_OCCUPATION, _EMPLOYER, _AGE = "occupation", "employer", "age"
_HOME, _SPOUSE = "home", "spouse"
_ALL_JOINS: Final = frozenset(("and", "und", "e", "y", "et"))


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement: the fact, and the observation of the thing it names.

    It is about the user, unless it has a `subject`.
    """

    fact: Row
    # The word for the user.
    start: int
    end: int
    observation: Row | None = None
    subject: Named | None = None


class _Sentence(NamedTuple):
    """The words of a sentence; the place of each subject in it -> the place behind it."""

    words: list[Word]
    subjects: Mapping[int, tuple[int, Named]]


def statements(
    text: str,
    written: Sequence[Word],
    names: Sequence[Named] = (),
    german: bool = False,
    *,
    is_note: bool = False,
) -> Iterator[Statement]:
    """Iterate over the statements of *written*, the words of *text*, each value once.

    They may be about one of *names*, or about another name at their beginning. In a *german* text
    such a one may be a noun. In a note, "the user" is the user.
    """
    if is_note:
        names = (*names, *_find_user(written))
    only: Named | None = None
    for whole in _sentences(text, written):
        sentence = _with_subjects(_expand(whole), names, german, only)
        only = _find_only(text, sentence, names, only)
        for place, word in enumerate(sentence.words):
            # "Estudio Ribera" is no study of the user's: within a sentence a verb has no capital.
            is_name = word.is_capitalised and not word.begins and len(word.text) > 1
            starting = () if is_name else patterns.BY_FIRST.get(word.folded, ())
            if place in sentence.subjects:
                starting += patterns.BY_FIRST[patterns.SUBJECT] + patterns.BY_FIRST[patterns.OWNER]
            told: set[tuple[str, bool]] = set()
            for pattern in starting:
                # "Allergic to cashews, not walnuts" states one and ends another.
                kind = pattern.predicate, pattern.is_contrast
                if kind in told:
                    continue
                found = list(_read_statements(text, sentence, place, pattern))
                told.update(kind for _ in found)
                yield from found


def _find_user(written: Sequence[Word]) -> Iterator[Named]:
    """Yield the words of a note for the user: "The user" of "The user lives in Ghent"."""
    for before, word in pairwise((None, *written)):
        if word is not None and word.folded in oneself.USERS:
            start = word.start if before is None or word.begins else before.start
            yield Named(start, word.end, None, SELF, is_sure=True)


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


def _expand(sentence: Sequence[Word]) -> list[Word]:
    """Return *sentence* with both words of each contraction, and the "I" that a diary omits."""
    first = sentence[0]
    own = patterns.DIARY.get(first.folded)
    # "Habe ich" has its "I".
    is_diary = own is not None and own not in [one.folded for one in sentence[1:2]]
    found = [replace(first, text=own, folded=own)] if own and is_diary else []
    for word, behind in zip(sentence, (*sentence[1:], None), strict=True):
        short, second = patterns.CONTRACTIONS.get(word.folded, (word.folded, ""))
        if not second:
            found.append(word)
            # "He's" ends like a possessive, which is no part of a word.
            is_short = behind is not None and behind.gap.startswith(_IS_SHORT)
            if is_short and word.folded in _PRONOUNS:
                found.append(Word("is", word.end, word.end + 2, False, " ", "is"))
            continue
        end = word.start + len(short)
        found.append(replace(word, text=word.text[: len(short)], end=end, folded=short))
        found.append(Word(second, end, word.end, False, " ", second))
    return found


def _find_only(
    text: str, sentence: _Sentence, names: Sequence[Named], before: Named | None
) -> Named | None:
    """Return the only one whom the text names up to the end of *sentence*; None: there are more.

    "He" in the next sentence means that one; a place or a firm, as in "at Bosch", is no "he".
    """
    end = sentence.words[-1].end
    places = _list_places(sentence.words)
    told = [one for one in names if one.end <= end and one.start not in places] or [
        one for _, one in sentence.subjects.values()
    ]
    called = {one.label or text[one.start : one.end] for one in told}
    return (told[0] if told else before) if len(called) <= 1 else None


def _list_places(words: Sequence[Word]) -> frozenset[int]:
    """Return where the words begin that a preposition of places is before: "in Kiel"."""
    pairs = pairwise(words)
    return frozenset(one.start for before, one in pairs if before.folded in name_words.AT_PLACES)


def _with_subjects(
    words: list[Word], names: Sequence[Named], german: bool, only: Named | None
) -> _Sentence:
    """Return the sentence of *words* with its subjects.

    It has the subject too that a second clause omits: "and work at …"; "he" means the *only* one.
    """
    found, subjects = list(words), _list_subjects(words, names, german)
    _add_pronouns(words, subjects, only)
    before: Word | Named | None = None
    ends = dict(subjects.values())
    for place, word in enumerate(words[:-1]):
        end = subjects[place][0] if place in subjects else place + 1
        if place in ends and word.folded in _RELATIVES and place not in subjects:
            # "My sister Clara, who is a vet and lives in Oslo"
            subjects[place], end = (place + 1, ends[place]), place + 1
        follows = end < len(words) and words[end].folded in patterns.VERBS
        if place in subjects:
            before = subjects[place][1] if follows else before
        elif word.folded in _SELVES:
            # "My friend and I": only a clause that is like a statement continues.
            before = word if follows else None
        elif word.folded in _ALL_SUBJECTS and place not in ends:
            # "Elena es abogada": in Spanish that is the verb.
            before = None
        elif isinstance(before, Named) and "," in word.gap and word.folded in patterns.VERBS:
            # "Berta is not allergic to fish, is allergic to nuts", in languages without "she".
            subjects[place] = place, before
        elif before is not None and word.folded in _ALL_JOINS and follows:
            if isinstance(before, Word):
                found[place] = replace(before, gap=", ")
            else:
                subjects[place] = place + 1, before
    return _Sentence(found, subjects)


def _add_pronouns(
    words: Sequence[Word], subjects: dict[int, tuple[int, Named]], only: Named | None
) -> None:
    """Add to *subjects* the words that mean the *only* one, or the one named in the sentence."""
    places = _list_places(words)
    for place, word in enumerate(words):
        ahead = [at for at in subjects if at < place and words[at].start not in places]
        named = [subjects[at][1] for at in ahead]
        meant = named[0] if len(named) == 1 and only in (None, named[0]) else only
        is_clause = place == 0 or "," in word.gap or words[place - 1].folded in _ALL_JOINS
        if meant is None or len(named) > 1 or not is_clause:
            continue
        if word.begins and word.folded in _WITHOUT_PRONOUN:
            subjects[place] = place, meant
        elif word.folded in _PRONOUNS | _POSSESSED:
            subjects.setdefault(place, (place + 1, meant))


def _list_subjects(
    words: Sequence[Word], names: Sequence[Named], german: bool
) -> dict[int, tuple[int, Named]]:
    """Return the place of each word that begins a name, with the place behind the name."""
    starts = {one.start: one for one in names}
    relatives = dict(kin.named([word.folded for word in words]))
    found: dict[int, tuple[int, Named]] = {}
    last = 0
    for place, word in enumerate(words):
        if place < last:
            continue
        one = starts.get(word.start)
        is_named = any(each.start in starts for each in words[place + 1 : place + 2])
        if one is None and place in relatives and not is_named:
            kind = kin.relation(relatives[place])
            one = Named(word.start, word.end, kind, is_own=True, is_sure=True)
        # "Aunt Peggy" is called Peggy.
        if one is None and not (is_named and kin.relation(word.folded)):
            one = naming.find_subject(words, place)
        if one is not None:
            last = place + sum(
                one.start <= each.start < one.end for each in words[place : place + _MOST_AHEAD]
            )
            end = _skip_apposition(words, last)
            found[place] = end, replace(one, is_sure=one.is_sure or not german)
            last = end
    return found


def _skip_apposition(words: Sequence[Word], place: int) -> int:
    """Return the place behind ", my son," of "Otis, my son, is six", if it begins at *place*."""
    first, rest = words[place : place + 1], words[place + 1 : place + _MOST_BETWEEN]
    if any(one.gap == ", " and one.folded in _APPOSING for one in first):
        return next((at for at, one in enumerate(rest, place + 1) if one.gap == ", "), place)
    return place


def _is_denied(
    sentence: Sequence[Word], place: int, spoken: patterns.Words, is_others: bool
) -> bool:
    """Tell whether the words before *place* deny the statement, or suppose it.

    A statement that *is_others* begins with a name, any other with a verb or a pronoun.
    """
    said_before = sentence[max(0, place - _MOST_AHEAD) : place]
    if not spoken.supposed.isdisjoint(word.folded for word in said_before):
        return True
    if place and not is_others and "," not in sentence[place].gap:
        before = sentence[place - 1].folded
        if before in spoken.negations or before in spoken.before_nouns:
            return True
    near = sentence[max(0, place - _MOST_DENYING) : place + 1]
    clause: set[str] = set()
    for one, before_one in pairwise(near[::-1]):
        is_apart = "," in one.gap and one.folded not in ("that", "dass")
        if is_apart or before_one.folded in spoken.breaks:
            break
        clause.add(before_one.folded)
    forgets = not spoken.forgetting.isdisjoint(clause)
    denies = not spoken.denied.isdisjoint(clause) or any(one.endswith("n't") for one in clause)
    return forgets != denies if forgets else denies and not spoken.recalling.isdisjoint(clause)


def _match(sentence: _Sentence, place: int, pattern: Pattern) -> tuple[int, Named | None] | None:
    """Return the place after the words of *pattern* that begin at *place*, and its subject."""
    words, subject = sentence.words, None
    for number, wanted in enumerate(pattern.words):
        if patterns.ANY in wanted:
            place = _skip(words, place, pattern.words[number + 1])
            continue
        if number:
            while place < len(words) and _is_filler(words[place], wanted, pattern):
                place += 1
        if not wanted.isdisjoint((patterns.SUBJECT, patterns.OWNER)):
            # "El cumpleaños de mi hija Inma"
            owned = 2 * (words[place].folded in kin.OWN) if place < len(words) else 0
            at = place if place in sentence.subjects else place + owned
            if at not in sentence.subjects:
                return None
            place, subject = sentence.subjects[at]
            is_possessive = place < len(words) and words[place].gap.startswith(_POSSESSIVES)
            is_possessive |= place > 0 and words[place - 1].folded in _POSSESSED
            if is_possessive != (patterns.OWNER in wanted):
                return None
            continue
        if place >= len(words) or words[place].folded not in wanted:
            return None
        place += 1
    return place, subject


def _skip(words: Sequence[Word], place: int, ahead: frozenset[str]) -> int:
    """Return the place of one of the words *ahead*, if it stands near in the same clause."""
    for at, word in enumerate(words[place : place + _MOST_BETWEEN], place):
        if word.folded in ahead:
            return at
        if "," in word.gap:
            break
    return place


def _is_filler(word: Word, wanted: frozenset[str], pattern: Pattern) -> bool:
    return word.folded in pattern.spoken.fillers and word.folded not in wanted


def _read_statements(
    text: str, sentence: _Sentence, first: int, pattern: Pattern
) -> Iterator[Statement]:
    """Yield a statement for each value behind the words of *pattern* at the place *first*."""
    matched = _match(sentence, first, pattern)
    if matched is None:
        return
    place, subject = matched
    if subject is not None and not (subject.is_sure or pattern.predicate in _OF_PERSONS):
        return
    is_passing = _is_passing(sentence.words[first:place], pattern)
    if is_passing or _is_denied(sentence.words, first, pattern.spoken, subject is not None):
        return
    if pattern.slot == patterns.ALL:
        # "Handed in my notice" is the user's at the start alone: "She handed in my notice".
        if first and subject is None and not any(_OF_USER & one for one in pattern.words):
            return
        # "Has quit smoking", "retired to bed": something else has ended.
        behind = next(iter(sentence.words[place : place + 1]), None)
        if behind is not None and behind.follows and behind.folded not in pattern.spoken.behind_end:
            return
        begin, last = sentence.words[first], sentence.words[place - 1]
        fact: Row = {"predicate": pattern.predicate, "value": EVERY, "mode": OVER}
        fact["span"] = text[begin.start : last.end].strip()
        yield Statement(fact, begin.start, begin.end, None, subject)
        return
    rest = _list_words_of_value(sentence.words[place : place + _MOST_AHEAD], pattern)
    yield from _state_values(text, sentence.words[first], rest, pattern, subject)


def _state_values(
    text: str, start: Word, rest: Sequence[Word], pattern: Pattern, subject: Named | None
) -> Iterator[Statement]:
    """Yield a statement, from *start* on, for each value at the beginning of *rest*."""
    predicate = pattern.predicate
    if predicate == "likes" and rest and rest[0].folded in pattern.spoken.none:
        predicate = "dislikes"
    node_type, kind, valence = patterns.NODES.get(predicate, (None, None, None))
    if pattern.slot != patterns.NAME and node_type == NAMED:
        # "The library" is no name.
        node_type = kind = None
    for value, end in read_values(text, rest, pattern):
        if (kind is not None or predicate == _SPOUSE) and _is_nowhere(
            value, rest[0], pattern.spoken
        ):
            continue
        fact: Row = {"predicate": predicate, "value": value}
        fact["span"] = text[start.start : end].strip()
        behind = [one for one in rest if one.start >= end]
        if (predicate == _HOME and _is_numbered(behind)) or _is_passing(behind[:1], pattern):
            continue
        if pattern.slot == _WORKPLACE:
            # "The clinic Sankt Anna"
            named = [one for one in rest if one.end >= end]
            if not named[0].is_capitalised:
                named = [one for one in named[1:] if named[1].follows]
            last = max(end, *(one.end for one in named[: find_name_end(named)]), end)
            fact["value"] = text[rest[0].start : last]
            fact["span"] = text[start.start : last].strip()
        if pattern.mode != BESIDE:
            fact["mode"] = pattern.mode
        if pattern.needs_known:
            fact["known"] = True
        observation = None
        # For others, only a thing with a name gets a node of its own.
        is_users = subject is None or subject.label == SELF
        if node_type is not None and (is_users or node_type == NAMED):
            about = {"label": value, "type": node_type, "kind": kind, "valence": valence}
            observation = {key: one for key, one in about.items() if one is not None}
        yield Statement(fact, start.start, start.end, observation, subject)
        yield from _state_more(text, start, behind, pattern, subject)


def _state_more(
    text: str, start: Word, behind: Sequence[Word], pattern: Pattern, subject: Named | None
) -> Iterator[Statement]:
    """Yield the firm *behind* an occupation, and the occupation behind an age.

    These are in "a paralegal at Brodie & Finch", "41 and a carpenter" and "41, a carpenter".
    """
    spoken, first = pattern.spoken, next((one.folded for one in behind), "")
    rest = behind[1:]
    if pattern.predicate == _AGE and first in spoken.joins | spoken.articles:
        rest = rest[1:] if rest and rest[0].folded in spoken.articles else rest
        more = replace(pattern, predicate=_OCCUPATION, slot="", listed=patterns.OCCUPATIONS)
    elif pattern.predicate == _OCCUPATION and first in spoken.at:
        more = replace(pattern, predicate=_EMPLOYER, slot=patterns.NAME)
        if rest and rest[0].folded in spoken.before_nouns:
            more = replace(more, slot=_WORKPLACE, listed=patterns.WORKPLACES)
            rest = rest[1:]
    else:
        return
    yield from _state_values(text, start, rest, more, subject)


def _list_words_of_value(rest: Sequence[Word], pattern: Pattern) -> Sequence[Word]:
    """Return the words of *rest*, those behind a pattern, in which its value may be."""
    if len(rest) > 1 and kin.of(rest[0].folded, rest[1].folded):
        return []
    if pattern.is_contrast and rest and rest[0].folded in pattern.spoken.fillers:
        # "Not only walnuts" ends nothing.
        return []
    while rest and rest[0].folded in pattern.spoken.fillers:
        rest = rest[1:]
    if pattern.followed:
        behind = [at for at, word in enumerate(rest) if word.folded in pattern.followed]
        rest = rest[: behind[0]] if behind else []
    return rest


def _is_passing(words: Sequence[Word], pattern: Pattern) -> bool:
    """Tell whether by *words* one is at a place of work now and then: "most evenings"."""
    is_at_work = pattern.slot == _WORKPLACE
    return is_at_work and any(one.folded in pattern.spoken.passing for one in words)


def _is_numbered(behind: Sequence[Word]) -> bool:
    """Tell whether what stands *behind* a name makes no place of it: "Room 4", "Anna's desk"."""
    first = next(iter(behind), None)
    is_number = first is not None and first.follows and (first.is_number or len(first.text) == 1)
    return is_number or (first is not None and first.gap.startswith(_IS_SHORT))


def _is_nowhere(value: str, word: Word, spoken: patterns.Words) -> bool:
    """Tell whether *value*, from *word* on or after it, is no firm and no place."""
    name = folded(value)
    if dated.is_calendar(word.folded):
        return True
    return name in spoken.nowhere or (word.text.islower() and name in ordinary.ORDINARY)
