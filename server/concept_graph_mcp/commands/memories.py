"""Manage the memories of one user (`memories`), forgotten and expired ones too."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import click
from rich.table import Table

from conceptgraph_core.dates import DAY_MS
from conceptgraph_core.jobs.schema import BATCH, MAX_BATCH
from conceptgraph_core.memories import fade, schema
from conceptgraph_core.retrieval import schema as words_of

from .. import calls
from ..hosts.store import Keeper
from ..session import Session
from ..settings import Settings
from .common import (
    AS_JSON,
    ASKER,
    AT,
    Failure,
    Number,
    configured,
    in_session,
    with_keeper,
    with_session,
)
from .finding import reasons
from .formatting import figure
from .group import Topic
from .listing import limited, print_listed
from .memory_tables import SHOWN, dated, listed_table, said, shortened, told_lines
from .notes import note
from .terminal import narrow, out, print_json, say, wide

Row = dict[str, Any]

_STATES = click.option(
    "--state",
    "states",
    type=click.Choice(fade.STATES),
    multiple=True,
    help="Only those in this state; may be given again.",
)


@click.group(cls=Topic)
def memories() -> None:
    """List, show, find, restore, relink or purge the memories of CONCEPT_GRAPH_USER."""


@memories.command("list")
@_STATES
@click.option("--tag", "tags", multiple=True, help="Only those with this tag; may be given again.")
@limited(schema.MAX_ROWS - 1)
@AS_JSON
@in_session
async def list_(
    session: Session, states: tuple[str, ...], tags: tuple[str, ...], limit: int, as_json: bool
) -> None:
    """Print memories, the latest accessed first, including forgotten and expired ones.

    --state expired prints both: expired is what faded, forgotten what somebody took away.
    """
    # One row more than is printed tells whether there are more.
    call = calls.memory_admin.listed(session.user_id, states, limit + 1, tags)
    rows = [dated(session, row) for row in await session.run(call)]
    lists_expired = not states or fade.EXPIRED in states or bool(tags)
    expired = 0 if lists_expired or len(rows) > limit else await _expired(session, None)
    nothing = "No memory is kept." if not states else f"No memory is {' or '.join(states)}."
    if tags:
        nothing = f"No such memory has the tag {' or '.join(tags)}."
    print_listed("memories", rows, limit, listed_table, nothing, as_json=as_json)
    if expired:
        note(f"expired besides: {expired:,}; memories list --state expired shows them")


@memories.command()
@click.argument("memory_id", metavar="ID")
@AS_JSON
@in_session
async def show(session: Session, memory_id: str, as_json: bool) -> None:
    """Print a complete memory and its links, without counting an access."""
    [row] = await session.run(calls.memory_admin.show(memory_id))
    linked = []
    if row["deleted_at"] is None and row["state"] != fade.EXPIRED:
        linked = await session.run(calls.memory_links.connected(memory_id))
    fields = ("memory_id", "text", "relation", "direction", "strength")
    row["links"] = [{name: link[name] for name in fields} for link in linked]
    row["links_total"] = linked[0]["total"] if linked else 0
    told = dated(session, row)
    if as_json:
        print_json(told)
        return
    for line in told_lines(told, session):
        say(line)


@memories.command()
@click.argument("words", metavar="TEXT", nargs=-1, required=True)
@_STATES
@limited(words_of.MAX_LIMIT, schema.FOUND)
@ASKER
@click.option("--explain", is_flag=True, help="Print the parts of each score.")
@AT
@AS_JSON
@in_session
async def search(
    session: Session,
    /,
    words: tuple[str, ...],
    states: tuple[str, ...],
    limit: int,
    *,
    asker: str | None,
    explain: bool,
    as_json: bool,
) -> None:
    """Print the memories that match TEXT, a question or a sentence, like memory_node_search.

    The best come first. Nothing changes; what is forgotten or expired is not found.
    """
    query = " ".join(words)
    given = {"query": query, "limit": limit, "states": states, "asker": asker}
    by = partial(session.call, calls.memory_search.search, **given, explained=True)
    rows, advice = await session.answered(query, by)
    if advice is not None:
        note(advice)
    [counted] = await session.run(calls.memory_admin.unindexed(session.user_id))
    expired = 0 if states or len(rows) >= limit else await _expired(session, query)
    rows = [dated(session, row) for row in rows]
    if as_json:
        found = [{k: v for k, v in row.items() if k != "total"} for row in rows]
        print_json({"memories": found, **({"expired": expired} if expired else {})})
    elif rows:
        out.print(_found(rows, explain))
        if rows[0]["total"] > len(rows):
            say(f"the best {len(rows)} of {rows[0]['total']:,}")
    else:
        say("No memory says any of that.")
    if expired:
        note(f"expired and matching: {expired:,}; memories restore --search TEXT brings them back")
    if counted["memories"]:
        note(words_of.lacking(counted["memories"], "memories"))


async def _expired(session: Session, query: str | None) -> int:
    """Return how many expired memories match *query*; without a query, how many there are."""
    rows = await session.run(calls.memory_admin.expired(session.user_id, query, 1))
    return rows[0]["total"] if rows else 0


@memories.command()
@click.argument("ids", metavar="[ID...]", nargs=-1)
@click.option(
    "--search", metavar="TEXT", help="Restore the forgotten or expired memories that TEXT finds."
)
@limited(words_of.MAX_LIMIT, schema.LISTED)
@click.option("--yes", is_flag=True, help="Do not ask.")
@AS_JSON
@click.pass_obj
def restore(
    embedded: str | None,
    ids: tuple[str, ...],
    search: str | None,
    limit: int,
    *,
    yes: bool,
    as_json: bool,
) -> None:
    """Restore forgotten or expired memories. This counts as access.

    An ID may also be that of a forgotten fact, mention or entity.

    Name them by their ids; or say --search, which finds them by what they say, and restores --limit
    of them, the best first. It shows them and asks first if any was forgotten.
    """
    if bool(ids) == (search is not None):
        raise click.UsageError("name memories, or say --search TEXT")

    async def work(session: Session) -> None:
        rows: list[Row] = []
        if search is not None:
            call = calls.memory_admin.expired(session.user_id, search, limit, forgotten=True)
            rows = await session.run(call)
            if not rows and not as_json:
                say("Nothing that was forgotten or has expired says any of that.")
            if any(row["forgotten"] for row in rows) and not yes:
                if not as_json:
                    _show_gone(session, rows)
                click.confirm("Restore them?", abort=True, err=as_json)
        done: list[Row] = []
        for one in dict.fromkeys((*ids, *(row["memory_id"] for row in rows))):
            done += await session.run(calls.everyday.restore(one))
            if not as_json:
                how = "restored" if done[-1]["restored"] else "was there all the time"
                say(", ".join(filter(None, (f"{done[-1]['id']}: {how}", done[-1]["state"]))))
        are_more = bool(rows) and rows[0]["total"] > len(rows)
        if as_json:
            print_json({"restored": done, "more": are_more})
        elif are_more:
            say("There are more; the same command restores them.")

    with_session(embedded, work)


def _show_gone(session: Session, rows: Sequence[Row]) -> None:
    for row in rows:
        why = "forgotten" if row["forgotten"] else "expired"
        since = "" if row["deleted_at"] is None else f" {session.local(row['deleted_at']):%Y-%m-%d}"
        say(f"{row['memory_id']}: {why}{since}: {shortened(row['text'])}")


@memories.command()
@click.argument("source_id", metavar="SOURCE")
@click.argument("target_id", metavar="TARGET")
@click.option(
    "--type",
    "type_",
    metavar="TYPE",
    type=click.Choice(tuple(schema.RELATION_TYPES)),
    default=schema.DEFAULT_RELATION,
    show_default=True,
    help="The type of the link.",
)
@AS_JSON
@in_session
async def relink(
    session: Session, source_id: str, target_id: str, type_: str, as_json: bool
) -> None:
    """Restore a removed link from SOURCE to TARGET with its former strength."""
    [row] = await session.run(calls.memory_links.relink(source_id, target_id, type_))
    if as_json:
        print_json(row)
        return
    how = "restored" if row["restored"] else "was there all the time"
    say(f"{row['type']}: {how}, strength {row['strength']:.2f}")


@memories.command()
@click.argument("ids", metavar="[ID...]", nargs=-1)
@click.option(
    "--older-than",
    metavar="DAYS",
    type=Number(min=0, min_open=True, max=100_000),
    help="Purge all that were forgotten or expired longer ago than this.",
)
@click.option("--dry-run", is_flag=True, help="Only print what would be removed.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@AS_JSON
@click.pass_obj
def purge(
    embedded: str | None,
    ids: tuple[str, ...],
    older_than: float | None,
    *,
    dry_run: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Permanently delete forgotten or expired memories, by id or by --older-than.

    Forgotten entities, facts and mentions too, each by the id that it was forgotten by.

    Without either, those that CONCEPT_GRAPH_RETENTION_DAYS lets the worker remove.

    Shows first what that is. Nothing brings back what is purged but a backup.
    """
    if ids and older_than is not None:
        raise click.UsageError("name memories, or say --older-than DAYS, not both")
    window = 1 if older_than is None else max(1, round(older_than * DAY_MS))
    if older_than is None and not ids:
        window = _retention(configured(embedded))

    async def work(session: Session, keeper: Keeper) -> None:
        if await _purge(session, ids, window, dry_run=dry_run, yes=yes, as_json=as_json):
            await keeper.overwrite_removed()

    with_keeper(embedded, work)


