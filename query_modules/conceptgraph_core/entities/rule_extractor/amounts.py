"""Find doses and rents, of which one has one at a time: "sertraline, 50 mg", "die Miete ist 800 €".

A dose is a fact "dose of sertraline". It is told with a unit of medicines, or by a change alone:
"they upped my sertraline to 100". One who stopped takes none any more.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from ... import language
from ...language import oneself
from ...words.languages import STOP_WORDS
from ..language import kin
from ..language.ordinary import ORDINARY
from ..schema import AFTER, DOSE, EVERY, FIRST_PERSON, OVER
from . import people
from .naming import Named
from .statements import Statement
from .written import Word

# Not by an import statement: a reload of the modules would drop the names it defines.
re: Final[Any] = __import__("re")

_TOPIC: Final = "amounts"
_UNITS: Final = "|".join(sorted(language.words(_TOPIC, "units"), key=len, reverse=True))
_AMOUNT: Final = re.compile(rf"(?<![\w.,])\d[\d.,]*\s?(?:{_UNITS})\b", re.IGNORECASE)
_NUMBER: Final = re.compile(r"(?<![\w.,£$€])\d[\d.,]*(?![\w%])(?<=\d)")
_MONEY: Final = "|".join(sorted(language.words(_TOPIC, "money"), key=len, reverse=True))
_PRICE: Final = re.compile(
    rf"[£$€]\s?\d[\d.,]*(?<=\d)|(?<![\w.,])\d[\d.,]*(?<=\d)\s?(?:€|(?:{_MONEY})\b)", re.IGNORECASE
)
_ADJUSTED: Final = language.words("once", "adjusted")
_BEHIND_NUMBER: Final = _ADJUSTED | STOP_WORDS
# "My sertraline was reduced to 50 mg"
_BETWEEN: Final = (
    language.words(_TOPIC, "between")
    | language.words(_TOPIC, "rising")
    | {word for one in _ADJUSTED for word in one.split()}
)
_TO: Final = language.words(_TOPIC, "to")
_NO_THINGS: Final = frozenset().union(
    *(language.words(_TOPIC, "no things"), STOP_WORDS, ORDINARY, people.FIRST_NAMES),
    oneself.USERS,
)
_PRICED = {word: name for name in ("rent", "salary") for word in language.words(_TOPIC, name)}
# "I earn 900": the verb alone is the user's, or with "I".
_EARNING: Final = language.words(_TOPIC, "earning")
_PRICED |= dict.fromkeys(_EARNING, "salary")
_PAYING: Final = language.words(_TOPIC, "paying")
# In English the verb is anybody's.
_SHARED: Final = frozenset(
    one for name in ("paying", "earning") for one in language.load("en", _TOPIC)[name]
)
_SUPPOSED: Final = language.words("change", "unreal") | {"i'd"}
_UNSURE: Final = language.words("statements", "supposed")
_NEGATIONS: Final = frozenset().union(
    *(language.words("statements", name) for name in ("negations", "none", "denied"))
)
_BOUNDS: Final = language.words(_TOPIC, "bounds")
_PERIODS: Final = language.words(_TOPIC, "periods")
_CHANGED_BY: Final = tuple(f" {one}" for one in language.words(_TOPIC, "changed by"))
_FOR: Final = frozenset(("for", "für", "para", "pour"))
_SELVES: Final = language.words("asking", "own")
_RISING: Final = language.words(_TOPIC, "rising")
_JOINS: Final = language.words("whose", "joins")
_BEHIND_PRICED: Final = _RISING | _BETWEEN | STOP_WORDS | language.words("statements", "fillers")
_THE: Final = language.words("whose", "definite")
_IS: Final = language.words("oneself", "is")
_OTHERS: Final = language.words(_TOPIC, "others") | kin.OTHERS
_STOPPED, _CHANGED = (
    [
        [f" {' '.join(part.split())} " for part in one.split("*")]
        for one in sorted(language.words("once", name))
    ]
    for name in ("stopped", "adjusted")
)
_TRADES: Final = frozenset(language.load("en", "kin_groups")["trades"])
_SHORTEST: Final = 5
_NEAR: Final = 4
_MOST_STOPPED: Final = 3


def find_amounts(text: str, written: Sequence[Word], names: Sequence[Named]) -> Iterator[Statement]:
    """Iterate over the doses and rents of *written*, the words of *text*, about one of *names*."""
    sentence: list[Word] = []
    for word in (*written, None):
        if sentence and (word is None or (word.begins and "." not in word.gap.strip(" ."))):
            end = word.start if word is not None else len(text)
            if "?" not in text[sentence[-1].end : end]:
                yield from _find_in(text, sentence, end, names)
            sentence = []
        if word is not None:
            sentence.append(word)


def _find_in(
    text: str, sentence: Sequence[Word], end: int, names: Sequence[Named]
) -> Iterator[Statement]:
    forms = [word.folded for word in sentence]
    if not _PRICED.keys().isdisjoint(forms) and _OTHERS.isdisjoint(forms):
        yield from _find_price(text, sentence, end)
    said = f" {' '.join(forms)} "
    stopped = any(_has_parts(said, parts) for parts in _STOPPED)
    is_changed = any(_has_parts(said, parts) for parts in _CHANGED)
    doses = list(_list_doses(text, sentence, end, is_changed=is_changed and not stopped))
    whose = _find_whose(sentence, names, [thing for thing, *_ in doses])
    if whose is not None:
        for thing, first, last, is_sure in doses if not stopped else ():
            one = _state(text, thing, (first, last), whose)
            yield one if is_sure else replace(one, fact={**one.fact, "known": True})
        for thing in _list_stopped(sentence) if stopped else ():
            yield _state(text, thing, None, whose)


def _find_price(text: str, sentence: Sequence[Word], end: int) -> Iterator[Statement]:
    place = next(at for at, word in enumerate(sentence) if word.folded in _PRICED)
    thing, before, behind = sentence[place], sentence[:place], sentence[place + 1 :]
    if not _SUPPOSED.isdisjoint(_fold(before)):
        return
    if _is_users(before, behind):
        found = _find_stated(text, thing, behind, end)
    elif _is_earned(before, thing):
        found = _find_earned(text, thing, before, behind, end)
    else:
        found = _find_paid(text, before, behind) if not _is_of_kin(before) else []
    if found:
        at = found[-1]
        fact = {"predicate": _PRICED[thing.folded], "value": at[0], "mode": AFTER}
        start, last = min(thing.start, at.start()), max(thing.end, at.end())
        yield Statement({**fact, "span": text[start:last]}, thing.start, thing.end)


def _is_earned(before: Sequence[Word], thing: Word) -> bool:
    """Tell whether *thing* is the verb of what the user earns: "I earn", no "to earn"."""
    is_alone = thing.folded in _EARNING - _SHARED
    return is_alone or (thing.folded in _EARNING and not _SELVES.isdisjoint(_fold(before[-1:])))


def _find_stated(text: str, thing: Word, behind: Sequence[Word], end: int) -> list[Any]:
    """Return the prices of *thing* in the words *behind* it: "is 900", "went up to 900"."""
    # "My rent is 900 euros and the internet costs 40": another thing begins there.
    joined = (word.start for word in behind if word.folded in _JOINS or "," in word.gap)
    end = next(joined, end)
    prices = _PRICE.finditer(text, thing.start, end)
    found = [one for one in prices if not _is_change(text, thing, one)] or [
        one for one in _NUMBER.finditer(text, thing.start, end) if _is_adjusted(text, thing, one)
    ]
    # "My salary pays the 40 euros" tells of something else.
    first = next((word for word in behind if not word.is_number), None)
    if first is None or first.folded in _BEHIND_PRICED:
        return found
    return [one for one in found if one.start() <= first.start]


def _is_adjusted(text: str, thing: Word, number: Any) -> bool:
    """Tell whether the words before a bare *number* say that it is the new price of *thing*."""
    said = text[thing.end : number.start()].casefold().split()
    return len(said) > 1 and said[-1] in _TO and not _RISING.isdisjoint(said)


def _is_change(text: str, thing: Word, price: Any) -> bool:
    """Tell whether *price* is by how much *thing* changes: "going up by 50 euros"."""
    return bool(text[thing.end : price.start()].casefold().rstrip().endswith(_CHANGED_BY))


def _find_earned(
    text: str, thing: Word, before: Sequence[Word], behind: Sequence[Word], end: int
) -> list[Any]:
    """Return what the user earns in a time: "I earn 900 euros a month", no "selling books"."""
    found = _find_stated(text, thing, behind, end)
    last = found[0].end() if found else end
    until = [word for word in behind if word.end <= last]
    period = _fold(word for word in behind if word.start >= last)[:_NEAR]
    is_sure = not _is_unsure(before, until) and not _PERIODS.isdisjoint(period)
    return found[:1] if is_sure else []


def _find_paid(text: str, before: Sequence[Word], behind: Sequence[Word]) -> list[Any]:
    """Return the price that the user pays: "I pay 900 euros in rent", no "40 to rent a car"."""
    at = next((at for at, word in enumerate(before) if word.folded in _PAYING), len(before))
    paid, rest = before[at : at + 1], before[at + 1 :]
    if not rest or (paid[0].folded in _SHARED and _SELVES.isdisjoint(_fold(before))):
        return []
    found = list(_PRICE.finditer(text, paid[0].end, before[-1].end + 1))
    joining = _fold(word for word in rest if found and word.start >= found[-1].end())
    is_other = any(map(kin.relation, _fold(behind[:_NEAR]))) or (
        len(behind) > 1 and behind[0].folded in _FOR and behind[1].is_capitalised
    )
    is_apart = len(joining) > 1 and _PERIODS.isdisjoint(joining)
    is_apart |= not _TO.isdisjoint(joining[-1:]) or not _JOINS.isdisjoint(joining)
    return [] if is_other or is_apart or _is_unsure(before[:at], rest) else found


def _is_unsure(before: Sequence[Word], behind: Sequence[Word]) -> bool:
    """Tell whether the words around a verb deny or suppose it, or tell but a bound of its price."""
    said = _fold((*before, *behind))
    is_denied = any(one in _NEGATIONS or one.endswith("n't") for one in said)
    return is_denied or not _BOUNDS.isdisjoint(said) or not _UNSURE.isdisjoint(_fold(before))


def _fold(words: Iterable[Word]) -> list[str]:
    return [word.folded for word in words]


def _is_of_kin(before: Sequence[Word]) -> bool:
    """Tell whether it is somebody else's: "my sister's rent"."""
    return any(kin.relation(one.removesuffix("'s")) is not None for one in _fold(before[-2:]))


