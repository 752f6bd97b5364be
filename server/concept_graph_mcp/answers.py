"""Answer the everyday verbs: rows for commands and the page, typed results for the tools."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from functools import partial
from typing import Any, cast
from uuid import UUID

from conceptgraph_core.everyday import lines, schema
from conceptgraph_core.language import oneself
from conceptgraph_core.texts.text import show_name
from conceptgraph_core.verbs.arguments import ALL, THIS
from conceptgraph_core.verbs.errors import NotFound

from . import calls, overdue
from .errors import Refused, StoreError
from .results import About, AllFound, Forgotten, Identified, Profile, Recalled, Related, Remembered
from .session import Session, advised, cut_question, join_advice
from .times import iso, without_none

Row = dict[str, Any]

NOTHING_OF_USER = "Nothing is known of the user yet."


async def recall(
    session: Session,
    message: str,
    *,
    also: Sequence[str] = (),
    counts: bool = True,
    **given: Any,
) -> tuple[Row, str | None]:
    """Return the row of `CALL everyday.recall` for *message*, and advice, if there is any.

    *also* are other wordings of *message*. Only if it *counts* is what it returns accessed. A
    misspelt *message* is read as it was meant. Raises StoreError.
    """
    given = _name_asked_project(session, given)
    message, told = cut_question(message)
    wordings = await session.wordings(also)
    times = session.read_times(message, given.get("asked_at"))

    def by(embedded: calls.memories.Embedded | None) -> calls.Call:
        made = {**given, "message": message, **times, "embedded": embedded}
        call = session.call(calls.everyday.recall, also=wordings.beside(embedded), **made)
        return call if counts else call._replace(procedure=call.procedure.peek())

    [row], advice = await session.answered(message, by)
    if counts and session.keeps_questions and session.until_ms is None:
        advice = join_advice(advice, await _keep_question(session, message, also, row, given))
    return row, join_advice(told, advice if row["lines"] else session.for_nothing(advice))


async def _keep_question(
    session: Session, message: str, also: Sequence[str], row: Row, given: Row
) -> str | None:
    """Keep what was asked, without secrets, and what *row* shows; return why not, if it fails."""
    with advised():
        message, also = session.redacted((message, list(also)))
    shown = [one["id"] for one in row["sources"] if one["kind"] == schema.MEMORY]
    try:
        asked = {"message": message, "wordings": also, "shown": shown, "project": given["project"]}
        await session.run(session.call(calls.everyday.keep_question, **asked))
    except StoreError as error:
        return f"the question was not kept: {error}"
    return None


async def remember(
    session: Session,
    text: str,
    about: Sequence[str | Mapping[str, Any]] = (),
    *,
    said: str | None = None,
    **given: Any,
) -> tuple[Row, str | None]:
    """Return the row of `CALL everyday.remember` for *text*, and advice, if there is any.

    It is noted as of the session's project. Raises StoreError.
    """
    # The user's words may be the text itself: its secrets are counted once.
    quoted = None if said == text else said
    with advised() as left_out:
        stored, about, quoted = session.redacted((text, about, quoted))
    text, said = stored, stored if said == text else quoted
    texts = {"text": text, "about": about, "said": said, "project": session.project}
    by = partial(session.call, calls.everyday.remember, **given, **texts)
    [row], advice = await session.answered(text, by, is_statement=True)
    told = join_advice(*left_out, advice)
    return {**row, "similar": [dict(one) for one in row["similar"]]}, told


async def search(
    session: Session, query: str, *, also: Sequence[str] = (), **given: Any
) -> tuple[list[Row], str | None]:
    """Return the rows of `CALL everyday.search` for *query*, and advice, if there is any.

    Raises StoreError.
    """
    query, told = cut_question(query)
    rows, advice = await _ask(session, calls.everyday.search, query, also, query=query, **given)
    advice = join_advice(told, advice)
    return rows, advice if rows else session.for_nothing(advice)


async def explain(
    session: Session, message: str, *, also: Sequence[str] = (), **given: Any
) -> tuple[list[Row], str | None]:
    """Return the rows of `CALL everyday.explain` for *message*, and advice, if there is any.

    Raises StoreError.
    """
    message, told = cut_question(message)
    given |= {"message": message, **session.read_times(message)}
    rows, advice = await _ask(session, calls.everyday.explain, message, also, **given)
    return rows, join_advice(told, advice)


async def _ask(
    session: Session, verb: Any, text: str, also: Sequence[str], **given: Any
) -> tuple[list[Row], str | None]:
    """Return the rows of *verb*, asked with the vector of *text* and its wordings, and advice."""
    given = _name_asked_project(session, given)
    wordings = await session.wordings(also)

    def by(embedded: calls.memories.Embedded | None) -> calls.Call:
        return session.call(verb, also=wordings.beside(embedded), embedded=embedded, **given)

    return await session.answered(text, by)


async def about(
    session: Session,
    name: str,
    limit: int = schema.DEFAULT_LIMIT,
    entity_id: str | None = None,
    *,
    embeds: bool = True,
) -> tuple[Row, str | None]:
    """Return the row of `CALL everyday.about` for *name* or an entity's id, and advice, if any.

    A part of a name, a name without its accent, and one of several merged names have the relations
    of all names. Without *embeds* only words find what was said. Raises StoreError.
    """
    if entity_id is None and oneself.is_me(name):
        row, advice = await _told(session, name, limit, None, embeds=False)
        made = await profile(session)
        return {**row, "text": made["text"], "sources": made["sources"]}, advice
    if entity_id is None and _is_id(name):
        # Texts are found by what it is called: one look-up more.
        entity_id, name = name, await _called(session, name)
    return await _told(session, name, limit, entity_id, embeds=embeds)


async def tell_about(session: Session, name: str, **given: Any) -> tuple[Row, str | None]:
    """Return the same as `about`; for an unknown name a row of nothing, with the reason as advice.

    An unknown id is refused all the same: it can only be a mistake. Raises StoreError.
    """
    try:
        row, advice = await about(session, name, **given)
    except Refused as refused:
        if not issubclass(refused.kind, NotFound) or _is_id(name):
            raise
        lists: Row = {field: [] for field in ("also", "facts", "doubts", "relations", "said")}
        ids = dict.fromkeys(("id", "kind", "feeling", "text"))
        row = {"name": name, "nothing": True, **ids, **lists, "more": {}, "sources": []}
        return row, str(refused).removeprefix("name: ")
    return {**row, "nothing": None}, advice


async def profile(session: Session, token_budget: int = schema.PROFILE_BUDGET) -> Row:
    """Return the row of `CALL everyday.profile`, for today and the seven days after it.

    Its text has the times of the session's zone. Raises StoreError.
    """
    today = session.local(session.clock.now_ms()).replace(hour=0, minute=0, second=0, microsecond=0)
    ends = today, today + timedelta(days=schema.DAYS_AHEAD + 1)
    since, until = (int(one.timestamp() * 1_000) for one in ends)
    given = {"token_budget": token_budget, "since": since, "until": until}
    [row] = await session.run(session.call(calls.everyday.profile, **given))
    text = lines.text(row["lines"], session.show_minute, session.show_day)
    return {**row, "sources": [dict(one) for one in row["sources"]], "text": text}


async def tell_name(session: Session, name: str) -> None:
    """Remember that the user is called *name*, unless that is known. Raises StoreError."""
    if name and (await about(session, "me"))[0]["name"] != name:
        await remember(session, f"The user's name is {name}.", keep="always")


def _name_asked_project(session: Session, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments *given* with the name of the project, or without one for all."""
    project = given.get("project", THIS)
    name = session.project if project == THIS else None if project == ALL else project
    return {**given, "project": name}


