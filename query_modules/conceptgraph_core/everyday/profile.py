"""Compose a profile of the user: who that is, what holds always, who is close, what is coming up.

A question finds none of this by its words, and an agent needs it before the first question.
"""

from collections.abc import Sequence
from itertools import chain, zip_longest
from typing import Annotated, Any

from ..entities.narration import own_facts
from ..entities.node import Graph as Entities
from ..language import oneself
from ..memories import schema as memories
from ..memories.view import Graph, Node
from ..recall import budgets
from ..texts.dates import DAY_MS
from ..verbs import validators
from ..verbs.arguments import INNER, Budget
from . import lookups, schema
from .lines import AHEAD, ALWAYS, ME, PEOPLE, RULES, Line, Room, make_line, sources, text, tokens
from .oneself import is_about_user, own_texts, quote_memory

Row = dict[str, Any]

_PARTS = (ME, ALWAYS, RULES, PEOPLE, AHEAD)
_PREFERENCE = "preference"


def profile(
    graph: Graph,
    token_budget: Budget | None = schema.PROFILE_BUDGET,
    since: Annotated[int | None, INNER] = None,
    until: Annotated[int | None, INNER] = None,
) -> Row:
    """Tell who the user is, in at most *token_budget* tokens (estimated), sources included.

    Its parts are the user's own facts, what is kept always, wishes and rules, those closest, and
    what happens from *since* to before *until* (unix ms; the seven days from now). All of it is
    current: nothing that was replaced, forgotten, contradicted or ended. Each line is quoted with
    its time and its source. Nothing is accessed. Returns text, lines (see `lines`), sources and
    tokens; the text is empty if nothing is known. Raises InvalidNumber.
    """
    room = Room(budgets.budget(token_budget, schema.DEFAULT_BUDGET))
    now_ms = graph.context.now_ms
    first = now_ms if since is None else validators.time(since, "since")
    last = now_ms + schema.DAYS_AHEAD * DAY_MS if until is None else validators.time(until, "until")
    graph.pull(*lookups.of_profile(graph.context.user_id, first, last))
    ahead = _list_ahead(graph, first, last)
    parts = _list_own(graph, {node for node, _ in ahead})
    parts[PEOPLE] = _people(graph)
    parts[AHEAD] = [line for _, line in ahead]
    chosen = _fitting(room, [parts[part][: schema.PROFILE_MOST] for part in _PARTS])
    return {
        "text": text(chosen),
        "lines": chosen,
        "sources": sources(chosen),
        "tokens": tokens(chosen) if chosen else 0,
    }


def _list_own(graph: Graph, ahead: set[Node]) -> dict[str, list[Line]]:
    """Return the lines on the user by part; those *ahead* are told elsewhere."""
    known = graph.another(Entities)
    name = own_facts.own_name(known)
    texts = [node for node in own_texts(graph) if node not in ahead and not _is_ahead(node)]
    mine = {node for node in texts if is_about_user(node, name)}
    who = [node for node in texts if node in mine and oneself.tells_who(node.content, name)]
    parts: dict[str, list[Line]] = {ME: [], ALWAYS: [], RULES: []}
    facts = list(own_facts.facts(known))
    parts[ME] = [_line(graph, ME, node) for node in who[:2]]
    parts[ME] += [make_line(ME, schema.ENTITY, node.key, *said) for node, said in facts]
    if not parts[ME]:
        parts[ME] = [
            make_line(ME, schema.ENTITY, node.key, *said) for node, said in own_facts.named(known)
        ]
    for node in sorted(texts, key=lambda one: one not in mine):
        if node in who[:2]:
            continue
        part = _part(node)
        if part != ME or node in mine:
            parts[part].append(_line(graph, part, node))
    return parts


def _people(graph: Graph) -> list[Line]:
    """Return one line on those closest to the user, because a line for each costs four times it."""
    texts = [(node.told_at, node.content) for node in own_texts(graph)]
    close = own_facts.closest(graph.another(Entities), texts)[: schema.PROFILE_MOST]
    said = ", ".join(said for _, said in close)
    return [make_line(PEOPLE, schema.ENTITY, close[0][0].key, said)] if close else []


def _part(node: Node) -> str:
    if memories.is_always(node.get("tags")):
        return ALWAYS
    is_rule = node.get("type") == _PREFERENCE or oneself.is_rule(node.content)
    return RULES if is_rule else ME


def _line(graph: Graph, part: str, node: Node) -> Line:
    return make_line(
        part, schema.MEMORY, node.memory_id, *quote_memory(graph, node, schema.PROFILE_LONGEST)
    )


def _list_ahead(graph: Graph, since: int, until: int) -> list[tuple[Node, Line]]:
    """Return the plans for the time from *since* to before *until*, the first one first."""
    found = [
        node
        for node in graph.nodes()
        if _is_ahead(node) and since <= node.told_at < until and graph.ended(node) is None
    ]
    found.sort(key=lambda node: (node.told_at, node.memory_id))
    return [(node, _line(graph, AHEAD, node)) for node in found[: schema.PROFILE_MOST]]


def _is_ahead(node: Node) -> bool:
    """Tell whether *node* was stored before it happens: a plan."""
    return bool(node.told_at > node.get("created_at"))


def _fitting(room: Room, parts: Sequence[Sequence[Line]]) -> list[Line]:
    """Return the lines that fit, in the order of *parts*: first the first line of each, and so on.

    So a part with many lines leaves room for the others.
    """
    kept: dict[str, list[Line]] = {}
    for line in filter(None, chain.from_iterable(zip_longest(*parts))):
        mine = kept.setdefault(line["part"], [])
        if room.holds(line, title=not mine):
            mine.append(line)
    return [line for part in _PARTS for line in kept.get(part, ())]