def _is_users(before: Sequence[Word], behind: Sequence[Word]) -> bool:
    """Tell whether the words around a rent make it the user's: "our new rent", "die Miete ist"."""
    if not kin.OWN.isdisjoint(_fold(before[-2:])):
        return not _is_of_kin(before)
    is_bare = not before or (len(before) == 1 and before[0].folded in _THE)
    return is_bare and bool(behind) and behind[0].folded in _IS | _RISING


def _has_parts(said: str, parts: Sequence[str]) -> bool:
    for part in parts:
        _, found, said = said.partition(part)
        said = f" {said}"
        if not found:
            return False
    return True


def _list_doses(
    text: str, sentence: Sequence[Word], end: int, *, is_changed: bool
) -> Iterator[tuple[Word, int, int, bool]]:
    """Yield each thing with a dose, where the dose begins and ends, and whether it is one.

    "They put the ramipril down to 5" tells a dose only if one of ramipril is known.
    """
    for match in _AMOUNT.finditer(text, sentence[0].start, end):
        before = [word for word in sentence if word.end <= match.start()]
        behind = [word for word in sentence if word.start >= match.end()]
        is_apart = bool(before) and text[before[-1].end :].startswith(",")
        thing = _find_before(before, is_apart=is_apart) or _find_behind(behind)
        named = _find_behind(behind)
        if thing is not None and thing.begins and named is not None and named.is_capitalised:
            # "Wieder 50 mg Sertralin"
            thing = named
        if thing is not None:
            yield thing, match.start(), match.end(), True
            return
    for match in _NUMBER.finditer(text, sentence[0].start, end) if is_changed else ():
        before = [word for word in sentence if word.end <= match.start()]
        thing = _find_before(before) if before and before[-1].folded in _TO else None
        if thing is not None:
            is_own = any(word.folded in kin.OWN for word in before[-_NEAR:])
            # "To 3 tablets", "à 8 heures"
            following = next((word for word in sentence if word.start >= match.end()), None)
            if (
                is_own
                or following is None
                or not following.follows
                or following.folded in _BEHIND_NUMBER
            ):
                yield thing, match.start(), match.end(), is_own
            return


