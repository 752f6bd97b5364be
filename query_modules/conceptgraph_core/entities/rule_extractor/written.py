"""Split a text into words that keep their capitals and the text between them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from ...folding import fold_marks
from ...words.splitting import in_words, is_unspaced
from ..language.dated import is_calendar

_INNER: Final = frozenset("'’-.")
_ENDS: Final = frozenset('.!?…。！？\n:;"“”„()[]•*')
# A contraction with a verb or a "not" is no name.
_SHORT: Final = ("'ve", "'re", "'ll", "'m", "'d", "n't")
_TITLES: Final = frozenset(
    ("dr", "mr", "mrs", "ms", "prof", "st", "hr", "fr", "dra", "sr", "sra", "mme")
)


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the text, its place, the text before it, and whether a sentence begins."""

    text: str
    start: int
    end: int
    begins: bool
    # The text between the previous word and this one.
    gap: str
    folded: str

    @property
    def is_capitalised(self) -> bool:
        is_short = self.folded.endswith(_SHORT)
        return self.text[0].isupper() and len(self.text) > 1 and not is_short

    @property
    def is_acronym(self) -> bool:
        return self.text.isupper() and not any(map(str.isdigit, self.text))

    @property
    def is_number(self) -> bool:
        return self.text[0].isdigit()

    @property
    def follows(self) -> bool:
        """Tell whether only a blank separates it from the previous word."""
        return self.gap == " "


def words(text: str) -> list[Word]:
    """Return the words of *text*; a sign between letters or digits belongs to them."""
    return list(_words(text))


def _words(text: str) -> Iterator[Word]:
    place, last, begins, before = 0, 0, True, ""
    while place < len(text):
        character = text[place]
        if not in_words(character) or is_unspaced(character):
            ends = character in _ENDS and not (
                character == "." and (before in _TITLES or _is_ordinal(text, place, before))
            )
            begins = (begins and not is_unspaced(character)) or ends
            place += 1
            continue
        end = place
        while end < len(text) and _goes_on(text, end):
            end += 1
        word = text[place:end]
        for possessive in ("'s", "’s"):
            word = word.removesuffix(possessive)
        before = fold_marks(word)
        yield Word(word, place, place + len(word), begins, text[last:place], before)
        begins, place, last = False, end, place + len(word)


def _is_ordinal(text: str, place: int, before: str) -> bool:
    """Tell whether a stop belongs to an ordinal: "3. Mai"."""
    following = text[place + 1 : place + 12].split()
    is_month = bool(following) and is_calendar(fold_marks(following[0].rstrip(".,")))
    return before.isdigit() and len(before) <= 2 and is_month


def _goes_on(text: str, place: int) -> bool:
    if in_words(text[place]):
        return not is_unspaced(text[place])
    around = text[place - 1 : place] + text[place + 1 : place + 2]
    if len(around) < 2 or not all(map(in_words, around)):
        return False
    return text[place] in _INNER or (text[place] in ",:" and around.isdigit())
