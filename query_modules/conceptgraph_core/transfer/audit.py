"""Find elements that no layer expects, and write the Cypher that mends each.

Cypher written by hand and other programs create them.
"""

import math
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime
from typing import Any, Final

from ..embeddings.schema import HOLD, HOLDS, PARTS
from ..entities import names
from ..graph import adapter
from ..graph import raw as raws
from ..graph.adapter import Node
from ..graph.layers import NOW, REQUIRED, SHARED, EdgeKind, Layer, NodeKind, Property
from ..graph.raw import labels, public_edge
from ..jobs.schema import COUNTERS, JOURNALS, KEPT, WORKER
from ..jobs.schema import LAYER as WORK
from ..retrieval import schema
from ..retrieval.indexer import Writer
from ..retrieval.schema import LAYER as WORDS
from ..retrieval.schema import UNINDEXED
from ..verbs.errors import ConceptGraphError
from .places import shown_key
from .registry import indexed_kinds
from .view import Everything

Row = dict[str, Any]

_PARALLEL = ("parallel edges", "remove the relation and add it once")
# Nobody reads a problem that names more types of relations.
_MOST_NAMED = 3
_CROSSING = ("relation between two users", "remove the relation")
_LOOP = ("relation to itself", "remove the relation")
_INDEXING = "CALL conceptgraph.index() YIELD indexed;"
_TWO_LABELS = ("two labels", "REMOVE one of the labels")
_WORDS = ("damaged index of words", "run concept-graph-mcp index")
_STRAYS = ("words of what is gone", "run concept-graph-mcp index")


def check(graph: Everything) -> list[Row]:
    """Return a (problem, subject, advice, statement) row for each element that is not expected.

    All readers of the graph tolerate these elements. The statement is the Cypher that mends one, if
    a statement does.
    """
    keys: Counter[tuple[tuple[str, ...], tuple[Any, ...]]] = Counter()
    references = _References(graph)
    rows: list[Row] = []
    for node in graph.nodes():
        layer = graph.layer_of(node.label)
        key = graph.key(node)
        if any(key):
            keys[layer.sharing(node.label), key] += 1
        rows.extend(_node_problems(graph, node))
        rows.extend(_scope_problems(graph, node))
        rows.extend(_edge_problems(graph, node, layer))
        references.add(node)
    for (space, key), count in keys.items():
        if count > 1:
            name = graph.layer_of(space[0]).kind(space[0]).key[-1]
            rows.append(_row(*_join_key(name), shown_key(key)))
    return [*rows, *references.problems(), *find_strays(graph), *_not_indexed(graph)]


def problems(layer: Layer) -> dict[str, str]:
    """Return every problem that a check may report of *layer*, and its advice."""
    missing = [_missing(one.name) for kind in layer.nodes for one in kind.expected]
    missing += [_missing(kind.scope) for kind in layer.nodes if kind.scope and kind.may_be_shared]
    wrong = [_wrong(one.name) for kind in layer.nodes for one in kind.properties]
    wrong += [_wrong(one.name) for kind in layer.edges for one in kind.properties]
    shared = [_join_key(kind.key[-1]) for kind in layer.nodes]
    unset = [_unset(one.name, one.default) for kind in layer.edges for one in kind.expected]
    ends = [
        _wrong_end(layer, kind.label)
        for kind in layer.nodes
        if _list_barred_edges(layer, kind.label)
    ]
    scoped = [_CROSSING] if any(kind.scope for kind in layer.nodes) else []
    scoped += [_split_name(kind.scope) for kind in layer.nodes if kind.scope]
    foreign = [_foreign(name) for kind in layer.nodes for name in kind.refers]
    indexed = [UNINDEXED, _STRAYS, _WORDS] if any(kind.indexed for kind in layer.nodes) else []
    elements = [*missing, *wrong, _TWO_LABELS, *shared, *unset, *ends, _PARALLEL, _LOOP]
    outside = [OUTSIDE, UNLABELLED, WORKERS, HOLDERS]
    return dict([*elements, *scoped, *foreign, *indexed, *outside])


class _References:
    """The keys by which nodes refer to others, compared with all keys at the end of the scan."""

    def __init__(self, graph: Everything) -> None:
        self._graph = graph
        self._named: list[tuple[Node, str, tuple[str, Any]]] = []
        self._scopes: dict[tuple[str, Any], Any] = {}

    def add(self, node: Node) -> None:
        self._scopes[node.label, self._graph.key(node)[-1]] = self._graph.scope(node)
        for name, label in self._graph.kind_of(node).refers.items():
            value = node.raw.get_property(name)
            if isinstance(value, str):
                self._named.append((node, name, (label, value)))

    def problems(self) -> Iterator[Row]:
        for node, name, place in self._named:
            if place in self._scopes and self._scopes[place] != self._graph.scope(node):
                yield _row(*_foreign(name), f"{node.label} {self._graph.show_place(node)}")


