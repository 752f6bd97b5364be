"""Find the prose of a message, its words, and the passages that are not in the user's own voice.

Pasted code, tables and addresses are nobody's words. The first person in a quotation, a mail or a
text to translate is another person, so it states no fact about the user.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from ...texts.folding import fold_marks
from ...texts.words.splitting import in_words, is_unspaced
from ..language.dated import is_calendar
from ..schema import FIRST_PERSON

# Not by an import statement: a reload of the modules drops what such a statement names, and with
# it everything else that begins with "re".
re: Final[Any] = __import__("re")

_FENCES: Final = ("```", "~~~")
_QUOTED: Final = (">", "|", "#", "+---", "$ ", "<", "//", "/*")
_POINTS: Final = ("*", "-", "•", "+", *"0123456789")
_CODE: Final = (";", "{", "}", "()", ");", "->", "=>", "==", "</", "/>", "\\n", ":=", " = ")
# Signs of paths, identifiers and expressions; no word of a language has one.
_SIGNS: Final = frozenset("_=<>{}[]\\$|~^")
_ADDRESSES: Final = ("://", "www.", "@")
_FILES: Final = (
    *(".py", ".js", ".ts", ".java", ".xml", ".html", ".css", ".json", ".jsonl", ".csv", ".txt"),
    *(".pdf", ".png", ".jpg", ".docx", ".xlsx", ".zip", ".jar", ".war", ".md", ".sh", ".sql"),
)
# A longer message contains pasted text; then only lines in the first person count.
_LONG: Final = 150
# So many characters of prose are read, and of a sentence: nobody says all that in one message, and
# some rules compare each word with the others of its sentence.
_MOST_READ: Final = 8_000
_ENDLESS: Final = re.compile(r"([^.!?…\n]{800}[\w'’-]{0,40})[^.!?…\n]+")


# Opening quotation mark -> what may close it.
_CLOSING: Final = {
    '"': '"”',
    "“": '”“"',
    "”": "”",
    "„": '“”"',
    "«": "»",
    "»": "«",
    "‹": "›",
    "›": "‹",
    "「": "」",
    "『": "』",
    "'": "'",
    "‘": "’'",
    "‚": "‘’",
}
# Apostrophes have the same form: without a closing mark they open nothing.
_SINGLE: Final = frozenset("'‘‚")
_LONGEST_SINGLE: Final = 600
# Mark -> a mark that closes it. "Don't" closes nothing.
_CLOSES: Final = {
    mark: re.compile(f"[{closing}]" + r"(?![^\W_])" * (mark in _SINGLE))
    for mark, closing in _CLOSING.items()
}
_PARAGRAPH: Final = re.compile(r"\n\s*\n")

_SAYING: Final = re.compile(
    r"\b(?:says|said|saying|goes|sings|sang|singt|writes|wrote|writing|written|asks|asked|replies|replied|answers"
    r"|answered|tells|told|texts|texted|messaged|reads|quotes?|quoted|message|letter|e-?mail|mail"
    r"|sagte?n?|sagt|gesagt|schreibt|schrieb(?:en)?|geschrieben|meint|meinte|fragte?|antwortete?"
    r"|erzählte?|lautet|nachricht|brief|zitat)\b[^.!?:\n\"“„«]{0,60}:(?=\s)\s*",
    re.IGNORECASE,
)
_MAIL: Final = re.compile(
    r"^[ \t]*(?:(?:subject|from|betreff|von)[ \t]*:"
    r"|--.*(?:original message|forwarded message|ursprüngliche nachricht|weitergeleitet))",
    re.IGNORECASE | re.MULTILINE,
)
# Each repetition has a bound, so that the time is linear in the length of the text.
_ASKED: Final = re.compile(
    r"(?:^|[.!?:;,\n–-]\s{0,20}+)(?:(?:please|bitte|now|then|hey|hi|hello|okay|ok|jetzt|mal"
    r"|(?:can|could|would|will) you|help me(?: to)?|i (?:want|need) you to|i'd like you to"
    r"|(?:kannst|könntest) du|(?:können|könnten) sie|mir|das|dies|bitte)[ ,]{1,4}){0,6}"
    r"(?:translate|rewrite|rephrase|reword|paraphrase|proofread|summari[sz]e|write|draft|compose"
    r"|make up|invent|continue|übersetz(?:e|t|en)?|(?:um)?formulier(?:e|en)?|korrigier(?:e|en)?"
    r"|(?:correct|edit|improve|polish|shorten) (?:this|that|it|my|the|these)|verbesser[en]*"
    r"|schreib(?:e|en)?|verfass(?:e|en)?|entwirf|erfinde?"
    r"|(?:tell|give|create|generate|erzähle?)\b[^.!?:\n]{0,80}?\b(?:story|poem|song|geschichten?"
    r"|märchen|gedicht|lied))\b",
    re.IGNORECASE | re.MULTILINE,
)

Passage = tuple[int, int]


def spoken(text: str, *, lists: bool = True) -> str:
    """Return *text* with a line end in place of each character that is not prose.

    The length stays, so that places in both texts agree. *lists*: list items count as prose. Text
    beyond 8,000 characters of prose, or 800 of a sentence, is left out too.
    """
    kept = [False] * len(text)
    is_long = len(text.split()) > _LONG
    read = 0
    for start, end in _lines(text):
        line = text[start:end]
        if not lists and line.lstrip().startswith(_POINTS):
            continue
        bare = (word.strip(".,;:!?\"'()[]*") for word in fold_marks(line).split())
        if is_long and FIRST_PERSON.isdisjoint(bare):
            continue
        place, in_code = start, False
        for word in line.split(" "):
            ticks = word.count("`")
            if not (in_code or ticks or _is_sign(word)):
                size = min(len(word) + 1, end - place, _MOST_READ - read)
                kept[place : place + size] = [True] * size
                read += size
            in_code ^= ticks % 2 == 1
            place += len(word) + 1
    said = "".join(one if is_kept else "\n" for one, is_kept in zip(text, kept, strict=True))
    return str(_ENDLESS.sub(lambda found: found[1].ljust(len(found[0]), "\n"), said))


def _lines(text: str) -> Iterator[tuple[int, int]]:
    """Iterate over the start and end of each line outside code, tables and quotations."""
    start, fence = 0, False
    for whole in text.splitlines(keepends=True):
        line = whole.strip()
        if line.startswith(_FENCES):
            # A fence that opens and closes on one line is no fence.
            fence ^= line.count(line[:3]) % 2 == 1
        elif line and not (
            fence
            or line.startswith(_QUOTED)
            or "\t" in line
            or line.count("|") > 1
            or line.endswith((";", "{", "}"))
            or sum(sign in line for sign in _CODE) > 1
        ):
            yield start, start + len(whole)
        start += len(whole)


def _is_sign(word: str) -> bool:
    """Tell whether a word is an identifier, a file, a path or an address."""
    form = fold_marks(word).rstrip(".,;:!?)\"'")
    if form[:1] == "$" and form[1:2].isdigit():
        # A price.
        form = form[1:]
    return (
        not _SIGNS.isdisjoint(form)
        or any(one in form for one in _ADDRESSES)
        or form.endswith(_FILES)
        or form.count("/") > 1
        or form.count(".") > 2
        or "::" in form
    )


def others(text: str) -> bytearray:
    """Return for each character of *text* whether it is not in the user's own voice: 1, or 0."""
    found, known = _quoted(text), 0
    for match in _SAYING.finditer(text):
        if match.end() < known or text[match.end() : match.end() + 1] in _CLOSING:
            continue
        # After "Tom wrote:" at the end of a line, the rest is pasted.
        is_pasted = "\n" in match[0]
        known = len(text) if is_pasted else _paragraph_end(text, match.end())
        found.append((match.end(), known))
    if _ASKED.search(text) is not None:
        # The text to translate may precede the request.
        found.append((0, len(text)))
    if (mail := _MAIL.search(text)) is not None:
        found.append((mail.start(), len(text)))
    passages = bytearray(len(text))
    for start, end in found:
        passages[start:end] = b"\1" * (end - start)
    return passages


def _quoted(text: str) -> list[Passage]:
    found, known = [], 0
    # The marks that nothing closes from here on; no text is searched for them twice.
    unclosed: set[str] = set()
    for place, mark in enumerate(text):
        ahead = text[place + 1 : place + 2]
        is_inside = text[place - 1 : place].isalnum() or not ahead or ahead.isspace()
        if place < known or mark not in _CLOSING or is_inside:
            continue
        is_single = mark in _SINGLE
        most = place + _LONGEST_SINGLE if is_single else len(text)
        closed = None if mark in unclosed else _CLOSES[mark].search(text, place + 1, most)
        if closed is not None:
            known = closed.end()
        elif not is_single:
            unclosed.add(mark)
            known = _paragraph_end(text, place)
        else:
            continue
        found.append((place, known))
    return found


def _paragraph_end(text: str, place: int) -> int:
    match = _PARAGRAPH.search(text, place)
    return len(text) if match is None else int(match.start())


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
