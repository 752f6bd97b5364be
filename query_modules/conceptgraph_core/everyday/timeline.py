"""Count by days what was kept and said, and list it."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any

from ..concepts import schema as concepts
from ..concepts.node import Graph as Concepts
from ..entities import schema as entities
from ..entities.node import Graph as Entities
from ..memories.view import AllMemories, Graph
from ..memories.view import Node as Memory
from ..texts import dates, text
from . import lookups, schema
from .searching import describe_memory

Row = dict[str, Any]

# The memories and the mentions of the context's `tallies`, in this order.
_MEMORIES, _MENTIONS = 0, 1
# In `sizes` these follow, with one number each.
_ENTITIES, _CONCEPTS, _EPISODES = 2, 3, 4


def days(graph: Graph, first: str, bounds: Sequence[int]) -> Row:
    """Count what was kept and said on each day; *first* is the date of the first, "20260101".

    Each two of *bounds* (unix ms, ascending) are the beginnings of a day and of the next. Returns
    memories (those made then, forgotten ones too), episodes and mentions: lists with a number for
    each day. Raises InvalidText, InvalidNumber.
    """
    parts = dates.periods(bounds, "bounds", schema.MOST_DAYS)
    own = graph.another(Concepts).scope
    graph.pull(lookups.counted_days(graph.context.user_id, own, first, parts))
    counted = graph.found.tallies
    if counted is None:
        counted = (_memories(graph, parts), _mentions(graph, parts))
    return {
        "memories": list(counted[_MEMORIES]),
        "episodes": _episodes(graph, first, len(parts) - 1),
        "mentions": list(counted[_MENTIONS]),
    }


def sizes(graph: Graph, bounds: Sequence[int]) -> Row:
    """Count what is stored, expired and forgotten memories and merged entities too.

    memories and mentions are lists: those made between each two of *bounds* (unix ms, ascending).
    entities, concepts and episodes are numbers. Raises InvalidNumber.
    """
    parts = dates.periods(bounds, "bounds", schema.MOST_DAYS)
    own = graph.another(Concepts).scope
    graph.pull(lookups.counted(graph.context.user_id, own, parts))
    counted = graph.found.tallies
    if counted is None:
        known = graph.another(Entities).of(entities.ENTITY)
        labels = Counter(node.label for node in graph.another(Concepts).nodes())
        alone = [sum(1 for _ in known), labels[concepts.CONCEPT], labels[concepts.EPISODE]]
        counted = (_memories(graph, parts), _mentions(graph, parts), *([one] for one in alone))
    return {
        "memories": list(counted[_MEMORIES]),
        "mentions": list(counted[_MENTIONS]),
        "entities": counted[_ENTITIES][0],
        "concepts": counted[_CONCEPTS][0],
        "episodes": counted[_EPISODES][0],
    }


def _memories(graph: Graph, bounds: Sequence[int]) -> list[int]:
    nodes = graph.another(AllMemories).nodes()
    return _tally(bounds, (node.get("created_at") for node in nodes))


def _mentions(graph: Graph, bounds: Sequence[int]) -> list[int]:
    mentions = graph.another(Entities).of(entities.MENTION)
    return _tally(bounds, (one.created_at for one in mentions))


def _tally(bounds: Sequence[int], times: Iterator[int]) -> list[int]:
    counts = [0] * (len(bounds) - 1)
    for time in times:
        period = dates.period(bounds, time)
        if period is not None:
            counts[period] += 1
    return counts


def _episodes(graph: Graph, first: str, count: int) -> list[int]:
    day = schema.date_of(first, "first")
    numbers = {f"{day + timedelta(days=number):%Y%m%d}": number for number in range(count)}
    counts = [0] * count
    for node in _all_episodes(graph):
        number = numbers.get(node.name.partition("/")[0])
        if number is not None:
            counts[number] += 1
    return counts


def _all_episodes(graph: Graph) -> Iterator[Any]:
    return (node for node in graph.another(Concepts).nodes() if node.label == concepts.EPISODE)


def list_happened(
    graph: Graph, day: str, since: int, until: int, limit: int | None = schema.MOST_LISTED
) -> list[Row]:
    """List what happened, was kept and said on *day*, "20260131", from *since* until *until*.

    Times are in unix ms. A row has kind, id, text, at, who and state. It is a memory (forgotten
    ones are left out), an episode (without a time), or a message: the first entity that it mentions
    is its id. The earliest come first, at most *limit*. Raises InvalidText, InvalidNumber.
    """
    dates.periods((since, until), "since, until", 1)
    most = text.limit(limit, schema.MOST_LISTED, schema.MOST_LISTED)
    wanted = f"{schema.date_of(day, 'day'):%Y%m%d}"
    scope, own = graph.context.user_id, graph.another(Concepts).scope
    graph.pull(lookups.happened(scope, own, wanted, since, until))
    kept: list[Row] = [
        describe_memory(node) | {"kind": schema.MEMORY, "state": graph.state(node), "at": at}
        for node in graph.nodes()
        if (at := _find_time_within(node, since, until)) is not None
    ]
    texts = [one["text"] for one in kept]
    said = [
        one
        for one in _messages(graph.another(Entities), since, until)
        if not any(one["text"] in each for each in texts)
    ]
    rows = sorted(kept + said, key=lambda one: (one["at"], one["kind"], one["id"]))
    episodes = [
        _row(schema.EPISODE, node.name, node.text, since, None)
        for node in _all_episodes(graph)
        if node.name.partition("/")[0] == wanted
    ]
    return (sorted(episodes, key=lambda one: str(one["id"])) + rows)[:most]


def _find_time_within(node: Memory, since: int, until: int) -> int | None:
    """Return when *node* was kept, or happened, between these times; None: neither."""
    times = (node.get("created_at"), node.told_at)
    return next((at for at in times if since <= at < until), None)


def _messages(graph: Entities, since: int, until: int) -> list[Row]:
    """Return the messages of that time whose words are known, each once."""
    mentions = [one for one in graph.of(entities.MENTION) if since <= one.created_at < until]
    mentions.sort(key=lambda one: one.turn)
    first: dict[tuple[str, str, str], Row] = {}
    for one in mentions:
        key = (one.get("session_id"), one.get("message_id"), one.get("origin"))
        entity = next((tie.other for tie in graph.leaving(one, entities.OF)), None)
        words = one.words
        if words is not None and entity is not None and key not in first:
            who = "the user" if one.get("origin") == entities.USER else "the model"
            first[key] = _row("message", entity.key, words, one.created_at, who)
    return list(first.values())


def _row(kind: str, key: str, words: str, at: int, who: str | None) -> Row:
    return {"kind": kind, "id": key, "text": words, "at": at, "who": who, "state": None}
