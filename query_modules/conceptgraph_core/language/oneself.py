"""Read what a text says about the user who keeps it, and what a message asks of that.

The words are data (`oneself`, `matters`). A text is about the user if it begins so, "The user …" or
"User's …": who keeps notes for somebody else writes like this. "My sister …" is about the sister.
"""

from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise, takewhile
from typing import Final, NamedTuple

from ..texts.folding import fold_marks
from . import LANGUAGES, load, read_spoken, words

# Only the beginning of a text tells whom it is about.
_MOST_READ: Final = 240
_MOST_WORDS_A_NAME: Final = 3
_MOST_WORDS: Final = 100
# "My older sister": so many words after "my" may be kin, before a verb.
_NEAR_KIN: Final = 6
# "Le frère de Lena", "Cat Muis": the subject of a text is among so many words.
_MOST_OF_A_SUBJECT: Final = 5
# Before a matter, as in "5mg" and "41-year-old".
_NUMBER: Final = "0123456789.,-"
# The most words between: "what was my", "remind me of my".
_BEFORE_MY: Final = 3
# "Do I currently live", "what allergies do I have".
_AFTER_I: Final = 4
_BEFORE_I: Final = 2
_PUNCTUATION: Final = ' .,;:!?…"“”„«»()[]¿¡*'
_ELIDED: Final = {"j": "je", "m": "me"}

# A sentence on who the user is answers these: "a nurse in Lisbon".
_TOLD_WITH_THE_NAME: Final = frozenset(("job", "home", "name"))
# "How old am I?", "How much do I earn?"
_COUNTED: Final = frozenset(("age", "price", "salary"))
_RENT: Final = "price"
# The words of a matter of this name ask for the matter after it, and do not tell it.
_ASKED: Final = "asked "

Phrase = tuple[str, ...]


class Asked(NamedTuple):
    """The user's own facts that a message asks for: all, or those with one of the words."""

    everything: bool = False
    words: frozenset[str] = frozenset()
    # The words of a question about who the user is, by name, work or home.
    identity: bool = False

    def __bool__(self) -> bool:
        return self.everything or bool(self.words)


class _Word(NamedTuple):
    text: str
    form: str
    # Whether a comma, a point or the end of the text follows.
    ends: bool


def is_of_user(text: str) -> bool:
    """Tell whether *text* begins as one about the user."""
    return _behind_lead(_words(text)) is not None


def names_user(text: str) -> bool:
    """Tell whether *text* is about the user, or has "the user" anywhere: "the user's boss"."""
    if is_of_user(text):
        return True
    return any(one.form.removesuffix("'s").removesuffix("s") in USERS for one in _words(text))


def is_order(text: str) -> bool:
    """Tell whether *text* says what to do always or never: "Never push to main"."""
    read = _words(text)
    return bool(read) and read[0].form in _ORDERS


def is_rule(text: str) -> bool:
    """Tell whether *text* says what the user wants or likes: "The user prefers short answers"."""
    read = _words(text)
    behind = _behind_lead(read) or 0
    return is_order(text) or any(one.form in _RULES for one in read[behind : behind + 2])


def name_in(text: str) -> str | None:
    """Return the name that a text about the user gives to the user: "The user is Lena, a nurse"."""
    return _name_in(_words(text))


def _name_in(read: Sequence[_Word]) -> str | None:
    behind = _behind_lead(read)
    if behind is None:
        return None
    for phrases, is_sure in ((_CALLED, True), (_IS, False)):
        for phrase in phrases:
            end = behind + len(phrase)
            if tuple(one.form for one in read[behind:end]) == phrase:
                return _name(read[end:], is_sure)
    return None


