"""Run the everyday calls that the tools, the commands and the page share."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from functools import partial
from typing import Any
from uuid import UUID

from conceptgraph_core.arguments import ALL, THIS
from conceptgraph_core.errors import NotFound
from conceptgraph_core.everyday import lines, schema
from conceptgraph_core.language import oneself
from conceptgraph_core.text import show_name

from . import calls
from .errors import Refused, StoreError
from .session import Session, advised, cut_question, join_advice

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
        asked = {"message": message, "wordings": also, "shown": shown}
        asked["project"] = given["project"]
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
    given = _name_asked_project(session, given)
    query, told = cut_question(query)
    wordings = await session.wordings(also)

    def by(embedded: calls.memories.Embedded | None) -> calls.Call:
        made = {**given, "query": query, "embedded": embedded}
        return session.call(calls.everyday.search, also=wordings.beside(embedded), **made)

    rows, advice = await session.answered(query, by)
    advice = join_advice(told, advice)
    return rows, advice if rows else session.for_nothing(advice)


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
