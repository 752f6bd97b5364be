"""Read what the user's words state when a text is remembered: facts of the user and of those known.

The rules add what the words state of those named in `about`, of the user, and of others who are
known: "Bo has moved to Turku" reaches Bo without any `about`.

Imports nothing of Memgraph: the shell looks up what these need.
"""

from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import Any, Final

from .. import language
from ..entities import names, rule_extractor
from ..entities import schema as entities
from ..entities.beliefs import attribution
from ..entities.language import endings, kin
from ..entities.language.spans import Said, Span
from ..entities.rule_extractor import naming, statements
from ..language import oneself
from ..memories import superseding
from ..texts.words import missing
from ..texts.words.splitting import split
from .hearing import Message

Row = dict[str, Any]

# The user has one of each at a time; a wife and a husband are told as a spouse.
_ONCE: Final = frozenset(("boss", "partner", "girlfriend", "boyfriend", "fiance", *naming.SPOUSES))
_TIES: Final = _ONCE - naming.SPOUSES | {"spouse"}
_MOST_NAMES: Final = 3
# A text that states one of these ends an earlier one that states another value.
_ENDED_BY_VALUE: Final = frozenset(("home", "employer", "diet"))
_OWN: Final = language.words("asking", "own") | {"me"}
_OTHERS: Final = language.words("statements", "pronouns") | language.words("whose", "others")
_SUBJECTS: Final = language.words("statements", "subjects")
_ARTICLES: Final = language.words("whose", "definite") | language.words("whose", "none")
_PAST: Final = endings.FORMER | language.words("change", "old")


def add_stated(
    message: Message,
    languages: Sequence[str],
    former: Iterable[str] = (),
    *,
    note: str = "",
    is_change: bool = False,
) -> Message:
    """Return *message* with what its words, if they are the user's, state by the rules.

    A *note* that an agent wrote of them states more where its values stand in them: "The user moved
    to Ghent", of "moved to ghent on saturday".

    A kind in `about` alone tells who the boss or partner is now, unless the words speak of the
    past, or the one is among the canonical names *former*, no longer so. If it *is_change*, because
    it replaces a memory, what one has once at a time follows what was told before.
    """
    if message.speaker != entities.USER:
        return message
    rows = {names.canonical(one["label"]): dict(one) for one in message.observations}
    given = list(rows.values())
    found = rule_extractor.observations(message.text, languages, with_known=True)
    if note and note != message.text:
        _add_noted(found, rule_extractor.observations(note, languages, is_note=True), message.text)
    user = next((one for one in found if one["label"] == entities.SELF), None)
    own = {names.canonical(one["object"]) for one in _facts(user) if "object" in one}
    called = {names.canonical(one["label"]): _call_as_given(one["label"], given) for one in found}
    for one in found:
        name = names.canonical(called[names.canonical(one["label"])])
        for fact in one.get("facts") or ():
            if is_change and fact["predicate"] in entities.SINGLE:
                fact.setdefault("mode", entities.AFTER)
            if "object" in fact:
                fact["object"] = called.get(names.canonical(fact["object"]), fact["object"])
        if name in rows:
            # The caller's word comes before a rule's.
            known = {fact["predicate"] for fact in _facts(rows[name])}
            read = [fact for fact in _facts(one) if fact["predicate"] not in known]
            rows[name] |= {"facts": [*_facts(rows[name]), *read]} if read else {}
            if "kind" in one:
                rows[name].setdefault("kind", one["kind"])
        elif one is user or name in own or one.get("kind") == entities.SELF:
            rows[name] = one
        elif one["type"] == entities.NAMED:
            rows[name] = {**one, "known": True}
    if ties := _list_ties(given, message.text, _facts(user), frozenset(former)):
        user = rows.setdefault(
            entities.SELF, {"label": entities.SELF, "type": entities.THING, "kind": "person"}
        )
        user["facts"] = [*_facts(user), *ties]
    return message._replace(observations=list(rows.values())[: entities.MAX_OBSERVATIONS])


def _add_noted(found: list[Row], noted: Sequence[Row], said: str) -> None:
    """Add to what was *found* in *said* the facts *noted* of it whose values stand in it."""
    told = {names.canonical(one["label"]): one for one in found}
    heard, words = said.casefold(), Said(said)
    for one in noted:
        row = told.get(names.canonical(one["label"]))
        known = {fact["predicate"] for fact in _facts(row)}
        more = [
            {**fact, "span": said[place.start : place.end]}
            for fact in _facts(one)
            if fact["predicate"] not in known
            and (place := _find_stated(words, fact, one["label"])) is not None
        ]
        if row is None and (more or one["label"].casefold() in heard):
            row = {key: one[key] for key in one if key not in ("span", "facts")}
            found.append(row)
        if row is not None and "kind" in one:
            row.setdefault("kind", one["kind"])
        if row is not None and more:
            row["facts"] = [*_facts(row), *more]


