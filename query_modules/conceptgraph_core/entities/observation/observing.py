"""Record a message: its speaker and the entities it mentions; believe no claim."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ...embeddings.remembered import check, hold
from ...graph.primitives import Lookup
from ...texts import text as texts
from ...texts.text import show_name
from ...verbs import validators
from ...verbs.errors import NotFound
from .. import inputs, kinds, lookups, mentions, names, resting, rule_extractor, schema
from ..beliefs import attribution, facts
from ..identity import components, likenesses, merging, resolution
from ..identity.resolution import Decision, Known, Sought
from ..inputs import Claim, Observation, Relation
from ..language import endings, kin, spans
from ..node import All, Graph, Node
from ..trust import trust
from . import deciding
from .deciding import Decider, Registered, seek
from .relating import relate

Row = dict[str, Any]


class Heard(NamedTuple):
    """A message, and what it mentions and relates."""

    session_id: str
    message_id: str
    speaker: str
    text: str
    wanted: Sequence[Observation]
    related: Sequence[Relation]

    def lookups(self, graph: Graph) -> list[Lookup]:
        """Return what is looked up to record it."""
        message = self.session_id, self.message_id, self.text
        return lookups.observed(graph.user_id, message, self.wanted, self.related)


def hear(
    graph: Graph,
    session_id: str,
    message_id: str,
    speaker: str,
    text: str,
    observations: Sequence[Mapping[str, Any]] = (),
    relations: Sequence[Mapping[str, Any]] = (),
) -> Heard:
    """Return a message for `record`, checked. Raises as `observe`."""
    session_id = texts.name(session_id, "session_id")
    message_id = texts.name(message_id, "message_id")
    speaker = validators.one_of(schema.SPEAKERS)(speaker, "speaker")
    texts.summary(text, "text")
    wanted = rule_extractor.wanted(text, observations, graph.context.languages, speaker)
    return Heard(session_id, message_id, speaker, text, wanted, inputs.relations(relations))


def record(
    graph: Graph, heard: Heard, note: tuple[str, str] | None = None, since: int | None = None
) -> tuple[Node, Row]:
    """Record a message as `observe` does, once all is looked up; return its session too.

    *note*, an id and a text, is a model's own message on the same entities. All that it states
    has been so *since* (unix ms), by default since now.
    """
    session_id, message_id, speaker, text, wanted, related = heard
    said = spans.Said(text)
    _check_embeddings(graph, wanted, session_id)
    session = mentions.session(graph, session_id)
    if session.get("memory_id") is not None:
        # The memory was forgotten, and is stored again.
        every = graph.another(All)
        resting.show(graph, mentions.of_session(every, session), None)
    message = _Message(graph, session, message_id, speaker, said)
    wanted = message.list_present(wanted)
    rows = [message.add(one) for one in wanted]
    message.state(since)
    message.join_kin()
    if note is not None:
        message.add_note(wanted, *note)
    ties = [relate(graph, message.session, message.named, speaker, said, one) for one in related]
    return session, {"entities": rows, "edges": ties}


def list_heard(graph: Graph, observations: Sequence[Mapping[str, Any]]) -> list[Row]:
    """Return *observations* without the names that count only if they are known, and are not."""
    decider = Decider(graph, Registered(graph), schema.USER)
    read = inputs.observations(observations)
    pairs = zip(observations, read, strict=True)
    return [dict(row) for row, one in pairs if not one.needs_known or decider.knows(one)]


def _check_embeddings(graph: Graph, wanted: Sequence[Observation], session_id: str) -> None:
    """Raise EmbeddingMismatch for a vector that cannot be compared with those of the store."""
    embeddings = {(one.model or "", len(one.embedding)) for one in wanted if one.embedding}
    for model, dimension in embeddings:
        check(graph, model, dimension)
    if embeddings:
        hold(graph, session_id)


class _Message:
    """One message, and the mentions found in it."""

    def __init__(
        self, graph: Graph, session: Node, message_id: str, speaker: str, said: spans.Said
    ) -> None:
        self.session = session
        self._graph = graph
        self._message_id = message_id
        self._speaker = speaker
        self._said = said
        self._registered = Registered(graph)
        self._decider = Decider(graph, self._registered, speaker)
        # A message whose mention was forgotten does not bring it back by being observed again.
        self._mentions = mentions.known(graph.another(All))
        self._here: dict[str, Node] = {}
        self._claimed: list[tuple[Node, Node, Observation, Row]] = []

    def list_present(self, wanted: Sequence[Observation]) -> list[Observation]:
        """Return *wanted* without the names that count only if they are known, and are not."""
        return [one for one in wanted if not one.needs_known or self._decider.knows(one)]

    def add(self, observation: Observation) -> Row:
        """Record *observation* and return its row."""
        graph = self._graph
        mention_id = mentions.mention_id(graph, self.session, self._message_id, observation)
        mention = self._mentions.get(mention_id)
        entity = None if mention is None else mentions.entity_of(graph.another(All), mention)
        if mention is not None and entity is not None:
            row = self._row(entity, False, (), observation, mentions.found(mention))
            before = mention.get("mention_context") or ""
            is_there = before in self._said.text or self._said.find(before) is not None
            return row if is_there else {**row, "observed_in": before}
        sought, decision = self._decider.decide(observation)
        entity = self._entity(observation, sought, decision)
        found = self._found(entity, observation)
        message = self.session, self._message_id
        mention = mentions.add(graph, *message, entity, observation, found, self._said.text)
        self._mentions[mention_id] = mention
        self._claim(observation, entity)
        is_new = decision.same is None
        row = self._row(entity, is_new, decision.candidates, observation, found)
        if observation.facts:
            self._claimed.append((entity, mention, observation, row))
        return row

    def state(self, since: int | None) -> None:
        """State the facts of the new observations, and add them to the rows.

        They have been so *since* then (unix ms), or since now. This comes after all observations,
        because the value of a fact may be any of them.
        """
        for entity, mention, observation, row in self._claimed:
            said = self._speaker, self._said.text
            rows = (
                facts.claim(self._graph, entity, one, said, self._about(one), mention, since)
                for one in observation.facts
            )
            row["facts"] = [one for one in rows if one]

    def join_kin(self) -> None:
        """Join "Dad" with the name that the user's words tell for him: "my dad Alan"."""
        told = set(kin.list_single(self._said.text)) if self._speaker == schema.USER else set()
        if not told:
            return
        relations = {relation for _, relation in told}
        for relation, name in rule_extractor.list_kin(
            self._said.text, self._graph.context.languages
        ):
            named = self.named(name)
            if relation in relations and named is not None:
                deciding.join(self._graph, self._registered, named, relation, self._said.text)

    def add_note(self, observations: Sequence[Observation], message_id: str, text: str) -> None:
        """Record mentions of the entities of *observations* in a model's own *text*."""
        said = spans.Said(texts.summary(text, "text"))
        for one in observations:
            entity = self.named(one.name)
            key = mentions.mention_id(self._graph, self.session, message_id, one)
            if entity is not None and key not in self._mentions:
                origin = attribution.origin(said, schema.MODEL, one.label, None, one.node_type)
                mentions.add(self._graph, self.session, message_id, entity, one, origin)

    def _about(self, claim: Claim) -> Node | None:
        if claim.about is None:
            return None
        node = self.named(claim.about)
        if node is None:
            raise NotFound(f"facts: this session has not mentioned {show_name(claim.about)}")
        return node

    def named(self, name: str) -> Node | None:
        """Return the entity that *name* means in this message, or meant last in this session."""
        if name not in self._here:
            meant = [
                (mention.get("sequence"), entity)
                for mention in mentions.of_session(self._graph, self.session)
                # With the qualifier, and without.
                for label in (mention.get("label"),)
                if name in map(names.canonical, (label, label.partition(" (")[0]))
                and (entity := mentions.entity_of(self._graph, mention)) is not None
            ]
            if not meant:
                return None
            self._here[name] = max(meant, key=lambda pair: pair[0])[1]
        return self._here[name]

    def _found(self, entity: Node, observation: Observation) -> attribution.Found:
        """Return the attribution of the mention; names that the user gave *entity* before count."""
        called = components.called_by_user(self._graph, entity)
        return attribution.origin(
            *(self._said, self._speaker, observation.label, observation.span),
            observation.node_type,
            [*called, *self._list_kin_words(entity)],
        )

    def _list_kin_words(self, entity: Node) -> list[str]:
        """Return the words by which the user's message means *entity*: "Mum died"."""
        if self._speaker != schema.USER:
            return []
        whole = components.canonical(self._graph, entity)
        found = []
        for word, _ in kin.list_single(self._said.text):
            one = deciding.find_relative(self._graph, self._registered, word)
            if one is not None and components.canonical(self._graph, one).id == whole.id:
                found.append(word)
        return found

    def _entity(self, observation: Observation, sought: Sought, decision: Decision) -> Node:
        """Return the entity of the decision; create it if it is new."""
        if decision.same is not None:
            node = self._registered.by_key[decision.same.id]
            if observation.kind and self._is_now(observation.kind, node.get("entity_kind")):
                node.set(entity_kind=observation.kind)
            return node
        graph = self._graph
        forgotten = self._registered.forgotten(observation)
        if forgotten is not None:
            forgotten = graph.revive(forgotten)
            self._registered.add(forgotten)
            return forgotten
        name = self._registered.free_name(observation.name)
        entity = graph.make(
            schema.ENTITY,
            id=names.make_id("entity", graph.user_id, name),
            node_type=observation.node_type,
            node_label=observation.label,
            canonical_name=name,
            entity_kind=observation.kind,
            qualifier=observation.qualifier,
            embedding=None if observation.embedding is None else list(observation.embedding),
            identity_status=decision.status,
            # The mention that follows raises it.
            activation_strength=0.0,
            user_edge_count=0,
        )
        self._registered.add(entity)
        for one, confidence in resolution.proposed(decision):
            other = self._registered.by_key[one.id]
            why = likenesses.evidence(one, sought)
            merging.propose(graph, other, entity, confidence, why)
        return entity

    def _is_now(self, kind: str, known: str | None) -> bool:
        """Tell whether one of the *known* kind is of *kind* now: closer, next, former, so again."""
        if kinds.is_closer(kind, known) or kinds.is_former(kind, known):
            return True
        if self._speaker == schema.USER and kinds.is_next(kind, known):
            return True
        is_again = known is not None and kinds.is_former(known, kind)
        return is_again and endings.has_phrase(endings.pad_words(self._said.text), "together")

    def _claim(self, observation: Observation, entity: Node) -> None:
        """Store the caller's claim that *entity* is another one as a question."""
        claimed = observation.same_as and self._registered.by_key.get(observation.same_as)
        if not claimed:
            return
        graph = self._graph
        if components.are_one(graph, claimed, entity):
            return
        [one] = self._registered.known([claimed])
        confidence = max(0.0, likenesses.likeness(one, seek(self._graph, observation)))
        evidence = observation.rationale or "the caller believes so"
        merging.propose(graph, claimed, entity, confidence, evidence)
        if entity.status == schema.PROVISIONAL:
            entity.set(identity_status=schema.AMBIGUOUS)

    def _row(
        self,
        entity: Node,
        created: bool,
        candidates: Sequence[tuple[Known, float]],
        observation: Observation,
        found: attribution.Found,
    ) -> Row:
        for name in (observation.name, names.canonical(observation.shown)):
            self._here.setdefault(name, entity)
        canonical = components.canonical(self._graph, entity)
        row: Row = {
            "entity_id": canonical.key,
            "label": canonical.name,
            "type": canonical.node_type,
            "created": created,
            "origin": found.origin,
            "identity_status": canonical.status,
            "trust": trust(components.said(self._graph, canonical)),
        }
        if asked := self._candidates(canonical, candidates):
            row["candidates"] = asked
        if found.refused:
            row["refused_span"] = observation.span
        if found.inferred_from is not None:
            row["inferred_from"] = found.inferred_from
        if observation.same_as and observation.same_as not in self._registered.by_key:
            row["refused_same_as"] = observation.same_as
        return row

    def _candidates(self, entity: Node, found: Sequence[tuple[Known, float]]) -> list[Row]:
        """Return the candidates for *entity*: those *found* now, and those asked about before."""
        asked = [(one.canonical_id, one.label, near) for one, near in found]
        if entity.status == schema.AMBIGUOUS:
            known = {entity_id for entity_id, _, _ in asked}
            open_ones = components.questions(self._graph, entity)
            asked += [(one.key, one.name, near) for one, near in open_ones if one.key not in known]
        return [
            {"entity_id": entity_id, "label": label, "confidence": near}
            for entity_id, label, near in asked
        ]
