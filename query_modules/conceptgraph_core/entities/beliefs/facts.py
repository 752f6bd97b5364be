"""State facts, with the time they were true apart from the time the memory believed them."""

from dataclasses import replace
from itertools import count
from typing import Any, Final

from ...texts.text import show_name
from ...verbs.errors import InvalidNumber, InvalidText, NotAllowed, NotFound, Tautology
from .. import bitemporal, lookups, names, resting, schema
from ..identity import components, merging
from ..inputs import Claim, Given, check_fact, check_times
from ..language import spans
from ..node import All, Graph, Node
from . import attribution, log

Row = dict[str, Any]

_WORDS: Final = "pass the user's message as text and its words as span"


def fact(graph: Graph, entity_id: str, given: Given) -> Row:
    """State a fact of an entity. Returns fact_id, origin, conflicts, inferred_from, refused_span.

    * A fact that it *corrects* was never true. The memory no longer believes it, and the new fact
      replaces it, with its value and times where none are given. Without any of these nothing does.
    * A fact that it *ends* was true until the new one begins, or until valid_until, or now.
    * Neither removes anything.
    * A fact that is already believed is returned, not stated twice.
    * `conflicts` are believed facts that cannot be true at the same time. Only the user knows which
      one is right, so none is dropped.
    * The span, or else the value, decides the origin, as for a mention.

    Raises NotFound, InvalidText, InvalidNumber, Tautology, NotAllowed.
    """
    check_fact(given)
    graph.pull(lookups.stated(entity_id, given))
    return state_fact(graph, merging.entity(graph, entity_id), given)


def state_fact(graph: Graph, entity: Node, given: Given, mention: Node | None = None) -> Row:
    """State a fact of *entity* as `fact` does; it rests on *mention*, if there is one."""
    old = _old(graph, entity, given)
    object_id = given.object_id
    about = None if object_id is None else merging.entity(graph, object_id, "object_id")
    origin = _origin(graph, given, old, about)
    if old is not None and old.get("origin") == schema.USER and origin.origin != schema.USER:
        raise NotAllowed(
            f"{'corrects' if given.corrects else 'ends'}: the user said that; {_WORDS}, or state"
            " the other fact beside it"
        )
    if old is not None and given.ends:
        given = _end(graph, old, given)
    elif old is not None:
        given, about = _correct(graph, entity, old, given, about)
    made = (
        old
        if not given.has_value
        else _stated(graph, entity, given, about, _said(given, origin), mention)
    )
    assert made is not None  # `check_fact` wants a value, or something to correct or to end.
    after = made if made is not old else mention
    if old is not None and after is not None:
        old.set(**{"corrected_by" if given.corrects is not None else "ended_by": after.key})
    if given.corrects is not None:
        resting.settle_ends(graph, entity)
    return {
        "fact_id": made.key,
        "origin": made.get("origin"),
        "conflicts": bitemporal.list_conflicts(graph, entity, made),
        "inferred_from": origin.inferred_from,
        "refused_span": given.span if origin.refused else None,
    }


def claim(
    graph: Graph,
    entity: Node,
    claim: Claim,
    said: tuple[str, str],
    about: Node | None,
    mention: Node,
    since: int | None = None,
) -> Row:
    """State a claim of the message *said* (speaker and text) of *entity*, about *about* if given.

    It rests on *mention*, the one of *entity* in this message, which keeps it. It has been so, or
    over, *since* (unix ms), by default since now.

    Returns fact_id, predicate, value, origin and conflicts; an empty row if it ends or changes what
    was never told. A claim that comes "after" ends the earlier facts of its predicate, and one that
    is "over" ends itself. Only the user can end the user's facts.
    """
    speaker, text = said
    object_id = None if about is None else about.key
    given = Given(
        *(claim.predicate, claim.value, object_id), speaker=speaker, text=text, span=claim.span
    )
    check_fact(given)
    if claim.value == schema.EVERY and claim.mode == schema.OVER:
        found = attribution.origin(spans.Said(text), speaker, claim.span or "", claim.span)
    else:
        found = _origin(graph, given, None, about)
    words = _said(given, found)
    what = claim.predicate, claim.value, about, claim.mode, claim.needs_known
    told = log.Logged(*what, words, since)
    log.keep(mention, told)
    if log.is_late(graph, entity, claim.predicate):
        log.refold(graph, entity, claim.predicate, _apply)
        made = _find_changed(graph, entity, claim.predicate, mention)
    else:
        made = _apply(graph, entity, told, mention, [])
    if made is None:
        return {}
    row = {name: made.get(name) for name in ("predicate", "value", "origin")}
    return {"fact_id": made.key, **row, "conflicts": bitemporal.list_conflicts(graph, entity, made)}