def _retention(settings: Settings) -> int:
    """Return the retention period in milliseconds that the owner has set for the worker."""
    if settings.retention_ms is None:
        raise click.UsageError(
            "name memories, or say --older-than DAYS; CONCEPT_GRAPH_RETENTION_DAYS is not set"
        )
    return settings.retention_ms


async def _purge(
    session: Session,
    ids: Sequence[str],
    window: int,
    *,
    dry_run: bool,
    yes: bool,
    as_json: bool,
) -> int:
    """Remove for ever what was forgotten, if the person agrees; return how many."""
    if ids:
        gone = [await _named(session, one) for one in dict.fromkeys(ids)]
    else:
        gone = await _purgeable(session, window)
    if as_json:
        if dry_run or not gone:
            print_json({"removed": 0, "found": gone})
    elif gone:
        _show_purgeable(session, gone)
    else:
        say("There is nothing to purge.")
    if dry_run or not gone:
        return 0
    if not yes:
        click.confirm("Remove them for ever?", abort=True, err=as_json)
    removed = await _delete_gone(session, window, gone)
    are_more = not ids and bool(await _purgeable(session, window))
    if as_json:
        print_json({"removed": removed, "found": gone, "more": are_more})
        return removed
    say(f"Removed: {removed:,}.")
    if are_more:
        say("There are more; the same command removes them.")
    return removed


