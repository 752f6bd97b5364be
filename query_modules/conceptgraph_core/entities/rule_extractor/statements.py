"""Read what a message states, of the user or of another: "I work at …", "Jan lives in …".

Patterns, and beside them the sentences that they must not read, are data (`language`: statements).
One engine matches them: a sequence of words with alternatives, between which adverbs may stand, and
behind them a value. It reads few sentences, those that are sure: a question, a supposition, a
denial or another's word states nothing, and behind a value the sentence ends or goes on with a
small word ("the Dublin office" is no home).
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise, takewhile
from typing import Any, Final, NamedTuple

from ... import language
from ...language import oneself
from ...texts.folding import fold_marks
from ...texts.words.languages import STOP_WORDS
from ..language import dated, kin
from ..language.inflection import tokens
from ..schema import AFTER, BESIDE, EVERY, NAMED, OVER, SELF
from . import naming
from .naming import Named, find_name_end
from .prose import Word

# Not by an import statement: a reload of the modules would drop the names it defines.
re: Final[Any] = __import__("re")

Row = dict[str, Any]

_TOPIC: Final = "statements"
# In a pattern these stand for the one it is about, for that one's, and for a few words of any kind.
_SUBJECT, _OWNER, _ANY = "@", "@'s", "*"
# Over, if it was so at all: "I don't live in Bath".
_DENIED: Final = "denied"
_EMPLOYER, _HOME, _OCCUPATION, _AGE, _SPOUSE = "employer", "home", "occupation", "age", "spouse"
# Predicate -> type and kind of the thing in its value, a node of its own.
_NODES: Final[dict[str, tuple[str, str | None]]] = {
    "allergy": ("topic", None),
    _OCCUPATION: ("topic", None),
    _EMPLOYER: (NAMED, "company"),
    _HOME: (NAMED, "place"),
}
# In German a noun too has a capital, but only a person has one of these.
_OF_PERSONS: Final = frozenset((_OCCUPATION, "birthday", _HOME, _AGE, "allergy", _SPOUSE))
_SELVES: Final = frozenset(("i", "ich", "je"))
_OF_USER: Final = _SELVES | {"me", "mir", "eu", "yo", "moi"}
# Slots without a value: all values, and the one that is named; and that of a place of work.
_ALL, _TWO, _WORKPLACE = "all", "two", "workplace"
_IS_SHORT: Final = ("'s", "’s")
_GOING_ON: Final = (*'"“„(`/-', *_IS_SHORT)
_MOST_BETWEEN: Final = 6
# A statement has at most so many words, a denial stands so near before it.
_MOST_AHEAD: Final = 60
_MOST_DENYING: Final = 12
_MOST_WORDS: Final = 3
_OLDEST: Final = 120
_YEAR_OLD: Final = ("-year-old", "-jähriger", "-jährige")
_YEAR: Final = re.compile(r"(?:19|20)\d\d")


# The words of a language that tell whether a statement is one, and where its value ends, by name.
_Words = defaultdict[str, frozenset[str]]


class Pattern(NamedTuple):
    """Words with alternatives, then a value of a `slot`, then one of `followed` if there are any.

    `mode` relates the fact to an earlier one, which it may need.
    """

    words: tuple[frozenset[str], ...]
    slot: str
    followed: frozenset[str]
    predicate: str
    mode: str
    needs_known: bool
    spoken: _Words


@dataclass(frozen=True, slots=True)
class Statement:
    """A fact, from the word at `start` to `end`, and the observation of the thing it names.

    It is about the user, unless it has a `subject`.
    """

    fact: Row
    start: int
    end: int
    observation: Row | None = None
    subject: Named | None = None


class _Sentence(NamedTuple):
    """The words of a sentence; the place of each subject in it -> the place behind it."""

    words: list[Word]
    subjects: Mapping[int, tuple[int, Named]]


def _read_patterns(code: str) -> Iterator[Pattern]:
    data = language.load(code, _TOPIC)
    spoken: _Words = defaultdict(frozenset, {key: frozenset(each) for key, each in data.items()})
    spoken["supposed"] |= language.words("change", "unreal", (code,))
    spoken["denied"] |= spoken["negations"]
    for key, each in data.items():
        predicate, _, mode = key.partition(" ")
        for one in each if mode in ("", AFTER, OVER, _DENIED) else ():
            before, found, rest = one.partition("<")
            slot, _, behind = rest.partition(">")
            if found:
                words = tuple(frozenset(word.split("|")) for word in before.split())
                followed = frozenset(filter(None, behind.strip().split("|")))
                how = OVER if mode == _DENIED else mode or BESIDE
                yield Pattern(words, slot, followed, predicate, how, mode == _DENIED, spoken)


_JOINS: Final = language.words("whose", "joins")
# Small words behind a value: it has ended.
_SMALL: Final = STOP_WORDS | language.words("asking", "function") | naming.BEFORE_NOUNS
_PATTERNS: Final = tuple(one for code in language.LANGUAGES for one in _read_patterns(code))
# "I'm" -> its two words.
_CONTRACTIONS: Final = {
    short: whole.split(" ")
    for one in language.words(_TOPIC, "contractions")
    for short, _, whole in (one.partition(" = "),)
}
# "Moved" of "Moved to Leeds" -> the user's "I".
DIARY: Final = {
    word: own
    for code, own in (("en", "i"), ("de", "ich"))
    for word in language.load(code, _TOPIC)["diary"]
}
# The first word of a pattern -> the patterns, in their order.
_BY_FIRST: Final = {
    first: tuple(one for one in _PATTERNS if first in one.words[0])
    for first in frozenset().union(*(one.words[0] for one in _PATTERNS))
}
# Words that may follow the one it is about. They mark a second clause without a subject.
VERBS: Final = frozenset(
    verb
    for one in _PATTERNS
    if one.words[0] & {*_SELVES, _SUBJECT}
    for verb in one.words[1]
    if verb not in {_ANY, _SUBJECT, *_JOINS}
)
_PRONOUNS: Final = language.words(_TOPIC, "pronouns")
_POSSESSED: Final = language.words(_TOPIC, "possessives")
_SUBJECTS: Final = language.words(_TOPIC, "subjects")
_RELATIVES: Final = language.words(_TOPIC, "relatives")
# In these languages the verb alone may mean the only one: "É alérgico a …".
_NO_PRONOUN: Final = frozenset(
    verb
    for one in _PATTERNS
    if _SUBJECT in one.words[0]
    and one.spoken["pronouns"] <= language.words(_TOPIC, "pronouns", ("pt", "es"))
    for verb in one.words[1]
)
_APPOSING: Final = kin.OWN | language.words("whose", "definite")


def find_statements(
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
    for whole in list_sentences(text, written):
        words = _expand(whole)
        subjects = _list_subjects(words, names, german)
        _add_pronouns(words, subjects, only)
        sentence = _Sentence(_continue(words, subjects), subjects)
        only = _find_only(text, sentence, names, only)
        for place, word in enumerate(sentence.words):
            # "Estudio Ribera" is no study of the user's: within a sentence a verb has no capital.
            is_name = word.is_capitalised and not word.begins
            starting = () if is_name else _BY_FIRST.get(word.folded, ())
            if place in sentence.subjects:
                starting += _BY_FIRST[_SUBJECT] + _BY_FIRST[_OWNER]
            told: set[tuple[str, bool]] = set()
            for pattern in starting:
                # "Allergic to cashews, not walnuts" states one and ends another.
                kind = (
                    pattern.predicate,
                    pattern.mode == OVER and any(_ANY in one for one in pattern.words),
                )
                found = [] if kind in told else list(_read(text, sentence, place, pattern))
                told.update(kind for _ in found)
                yield from found


def list_sentences(text: str, written: Sequence[Word]) -> Iterator[list[Word]]:
    """Iterate over the words of each sentence of *written* that is no question."""
    sentence: list[Word] = []
    for word in (*written, None):
        if sentence and (word is None or word.begins):
            end = word.start if word is not None else len(text)
            if "?" not in text[sentence[-1].end : end]:
                yield sentence
            sentence = []
        if word is not None:
            sentence.append(word)


def _find_user(written: Sequence[Word]) -> Iterator[Named]:
    """Yield the words of a note for the user: "The user" of "The user lives in Ghent"."""
    for before, word in pairwise((None, *written)):
        if word is not None and word.folded in oneself.USERS:
            start = word.start if before is None or word.begins else before.start
            yield Named(start, word.end, None, SELF, is_sure=True)


def _expand(sentence: Sequence[Word]) -> list[Word]:
    """Return *sentence* with both words of each contraction, and the "I" that a diary omits."""
    first = sentence[0]
    own = DIARY.get(first.folded)
    # "Habe ich" has its "I".
    is_diary = own is not None and own not in [one.folded for one in sentence[1:2]]
    found = [replace(first, text=own, folded=own)] if own and is_diary else []
    for word, behind in zip(sentence, (*sentence[1:], None), strict=True):
        short, second = _CONTRACTIONS.get(word.folded, [word.folded, ""])
        end = word.start + len(short) if second else word.end
        found.append(replace(word, text=word.text[: end - word.start], end=end, folded=short))
        if second:
            found.append(Word(second, end, word.end, False, " ", second))
        elif behind is not None and behind.gap.startswith(_IS_SHORT) and short in _PRONOUNS:
            # "He's" ends like a possessive, which is no part of a word.
            found.append(Word("is", word.end, word.end + 2, False, " ", "is"))
    return found


# The one a statement is about


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
            rest = words[last + 1 : last + _MOST_BETWEEN]
            if any(
                each.gap == ", " and each.folded in _APPOSING for each in words[last : last + 1]
            ):
                # "Otis, my son, is six"
                last = next(
                    (at for at, each in enumerate(rest, last + 1) if each.gap == ", "), last
                )
            found[place] = last, replace(one, is_sure=one.is_sure or not german)
    return found


def _add_pronouns(
    words: Sequence[Word], subjects: dict[int, tuple[int, Named]], only: Named | None
) -> None:
    """Add to *subjects* the words that mean the *only* one, or the one named in the sentence."""
    places = _list_places(words)
    for place, word in enumerate(words):
        ahead = [at for at in subjects if at < place and words[at].start not in places]
        named = [subjects[at][1] for at in ahead]
        meant = named[0] if len(named) == 1 and only in (None, named[0]) else only
        is_clause = place == 0 or "," in word.gap or words[place - 1].folded in _JOINS
        if meant is None or len(named) > 1 or not is_clause:
            continue
        if word.begins and word.folded in _NO_PRONOUN:
            subjects[place] = place, meant
        elif word.folded in _PRONOUNS | _POSSESSED:
            subjects.setdefault(place, (place + 1, meant))


def _list_places(words: Sequence[Word]) -> frozenset[int]:
    """Return where the words begin that a preposition of places is before: "in Kiel"."""
    pairs = pairwise(words)
    return frozenset(one.start for before, one in pairs if before.folded in naming.AT_PLACES)


def _continue(words: Sequence[Word], subjects: dict[int, tuple[int, Named]]) -> list[Word]:
    """Return *words* with the subjects that a second clause omits: "and work at …", "who …"."""
    found = list(words)
    before: Word | Named | None = None
    ends = dict(subjects.values())
    for place, word in enumerate(words[:-1]):
        if place in ends and word.folded in _RELATIVES:
            # "My sister Clara, who is a vet and lives in Oslo"
            subjects.setdefault(place, (place + 1, ends[place]))
        end = subjects[place][0] if place in subjects else place + 1
        follows = end < len(words) and words[end].folded in VERBS
        if place in subjects:
            before = subjects[place][1] if follows else before
        elif word.folded in _SELVES:
            # "My friend and I": only a clause that is like a statement continues.
            before = word if follows else None
        elif word.folded in _SUBJECTS and place not in ends:
            # "Elena es abogada": in Spanish that is the verb.
            before = None
        elif before is not None and word.folded in _JOINS and follows:
            if isinstance(before, Word):
                found[place] = replace(before, gap=", ")
            else:
                subjects[place] = place + 1, before
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


# Whether a pattern matches


def _match(sentence: _Sentence, place: int, pattern: Pattern) -> tuple[int, Named | None] | None:
    """Return the place after the words of *pattern* that begin at *place*, and its subject."""
    words, subject = sentence.words, None
    for number, wanted in enumerate(pattern.words):
        if _ANY in wanted:
            near = range(place, min(len(words), place + _MOST_BETWEEN))
            commas = [at for at in near if "," in words[at].gap]
            some = range(place, commas[0] + 1) if commas else near
            ahead = pattern.words[number + 1]
            begun, place = place, next((at for at in some if words[at].folded in ahead), place)
            if any(one.folded in pattern.spoken["denied"] for one in words[begun:place]):
                return None
            continue
        skipped = pattern.spoken["fillers"] - wanted if number else frozenset()
        while place < len(words) and words[place].folded in skipped:
            place += 1
        if place >= len(words):
            return None
        if wanted.isdisjoint((_SUBJECT, _OWNER)):
            if words[place].folded not in wanted:
                return None
            place += 1
            continue
        # "El cumpleaños de mi hija Inma"
        at = place if place in sentence.subjects else place + 2 * (words[place].folded in kin.OWN)
        if at not in sentence.subjects:
            return None
        place, subject = sentence.subjects[at]
        is_possessive = place < len(words) and words[place].gap.startswith(("'", "’"))
        is_possessive |= place > 0 and words[place - 1].folded in _POSSESSED
        if is_possessive != (_OWNER in wanted):
            return None
    return place, subject


def _is_denied(words: Sequence[Word], place: int, spoken: _Words, is_others: bool) -> bool:
    """Tell whether the words before *place* deny the statement, or suppose it.

    A statement that *is_others* begins with a name, any other with a verb or a pronoun. "Forget
    that …" and "don't remember that …" each deny it; "don't forget that …" does not.
    """
    ahead = words[max(0, place - _MOST_AHEAD) : place]
    is_noun = place > 0 and not is_others and "," not in words[place].gap
    if not spoken["supposed"].isdisjoint(word.folded for word in ahead):
        return True
    if is_noun and words[place - 1].folded in spoken["before nouns"]:
        return True
    clause: set[str] = set()
    for word, before in pairwise(words[max(0, place - _MOST_DENYING) : place + 1][::-1]):
        is_apart = "," in word.gap and word.folded not in ("that", "dass")
        if is_apart or before.folded in spoken["breaks"]:
            break
        clause.add(before.folded)
    is_denial = any(one.endswith("n't") or one in spoken["denied"] for one in clause)
    return is_denial is spoken["forgetting"].isdisjoint(clause)


def _read(text: str, sentence: _Sentence, first: int, pattern: Pattern) -> Iterator[Statement]:
    """Yield a statement for each value behind the words of *pattern* at the place *first*."""
    matched = _match(sentence, first, pattern)
    if matched is None:
        return
    place, subject = matched
    words, spoken = sentence.words, pattern.spoken
    is_unsure = subject is not None and not (subject.is_sure or pattern.predicate in _OF_PERSONS)
    if is_unsure or _is_denied(words, first, spoken, subject is not None):
        return
    rest = words[place : place + _MOST_AHEAD]
    if pattern.slot in (_ALL, _TWO):
        # "Handed in my notice" is the user's at the start alone: "She handed in my notice".
        is_own = not first or any(_OF_USER & one for one in pattern.words)
        if (subject or is_own) and _is_over(rest, spoken, is_two=pattern.slot == _TWO):
            yield _state_over(text, words[first:place], pattern, subject)
        return
    if pattern.needs_known and rest and rest[0].folded in spoken["fillers"]:
        # "Not only walnuts" ends nothing.
        return
    while rest and rest[0].folded in spoken["fillers"]:
        rest = rest[1:]
    if pattern.followed:
        behind = [at for at, word in enumerate(rest) if word.folded in pattern.followed]
        rest = rest[: behind[0]] if behind else []
    is_passing = not spoken["passing"].isdisjoint(one.folded for one in words[first:place])
    is_kin = len(rest) > 1 and kin.of(rest[0].folded, rest[1].folded) is not None
    if not is_kin and not (is_passing and pattern.slot == _WORKPLACE):
        yield from _state(text, words[first], rest, pattern, subject)


def _state_over(
    text: str, said: Sequence[Word], pattern: Pattern, subject: Named | None
) -> Statement:
    """State that every value is over, or that the user and the *subject* are two."""
    begin, span = said[0], text[said[0].start : said[-1].end].strip()
    fact: Row = {"predicate": pattern.predicate, "span": span}
    if pattern.slot == _ALL or subject is None:
        fact |= {"value": EVERY, "mode": OVER}
        return Statement(fact, begin.start, begin.end, None, subject)
    label = subject.label or text[subject.start : subject.end]
    named = replace(subject, kind=pattern.predicate, label=label, is_own=True, is_sure=True)
    return Statement(fact | {"object": label}, begin.start, begin.end, None, named)


def _is_over(behind: Sequence[Word], spoken: _Words, *, is_two: bool) -> bool:
    """Tell whether the clause ends before the words *behind*: no "has quit smoking".

    "We are together in Porto" tells of a journey: of *is_two* the clause ends or has a time.
    """
    if is_two:
        while behind and behind[0].follows and behind[0].folded in spoken["fillers"]:
            behind = behind[1:]
    if not behind or not behind[0].follows:
        return True
    if not is_two:
        return behind[0].folded in spoken["behind end"]
    near = [one.folded for one in behind[:3]]
    is_dated = any(dated.is_calendar(one) or _YEAR.fullmatch(one) for one in near[:2])
    return near[0] in spoken["behind two"] or is_dated or "ago" in near


def _state(
    text: str, start: Word, rest: Sequence[Word], pattern: Pattern, subject: Named | None
) -> Iterator[Statement]:
    """Yield a statement, from *start* on, for each value at the beginning of *rest*."""
    predicate, spoken = pattern.predicate, pattern.spoken
    read = _SLOTS.get(pattern.slot, _read_listed)
    for value, end in read(text, rest, pattern) if rest else ():
        # The "I" of a second clause is the first one's.
        inside = [at for at, one in enumerate(rest) if rest[0].start <= one.start < end]
        behind = rest[inside[-1] + 1 :] if inside else rest
        is_thing = pattern.slot == _WORKPLACE and behind and behind[0].folded in spoken["passing"]
        if is_thing or (pattern.slot == "name" and not _ends(text, end, behind, spoken)):
            continue
        fact: Row = {"predicate": predicate, "value": value}
        fact["span"] = text[start.start : end].strip()
        fact |= {"mode": pattern.mode} if pattern.mode != BESIDE else {}
        fact |= {"known": True} if pattern.needs_known else {}
        node_type, kind = _NODES.get(predicate, (None, None))
        is_users = subject is None or subject.label == SELF
        if node_type == NAMED and pattern.slot != "name":
            # "The library" is no name.
            node_type = None
        observation = None
        # For others, only a thing with a name gets a node of its own.
        if node_type is not None and (is_users or node_type == NAMED):
            observation = {"label": value, "type": node_type} | ({"kind": kind} if kind else {})
        yield Statement(fact, start.start, start.end, observation, subject)


def _ends(text: str, end: int, behind: Sequence[Word], spoken: _Words) -> bool:
    """Tell whether a value ends at *end* of *text*: no "Dublin office", "Room 4", "Anna's desk"."""
    if text.startswith((*_IS_SHORT, "-", "/"), end):
        return False
    small = ("stops", "joins", "fillers", "breaks", "behind end")
    is_apart = not behind or not behind[0].follows or behind[0].folded in _SMALL
    return is_apart or any(behind[0].folded in spoken[one] for one in small)


# The values: each yields a value at the start of the words, with the place where it ends


def _read_name(text: str, rest: Sequence[Word], pattern: Pattern) -> Iterator[tuple[str, int]]:
    spoken = pattern.spoken
    is_the = rest[0].folded in spoken["before names"] and len(rest) > 1
    rest = rest[is_the:]
    end = find_name_end(rest)
    value = None
    if end and rest[0].folded not in spoken["no phrases"]:
        value = text[rest[0].start : rest[end - 1].end], rest[end - 1].end
    elif not is_the and not any(one.is_capitalised for one in rest):
        # In a text without capitals the first word is the name.
        word, no_names = rest[0], spoken["stops"] | spoken["no phrases"] | spoken["articles"]
        is_word = word.text.islower() and len(word.text) > _MOST_WORDS
        if is_word and word.folded not in no_names | naming.ORDINARY:
            value = word.text.capitalize(), word.end
    if value is None or (
        pattern.predicate in (_HOME, _EMPLOYER)
        and (dated.is_calendar(rest[0].folded) or fold_marks(value[0]) in spoken["nowhere"])
    ):
        return
    yield value


def _read_phrase(text: str, rest: Sequence[Word], pattern: Pattern) -> Iterator[tuple[str, int]]:
    """Yield the thing at the start of *rest*, three words at most.

    Behind an "and" anything may stand: "allergic to nuts and carries a pen".
    """
    spoken = pattern.spoken
    while rest and rest[0].folded in spoken["articles"]:
        rest = rest[1:]
    ends = spoken["stops"] | spoken["joins"]
    group = list(rest[:1])
    for word in rest[1:]:
        if word.gap.strip() not in ("", "-") or word.folded in ends:
            break
        group.append(word)
    if (
        not 0 < len(group) <= _MOST_WORDS
        or group[0].folded in spoken["no phrases"] | spoken["stops"]
    ):
        return
    end = group[-1].end
    if not text[end : end + 4].lstrip(" ").startswith(_GOING_ON):
        yield text[group[0].start : end], end


def _read_date(text: str, rest: Sequence[Word], _: Pattern) -> Iterator[tuple[str, int]]:
    for found in islice(dated.dates(text[rest[0].start : rest[-1].end]), 1):
        yield found.label, rest[0].start + found.end


def _read_age(text: str, rest: Sequence[Word], pattern: Pattern) -> Iterator[tuple[str, int]]:
    """Yield "33" of "33", "33 years old" or "33 last week"; of "33 minutes" nothing."""
    spoken = pattern.spoken
    number = tokens(rest[0].text)[0].form if tokens(rest[0].text) else ""
    if rest[0].folded.endswith(_YEAR_OLD):
        # "A 36-year-old teacher"
        yield number, rest[0].end
        return
    is_part = text[rest[0].end : rest[0].end + 1] not in (*" .,;!)\n", "")
    if is_part or not number.isdigit() or not 0 < int(number) <= _OLDEST:
        return
    behind = [word.folded for word in takewhile(lambda word: word.follows, rest[1:3])]
    said = {" ".join(behind), *behind[:1]}
    is_one = not spoken["articles"].isdisjoint(pattern.words[-1])
    if is_one and (len(behind) < 2 or " ".join(behind) not in spoken["behind age"]):
        # "Max is a 10"
        return
    # "41 and a carpenter", "91 in May"
    is_dated = len(behind) > 1 and dated.is_calendar(behind[1])
    if not behind or is_dated or not (spoken["behind age"] | spoken["joins"]).isdisjoint(said):
        yield number, rest[0].end


def _read_listed(text: str, rest: Sequence[Word], pattern: Pattern) -> Iterator[tuple[str, int]]:
    """Yield a listed word from the start of *rest*: "teacher", also of "primary school teacher"."""
    spoken = pattern.spoken
    listed = spoken[f"{pattern.slot}s"]
    if rest[0].is_number and [one.folded for one in rest[1:3]] == ["year", "old"]:
        rest = rest[3:]
    for first in range(min(len(rest), _MOST_WORDS)):
        is_apart = first > 0 and not rest[first].follows
        if (
            is_apart
            or rest[first].folded in spoken["stops"] | spoken["no phrases"] | spoken["articles"]
        ):
            return
        for size in range(_MOST_WORDS, 0, -1):
            words = rest[first : first + size]
            if not words or " ".join(word.folded for word in words) not in listed:
                continue
            start = rest[rest[0].folded.endswith(_YEAR_OLD)].start
            end, behind = words[-1].end, rest[first + len(words) :]
            if pattern.slot == _WORKPLACE:
                # "Hospital de Sines"
                size = max(len(words), find_name_end(rest[first:]))  # noqa: PLW2901
                end, behind = rest[first + size - 1].end, rest[first + size :]
            if _ends(text, end, behind, spoken):
                yield text[start:end], end
            return


_Read = Callable[[str, Sequence[Word], Pattern], Iterator[tuple[str, int]]]
_SLOTS: Final[Mapping[str, _Read]] = {
    "name": _read_name,
    "phrase": _read_phrase,
    "date": _read_date,
    "age": _read_age,
}
