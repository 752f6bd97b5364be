"""The record that the index keeps of a text, and the index entries that a write of it needs."""

import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..graph.layers import SHARED, IndexedText, NodeKind
from ..graph.primitives import BEYOND, Equal, Incoming, Lookup, Range, Sized, Union
from ..texts import text as names
from ..texts.words import missing, terms
from . import schema, spelling
from .question import own_names, sought_terms, speaker_terms
from .schema import NEIGHBOURS

# (label, properties, values) of one look-up by index.
Place = tuple[str, tuple[str, ...], tuple[Any, ...]]


class Told(NamedTuple):
    """A text and its metadata; `thread` and `position` are both set or both None.

    `about` has the names of the text's subjects; their words count as words of the text. `heard` is
    what was said when the text was told; words that only that has count less. `told_at` is set for
    a text of a day to come: it was told before that day.
    """

    scope: str
    label: str
    key: str
    text: str
    thread: str | None
    position: int | None
    speaker: str | None
    said_at: int | None
    about: tuple[str, ...] = ()
    told_at: int | None = None
    heard: str = ""

    @property
    def id(self) -> tuple[str, str, str]:
        return self.scope, self.label, self.key

    @property
    def place(self) -> tuple[str, str, int] | None:
        """The scope, thread and position of the text; None outside a thread."""
        if self.thread is None or self.position is None:
            return None
        return self.scope, self.thread, self.position

    def subjects(self, languages: Sequence[str]) -> Collection[str]:
        """Return the terms of the subjects' names, in the same order in every process."""
        return dict.fromkeys(term for name in self.about for term in terms(name, languages))

    def counts(self, languages: Sequence[str]) -> dict[str, float]:
        """Return how often the text has each term; a term of its subjects counts once more.

        A term that only `heard` has counts `schema.HEARD_COUNT`.
        """
        found: dict[str, float] = dict(terms(self.text, languages))
        for term in self.subjects(languages):
            found[term] = found.get(term, 0) + 1
        heard = terms(self.heard, languages) if self.heard else {}
        return dict.fromkeys(heard, schema.HEARD_COUNT) | found

    @property
    def part(self) -> int:
        """The part of its corpus that counts this text."""
        return part(self.key)


def words_in(counts: Mapping[str, float]) -> int:
    """Return the length of a text with these *counts*, in words; what was only heard adds none."""
    own = (count for count in counts.values() if count != schema.HEARD_COUNT)
    return int(sum(own)) or len(counts)


def part(name: str) -> int:
    """Return the part of its corpus that counts a text with that key."""
    return names.part(name, schema.PARTS)


def read_told(kind: NodeKind, properties: Mapping[str, Any]) -> Told | None:
    """Return the text that the index keeps for a record; None if the record has none.

    *properties* are decoded values, as in records. The index would misread a stored form: a user's
    text may look like one. A record without text properties has an empty text.
    """
    if kind.indexed is None:
        return None
    key = properties.get(kind.key[-1])
    scope = SHARED if kind.scope is None else kind.whose(properties.get)
    if not isinstance(key, str) or not isinstance(scope, str):
        return None
    thread, position = properties.get("thread"), properties.get("position")
    if not isinstance(thread, str) or not _is_whole(position):
        thread = position = None
    indexed, speaker = kind.indexed, properties.get("speaker")
    texts = [properties.get(name) for name in indexed.texts()]
    about = None if indexed.about is None else properties.get(indexed.about)
    said_at = properties.get("said_at")
    stored_at = None if indexed.otherwise_at is None else properties.get(indexed.otherwise_at)
    at: Any = next(filter(_is_whole, (said_at, stored_at)), None)
    # The text was told before the time that it is of.
    is_ahead = _is_whole(said_at) and _is_whole(stored_at) and stored_at < said_at  # type: ignore
    return Told(
        # `text.user` normalizes the same way.
        kind.words_of(unicodedata.normalize("NFC", scope)),
        kind.label,
        key,
        "\n".join(one for one in texts if isinstance(one, str)),
        thread,
        position,
        speaker if isinstance(speaker, str) else None,
        indexed.when(key) if at is None else at,
        tuple(one for one in about if isinstance(one, str))
        if isinstance(about, (list, tuple))
        else (),
        stored_at if is_ahead else None,
        _read_heard(indexed, properties),
    )


def _read_heard(indexed: IndexedText, properties: Mapping[str, Any]) -> str:
    said = None if indexed.heard is None else properties.get(indexed.heard)
    return said if isinstance(said, str) else ""


def places(texts: Sequence[Told], languages: Sequence[str]) -> Iterator[Place]:
    """Yield the look-ups that writing *texts* needs; some come more than once."""
    for scope in dict.fromkeys(one.scope for one in texts):
        yield from corpus(scope)
    # Many texts share words: look each word up once.
    names: dict[str, dict[str, Any]] = {}
    for one in texts:
        yield schema.TEXT, ("scope", "label", "key"), one.id
        of_scope = names.setdefault(one.scope, {})
        of_scope |= one.counts(languages)
        if one.speaker is not None:
            yield schema.SPEAKER, ("scope", "name"), (one.scope, one.speaker)
            of_scope |= dict.fromkeys(speaker_terms(one.speaker, languages))
        if one.place is not None:
            scope, thread, position = one.place
            for offset in range(-NEIGHBOURS, NEIGHBOURS + 1):
                yield (
                    schema.TEXT,
                    ("scope", "thread", "position"),
                    (scope, thread, position + offset),
                )
    for scope, of_scope in names.items():
        yield from find_terms(scope, of_scope)


