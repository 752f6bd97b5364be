"""Write snapshots of the database, from which it restarts without replaying the older log."""

import tenacity
from neo4j.exceptions import ClientError

from .probes import Run

_PAUSE_S = 0.2
_PATIENCE_S = 60.0
_ALREADY = "already in progress"


@tenacity.retry(
    # A snapshot in progress may have begun before the latest changes.
    retry=tenacity.retry_if_exception(lambda error: _ALREADY in str(error)),
    wait=tenacity.wait_fixed(_PAUSE_S),
    stop=tenacity.stop_after_delay(_PATIENCE_S),
    reraise=True,
)
async def create(run: Run) -> None:
    """Have the database write a snapshot of all that there is. Raises ClientError."""
    try:
        await run("CREATE SNAPSHOT", {}, True)
    except ClientError as error:
        # Some versions raise an error if nothing has changed since the last snapshot.
        if "since the last snapshot" not in str(error):
            raise
