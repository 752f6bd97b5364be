"""Find the kinds by which a message names somebody: "my sister", "meine Schwester", "Mom"."""

from typing import Final

from .folded import word_set

# The words of one kind, in English and in German; the first word names it. The languages stay
# apart, because "my kind" is nobody's child.
_KINDS: Final = (
    ("mother mom mum mommy mummy mama", "mutter mama mami mutti"),
    ("father dad daddy papa", "vater papa papi vati"),
    ("parent parents", "eltern elternteil"),
    ("sister sis", "schwester"),
    ("brother bro", "bruder"),
    ("sibling siblings", "geschwister"),
    ("daughter", "tochter"),
    ("son", "sohn"),
    ("child children kid kids", "kind kinder"),
    ("baby", "baby"),
    ("wife", "ehefrau frau"),
    ("husband hubby", "ehemann mann"),
    ("spouse", ""),
    ("partner", "partner partnerin"),
    ("fiance fiancé fiancee fiancée", "verlobter verlobte"),
    ("girlfriend", ""),
    ("boyfriend", ""),
    ("friend buddy", "freund freundin kumpel"),
    ("grandmother grandma granny nana", "oma großmutter"),
    ("grandfather grandpa granddad", "opa großvater"),
    ("grandson", "enkel"),
    ("granddaughter", "enkelin"),
    ("aunt auntie", "tante"),
    ("uncle", "onkel"),
    ("cousin", "cousin cousine vetter"),
    ("niece", "nichte"),
    ("nephew", "neffe"),
    ("stepmother", "stiefmutter"),
    ("stepfather", "stiefvater"),
    ("mother-in-law", "schwiegermutter"),
    ("father-in-law", "schwiegervater"),
    ("sister-in-law", "schwägerin"),
    ("brother-in-law", "schwager"),
    ("roommate flatmate housemate", "mitbewohner mitbewohnerin"),
    ("neighbour neighbor", "nachbar nachbarin"),
    ("boss manager supervisor", "boss chef chefin"),
    ("colleague coworker co-worker", "kollege kollegin"),
    ("doctor", "arzt ärztin hausarzt hausärztin"),
    ("dentist", "zahnarzt zahnärztin"),
    ("therapist", "therapeut therapeutin"),
    ("teacher", "lehrer lehrerin"),
    ("coach trainer", "trainer trainerin"),
    ("landlord landlady", "vermieter vermieterin"),
    ("pet", "haustier"),
    ("dog puppy", "hund hündin welpe"),
    ("cat kitten", "katze kater"),
    ("horse", "pferd"),
    ("rabbit", "kaninchen hase"),
    ("hamster", "hamster"),
    ("parrot", "papagei"),
)


def _in(language: int) -> dict[str, str]:
    return {
        word: both[0].split()[0] for both in _KINDS for word in both[language].casefold().split()
    }


ENGLISH: Final = _in(0)
_GERMAN: Final = _in(1)
_WORDS: Final = _GERMAN | ENGLISH
_OF: Final = {
    both[0].split()[0]: tuple(dict.fromkeys(" ".join(both).casefold().split())) for both in _KINDS
}
# No family: "the doctor" and "the dog" are those that the user spoke of.
_NO_FAMILY: Final = frozenset(
    (
        *("roommate", "neighbour", "boss", "colleague", "doctor", "dentist", "therapist"),
        *("teacher", "coach", "landlord", "pet", "dog", "cat", "horse", "rabbit", "hamster"),
        *("parrot", "baby"),
    )
)
# Further words for both: "meine Freundin" may be either.
_ALSO: Final = {
    "girlfriend": "friend",
    "boyfriend": "friend",
    "freundin": "girlfriend",
    "freund": "boyfriend",
}
# These serve as names without a "my".
_CALLED: Final = word_set("""
mom mum mommy mummy mama mutti dad daddy papa vati grandma granny nana oma grandpa granddad opa
""")
_ENGLISH_OWN: Final = frozenset(("my", "our"))
OWN: Final = _ENGLISH_OWN | frozenset(
    (
        *("mein", "meine", "meinem", "meinen", "meiner", "meines"),
        *("unser", "unsere", "unserem", "unseren", "unserer", "unseres"),
    )
)
_ENGLISH_OTHERS: Final = frozenset(("your", "his", "her", "their", "a", "an"))
# Possessives of other people.
OTHERS: Final = frozenset(
    ("your", "his", "her", "their", "sein", "seine", "ihr", "ihre", "dein", "deine")
)
# The most words between the two: "my little sister".
_BETWEEN: Final = 2
# After one of these it is not the user's own: "a mom", "your mom", "the dad".
_NOT_MINE: Final = OTHERS | frozenset(
    (
        *("a", "an", "the", "its", "every", "any", "some", "no"),
        *("ein", "eine", "einem", "einen", "einer", "der", "die", "das", "dem", "den", "des"),
        *("deinem", "deinen", "deiner", "ihrem", "ihren", "ihrer"),
        *("seinem", "seinen", "seiner", "euer", "eure"),
    )
)


