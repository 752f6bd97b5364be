"""Resolve "my sister" to the known entity, if there is only one."""

from .. import names, schema
from ..beliefs import bitemporal
from ..language import kin
from ..node import Graph, Node
from . import components
from .lookup import Registered

# The fact of the user that names this relative.
_SPOUSES = frozenset(("wife", "husband"))
# Synonyms of these may mean another person: "my boss" and "my manager" are two.
_DOUBTFUL = frozenset(("boss", "friend", "colleague", "doctor", "partner"))


def meant(graph: Graph, registered: Registered, label: str) -> Node | None:
    """Return the entity that the user's *label* means: "my" and a kin word, or "Mum" alone.

    The user's facts decide first, then a synonym that was used before: "my mom", "my mother". If
    several fit, or none, the result is None: the new entity is then a question, or simply new.
    """
    owner, _, word = names.canonical(label).partition(" ")
    kind = kin.of(owner, word) if owner in kin.OWN else None
    if not word and kin.named([owner]):
        kind, word = kin.relation(owner), owner
    if kind is None or (kind in _DOUBTFUL and word != kind):
        return None
    alike = frozenset((kind,) if kind in _DOUBTFUL else (kind, *kin.kinds(word)))
    user = registered.own(schema.SELF)
    found = [] if user is None else _of_facts(graph, user, alike)
    found = found or [
        node
        for own in sorted(kin.OWN)
        for each in sorted(alike)
        for node in registered.named(names.key(f"{own} {each}"))
        if kin.of(own, each) == kind
    ]
    whole = {one.id: one for one in (components.canonical(graph, node) for node in found)}
    lasting = [one for one in whole.values() if one.get("valid_until") is None]
    return lasting[0] if len(lasting) == 1 else None


def _of_facts(graph: Graph, user: Node, alike: frozenset[str]) -> list[Node]:
    predicates = alike | (frozenset(("spouse",)) if alike & _SPOUSES else frozenset())
    told = [
        bitemporal.about(graph, one)
        for one in bitemporal.current(graph, components.members(graph, user))
        if names.canonical(one.get("predicate")) in predicates
    ]
    return [one for one in told if one is not None]
