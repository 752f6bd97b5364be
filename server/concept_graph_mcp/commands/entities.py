"""List, show, merge, split and end entities of one user (`entities`), merged ones included."""

from collections.abc import Sequence
from typing import Any

import click

from conceptgraph_core.entities import names, schema
from conceptgraph_core.entities.narration import sentences
from conceptgraph_core.errors import NotFound

from .. import calls
from ..errors import Refused
from ..session import Session
from .common import AS_JSON, Failure, in_session, unix_ms, with_session
from .entity_tables import dated, listed_table, merged, merges_table, moved_lines, told_lines
from .group import Topic
from .listing import limited, print_listed
from .terminal import print_json, say

Row = dict[str, Any]

_WHO = "is an entity_id, or a name that only one entity has."
_YES = click.option("--yes", is_flag=True, help="Do not ask.")
_SAID = click.option(
    "--said", metavar="TEXT", help="Your words, quoted; they must contain a name of each."
)
_REASON = click.option("--reason", help="The reason; the ledger keeps it permanently.")
_NAMED = 5
_OWNER = "the owner said so"


@click.group(cls=Topic)
def entities() -> None:
    """List, show, explain, merge, split, end or unmerge entities of CONCEPT_GRAPH_USER."""


@entities.command("list")
@click.option(
    "--status",
    "statuses",
    type=click.Choice(schema.IDENTITY_STATUSES),
    multiple=True,
    help="Only those of this status; may be given again.",
)
@limited(schema.MAX_LISTED - 1)
@AS_JSON
@in_session
async def list_(session: Session, statuses: tuple[str, ...], limit: int, as_json: bool) -> None:
    """Print entities, the latest mentioned first, including merged and inactive ones."""
    # One row more than is printed tells whether there are more.
    call = calls.entity_admin.listed(statuses, limit + 1)
    rows = [dated(session, row) for row in await session.run(call)]
    nothing = "No entity is kept." if not statuses else f"No entity is {' or '.join(statuses)}."
    print_listed("entities", rows, limit, listed_table, nothing, as_json=as_json)


@entities.command(help=f"Print everything known about an entity. WHO {_WHO}")
@click.argument("who")
@limited(schema.MAX_LIMIT)
@AS_JSON
@in_session
async def show(session: Session, who: str, limit: int, as_json: bool) -> None:
    row = dated(session, await _named(session, who, limit))
    if as_json:
        print_json(row)
        return
    for line in told_lines(row):
        say(line)


@entities.command(
    help="Explain why an entity is trusted, active, merged or gone; or, with OTHER and --type, how"
    f" the edge between the two came about. Each {_WHO}"
)
@click.argument("who")
@click.argument("other", required=False)
@click.option(
    "--type",
    "edge_type",
    type=click.Choice([name.lower() for name in schema.BETWEEN]),
    help="The type of the edge to OTHER.",
)
@limited(schema.MAX_LIMIT)
@AS_JSON
@click.pass_obj
def explain(
    embedded: str | None,
    /,
    who: str,
    other: str | None,
    *,
    edge_type: str | None,
    limit: int,
    as_json: bool,
) -> None:
    if (other is None) != (edge_type is None):
        raise click.UsageError("an edge is named by OTHER and --type, both")

    async def work(session: Session) -> list[Row]:
        ids = [await _id(session, one) for one in (who, other) if one is not None]
        edge = (None, *ids, edge_type) if edge_type is not None else (*ids, None, None, None)
        rows = await session.run(calls.entities.explain(*edge))
        day = session.show_day
        return [
            {"text": sentences.written(row["parts"], day), "ids": dict(row["ids"])} for row in rows
        ]

    rows = with_session(embedded, work)
    if as_json:
        print_json({"rows": rows[:limit], "more": len(rows) > limit})
        return
    for row in rows[:limit]:
        say(row["text"])
    if len(rows) > limit:
        say(f"and {len(rows) - limit:,} more")