def _find_changed(graph: Graph, entity: Node, predicate: str, mention: Node) -> Node | None:
    """Return the fact of *predicate* that *mention* states or ends; None if it does neither."""
    slot = bitemporal.name_slot(predicate)
    facts = bitemporal.iterate_facts(graph, components.members(graph, entity))
    changed = (
        one
        for one in facts
        if mention.key in (*(one.get("mention_ids") or ()), one.get("ended_by"))
        and bitemporal.name_slot(one.get("predicate")) == slot
    )
    return next(changed, None)


def _apply(
    graph: Graph, entity: Node, claim: log.Logged, mention: Node, spare: list[Node]
) -> Node | None:
    """Let *claim* of *mention* make or end facts of *entity*, as the next word; return the last.

    A fact that it makes may be one of the *spare* ones.
    """
    if _says_nothing(graph, entity, claim):
        return None
    origin = claim.said["origin"]
    if claim.value == schema.EVERY and claim.mode == schema.OVER:
        return _end_every(graph, entity, claim, mention)
    is_over, since = claim.mode == schema.OVER, claim.since
    object_id = None if claim.about is None else claim.about.key
    is_single = claim.mode == schema.AFTER
    given = Given(claim.predicate, claim.value, object_id, single=is_single)
    known = bitemporal.find_same(graph, entity, given, claim.about)
    if known is None and is_over:
        known = bitemporal.find_ended(graph, entity, given)
    ended: list[Node] = []
    if is_over and known is not None:
        made = known
        if _may_end(graph, known, origin, since):
            _end(graph, known, Given(given.predicate, valid_until=since))
            known.set(ended_by=mention.key)
            _end_together(graph, entity, known, mention)
    else:
        if is_over:
            # An unknown one was true until now.
            given = replace(given, valid_until=graph.now_ms if since is None else since)
        elif known is None and claim.is_next:
            given, ended = _after(graph, entity, given, claim, claim.about)
        elif known is None:
            given = replace(given, valid_from=since)
        made = _stated(graph, entity, given, claim.about, claim.said, mention, spare)
        if (
            since is not None
            and known is not None
            and since < (known.get("valid_from") or since + 1)
        ):
            made.set(valid_from=since)
    for one in ended:
        one.set(ended_by=made.key)
        _end_together(graph, entity, one, made)
    for one in (*ended, made):
        resting.follow_tie(graph, one)
    return made


def _says_nothing(graph: Graph, entity: Node, claim: log.Logged) -> bool:
    """Tell whether *claim* ends or changes what was never told.

    Examples are "I quit my job", "I don't live in Bath" and "they put the ramipril up to 10".
    """
    is_over = claim.mode == schema.OVER
    if (is_over and claim.value == schema.EVERY) or (claim.needs_known and not is_over):
        return not _list_open(graph, entity, claim.predicate)
    if not claim.needs_known or claim.value is None:
        return False
    given = Given(claim.predicate, claim.value)
    return bitemporal.find_same(graph, entity, given, None) is None


def _list_open(graph: Graph, entity: Node, predicate: str) -> list[Node]:
    """Return the current facts that end with *predicate*: with an employer goes the occupation.

    Ones out of sight are over too, when they are restored.
    """
    name = bitemporal.name_slot(predicate)
    wanted = (name, "occupation") if name == "employer" else (name,)
    every = graph.another(All)
    current = bitemporal.list_current(every, components.members(every, entity))
    return [one for one in current if bitemporal.name_slot(one.get("predicate")) in wanted]


def _end_every(graph: Graph, entity: Node, claim: log.Logged, mention: Node) -> Node | None:
    """End all that is so of the predicate of *claim*; return the last of these in sight."""
    last = None
    for one in _list_open(graph, entity, claim.predicate):
        if _may_end(graph, one, claim.said["origin"], claim.since):
            _end(graph, one, Given(one.get("predicate"), valid_until=claim.since))
            one.set(ended_by=mention.key)
        last = last if resting.is_hidden(one) else one
    return last


