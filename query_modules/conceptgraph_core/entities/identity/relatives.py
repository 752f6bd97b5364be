"""Resolve "my sister" and "Dad" to the known entity, and join it with the name told for it."""

from .. import bitemporal, names, schema
from ..language import kin
from ..node import Graph, Node
from . import components, ledger, merging
from .lookup import Registered

# The fact of the user that names this relative.
_SPOUSES = frozenset(("wife", "husband"))
# Synonyms of these may mean another person: "my boss" and "my manager" are two.
_DOUBTFUL = frozenset(("boss", "friend", "colleague", "doctor", "partner"))


def find_relative(graph: Graph, registered: Registered, label: str) -> Node | None:
    """Return the entity that the user's *label* means: "my" and a kin word, or "Mum" alone.

    The user's facts decide first, then a synonym that was used before: "my mom", "my mother"; then
    a note that calls one the user's mother. If several fit, or none, the result is None: the new
    entity is then a question, or simply new.
    """
    owner, _, word = names.canonical(label).partition(" ")
    kind = kin.of(owner, word) if owner in kin.OWN else None
    if not word and kin.named([owner]):
        kind, word = kin.relation(owner), owner
    if kind is None or (kind in _DOUBTFUL and word != kind):
        return None
    alike = frozenset((kind,) if kind in _DOUBTFUL else (kind, *kin.kinds(word)))
    user = registered.own(schema.SELF)
    found = [] if user is None else _find_by_facts(graph, user, alike)
    found = found or _find_unnamed(registered, kind, alike)
    found = found or (_find_noted(graph, registered, alike) if kind in kin.ONE_OF else [])
    whole = {one.id: one for one in (components.canonical(graph, node) for node in found)}
    lasting = [one for one in whole.values() if one.get("valid_until") is None]
    return lasting[0] if len(lasting) == 1 else None


def join(graph: Graph, registered: Registered, named: Node, relation: str, said: str) -> None:
    """Join the one *named*, whom *said*, the user's words, calls a *relation*, with "Dad" alone.

    Both were named by the user, so the merge is the user's: it is in the ledger, and can be undone.
    """
    kept = components.canonical(graph, named)
    for one in _find_unnamed(registered, relation, frozenset(kin.kinds(relation))):
        gone = components.canonical(graph, one)
        if gone.id == kept.id or relation not in kin.ONE_OF or one.get("valid_until") is not None:
            continue
        if not merging.barred(graph, gone, kept) and ledger.denied((gone, kept), said) is None:
            merging.merged(graph, one, named, said, schema.USER_CORRECTION, said)


def _find_unnamed(registered: Registered, kind: str, alike: frozenset[str]) -> list[Node]:
    """Return the entities that only a word for the *kind* names: "my dad", "Papa"."""
    labels = [
        f"{own} {each}" for own in sorted(kin.OWN) for each in alike if kin.of(own, each) == kind
    ]
    labels += [each for each in sorted(alike) if kind in kin.ONE_OF and kin.named([each])]
    return [node for label in sorted(labels) for node in registered.named(names.key(label))]


def _find_noted(graph: Graph, registered: Registered, alike: frozenset[str]) -> list[Node]:
    """Return the entities of that kind whom a mention calls the user's."""
    return [
        node
        for node in registered.of_kinds(alike)
        if any(
            kin.is_users(tie.other.get("mention_context") or "", alike)
            for tie in graph.arriving(node, schema.OF)
        )
    ]


def _find_by_facts(graph: Graph, user: Node, alike: frozenset[str]) -> list[Node]:
    predicates = alike | (frozenset(("spouse",)) if alike & _SPOUSES else frozenset())
    told = [
        bitemporal.about(graph, one)
        for one in bitemporal.current(graph, components.members(graph, user))
        if names.canonical(one.get("predicate")) in predicates
    ]
    return [one for one in told if one is not None]
