"""What a message mentions, told without any model: names, dates, numbers and frequent nouns.

It knows no grammar, only how words are written, so it misses much and takes some for a name that is
none. What it finds stands in the text, so of a user's message it is the user's.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ..associate.calendar_words import MONTHS, WEEKDAYS
from ..words import missing
from ..words.languages import spoken
from ..words.splitting import in_words, is_unspaced, split
from . import names, schema, spans

# More than this says nothing of a message.
MOST: Final = 30
_FREQUENT: Final = 2
# In a long message a word stands twice by chance: once more for each so many words.
_WORDS_OF_ONE_MORE: Final = 75
_SHORTEST_NOUN: Final = 4
_INNER: Final = frozenset("'’-.")
_BLANKS: Final = frozenset(" \t")
_BETWEEN_PARTS: Final = frozenset(" \t,./-–—")
# A name of a month or a day is shortened to no more, and then has a full stop.
_SHORTENED: Final = 3
_ENDS: Final = frozenset('.!?…。！？\n:;"“”(•*')
# Between the parts of a name: Bank of America, Ludwig van Beethoven.
_LINKS: Final = frozenset(
    ("of", "de", "da", "di", "du", "del", "van", "von", "der", "den", "la", "le", "el", "al", "bin")
)
# What begins a message often and names nobody.
_OPENINGS: Final = frozenset(
    (
        *("hello", "hi", "hey", "thanks", "thank", "yes", "yeah", "yep", "okay", "ok", "sure"),
        *("great", "good", "nice", "please", "sorry", "wow", "well", "oh", "ah", "no", "nope"),
        *("maybe", "perhaps", "absolutely", "exactly", "right", "correct", "got", "let", "lets"),
        *("also", "additionally", "remember", "consider", "try", "make", "keep", "take", "tell"),
        *("give", "want", "need", "think", "know", "help", "today", "yesterday", "tomorrow"),
        *("tonight", "recently", "lately", "currently", "actually", "basically", "honestly"),
        *("dr", "mr", "mrs", "ms"),
    )
)
# Before one of these a capitalised word begins a sentence, and is no name: "Look at", "Given the".
_AFTER_NO_NAME: Final = frozenset(
    (
        *("a", "an", "the", "that", "this", "these", "those", "my", "your", "our", "their"),
        *("at", "for", "to", "with", "about", "of", "on", "in", "into", "down", "up", "out"),
        *("some", "any", "each", "one", "by", "from", "how", "what", "if"),
    )
)
# Before one of these, or what ends like a verb, is somebody: "Max is", "Max met", "Max sleeps".
_TELLING: Final = frozenset(
    (
        *("is", "was", "are", "were", "has", "had", "will", "would", "can", "could", "should"),
        *("did", "and", "or", "who", "isn't", "wasn't", "won't", "doesn't", "didn't", "can't"),
        *("said", "told", "came", "went", "got", "gave", "took", "made", "met", "saw", "ran"),
        *("left", "lost", "won", "bought", "brought", "thought", "knew", "felt", "found", "kept"),
        *("sent", "wrote", "read", "ate", "slept", "spoke", "began", "became", "just", "never"),
        *("also", "always", "still", "really", "might", "may", "must", "bit", "put", "let", "hit"),
    )
)
_VERBS: Final = ("ed", "s")
_NO_VERBS: Final = ("ss", "us")
# A pronoun and its verb, or a verb and not: nobody's names.
_SHORT: Final = ("'ve", "'re", "'ll", "'m", "'d", "n't")
# Of English: what ends so is seldom a noun.
_NO_NOUNS: Final = ("ly", "ing", "ed")


@dataclass(frozen=True, slots=True)
class _Word:
    """A word of the text, where it stands, and whether a sentence begins with it."""

    text: str
    start: int
    end: int
    begins: bool
    # What follows it at once is no blank.
    stops: bool

    @property
    def folded(self) -> str:
        return self.text.casefold()

    @property
    def is_capitalised(self) -> bool:
        is_short = self.folded.replace("’", "'").endswith(_SHORT)
        return self.text[0].isupper() and len(self.text) > 1 and not is_short

    @property
    def is_number(self) -> bool:
        return self.text[0].isdigit()


def observations(text: str, languages: Sequence[str]) -> list[dict[str, Any]]:
    """Return what *text* mentions as `observe` takes it, in the order of the text, at most 30.

    Each has label and type, and of dates and numbers the kind. *languages* are as `words.terms`
    takes them; without the libraries of these only names, dates and numbers are told.
    """
    words, said = list(_words(text)), spans.Said(text)
    idle = _idle(words, languages)
    found: dict[str, tuple[int, dict[str, Any]]] = {}
    named = _names(words, idle, "english" in languages)
    # Of each character, whether it is in what was found.
    taken = bytearray(len(text))
    dated = _dates(text, words, idle)
    for start, end, node_type, kind in (*dated, *named, *_nouns(words, idle)):
        # A whole message in capitals is nobody's name.
        if end - start > schema.MAX_LABEL or any(taken[start:end]):
            continue
        label = text[start:end]
        name = names.canonical(label)
        if name in found or said.find(label) is None:
            continue
        one = {"label": label, "type": node_type}
        found[name] = start, one | ({"kind": kind} if kind else {})
        taken[start:end] = b"\1" * (end - start)
    return [one for _, one in sorted(found.values(), key=lambda pair: pair[0])][:MOST]


_Found = tuple[int, int, str, str | None]


def _words(text: str) -> Iterator[_Word]:
    """Iterate over the words of *text*; a sign between letters or digits belongs to them."""
    place, begins = 0, True
    while place < len(text):
        character = text[place]
        if not in_words(character) or is_unspaced(character):
            begins = (begins and not is_unspaced(character)) or character in _ENDS
            place += 1
            continue
        end = place
        while end < len(text) and _goes_on(text, end):
            end += 1
        word = text[place:end]
        for possessive in ("'s", "’s"):
            word = word.removesuffix(possessive)
        stops = end < len(text) and text[end] not in _BLANKS and end == place + len(word)
        yield _Word(word, place, place + len(word), begins, stops)
        begins, place = False, end


def _goes_on(text: str, place: int) -> bool:
    if in_words(text[place]):
        return not is_unspaced(text[place])
    around = text[place - 1 : place] + text[place + 1 : place + 2]
    if len(around) < 2 or not all(map(in_words, around)):
        return False
    return text[place] in _INNER or (text[place] in ",:" and around.isdigit())


def _idle(words: Sequence[_Word], languages: Sequence[str]) -> frozenset[str]:
    """Return the words that say nothing."""
    if missing():
        return _OPENINGS
    folded = [piece for word in words for piece in split(word.text)]
    stops = frozenset(word for one in spoken(folded, languages) for word in one.stop_words)
    return stops | _OPENINGS


def _dates(text: str, words: Sequence[_Word], idle: frozenset[str]) -> Iterator[_Found]:
    """Iterate over dates and numbers with their units: "15 June 2025", "2025-06-15", "12 kg"."""
    ids = {id(word): index for index, word in enumerate(words)}
    for whole in _runs(text, words):
        if any(map(_is_calendar, whole)) or _is_date(whole[0].text):
            yield whole[0].start, whole[-1].end, "topic", "date"
            continue
        for number in whole:
            following = words[ids[id(number)] + 1 : ids[id(number)] + 2]
            unit = [one for one in following if text[number.end : one.start] in _BLANKS]
            # A number alone tells nothing.
            if unit and _is_unit(unit[0]) and unit[0].folded not in idle:
                yield number.start, unit[0].end, "topic", "number"


def _runs(text: str, words: Sequence[_Word]) -> Iterator[list[_Word]]:
    """Iterate over numbers and words of the calendar, together those that may be parts of a date.

    What ends a sentence or a line ends a date: on "June 7th" may follow the 2 of a list.
    """
    run: list[_Word] = []
    for word in words:
        is_part = word.is_number or _is_calendar(word)
        if run and not (is_part and _goes_with(run[-1], text[run[-1].end : word.start])):
            yield run
            run = []
        if is_part:
            run.append(word)
    if run:
        yield run


def _goes_with(last: _Word, gap: str) -> bool:
    """Tell whether what follows *last* after *gap* is of the same date: "15. Juni", "Oct. 5"."""
    if "." in gap and not (last.text.isdigit() or len(last.text) <= _SHORTENED):
        return False
    return _BETWEEN_PARTS.issuperset(gap)


def _is_unit(word: _Word) -> bool:
    """Tell whether it may be what a number counts; "3 x 4" is a product."""
    return word.text.islower() and word.text != "x" and not word.is_number


def _is_calendar(word: _Word) -> bool:
    return word.is_capitalised and (word.folded in MONTHS or word.folded in WEEKDAYS)


def _is_date(number: str) -> bool:
    """Tell whether a number is a year, or three parts of a date."""
    if len(number) == 4 and number.isdigit():
        return number[:2] in ("18", "19", "20")
    parts = number.replace(".", "-").split("-")
    return len(parts) == 3 and all(part.isdigit() and len(part) <= 4 for part in parts)


def _names(words: Sequence[_Word], idle: frozenset[str], english: bool) -> Iterator[_Found]:
    """Iterate over runs of capitalised words; one alone at a beginning must look like a name."""
    lower = frozenset(word.text for word in words if word.text.islower())
    run: list[_Word] = []
    for word in (*words, None):
        if word is not None and _continues(run, word):
            run.append(word)
            continue
        name = _trimmed(run, idle)
        if name and (len(name) > 1 or _is_name(name[0], word, idle | lower, english)):
            yield name[0].start, name[-1].end, "entity", None
        run = [word] if word is not None and word.is_capitalised else []


def _continues(run: Sequence[_Word], word: _Word) -> bool:
    if not run or word.begins or word.start != run[-1].end + 1:
        return False
    return word.is_capitalised or word.text in _LINKS


def _trimmed(run: Sequence[_Word], idle: frozenset[str]) -> list[_Word]:
    """Return *run* without what says nothing at its beginning and links at its end."""
    name = list(run)
    while name and name[0].folded in idle and (name[0].begins or len(name) == 1):
        name.pop(0)
    while name and not name[-1].is_capitalised:
        name.pop()
    return name


def _is_name(word: _Word, following: _Word | None, idle: frozenset[str], english: bool) -> bool:
    if word.folded in idle or _is_calendar(word):
        return False
    if not word.begins:
        return True
    if word.stops or (following is not None and following.text in _AFTER_NO_NAME):
        return False
    if english and (following is None or not _is_telling(following)):
        return False
    return not word.folded.endswith(_NO_NOUNS)


def _is_telling(following: _Word) -> bool:
    """Tell whether a name may come before this word: "Sounds good" and "Write me" name nobody."""
    word = following.text
    if following.begins:
        return False
    is_verb = word.islower() and word.endswith(_VERBS) and not word.endswith(_NO_VERBS)
    return word in _TELLING or is_verb


def _nouns(words: Sequence[_Word], idle: frozenset[str]) -> Iterator[_Found]:
    """Iterate over what is written small, says something, and stands there twice or more."""
    if missing():
        return
    counts = Counter(word.folded for word in words)
    least = _FREQUENT + len(words) // _WORDS_OF_ONE_MORE
    for word in words:
        if (
            counts[word.folded] >= least
            and len(word.text) >= _SHORTEST_NOUN
            and word.text.isalpha()
            and word.folded not in idle
            and not word.folded.endswith(_NO_NOUNS)
        ):
            yield word.start, word.end, "topic", None