def needed(texts: Iterable[Told | None], languages: Sequence[str]) -> list[Lookup]:
    """Look up what it takes to write *texts* into the index; None is no text."""
    told = [one for one in texts if one is not None]
    return [] if missing() else equal(places(told, languages))


def removed(kind: NodeKind, keys: Iterable[str], scope: str) -> list[Lookup]:
    """Look up what it takes to remove the texts of these nodes from the index."""
    return [*equal(corpus(scope)), *texts_of(kind, keys, scope)]


def texts_of(kind: NodeKind, keys: Iterable[str], scope: str) -> list[Lookup]:
    """Look up the texts of these nodes in the index."""
    by = ("scope", "label", "key")
    return equal((schema.TEXT, by, (scope, kind.label, one)) for one in keys)


def unindexed(kind: NodeKind, scope: str) -> Sized:
    """Count the nodes of *kind* in *scope*, and look up how many of them the index has."""
    where = () if kind.scope is None else ((kind.scope, scope),)
    kept = Union(tuple(equal(corpus(kind.words_of(scope)))))
    return Sized(kept, kind.label, kind.key[-1], where)


def equal(places: Iterable[Place]) -> list[Lookup]:
    """Return the look-ups of *places*, one for each label and its properties."""
    found: dict[tuple[str, tuple[str, ...]], dict[tuple[Any, ...], None]] = {}
    for label, properties, values in places:
        found.setdefault((label, properties), {})[values] = None
    return [
        Equal((label,), properties, tuple(values)) for (label, properties), values in found.items()
    ]


def with_mentions(lookup: Lookup, most: int) -> Incoming:
    """Look up the texts that mention the terms found by *lookup*, the rarest terms first.

    It reads up to *most* mentions, but always those of the rarest term.
    """
    return Incoming(
        lookup,
        label=schema.TERM,
        edges=schema.MENTIONING,
        weight=schema.COUNT,
        columns=schema.LAYER.columns[0],
        by="name",
        unless="speakers",
        most=most,
    )


def asked(wordings: Iterable[str], languages: Sequence[str]) -> list[str]:
    """Return the terms by which a text may match one of the *wordings* of a question."""
    if missing():
        return []
    found = (term for one in wordings for term in sought_terms(one, languages))
    return list(dict.fromkeys(found))


def of_terms(wordings: Sequence[str], scope: str, languages: Sequence[str]) -> list[Lookup]:
    """Look up the terms of *wordings*, and the number of texts of *scope*."""
    return equal([*corpus(scope), *find_terms(scope, asked(wordings, languages))])


def of_spellings(text: str, scope: str, languages: Sequence[str]) -> list[Lookup]:
    """Look up the terms that the misspelt words of *text* may be meant for."""
    meant = spelling.spellings(text, languages).values()
    found: dict[str, None] = dict.fromkeys(term for each in meant for term in each)
    begun: list[str] = []
    for word, term in (
        spelling.doubtful(text, languages).items() if spelling.is_german(text) else ()
    ):
        parts = spelling.split_compound(word, languages)
        found |= dict.fromkeys(part for two in parts for part in two)
        if (start := spelling.find_beginning(word, term)) is not None:
            begun.append(start)
    return [*equal(find_terms(scope, list(found))), *of_starts(begun, scope)]


def of_starts(starts: Iterable[str], scope: str) -> list[Lookup]:
    """Look up a few terms of *scope* that begin with each of *starts*."""
    where, most = (("scope", scope),), 2 * spelling.MOST_COMPOUNDS
    return [Range((schema.TERM,), "name", one, one + BEYOND, where, most) for one in starts]


def of_user(scope: str, user_id: str) -> Equal:
    """Look up the speakers of *scope* that may be the user."""
    values = tuple((scope, name) for name in own_names(user_id))
    return Equal((schema.SPEAKER,), ("scope", "name"), values)


def of_mentions(
    wordings: Sequence[str],
    scope: str,
    languages: Sequence[str],
    beside: Iterable[str] = (),
    further: Iterable[str] = (),
) -> Incoming:
    """Look up the terms of a question in these *wordings*, and the texts that mention them.

    Mentions are read up to a limit. The terms *beside* count as its own; those *further*, and
    neighbours, are looked up last, if few texts mention them. The terms of the wordings but the
    first have what it leaves of the limit, and a few mentions in any case.
    """
    own = dict.fromkeys((*asked(wordings[:1], languages), *beside))
    last = tuple(one for one in asked(wordings[1:], languages) if one not in own)
    found = Union(tuple(equal(find_terms(scope, (*own, *last)))))
    also = tuple((scope, one) for one in dict.fromkeys(further))
    return with_mentions(found, schema.MOST_MENTIONS)._replace(
        few=schema.FEW_MENTIONS,
        also=Equal((schema.TERM,), ("scope", "name"), also) if also else None,
        related=schema.NEAR,
        scope="scope",
        last=last,
    )


def searched(
    wordings: Sequence[str],
    scope: str,
    user_id: str,
    languages: Sequence[str],
    beside: Iterable[str] = (),
    further: Iterable[str] = (),
) -> list[Lookup]:
    """Look up all of the index that a search by these *wordings* reads (see `of_mentions`)."""
    mentions = of_mentions(wordings, scope, languages, beside, further)
    return [*equal(corpus(scope)), of_user(scope, user_id), mentions]


def corpus(scope: str) -> Iterator[Place]:
    """Yield the look-ups of the nodes that count the texts of *scope*."""
    for part in range(schema.PARTS):
        yield schema.CORPUS, ("scope", "part"), (scope, part)


def find_terms(scope: str, names: Sequence[str] | Mapping[str, float]) -> Iterator[Place]:
    """Yield the look-ups of the terms *names*."""
    for name in names:
        yield schema.TERM, ("scope", "name"), (scope, name)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