# Before a kind, these mean the one of that kind that the user knows: "the plumber".
_DEFINITE: Final = frozenset(("the", "der", "die", "das", "dem", "den"))
# Everybody knows many of these, and other people have families too: "the mother of Jesus".
_OF_MANY: Final = frozenset(
    (
        *("person", "people", "man", "woman", "place", "thing", "company", "city", "town"),
        *("country", "event", "date", "number", "day", "time", "mensch", "ort", "firma", "stadt"),
    )
)
# Only so many words of a message are looked up as kinds.
_MOST_KINDS: Final = 12
_SHORTEST_KIND: Final = 3


def of(owner: str, word: str) -> str | None:
    """Return the kind that *word* after "my" means; None: it is no kin."""
    is_english = owner in _ENGLISH_OWN | _ENGLISH_OTHERS
    return (ENGLISH if is_english else _GERMAN).get(word)


def kinds(word: str) -> tuple[str, ...]:
    """Return the kinds that an entity meant by *word*, case-folded, may have."""
    kind = _WORDS.get(word)
    if kind is None:
        return ()
    return _OF[kind] + _OF.get(_ALSO.get(word, ""), ())


def named(words: list[str]) -> list[tuple[int, str]]:
    """Return the places among the case-folded *words* that mean somebody of the user's, by kind."""
    found = []
    for place, word in enumerate(words):
        one = word.removesuffix("'s").removesuffix("’s")
        if one not in _WORDS:
            continue
        before = words[max(0, place - _BETWEEN - 1) : place]
        is_addressed = one in _CALLED and not (before and _is_anothers(before[-1]))
        if is_addressed or _is_mine(before, one):
            found.append((place, one))
    return found


def known(words: list[str]) -> list[tuple[int, str]]:
    """Return the places among the case-folded *words* that may mean a kind without a word above.

    Such kinds are any that the user gave somebody or something: our plumber, the car, my tutor.
    """
    found = []
    for place, word in enumerate(words[1:], 1):
        one, before = word.removesuffix("'s").removesuffix("’s"), words[place - 1]
        is_family = one in _WORDS and _WORDS[one] not in _NO_FAMILY
        if (before in OWN and one not in _WORDS) or (
            before in _DEFINITE and not is_family and one not in _OF_MANY
        ):
            found.append((place, one))
    return [pair for pair in found if len(pair[1]) >= _SHORTEST_KIND][:_MOST_KINDS]


def _is_mine(before: list[str], kin: str) -> bool:
    """Tell whether the words before a kind say that it is the user's: "my little"."""
    for word in reversed(before):
        if word in OWN:
            return of(word, kin) is not None
        # "My friend's sister" and "my dog and a cat" have kinds that are somebody else's.
        if _is_anothers(word) or word in _WORDS or word in ("and", "und", "or", "oder"):
            return False
    return False


def _is_anothers(word: str) -> bool:
    return word in _NOT_MINE or word.endswith(("'s", "’s"))
