"""Correct a fact of an entity by what the user says of it now."""

from ..entities import inputs, mentions, names, resting, rule_extractor, schema
from ..entities.beliefs import attribution, facts
from ..entities.identity import components
from ..entities.inputs import Given
from ..entities.language import spans
from ..entities.node import All, Graph, Node
from ..errors import NotAllowed, NotFound, Tautology
from ..text import show_name
from .hearing import Message


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
    of_one = (one for one in told if (of := mentions.entity_of(every, one)) and of.id == entity.id)
    mention = next(of_one, None)
    if mention is None:
        [one] = inputs.observations([{"label": entity.bare, "type": entity.node_type}])
        said = spans.Said(message.text), message.speaker
        called = components.called_by_user(graph, entity)
        found = attribution.origin(*said, one.label, None, one.node_type, called)
        mention = mentions.add(graph, session, message.message_id, entity, one, found)
    value = _value_told(graph, entity, wrong.get("predicate"), message)
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


def _value_told(graph: Graph, entity: Node, predicate: str, message: Message) -> str | None:
    """Return the value of *predicate* that *message* states of *entity*, if rules find one."""
    told = rule_extractor.wanted(message.text, [], graph.context.languages, message.speaker)
    called = {names.canonical(one.bare) for one in components.members(graph, entity)}
    of_one = (claim for one in told if one.name in called for claim in one.facts)
    same = (one for one in of_one if names.canonical(one.predicate) == names.canonical(predicate))
    return next((one.value for one in same if one.value is not None), None)
