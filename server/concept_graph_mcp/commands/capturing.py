"""Ingest the transcripts of sessions that hooks have noted, as the command `ingest` does."""

from functools import partial

import anyio

from ..errors import StoreError
from ..hooks import answering, hosts, journal, options
from ..hosts.lazy import open_store
from ..session import Session
from ..settings import Settings
from .common import Failure
from .interrupts import Interrupts
from .storing import Ingest


def ingest_noted(embedded: str | None) -> None:
    """Ingest all noted transcripts, one after the other."""
    configured = options.read_options().settings(embedded)
    with journal.take_pending() as found:
        for one in found:
            result = ingest_transcript(one, configured)
            journal.log_result(one.noted.client, answering.CAPTURE, result)
    journal.clear_old()


def ingest_transcript(pending: journal.Pending, chosen: Settings) -> str:
    """Ingest a transcript and return what came of it; a failed one stays noted."""
    noted = pending.noted
    if not hosts.keeps_transcript(noted.client, noted.transcript):
        pending.finish()
        return f"{noted.transcript}: is not in the folder of {noted.client}'s transcripts; not read"
    if not noted.transcript.is_file():
        pending.finish()
        return f"{noted.transcript}: is no file; left out"

    # The session is not told its own words, nor of whom it alone has spoken.
    seen = partial(journal.note_seen, noted.session)
    work = Ingest([(noted.transcript, None)], None, Interrupts(), told=seen, people=True)

    async def main() -> None:
        async with open_store(chosen, creates=True) as store:
            await work.run(Session.of(store, chosen))

    try:
        anyio.run(main)
    except (StoreError, Failure, OSError) as error:
        return f"failed, tried again at the next event: {noted.transcript}: {error}"
    pending.finish()
    left_out = "".join(f"; {line}" for line in work.tally.lines())
    return f"ingested {work.created:,}, there already {work.existing:,}{left_out}"
