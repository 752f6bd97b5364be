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


class Words(adapter.Graph[Node]):
    """One call's view of the index of words, whatever was looked up."""

    layer = WORDS


def find_damage(words: Words) -> str | None:
    """Return what of the index of words is damaged; None if nothing is.

    It names the first node with a wrong value. Else a text lacks words, or the counts are wrong.
    """
    # By scope, the texts and their lengths: as they are, less as they are counted.
    sums: Counter[tuple[str, str]] = Counter()
    for node in words.nodes():
        get = node.raw.get_property
        if odd := schema.find_odd(node.label, get):
            return f"{node.label} with id {node.id}: {', '.join(odd)}"
        scope = get("scope")
        if node.label == schema.CORPUS:
            sums["texts", scope] -= get("texts")
            sums["length", scope] -= get("length")
        elif node.label == schema.TEXT:
            sums["texts", scope] += 1
            sums["length", scope] += get("length")
            if not _has_its_words(words, node):
                return f"Text {get('key')}: its words"
    return "the counts of its texts" if any(sums.values()) else None


def _has_its_words(words: Words, text: Node) -> bool:
    scope, counts = text.raw.get_property("scope"), []
    for edge, _, other, outgoing in words.edges(text):
        if other.raw.get_property("scope") != scope:
            return False
        if outgoing and other.label == schema.TERM:
            counts.append(edge.get_property(schema.COUNT))
    if any(type(count) not in (int, float) for count in counts):
        return False
    own = int(sum(count for count in counts if count != schema.HEARD_COUNT)) or len(counts)
    return bool(own == text.raw.get_property("length"))


def remove_damaged(words: Words, most: int | None) -> int:
    """Remove at most *most* nodes of the index of words if it is damaged; return how many.

    Texts go last: while some are left, it counts as damaged.
    """
    if find_damage(words) is None:
        return 0
    order = (schema.TERM, schema.SPEAKER, schema.CORPUS, schema.TEXT)
    nodes = sorted(words.nodes(), key=lambda node: order.index(node.label))[:most]
    for node in nodes:
        words.delete_node(node)
    return len(nodes)
