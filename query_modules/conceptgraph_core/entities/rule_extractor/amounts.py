"""Find doses and rents, of which one has one at a time: "sertraline, 50 mg", "die Miete ist 800 €".

A dose is a fact "dose of sertraline". It is told with a unit of medicines beside what is taken, or
by a change to a bare number ("they upped my sertraline to 100"). A price stands behind a rent or a
salary with nothing but small words between. One who stopped takes none any more.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from ... import language
from ...language import oneself
from ...texts.words.languages import STOP_WORDS
from ..language import kin
from ..schema import AFTER, DOSE, EVERY, FIRST_PERSON, OVER
from .naming import FIRST_NAMES, ORDINARY, Named
from .prose import Word
from .statements import Row, Statement, list_sentences

# Not by an import statement: a reload of the modules would drop the names it defines.
re: Final[Any] = __import__("re")

_TOPIC: Final = "amounts"


def _said(*names: str, topic: str = _TOPIC) -> frozenset[str]:
    return frozenset().union(*(language.words(topic, one) for one in names))


def _any_of(name: str) -> str:
    return "|".join(sorted(language.words(_TOPIC, name), key=len, reverse=True))


_AMOUNT: Final = re.compile(rf"(?<![\w.,])\d[\d.,]*\s?(?:{_any_of('units')})\b", re.IGNORECASE)
_NUMBER: Final = re.compile(r"(?<![\w.,£$€])\d[\d.,]*(?![\w%])(?<=\d)")
_PRICE: Final = re.compile(
    rf"[£$€]\s?\d[\d.,]*(?<=\d)|(?<![\w.,])\d[\d.,]*(?<=\d)\s?(?:€|(?:{_any_of('money')})\b)",
    re.IGNORECASE,
)
_TO: Final = _said("to")
_FOR: Final = frozenset(("for", "für", "para", "pour"))
_STOPPED, _CHANGED = (
    [
        re.compile(
            rf"(?<!\w){' .*'.join(re.escape(part.strip()) for part in one.split('*'))}(?!\w)"
        )
        for one in sorted(language.words("once", name))
    ]
    for name in ("stopped", "adjusted")
)
_IS: Final = language.words("oneself", "is")
_BETWEEN: Final = (
    _IS
    | _said("between", "rising")
    | {word for one in language.words("once", "adjusted") for word in one.split()}
)
_NO_THINGS: Final = _said("no things").union(STOP_WORDS, ORDINARY, FIRST_NAMES, oneself.USERS)
_EARNING: Final = _said("earning")
_PRICED: Final = dict.fromkeys(_said("rent"), "rent") | dict.fromkeys(
    _said("salary") | _EARNING, "salary"
)
_PERIODS: Final = _said("periods")
_SMALL: Final = (_BETWEEN | _PERIODS | _said("fillers", topic="statements") | STOP_WORDS) - _said(
    "bounds"
)
_OTHERS: Final = _said("others") | kin.OTHERS
_THE: Final = language.words("whose", "definite")
_PAYING: Final = _said("paying")
# In English the verb is anybody's.
_SHARED: Final = frozenset(
    one for name in ("paying", "earning") for one in language.load("en", _TOPIC)[name]
)
_CHANGED_BY: Final = tuple(f" {one}" for one in _said("changed by"))
_UNSURE: Final = _said("supposed", "negations", "denied", topic="statements") | _said(
    "unreal", topic="change"
)
_OWN: Final = _said("own", topic="asking")
_TRADES: Final = frozenset(language.load("en", "kin_groups")["trades"])
_SHORTEST: Final = 5
_NEAR: Final = 4
_MOST_STOPPED: Final = 3


def find_amounts(text: str, written: Sequence[Word], names: Sequence[Named]) -> Iterator[Statement]:
    """Iterate over the doses and rents of *written*, the words of *text*, the user's own."""
    for sentence in list_sentences(text, written):
        forms = [word.folded for word in sentence]
        start, end = sentence[0].start, sentence[-1].end
        if any(one.endswith("n't") for one in forms) or not _UNSURE.isdisjoint(forms):
            continue
        if _OTHERS.isdisjoint(forms):
            yield from _find_price(text, sentence)
        said = text[start:end].casefold()
        stopped = any(one.search(said) for one in _STOPPED)
        is_changed = not stopped and any(one.search(said) for one in _CHANGED)
        doses = list(_find_doses(text, sentence, is_changed=is_changed)) if not stopped else []
        things = [thing for thing, *_ in doses]
        if stopped:
            things = [word for word in sentence if _is_thing(word)][:_MOST_STOPPED]
        if not _is_users(sentence, names, things):
            continue
        for thing, (first, last), is_sure in doses or ((one, (0, 0), True) for one in things):
            fact: Row = {"predicate": f"{DOSE}{_bare(thing)}"}
            if stopped:
                fact |= {"value": EVERY, "mode": OVER, "span": thing.text}
            else:
                begins, ends = min(thing.start, first), max(thing.end, last)
                fact |= {"value": text[first:last], "mode": AFTER, "span": text[begins:ends]}
            fact |= {} if is_sure else {"known": True}
            yield Statement(fact, thing.start, thing.end)