def tells_who(text: str, name: str | None = None) -> bool:
    """Tell whether *text* says who the user is, whose *name* is known: "Lena is a nurse".

    "Lena is allergic to nuts" does not.
    """
    read = _words(text)
    said, behind = [one.form for one in read], _behind_lead(read)
    # "The user is a nurse"
    beside = [] if behind is None else said[behind : behind + 3]
    is_what = len(beside) == 3 and beside[0] in _BE and beside[1] in _ARTICLES
    if is_what or _name_in(read) is not None:
        return True
    first = fold_marks(name or "").split()
    return any(
        bool(called) and said[: len(called)] == called and _is_somebody(said[len(called) :])
        for called in (first, first[:1])
    )


def _is_somebody(behind: Sequence[str]) -> bool:
    """Tell whether the words behind a name are "is a nurse", "est ingénieure"."""
    return len(behind) > 1 and behind[0] in _BE and behind[1] in _ARTICLES | _TRADES


def begins_with(text: str, name: str) -> bool:
    """Tell whether *text* is about the one of that *name*, its subject: "Lena works at Bosch"."""
    said = [one.form for one in _words(text)]
    called = fold_marks(name).split()
    return any(
        bool(each) and said[: len(each)] == each and not _goes_on(said[len(each) :])
        for each in (called, called[:1])
    )


def is_of_another(text: str, names: Collection[str] = ()) -> bool:
    """Tell whether *text* begins with kin, or with one of *names*: "Le frère de Lena"."""
    said = [one.form.removesuffix("'s") for one in _words(text)[:_MOST_OF_A_SUBJECT]]
    first = {called[0] for one in names if (called := fold_marks(one).split())}
    return not first.union(_kin(said)).isdisjoint(said)


def begins_with_matter(text: str, wanted: frozenset[str]) -> bool:
    """Tell whether *text* begins with one of the *wanted* words: "Allergic to penicillin"."""
    return _may_have(text, wanted) and any(one.form in wanted for one in _words(text)[:1])


def has_matter(text: str, wanted: frozenset[str]) -> bool:
    """Tell whether *text* has one of the *wanted* words, and does not deny it: "does not like".

    "The user has a brother who is allergic" tells the brother's, not the user's own.
    """
    if not _may_have(text, wanted):
        return False
    said = ["", *(one.form for one in _words(text, len(text)))]
    for place, (before, word) in enumerate(pairwise(said), 1):
        bare = word.lstrip(_NUMBER) or word
        is_matter = bare in wanted or f"{before} {word}" in wanted
        if is_matter and before not in _NEGATIONS and not before.endswith("n't"):
            joined = [at for at in range(place) if said[at] in _JOINS]
            clause = said[joined[-1] if joined else 0 : place]
            if _kin(said).isdisjoint(clause):
                return True
    return False


def _may_have(text: str, wanted: frozenset[str]) -> bool:
    """Tell whether one of the *wanted* words may be in *text*; few texts are then read in whole."""
    folded = fold_marks(text)
    return any(one.rpartition(" ")[2] in folded for one in wanted)


def _kin(said: Sequence[str]) -> frozenset[str]:
    """Return the words for kin, friends and pets in the language of *said*: "son" is French too."""
    return read_spoken(said, "kin", *_OTHERS)


def is_me(name: str) -> bool:
    """Tell whether *name* is a word of the user's for the user: me, ich, mim."""
    return fold_marks(name).strip(_PUNCTUATION) in _ME


# A call asks for those of its message twice.
@lru_cache(32)
def asked(*messages: str) -> Asked:
    """Return what *messages* ask of the user; nothing, if they only have a "my" somewhere."""
    everything, wanted = False, set[str]()
    sentences = (one for message in messages for one in _sentences(message))
    for sentence, is_question in sentences:
        whole = tuple(sentence)
        everything |= any(whole[-len(one) :] == one for one in _ENDS) or any(
            whole[place : place + len(one)] == one
            for place, word in enumerate(whole)
            for one in _ALL_BY_FIRST.get(word, ())
        )
        wanted.update(_matters(sentence, is_question))
    return Asked(
        everything,
        frozenset(word for matter in wanted for word in _MATTERS[matter]),
        not _TOLD_WITH_THE_NAME.isdisjoint(wanted),
    )


