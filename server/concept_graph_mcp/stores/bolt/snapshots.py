"""Snapshots of the database: what it starts from again, without the log that is before them."""

import tenacity
from neo4j.exceptions import ClientError

from .probes import Run

_PAUSE_S = 0.2
_PATIENCE_S = 60.0
_ALREADY = "already in progress"


@tenacity.retry(
    # The one that is under way may have begun before what is to be in it.
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
        # A version that has nothing to add to the last one may say so.
        if "since the last snapshot" not in str(error):
            raise