def _not_indexed(graph: Everything) -> Iterator[Row]:
    if damage := find_damage(graph.another(Words)):
        yield _row(*_WORDS, damage, _INDEXING)
        return
    writer = Writer(graph)
    lacking = Counter(
        graph.kind_of(node).measure
        for node in graph.nodes()
        if graph.kind_of(node).indexed and not writer.has(graph.kind_of(node), node)
    )
    for measure, count in lacking.items():
        yield _row(*UNINDEXED, f"{count:,} {measure}")
    strays = len(writer.strays(indexed_kinds()))
    if strays:
        yield _row(*_STRAYS, f"{strays:,} texts")


def subject_of(graph: Everything, node: Node) -> str:
    place = graph.show_place(node) if any(graph.key(node)) else f"with id {node.id}"
    return f"{node.label} {place}"


def _node_problems(graph: Everything, node: Node) -> Iterator[Row]:
    kind, subject = graph.kind_of(node), subject_of(graph, node)
    ours = [label for label in labels(node.raw) if label in graph.layer.labels]
    if len(ours) > 1:
        yield _row(*_TWO_LABELS, subject, f"{finding(node)} REMOVE n:{ours[-1]};")
    problems, better = [], {}
    for one in kind.properties:
        value = node.raw.get_property(one.name)
        if value is None and (not one.optional or one.name == kind.scope):
            problems.append(_missing(one.name))
        elif value is not None and is_wrong(one, value):
            problems.append(_wrong(one.name))
        else:
            continue
        better[one.name] = mend_value(kind, one, node, value, graph.context.user_id)
    if problems and kind.scope is not None and better.get(kind.scope) is UNKNOWN:
        better[kind.scope] = graph.context.user_id
    yield from (_row(*problem, subject, setting(node, better)) for problem in problems)


def _scope_problems(graph: Everything, node: Node) -> Iterator[Row]:
    """Yield a row if no call writes a scope in this form, which hides the node from everybody."""
    name = graph.kind_of(node).scope
    scope = graph.scope(node)
    if name is not None and isinstance(scope, str) and not unicodedata.is_normalized("NFC", scope):
        yield _row(*_split_name(name), f"{node.label} {graph.show_place(node)}")


def _edge_problems(graph: Everything, node: Node, layer: Layer) -> Iterator[Row]:
    seen: Counter[tuple[str, int]] = Counter()
    for edge, kind, raw, other in graph.leaving(node):
        if other is None:
            subject = f"{graph.show_place(node)} {kind.name} {name_outside(raw)}"
            removing = removing_edge(edge, (node, end_outside(graph, raw)))
            yield _row(*OUTSIDE, subject, removing)
            continue
        subject = f"{graph.show_place(node)} {kind.name} {graph.show_place(other)}"
        seen[kind.type, other.id] += 1
        ends = node, other
        if seen[kind.type, other.id] == 2:
            yield _row(*_PARALLEL, subject, removing_edge(edge, ends))
        if other.id == node.id:
            yield _row(*_LOOP, subject, removing_edge(edge, ends))
        if graph.are_of_two_scopes(node, other):
            yield _row(*_CROSSING, subject, removing_edge(edge, ends))
        for one in kind.properties:
            value = edge.get_property(one.name)
            if value is None and not one.optional:
                problem = _unset(one.name, one.default)
            elif value is not None and is_wrong(one, value):
                problem = _wrong(one.name)
            else:
                continue
            yield _row(*problem, subject, setting_edge(edge, ends, one.name, substitute(one)))
        if node.label not in kind.sources:
            yield _row(*_wrong_end(layer, node.label), subject, removing_edge(edge, ends))
        elif other.label not in kind.targets:
            yield _row(*_wrong_end(layer, other.label), subject, removing_edge(edge, ends))


def _missing(name: str) -> tuple[str, str]:
    return f"no {name}", f"SET the property {name}, or remove the node"


def _unset(name: str, default: Any) -> tuple[str, str]:
    return f"no {name}", f"SET the property {name}" + (
        "" if default is NOW else f", e.g. {default}"
    )


def _wrong(name: str) -> tuple[str, str]:
    return f"wrong {name}", f"SET the property {name}, or remove the node"


def _foreign(name: str) -> tuple[str, str]:
    return f"{name} of another user", "correct the property, or remove the node"


def _split_name(name: str) -> tuple[str, str]:
    return f"{name} with decomposed letters", "export all there is, and import that"


def _join_key(name: str) -> tuple[str, str]:
    return f"{name} shared", f"rename or remove all but one node of this {name}"


def _wrong_end(layer: Layer, label: str) -> tuple[str, str]:
    kind, barred = layer.kind(label).kind, [one.name for one in _list_barred_edges(layer, label)]
    if len(barred) > _MOST_NAMED:
        return f"{kind} in a relation that none can be in", "remove the relation"
    if len(layer.edges) > _MOST_NAMED:
        return f"{kind} in {' or '.join(barred)}", "remove the relation"
    return f"{kind} in {' or '.join(barred)}", f"remove the relation; use {layer.joining(label)}"


