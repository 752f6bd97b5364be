"""Find the kinds by which a message names somebody: "my sister", "meine Kinder", "Mom".

The words are data (`language`: kin, whose, kin_groups). The languages stay apart, because "my kind"
is nobody's child, and "a mãe" is no mother in general.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from ... import language
from ...texts.words.splitting import split

# The kinds of each word for several, "children", the closest first.
_GROUPS: Final = language.load("en", "kin_groups")
# "The kids" are the user's own; "the parents" may be anybody's.
_DEFINITE_GROUPS: Final = frozenset(_GROUPS["definite"])
# "The doctor" and "the dog" are those that the user spoke of.
_NO_FAMILY: Final = frozenset(_GROUPS["no family"])


class _Language(NamedTuple):
    """The words of a language: for kin, and those before kin that tell whose they are.

    `kinds` and `groups` have the kinds or groups that a word names. After one of `none` a kin word
    is nobody's of the user's; those `called` so serve as names without a "my".
    """

    kinds: Mapping[str, tuple[str, ...]]
    groups: Mapping[str, tuple[str, ...]]
    own: frozenset[str]
    others: frozenset[str]
    none: frozenset[str]
    definite: frozenset[str]
    joins: frozenset[str]
    of: frozenset[str]
    called: frozenset[str]
    have: frozenset[str]
    asked: frozenset[str]

    def is_anothers(self, word: str) -> bool:
        return word in self.none or word in self.others or word.endswith(("'s", "’s"))


def _read(code: str) -> _Language:
    words = language.load(code, "kin")
    kinds: dict[str, tuple[str, ...]] = {}
    groups: dict[str, tuple[str, ...]] = {}
    for name, each in words.items():
        found = groups if name not in _KINDS else kinds
        for word in each:
            found[word] = (*found.get(word, ()), name)
    whose = language.load(code, "whose")
    names = ("own", "others", "none", "definite", "joins", "of", "called", "have", "asked")
    return _Language(kinds, groups, *(frozenset(whose[name]) for name in names))


# A group is no kind, because its members have kinds.
_KINDS: Final = frozenset(
    kind for name in ("family", "as close", "no family") for kind in _GROUPS[name]
)
_LANGUAGES: Final = tuple(map(_read, language.LANGUAGES))
_ENGLISH = _LANGUAGES[0]
_OF: Final = {
    kind: tuple(
        dict.fromkeys(
            word for each in language.LANGUAGES for word in language.load(each, "kin").get(kind, ())
        )
    )
    for kind in sorted(_KINDS)
}
_WORDS: Final = frozenset(word for each in _LANGUAGES for word in each.kinds)
# "Our two cats, Pickle and Mabel"
_ONE_OF_GROUP: Final = {
    "children": "child",
    "sisters": "sister",
    "brothers": "brother",
    "daughters": "daughter",
    "sons": "son",
    "pets": "pet",
    "dogs": "dog",
    "cats": "cat",
}
_SEVERAL: Final = frozenset(word for each in _LANGUAGES for word in each.groups)
ENGLISH: Final = _ENGLISH.kinds
# A breed, or an animal that one keeps -> its kind; only before a name do these tell a pet.
ANIMALS: Final = {
    word: kind
    for code in language.LANGUAGES
    for kind, each in language.load(code, "animals").items()
    for word in each
}
# A group or a kind -> the phrases by which a question means it without its word.
_ASKED: Final = {name: language.words("whose", f"asked {name}") for name in ("couple", "boss")}
OWN: Final = frozenset(word for each in _LANGUAGES for word in each.own)
# Possessives of other people.
OTHERS: Final = frozenset(word for each in _LANGUAGES for word in each.others)
# The kinds, in any language, of those closest to a user, each with its place: the closest has 0.
CLOSE: Final = {
    word: place
    for place, kind in reversed(tuple(enumerate(_GROUPS["closest"])))
    for word in _OF[kind]
}
# The most words between the two: "my little sister".
_BETWEEN: Final = 2
# "Kids do I have", "filhos é que eu tenho".
_MOST_OF_HAVE: Final = 5
# Before a kind, these mean the one of that kind that the user knows: "the plumber".
_DEFINITE: Final = _ENGLISH.definite | frozenset(("der", "die", "das", "dem", "den"))
# Everybody knows many of these, and other people have families too: "the mother of Jesus".
_OF_MANY: Final = frozenset(
    (
        *("person", "people", "man", "woman", "place", "thing", "company", "city", "town"),
        *("country", "event", "date", "number", "day", "time", "mensch", "ort", "firma", "stadt"),
    )
)
# The user has one of each of these at a time, so that the word and the name mean one person.
ONE_OF: Final = frozenset(("mother", "father", "wife", "husband"))
# "The user's father Alan", "Bernd, der Vater der Nutzerin": so near stand the two words.
_NEAR: Final = 3
_USERS: Final = language.words("oneself", "of user")
# Only so many words of a message are looked up as kinds.
_MOST_KINDS: Final = 12
_SHORTEST_KIND: Final = 3


def of(owner: str, word: str) -> str | None:
    """Return the kind that *word* after "my" means; None: it is no kin."""
    for each in _LANGUAGES:
        is_of = owner in each.own or owner in each.others or owner in each.none
        if is_of and word in each.kinds:
            return each.kinds[word][0]
    return None


def find_one_of(group: str) -> str | None:
    """Return the kind of one of those that the word *group* means several of: cat, of "cats"."""
    named = (name for each in _LANGUAGES for name in each.groups.get(group, ()))
    return next((_ONE_OF_GROUP[name] for name in named if name in _ONE_OF_GROUP), None)


def kinds(word: str) -> tuple[str, ...]:
    """Return the kinds, in any language, of an entity meant by *word*, case-folded."""
    named = (kind for each in _LANGUAGES for kind in each.kinds.get(word, ()))
    return _words_of(one for kind in named for one in _GROUPS.get(kind, (kind,)))


def members(group: str) -> tuple[str, ...]:
    """Return the kinds, in any language, of the members of *group*: "family", the closest first."""
    return _words_of(_GROUPS[group])


def relation(kind: str) -> str | None:
    """Return the English kind of *kind*, a word of any language: mother, of "mãe"."""
    named = (found for each in _LANGUAGES for found in each.kinds.get(kind, ()))
    return next(named, None)


def closeness(kind: str, group: str) -> int:
    """Return the place of *kind*, a word of any language, in *group*: the closest has 0."""
    members = _GROUPS.get(group, (group,))
    each = relation(kind)
    return members.index(each) if each in members else len(members)


def named(words: Sequence[str]) -> list[tuple[int, str]]:
    """Return the places among the case-folded *words* that mean somebody of the user's, by kind."""
    found = []
    for place, word in enumerate(words):
        one = _bare(word)
        if one not in _WORDS:
            continue
        if any(_is_named(each, words, place, one) for each in _LANGUAGES):
            found.append((place, one))
    return found


