"""Find passages that are not in the user's own voice: quotations, mails, texts to translate.

The first person in such a passage is another person, so it states no fact about the user.
"""

from typing import Any, Final

# Not by an import statement: a reload of the modules drops what such a statement names, and with
# it everything else that begins with "re".
re: Final[Any] = __import__("re")

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