def _list_barred_edges(layer: Layer, label: str) -> list[EdgeKind]:
    """Return the kinds of edges that may not join a node of *label* at either end."""
    return [kind for kind in layer.edges if label not in (*kind.sources, *kind.targets)]


def _row(problem: str, advice: str, subject: str, statement: str | None = None) -> Row:
    return {"problem": problem, "subject": subject, "advice": advice, "statement": statement}


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
        return names.make_id("by hand", kind.label, node.id)
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


OUTSIDE: Final = ("relation out of its layer", "remove the relation")
UNLABELLED: Final = ("lost label", "SET the label, or remove the node")
WORKERS: Final = ("odd record of the worker", "remove the node")
HOLDERS: Final = ("odd lock of the embedding", "remove the node")
_OWN: Final = frozenset(
    one for layer in (WORDS, WORK, JOURNALS, KEPT, HOLDS) for one in layer.labels
)
_NUMBERS: Final = ("lease_until", "started_at", "finished_at", "duration_ms", *COUNTERS)
_OF_WORKERS: Final[Mapping[str, Any]] = {
    **dict.fromkeys(("name", "holder", "last_error", "file"), str),
    **dict.fromkeys(_NUMBERS, int),
    "paused": bool,
    "counts": dict,
}


def find_strays(graph: Everything) -> Iterator[Row]:
    """Yield a row for each odd node of no layer, and for its relations into one."""
    keys: set[tuple[str, Any]] = set()
    for vertex in graph.all_vertices():
        raw = raws.raw_vertex(vertex)
        if graph.raw_node(raw) is not None:
            continue
        labels = raws.labels(raw)
        if _OWN.isdisjoint(labels):
            yield from _find_unlabelled(graph, raw, labels)
            yield from _entering(graph, raw)
        elif WORKER in labels or HOLD in labels:
            yield from _odd_record(raw, WORKER if WORKER in labels else HOLD, keys)


def name_outside(raw: Any) -> str:
    return f"node with id {raw.get_id()}"


def end_outside(graph: Everything, raw: Any) -> Node:
    return Node(raw, raw.get_id(), "", graph.context)


def _find_unlabelled(graph: Everything, raw: Any, labels: list[str]) -> Iterator[Row]:
    """Yield a row if a node without a label has all that the nodes of one kind have."""
    if labels:
        return
    kinds = [
        kind
        for layer in graph.layers
        for kind in layer.nodes
        if all(
            raw.get_property(name) is not None
            for name in {*kind.key, *(one.name for one in kind.expected)}
        )
    ]
    if not kinds:
        return
    kind = max(kinds, key=lambda one: len(one.expected))
    vectors = [
        one.vector
        for one in graph.layer_of(kind.label).vectors
        if one.label == kind.label and raw.get_property(one.vector) is not None
    ]
    # Memgraph 3.12 cannot replay a log in which a node with a vector gets the label of its index.
    gone = f"REMOVE {', '.join(f'n.{one}' for one in vectors)} " if vectors else ""
    statement = f"MATCH (n) WHERE id(n) = {raw.get_id()} {gone}SET n:{kind.label};"
    yield _row(*UNLABELLED, name_outside(raw), statement)


def _entering(graph: Everything, raw: Any) -> Iterator[Row]:
    edges = raw.iter_out_edges()
    edge = edges.get()
    while edge is not None:
        graph.step()
        other = graph.raw_node(edge.to_vertex())
        kinds = () if other is None else graph.layer_of(other.label).edges
        for kind in kinds:
            if other is not None and kind.type == edge.get_type_name():
                subject = f"{name_outside(raw)} {kind.name} {graph.show_place(other)}"
                ends = end_outside(graph, raw), other
                yield _row(*OUTSIDE, subject, removing_edge(edge, ends))
        edge = edges.next()


def _odd_record(raw: Any, label: str, keys: set[tuple[str, Any]]) -> Iterator[Row]:
    """Yield a row if the node cannot be read, or has the key of one before."""
    get = raw.get_property
    key = get("name" if label == WORKER else "part")
    if label == WORKER:
        is_odd = type(key) is not str or any(
            get(name) is not None and type(get(name)) is not kind
            for name, kind in _OF_WORKERS.items()
        )
    else:
        is_odd = type(key) is not int or not 0 <= key < PARTS
    if is_odd or (label, key) in keys:
        statement = f"MATCH (n:{label}) WHERE id(n) = {raw.get_id()} DETACH DELETE n;"
        yield _row(*(WORKERS if label == WORKER else HOLDERS), name_outside(raw), statement)
    elif not is_odd:
        keys.add((label, key))
