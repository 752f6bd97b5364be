"""Proper names, told by how they are written and by what is said around them.

In English a capital within a sentence tells a name. In German every noun has one, so that a first
name, a title, a kin word or a place's preposition must tell it, or that it is used without any
article again and again.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from ..language.dated import is_calendar
from ..language.ordinary import ORDINARY
from ..narration import kin
from . import people
from .written import Word

PERSON: Final = "person"
PLACE: Final = "place"
# Between the parts of a name: Bank of America, Ludwig van Beethoven.
_LINKS: Final = frozenset(
    ("of", "de", "da", "di", "du", "del", "van", "von", "der", "den", "la", "le", "el", "al", "bin")
)
_MOST_PARTS: Final = 4
_NEAR: Final = 12
# What has fewer letters may be anything.
_SHORTEST: Final = 3
_QUOTES: Final = tuple("'\"‘“„«*/(")
# Behind one of these an acronym is that of a firm or a place.
_OF: Final = frozenset(("at", "for", "from", "with", "by", "to", "bei", "von", "für"))
# Behind one of these, without an article, several plain words are that of a firm too.
_AT: Final = frozenset(("at", "from"))
# Behind whoever does something: "Max is", "Zeus met".
_TELLING: Final = frozenset(
    (
        *("is", "was", "are", "were", "has", "had", "will", "would", "can", "could", "should"),
        *("did", "who", "isn't", "wasn't", "won't", "doesn't", "didn't", "can't"),
        *("said", "told", "came", "went", "got", "gave", "took", "made", "met", "saw", "ran"),
        *("left", "lost", "won", "bought", "brought", "thought", "knew", "felt", "found", "kept"),
        *("sent", "wrote", "ate", "slept", "spoke", "began", "became", "bit", "called", "says"),
    )
)
# So end nouns that somebody wrote with a capital, and what is done or how.
_NO_ENDINGS: Final = (
    *("tion", "sion", "ment", "ness", "ing", "ings", "ance", "ence", "ship", "ism", "ity", "ities"),
    *("tions", "ments", "ed", "ly", "als", "ures", "ages", "ware", "ist", "ists", "ous"),
)
# Behind these stands a noun, however it is written.
_BEFORE_NOUNS: Final = frozenset(
    (
        *("a", "an", "the", "my", "our", "your", "their", "his", "her", "its", "this", "these"),
        *("that", "those", "some", "any", "each", "every", "no", "more", "of"),
    )
)
_ROLES: Final = frozenset(
    (
        *("manager", "engineer", "officer", "developer", "director", "analyst", "consultant"),
        *("executive", "assistant", "designer", "lead", "owner", "owners", "team", "report"),
        *("plan", "list", "model", "method", "account", "review", "form", "answer", "metrics"),
    )
)
# Capitalised within a sentence, and nobody's name.
_NO_NAMES: Final = frozenset(
    (
        *("english", "german", "french", "spanish", "italian", "japanese", "chinese", "korean"),
        *("russian", "portuguese", "dutch", "american", "british", "european", "asian", "african"),
        *("australian", "canadian", "indian", "mexican", "irish", "scottish", "greek", "turkish"),
        *("christian", "muslim", "jewish", "buddhist", "western", "eastern", "internet", "god"),
        *("christmas", "easter", "halloween", "thanksgiving", "mom", "mum", "dad", "grandma"),
        *(
            "grandpa",
            "sir",
            "madam",
            "ceo",
            "cto",
            "cfo",
            "faq",
            "pdf",
            "url",
            "api",
            "html",
            "sql",
        ),
        *("css", "xml", "json", "csv", "usd", "eur", "asap", "fyi", "diy", "btw", "lol", "imo"),
        *("todo", "kpi", "roi", "seo", "faqs", "etc", "mr", "mrs", "ms", "ok", "tv", "pc", "id"),
        *("inc", "ltd", "llc", "gmbh", "co", "corp", "hi", "hello"),
        *("bot", "ai", "project", "topic", "mon", "tue", "tues", "wed"),
        *("weds", "thu", "thurs", "fri", "sat", "sun"),
        *("figure", "figures", "table", "project", "order", "share", "list", "account", "customer"),
        *("option", "step", "phase", "section", "part", "day", "week", "version", "title", "note"),
    )
)
_COUNTING: Final = frozenset(
    ("first", "second", "third", "last", "next", "above", "two", "three", "four", "five", "six")
)
# What has a number for a name: Chapter 2.
_NUMBERED: Final = frozenset(
    (
        "chapter",
        "kapitel",
        "volume",
        "band",
        "season",
        "staffel",
        "episode",
        "folge",
        "book",
        "buch",
    )
)
# German: before a name of a thing, and before a place where somebody lives or goes.
_NAMED: Final = frozenset(
    (
        *("projekt", "firma", "stadt", "dorf", "restaurant", "hotel", "café", "verein", "schule"),
        *("hund", "katze", "kater", "straße", "insel", "universität", "klinik", "band", "marke"),
    )
)
_TO_PLACES: Final = frozenset(("nach", "aus"))
_IN_PLACES: Final = frozenset(("in", "bei"))
_LIVING: Final = frozenset(
    (
        *("wohne", "wohnen", "wohnt", "wohnte", "lebe", "leben", "lebt", "lebte", "gezogen"),
        *("ziehe", "zieht", "ziehen", "komme", "kommt", "stamme", "arbeite", "arbeitet", "geboren"),
        *(
            "fahre",
            "fahren",
            "fährt",
            "gefahren",
            "reise",
            "reisen",
            "gereist",
            "fliege",
            "fliegen",
        ),
        *("geflogen", "war", "waren", "besuche", "studiere", "studiert", "umgezogen"),
    )
)
# Names of places are made of plain words: West Coast, Mount Cook.
_OF_PLACES: Final = frozenset(
    (
        *("bay", "beach", "city", "coast", "falls", "island", "islands", "lake", "mount", "palace"),
        *("park", "river", "square", "street", "valley"),
    )
)
_NO_PLACES: Final = frozenset(
    (
        *("hause", "feierabend", "rente", "urlaub", "ordnung", "angst", "liebe", "ruhe", "frieden"),
        *("teilzeit", "vollzeit", "zukunft", "wahrheit", "wirklichkeit", "deutsch", "englisch"),
        *("weihnachten", "ostern", "mitternacht", "spanisch", "französisch", "zeit", "not", "wut"),
    )
)
_DETERMINERS: Final = frozenset(
    (
        *(
            "der",
            "die",
            "das",
            "den",
            "dem",
            "des",
            "ein",
            "eine",
            "einen",
            "einem",
            "einer",
            "kein",
        ),
        *(
            "keine",
            "keinen",
            "diese",
            "dieser",
            "dieses",
            "diesen",
            "diesem",
            "jede",
            "jeder",
            "im",
        ),
        *("am", "zum", "zur", "vom", "beim", "ins", "ans", "alle", "viele", "jedes", "welche"),
        *kin.OWN,
        *kin.OTHERS,
    )
)
_GERMAN_VERBS: Final = frozenset(
    ("ist", "war", "hat", "hatte", "kam", "ging", "will", "wird", "kann", "sagt", "sagte", "meint")
)


_HAVING: Final = frozenset(
    ("i have", "we have", "i've got", "i adopted", "we adopted", "ich habe", "wir haben")
)


@dataclass(frozen=True, slots=True)
class Named:
    """A name in a text, from `start` to before `end`; `label` where it is not as it is written."""

    start: int
    end: int
    kind: str | None = None
    label: str | None = None
    # "My sister Clara": who she is to whom speaks.
    is_own: bool = False
    # By its own words or those around it, not by a capital alone.
    is_sure: bool = False


def named(written: Sequence[Word], idle: frozenset[str], german: bool) -> Iterator[Named]:
    """Iterate over the names that *written* has; *idle* are the words that say nothing."""
    yield from _kin(written)
    yield from _numbered(written)
    if not any(word.is_capitalised and not word.begins for word in written):
        yield from _lower_case(written)
    lower = frozenset(word.text for word in written if word.text.islower())
    counts = Counter(word.text for word in written)
    place = 0
    while place < len(written):
        end = _run(written, place)
        if end == place:
            place += 1
            continue
        name = _Name(written, *_trimmed(written, place, end, idle), idle | lower)
        if name.first < name.end and (found := name.told(german, counts)):
            yield found
        place = end


def _kin(written: Sequence[Word]) -> Iterator[Named]:
    """Iterate over "my sister Clara", "my dog is called Max", and "my sister" of the close ones."""
    for place, word in enumerate(written[:-1]):
        is_own = word.folded in kin.OWN or _is_had(written, place)
        if not (is_own or word.folded in kin.OTHERS):
            continue
        at = place + 1
        while at < len(written) - 1 and written[at].folded in people.ADJECTIVES:
            at += 1
        kind = kin.of(word.folded, written[at].folded)
        if kind is None or not all(one.follows for one in written[place + 1 : at + 1]):
            continue
        end = _name_after(written, at + 1)
        if end > (first := _called(written, at + 1)):
            label = _cased(written[first].text)
            label += "".join(one.gap + _cased(one.text) for one in written[first + 1 : end])
            yield Named(written[first].start, written[end - 1].end, kind, label, is_own, True)
        elif word.folded in kin.OWN and kind in people.CLOSE:
            start, last = written[place].start, written[at].end
            yield Named(start, last, kind, is_own=True, is_sure=True)


def _is_had(written: Sequence[Word], place: int) -> bool:
    """Tell whether *place* is the article of "I have a dog"."""
    if place < 2 or written[place].folded not in ("a", "an", "ein", "eine", "einen"):
        return False
    had = " ".join(one.folded for one in written[max(0, place - 2) : place])
    return had in _HAVING


def _called(written: Sequence[Word], place: int) -> int:
    """Return where the name is in "sister Clara", or in "sister is called Clara"."""
    ahead = [one.folded for one in written[place : place + 2]]
    if ahead in (["is", "called"], ["is", "named"], ["named", "called"]):
        return place + 2
    return place + 1 if ahead[:1] in (["heißt"], ["heisst"], ["named"], ["called"]) else place


def _name_after(written: Sequence[Word], place: int) -> int:
    """Return before what word a name ends that stands behind a kin word."""
    first = _called(written, place)
    is_titled = first < len(written) and written[first].folded in people.TITLES
    end, most = first, first + 2 + is_titled
    while end < len(written) and end < most and _is_name_part(written, end, first):
        end += 1
    # "My colleague Dr." alone names nobody.
    return first if is_titled and end == first + 1 else end


def _is_name_part(written: Sequence[Word], place: int, first: int) -> bool:
    word, is_second = written[place], place > first
    if is_second and written[place - 1].folded in people.TITLES and word.gap in (" ", ". "):
        return word.is_capitalised
    return _is_name_word(word, is_second)


def _is_name_word(word: Word, is_second: bool) -> bool:
    if word.gap not in (" ", ", ") or (is_second and word.gap != " ") or is_calendar(word.folded):
        return False
    # "My dog has", "my sister, I": only what a name is like.
    is_known = word.folded in (people.SAFE_NAMES if is_second else people.SMALL_NAMES)
    is_known |= word.is_capitalised and not word.is_acronym and word.gap == " "
    return is_known and word.folded not in kin.ENGLISH and not word.begins


def _cased(word: str) -> str:
    return word if any(map(str.isupper, word)) else word.capitalize()


def _numbered(written: Sequence[Word]) -> Iterator[Named]:
    for one, other in pairwise(written):
        if one.folded in _NUMBERED and other.text.isdigit() and other.follows:
            label = f"{one.text.capitalize()} {other.text}"
            yield Named(one.start, other.end, None, label, is_sure=True)


def _lower_case(written: Sequence[Word]) -> Iterator[Named]:
    """Iterate over first names where whoever writes uses no capitals."""
    for word in written:
        if word.text.islower() and word.text in people.SAFE_NAMES:
            yield Named(word.start, word.end, None, word.text.capitalize(), is_sure=True)


def _run(written: Sequence[Word], place: int) -> int:
    """Return where a run of capitalised words ends that begins at *place*; there if none does."""
    end = place
    while end < len(written):
        word = written[end]
        # "Dr. Smith"
        is_titled = end > place and written[end - 1].folded in people.TITLES and word.gap == ". "
        is_first = end == place
        if not is_first and not is_titled and (word.begins or not word.follows):
            break
        if not (word.is_capitalised or (not is_first and word.text in _LINKS)):
            break
        end += 1
    return end


def _trimmed(
    written: Sequence[Word], place: int, end: int, idle: frozenset[str]
) -> tuple[int, int]:
    """Return a run without what says nothing at its beginning and links at its end."""
    begun = place
    while place < end and _says_nothing(written[place], place + 1 == end, idle):
        place += 1
    # "Ask Tom", "When Anna"
    if end - place > 1 and written[place].begins and not _is_of_person(written[place]):
        place += _is_of_person(written[place + 1])
    while place < end and _ends_nothing(written[end - 1], idle):
        end -= 1
    # "First Aid", "Six Senses Laamu": the rest of such a name is none.
    is_rest = written[begun].folded in _COUNTING and place > begun
    return (end, end) if is_rest else (place, end)


def _is_of_person(word: Word) -> bool:
    return word.folded in people.FIRST_NAMES or word.folded in people.TITLES


def _ends_nothing(word: Word, idle: frozenset[str]) -> bool:
    return not word.is_capitalised or (word.folded in idle and not word.is_acronym)


def _says_nothing(word: Word, is_alone: bool, idle: frozenset[str]) -> bool:
    if word.folded in people.TITLES and not is_alone:
        return False
    is_idle = word.folded in idle or word.folded in _DETERMINERS
    return is_idle and (word.begins or is_alone)


class _Name:
    """A run of capitalised words, which may be a name."""

    def __init__(self, written: Sequence[Word], first: int, end: int, idle: frozenset[str]) -> None:
        self.first, self.end = first, end
        self._written, self._idle = written, idle
        self._words = written[first:end]

    def told(self, german: bool, counts: Counter[str]) -> Named | None:
        """Return the name, if it is one."""
        words, before, after = self._words, self._at(self.first - 1), self._at(self.end)
        titled = words[0].folded in people.TITLES and len(words) > 1
        known = words[0].folded in people.FIRST_NAMES
        if len(words) > _MOST_PARTS or any(map(_is_date, words)):
            return None
        if titled:
            return self._named(PERSON, is_sure=True)
        safe = words[0].folded in people.SAFE_NAMES and words[0].text not in self._idle
        if safe or (known and not words[0].begins and len(words) > 1):
            is_whole = len(words) > 1 and not german
            if german:
                # A noun may follow: "mit Anna Kaffee".
                self._words = words[: 1 + (len(words) == 2 and after is None)]
            return self._named(PERSON if is_whole else None, is_sure=True)
        if german:
            return self._german(before, counts)
        return self._english(before, after)

    def _english(self, before: Word | None, after: Word | None) -> Named | None:
        words, last = self._words, self._words[-1]
        # What somebody quotes is a wording: 'Destination Account'.
        if words[0].gap.endswith(_QUOTES) or any(map(_is_identifier, words)):
            return None
        is_subject = after is not None and after.follows and after.text in _TELLING
        if last.folded in _ROLES or last.folded.endswith(_NO_ENDINGS) or self._is_plain(before):
            return None
        if len(words) > 1:
            # "English CV"
            rest = words[1:] if words[0].folded in _NO_NAMES else words
            is_plain = all(one.is_acronym for one in rest)
            # A title, or the beginning of a line: "Sharing Best Practices".
            return self._named() if (not words[0].begins or is_subject) and not is_plain else None
        if last.begins and last.folded in people.FIRST_NAMES and after is not None:
            return self._named() if is_subject or _is_done(after) else None
        return self._named() if self._is_single(last, before) else None

    def _is_single(self, word: Word, before: Word | None) -> bool:
        """Tell whether one word alone is a name."""
        if word.folded in self._idle or word.folded in _NO_NAMES or len(word.text) < _SHORTEST:
            return False
        ahead = before.folded if before is not None and word.follows else ""
        if _is_short(word):
            return len(word.text) >= _SHORTEST and ahead in _OF
        tail = word.text.rpartition("-")[2]
        is_joined = len(tail) < len(word.text) and tail.islower() and len(tail) > _SHORTEST
        if is_joined or self._is_listed():
            return False
        return not word.begins and ahead not in _BEFORE_NOUNS

    def _is_plain(self, before: Word | None) -> bool:
        """Tell whether all words are plain ones with a capital: Resort, Final Topic.

        Several of them name a place, or whom one is "at": International Business Machines.
        """
        at_some = before is not None and before.folded in _AT and self._words[0].follows
        is_place = at_some or any(one.folded in _OF_PLACES for one in self._words)
        if len(self._words) > 1 and is_place:
            return False
        return all(_is_ordinary(one) or one.text in _LINKS for one in self._words)

    def _is_listed(self) -> bool:
        """Tell whether it is one of several in brackets, or an alternative: "Search/Browse"."""
        after = self._at(self.end)
        opened = 0
        for word in self._written[max(0, self.first - _NEAR) : self.first + 1]:
            opened += word.gap.count("(") - word.gap.count(")")
        gaps = self._words[0].gap, "" if after is None else after.gap
        return opened > 0 or gaps[1].startswith("/") or any("&" in gap for gap in gaps)

    def _german(self, before: Word | None, counts: Counter[str]) -> Named | None:
        """Return the first of the words, for the next may be a noun, if something tells a name."""
        if self._words[0].folded in _NAMED and len(self._words) > 1:
            self._words = self._words[1:2]
            return self._named(is_sure=True)
        word = self._words[0]
        if word.folded in self._idle or word.folded in _NO_PLACES or word.begins:
            return None
        self._words = self._words[:1]
        ahead = "" if before is None or not word.follows else before.folded
        living = any(one.folded in _LIVING for one in self._written)
        if ahead in _TO_PLACES | _IN_PLACES and living:
            return self._named(PLACE if ahead != "bei" else None, is_sure=True)
        if ahead in _NAMED:
            return self._named(is_sure=True)
        return self._named() if counts[word.text] > 1 and self._is_bare(word.text) else None

    def _is_bare(self, text: str) -> bool:
        """Tell whether a German word is used as a name is: no article, and it does something."""
        places = [place for place, one in enumerate(self._written) if one.text == text]
        before = [self._at(place - 1) for place in places]
        after = [self._at(place + 1) for place in places]
        if any(one is not None and one.folded in _DETERMINERS for one in before):
            return False
        return any(one is not None and one.folded in _GERMAN_VERBS for one in after)

    def _at(self, place: int) -> Word | None:
        return self._written[place] if 0 <= place < len(self._written) else None

    def _named(self, kind: str | None = None, *, is_sure: bool = False) -> Named:
        return Named(self._words[0].start, self._words[-1].end, kind, is_sure=is_sure)


def _is_done(word: Word) -> bool:
    """Tell whether a word behind a name is like a verb: chewed, sleeps."""
    is_verb = word.text.islower() and word.text.endswith(("ed", "s"))
    return word.follows and is_verb and not word.text.endswith(("ss", "us"))


def _is_date(word: Word) -> bool:
    return is_calendar(word.folded) or is_calendar(word.folded.removesuffix("s"))


def _is_short(word: Word) -> bool:
    """Tell whether a word is an acronym, or several: GANs."""
    return word.is_acronym or word.text.removesuffix("s").isupper()


def _is_ordinary(word: Word) -> bool:
    one = word.folded
    forms = {one, one.removesuffix("s"), one.removesuffix("es"), f"{one.removesuffix('ies')}y"}
    is_other = _is_short(word) or one in people.FIRST_NAMES
    return not (is_other or ORDINARY.isdisjoint(forms))


def _is_identifier(word: Word) -> bool:
    """Tell whether a word is of a program or a form: DS-921, L1, OrderContainsMeal, Style.Long."""
    text = word.text
    humps = sum(one.islower() and other.isupper() for one, other in pairwise(text))
    is_joined = any(len(part) > 2 and "." in text for part in text.split(".")[1:])
    return humps > 1 or is_joined or any(map(str.isdigit, text))