def list_single(said: str) -> list[tuple[str, str]]:
    """Return the words in *said* for those of whom the user has one, each with its relation."""
    each = ((word, relation(word)) for _, word in named(split(said)))
    return [(word, kind) for word, kind in each if kind in ONE_OF and kind is not None]


def is_users(said: str, alike: frozenset[str]) -> bool:
    """Tell whether *said* has one of the words *alike* as the user's: "the user's father"."""
    words = split(said)
    if any(word in alike for _, word in named(words)):
        return True
    return any(
        not _USERS.isdisjoint(words[max(0, place - _NEAR) : place + _NEAR + 1])
        for place, word in enumerate(words)
        if word in alike
    )


def groups(words: Sequence[str]) -> Iterator[tuple[int, str, tuple[str, ...]]]:
    """Yield the places that mean several of the user's: "my kids", "die Familie".

    Each comes with the name of the group, and with the kinds of its members in any language.
    """
    yield from _list_asked(words)
    for place, word in enumerate(words):
        one = _bare(word)
        if one not in _SEVERAL:
            continue
        for each in _LANGUAGES:
            for group in each.groups.get(one, ()):
                if (
                    _is_mine(each, words, place)
                    or _is_had(each, words, place)
                    or _is_asked(each, words, place)
                    # "The kids", but not "the family of Jan"
                    or (
                        group in _DEFINITE_GROUPS
                        and place > 0
                        and words[place - 1] in each.definite
                        and not _is_of_another(each, words, place)
                    )
                ):
                    yield place, group, members(group)