def _end_together(graph: Graph, entity: Node, old: Node, by: Node) -> None:
    """End by *by* the occupation that was told with the employer *old*: "I work at X as a Y"."""
    if names.canonical(old.get("predicate")) != "employer":
        return
    told = set(old.get("mention_ids") or ())
    for one in bitemporal.list_current(graph, components.members(graph, entity)):
        is_told = not told.isdisjoint(one.get("mention_ids") or ())
        is_open = one.get("valid_until") is None and one.get("known_from") < graph.now_ms
        if is_told and is_open and names.canonical(one.get("predicate")) == "occupation":
            _end(graph, one, Given("occupation"))
            one.set(ended_by=by.key)


def _after(
    graph: Graph, entity: Node, given: Given, claim: log.Logged, about: Node | None
) -> tuple[Given, list[Node]]:
    """End the facts before the *given* one; return it, with its times, and the ended ones."""
    # Ones out of sight are over too, when they are restored.
    before = bitemporal.list_earlier(graph.another(All), entity, given, about)
    since, origin = claim.since, claim.said["origin"]
    ended = [one for one in before if _may_end(graph, one, origin, since)]
    for one in ended:
        _end(graph, one, Given(given.predicate, valid_until=since))
    if since is not None:
        # It was so until the next one that is known began.
        begun = (one.get("valid_from") for one in before)
        until = min((one for one in begun if one is not None and one > since), default=None)
        return replace(given, valid_from=since, valid_until=until), ended
    over = [one for one in before if not bitemporal.is_valid(one, graph.now_ms, graph.now_ms)]
    return replace(given, valid_from=graph.now_ms) if ended or over else given, ended


def _may_end(graph: Graph, old: Node, origin: str | None, at: int | None = None) -> bool:
    """Tell whether words of *origin* can end *old*: only the user's end a fact of the user's.

    It ends *at* that time (unix ms), by default now.
    """
    since, until = old.get("valid_from"), graph.now_ms if at is None else at
    is_allowed = origin == schema.USER or old.get("origin") != schema.USER
    # The end of a fact that has ended is known already.
    is_open = old.get("ended_at") is None and old.get("valid_until") is None
    # Two values in one message contradict each other, and neither is the later one.
    is_earlier = old.get("known_from") < graph.now_ms
    return is_allowed and is_open and is_earlier and (since is None or since < until)


def _old(graph: Graph, entity: Node, given: Given) -> Node | None:
    """Return the corrected or ended fact, which must belong to *entity*'s component."""
    field = "corrects" if given.corrects is not None else "ends"
    fact_id = given.corrects if given.corrects is not None else given.ends
    if fact_id is None:
        return None
    old = next((node for node in graph.of(schema.FACT) if node.key == fact_id), None)
    members = {node.key for node in components.members(graph, entity)}
    if old is None or old.get("entity_id") not in members:
        raise NotFound(f"{field}: not a fact of this entity: {show_name(fact_id)}")
    if names.canonical(old.get("predicate")) != names.canonical(given.predicate):
        raise InvalidText(f"predicate: that fact is of {show_name(old.get('predicate'))}")
    return old


def _origin(graph: Graph, given: Given, old: Node | None, about: Node | None) -> attribution.Found:
    """Return the origin: the user's, if the user speaks and the words contain the value.

    A fact that only undoes another needs the user's words, but not the value: "I quit" ends an
    employer.
    """
    said = spans.Said(given.text)
    if about is not None:
        known = components.called_by_user(graph, about)
        claim = about.bare, given.span, about.node_type, known
        return attribution.origin(said, given.speaker, *claim)
    if given.value is None and old is not None:
        words = old.get("value") if given.span is None else given.span
        return attribution.origin(said, given.speaker, words, given.span)
    return attribution.origin(said, given.speaker, given.value or "", given.span)


