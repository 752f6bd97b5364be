"""Draw pictures over all layers: everything about one name, or the whole store.

The page joins nodes of one name by lines that are drawn and not stored. This module selects the
nodes, a share from each layer.

Draw communities of entities as areas, and open one.

Draw the answers of `recall` and `about` for hosts that show the pictures of tools.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from conceptgraph_core.concepts import schema as concepts
from conceptgraph_core.errors import NotFound
from conceptgraph_core.everyday import schema
from conceptgraph_core.folding import plain

from .. import calls, everyday
from ..errors import Refused
from ..session import Session
from . import entities, memories, picture
from .looks import TOGETHER

Row = dict[str, Any]

AREA = "area"
_NAMED = 3
# More areas than these would be a picture of dots.
_MOST = 40
# The ties of so many of its members join an area to others: those that the user mentioned most.
_JOINING = 8


async def draw_areas(session: Session, communities: list[str], limit: int) -> list[Row]:
    """Return the areas as nodes; or of the *communities* the members most mentioned, with ties."""
    if not communities:
        call = calls.entities.communities(None, _JOINING, _MOST, session.user_id)
        rows = await session.run(call)
        most = rows[0]["size"] if rows else 1
        joined = await _count_ties_between(session, rows)
        return [_node(row, row["size"] / most, joined) for row in rows]
    ids: list[str] = []
    for one in communities:
        most = min(limit, calls.entities.MOST_MEMBERS)
        [row] = await session.run(calls.entities.communities(one, most, 1, session.user_id))
        ids += row["entity_ids"]
    nodes = await entities.neighbourhood(session, ids, 0, len(ids))
    # None of them is what the picture is about.
    return [{**node, "hop": 1} for node in nodes]


async def _count_ties_between(session: Session, rows: list[Row]) -> Counter[tuple[str, str]]:
    """Return how many ties join the members of each two of the areas *rows*, most first."""
    areas = {one: row["community"] for row in rows for one in row["entity_ids"]}
    members = await entities.neighbourhood(session, list(areas), 0, max(1, len(areas)))
    of = {node["id"]: areas[node["name"]] for node in members if node["name"] in areas}
    ties = {
        (one["from"], one["to"])
        for node in members
        for one in node["relations"]
        if one["from"] in of and one["to"] in of
    }
    pairs = (sorted((of[one], of[other])) for one, other in ties)
    return Counter((one, other) for one, other in pairs if one != other)


def _node(row: Row, share: float, joined: Counter[tuple[str, str]]) -> Row:
    own = row["community"]
    most = max(joined.values(), default=1)
    lines = [
        {
            "from": f"area {one}",
            "to": f"area {other}",
            "type": TOGETHER.type,
            "directed": False,
            "weight": count / most,
        }
        for (one, other), count in joined.items()
        if own in (one, other)
    ]
    return {
        "id": _id(own),
        "kind": AREA,
        "name": row["community"],
        "text": f"{row['labels'][0]} and {row['size'] - 1} more",
        "labels": row["labels"][:_NAMED],
        "members": row["size"],
        "hop": 1,
        "degree": len(lines),
        "valence": None,
        "arousal_level": share,
        "fades": False,
        "relations": lines,
    }


def _id(community: str) -> str:
    return f"area {community}"


# The kind of the opening picture, which belongs to no single layer.
EVERYTHING = "everything"
CONCEPT, ENTITY, MEMORY = "concept", "entity", "memory"
# Shares of a picture's nodes, in sixtieths: entities around a name, memories about it, and concepts
# that it evokes; and the shares of the opening picture.
_OF_NAME = (20, 10, 15)
_OF_ALL = (30, 10, 15)
_WHOLE = 60
# The most namesakes that are read.
_NAMESAKES = 3
# The opening picture starts from this many of the most mentioned entities and most aroused
# concepts; with memories alone, from the latest.
_MENTIONED = 8
_AROUSED = 3
_LATEST = 12
# Suggestions of each layer for a word; and suggestions while nothing is typed.
_OFFERED = 5
_OFFERED_LATEST = 4


async def tell_about(session: Session, name: str, entity_id: str | None = None) -> Row | None:
    """Return the result of `about`, the latest messages first; None if nothing is stored."""
    try:
        row, _ = await everyday.about(session, name, schema.MAX_LIMIT, entity_id, embeds=False)
    except Refused as error:
        if issubclass(error.kind, NotFound):
            return None
        raise
    return {**row, "said": sorted(row["said"], key=lambda one: -one["at"])}


async def find_called(session: Session, name: str) -> tuple[str, list[str], bool]:
    """Return the kind and names of the nodes called *name*, and whether the match is exact.

    An entity of that exact name comes first, then a concept or an episode, then similar entities.
    """
    alike, is_exact = await entities.most_alike(session, name)
    if is_exact:
        return ENTITY, alike, True
    if await session.run(calls.concepts.neighbourhood([name], 0, 1, session.concept_scope)):
        return CONCEPT, [name], True
    return ENTITY, alike, False


async def begin(session: Session) -> tuple[str, list[str]]:
    """Return the kind and names of the first picture: a graph of concepts alone has its own."""
    if await memories.latest(session, 1) or await entities.latest(session, 1):
        return EVERYTHING, []
    return CONCEPT, await _list_aroused(session, _AROUSED)


async def offers(session: Session, words: str, limit: int) -> list[Row]:
    """Return suggestions for *words* from all layers: entities, concepts and messages.

    Without words, the latest entities and messages, and the most aroused concepts. A row has kind,
    name and text, and may have speaker and aside, a further remark.
    """
    if words:
        who = await entities.find_called(session, words, min(limit, _OFFERED))
        call = session.call(
            calls.everyday.search,
            query=words,
            kinds=[MEMORY, schema.EPISODE],
            limit=min(limit, _OFFERED),
        )
        said = [
            {"kind": row["kind"], "name": row["id"], "text": row["text"], "aside": row["who"]}
            for row in await session.run(call)
        ]
    else:
        who = await entities.latest(session, _OFFERED_LATEST)
        said = await memories.latest(session, _OFFERED_LATEST)
    call = calls.concepts.concept_search(
        [words] if words else [], limit, session.tau_ms, session.concept_scope
    )
    rows = await session.run(call)
    # A search is filled up with nodes that do not match.
    known = [row["concept"] for row in rows if row["matched"] or not words]
    return [*who, *({"kind": CONCEPT, "name": one, "text": one} for one in known), *said]


async def draw_picture(
    session: Session, kind: str, names: Sequence[str], hops: int, limit: int
) -> list[Row]:
    """Return the nodes of a picture of *names*, or of the whole store; its subject has hop 0."""
    if kind == EVERYTHING:
        return await _list_everything(session, hops, limit)
    if kind == AREA:
        return await draw_areas(session, list(names), limit)
    if kind == ENTITY:
        return await _of_entities(session, list(names), hops, limit)
    if kind == MEMORY:
        return await _of_memories(session, list(names), hops, limit)
    return await _of_concepts(session, list(names), hops, limit)


async def _of_entities(session: Session, ids: list[str], hops: int, limit: int) -> list[Row]:
    tied, said, evoked = _shares(_OF_NAME, limit)
    nodes = await entities.neighbourhood(session, ids, hops, max(tied, len(ids)))
    labels: list[str] = []
    about: list[Row] = []
    for node in [one for one in nodes if one["hop"] == 0][:_NAMESAKES]:
        called = [entities.bare(one) for one in node["labels"]]
        labels += called
        node["told"] = await tell_about(session, called[0], node["name"])
        about += await _said(session, node["told"], said)
    # Edges are created when a session ends; names of one message are joined before that.
    there = {node["name"] for node in nodes}
    named = await _list_named_entities(session, about, there, tied - len(nodes))
    return nodes + named + about + await _of_names(session, labels, hops, evoked)


async def _of_memories(session: Session, ids: list[str], hops: int, limit: int) -> list[Row]:
    nodes = await memories.neighbourhood(session, ids, hops, limit)
    return nodes + await _list_named_entities(session, nodes[: len(ids)], set(), limit)


async def _of_concepts(session: Session, names: list[str], hops: int, limit: int) -> list[Row]:
    _, share, _ = _shares(_OF_NAME, limit)
    about = await tell_about(session, names[0]) if len(names) == 1 else None
    who: list[Row] = []
    if about is not None and about["id"] and plain(about["name"]) == plain(names[0]):
        who = await entities.neighbourhood(session, [about["id"]], 0, 1)
    said = await _said(session, about, min(share, limit - 1))
    room = max(1, limit - len(who) - len(said))
    nodes = await _concepts(session, names, hops, room)
    for node in [*who, *nodes[:1]]:
        node["told"] = about
    return nodes + who + said if nodes else []


async def _list_everything(session: Session, hops: int, limit: int) -> list[Row]:
    """Return the most and last mentioned entities, the latest messages, and aroused concepts."""
    tied, latest, evoked = _shares(_OF_ALL, limit)
    aroused = await _list_aroused(session, _AROUSED)
    mentioned = await entities.most_mentioned(session, min(_MENTIONED, tied))
    alone = not aroused and not mentioned
    rows = await memories.latest(session, min(limit, _LATEST) if alone else latest)
    about = (hops, limit) if alone else (0, latest)
    ids = [row["name"] for row in rows]
    said = await memories.neighbourhood(session, ids, *about) if ids else []
    texts = [one["content"] for one in said] if mentioned else []
    named = await entities.named_in(session, texts)
    who = list(dict.fromkeys((*mentioned, *named)))[:tied]
    people = await entities.neighbourhood(session, who, 1, tied) if who else []
    evokes = await _concepts(session, aroused, 1, evoked) if aroused else []
    return [{**one, "hop": one["hop"] + 1} for one in (*people, *said, *evokes)]


async def _said(session: Session, about: Row | None, most: int) -> list[Row]:
    """Return at most *most* memories from *about*: they are one step from the name."""
    ids = [one["id"] for one in about["said"][:most]] if about else []
    nodes = await memories.neighbourhood(session, ids, 0, len(ids)) if ids else []
    return [{**node, "hop": 1, "about": [about["name"]]} for node in nodes if about]


async def _list_named_entities(
    session: Session, said: list[Row], there: set[str], most: int
) -> list[Row]:
    """Return the entities named in the memories *said*, except those already *there*."""
    ids = await entities.named_in(session, [one["content"] for one in said])
    wanted = [one for one in ids if one not in there][: max(0, most)]
    who = await entities.neighbourhood(session, wanted, 0, len(wanted)) if wanted else []
    return [{**one, "hop": 1} for one in who]


async def _of_names(session: Session, names: list[str], hops: int, most: int) -> list[Row]:
    """Return the concepts with any of *names*, ignoring case, with their surroundings."""
    wanted = {plain(one) for one in names}
    call = session.call(calls.concepts.concept_search, keywords=names[:_MENTIONED])
    found = [row["concept"] for row in await session.run(call)]
    same = [one for one in found if plain(one) in wanted]
    return await _concepts(session, same, hops, most) if same else []


async def _concepts(session: Session, names: Sequence[str], hops: int, most: int) -> list[Row]:
    rows = await session.run(calls.concepts.neighbourhood(names, hops, most, session.concept_scope))
    return [picture.node(row, session.until_ms) for row in rows]


async def _list_aroused(session: Session, most: int) -> list[str]:
    """Return the most aroused nodes; when looking back, those known to exist then."""
    until_ms = session.until_ms
    wanted = most if until_ms is None else concepts.MAX_SEARCH_LIMIT
    rows = await session.run(
        calls.concepts.concept_search([], wanted, session.tau_ms, session.concept_scope)
    )
    names = [row["concept"] for row in rows]
    if until_ms is not None and names:
        rows = await session.run(
            calls.concepts.neighbourhood(names, 0, len(names), session.concept_scope)
        )
        names = [row["name"] for row in rows if row["accessed_at"] <= until_ms] or names
    return names[:most]


def _shares(parts: tuple[int, int, int], limit: int) -> tuple[int, int, int]:
    first, second, third = (max(1, limit * part // _WHOLE) for part in parts)
    return first, second, third
