"""Read the words of a question as kinds of entities and as predicates of facts.

"Which instrument does Mia play?" means the ukulele, if that is the kind the user gave it, and "the
capital" means Berlin, if a fact says so. Imports nothing of Memgraph: the shell looks both up.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final

from ...retrieval.question import asking
from ...words import readings
from ...words.splitting import split
from ..language import kin

# Only so many words of a question are read, and only so many forms of them looked up.
_MOST_WORDS: Final = 12
MOST_FORMS: Final = 48
_SHORTEST: Final = 3


def forms(asked: str, languages: Sequence[str]) -> Mapping[str, str]:
    """Return the kinds and predicates that *asked* may name, each with its word in the question.

    They are its words, also without their endings, their translations if they are kin, and its
    pairs of words, which have the second as their word. Raises LibraryMissing.
    """
    return _forms(asked, tuple(languages))


@lru_cache(32)
def _forms(asked: str, languages: Sequence[str]) -> Mapping[str, str]:
    asks = asking(asked)
    read = {
        word: reading
        for word, reading in readings(asked, languages).items()
        if word not in asks and len(word) >= _SHORTEST
    }
    found: dict[str, str] = {}
    for word in list(read)[:_MOST_WORDS]:
        stems = [stem for stem in read[word] if word.startswith(stem)]
        ends = {end for stem in stems for end in range(max(_SHORTEST, len(stem)), len(word))}
        for form in (word, *kin.kinds(word), *(word[:end] for end in sorted(ends))):
            found.setdefault(form, word)
    words = split(asked)
    for first, second in pairwise(words):
        if second in read:
            found.setdefault(f"{first} {second}", second)
    return dict(list(found.items())[:MOST_FORMS])