def _find_before(before: Sequence[Word], *, is_apart: bool = False) -> Word | None:
    """Return the thing before a dose: right before it, or the noun of "Metformin verschrieben".

    Before a comma it is what is taken for something: "ramipril for my blood pressure, 5 mg".
    """
    rest = list(before)
    near = range(max(1, len(rest) - _NEAR), len(rest)) if is_apart else ()
    for_what = next((at for at in near if rest[at].folded in _FOR), len(rest))
    if _is_thing(rest[:for_what][-1:]):
        rest = rest[:for_what]
    while rest and rest[-1].folded in _BETWEEN:
        rest.pop()
    nouns = [one for one in rest[-_NEAR:] if one.is_capitalised and not one.begins]
    if rest and not rest[-1].is_capitalised and _is_thing(nouns[-1:]):
        return nouns[-1]
    return rest[-1] if _is_thing(rest[-1:]) else None


def _find_behind(behind: Sequence[Word]) -> Word | None:
    rest = list(behind)
    while rest and rest[0].folded in _BETWEEN and rest[0].follows:
        rest.pop(0)
    return rest[0] if rest and rest[0].follows and _is_thing(rest[:1]) else None


def _is_thing(words: Sequence[Word]) -> bool:
    """Tell whether one word may be a medicine: it is none that is used every day."""
    if len(words) != 1:
        return False
    one = _bare(words[0])
    is_word = len(one) >= _SHORTEST and one.replace("-", "").isalpha()
    return is_word and one not in _NO_THINGS and kin.relation(one) is None


