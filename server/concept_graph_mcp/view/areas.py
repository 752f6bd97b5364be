"""Draw communities of entities as areas, and open one."""

from collections import Counter
from typing import Any

from .. import calls
from ..session import Session
from . import entities
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