def _is_id(name: str) -> bool:
    """Return whether *name* has the form of an entity's id."""
    try:
        return str(UUID(name)) == name
    except ValueError:
        return False


async def _called(session: Session, entity_id: str) -> str:
    try:
        [known] = await session.run(calls.entities.get(entity_id))
    except Refused as refused:
        if issubclass(refused.kind, NotFound):
            refused = Refused(f"name: no entity has the id {entity_id}; pass a name", NotFound)
        raise refused from None
    return str(known["labels"][0]).partition(" (")[0]


async def _told(
    session: Session,
    name: str,
    limit: int,
    entity_id: str | None,
    *,
    embeds: bool,
) -> tuple[Row, str | None]:
    given = {"name": name, "limit": limit, "entity_id": entity_id}
    by = partial(session.call, calls.everyday.about, **given)
    if embeds:
        rows, advice = await session.answered(name, by)
    else:
        rows, advice = await session.run(by(embedded=None)), None
    if not rows:
        raise Refused(
            f"name: nothing is found under {show_name(name)}; it may be stored under another",
            NotFound,
        )
    return rows[0], advice


class Answers:
    """The verbs over one session, each with the arguments of its call; times are unix ms.

    Each raises StoreError.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._overdue = overdue.Daily(session)

    async def recall(self, **given: Any) -> Recalled:
        """Assemble the context of a message."""
        row, advice = await recall(self._session, **given)
        said = "; ".join(filter(None, (advice, await self._overdue.advice())))
        told = {"advice": said} if said else {}
        if not row["lines"]:
            return cast(Recalled, {"text": "", "nothing": True, **told})
        text = lines.text(row["lines"], self._session.show_minute, self._session.show_day)
        sources = [dict(one) for one in row["sources"]]
        return cast(Recalled, {"text": text, "sources": sources, "tokens": row["tokens"], **told})

    async def remember(self, **given: Any) -> Remembered:
        """Store a text."""
        row, advice = await remember(self._session, **given)
        told = {"existing": row["existing"] or None, "similar": row["similar"] or None}
        return cast(Remembered, without_none({"id": row["id"], **told, "advice": advice}))

    async def search(self, **given: Any) -> AllFound:
        """Search all layers."""
        rows, advice = await search(self._session, **given)
        found = [self._show_range(self._add_date(row, "total")) for row in rows]
        total = rows[0]["total"] if rows else 0
        return cast(AllFound, without_none({"found": found, "total": total, "advice": advice}))

    async def explain(self, **given: Any) -> dict[str, Any]:
        """Tell why memories belong to a message, or do not."""
        rows, advice = await explain(self._session, **given)
        return without_none({"explained": rows, "advice": advice})

    async def about(self, **given: Any) -> About:
        """Return everything on a name."""
        row, advice = await tell_about(self._session, **given)
        made = {**row, "more": dict(row["more"]) or None, "advice": advice}
        made["sources"] = [dict(one) for one in row["sources"]] or None
        for field in ("also", "doubts", "relations"):
            made[field] = list(row[field])
        made["facts"] = [self._show_range(one) for one in row["facts"]]
        made["said"] = [self._show_range(self._add_date(one)) for one in row["said"]]
        return cast(About, without_none(made))

    async def profile(self, **given: Any) -> Profile:
        """Describe the user; nothing is accessed."""
        row = await profile(self._session, **given)
        return Profile(text=row["text"], sources=row["sources"], tokens=row["tokens"])

    async def forget(self, **given: Any) -> Forgotten:
        """Hide something."""
        [row] = await self._session.run(self._session.call(calls.everyday.forget, **given))
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
        [row] = await self._session.run(self._session.call(calls.everyday.relate, **given))
        return cast(Related, dict(row))

    async def identify(self, **given: Any) -> Identified:
        """Record whether two names are of one."""
        [row] = await self._session.run(self._session.call(calls.everyday.identify, **given))
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
