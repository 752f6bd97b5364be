"""Answer the everyday verbs for tools and for Python: with the types of `results`."""

from collections.abc import Mapping
from typing import Any, cast

from conceptgraph_core.everyday import lines

from . import everyday, overdue
from .calls import everyday as verbs
from .results import About, AllFound, Forgotten, Identified, Profile, Recalled, Related, Remembered
from .session import Session
from .times import iso, without_none


class Answers:
    """The verbs over one session, each with the arguments of its call; times are unix ms.

    Each raises StoreError.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._overdue = overdue.Daily(session)

    async def recall(self, **given: Any) -> Recalled:
        """Assemble the context of a message."""
        row, advice = await everyday.recall(self._session, **given)
        said = "; ".join(filter(None, (advice, await self._overdue.advice())))
        told = {"advice": said} if said else {}
        if not row["lines"]:
            return cast(Recalled, {"text": "", "nothing": True, **told})
        text = lines.text(row["lines"], self._session.show_minute, self._session.show_day)
        sources = [dict(one) for one in row["sources"]]
        return cast(Recalled, {"text": text, "sources": sources, "tokens": row["tokens"], **told})

    async def remember(self, **given: Any) -> Remembered:
        """Store a text."""
        row, advice = await everyday.remember(self._session, **given)
        told = {"existing": row["existing"] or None, "similar": row["similar"] or None}
        return cast(Remembered, without_none({"id": row["id"], **told, "advice": advice}))

    async def search(self, **given: Any) -> AllFound:
        """Search all layers."""
        rows, advice = await everyday.search(self._session, **given)
        found = [self._show_range(self._add_date(row, "total")) for row in rows]
        total = rows[0]["total"] if rows else 0
        return cast(AllFound, without_none({"found": found, "total": total, "advice": advice}))

    async def about(self, **given: Any) -> About:
        """Return everything on a name."""
        row, advice = await everyday.tell_about(self._session, **given)
        made = {**row, "more": dict(row["more"]) or None, "advice": advice}
        made["sources"] = [dict(one) for one in row["sources"]] or None
        for field in ("also", "doubts", "relations"):
            made[field] = list(row[field])
        made["facts"] = [self._show_range(one) for one in row["facts"]]
        made["said"] = [self._show_range(self._add_date(one)) for one in row["said"]]
        return cast(About, without_none(made))

    async def profile(self, **given: Any) -> Profile:
        """Describe the user; nothing is accessed."""
        row = await everyday.profile(self._session, **given)
        return Profile(text=row["text"], sources=row["sources"], tokens=row["tokens"])

    async def forget(self, **given: Any) -> Forgotten:
        """Hide something."""
        [row] = await self._session.run(self._session.call(verbs.forget, **given))
        if row["id"] is None:
            return {"candidates": [dict(one) for one in row["candidates"]]}
        made: Forgotten = {
            "id": row["id"],
            "forgotten_at": iso(row["forgotten_at"], self._session.zone),
        }
        if row["others"]:
            made["others"] = row["others"]
        return made

    async def relate(self, **given: Any) -> Related:
        """Relate two concepts."""
        [row] = await self._session.run(self._session.call(verbs.relate, **given))
        return cast(Related, dict(row))

    async def identify(self, **given: Any) -> Identified:
        """Record whether two names are of one."""
        [row] = await self._session.run(self._session.call(verbs.identify, **given))
        return cast(Identified, without_none(row))

    def _add_date(self, row: Mapping[str, Any], *without: str) -> dict[str, Any]:
        made = {key: value for key, value in row.items() if key not in {"at", *without}}
        if "matched" in made:
            made["matched"] = list(made["matched"])
        return without_none({**made, "date": iso(row["at"], self._session.zone)})

    def _show_range(self, row: Mapping[str, Any]) -> dict[str, Any]:
        times = {name: row[name] for name in ("since", "until") if row.get(name) is not None}
        shown = {name: iso(at, self._session.zone) for name, at in times.items()}
        return without_none({**row, **shown})