def _end(graph: Graph, old: Node, given: Given) -> Given:
    """End *old* where the new fact begins; return the new fact with its beginning."""
    times = (given.valid_from, None if given.has_value else given.valid_until)
    until = next((time for time in reversed(times) if time is not None), graph.now_ms)
    begun = replace(given, valid_from=until)
    if old.get("ended_at") is not None and old.get("valid_until") == until:
        return begun
    now_ms = graph.now_ms
    if not bitemporal.is_known(old, now_ms):
        raise NotAllowed(f"ends: {show_name(old.key)} was corrected: it is not believed")
    if old.get("ended_at") is not None:
        raise NotAllowed(f"ends: {show_name(old.key)} has ended already; correct it instead")
    since, before = old.get("valid_from"), old.get("valid_until")
    if since is not None and until <= since:
        raise InvalidNumber("ends: it would end before it began; if it never was so, correct it")
    # The old belief about its end stays, for questions about an earlier time.
    old.set(ended_at=now_ms, valid_until=until, believed_until=before)
    check_times(begun.valid_from, begun.valid_until if begun.has_value else None)
    return begun


def _correct(
    graph: Graph, entity: Node, old: Node, given: Given, about: Node | None
) -> tuple[Given, Node | None]:
    """Correct *old*: it was never true. Return the whole fact that replaces it, and its entity."""
    is_told = given.has_value or given.valid_from is not None or given.valid_until is not None
    if is_told:
        if not given.has_value:
            about = bitemporal.find_object(graph, old)
            value = old.get("value") if about is None else None
            given = replace(given, value=value, object_id=None if about is None else about.key)
        if given.valid_from is None and given.valid_until is None:
            since, until = old.get("valid_from"), old.get("valid_until")
            given = replace(given, valid_from=since, valid_until=until)
        given = replace(given, single=given.single or old.get("single"))
        times = given.valid_from, given.valid_until
        is_same = times == (old.get("valid_from"), old.get("valid_until"))
        if is_same and bitemporal.says_same(graph, old, given, about):
            raise Tautology("corrects: that fact says the same")
    if not bitemporal.is_known(old, graph.now_ms):
        is_repeated = not is_told or bitemporal.find_same(graph, entity, given, about) is not None
        if not is_repeated:
            raise NotAllowed(f"corrects: {show_name(old.key)} was corrected already")
        return given, about
    old.set(known_until=graph.now_ms)
    return given, about


def _said(given: Given, found: attribution.Found) -> dict[str, str | None]:
    """Return what a fact keeps of the words that state it."""
    span, inferred = found.span, found.inferred_from
    return {
        "origin": found.origin,
        "source_span": None if inferred else given.span or (given.value if span else None),
        "inferred_from": inferred,
        "context": span.sentence if span and span.sentence else None,
    }


def _stated(
    graph: Graph,
    entity: Node,
    given: Given,
    about: Node | None,
    said: dict[str, str | None],
    mention: Node | None = None,
    spare: list[Node] | None = None,
) -> Node:
    """Return the *given* fact: the one that is believed already, a *spare* one, or a new one.

    It rests on *mention*; without one, on no message.
    """
    known = bitemporal.find_same(graph, entity, given, about)
    if known is not None:
        if known.get("origin") != schema.USER and said["origin"] == schema.USER:
            known.set(**said)
        if given.single:
            known.set(single=True)
        rests_on = known.get("mention_ids")
        if rests_on and (mention is None or mention.key not in rests_on):
            known.set(mention_ids=None if mention is None else [*rests_on, mention.key])
        return known
    values = {
        "value": given.value if about is None else about.name,
        "single": given.single,
        "valid_from": given.valid_from,
        "valid_until": given.valid_until,
        "mention_ids": None if mention is None else [mention.key],
        **said,
    }
    if mention is not None and spare:
        taken = log.take_spare(graph, given, about, mention, spare)
        if taken is not None:
            taken.set(known_from=graph.now_ms, **values)
            return taken
    made = graph.make(
        schema.FACT,
        id=_new_id(graph, entity, names.canonical(given.predicate), mention),
        entity_id=entity.key,
        predicate=given.predicate,
        **values,
    )
    graph.create_edge(entity, made, schema.HAS_FACT)
    if about is not None:
        graph.create_edge(made, about, schema.OBJECT)
    return made


def _new_id(graph: Graph, entity: Node, predicate: str, mention: Node | None) -> str:
    """Return the id of the next fact of that predicate that *mention* opens, or that is by hand."""
    opened_by = entity.key if mention is None else mention.key
    taken = {one.key for one in bitemporal.iterate_facts(graph.another(All), [entity])}
    numbered = (names.make_id("fact", graph.user_id, opened_by, predicate, one) for one in count(1))
    return next(one for one in numbered if one not in taken)
