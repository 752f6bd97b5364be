"""Give the shared concepts of a store file with one owner to that owner, at its first opening.

Earlier versions shared concepts in a file by default. A file has one owner, who must not look for
the same concepts in two places.
"""

import os
from contextlib import aclosing
from datetime import UTC, datetime

from conceptgraph_core.texts.text import show_name
from conceptgraph_core.verbs.context import OWN

from . import calls
from .hosts.store import KeptStore
from .session import Session
from .settings import Settings, given

VARIABLE = "CONCEPT_GRAPH_CONCEPTS"


async def adopt_shared(
    settings: Settings,
    store: KeptStore,
    reader: Session,
    keeps_copy: bool = True,
    may_adopt: bool = True,
) -> str | None:
    """Make the shared concepts of *store* its one owner's, and return what to say about it.

    Returns None if there are none, or if another user or CONCEPT_GRAPH_CONCEPTS lets them stay. In
    a file that cannot be written they stay too, and unless this *may_adopt* them, as a hook has no
    time for the copy; *reader*, a session on it, reads them there. With *keeps_copy* the file as it
    was is kept beside it. Raises StoreError, OSError.
    """
    file, session = settings.embedded, Session.of(store, settings)
    if file is None or settings.concepts != OWN or VARIABLE in given(os.environ):
        return None
    if not await has_shared(session) or await find_other_user(session) is not None:
        return None
    if not may_adopt or await store.unwritable() is not None:
        reader.adoption.has_failed = True
        return None
    copied = ""
    if keeps_copy:
        moment = datetime.fromtimestamp(session.clock.now_ms() / 1_000, UTC)
        copy = file.with_name(f"{file.name}.shared-{moment:%Y%m%dT%H%M%S}")
        os.close(os.open(copy, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        await store.backup(copy)
        copied = f"; as it was it is in {copy}"
    [row] = await session.run(calls.transfer.adopt_shared(settings.user_id))
    return (
        f"{file}: {row['nodes']:,} concepts and episodes, which all users shared, belong to the"
        f" user {show_name(settings.user_id)} now, as the whole file does{copied}"
    )


async def has_shared(session: Session) -> bool:
    """Return whether the store has concepts or episodes that all users share."""
    async with aclosing(session.store.stream(1, calls.transfer.find_shared())) as batches:
        async for _ in batches:
            return True
    return False


async def find_other_user(session: Session) -> str | None:
    """Return a user of the store who is not that of *session*; None if there is none."""
    after = None
    while rows := await session.run(calls.transfer.next_user(after)):
        after = str(rows[0]["user_id"])
        if after != session.user_id:
            return after
    return None
