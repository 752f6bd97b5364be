"""Widen a query by the names of the entities it means.

No edge joins memories and entities: they meet by name. Once Liz and Elisabeth are merged, a query
for Liz is one for Elisabeth too; and a query for my son is one for Jan. A query for an instrument
is one for the ukulele, and one for the capital is one for Berlin, as kinds and facts say.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ...retrieval.question import asked_terms
from ...texts.words.splitting import split
from .. import bitemporal, names, schema
from ..identity import components
from ..node import Graph, Node
from . import named, narrative

Row = dict[str, Any]

# Another name of the same entity counts as much as the name in the query.
SHARE: Final = 1.0
# By a part of a name, a kind or a fact it leads to names that count less, and cover less of it.
SHARE_OF_MATTERS: Final = 0.4
# A longer value is no name.
_MOST_WORDS: Final = 5
# The most names of one entity by which texts about it are looked up.
MOST_NAMES_SOUGHT: Final = 20
# The most terms of a query; one entity may have hundreds of names.
MOST_TERMS: Final = 12


def widened(graph: Graph, asked: str) -> list[Row]:
    """Return the terms of the entities' names that *asked* means but does not contain.

    The rows are those of `concepts.widening.widened`: the other names of merged entities that a
    whole label names, the words of any label that are spelt otherwise, and the names that a kind
    means in the query, "my son"; then the names of the kinds, and the values of the facts, that any
    word of it names. Raises LibraryMissing.
    """
    languages = graph.context.languages
    own = set(asked_terms(asked, languages))
    rows: dict[str, Row] = {}
    meant = [(SHARE, *one) for one in (*_merged(graph, asked), *_of_kinds(graph, asked))]
    for share, said, to, why in (*meant, *_in_part(graph, asked), *_of_matters(graph, asked)):
        for term in asked_terms(to, languages):
            if term not in own:
                told = {"said": said, "to": to, "why": why}
                rows.setdefault(term, {"term": term, "share": share, **told, "covers": share})
    return list(rows.values())[:MOST_TERMS]


def subject(graph: Graph, name: str) -> names.Subject:
    """Return what *name* names, with all names of its merged entities."""
    meant = (node for node, _ in narrative.named_by(graph, name))
    members = (one for node in meant for one in components.members(graph, node))
    return names.Subject([name, *(one.bare for one in members)])


def _merged(graph: Graph, asked: str) -> Iterator[tuple[str, str, str]]:
    """Yield the name in the query, the other names of its entity, and the reason.

    A word of a name, spelt otherwise in it, is another name.
    """
    entities = sorted(graph.of(schema.ENTITY), key=lambda one: one.age)
    wanted = set(names.asked_for(asked, graph.context.languages)) if entities else set()
    words = {names.searched(word): word for word in split(asked)} if entities else {}
    for node in entities:
        yield from _spelt(node.bare, words)
        if names.searched(names.canonical(node.bare)) in wanted:
            others = (one.bare for one in components.members(graph, node) if one is not node)
            yield from ((node.bare, to, f"{node.bare} and {to} are merged") for to in others)


def _in_part(graph: Graph, asked: str) -> Iterator[tuple[float, str, str, str]]:
    """Yield the share, a part of a name in *asked*, the other names of its entity, and the reason.

    A part may be in many names, so it counts less than a whole one.
    """
    if not any(node.get("merge_count") for node in graph.of(schema.ENTITY)):
        return
    read = named.read(asked)
    wholes = set(names.asked_for(asked, graph.context.languages))
    for node, (at, *_) in narrative.named_by(graph, asked):
        called = dict.fromkeys(one.bare for one in components.members(graph, node))
        if len(called) == 1 or wholes & {names.searched(names.canonical(one)) for one in called}:
            continue
        said = read.words[at].bare.casefold()
        for to in called:
            yield SHARE_OF_MATTERS, said, to, f"{' and '.join(called)} are merged"


def _spelt(label: str, words: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    """Yield the *words* of a query, by their searched form, that *label* spells otherwise: José."""
    for word in split(label):
        said = words.get(names.searched(word), word)
        if said != word:
            yield said, word, f"{label} is written so"


def _of_kinds(graph: Graph, asked: str) -> Iterator[tuple[str, str, str]]:
    """Yield the words for a kind in *asked*, the names they mean, and the reason."""
    read = named.read(asked)
    places = {place for each in read.kinds.values() for place in each}
    if not places:
        return
    for node, place in narrative.named_by(graph, asked):
        if place in places:
            said = read.words[place[0]].bare.casefold()
            members: list[Node] = components.members(graph, node)
            for to in dict.fromkeys(one.bare for one in members):
                yield said, to, f"{to} is the {said}"


def _of_matters(graph: Graph, asked: str) -> Iterator[tuple[float, str, str, str]]:
    """Yield the share, the word in *asked*, the name it leads to by a kind or a fact, and the why.

    A kind or a predicate that more than a few share leads nowhere.
    """
    forms = named.list_matters(asked, graph.context.languages)
    found: dict[str, list[tuple[str, str]]] = {}
    for node in graph.of(schema.ENTITY):
        kind = names.canonical(node.get("entity_kind") or "")
        found.setdefault(kind, []).append((node.bare, f"{node.bare} ({kind})"))
    now_ms = graph.now_ms
    for fact in graph.of(schema.FACT):
        predicate = names.canonical(fact.get("predicate").replace("_", " "))
        value = fact.get("value")
        is_true = bitemporal.is_known(fact, now_ms) and bitemporal.is_valid(fact, now_ms, now_ms)
        if is_true and len(value.split()) <= _MOST_WORDS:
            found.setdefault(predicate, []).append((value, f"{predicate}: {value}"))
    for form, said in forms.items():
        several = found.get(form, [])
        if len(several) <= named.MOST_SHARING:
            for to, why in sorted(several):
                yield SHARE_OF_MATTERS, said, to, why
