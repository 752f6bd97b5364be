"""Say what stands for a missing or wrong property, and write the Cypher that sets it.

Find what is wrong with the index of words, which the program derives from the graph.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime
from typing import Any, Final

from ..entities import ids
from ..errors import ConceptGraphError
from ..graph import adapter
from ..graph.adapter import Node
from ..graph.raw import public_edge
from ..layers import NOW, REQUIRED, SHARED, NodeKind, Property
from ..retrieval import schema
from ..retrieval.schema import LAYER as WORDS

# Only a person knows the value.
UNKNOWN: Final = object()


def is_wrong(one: Property, value: Any) -> bool:
    """Tell whether *value*, which is not None, is none that the program would store."""
    try:
        one.check(one.read(value), one.name)
    except (ConceptGraphError, TypeError, ValueError):
        return True
    return False


def mend_value(kind: NodeKind, one: Property, node: Node, value: Any, owner: str | None) -> Any:
    """Return what *one* gets where its *value* is missing or wrong; None: it is removed.

    A missing scope is *owner*. A number may stand for a text, a date for a time.
    """
    if value is not None:
        for other in _guess_values(value):
            if not is_wrong(one, other):
                return one.stored(one.check(one.read(other), one.name))
    if one.name == kind.scope:
        if value is not None:
            return UNKNOWN  # Nobody may see what may be another's.
        found = SHARED if kind.may_be_shared else owner
        return UNKNOWN if found is None else found
    if one.name in kind.key and one.name == "id":
        return ids.made("by hand", kind.label, node.id)
    return substitute(one)


def substitute(one: Property) -> Any:
    """Return the default of *one*; None if it may be missing, UNKNOWN if it has none."""
    if one.optional:
        return None
    if one.default is REQUIRED:
        # It is read as that, if it may be stored.
        return UNKNOWN if one.absent is None or is_wrong(one, one.absent) else one.absent
    return list(one.default) if isinstance(one.default, tuple) else one.default


def _guess_values(value: Any) -> Iterator[Any]:
    if isinstance(value, datetime):
        at = value if value.tzinfo else value.replace(tzinfo=UTC)
        yield int(at.timestamp() * 1000)
    elif isinstance(value, date):
        yield int(datetime(value.year, value.month, value.day, tzinfo=UTC).timestamp() * 1000)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        if float(value).is_integer():
            yield int(value)
        yield str(value)
    elif isinstance(value, str):
        try:
            number = float(value)
        except ValueError:
            yield [value]
            return
        if math.isfinite(number):
            yield from (number, int(number)) if number.is_integer() else (number,)


def setting(node: Node, values: Mapping[str, Any]) -> str:
    """Return the Cypher that gives *node* the properties; with an UNKNOWN one it is removed."""
    if UNKNOWN in values.values():
        return f"{finding(node)} DETACH DELETE n;"
    return f"{finding(node)} {_set('n', values)}"


def finding(node: Node) -> str:
    """Return the Cypher that finds *node* as `n`."""
    return f"MATCH (n:{node.label}) WHERE id(n) = {node.id}"


def setting_edge(edge: Any, ends: tuple[Node, Node], name: str, value: Any) -> str:
    """Return the Cypher that gives the edge between *ends* the property."""
    return f"{_edge(edge, ends)} {_set('e', {name: value})}"


def removing_edge(edge: Any, ends: tuple[Node, Node]) -> str:
    return f"{_edge(edge, ends)} DELETE e;"


def _edge(edge: Any, ends: tuple[Node, Node]) -> str:
    source, target = ends
    return (
        f"MATCH (a)-[e:{edge.get_type_name()}]->(b) WHERE id(a) = {source.id}"
        f" AND id(b) = {target.id} AND id(e) = {public_edge(edge).id}"
    )


def _set(variable: str, values: Mapping[str, Any]) -> str:
    gone = ", ".join(f"{variable}.{name}" for name, value in values.items() if value is None)
    given = ", ".join(
        f"{variable}.{name} = {_literal(value)}"
        for name, value in values.items()
        if value is not None
    )
    return " ".join(filter(None, (given and f"SET {given}", gone and f"REMOVE {gone}"))) + ";"


def _literal(value: Any) -> str:
    if value is NOW:
        return "timestamp() / 1000"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"`{key}`: {_literal(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_literal, value))}]"
    if isinstance(value, str):
        return '"' + "".join(map(_escape_character, value)) + '"'
    return "null" if value is None else repr(value).lower()


def _escape_character(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    return character if character.isprintable() else f"\\u{ord(character):04x}"


_SCHEMA: Final = (
    *((name, str) for name in ("scope", "name", "label", "key", "thread", "speaker")),
    *((name, int) for name in ("node", "length", "position", "said_at", "told_at")),
    *((name, int) for name in ("texts", "part", "grouped")),
    *((name, (list, tuple)) for name in ("speakers", schema.NEAR)),
)
# Without them a node cannot be read.
_NEEDED: Final = {
    schema.TERM: ("scope", "name"),
    schema.TEXT: ("scope", "label", "key", "length", "node"),
    schema.SPEAKER: ("scope", "name"),
    schema.CORPUS: ("scope", "part", "texts", "length"),
}


class Words(adapter.Graph[Node]):
    """One call's view of the index of words, whatever was looked up."""

    layer = WORDS


def are_words_damaged(words: Words) -> bool:
    """Tell whether a node of the index has a wrong value, or a text lacks words."""
    # By scope, the texts and their lengths: as they are, less as they are counted.
    sums: Counter[tuple[str, str]] = Counter()
    for node in words.nodes():
        get = node.raw.get_property
        if any(get(name) is None for name in _NEEDED[node.label]):
            return True
        values = ((get(name), kind) for name, kind in _SCHEMA)
        if any(value is not None and not _is_a(value, kind) for value, kind in values):
            return True
        scope = get("scope")
        if node.label == schema.CORPUS:
            sums["texts", scope] -= get("texts")
            sums["length", scope] -= get("length")
        elif node.label == schema.TEXT:
            sums["texts", scope] += 1
            sums["length", scope] += get("length")
            if not _has_its_words(words, node):
                return True
    return any(sums.values())


def _has_its_words(words: Words, text: Node) -> bool:
    counts = [
        edge.get_property(schema.COUNT)
        for edge, _, other, outgoing in words.edges(text, (True,))
        if outgoing and other.label == schema.TERM
    ]
    if any(type(count) not in (int, float) for count in counts):
        return False
    own = int(sum(count for count in counts if count != schema.HEARD_COUNT)) or len(counts)
    return bool(own == text.raw.get_property("length"))


def _is_a(value: Any, kind: Any) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)


def in_order_of_removal(words: Words) -> Iterator[Node]:
    """Yield the nodes of the index; while texts are left, it counts as damaged."""
    nodes = list(words.nodes())
    order = (schema.TERM, schema.SPEAKER, schema.CORPUS, schema.TEXT)
    yield from sorted(nodes, key=lambda node: order.index(node.label))
