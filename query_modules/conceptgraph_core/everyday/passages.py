"""Quote the sentences of a long text that have the words of a question.

Imports nothing of Memgraph.
"""

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from ..recall import budgets
from ..texts.quoting import CUT
from ..texts.words import stems
from ..texts.words.splitting import names

# A longer text is not quoted whole: 80 tokens.
LONG: Final = 80 * budgets.BYTES_A_TOKEN
# The bytes of the passage around the best sentence, and of a second one; in the best text the
# answer may stand some sentences from the words of the question.
_FIRST, _SECOND = 260, 140
_FIRST_OF_BEST, _SECOND_OF_BEST = 1_600, 800
# A second passage has this share of the weight of the words that the first one lacks.
_LEAST_MORE: Final = 0.2
# A longer sentence, or a text without any, is cut between words, into parts of so many bytes.
_LONGEST, _PART = 200, 80
# A shorter passage goes on into the next paragraph.
_SHORT: Final = 40
_ENDS: Final = ".!?…"
_FULL_ENDS: Final = "。！？"
_NEW_LINES: Final = "\n\r\u2028\u2029"
# All blanks, and what ends a sentence without one.
_STOPS: Final = frozenset(filter(str.isspace, map(chr, range(0x3001)))).union(_FULL_ENDS)
_CLOSING: Final = "\"'”’»)]"
# "Dr." and "Prof." end no sentence; neither do "17." and "e.g.".
_SHORT_NAME, _SHORT_NUMBER = 4, 2


class _Piece(NamedTuple):
    """A sentence, or a part of one: text[start:end]."""

    start: int
    end: int
    size: int
    terms: frozenset[str]
    # Whether a paragraph begins with it.
    begins: bool


def passages(
    text: str,
    weights: Mapping[str, float],
    languages: Sequence[str],
    most: int | None = None,
    *,
    is_best: bool = False,
) -> str:
    """Return what *text* says around the terms of *weights*, in at most two passages.

    A text of at most `LONG` bytes is returned whole. A longer one is cut to whole sentences, with
    "…" where something is left out: those around the sentence with the greatest weight, then those
    around the sentence that adds most. Without a term they are the first ones. Both are longer in
    the text that *is_best*. *most* (bytes) bounds the result; without room for a sentence, it is
    cut.
    """
    if budgets.size(text) <= (LONG if most is None else min(most, LONG)):
        return text
    parts = list(_parts(text))
    befores = [0, *(end for _, end in parts)]
    pieces = [
        _piece(text, before, start, end, weights, languages)
        for before, (start, end) in zip(befores, parts, strict=False)
    ]
    if not pieces:
        return CUT
    of_first, of_second = (_FIRST_OF_BEST, _SECOND_OF_BEST) if is_best else (_FIRST, _SECOND)
    room = of_first + of_second if most is None else most
    first = _window(pieces, weights, min(of_first, room))
    rest = {term: weight for term, weight in weights.items() if not _holds(pieces, first, term)}
    left = min(of_second, room - _size(pieces, first))
    more = max((_weight(one, rest) for one in pieces), default=0.0)
    chosen = set(first)
    if more > _LEAST_MORE * sum(weights.values()):
        chosen |= {at for at in _window(pieces, rest, left) if _size(pieces, [at]) <= left}
    return _join_pieces(text, pieces, sorted(chosen), room)


def _piece(
    text: str,
    before: int,
    start: int,
    end: int,
    weights: Mapping[str, float],
    languages: Sequence[str],
) -> _Piece:
    said = text[start:end]
    begins = text[before:start].count("\n") > 1
    found = stems(said, languages)
    if any(" " in term for term in weights):
        found.update(names(said))
    held = frozenset(weights.keys() & found)
    return _Piece(start, end, budgets.size(said), held, begins)


def _weight(piece: _Piece, weights: Mapping[str, float]) -> float:
    return sum(weights[term] for term in piece.terms if term in weights)


def _holds(pieces: Sequence[_Piece], chosen: Sequence[int], term: str) -> bool:
    return any(term in pieces[at].terms for at in chosen)


def _size(pieces: Sequence[_Piece], chosen: Sequence[int]) -> int:
    return sum(pieces[at].size for at in chosen)


