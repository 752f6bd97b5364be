"""Decide which known entity an observation means, or that it is a new one.

"My sister" and "Dad" mean the one known as such, who is joined with the name told for him.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from .. import bitemporal, kinds, names, schema
from ..identity import components, ledger, likenesses, merging, resolution
from ..identity.resolution import Decision, Known, Sought
from ..inputs import Observation
from ..language import cues, kin
from ..node import All, Graph, Node

# The fact of the user that names this relative.
_WED = frozenset(("wife", "husband"))
# Synonyms of these may mean another person: "my boss" and "my manager" are two.
_DOUBTFUL = frozenset(("boss", "friend", "colleague", "doctor", "partner"))


class Registered:
    """The entities that were found for a call, and those that it makes."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        # By canonical name, by id, and by the key of a name: the first one, and "name #2" …
        self.by_name: dict[str, Node] = {}
        self.by_key: dict[str, Node] = {}
        self.called: defaultdict[str, list[Node]] = defaultdict(list)
        # The compared form is read once a call, because messages are short.
        self._seen: dict[int, Known] = {}
        for node in graph.of(schema.ENTITY):
            self.add(node)
        # Those out of sight hold their names, and are nobody's candidates.
        self._forgotten = {
            node.get("canonical_name"): node
            for node in graph.another(All).of(schema.ENTITY)
            if node.get("forgotten_at") is not None
        }

    def add(self, node: Node) -> None:
        self.by_name[node.get("canonical_name")] = node
        self.by_key[node.key] = node
        self.called[names.key(node.bare)].append(node)

    def free_name(self, name: str) -> str:
        """Return the first of *name*, "name #2" … that no entity has, not even a forgotten one."""
        return names.free(name, self.by_name | self._forgotten)

    def forgotten(self, sought: Observation) -> Node | None:
        """Return the entity out of sight that has the name of *sought*, its type and its kind."""
        node = self._forgotten.get(sought.name)
        if node is None or node.node_type != sought.node_type:
            return None
        return node if kinds.agree(node.get("entity_kind"), sought.kind) else None

    def known(self, nodes: Iterable[Node]) -> list[Known]:
        """Return *nodes* in the form that `resolution` compares."""
        known = []
        for node in nodes:
            if node.id not in self._seen:
                self._seen[node.id] = self._known(node)
            known.append(self._seen[node.id])
        return known

    def everyone(self) -> list[Known]:
        """Return all possible candidates: each component by its canonical entity alone."""
        return [one for one in self.known(self.by_key.values()) if not one.is_merged]

    def _known(self, node: Node) -> Known:
        embedding = node.get("embedding")
        return Known(
            id=node.key,
            label=node.name,
            name=names.key(node.bare),
            qualifier=node.get("qualifier"),
            canonical_name=node.get("canonical_name"),
            node_type=node.node_type,
            kind=node.get("entity_kind"),
            valid_from=node.get("valid_from"),
            valid_until=node.get("valid_until"),
            last_activated=node.get("last_activated"),
            canonical_id=components.canonical(self._graph, node).key,
            is_merged=node.status == schema.MERGED,
            embedding=None if embedding is None else tuple(embedding),
        )


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
    user = registered.by_name.get(schema.SELF)
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
    return [node for label in sorted(labels) for node in registered.called[names.key(label)]]


def _find_noted(graph: Graph, registered: Registered, alike: frozenset[str]) -> list[Node]:
    """Return the entities of that kind whom a mention calls the user's."""
    return [
        node
        for node in registered.by_key.values()
        if names.canonical(node.get("entity_kind") or "") in alike
        and any(
            kin.is_users(tie.other.get("mention_context") or "", alike)
            for tie in graph.arriving(node, schema.OF)
        )
    ]


def _find_by_facts(graph: Graph, user: Node, alike: frozenset[str]) -> list[Node]:
    predicates = alike | (frozenset(("spouse",)) if alike & _WED else frozenset())
    told = [
        bitemporal.find_object(graph, one)
        for one in bitemporal.list_current(graph, components.members(graph, user))
        if names.canonical(one.get("predicate")) in predicates
    ]
    return [one for one in told if one is not None]


def seek(graph: Graph, observation: Observation) -> Sought:
    """Return what *observation* seeks among the known entities."""
    return Sought(
        names.key(observation.label),
        observation.node_type,
        observation.kind,
        graph.now_ms,
        observation.same_as,
        observation.embedding,
        observation.label,
        observation.qualifier,
        bool(observation.is_new),
        observation.also,
        synonyms=frozenset(likenesses.synonyms(observation.name)),
    )


@dataclass(frozen=True, slots=True)
class Decider:
    """Decides for the observations of one message, of which it knows the speaker."""

    graph: Graph
    registered: Registered
    speaker: str

    def knows(self, one: Observation) -> bool:
        """Tell whether an entity of that type has the name, or a kin word means one."""
        named = self.registered.called[names.key(one.label)]
        if any(node.node_type == one.node_type for node in named):
            return True
        return find_relative(self.graph, self.registered, one.label) is not None

    def decide(self, observation: Observation) -> tuple[Sought, Decision]:
        """Return the decision, with all that is known of the entity sought."""
        sought = seek(self.graph, observation)
        if observation.name == schema.SELF:
            # The user is never taken for another entity, whatever else the message says.
            user = self.registered.by_name.get(schema.SELF)
            known = None if user is None else self.registered.known([user])[0]
            return sought, Decision(known, schema.PROVISIONAL, ())
        if self.speaker == schema.USER and not sought.is_new and sought.claimed is None:
            relative = find_relative(self.graph, self.registered, observation.label)
            if relative is not None:
                return sought, Decision(self.registered.known([relative])[0], "", ())
        named = self.registered.known(self.registered.called[sought.name])
        if observation.is_introduced and sought.claimed is None and not sought.is_new:
            sought = self._resolve_introduced(sought, named, observation.label)
        # Those whom the facts of the message or the store rule out.
        by_key = self.registered.by_key
        apart = (
            one.id
            for one in named
            for claim in observation.facts
            if bitemporal.tells_apart(self.graph, by_key[one.id], claim, self.speaker)
        )
        sought = replace(sought, apart=frozenset(apart))
        meant = [
            one
            for one in named
            if resolution.fits(one, sought) and resolution.is_meant(one, sought)
        ]
        pool: list[Known] = []
        if not meant:
            everyone = self.registered.everyone()
            near = likenesses.likeness, likenesses.is_near
            pool = [*named, *resolution.candidates(everyone, sought, *near)]
        return sought, resolution.decide(sought, named, pool, likenesses.likeness)

    def _resolve_introduced(self, sought: Sought, named: Sequence[Known], label: str) -> Sought:
        """Mark "another Max" as new, or as the one of whom the user spoke so before."""
        for one in sorted(named, key=lambda one: -one.last_activated):
            node = self.registered.by_key[one.id]
            told = (tie.other for tie in self.graph.arriving(node, schema.OF))
            if any(cues.introduces(each.get("mention_context") or "", label) for each in told):
                return replace(sought, claimed=one.id)
        return replace(sought, is_new=True)
