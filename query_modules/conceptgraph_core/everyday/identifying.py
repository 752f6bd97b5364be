"""Settle identities by the user's words: two are one, two are different, a name is another's."""

from collections.abc import Iterator
from typing import Annotated, Any

from ..entities import lookups
from ..entities import schema as entities
from ..entities.identity import components, judging, ledger, merging
from ..entities.names import canonical, searched
from ..entities.node import Graph, Node
from ..entities.observation import observing
from ..graph.primitives import Union
from ..language import oneself
from ..texts import text as texts
from ..texts.text import show_name
from ..verbs.errors import InvalidText, NotAllowed, NotFound, Tautology
from . import schema
from .hearing import make_beginning

Row = dict[str, Any]


def identify(
    graph: Graph,
    a: Annotated[str, 'A name, an id, or "me".'],
    b: Annotated[str | None, "Another. Without it and not same, a is somebody new."],
    same: Annotated[bool, "Whether they are one."],
    said: Annotated[str, "The user's message, with a name of each."],
) -> Row:
    """Settle by *said*, the user's words, whether *a* and *b* (names or ids) are the same.

    Without *b* and not the same, another one of the name begins with these words: who had it until
    now ends. Returns verdict (same, different, or asked: a name is missing in *said*, which is why
    it is kept as a question) and undo, the id of the ledger's entry, unless it is a question. If
    that is settled already, it returns the verdict and the entry that settled it. Raises NotFound,
    NotAllowed, Tautology, and InvalidText where a name means several.
    """
    texts.summary(said, "said")
    called = [texts.name(a, "a"), *([] if b is None else [texts.name(b, "b")])]
    named = [found for one in called for found in lookups.named_by(one, graph.user_id)]
    named += lookups.selves(graph.user_id) if any(map(oneself.is_me, called)) else []
    graph.pull(Union((lookups.with_ids(*called), *named)))
    one = entity(graph, a, "a")
    if b is None:
        if same:
            raise InvalidText("b: name who is the same")
        return _begin_another(graph, one, said)
    other = entity(graph, b, "b")
    return (_join if same else _separate)(graph, one, other, said)


def entity(graph: Graph, called: str, field: str) -> Node:
    """Return the entity that *called* means, an id or a name. Raises NotFound, InvalidText."""
    called = entities.SELF if oneself.is_me(called) else called
    form = searched(canonical(called))
    found: dict[int, Node] = {}
    for node in graph.of(entities.ENTITY):
        if node.key == called:
            return node
        if form in {searched(canonical(one)) for one in (node.bare, node.own_name)}:
            found.setdefault(components.canonical(graph, node).id, node)
    lasting = [one for one in found.values() if one.get("valid_until") is None] or [*found.values()]
    if not lasting:
        raise NotFound(
            f"{field}: not found: {show_name(called)}; recall and about return names and ids"
        )
    if len(lasting) > 1:
        each = ", ".join(f"{one.key} ({one.name})" for one in lasting)
        raise InvalidText(f"{field}: {show_name(called)} means several; give an id of {each}")
    return lasting[0]


def _verdict(settled: str, row: Row) -> Row:
    """Return the verdict on a correction: it was made, or stored as a question."""
    undo = row.get("merge_id")
    is_asked = row["verdict"] == entities.CANDIDATE
    return {"verdict": schema.ASKED if is_asked else settled, "undo": undo}


def _tautology(one: Node, so: str = "") -> Tautology:
    return Tautology(f"b: {show_name(one.name)} is what a means too{so}")


def _join(graph: Graph, one: Node, other: Node, said: str) -> Row:
    if one.id == other.id:
        raise _tautology(one)
    first, second = components.canonical(graph, one), components.canonical(graph, other)
    if first.id == second.id:
        return {"verdict": schema.SAME, "undo": _merge_of(graph, one, other).key}
    older, younger = graph.ordered(first, second)
    components.refuse_self([younger], "b", "merged into another")
    # Only what was looked up is found by its id; the entity that counts may be behind it.
    target, source = (one, other) if older.id == first.id else (other, one)
    row = merging.merge(graph, source.key, target.key, said, entities.USER_CORRECTION, said)
    return _verdict(schema.SAME, row)


def _separate(graph: Graph, one: Node, other: Node, said: str) -> Row:
    if one.id == other.id:
        raise _tautology(one, "; without b it becomes two")
    if ledger.lacking(graph, (one, other), said) is not None:
        merging.question(graph, one, other, said)
        return {"verdict": schema.ASKED, "undo": None}
    undo = None
    while components.are_one(graph, one, other):
        merge = _merge_of(graph, one, other)
        ends = ledger.source(graph, merge), ledger.target(graph, merge)
        action, status = entities.APART_ACTION, entities.MERGED
        undo = ledger.enter(graph, action, *ends, said, said=said, source_status=status).key
        judging.take_back(graph, merge, said)
    return {"verdict": schema.DIFFERENT, "undo": undo or _kept_apart(graph, one, other, said)}


def _kept_apart(graph: Graph, one: Node, other: Node, said: str) -> str:
    """Keep apart two that never were one. Returns the id of the entry, if need be a new one."""
    first, second = components.canonical(graph, one), components.canonical(graph, other)
    for entry in _active(graph, first, entities.APART_ACTION):
        if second.id in {each.id for each in ledger.about(graph, entry)}:
            return entry.key
    entry = ledger.enter(graph, entities.APART_ACTION, first, second, said, said=said)
    merging.keep_apart(graph, first, second, said)
    return entry.key


def _active(graph: Graph, node: Node, action: str) -> Iterator[Node]:
    """Iterate over the entries of *node* with that action that were not taken back."""
    for entry in ledger.entries(graph, node):
        if entry.get("is_active") and ledger.action_of(entry) == action:
            yield entry


def _merge_of(graph: Graph, one: Node, other: Node) -> Node:
    """Return the merge by which two count as one: the latest on the way from one to the other."""
    ways: dict[int, list[Node]] = {one.id: []}
    waiting = [one]
    for node in waiting:
        for entry, far in ledger.merges_of(graph, node):
            if far.id not in ways:
                ways[far.id] = [*ways[node.id], entry]
                waiting.append(far)
    if not ways.get(other.id):
        raise NotFound("b: no merge of these is in the ledger")
    return max(ways[other.id], key=lambda entry: entry.age)


def _begin_another(graph: Graph, one: Node, said: str) -> Row:
    message = make_beginning(said, one.bare)
    heard = {tie.other.get("session_id") for tie in graph.arriving(one, entities.OF)}
    if message.session_id in heard:
        # The same words again mean the one that began with them, which must not end by that.
        [entry] = _active(graph, one, entities.END_ACTION)
        return {"verdict": schema.DIFFERENT, "undo": entry.key}
    whole = components.canonical(graph, one)
    components.refuse_self(components.members(graph, whole), "a", "another")
    if whole.get("valid_until") is not None:
        raise NotAllowed(
            f"a: {show_name(whole.name)} has ended already; remember what the new one is"
        )
    beginning = observing.hear(graph, *message)
    graph.pull(Union(tuple(beginning.lookups(graph))))
    row = judging.end(graph, one.key, said, said, None)
    if row["verdict"] != entities.CANDIDATE:
        [fresh] = observing.record(graph, beginning)[1]["entities"]
        for member in components.members(graph, one):
            for tie in list(graph.ties(member, entities.SAME_AS)):
                if tie.other.key == fresh["entity_id"]:
                    merging.keep_apart(graph, member, tie.other, said)
                    judging.follow(graph, row["merge_id"], member, tie.other)
    return _verdict(schema.DIFFERENT, row)