async def _delete_gone(session: Session, window: int, gone: Sequence[Row]) -> int:
    """Delete for ever what is *gone*, and return how many elements that are."""
    removed = 0
    for first in range(0, len(gone), BATCH):
        batch = gone[first : first + BATCH]
        if memory_ids := [row["id"] for row in batch if row["is_memory"]]:
            call = calls.memory_admin.purge(session.user_id, window, memory_ids)
            removed += len(await session.run(call))
        if others := [row["id"] for row in batch if not row["is_memory"]]:
            removed += len(await session.run(calls.entity_admin.purge(window, others)))
    return removed


def _show_purgeable(session: Session, gone: Sequence[Row]) -> None:
    for row in gone[:SHOWN]:
        since = f"{session.local(row['at']):%Y-%m-%d}"
        say(f"{row['id']}: out of sight since {since}: {shortened(row['text'])}")
    if len(gone) > SHOWN:
        say(f"and {len(gone) - SHOWN:,} more")


async def _named(session: Session, id_: str) -> Row:
    """Return what was forgotten by that id. Raises Failure, or Refused if there is none."""
    if rows := await session.run(calls.entity_admin.purge(1, [id_], dry_run=True)):
        return _list_gone(rows[0])
    [row] = await session.run(calls.memory_admin.show(id_))
    if row["deleted_at"] is None:
        raise Failure(
            f"memory: {id_} is {row['state']}; only what is forgotten or expired is purged:"
            " forget it first (memory_node_forget)"
        )
    return _list_gone(row)


def _list_gone(row: Row) -> Row:
    """Return a row of a memory, or of something else that was forgotten, as it is listed."""
    if "kind" in row:
        return {**row, "at": row["forgotten_at"], "is_memory": False}
    text = row["summary"] or row["content"] if "content" in row else row["text"]
    return {"id": row["memory_id"], "at": row["deleted_at"], "text": text, "is_memory": True}


async def _purgeable(session: Session, window: int) -> list[Row]:
    given = session.user_id, window, session.clock.now_ms(), MAX_BATCH
    kept = await session.run(calls.memory_admin.purgeable(*given))
    return [
        _list_gone(row) for row in (*kept, *await session.run(calls.entity_admin.purgeable(*given)))
    ]


def _found(rows: list[Row], explain: bool) -> Table:
    table = Table(wide("memory"), narrow("state"), narrow("score"))
    for row in rows:
        table.add_row(said(row), row["state"], figure(row["score"]))
        table.add_row(row["memory_id"])
        if explain:
            table.add_row(reasons(row), style="dim", end_section=True)
    return table
