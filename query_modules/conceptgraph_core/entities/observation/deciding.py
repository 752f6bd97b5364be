"""Decide which known entity an observation means, or that it is a new one."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from .. import names, schema
from ..beliefs import comparing
from ..identity import likenesses, relatives, resolution
from ..identity.lookup import Registered
from ..identity.resolution import Decision, Known, Sought
from ..inputs import Observation
from ..language import cues
from ..node import Graph


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
        named = self.registered.named(names.key(one.label))
        if any(node.node_type == one.node_type for node in named):
            return True
        return relatives.find_relative(self.graph, self.registered, one.label) is not None

    def decide(self, observation: Observation) -> tuple[Sought, Decision]:
        """Return the decision, with all that is known of the entity sought."""
        sought = seek(self.graph, observation)
        if observation.name == schema.SELF:
            # The user is never taken for another entity, whatever else the message says.
            user = self.registered.own(schema.SELF)
            known = None if user is None else self.registered.known([user])[0]
            return sought, Decision(known, schema.PROVISIONAL, ())
        if self.speaker == schema.USER and not sought.is_new and sought.claimed is None:
            relative = relatives.find_relative(self.graph, self.registered, observation.label)
            if relative is not None:
                return sought, Decision(self.registered.known([relative])[0], "", ())
        named = self.registered.known(self.registered.named(sought.name))
        sought = self._complete(sought, named, observation)
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

    def _complete(self, sought: Sought, named: Sequence[Known], observation: Observation) -> Sought:
        """Return *sought* with what those *named* so tell of it: its place, who it is or is not."""
        if observation.is_introduced and sought.claimed is None and not sought.is_new:
            sought = self._resolve_introduced(sought, named, observation.label)
        return replace(sought, apart=self._list_contradicted(named, observation))

    def _list_contradicted(self, named: Sequence[Known], said: Observation) -> frozenset[str]:
        """Return the entities of *named* that the facts of the message or the store rule out."""
        return frozenset(
            one.id
            for one in named
            for claim in said.facts
            if comparing.tells_apart(self.graph, self.registered.node_of(one), claim, self.speaker)
        )

    def _resolve_introduced(self, sought: Sought, named: Sequence[Known], label: str) -> Sought:
        """Mark "another Max" as new, or as the one of whom the user spoke so before."""
        for one in sorted(named, key=lambda one: -one.last_activated):
            node = self.registered.node_of(one)
            told = (tie.other for tie in self.graph.arriving(node, schema.OF))
            if any(cues.introduces(each.get("mention_context") or "", label) for each in told):
                return replace(sought, claimed=one.id)
        return replace(sought, is_new=True)
