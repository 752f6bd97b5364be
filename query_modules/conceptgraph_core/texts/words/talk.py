"""Tell which turns of a talk with an assistant are no memories: its courtesies, and mere questions.

A report of an assistant's, such as what it decided or did, has a word that no courtesy has (see
`courtesies`). A question of the user's is worth no line, its answer is.
"""

from functools import lru_cache
from typing import Any, Final

from ...language import LANGUAGES, load
from . import languages, libraries
from .splitting import split

USER: Final = "user"
ASSISTANT: Final = "assistant"
# Not by an import statement: a reload of the modules would drop the names it defines.
re: Final[Any] = __import__("re")
_SENTENCE: Final = re.compile(r"[^.!?…。！？؟\n]*[.!?…。！？؟\n]*")
_ASKING: Final = ("?", "？", "؟")
# "Sounds productive!" exclaims; a longer sentence tells something, and so does a number.
_MOST_EXCLAIMED: Final = 4
# A user who asks at more length tells why.
_MOST_ASKED: Final = 16
# "…, Nadia!" only calls the user.
_CALLED: Final = re.compile(r",\s*[^\W\d_]+(?=[.!?…]*\s*$)")


@lru_cache(4_096)
def says_nothing(text: str, speaker: str | None) -> bool:
    """Tell whether *text* is a courtesy of the assistant's, or only a question of the user's."""
    if speaker == ASSISTANT:
        return all(map(_is_courtesy, _cut(text)))
    if speaker != USER or len(text.split()) > _MOST_ASKED:
        return False
    return all(map(_only_asks, _cut(text)))


def _only_asks(sentence: str) -> bool:
    if not sentence.rstrip().endswith(_ASKING):
        return _is_courtesy(sentence)
    # "My sister moved to Rome, did you know?" tells something.
    return all(map(_is_courtesy, sentence.split(",")[:-1]))


def _cut(text: str) -> list[str]:
    return [one for one in _SENTENCE.findall(text) if split(one)]


def _is_courtesy(sentence: str) -> bool:
    if sentence.rstrip().endswith(_ASKING):
        # It asks for something.
        return len(split(sentence)) <= _MOST_ASKED
    said = split(_CALLED.sub("", sentence))
    if any(map(str.isdigit, "".join(said))):
        return False
    is_exclaimed = sentence.rstrip().endswith("!") and len(said) <= _MOST_EXCLAIMED
    return is_exclaimed or _COURTEOUS.issuperset(said)


def _list_courteous() -> frozenset[str]:
    """Return the words of courtesies, and those that say nothing anywhere."""
    said = {
        word
        for code in LANGUAGES
        for one in load(code, "courtesies")["said"]
        for word in split(one)
    }
    return frozenset(said) | (
        frozenset() if libraries.missing() else languages.stop_words(LANGUAGES)
    )


_COURTEOUS: Final = _list_courteous()