def _window(pieces: Sequence[_Piece], weights: Mapping[str, float], most: int) -> list[int]:
    """Return the places of the piece with the greatest weight and of its neighbours that fit.

    The neighbour with more weight comes first, else the following one: an answer stands
    behind what it is about. Another paragraph is read only for a short first piece: a heading.
    """
    best = max(range(len(pieces)), key=lambda at: (_weight(pieces[at], weights), -at))
    first = last = best
    left = most - pieces[best].size
    while True:
        beside = [last + 1] * (last + 1 < len(pieces) and _follows(pieces, last + 1, most - left))
        beside += [first - 1] * (first > 0 and _follows(pieces, first, most - left))
        fitting = [at for at in beside if pieces[at].size <= left]
        if not fitting:
            return list(range(first, last + 1))
        chosen = max(fitting, key=lambda at: _weight(pieces[at], weights))
        left -= pieces[chosen].size
        first, last = min(first, chosen), max(last, chosen)


def _follows(pieces: Sequence[_Piece], at: int, has: int) -> bool:
    """Tell whether a window of *has* bytes may grow across the start of a piece."""
    return not pieces[at].begins or has < _SHORT


def _join_pieces(text: str, pieces: Sequence[_Piece], chosen: Sequence[int], most: int) -> str:
    """Return the *chosen* pieces as one text with "…" where something is left out."""
    made, before = "", -1
    for at in chosen:
        piece = pieces[at]
        if at == before + 1 and before >= 0:
            made += text[pieces[before].end : piece.start]
        elif at:
            made += f" {CUT} " if made else f"{CUT} "
        made += text[piece.start : piece.end]
        before = at
    if budgets.size(made) > most + 4 * budgets.size(CUT):
        return made.encode()[:most].decode(errors="ignore").rstrip() + CUT
    return made if before == len(pieces) - 1 else f"{made} {CUT}"


def _parts(text: str) -> Iterator[tuple[int, int]]:
    """Yield the start and the end of each sentence of *text*, and of each part of a long one."""
    for start, end in _sentences(text):
        is_long = budgets.size(text[start:end]) > _LONGEST
        while is_long and budgets.size(text[start:end]) > _PART:
            cut = _between_words(text, start, end)
            yield _strip_bounds(text, start, cut)
            start, end = _strip_bounds(text, cut, end)  # noqa: PLW2901
        if start < end:
            yield start, end


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    # Most characters end nothing, and long texts are read for every message.
    for at in [at for at, character in enumerate(text) if character in _STOPS]:
        character = text[at]
        if character in _NEW_LINES or character in _FULL_ENDS:
            stop = at + (character in _FULL_ENDS)
        elif _ends(text, start, at):
            stop = at
        else:
            continue
        if start < stop and not text[start:stop].isspace():
            yield _strip_bounds(text, start, stop)
        start = at + 1
    if text[start:].strip():
        yield _strip_bounds(text, start, len(text))


def _ends(text: str, start: int, blank: int) -> bool:
    """Tell whether a sentence that began at *start* ends before the *blank*."""
    if text[blank - 1 : blank].isalnum():
        return False
    said = text[start:blank].rstrip(_CLOSING)
    if not said or said[-1] not in _ENDS or text[blank + 1 : blank + 2].islower():
        return False
    if said[-1] != ".":
        return True
    last = said.rpartition(" ")[2].strip("\"'“„‘(«[")[:-1]
    is_short = last.isalpha() and last[:1].isupper() and len(last) <= _SHORT_NAME
    is_ordinal = last.isdigit() and len(last) <= _SHORT_NUMBER
    return bool(last) and not (is_short or is_ordinal or "." in last or len(last) == 1)


def _between_words(text: str, start: int, end: int) -> int:
    """Return the place of the last blank that leaves a part of `_PART` bytes, or else of any."""
    cut, room = start, _PART
    while cut < end and (room := room - budgets.size(text[cut])) >= 0:
        cut += 1
    blank = text.rfind(" ", start + 1, cut)
    if blank > start + (cut - start) // 2:
        return blank
    # A mark, or what is joined to the character before it, stays with that one.
    while cut < end and (
        unicodedata.category(text[cut])[0] == "M" or "\u200d" in text[cut - 1 : cut + 1]
    ):
        cut += 1
    return cut


def _strip_bounds(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the bounds without the blanks at both ends."""
    said = text[start:end]
    left = len(said) - len(said.lstrip())
    return start + left, max(start + left, end - (len(said) - len(said.rstrip())))
