"""Move the working store's graph into the configured store."""

from collections import Counter

from .. import calls
from ..errors import StoreError
from ..session import Session
from .errors import WorkingStoreError


async def move(source: Session, target: Session) -> Counter[str]:
    """Import everything of *source* into *target*; return the counts of `import_rows`.

    Raises WorkingStoreError, which says how much was moved.
    """
    totals: Counter[str] = Counter()
    moved = 0
    async for records in source.store.stream():
        try:
            totals.update((await target.run(calls.transfer.import_rows(records)))[0])
        except StoreError as error:
            raise WorkingStoreError(
                f"{error}; {moved:,} records were moved; the whole result is in"
                f" {source.store.location}, from where export and import bring it over"
            ) from None
        moved += len(records)
    return totals
