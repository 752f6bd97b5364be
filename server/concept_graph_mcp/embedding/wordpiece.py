"""Cut a text into the tokens of BERT's uncased vocabulary: WordPiece, as `tokenizers` does it.

Devlin and others, "BERT", NAACL 2019. The package drags a client of a model hub along.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache

_SPECIAL = re.compile(r"(\[(?:UNK|SEP|CLS|PAD|MASK)\])")
_MOST_OF_A_WORD = 100
# Blocks of Chinese characters, each of which is a word.
_CHINESE = (
    *((0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F)),
    *((0x2B740, 0x2B81F), (0x2B920, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F)),
)


class WordPiece:
    """Encodes texts with the *vocabulary*, one token a line; at most *most* tokens a text."""

    def __init__(self, vocabulary: Iterable[str], most: int) -> None:
        self._ids = {token: number for number, token in enumerate(vocabulary)}
        self._most = most

    def encode(self, text: str) -> list[int]:
        """Return the ids of the tokens of *text*, between [CLS] and [SEP]."""
        ids: list[int] = []
        for part in _SPECIAL.split(text):
            if _SPECIAL.fullmatch(part):
                ids.append(self._ids[part])
                continue
            for word in "".join(map(_read, part)).split():
                if len(ids) >= self._most:
                    break
                ids += self._pieces(word)
        return [self._ids["[CLS]"], *ids[: self._most - 2], self._ids["[SEP]"]]

    def _pieces(self, word: str) -> Iterator[int]:
        """Yield the ids of the longest pieces of *word* in turn; [UNK] if one is unknown."""
        found, start = [], 0
        while start < len(word) <= _MOST_OF_A_WORD:
            ahead = "##" if start else ""
            ends = range(len(word), start, -1)
            end = next((end for end in ends if ahead + word[start:end] in self._ids), None)
            if end is None:
                break
            found.append(self._ids[ahead + word[start:end]])
            start = end
        yield from found if start == len(word) else [self._ids["[UNK]"]]


@cache
def _read(character: str) -> str:
    """Return *character* in lower case, without accents, apart if it is a word by itself."""
    if character in "\t\n\r":
        return " "
    if character == "\ufffd" or unicodedata.category(character) in ("Cc", "Cf", "Co", "Cs"):
        return ""
    if character.isspace():
        return " "
    is_word = any(first <= ord(character) <= last for first, last in _CHINESE)
    plain = unicodedata.normalize("NFD", character)
    read = "".join(_lower(one) for one in plain if unicodedata.category(one) != "Mn")
    return f" {read} " if is_word else read


def _lower(character: str) -> str:
    is_ascii_sign = "!" <= character <= "~" and not character.isalnum()
    if is_ascii_sign or unicodedata.category(character)[0] == "P":
        return f" {character} "
    return character.lower()
