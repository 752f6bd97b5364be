"""List the users of a store, export all of one user's data, and delete it (`users`)."""

import json
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import click
from rich.table import Table

from conceptgraph_core import __version__, text
from conceptgraph_core.embeddings import schema as embeddings
from conceptgraph_core.errors import InvalidText
from conceptgraph_core.registry import LAYERS
from conceptgraph_core.transfer.places import Place, places

from .. import calls, file_formats
from ..session import Session
from . import output
from .common import AS_JSON, FILE, Failure, with_session
from .export_import import destination, records
from .group import Topic
from .notes import note
from .terminal import Terminal, narrow, print_json, say, wide
from .tokens import tokens_of

# The measures in a list; --json has all.
_SHOWN = ("memories", "entities", "concepts", "episodes")

_EMBEDDING = embeddings.LAYER.kind(embeddings.EMBEDDING).kind


def _user(_: click.Context, __: click.Parameter, value: str) -> str:
    try:
        return text.user(value, "USER")
    except InvalidText as error:
        raise click.BadParameter(str(error)) from None


_USER = click.argument("user", callback=_user)


@click.group(cls=Topic)
def users() -> None:
    """List the users of the store, export all that belongs to one, or delete it."""


@users.command("list")
@AS_JSON
@click.pass_obj
def list_(embedded: str | None, as_json: bool) -> None:
    """Print who owns anything in the store, and how much.

    Shared concepts and episodes belong to nobody.
    """

    async def work(session: Session) -> list[dict[str, Any]]:
        return [{"user_id": user, **await _count(session, user)} async for user in _users(session)]

    rows = with_session(embedded, work)
    if as_json:
        print_json(rows)
        return
    table = Table(wide("user"), *(narrow(measure) for measure in _SHOWN))
    for row in rows:
        table.add_row(row["user_id"], *(f"{row.get(measure, 0):,}" for measure in _SHOWN))
    Terminal().print(table)


@users.command()
@_USER
@click.argument("file", type=FILE)
@click.option("--force", is_flag=True, help="Overwrite FILE if it exists.")
@click.pass_obj
def export(embedded: str | None, user: str, file: Path, force: bool) -> None:
    """Write all that belongs to USER to FILE ("-": stdout), for import into another store."""

    async def work(session: Session) -> int:
        with destination(file, force) as stream:
            stream.write(json.dumps(file_formats.header(__version__)).encode() + b"\n")
            count = 0
            async for record in _records_of(session, user):
                stream.write(file_formats.line(record).encode())
                count += 1
            return count

    with output.told(file):
        if str(file) != "-":
            output.place(file, force)
        count = with_session(embedded, work)
    note(f"{count:,} records written to {'stdout' if str(file) == '-' else file}.")


@users.command()
@_USER
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def delete(embedded: str | None, user: str, yes: bool) -> None:
    """Remove all that belongs to USER for ever, and count what is left.

    It revokes the access tokens of USER first, and removes in batches. After an interruption the
    same command goes on. Stop the agents of USER first: what they store meanwhile is removed too,
    or left.
    """

    async def work(session: Session) -> None:
        owned = await _count(session, user)
        if not owned:
            raise Failure(f"{user}: owns nothing in this store")
        say(f"{user} owns {_told(owned)}")
        if not yes:
            click.confirm("Remove all of it for ever?", abort=True)
        if revoked := tokens_of(embedded).revoke_user(user):
            say(f"Revoked tokens: {len(revoked):,}")
        say(f"Removed {_told(await _remove(session, user))}")
        if left := await _count(session, user):
            raise Failure(f"{user} stored more meanwhile: {_told(left)}; run the command again")
        say("Counted again: nothing is left.")
        say("Backups and exports that were made before still have it.")

    with_session(embedded, work)


async def _users(session: Session) -> AsyncIterator[str]:
    after = None
    while rows := await session.run(calls.users.next_user(after)):
        after = rows[0]["user_id"]
        yield after


async def _count(session: Session, user: str) -> dict[str, int]:
    rows = await session.run(calls.users.count(user))
    return {row["measure"]: row["value"] for row in rows}


async def _remove(session: Session, user: str) -> dict[str, int]:
    removed: dict[str, int] = {}
    while rows := await session.run(calls.users.remove(user)):
        for row in rows:
            removed[row["measure"]] = removed.get(row["measure"], 0) + row["value"]
    return removed


async def _records_of(session: Session, user: str) -> AsyncIterator[dict[str, Any]]:
    """Iterate over the records of *user*: nodes, then the relations that join them.

    The store's embedding is among them, for without its model no vector can be compared.
    """
    owned: set[Place] = set()
    async for batch in records(session):
        for record in batch:
            if "from" in record:
                if not owned.isdisjoint(places(LAYERS, record)):
                    yield record
            elif record.get("user_id") == user:
                owned.update(places(LAYERS, record))
                yield record
            elif record["kind"] == _EMBEDDING:
                yield record


def _told(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{measure}: {value:,}" for measure, value in counts.items())
