"""Keep the vectors of texts consistent: their model, the texts that lack one, and setting them.

Embedding itself happens outside the modules.

Index nodes that Cypher written by hand, or an older version, left without index entries.

Read the texts of a scope and store the neighbours of its terms, computed outside the modules.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from ..embeddings.remembered import check, hold, hold_all, read_embedding
from ..embeddings.schema import (
    EMBEDDING,
    HOLD,
    PARTS,
    TEXTS,
    embedded_kinds,
    held,
    remembered,
)
from ..graph.adapter import Node
from ..graph.layers import VectorIndex
from ..graph.primitives import (
    BEYOND,
    Equal,
    Lookup,
    Range,
    Union,
    Vectored,
    following,
    next_text,
)
from ..retrieval import documents, schema
from ..retrieval.documents import Told
from ..retrieval.groups import MOST
from ..retrieval.indexer import Words, Writer, is_of
from ..texts import text
from ..verbs import limits, validators
from ..verbs.errors import InvalidRow, WrongValue
from ..verbs.procedures import NOTHING
from . import audit
from .places import Place, look_up, placed, places
from .registry import indexed_kinds
from .view import Everything, value_of

# The vectors that one transaction removes.
_CLEARED_AT_ONCE = 1_000
# The nodes of a damaged index that one transaction removes.
_REMOVED_AT_ONCE = 10_000

Row = dict[str, Any]


def choose(graph: Everything, model: str, dimension: int, again: bool = False) -> Row:
    """Choose the embedding of all vectors from now on, if the store allows it.

    It does if it has no other embedding. *again* removes the vectors that were found; once none is
    left, the new embedding is set. Returns {chosen, cleared}: whether it is set, and the number of
    removed vectors. Raises EmbeddingMismatch if the store has another and *again* is missing.
    """
    model = text.name(model, "model")
    dimension = validators.dimension(dimension, "dimension")
    every = Equal((HOLD,), ("part",), tuple((one,) for one in range(PARTS)))
    there = [
        Vectored(kind.label, index.vector, True, _CLEARED_AT_ONCE)
        for kind, index in embedded_kinds(graph.layers)
    ]
    graph.pull(remembered(), every, *(there if again else ()))
    known = read_embedding(graph)
    if known is not None and not again:
        check(graph, model, dimension)
        return {"chosen": True, "cleared": 0}
    cleared = sum(_clear(graph, node) for node in graph.nodes()) if again else 0
    if not cleared:
        hold_all(graph)
        for node in graph.nodes():
            if node.label == EMBEDDING and graph.key(node) == (TEXTS,):
                graph.update(node, model=model, dimension=dimension)
                break
        else:
            graph.create_node(EMBEDDING, use=TEXTS, model=model, dimension=dimension)
    return {"chosen": not cleared, "cleared": cleared}


def lacking(
    graph: Everything,
    *,
    limit: int | None = None,
    after: Mapping[str, Sequence[Any]] = NOTHING,
    kinds: Sequence[str] | None = None,
    newest_of: str | None = None,
) -> list[Row]:
    """Return {kind, key, text} of the found nodes that have a text but no vector.

    With *limit* it looks up so many of each kind, or of each of *kinds*: those whose key follows
    the one that *after* has for their kind, or the newest of the user *newest_of*.
    """
    if limit is not None:
        graph.pull(*_list_lacking(graph, limit, after, kinds, newest_of))
    vectors = _vectors(graph)
    rows = []
    for node in graph.nodes():
        index = vectors.get(node.label)
        if index is not None and node.raw.get_property(index.vector) is None:
            kind, key = graph.kind_of(node).kind, list(graph.key(node))
            rows.append({"kind": kind, "key": key, "text": text_of(graph, node, index)})
    return rows


def _list_lacking(
    graph: Everything,
    limit: int,
    after: Mapping[str, Sequence[Any]],
    kinds: Sequence[str] | None,
    newest_of: str | None,
) -> Iterator[Lookup]:
    for kind, index in embedded_kinds(graph.layers):
        lacks = kind.label, index.vector, False, limit
        if kinds is not None and kind.kind not in kinds:
            continue
        if newest_of is None:
            key = after.get(kind.kind)
            yield Vectored(*lacks, kind.key, None if key is None else tuple(key))
        elif index.newest is not None and kind.scope is not None:
            yield Vectored(*lacks, where=((kind.scope, newest_of),), newest=index.newest)


def embed(graph: Everything, model: str, rows: Sequence[Mapping[str, Any]]) -> Row:
    """Store the vectors of *rows*, {kind, key, text, vector}, in their nodes.

    Returns embedded, the number of stored vectors. A row whose text is outdated is skipped.
    """
    made = [_vector(row.get("vector")) for row in rows]
    graph.pull(remembered(), held(model), placed(_list_places(graph, rows), graph.layers))
    for size in {len(vector) for vector in made}:
        check(graph, model, size)
        hold(graph, model)
    vectors = _vectors(graph)
    nodes = {(graph.kind_of(node).kind, graph.key(node)): node for node in graph.nodes()}
    embedded = 0
    for row, vector in zip(rows, made, strict=True):
        key = row.get("key")
        node = nodes.get((str(row.get("kind")), tuple(key or ())))
        index = None if node is None else vectors.get(node.label)
        if node is None or index is None or text_of(graph, node, index) != row.get("text"):
            continue
        graph.update(node, **_read_vector(index, vector))
        embedded += 1
    return {"embedded": embedded}


def _list_places(graph: Everything, rows: Sequence[Mapping[str, Any]]) -> list[Place]:
    known = {kind.kind: kind for kind, _ in embedded_kinds(graph.layers)}
    records = [
        {"kind": kind.kind, **dict(zip(kind.key, row.get("key") or (), strict=False))}
        for row in rows
        if (kind := known.get(str(row.get("kind")))) is not None
    ]
    return list(dict.fromkeys(place for one in records for place in places(graph.layers, one)))


def text_of(graph: Everything, node: Node, index: VectorIndex) -> str | None:
    """Return the text to embed for *node*: its texts, one per line, if it has any."""
    kind = graph.kind_of(node)
    values = (value_of(node.raw, kind.declared(name)) for name in index.texts)
    return "\n".join(value for value in values if isinstance(value, str) and value.strip()) or None


def _vectors(graph: Everything) -> dict[str, VectorIndex]:
    return {kind.label: index for kind, index in embedded_kinds(graph.layers)}


def _clear(graph: Everything, node: Node) -> int:
    index = _vectors(graph).get(node.label)
    if index is None or node.raw.get_property(index.vector) is None:
        return 0
    graph.update(node, **_read_vector(index, None))
    return 1


def _read_vector(index: VectorIndex, vector: list[float] | None) -> Row:
    size = None if vector is None else len(vector)
    return {index.vector: vector} | ({} if index.dimension is None else {index.dimension: size})


def _vector(value: Any) -> list[float]:
    """Return *value* as a vector.

    Raises the errors of the check, and InvalidRow for zeros alone.
    """
    vector = validators.vector(value, "vector")
    if not any(vector):
        raise InvalidRow("vector: must not be all zeros; it points nowhere")
    return vector


def index(
    graph: Everything,
    again: bool = False,
    limit: int | None = None,
    *,
    nodes: Sequence[Mapping[str, Any]] = (),
) -> dict[str, int]:
    """Add the derived properties and the index entries that nodes lack.

    It covers the nodes of these records, or the whole graph. *again* compares all existing
    entries with their texts, as a change of the languages needs. Entries of removed texts are
    deleted. *limit* ends it after so many nodes, to keep transactions small. Over the whole graph a
    damaged index is removed first; with a *limit* of 0 only that is done, some nodes at a time.
    Returns indexed, the number of nodes. Raises InvalidNumber, LibraryMissing.
    """
    most = math.inf if limit is None else text.integer(limit, "limit", 0, limits.MAX_INTEGER)
    if nodes:
        graph.pull(look_up(graph.layers, nodes, graph.context.languages))
    if not limit and graph.found.by_id is None:
        words = graph.another(audit.Words)
        removed = audit.remove_damaged(words, None if limit is None else _REMOVED_AT_ONCE)
        if limit == 0:
            return {"indexed": removed}
    writer = Writer(graph)
    # First, because two texts cannot have one place in a thread.
    indexed = writer.remove_strays(indexed_kinds(), most)
    for node in graph.nodes():
        if indexed >= most:
            break
        kind = graph.kind_of(node)
        lacking = graph.lacking(node)
        if lacking:
            graph.update(node, **lacking)
        changed = bool(lacking)
        if kind.indexed is not None:
            writer.require_libraries()
            changed |= writer.put(kind, node, again, afresh=again)
        indexed += changed
    writer.finish()
    return {"indexed": indexed}


def scopes(graph: Everything, limit: int | None = None, after: str | None = None) -> list[Row]:
    """Return the scopes of the index of words after *after*, each with the state of its groups.

    A row has scope, texts, length (the words of all texts), and grouped: the number of texts when
    the groups were computed, or None if they never were or are stale. If the look-up found *limit*
    nodes, the last scope may be cut off and is left out. Raises WrongValue if some have odd values.
    """
    # The shared scope is empty.
    first = next_text("") if after == "" else following(after)
    graph.pull(Range((schema.CORPUS,), "scope", first, BEYOND, (), limit))
    words = graph.another(Words)
    nodes = [
        node
        for node in words.nodes()
        if node.label == schema.CORPUS and str(_read_property(node, "scope")) >= first
    ]
    if words.odd:
        raise WrongValue("the index of words is damaged; run concept-graph-mcp index")
    parts = sorted(nodes, key=lambda node: str(_read_property(node, "scope")))
    rows = [
        _state(scope, list(of_scope))
        for scope, of_scope in groupby(parts, key=lambda node: str(_read_property(node, "scope")))
    ]
    return rows[:-1] if limit is not None and len(nodes) >= limit and len(rows) > 1 else rows


def _state(scope: str, parts: list[Node]) -> Row:
    filled = [part for part in parts if _read_property(part, "texts") > 0]
    grouped = [_read_property(part, "grouped") for part in filled]
    return {
        "scope": scope,
        "texts": sum(_read_property(part, "texts") for part in filled),
        "length": sum(_read_property(part, "length") for part in filled),
        "grouped": sum(grouped) if grouped and None not in grouped else None,
    }


def texts(
    graph: Everything,
    scope: str,
    label: str,
    parts: int = 1,
    after: str | None = None,
    limit: int | None = None,
) -> list[Row]:
    """Return the texts of the nodes with *label* in *scope*, in the order of their keys.

    They come after the key *after*, at most *limit*. A row has key, text, thread, position and
    speaker. Only one thread of *parts* has its texts, which samples whole conversations; the text
    is None for the others.
    """
    most = text.integer(parts, "parts", 1, limits.MAX_INTEGER)
    kinds = {kind.label: kind for kind in indexed_kinds()}
    if label not in kinds:
        raise InvalidRow(f"label: must be one of {', '.join(kinds)}")
    first, where = following(after), (("scope", scope), ("label", label))
    graph.pull(Range((schema.TEXT,), "key", first, BEYOND, where, limit))
    kind, writer, rows = kinds[label], Writer(graph), []
    found = {
        str(_read_property(node, "key")): node
        for node in graph.another(Words).nodes()
        if node.label == schema.TEXT
        and all(_read_property(node, *one[:1]) == one[1] for one in where)
    }
    for key in sorted(one for one in found if one >= first)[:limit]:
        node = found[key]
        told: Told | None = None
        if text.part(_read_property(node, "thread") or key, most) == 0:
            raw = graph.raw_vertex(_read_property(node, "node"))
            one = None if raw is None or not is_of(raw, kind, key, scope) else graph.raw_node(raw)
            told = None if one is None else writer.told(kind, one)
        rows.append(
            {
                "key": key,
                "text": None if told is None else "\n".join((told.text, *told.about)),
                **{name: _read_property(node, name) for name in ("thread", "position", "speaker")},
            }
        )
    return rows


def group(
    graph: Everything,
    scope: str,
    near: Mapping[str, Any],
    after: str = "",
    limit: int | None = None,
) -> Row:
    """Store the neighbours of terms: *near* has lists of term, word and cosine, by term.

    It goes through the terms of *scope* after the name *after*, at most *limit*, in their order. A
    term that *near* lacks loses its neighbours. After the last term the groups count as fresh.
    Returns changed, the number of terms, and last: the name to go on after, or None at the end.
    """
    most = limits.MAX_INTEGER
    if limit is not None:
        most = text.integer(limit, "limit", 1, most)
    given = {name: _check_neighbours(name, ones) for name, ones in near.items()}
    first, where = following(after or None), (("scope", scope),)
    terms_of = Range((schema.TERM,), "name", first, BEYOND, where, limit)
    graph.pull(Union((terms_of, *documents.equal(documents.corpus(scope)))))
    found = [
        node for node in graph.another(Words).nodes() if _read_property(node, "scope") == scope
    ]
    terms = [
        node for node in found if node.label == schema.TERM and _read_property(node, "name") > after
    ]
    terms.sort(key=lambda node: str(_read_property(node, "name")))
    changed = 0
    for node in terms[:most]:
        wanted = given.get(_read_property(node, "name"))
        known = [list(one) for one in _read_property(node, schema.NEAR) or ()] or None
        if wanted != known:
            node.raw.set_property(schema.NEAR, wanted)
            changed += 1
    if len(terms) >= most:
        return {"changed": changed, "last": _read_property(terms[most - 1], "name")}
    for node in found:
        if node.label == schema.CORPUS:
            node.raw.set_property("grouped", _read_property(node, "texts"))
    return {"changed": changed, "last": None}


def _check_neighbours(name: str, given: Any) -> list[list[Any]]:
    """Return the neighbours of the term *name*. Raises InvalidRow."""
    is_list = isinstance(given, (list, tuple)) and 0 < len(given) <= MOST
    if not is_list or not all(isinstance(one, (list, tuple)) and len(one) == 3 for one in given):
        raise InvalidRow(f"near: {name}: must be 1 to {MOST} lists of a term, a word and a cosine")
    return [
        [text.name(term, "near"), text.name(word, "near"), validators.unit(cosine, "near")]
        for term, word, cosine in given
    ]


def _read_property(node: Node, name: str) -> Any:
    return node.raw.get_property(name)
