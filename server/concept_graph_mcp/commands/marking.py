"""Move the mark of a history with each batch that is stored."""

from collections.abc import Sequence
from pathlib import Path
from typing import cast

from .. import calls
from ..errors import Refused
from ..histories import marks
from ..histories.conversation import Kept
from ..histories.formats import History
from ..histories.marks import Mark
from ..hosts.store import Keeper
from ..session import Session


class Marking:
    """The mark of a history, which moves with each batch that is in the store."""

    def __init__(self, history: History, how: str, mark: Mark | None) -> None:
        self.mark = mark or Mark()
        self._history = history
        self._how = how
        self._place: Path | None = None

    @classmethod
    async def begun(
        cls, session: Session, history: History, kept: Kept, dry_run: bool
    ) -> "Marking":
        """Return the marking of *history*, at its mark if the store has what was read up to it."""
        how = "" if dry_run or not history.has_marks else f"{history.format} {kept.everything}"
        if how and history.member is not None:
            how += f" {history.member}"
        made = cls(history, how, None)
        file = await made._file(session)
        mark = None if file is None else marks.read(file, history.path)
        if mark is not None and await _has(session, mark.last):
            made.mark = mark
        return made

    async def move(self, session: Session, ids: Sequence[str] = ()) -> None:
        """Write the mark, after the messages with *ids* were stored."""
        if ids:
            self.mark.messages += len(ids)
            self.mark.last = ids[-1]
        file = await self._file(session)
        if file is not None:
            marks.write(file, self._history.path, self.mark)

    async def _file(self, session: Session) -> Path | None:
        """Return the file of the mark; None without a store, or for what has no mark."""
        if self._how and self._place is None:
            store = await cast(Keeper, session.store).identity()
            if store is not None:
                path, user = self._history.path, session.user_id
                self._place = marks.place(store, user, path, self._how)
        return self._place


async def _has(session: Session, memory_id: str | None) -> bool:
    """Return whether the store has the memory: a store that was restored may lack it."""
    if memory_id is None:
        return True
    try:
        await session.run(calls.memory_admin.show(memory_id))
    except Refused:
        return False
    return True