def _matters(sentence: Sequence[str], is_question: bool) -> Iterator[str]:
    """Yield the matters of the user's that *sentence* asks for."""
    asks = [place for place, word in enumerate(sentence) if word in _ASKS or word in _HOW]
    begins = is_question and not _BEGINS.isdisjoint(sentence[:1])
    is_unsure = not _UNSURE.isdisjoint(sentence)
    for place, word in enumerate(sentence):
        # "Living" asks for the home, and "for a living" for the job.
        two = " ".join(sentence[max(0, place - 1) : place + 1])
        named = _MATTER_OF.get(two, _MATTER_OF.get(word))
        if named is None:
            continue
        if _is_my(sentence, place, asks):
            yield from named
        elif asks and _RENT in named and place == len(sentence) - 1:
            # "How much is the rent?"
            yield _RENT
        elif (
            not is_unsure
            and (asks or begins)
            and not _FIRST.isdisjoint(
                # "Do I live", "what allergies do I have"
                sentence[max(0, place - _AFTER_I) : place + _BEFORE_I + 1]
            )
        ):
            # "How do I live without coffee?" is no question about a home.
            only_how = all(sentence[one] in _HOW for one in asks) and not begins
            yield from (one for one in named if not only_how or one in _COUNTED)


def _is_my(sentence: Sequence[str], place: int, asks: Sequence[int]) -> bool:
    """Tell whether the word at *place* follows "what is my"."""
    for at in (place - 1, place - 2):
        if at >= 0 and sentence[at] in _OWN:
            # Not "my sister's job", and not "my IP address".
            is_whole = _BETWEEN.issuperset(sentence[at + 1 : place])
            return is_whole and any(0 < at - one <= _BEFORE_MY + 1 for one in asks)
    return False


def _sentences(message: str) -> Iterator[tuple[list[str], bool]]:
    sentence: list[str] = []
    for one in _words(message, len(message)):
        sentence.append(one.form)
        if one.ends and one.text[-1:] in ".!?…":
            yield sentence[:_MOST_WORDS], one.text.endswith("?")
            sentence = []
    if sentence:
        yield sentence[:_MOST_WORDS], False


def _behind_lead(read: Sequence[_Word]) -> int | None:
    """Return the number of the words by which a text begins as one about the user, or None."""
    forms = tuple(one.form for one in read)
    for lead in _GENITIVES:
        if forms[: len(lead)] == lead:
            behind = forms[len(lead) : len(lead) + _NEAR_KIN]
            owned = tuple(takewhile(lambda one: one not in _BE and one not in _VERBS, behind))
            return (
                None
                if any(one.removesuffix("'s") in _KIN for one in owned) or not behind
                else len(lead)
            )
    for lead in _LEADS:
        if forms[: len(lead)] == lead and len(forms) > len(lead):
            return len(lead) if lead not in _ENGLISH or _is_verb(forms[len(lead)]) else None
    return None


def _is_verb(word: str) -> bool:
    """Tell whether *word* may follow "the user" as its verb: not "user settings", "user table"."""
    if word in _VERBS or word.endswith(("n't", "ed")):
        return True
    return word.endswith("s") and not word.endswith(("ss", "ings"))


def _goes_on(behind: Sequence[str]) -> bool:
    """Tell whether other people follow a name: "Lena and Tom"."""
    return not behind or behind[0] in _JOINS


def _name(read: Sequence[_Word], is_sure: bool) -> str | None:
    """Return the name at the beginning of *read*; if not *is_sure*, it may be another noun.

    "The user is Lena, a nurse" has a name, "The user is Head of Sales" and "is CEO" have none.
    """
    named: list[str] = []
    for one in read[:_MOST_WORDS_A_NAME]:
        bare = one.text.strip(_PUNCTUATION)
        is_acronym = len(bare) > 1 and bare.isupper()
        if not bare[:1].isupper() or is_acronym or not bare.replace("-", "").isalpha():
            break
        named.append(bare)
        if one.ends:
            break
    if not named or fold_marks(named[0]) in NOT_NAMES:
        return None
    if not is_sure and not read[len(named) - 1].ends and read[len(named)].form not in _JOINS:
        return None
    return " ".join(named)