def _list_asked(words: Sequence[str]) -> Iterator[tuple[int, str, tuple[str, ...]]]:
    """Yield the ties that a question means without a kind: "Who am I seeing?", "report to"."""
    said = f" {' '.join(map(_bare, words))} "
    for name, phrases in _ASKED.items():
        for phrase in phrases:
            before, found, _ = said.partition(f" {phrase} ")
            if found:
                yield len(before.split()), name, _words_of(_GROUPS.get(name, (name,)))
                break


def known(words: Sequence[str]) -> list[tuple[int, str]]:
    """Return the places among the case-folded *words* that may mean a kind without a word above.

    Such kinds are any that the user gave somebody or something: our plumber, the car, my tutor.
    """
    found = []
    for place, word in enumerate(words[1:], 1):
        one, before = _bare(word), words[place - 1]
        if (
            (before in OWN and one not in _WORDS | _SEVERAL)
            or (before in _DEFINITE and _may_be_the(one))
            or any(
                before in each.definite and not _NO_FAMILY.isdisjoint(each.kinds.get(one, ()))
                for each in _LANGUAGES[2:]
            )
        ):
            found.append((place, one))
    return [pair for pair in found if len(pair[1]) >= _SHORTEST_KIND][:_MOST_KINDS]


def is_own(word: str) -> bool:
    """Tell whether *word*, case-folded, is a "my" of some language."""
    return word in OWN


def _words_of(named: Iterator[str] | Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word for kind in named for word in _OF[kind]))


def _bare(word: str) -> str:
    return word.removesuffix("'s").removesuffix("’s")


def _is_named(each: _Language, words: Sequence[str], place: int, one: str) -> bool:
    before = words[place - 1] if place else ""
    if one in each.called and not each.is_anothers(before):
        return not _is_of_another(each, words, place)
    return one in each.kinds and (
        _is_mine(each, words, place) or _is_asked(each, words, place, most_general=False)
    )


def _is_mine(each: _Language, words: Sequence[str], place: int) -> bool:
    """Tell whether the words before a kind say that it is the user's: "my little"."""
    for word in reversed(words[max(0, place - _BETWEEN - 1) : place]):
        if word in each.own:
            return True
        # "My friend's sister" and "my dog and a cat" have kinds that are somebody else's.
        if each.is_anothers(word) or word in each.kinds or word in each.joins:
            return False
    return False


def _is_had(each: _Language, words: Sequence[str], place: int) -> bool:
    """Tell whether the words behind a group say that it is the user's: "pets do I have"."""
    behind = " ".join(map(_bare, words[place + 1 : place + 1 + _MOST_OF_HAVE]))
    return any(f"{behind} ".startswith(f"{one} ") for one in each.have)


def _is_asked(
    each: _Language, words: Sequence[str], place: int, *, most_general: bool = True
) -> bool:
    """Tell whether the words before a group or a kind ask for one: "do I have a pet".

    Only for groups one word alone does, the *most_general*: "any pets".
    """
    ahead = " ".join(map(_bare, words[max(0, place - _MOST_OF_HAVE) : place]))
    said = (one for one in each.asked if most_general or " " in one)
    return any(f" {ahead}".endswith(f" {one}") for one in said)


def _is_of_another(each: _Language, words: Sequence[str], place: int) -> bool:
    """Tell whether a kin word is another one's: the family of Jan, a mãe do Rui."""
    return place + 1 < len(words) and words[place + 1] in each.of


def _may_be_the(one: str) -> bool:
    is_family = one in _WORDS and not any(
        kind in _NO_FAMILY for each in _LANGUAGES for kind in each.kinds.get(one, ())
    )
    return not is_family and one not in _OF_MANY and one not in _SEVERAL
