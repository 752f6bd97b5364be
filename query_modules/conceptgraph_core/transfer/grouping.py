"""Read the texts of a scope and store the neighbours of its terms, computed outside the modules."""

from collections.abc import Mapping
from itertools import groupby
from typing import Any

from .. import limits, text, validators
from ..errors import InvalidRow
from ..graph.adapter import Node
from ..registry import indexed_kinds
from ..retrieval import schema
from ..retrieval.documents import Told
from ..retrieval.groups import MOST
from ..retrieval.indexer import Words, Writer, is_of
from .view import Everything

Row = dict[str, Any]


def scopes(graph: Everything, limit: int | None = None) -> list[Row]:
    """Return the scopes of the index of words, each with the state of its groups.

    A row has scope, texts, length (the words of all texts), and grouped: the number of texts when
    the groups were computed, or None if they never were or are stale. If the look-up found *limit*
    nodes, the last scope may be cut off and is left out.
    """
    nodes = [node for node in graph.another(Words).nodes() if node.label == schema.CORPUS]
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


def texts(graph: Everything, scope: str, label: str, parts: int = 1) -> list[Row]:
    """Return the found texts of the nodes with *label* in *scope*, in the order of their keys.

    A row has key, text, thread, position and speaker. Only one thread of *parts* has its
    texts, which samples whole conversations; the text is None for the others.
    """
    most = text.integer(parts, "parts", 1, limits.MAX_INTEGER)
    kinds = {kind.label: kind for kind in indexed_kinds()}
    if label not in kinds:
        raise InvalidRow(f"label: must be one of {', '.join(kinds)}")
    kind, writer, rows = kinds[label], Writer(graph), []
    for node in graph.another(Words).nodes():
        key = _read_property(node, "key")
        if node.label != schema.TEXT or (
            _read_property(node, "scope"),
            _read_property(node, "label"),
        ) != (scope, label):
            continue
        told: Told | None = None
        if text.part(_read_property(node, "thread") or key, most) == 0:
            raw = graph.raw_vertex(_read_property(node, "node"))
            found = None if raw is None or not is_of(raw, kind, key, scope) else graph.raw_node(raw)
            told = None if found is None else writer.told(kind, found)
        rows.append(
            {
                "key": key,
                "text": None if told is None else "\n".join((told.text, *told.about)),
                **{name: _read_property(node, name) for name in ("thread", "position", "speaker")},
            }
        )
    return sorted(rows, key=lambda row: str(row["key"]))


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
