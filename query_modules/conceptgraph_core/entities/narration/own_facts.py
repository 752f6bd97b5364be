"""Select the user's own facts, and the people closest to the user."""

from collections.abc import Collection, Iterator, Sequence

from ...language import oneself
from ...retrieval.question import Past
from .. import bitemporal, names, schema
from ..identity import components
from ..language import kin
from ..node import Graph, Node
from .current_facts import dead_since, since_no_longer, tell_facts
from .describing import Whole, Wholes
from .sentences import Part, called


def selves(graph: Graph) -> list[Node]:
    """Return the entities that stand for the user: "the user", and names of that kind."""
    found = {
        whole.id: whole
        for node in graph.of(schema.ENTITY)
        if components.is_self(node) or (node.get("entity_kind") or "") in oneself.KINDS
        for whole in (components.canonical(graph, node),)
    }
    return sorted(found.values(), key=lambda one: (not components.is_self(one), one.age))


def own_name(graph: Graph) -> str | None:
    """Return the name of the user that was told last, if one was told."""
    named = [one for one in selves(graph) if not components.is_self(one)]
    last = max(named, key=lambda one: (one.get("last_activated"), one.key), default=None)
    return None if last is None else called(last.bare)


def facts(
    graph: Graph, words: Collection[str] | None = None, past: Past | None = None
) -> Iterator[tuple[Node, list[Part]]]:
    """Yield the entities that stand for the user, each with a line of the facts believed now.

    With *words*, only the facts that have one of them, in the predicate or as a word of the value.
    Facts of the *past* that are over come first.
    """
    for node in selves(graph):
        members = components.members(graph, node)
        chosen = tell_facts(graph, members, past, words)
        if chosen:
            yield node, [_called(node), *chosen]


def list_dosed(graph: Graph, words: Collection[str]) -> set[str]:
    """Return the names of what the user takes or took that *words* name, in any spelling."""
    asked = {bitemporal.name_slot(f"{schema.DOSE}{one}") for one in words}
    told = (
        one.get("predicate").casefold()
        for node in selves(graph)
        for one in bitemporal.iterate_facts(graph, components.members(graph, node))
    )
    return {
        one.removeprefix(schema.DOSE)
        for one in told
        if one.startswith(schema.DOSE) and bitemporal.name_slot(one) in asked
    }


def named(graph: Graph) -> Iterator[tuple[Node, list[Part]]]:
    """Yield the entities whose names are the user's, each with a line that tells the name."""
    for node in selves(graph):
        if not components.is_self(node):
            yield node, [_called(node)]


def closest(graph: Graph, texts: Sequence[tuple[int, str]] = ()) -> list[tuple[Node, str]]:
    """Return those closest to the user who live, each with a name and kind: partners come first.

    A partner with whom it is over is left out: mentions say it, or *texts* about the user, with
    their times.
    """
    told = Wholes(graph)
    found: dict[int, tuple[int, Whole]] = {}
    for node in graph.of(schema.ENTITY):
        kind = names.canonical(node.get("entity_kind") or "")
        if kind not in kin.CLOSE or node.node_type != schema.NAMED:
            continue
        whole = told.whole(node)
        until = whole.node.get("valid_until")
        if until is None or until > graph.now_ms:
            found.setdefault(whole.node.id, (kin.CLOSE[kind], whole))
    ranked = sorted(found.values(), key=lambda one: (one[0], not one[1].users, one[1].node.age))
    return [
        (whole.node, f"{whole.name} ({whole.described})")
        for _, whole in ranked
        if since_no_longer(whole, texts) is None and dead_since(whole, texts) is None
    ]


def _called(node: Node) -> str:
    return "The user" if components.is_self(node) else f"{called(node.bare)} (the user)"
