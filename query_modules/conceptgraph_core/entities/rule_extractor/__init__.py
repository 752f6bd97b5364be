"""Extract the mentions of a message by rules, without a model: few, and rather right than many.

It knows no grammar, only the writing of words and the words around them. It finds names, dates,
amounts, frequent nouns, kin, and the user's statements about the user. The text contains every
result, so results from a user's message are the user's. A model's message yields only names, and a
long one only sure names: a model's nouns are not the user's topics.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from typing import Any, Final, TypeVar

from ... import language
from ...texts.words import missing
from ...texts.words.languages import detect_languages
from ...texts.words.splitting import split
from .. import inputs, names, schema
from ..language import cues, dated, kin
from ..language.inflection import is_german
from . import amounts, introducing, kin_names, naming, prose, statements
from .naming import Named
from .prose import Word, words

Row = dict[str, Any]
_Placed = TypeVar("_Placed", Named, statements.Statement)

# More mentions than this say nothing about a message.
MOST: Final = 30
# So many further words of a message are tried as known names.
_MOST_KNOWN: Final = 8
_COUPLED: Final = frozenset(("spouse", "partner"))
_BRIEF: Final = 40
# Frequent first words of a message that name nobody.
_OPENINGS: Final = language.words("people", "openings", ("en",))


def wanted(
    text: str, given: Sequence[Mapping[str, Any]], languages: Sequence[str], speaker: str
) -> list[inputs.Observation]:
    """Return the observations *given*, or else those of *text*; checked, and with their cues.

    Cues count in a user's own words only. Raises as `inputs.observations`.
    """
    if not given:
        return list(_read_wanted(text, tuple(languages), speaker))
    read = inputs.observations(given)
    return cues.noticed(prose.spoken(text), read) if speaker == schema.USER else read


# A call that lacks look-ups runs again.
@lru_cache(32)
def _read_wanted(text: str, languages: Sequence[str], speaker: str) -> Sequence[inputs.Observation]:
    read = inputs.observations(observations(text, languages, speaker, with_known=True))
    return cues.noticed(prose.spoken(text), read) if speaker == schema.USER else read


def observations(
    text: str,
    languages: Sequence[str],
    speaker: str = schema.USER,
    *,
    with_known: bool = False,
    is_note: bool = False,
) -> list[Row]:
    """Return the mentions in *text* as `observe` takes them, in the order of the text, at most 30.

    Each has label and type and, if known, a kind, span, valence and facts. *languages* are as
    `words.terms` takes them; without the libraries for these, nouns are left out. *with_known*
    adds words that are names only if the memory knows an entity so called ("Pepper threw up"), each
    with `known`. In a note, "the user" is the user.
    """
    found = _read(text, tuple(languages), speaker, with_known, is_note)
    # Copies, because the caller may add to them.
    return [
        row | ({"facts": [dict(one) for one in row["facts"]]} if "facts" in row else {})
        for row in found
    ]


# Remembering a text reads it more than once.
@lru_cache(32)
def _read(
    text: str, languages: Sequence[str], speaker: str, with_known: bool, is_note: bool
) -> list[Row]:
    is_users = speaker == schema.USER
    said = prose.spoken(text, lists=is_users)
    written = words(said)
    folded = [word.folded for word in written]
    german = is_german(folded) or language.likely(folded) == ("de",)
    idle = _idle(written, languages)
    found = _Found(said, written)
    own = list(kin_names.find_kin_names(written))
    # "Unsere Tochter Svenja": no name begins with the kin word.
    told = [one for one in own if one.label]
    own += (
        one
        for one in naming.find_names(written, idle, german)
        if not any(one.start < each.start < one.end for each in told)
    )
    # A name in a model's long text may belong to anybody, invented people included.
    is_brief = is_users or len(text.split()) <= _BRIEF
    theirs = prose.others(text) if is_users else bytearray()
    if is_users:
        own_name = next(introducing.find_own_names(said, written, german), None)
        if own_name is not None and not theirs[own_name[0]]:
            found.introduce(*own_name)
        told_here = chain(
            statements.find_statements(said, written, own, german, is_note=is_note),
            amounts.find_amounts(said, written, own),
        )
        for statement in _drop_quoted(told_here, theirs):
            found.state(statement)
    for one in own:
        is_own = one.is_own and is_users and not theirs[one.start]
        if one.is_own and is_users and not (is_own or one.label):
            # "My sister" in a quotation is not the user's sister.
            continue
        if is_brief or (one.is_sure and one.kind):
            found.name(one, is_own)
    if is_users:
        for start, end in cues.paired(said):
            found.add({"label": said[start:end], "type": schema.NAMED}, start, end)
        for date in dated.dates(said):
            row = {"label": date.label, "type": "topic", "kind": "date"}
            found.add({**row, "span": said[date.start : date.end]}, date.start, date.end)
    if is_users and with_known:
        for possible in _drop_quoted(naming.list_possible(written, idle), theirs):
            found.suggest(possible)
    return found.rows()


def list_kin(text: str, languages: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the user's kin that *text*, the user's own, names: (relation, canonical name)."""
    *rows, user = observations(text, languages, with_known=True) or [{}]
    if user.get("label") != schema.SELF:
        return
    named = {names.canonical(one["object"]) for one in user["facts"] if "object" in one}
    for row in rows:
        relation = kin.relation(row.get("kind", ""))
        if relation is not None and (name := names.canonical(row["label"])) in named:
            yield relation, name


