"""Whom a message names by a kind: "my sister", "meine Schwester", "Mom"."""

from typing import Final

# What is one kind, in English and German; by the first of each it goes.
_KINDS: Final = (
    "mother mom mum mommy mummy mama mutter mutti",
    "father dad daddy papa vater vati",
    "parent parents eltern elternteil",
    "sister sis schwester",
    "brother bro bruder",
    "sibling siblings geschwister",
    "daughter tochter",
    "son sohn",
    "child children kid kids kind kinder",
    "baby",
    "wife ehefrau frau",
    "husband hubby ehemann mann",
    "spouse",
    "partner partnerin",
    "fiance fiancee verlobter verlobte",
    "girlfriend freundin",
    "boyfriend freund",
    "friend buddy kumpel",
    "grandmother grandma granny nana oma großmutter",
    "grandfather grandpa granddad opa großvater",
    "grandson enkel",
    "granddaughter enkelin",
    "aunt auntie tante",
    "uncle onkel",
    "cousin cousine vetter",
    "niece nichte",
    "nephew neffe",
    "stepmother stiefmutter",
    "stepfather stiefvater",
    "mother-in-law schwiegermutter",
    "father-in-law schwiegervater",
    "sister-in-law schwägerin",
    "brother-in-law schwager",
    "roommate flatmate mitbewohner mitbewohnerin",
    "neighbour neighbor nachbar nachbarin",
    "boss manager chef chefin",
    "colleague coworker co-worker kollege kollegin",
    "doctor arzt ärztin",
    "dentist zahnarzt zahnärztin",
    "therapist therapeut therapeutin",
    "teacher lehrer lehrerin",
    "coach trainer trainerin",
    "landlord landlady vermieter vermieterin",
    "pet haustier",
    "dog puppy hund",
    "cat kitten katze kater",
)
_WORDS: Final = {word: words.split()[0] for words in _KINDS for word in words.split()}
_OF: Final = {words.split()[0]: tuple(words.split()) for words in _KINDS}
# By what the two are called as well: "meine Freundin" may be either.
_ALSO: Final = {"girlfriend": "friend", "boyfriend": "friend"}
# Who is called so to the face, without a "my".
_CALLED: Final = frozenset(
    (
        *("mom", "mum", "mommy", "mummy", "mama", "mutti", "dad", "daddy", "papa", "vati"),
        *("grandma", "granny", "nana", "oma", "grandpa", "granddad", "opa"),
    )
)
_MINE: Final = frozenset(
    (
        *("my", "our", "mein", "meine", "meinem", "meinen", "meiner", "meines"),
        *("unser", "unsere", "unserem", "unseren", "unserer", "unseres"),
    )
)
# Between the two at most so many words: "my little sister".
_BETWEEN: Final = 2
# Before one of these it is not the user's own: "a mom", "your mom", "the dad".
_NOT_MINE: Final = frozenset(
    (
        *("a", "an", "the", "your", "his", "her", "their", "its", "every", "any", "some", "no"),
        *("ein", "eine", "einem", "einen", "einer", "der", "die", "das", "dem", "den", "des"),
        *("dein", "deine", "deinem", "deinen", "deiner", "ihr", "ihre", "ihrem", "ihren", "ihrer"),
        *("sein", "seine", "seinem", "seinen", "seiner", "euer", "eure"),
    )
)


def kinds(word: str) -> tuple[str, ...]:
    """Return what an entity that is meant by *word*, case-folded, may be known as."""
    kind = _WORDS.get(word)
    if kind is None:
        return ()
    return _OF[kind] + _OF.get(_ALSO.get(kind, ""), ())


def named(words: list[str]) -> list[tuple[int, str]]:
    """Return the places among the case-folded *words* that mean somebody of the user's, by kind."""
    found = []
    for place, word in enumerate(words):
        one = word.removesuffix("'s").removesuffix("’s")
        if one not in _WORDS:
            continue
        before = words[max(0, place - _BETWEEN - 1) : place]
        is_addressed = one in _CALLED and not (before and _is_anothers(before[-1]))
        if is_addressed or _is_mine(before):
            found.append((place, one))
    return found


def _is_mine(before: list[str]) -> bool:
    """Tell whether what stands before a kind says that it is the user's: "my little"."""
    for word in reversed(before):
        if word in _MINE:
            return True
        # My friend's sister, and my dog and a cat, are somebody else's.
        if _is_anothers(word) or word in _WORDS or word in ("and", "und", "or", "oder"):
            return False
    return False


def _is_anothers(word: str) -> bool:
    return word in _NOT_MINE or word.endswith(("'s", "’s"))
