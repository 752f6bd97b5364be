"""Draw communities of entities as areas, and open one."""

from typing import Any

from .. import calls
from ..session import Session
from . import entities

Row = dict[str, Any]

AREA = "area"
_NAMED = 3
# More areas than these would be a picture of dots.
_MOST = 40


async def drawn(session: Session, communities: list[str], limit: int) -> list[Row]:
    """Return the areas as nodes; or of the *communities* the members most mentioned, with ties."""
    if not communities:
        call = calls.entities.communities(None, _NAMED, _MOST, session.user_id)
        rows = await session.run(call)
        most = rows[0]["size"] if rows else 1
        return [_node(row, row["size"] / most) for row in rows]
    ids: list[str] = []
    for one in communities:
        most = min(limit, calls.entities.MOST_MEMBERS)
        [row] = await session.run(calls.entities.communities(one, most, 1, session.user_id))
        ids += row["entity_ids"]
    nodes = await entities.neighbourhood(session, ids, 0, len(ids))
    # None of them is what the picture is about.
    return [{**node, "hop": 1} for node in nodes]


def _node(row: Row, share: float) -> Row:
    return {
        "id": f"area {row['community']}",
        "kind": AREA,
        "name": row["community"],
        "text": f"{row['labels'][0]} and {row['size'] - 1} more",
        "labels": row["labels"],
        "members": row["size"],
        "hop": 1,
        "degree": 0,
        "valence": None,
        "arousal_level": share,
        "fades": False,
        "relations": [],
    }