@dataclass(slots=True)
class _Found:
    """The mentions found so far, each name once, and none within another."""

    text: str
    written: Sequence[Word]
    _rows: dict[str, tuple[int, Row]] = field(default_factory=dict)
    _taken: list[tuple[int, int]] = field(default_factory=list)
    _possible: dict[str, Row] = field(default_factory=dict)
    _facts: list[Row] = field(default_factory=list)
    # The canonical name of another -> the facts told about that one.
    _theirs: dict[str, list[Row]] = field(default_factory=dict)
    _self: tuple[int, str] | None = None
    # "My sister", without a name -> her kind.
    _unnamed: dict[str, str] = field(default_factory=dict)

    def add(self, row: Row, start: int, end: int) -> None:
        """Add the text from *start* to before *end*, unless it is known or within another."""
        if end - start > schema.MAX_LABEL:
            return
        if any(start < last and first < end for first, last in self._taken):
            return
        name = names.canonical(row["label"])
        if name not in self._rows:
            self._rows[name] = start, row
        self._taken.append((start, end))

    def name(self, one: Named, is_own: bool) -> None:
        """Add a name, and if it *is_own*, a kin of the user's, a fact about that."""
        label = one.label or self.text[one.start : one.end]
        kind = f"former {one.kind}" if one.is_past else one.kind
        row = {"label": label, "type": "entity"} | ({"kind": kind} if kind else {})
        known = self._rows.get(names.canonical(label))
        if known is not None and kind:
            known[1].setdefault("kind", kind)
        self.add(row, one.start, one.end)
        if is_own and not one.label and one.kind:
            self._unnamed[names.canonical(label)] = one.kind
        if is_own and one.label:
            predicate = "spouse" if one.kind in naming.SPOUSES else one.kind
            fact = {"predicate": predicate, "object": label}
            mode = schema.OVER if one.is_past else schema.AFTER if one.is_new else None
            _claim(self._facts, fact | ({"mode": mode} if mode else {}))
            self._self = self._self or self._my(one.start)

    def introduce(self, start: int, end: int) -> None:
        """Add the user's own name, from *start* to before *end*."""
        label = self.text[start:end]
        self.add({"label": label, "type": schema.THING, "kind": schema.SELF}, start, end)
        _claim(self._facts, {"predicate": "name", "value": label, "span": label})
        self._self = (start, label)

    def suggest(self, one: Named) -> None:
        """Add a name that counts only if it is known."""
        label = self.text[one.start : one.end]
        is_taken = any(one.start < last and first < one.end for first, last in self._taken)
        if not is_taken and len(self._possible) < _MOST_KNOWN and len(label) <= schema.MAX_LABEL:
            row = {"label": label, "type": schema.NAMED, "known": True}
            self._possible.setdefault(names.canonical(label), row)

    def state(self, one: statements.Statement) -> None:
        """Add a statement of the user's, the one it is about, and the thing it names."""
        is_users = one.subject is None or one.subject.label == schema.SELF
        if "object" in one.fact and one.subject is not None:
            # "Julien and I are together"
            self.name(one.subject, is_own=True)
        elif is_users and one.fact["predicate"] in _COUPLED and "value" in one.fact:
            # "I am married to Marek"
            value, kind = one.fact["value"], one.fact["predicate"]
            start = self.text.find(value, one.start)
            named = Named(start, start + len(value), kind, value, is_own=True, is_sure=True)
            self.name(named, is_own=True)
        elif is_users:
            _claim(self._facts, one.fact)
            self._self = self._self or (one.start, self.text[one.start : one.end])
        elif one.subject is not None:
            self.name(one.subject, is_own=False)
            label = one.subject.label or self.text[one.subject.start : one.subject.end]
            _claim(self._theirs.setdefault(names.canonical(label), []), one.fact)
        if one.observation is not None:
            place = self.text.casefold().find(one.fact["value"].casefold(), one.start)
            self.add(one.observation, place, place + len(one.fact["value"]))

    def rows(self) -> list[Row]:
        """Return the observations; the user, who has all facts, comes after the others."""
        told = sorted(self._rows.values(), key=lambda pair: pair[0])
        rows = [row for _, row in told if not self._is_named(row)][:MOST]
        rows += [row for name, row in self._possible.items() if name not in self._rows]
        known = {names.canonical(row["label"]) for row in rows}
        facts = [
            one
            for one in self._facts
            if "object" not in one or names.canonical(one["object"]) in known
        ]
        for row in rows:
            if theirs := self._theirs.get(names.canonical(row["label"])):
                row["facts"] = theirs
        if facts and self._self is not None:
            user = {"label": schema.SELF, "type": "entity", "kind": naming.PERSON}
            rows.append({**user, "span": self._self[1], "facts": facts})
        return rows

    def _is_named(self, row: Row) -> bool:
        """Tell whether it is "my sister", and the text names only one sister."""
        kind = self._unnamed.get(names.canonical(row["label"]))
        predicate = "spouse" if kind in naming.SPOUSES else kind
        known = [one for one in self._facts if "object" in one and one["predicate"] == predicate]
        return len(known) == 1

    def _my(self, before: int) -> tuple[int, str] | None:
        """Return the "my" of "my sister Clara", or of "Clara is my sister"."""
        written = self.written
        mine = [one for one in written if one.folded in schema.FIRST_PERSON]
        ahead = [one for one in mine if one.start < before]
        # "Dad's name is Alan" is of the user's dad.
        alone = kin.named([one.folded for one in written])
        mine += [written[place] for place, _ in alone]
        # "Hemos adoptado": in some languages the verb alone is the user's.
        found = ahead[-1] if ahead else next(iter((*mine, *written)), None)
        return None if found is None else (found.start, found.text)


def _drop_quoted(found: Iterable[_Placed], theirs: bytearray) -> Iterator[_Placed]:
    """Iterate over those *found* that are in the user's own voice."""
    return (one for one in found if not theirs[one.start])


def _claim(facts: list[Row], fact: Row) -> None:
    if len(facts) < MOST and fact not in facts:
        facts.append(fact)


def _idle(written: Sequence[Word], languages: Sequence[str]) -> frozenset[str]:
    """Return the words that say nothing."""
    if missing():
        return _OPENINGS
    folded = [piece for word in written for piece in split(word.text)]
    stops = frozenset(
        word for one in detect_languages(folded, languages) for word in one.stop_words
    )
    return stops | _OPENINGS