def _find_stated(said: Said, fact: Row, label: str) -> Span | None:
    """Return where the value of a *fact* on *label* stands in *said*; None: nothing may state it.

    A clause that denies, asks or supposes states nothing, nor of the user one of another: "tom
    moved to ghent". A bare number may count anything: "the bus 40 was late".
    """
    value = fact.get("value") or fact["object"]
    place = None if value.isdecimal() else said.find(value)
    if place is None or "?" in place.sentence:
        return None
    clauses = attribution.split_clauses(said)
    clause = next((one for one in clauses if place.start < one[-1].end), [])
    forms = [one.form for one in clause]
    spoken = [one.form for one in said.tokens]
    unreal = language.read_spoken(spoken, "change", "unreal", "wanted")
    unreal |= language.read_spoken(spoken, "statements", "supposed")
    if attribution.denies(forms, said) or not unreal.isdisjoint(forms):
        return None
    if "object" in fact or label != entities.SELF:
        return place
    ahead = [one for one in clause if one.end <= place.start]
    # "Fenner hired tom", not "fenner hired me".
    behind = [one for one in clause if one.start >= place.end and _OWN.isdisjoint(forms)]
    is_named = any(
        one.form in naming.FIRST_NAMES or (one is not clause[0] and said.text[one.start].isupper())
        for one in ahead or behind
        if one.form not in _OWN
    )
    is_others = is_named or any(one in _OTHERS or kin.kinds(one) for one in forms)
    return None if is_others or _has_subject(forms[: len(ahead)], fact, forms) else place


def _has_subject(ahead: Sequence[str], fact: Row, clause: Sequence[str]) -> bool:
    """Tell whether *ahead*, the words before a value, begin with what is not the user."""
    if not (ahead and _OWN.isdisjoint(clause)):
        return False
    if ahead[0] in _ARTICLES or ahead[0] in _SUBJECTS:
        return True
    is_open = ahead[0] in statements.VERBS or ahead[0] in statements.DIARY
    is_open = is_open or ahead[0] in split(fact["predicate"])
    return not is_open and any(
        one in statements.VERBS or one in statements.DIARY for one in ahead[1:2]
    )


def replaces(new: str, old: str, languages: Sequence[str]) -> bool:
    """Tell whether *new* says for sure how it is now what *old* says, with another value.

    Both state one value of the user's, such as a home, or one number of the same thing.
    """
    if max(len(new), len(old)) <= superseding.LONGEST:
        before = _read_values(old, languages)
        for matter, value in _read_values(new, languages).items():
            known = before.get(matter)
            if known is not None and not (value.startswith(known) or known.startswith(value)):
                return True
    return superseding.tells_other_dose(new, old, languages)


def _read_values(text: str, languages: Sequence[str]) -> dict[str, str]:
    """Return what *text*, if it begins as one on the user, says that one has once at a time.

    A text that says more of the user would be ended with that.
    """
    # "Ingrid Holm is now the user's boss, she …"
    now, words = language.words("once", "now"), text.split()
    name = [*takewhile(lambda one: one[:1].isupper() and one.casefold() not in now, words)]
    behind = [
        form for word in words[len(name) :] if (form := word.casefold().strip(",.;!")) not in now
    ]
    for each in language.words("once", "holds boss") if 0 < len(name) <= _MOST_NAMES else ():
        phrase = [word for word in each.split() if word not in now]
        if behind[: len(phrase)] == phrase:
            return {"boss": " ".join(name).casefold()}
    if missing() or not oneself.is_of_user(text):
        return {}
    found = rule_extractor.observations(text, languages, is_note=True)
    facts = _facts(next((one for one in found if one["label"] == entities.SELF), None))
    values = {fact["predicate"]: str(fact.get("value", "")).casefold() for fact in facts}
    stated = {one: value for one, value in values.items() if one in _ENDED_BY_VALUE and value}
    return stated if len(stated) == 1 and values.keys() - stated <= {"occupation"} else {}


def _call_as_given(label: str, given: Sequence[Row]) -> str:
    """Return the given name that is *label* behind a kin word or a title: "Aunt Rosa" for Rosa."""
    if any(names.canonical(one["label"]) == names.canonical(label) for one in given):
        return label
    for one in given:
        first, _, name = one["label"].partition(" ")
        word = first.casefold().rstrip(".")
        is_address = word in naming.TITLES or kin.relation(word) is not None
        if is_address and names.canonical(name) == names.canonical(label):
            return str(one["label"])
    return label


def _facts(user: Row | None) -> list[Row]:
    return [] if user is None else list(user.get("facts") or ())


def _list_ties(
    given: Sequence[Row], said: str, facts: Sequence[Row], former: frozenset[str]
) -> list[Row]:
    """Return a fact on who the user's boss or partner is, by the kinds *given* alone."""
    words = split(said)
    is_told = not _TIES.isdisjoint(one["predicate"] for one in facts)
    is_past = endings.has_phrase(endings.pad_words(said), "ceased")
    if is_told or is_past or not _PAST.isdisjoint(words):
        return []
    ties = []
    for one in given:
        kind = names.canonical(one.get("kind") or "")
        relation = kin.relation(kind) or kind
        is_named = set(split(one["label"])[:1]) <= set(words)
        if relation in _ONCE and is_named and names.canonical(one["label"]) not in former:
            predicate = "spouse" if relation in naming.SPOUSES else relation
            ties.append({"predicate": predicate, "object": one["label"]})
    return ties if len(ties) == 1 else []