@entities.command(help=f"Treat SOURCE as TARGET from now on; `unmerge` undoes it. Each {_WHO}")
@click.argument("source")
@click.argument("target")
@_SAID
@_REASON
@_YES
@AS_JSON
@in_session
async def merge(
    session: Session,
    /,
    source: str,
    target: str,
    *,
    said: str | None,
    reason: str | None,
    yes: bool,
    as_json: bool,
) -> None:
    one, other = [await _named(session, who, 1) for who in (source, target)]
    if not as_json:
        for each in (one, other):
            say(_brief(each))
    if not yes:
        question = f"Let {one['labels'][0]} count as {other['labels'][0]}?"
        click.confirm(question, abort=True, err=as_json)
    given = one["entity_id"], other["entity_id"], reason or _OWNER, schema.USER_CORRECTION, said
    row = await _settled(session, calls.entities.merge(*given))
    if as_json:
        print_json(row)
    else:
        say(f"Merged: {row['merge_id']}.")


@entities.command(
    help="Let mentions and facts of WHO be another's of that name: those that are named, or all"
    f" SINCE a date. `unmerge` takes it back. WHO {_WHO}"
)
@click.argument("who")
@click.argument("mention_ids", nargs=-1)
@click.option("--since", help="Everything said since this date, e.g. 2026-01-31.")
@_SAID
@_REASON
@_YES
@AS_JSON
@click.pass_obj
def split(
    embedded: str | None,
    /,
    who: str,
    mention_ids: tuple[str, ...],
    *,
    since: str | None,
    said: str | None,
    reason: str | None,
    yes: bool,
    as_json: bool,
) -> None:
    if bool(mention_ids) == (since is not None):
        raise click.UsageError("name what moves by MENTION_IDS or --since, one of them")

    async def work(session: Session) -> Row:
        one = await _named(session, who, schema.MAX_LIMIT)
        since_ms = None if since is None else unix_ms(since, session.zone, "--since")
        moved = _moved(one, mention_ids, since_ms)
        if not as_json:
            say(_brief(one))
            for line in moved_lines(dated(session, moved)):
                say(line)
        if not yes:
            click.confirm(f"Split {one['labels'][0]}?", abort=True, err=as_json)
        why = reason or _OWNER
        call = calls.entities.split(one["entity_id"], mention_ids, since_ms, said, why)
        return await _settled(session, call)

    row = with_session(embedded, work)
    if as_json:
        print_json(row)
    else:
        say(f"Split: {row['merge_id']}. The other one is {row['entity_id']}.")


@entities.command(
    help="End WHO, now or at --until: the name means another entity from then on. `unmerge`"
    f" takes it back. WHO {_WHO}"
)
@click.argument("who")
@click.option("--until", help="The date of the end, e.g. 2026-01-31.")
@_SAID
@_REASON
@_YES
@AS_JSON
@in_session
async def end(
    session: Session,
    /,
    who: str,
    *,
    until: str | None,
    said: str | None,
    reason: str | None,
    yes: bool,
    as_json: bool,
) -> None:
    one = await _named(session, who, 1)
    until_ms = None if until is None else unix_ms(until, session.zone, "--until")
    if not as_json:
        say(_brief(one))
    if not yes:
        click.confirm(f"End {one['labels'][0]}?", abort=True, err=as_json)
    call = calls.entities.end(one["entity_id"], said, reason or _OWNER, until_ms)
    row = dated(session, await _settled(session, call))
    if as_json:
        print_json(row)
    else:
        say(f"Ended on {row['valid_until'][:10]}: {row['merge_id']}.")