def _find_price(text: str, sentence: Sequence[Word]) -> Iterator[Statement]:
    """Yield the rent or the salary: "my rent is 900 euros", "I pay 900 euros in rent"."""
    places = [at for at, word in enumerate(sentence) if word.folded in _PRICED]
    for place in places[:1]:
        thing, before, behind = sentence[place], sentence[:place], sentence[place + 1 :]
        near, said = _fold(before[-2:]), {*_fold(before)}
        # "Die Miete ist 800 €", "I earn 900 a month"; no "Tom's rent", "my sister's rent".
        first = next(iter(behind), thing)
        is_bare = said <= _THE and (first.folded in _BETWEEN or first.gap.startswith(("'s", "’s")))
        is_users = not kin.OWN.isdisjoint(near) or is_bare or thing.folded in _EARNING - _SHARED
        is_users |= thing.folded in _EARNING and not _OWN.isdisjoint(near)
        is_users &= not any(map(kin.relation, near))
        end = next((word.start for word in behind if "," in word.gap), sentence[-1].end + 2)
        found = next(_PRICE.finditer(text, thing.end, end), None) if is_users else None
        number = next(_NUMBER.finditer(text, thing.end, end), None) if is_users else None
        ahead = [word for word in behind if number and word.end <= number.start()]
        if found is None and ahead and ahead[-1].folded in _TO:
            found = number
        between = [word for word in behind if found and word.end <= found.start()]
        paying = said & _PAYING
        if found is None and (paying - _SHARED or (paying and said & _OWN)):
            found = next(_PRICE.finditer(text, before[0].start, thing.start), None)
            between = [word for word in before if found and word.start >= found.end()]
            # "40 euros to rent a car", "in rent for my mother"
            is_other = any(map(kin.relation, _fold(behind[:_NEAR]))) or (
                bool(between) and between[-1].folded in _TO
            )
            found = None if is_other else found
        if found and thing.folded in _EARNING:
            # "I earn 900 euros a month", no "20 euros selling books"
            period = _fold(word for word in behind if word.start >= found.end())[:_NEAR]
            found = None if _PERIODS.isdisjoint(period) else found
        changed = text[thing.end : found.start()].casefold().rstrip() if found else ""
        if found and not changed.endswith(_CHANGED_BY) and _SMALL.issuperset(_fold(between)):
            span = text[min(thing.start, found.start()) : max(thing.end, found.end())]
            fact = {"predicate": _PRICED[thing.folded], "value": found[0], "mode": AFTER}
            yield Statement({**fact, "span": span}, thing.start, thing.end)


def _find_doses(
    text: str, sentence: Sequence[Word], *, is_changed: bool
) -> Iterator[tuple[Word, tuple[int, int], bool]]:
    """Yield what is taken, the place of its dose, and whether it is one: the first of a sentence.

    "They put the ramipril down to 5" tells a dose only if one of ramipril is known.
    """
    start, end = sentence[0].start, sentence[-1].end + 1
    found = next(_AMOUNT.finditer(text, start, end), None)
    number = next(_NUMBER.finditer(text, start, end), None) if is_changed else None
    for place in [one for one in (found or number,) if one is not None]:
        before = [word for word in sentence if word.end <= place.start()]
        behind = [word for word in sentence if word.start >= place.end()]
        follows = bool(behind) and behind[0].follows and behind[0].folded not in STOP_WORDS
        if found is None and (not before or before[-1].folded not in _TO or follows):
            return
        is_own = any(word.folded in kin.OWN for word in before[-_NEAR:])
        # "Ramipril for my blood pressure, 5 mg"
        is_apart = bool(before) and text[before[-1].end :].startswith(",")
        purpose = [at for at, one in enumerate(before) if is_apart and one.folded in _FOR]
        before = before[: purpose[0] if purpose else None]
        # "Hat mir Metformin verschrieben, 500 mg"
        nouns = [one for one in before[-_NEAR:] if one.is_capitalised and not one.begins]
        is_verb = bool(before) and not before[-1].is_capitalised and bool(nouns)
        thing = _skip_small(nouns[-1:] if is_verb else before[::-1]) or _skip_small(before[::-1])
        if (thing is None or thing.begins) and (other := _skip_small(behind)) is not None:
            # "Wieder 50 mg Sertralin"
            thing = other
        if thing is not None:
            yield thing, place.span(), found is not None or is_own


def _skip_small(words: Sequence[Word]) -> Word | None:
    """Return the first of *words* that is no small word, if it may be a medicine."""
    rest = [word for word in words if word.folded not in _BETWEEN][:1]
    return rest[0] if rest and _is_thing(rest[0]) else None


def _is_thing(word: Word) -> bool:
    """Tell whether a word may be a medicine: it is none that is used every day."""
    one = _bare(word)
    is_word = len(one) >= _SHORTEST and one.replace("-", "").isalpha()
    return is_word and one not in _NO_THINGS and kin.relation(one) is None


def _bare(word: Word) -> str:
    return str(re.sub(r"^[dl]['’]", "", word.folded))


def _fold(words: Iterable[Word]) -> list[str]:
    return [word.folded for word in words]


def _is_users(sentence: Sequence[Word], names: Sequence[Named], things: Sequence[Word]) -> bool:
    """Tell whether the doses of *sentence* are the user's, and none of *names* has them."""
    forms = _fold(sentence)
    starts = {word.start for word in things}
    is_named = any(
        sentence[0].start <= one.start < sentence[-1].end and one.start not in starts
        for one in names
    )
    relatives = [word for _, word in kin.named(forms) if kin.relation(word) not in _TRADES]
    # "My boss gave Anna the sertraline": it is the user's with an "I", or as "my sertraline".
    pairs = zip(sentence, sentence[1:], sentence[2:], strict=False)
    near = {one.folded for *ahead, word in pairs if word.start in starts for one in ahead}
    own = not (FIRST_PERSON - kin.OWN).isdisjoint(forms) or not kin.OWN.isdisjoint(near)
    return not relatives and (own or (not is_named and _OTHERS.isdisjoint(forms)))
