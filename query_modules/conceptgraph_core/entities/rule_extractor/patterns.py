"""The patterns of statements about the user, for `statements`."""

from dataclasses import dataclass
from typing import Any, Final

from ..schema import AFTER, BESIDE, OVER

NAME, PHRASE, DATE, NUMBER = "name", "phrase", "date", "number"


@dataclass(frozen=True, slots=True)
class Pattern:
    """Words with alternatives, then the claim: a slot, the predicate, the mode of an earlier fact.

    `node_type` and `kind` are those of the thing in the slot, `valence` the feeling about it. If
    the words alone are ambiguous, one of the `followed` must come after "…".
    """

    words: tuple[frozenset[str], ...]
    followed: frozenset[str]
    slot: str
    predicate: str
    mode: str = BESIDE
    node_type: str | None = None
    kind: str | None = None
    valence: float | None = None


def _pattern(said: str, slot: str, predicate: str, *rest: Any, **more: Any) -> Pattern:
    before, _, behind = said.partition(" … ")
    words = tuple(frozenset(one.split("|")) for one in before.split())
    followed = frozenset(behind.split("|")) if behind else frozenset()
    return Pattern(words, followed, slot, predicate, *rest, **more)


_LIKED: Final = {"node_type": "preference", "valence": 0.5}
_DISLIKED: Final = {"node_type": "preference", "valence": -0.5}
_FIRM: Final = {"node_type": "entity", "kind": "company"}
_HOME: Final = {"node_type": "entity", "kind": "place"}
PATTERNS: Final = (
    _pattern("i don't|cannot|can't|dislike|hate|detest", PHRASE, "dislikes", **_DISLIKED),
    _pattern("i love|adore|enjoy|like|prefer", PHRASE, "likes", **_LIKED),
    _pattern("my favourite|favorite * is", PHRASE, "likes", **_LIKED),
    _pattern("ich liebe|mag|bevorzuge", PHRASE, "likes", **_LIKED),
    _pattern("ich hasse|verabscheue", PHRASE, "dislikes", **_DISLIKED),
    _pattern("i am allergic to", PHRASE, "allergy", node_type="topic"),
    _pattern("i'm allergic to", PHRASE, "allergy", node_type="topic"),
    _pattern("ich bin allergisch gegen|auf", PHRASE, "allergy", node_type="topic"),
    _pattern("i no longer|never work at|for", NAME, "employer", OVER, **_FIRM),
    _pattern("i don't work at|for", NAME, "employer", OVER, **_FIRM),
    _pattern("i quit|left my job at", NAME, "employer", OVER, **_FIRM),
    _pattern("ich arbeite nicht mehr bei|für", NAME, "employer", OVER, **_FIRM),
    _pattern("ich habe bei … gekündigt|aufgehört", NAME, "employer", OVER, **_FIRM),
    _pattern("ich habe bei … angefangen", NAME, "employer", AFTER, **_FIRM),
    _pattern("i work at|for", NAME, "employer", **_FIRM),
    _pattern("i'm|am working at|for", NAME, "employer", **_FIRM),
    _pattern("i started|start|began working|work at|for", NAME, "employer", AFTER, **_FIRM),
    _pattern("i started|joined at", NAME, "employer", AFTER, **_FIRM),
    _pattern("i joined", NAME, "employer", AFTER, **_FIRM),
    _pattern("my new employer is", NAME, "employer", AFTER, **_FIRM),
    _pattern("my employer is", NAME, "employer", **_FIRM),
    _pattern("ich arbeite bei|für", NAME, "employer", **_FIRM),
    _pattern("ich bin bei … angestellt|beschäftigt|tätig", NAME, "employer", **_FIRM),
    _pattern("mein|meine arbeitgeber|firma ist|heißt|heisst", NAME, "employer", **_FIRM),
    _pattern("i no longer live in", NAME, "home", OVER, **_HOME),
    _pattern("i don't live in", NAME, "home", OVER, **_HOME),
    _pattern("ich wohne|lebe nicht mehr in", NAME, "home", OVER, **_HOME),
    _pattern("i moved to", NAME, "home", AFTER, **_HOME),
    _pattern("i've|have moved to", NAME, "home", AFTER, **_HOME),
    _pattern("ich bin * nach … gezogen|umgezogen", NAME, "home", AFTER, **_HOME),
    _pattern("ich zog nach", NAME, "home", AFTER, **_HOME),
    _pattern("i live in", NAME, "home", **_HOME),
    _pattern("i'm|am living|based in", NAME, "home", **_HOME),
    _pattern("ich wohne|lebe in", NAME, "home", **_HOME),
    _pattern("i work as", PHRASE, "occupation", node_type="topic"),
    _pattern("ich arbeite als", PHRASE, "occupation", node_type="topic"),
    _pattern("my birthday is", DATE, "birthday"),
    _pattern("i was born on", DATE, "birthday"),
    _pattern("mein geburtstag ist", DATE, "birthday"),
    _pattern("ich habe am … geburtstag", DATE, "birthday"),
    _pattern("ich bin|wurde am … geboren", DATE, "birthday"),
    _pattern("my name is", NAME, "name"),
    _pattern("i'm called", NAME, "name"),
    _pattern("ich heiße|heisse", NAME, "name"),
    _pattern("mein name ist", NAME, "name"),
    _pattern("i am|turned", NUMBER, "age"),
    _pattern("i'm", NUMBER, "age"),
    _pattern("ich bin", NUMBER, "age"),
)
# Every statement begins with one of these words.
FIRST: Final = frozenset().union(*(one.words[0] for one in PATTERNS))
# Verbs that may follow "I". They mark a second clause without a subject.
VERBS: Final = frozenset(
    verb for one in PATTERNS if one.words[0] & {"i", "ich"} for verb in one.words[1]
)
# In a pattern, this stands for a few words of any kind.
ANY: Final = "*"
