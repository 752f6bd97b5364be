"""Move a user from one store of a table to another (`users move`)."""

from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

import anyio

from .. import calls
from ..hosts import shards
from ..hosts.lazy import open_store
from ..session import Session
from ..settings import Settings
from .common import Failure
from .owned import count, records_of, remove, told
from .terminal import say


async def move(chosen: Settings, user: str, store: str, file: Path, wait_s: float) -> None:
    """Move *user* to *store* of the table in *file*: export, import, switch, remove.

    Their writes are refused meanwhile. A failure before the switch leaves the user where they were.
    After a kill the same command begins anew, or removes what is left where the user was.
    Raises Failure, StoreError, SettingsError, OSError.
    """
    table = shards.read(file)
    if store not in table.stores:
        raise Failure(f"{store}: is no store of {file}; known are {', '.join(table.stores)}")
    here = table.store_of(user)
    if here == store:
        await _finished(chosen, user, table)
        return
    async with AsyncExitStack() as held:
        source, target = [
            Session.of(
                await held.enter_async_context(open_store(_at(chosen, table.stores[name]))), chosen
            )
            for name in (here, store)
        ]
        already = await count(target, user)
        if already and user not in table.moving:
            raise Failure(f"{user}: owns data in {store}: {told(already)}; delete it there first")
        await remove(target, user)
        shards.change(file, lambda table: table.with_moving(user))
        try:
            say(f"Writes of {user} are refused; waiting {wait_s:g} s for those in flight.")
            await anyio.sleep(wait_s)
            owned = await _copied(source, target, user)
            shards.change(file, lambda table: table.with_moved(user, store))
        except BaseException:
            with anyio.CancelScope(shield=True):
                shards.change(file, lambda table: table.without_moving(user))
                await remove(target, user)
            raise
        say(f"{user} is in {store} now: {told(owned)}")
        await anyio.sleep(wait_s)
        left = await count(source, user)
        if left != owned:
            raise Failure(
                f"{user} is in {store}, but {here} was written to after the copy: it had"
                f" {told(owned)}, and has {told(left)}; nothing is removed there."
                f" Export {user} from {here} if this is wanted, then run the command again"
            )
        say(f"Removed from {here}: {told(await remove(source, user))}")


async def _finished(chosen: Settings, user: str, table: shards.Shards) -> None:
    """Remove what a move to where *user* is has left elsewhere. Raises Failure if it is nothing."""
    now = table.store_of(user)
    others = table.stores.keys() - {now} if user in table.moved else ()
    removed = 0
    for name in sorted(others):
        async with open_store(_at(chosen, table.stores[name])) as store:
            if gone := await remove(Session.of(store, chosen), user):
                removed += 1
                say(f"Removed from {name}: {told(gone)}")
    if not removed:
        raise Failure(f"{user}: is in {now} already")


async def _copied(source: Session, target: Session, user: str) -> dict[str, int]:
    """Copy all that belongs to *user*; return the counts, which are those of the copy."""
    async for batch in records_of(source, user):
        await target.run(calls.transfer.import_rows(batch))
    await target.store.fit_vectors()
    owned, there = await count(source, user), await count(target, user)
    if owned != there:
        raise Failure(
            f"{user}: owns {told(owned)}, but the copy has {told(there)}; nothing is moved"
        )
    return owned


def _at(chosen: Settings, uris: Sequence[str]) -> Settings:
    return replace(chosen, embedded=None, uri=uris[0], read_uris=())
