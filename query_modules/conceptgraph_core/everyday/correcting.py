"""Correct a fact by what the user says of it now, and forget whatever has an id or a name."""

from typing import Annotated, Any

from ..cascade import forgetting
from ..entities import inputs, mentions, names, resting, rule_extractor, schema
from ..entities.beliefs import attribution, facts
from ..entities.identity import components
from ..entities.inputs import Given
from ..entities.language import spans
from ..entities.node import All, Graph, Node
from ..memories.view import Graph as Memories
from ..texts.folding import plain
from ..texts.text import show_name
from ..verbs.errors import NotAllowed, NotFound, Tautology
from . import kept
from .hearing import Message
from .schema import ENTITY, MEMORY
from .searching import search

Row = dict[str, Any]


def find_wrong(graph: Graph, fact_id: str, said: str | None) -> Node:
    """Return the fact of that id, to be corrected by *said*. Raises NotFound, NotAllowed."""
    fact = next((one for one in graph.of(schema.FACT) if one.key == fact_id), None)
    if fact is None:
        raise NotFound(
            f"replaces: not found: {show_name(fact_id)}; about and search return the ids of"
            " memories and facts"
        )
    if fact.get("origin") == schema.USER and said is None:
        raise NotAllowed("replaces: the user said that; pass the user's words as said")
    return fact


def correct(graph: Graph, wrong: Node, message: Message, session: Node) -> None:
    """Correct the fact *wrong* by *message*: it was never so.

    The correction rests on a mention in *session*, that of the message, and is forgotten with it.
    """
    entity = next(tie.other for tie in graph.arriving(wrong, schema.HAS_FACT))
    every = graph.another(All)
    told = list(mentions.of_session(every, session))
    # The same words were forgotten before, and are told again.
    resting.show(graph, told, None)
    its = (one for one in told if (of := mentions.entity_of(every, one)) and of.id == entity.id)
    mention = next(its, None)
    if mention is None:
        [one] = inputs.observations([{"label": entity.bare, "type": entity.node_type}])
        said = spans.Said(message.text), message.speaker
        called = components.called_by_user(graph, entity)
        found = attribution.origin(*said, one.label, None, one.node_type, called)
        mention = mentions.add(graph, session, message.message_id, entity, one, found)
    claims = rule_extractor.wanted(message.text, [], graph.context.languages, message.speaker)
    named = {names.canonical(one.bare) for one in components.members(graph, entity)}
    predicate = names.canonical(wrong.get("predicate"))
    of_one = (claim for one in claims if one.name in named for claim in one.facts)
    same = (one for one in of_one if names.canonical(one.predicate) == predicate)
    value = next((one.value for one in same if one.value is not None), None)
    if value is not None and names.canonical(value) == names.canonical(wrong.get("value")):
        raise Tautology("replaces: that fact says the same")
    given = Given(
        wrong.get("predicate"),
        value,
        corrects=wrong.key,
        speaker=message.speaker,
        text=message.text,
        span=message.text if value is None else None,
    )
    facts.state_fact(graph, entity, given, mention)


def forget(
    graph: Memories,
    id_: Annotated[str, "An id, or the words of what to forget."],
    reason: Annotated[str | None, "Why, for the owner."] = None,
) -> Row:
    """Hide a memory, a fact, a mention or an entity, by its id, with what rests on it alone.

    With an entity go the texts that are about it and nobody else; others are those about others
    too ({id, text, about}). The owner can restore everything in full. A text or a name of just
    one stands for its id. If no id and not one thing alone is meant, nothing is hidden: id is null,
    and candidates are the memories and entities that *id* finds ({kind, id, text}). A kept question
    goes by its id, for ever. Returns id,
    forgotten_at (unix ms), others and candidates. Raises NotFound, InvalidText.
    """
    try:
        return {**forgetting.forget(graph, id_, reason), "candidates": []}
    except NotFound:
        if kept.forget(graph.another(kept.Questions), id_):
            at = graph.context.now_ms
            return {"id": id_, "forgotten_at": at, "others": [], "candidates": []}
        meant = search(graph, id_, kinds=(MEMORY, ENTITY))
        if not meant:
            raise

    def is_called(row: Row) -> bool:
        # A result of a search is called by its text, or by the names of an entity.
        is_entity = row["kind"] == ENTITY
        told = row["matched"] if is_entity else [row["text"]]
        return plain(id_) in (plain(one.partition(" (")[0] if is_entity else one) for one in told)

    exact = [row["id"] for row in meant if is_called(row)]
    if len(exact) == 1:
        return forget(graph, exact[0], reason)
    fields = "kind", "id", "text"
    candidates = [{field: row[field] for field in fields} for row in meant]
    return {"id": None, "forgotten_at": None, "others": [], "candidates": candidates}