def _bare(word: Word) -> str:
    return word.folded.removeprefix("d'").removeprefix("d’").removeprefix("l'").removeprefix("l’")


def _list_stopped(sentence: Sequence[Word]) -> list[Word]:
    return [word for word in sentence if _is_thing([word])][:_MOST_STOPPED]


def _find_whose(
    sentence: Sequence[Word], names: Sequence[Named], things: Sequence[Word]
) -> Named | bool | None:
    """Return who has the doses of *sentence*: a name, True for the user, None if it is unsure."""
    forms = [word.folded for word in sentence]
    first, last = sentence[0].start, sentence[-1].end
    starts = {word.start for word in things}
    named = [one for one in names if first <= one.start < last and one.start not in starts]
    relatives = [word for _, word in kin.named(forms) if kin.relation(word) not in _TRADES]
    own = not FIRST_PERSON.isdisjoint(forms)
    if relatives or not (own or _OTHERS.isdisjoint(forms)):
        labelled = {one.label for one in named if one.label}
        if len(labelled) == 1:
            return next(one for one in named if one.label)
        # "Dad takes 10 mg of ramipril": he alone, and nothing of the user's.
        mine = [one for one in sentence if one.folded in FIRST_PERSON]
        is_kin = len(named) == 1 and named[0].kind and all(one.start < named[0].end for one in mine)
        return named[0] if is_kin and sentence[0].start == named[0].start else None
    if own or not named:
        return True
    return named[0] if len(named) == 1 else None


def _state(text: str, thing: Word, at: tuple[int, int] | None, whose: Named | bool) -> Statement:
    fact: dict[str, Any] = {"predicate": f"{DOSE}{_bare(thing)}"}
    if at is None:
        fact |= {"value": EVERY, "mode": OVER, "span": thing.text}
    else:
        start, end = min(thing.start, at[0]), max(thing.end, at[1])
        fact |= {"value": text[at[0] : at[1]], "mode": AFTER, "span": text[start:end]}
    subject = whose if isinstance(whose, Named) else None
    return Statement(fact, thing.start, thing.end, None, subject)