def _words(text: str, most: int = _MOST_READ) -> list[_Word]:
    """Return the words of *text*, each with its folded form without punctuation."""
    found: list[_Word] = []
    for raw in text[:most].split():
        form = fold_marks(raw).strip(_PUNCTUATION)
        if not form:
            if found and raw[-1] in _PUNCTUATION:
                # French has a blank before "?".
                found[-1] = found[-1]._replace(text=f"{found[-1].text}{raw}", ends=True)
            continue
        head, apostrophe, rest = form.partition("'")
        if apostrophe and head in _ELIDED and rest:
            found.append(_Word(_ELIDED[head], _ELIDED[head], False))
            form = rest
        if form.endswith("'s") and form.removesuffix("'s") in _ASKS:
            form = form.removesuffix("'s")
        found.append(_Word(raw, form, raw[-1] in ".,;:!?…)"))
    if found:
        found[-1] = found[-1]._replace(ends=True)
    return found


def _phrases(name: str) -> tuple[Phrase, ...]:
    """Return the phrases called *name* of `oneself`, the longest first."""
    each = (tuple(one.split()) for code in LANGUAGES for one in load(code, "oneself").get(name, ()))
    return tuple(sorted(set(each), key=lambda one: (-len(one), one)))


_LEADS: Final = _phrases("leads")
_GENITIVES: Final = _phrases("genitives")
USERS: Final = frozenset(one[-1] for one in _LEADS) - words("oneself", "first")
_ENGLISH: Final = frozenset((("the", "user"), ("user",)))
_CALLED: Final = _phrases("called")
_IS: Final = _phrases("is")
_ARTICLES: Final = words("oneself", "articles")
_NEGATIONS: Final = words("oneself", "negations")
_TRADES: Final = words("oneself", "trades")
_BE: Final = tuple(one[0] for one in _IS if len(one) == 1)
_JOINS: Final = words("whose", "joins")
_VERBS: Final = words("oneself", "verbs")
# "I am Welsh" gives no name, and "Welsh breads" has none.
PEOPLES: Final = words("oneself", "peoples")
NOT_NAMES: Final = words("oneself", "not names") | PEOPLES
_RULES: Final = words("oneself", "rules")
_ORDERS: Final = words("oneself", "orders")
_ME: Final = words("oneself", "me")
_ALL: Final = _phrases("all")
_ALL_BY_FIRST: Final = {one[0]: [two for two in _ALL if two[0] == one[0]] for one in _ALL}
_ENDS: Final = _phrases("ends")
_ASKS: Final = words("oneself", "asks")
_HOW: Final = words("oneself", "how")
_BETWEEN: Final = words("oneself", "between")
_BEGINS: Final = words("oneself", "begins")
_UNSURE: Final = words("oneself", "unsure")
_FIRST: Final = words("oneself", "first")
_OWN: Final = words("whose", "own")
_KIN: Final = frozenset(
    word for code in LANGUAGES for each in load(code, "kin").values() for word in each
)
# Kin, friends and pets; a doctor who prescribes something does not make it another's.
_OTHERS: Final = tuple(
    kind for kind in load("en", "kin") if kind not in load("en", "kin_groups")["trades"]
)
# The kinds that callers give to the user.
KINDS: Final = words("oneself", "kinds")
_MATTERS: Final = {
    matter: words("matters", matter) for matter in load("en", "matters") if matter[:6] != _ASKED
}
# A question such as "what am I called?" asks for the name, and "a parrot called Gaston" is none.
_ASKED_BY: Final = {
    matter: each | words("matters", f"{_ASKED}{matter}") for matter, each in _MATTERS.items()
}
_MATTER_OF: Final = {
    word: tuple(matter for matter, each in _ASKED_BY.items() if word in each)
    for word in sorted(frozenset().union(*_ASKED_BY.values()))
}