@entities.command()
@click.argument("merge_id")
@_REASON
@_YES
@AS_JSON
@in_session
async def unmerge(
    session: Session, merge_id: str, reason: str | None, yes: bool, as_json: bool
) -> None:
    """Undo an entry of the ledger: a merge, a split, an end, or a separation.

    The night does not merge two again whose merge was taken back.
    """
    [entry] = await session.run(calls.entity_admin.merge(merge_id))
    entry = dated(session, entry)
    if not as_json:
        say(f"{merged(entry)}, since {entry['created_at'][:10]}, by {entry['by']}")
    if not yes and entry["is_active"]:
        click.confirm("Take it back?", abort=True, err=as_json)
    [row] = await session.run(calls.entities.unmerge(merge_id, reason or _OWNER))
    if as_json:
        print_json(row)
        return
    for one in row["separate"]:
        say(f"{', '.join(one['labels'])} ({one['entity_id']}): {one['identity_status']}")
    if row["undo"] is not None:
        say(f"entities unmerge {row['undo']} takes this back")


@entities.command()
@limited(schema.MAX_LISTED - 1)
@AS_JSON
@in_session
async def merges(session: Session, limit: int, as_json: bool) -> None:
    """Print the ledger: merges, splits, ends and separations, latest first."""
    call = calls.entity_admin.merges(limit + 1)
    rows = [dated(session, row) for row in await session.run(call)]
    print_listed("merges", rows, limit, merges_table, "Nothing was merged.", as_json=as_json)


def _moved(row: Row, wanted: Sequence[str], since: int | None) -> Row:
    """Return the mentions and facts of *row*, one of `get`, that a split would move.

    Raises Failure if the split would move none of its mentions, or all of them.
    """

    def moves(id_: str, told_at: int | None) -> bool:
        is_late = since is not None and told_at is not None and told_at >= since
        return is_late or id_ in wanted

    mentions = [one for one in row["mentions"] if moves(one["mention_id"], one["created_at"])]
    facts = [one for one in row["facts"] if moves(one["fact_id"], one.get("known_from"))]
    # If there are more mentions than can be read here, the split itself checks them.
    if len(row["mentions"]) < schema.MAX_LIMIT:
        label = row["labels"][0]
        if not mentions:
            raise Failure(f"{label}: no mention would move; `entities show` prints the ids")
        if len(mentions) == len(row["mentions"]):
            raise Failure(f"{label}: all mentions would move; leave at least one")
    return {"mentions": mentions, "facts": facts}


async def _settled(session: Session, call: calls.Call) -> Row:
    """Run what the owner settles: by the words that are quoted, or by nobody's."""
    [done] = await session.run(call._replace(context={**call.context, "owner": True}))
    if done["verdict"] == schema.CANDIDATE:
        raise Failure(f"kept as a question, not done: {done['reason']}")
    return done


async def _named(session: Session, who: str, limit: int) -> Row:
    """Return the `get` row of the entity with the id *who*, or the only one with that name."""
    try:
        [row] = await session.run(calls.entities.get(who, None, None, limit))
        return row
    except Refused as refused:
        found = await _called(session, who)
        if not found:
            if not issubclass(refused.kind, NotFound):
                raise
            line = f"{who}: no entity has this name or id; entities list prints them"
            raise Failure(line) from None
    if len(found) > 1:
        ids = ", ".join(f"{one['entity_id']} ({_kind(one)})" for one in found[:_NAMED])
        raise Failure(f"{who}: several are called so; name one by its id: {ids}")
    [row] = await session.run(calls.entities.get(found[0]["entity_id"], None, None, limit))
    return row


async def _id(session: Session, who: str) -> str:
    entity_id: str = (await _named(session, who, 1))["entity_id"]
    return entity_id


async def _called(session: Session, who: str) -> list[Row]:
    if not who.strip():
        return []
    call = calls.entities.search(who, (), _NAMED * 2, True, user_id=session.user_id)
    name = names.canonical(who)
    # `lookup` finds an entity by any part of its labels; the exact name has the score 1.
    return [one for one in await session.run(call) if name and one["score"] == 1.0]


def _brief(row: Row) -> str:
    return f"{', '.join(row['labels'])} ({row['entity_id']}): {_kind(row)}"


def _kind(row: Row) -> str:
    return str(row["kind"] or row["type"])
