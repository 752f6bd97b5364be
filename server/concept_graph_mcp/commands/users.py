"""List the users of a store, export all of one user's data, and delete it (`users`)."""

from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import click

from conceptgraph_core.texts import text
from conceptgraph_core.verbs.errors import InvalidText

from .. import calls
from ..hosts.sqlite import opening
from ..hosts.store import Keeper
from ..session import Session
from ..settings import Settings
from .common import (
    AS_JSON,
    FILE,
    YES,
    Failure,
    configured,
    in_each_store,
    of_user,
    print_columns,
    print_json,
    say,
    waiting,
    with_keeper,
)
from .exporting import Batches, export_records
from .group import Topic
from .http_server import tokens_of


async def count_owned(session: Session, user: str) -> dict[str, int]:
    rows = await session.run(calls.transfer.count_user(user))
    return {row["measure"]: row["value"] for row in rows}


async def remove_owned(session: Session, user: str) -> dict[str, int]:
    removed: dict[str, int] = {}
    while rows := await session.run(calls.transfer.remove_user(user)):
        for row in rows:
            removed[row["measure"]] = removed.get(row["measure"], 0) + row["value"]
    return removed


def tell_counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{measure}: {value:,}" for measure, value in counts.items())


# The measures in a list; --json has all.
_SHOWN = ("memories", "entities", "concepts", "episodes")


def _user(_: click.Context, __: click.Parameter, value: str) -> str:
    try:
        return text.user(value, "USER")
    except InvalidText as error:
        raise click.BadParameter(str(error)) from None


_USER = click.argument("user", callback=_user)


@click.group(cls=Topic)
def users() -> None:
    """List the users of the store; export or delete all that belongs to one."""


@users.command("list")
@AS_JSON
@click.pass_obj
def list_(embedded: str | None, as_json: bool) -> None:
    """Print the users of the store, and how much each owns.

    Shared concepts and episodes belong to no user.
    """

    async def work(session: Session, _: Keeper) -> list[dict[str, Any]]:
        return [
            {"user_id": user, **await count_owned(session, user)} async for user in _users(session)
        ]

    chosen = configured(embedded, whole=True)
    rows: list[dict[str, Any]] = []

    def listed(one: Settings) -> None:
        found = with_keeper(None, work, chosen=one)
        file = {} if one.per_user is None else {"file": str(one.embedded)}
        rows.extend({**row, **file} for row in found)

    try:
        with waiting("counting"):
            in_each_store(chosen, listed)
    except Failure:
        if rows:
            _print(rows, as_json)
        raise
    _print(rows, as_json)


def _print(rows: list[dict[str, Any]], as_json: bool) -> None:
    if as_json:
        print_json(rows)
        return
    rows = sorted(rows, key=lambda row: str(row["user_id"]))
    print_columns(
        [("user", *_SHOWN)]
        + [(row["user_id"], *(f"{row.get(one, 0):,}" for one in _SHOWN)) for row in rows]
    )


@users.command()
@_USER
@click.argument("file", type=FILE)
@click.option("--force", is_flag=True, help="Overwrite FILE if it exists.")
@AS_JSON
@click.pass_obj
def export(embedded: str | None, user: str, file: Path, force: bool, as_json: bool) -> None:
    """Write everything USER owns to FILE ("-": stdout), for import into another store."""

    async def read(session: Session) -> Batches:
        if not await count_owned(session, user):
            raise Failure(f"{user}: owns nothing in this store")
        async for batch in session.store.stream(only=calls.transfer.exported_by(user)):
            yield batch

    chosen = of_user(configured(embedded, whole=True), user)
    written = export_records(chosen, file, force, as_json, read)
    if as_json:
        print_json({"records": written, "file": str(file)})


@users.command()
@_USER
@YES
@click.pass_obj
def delete(embedded: str | None, user: str, yes: bool) -> None:
    """Permanently delete everything that belongs to USER, and count what is left.

    It revokes the access tokens of USER first, and deletes in batches. After an interruption, run
    the same command again to continue. Stop the agents of USER first: data that they store
    meanwhile may be removed or left.
    """

    chosen = of_user(configured(embedded, whole=True), user)

    async def work(session: Session, keeper: Keeper) -> str | None:
        with waiting("counting"):
            owned = await count_owned(session, user)
        # A deletion that was interrupted at its end has left an empty file.
        if not owned and chosen.per_user is None:
            raise Failure(f"{user}: owns nothing in this store")
        say(f"{user} owns {tell_counts(owned)}")
        if not yes:
            click.confirm("Remove all of it for ever?", abort=True)
        if revoked := tokens_of(embedded).revoke_user(user):
            say(f"Revoked tokens: {len(revoked):,}")
        with waiting("removing"):
            removed, left = await remove_owned(session, user), await count_owned(session, user)
        say(f"Removed {tell_counts(removed)}")
        if left:
            raise Failure(
                f"{user} stored more meanwhile: {tell_counts(left)}; run the command again"
            )
        if chosen.per_user is None:
            return await keeper.overwrite_removed()
        async for other in _users(session):
            raise Failure(f"{chosen.embedded}: has data of {other} too, so it is kept")
        return None

    still_in = with_keeper(None, work, chosen=chosen)
    if chosen.per_user is not None and chosen.embedded is not None:
        gone = opening.remove(chosen.embedded)
        say(f"Removed {', '.join(map(str, gone))}")
    say("Counted again: nothing is left.")
    say("Backups and exports that were made before still have it.")
    if still_in is not None:
        say(f"So has the disk, in {still_in}.")


async def _users(session: Session) -> AsyncIterator[str]:
    after = None
    while rows := await session.run(calls.transfer.next_user(after)):
        after = rows[0]["user_id"]
        yield after
