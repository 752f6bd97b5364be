"""`view`: the graph as a picture in the browser."""

import os
from datetime import datetime

import click

from conceptgraph_core import limits

from .. import calls
from ..session import Session
from .common import Failure, note, say, with_session


@click.command()
@click.argument("concept", required=False)
@click.option("--port", default=0, help="Listen there; without it, on any free port.")
@click.option(
    "--at", metavar="TIME", help="Show the graph as at this time (ISO 8601), as if it were now."
)
@click.option("--no-open", is_flag=True, help="Only print the address.")
@click.pass_obj
def view(
    embedded: str | None, concept: str | None, port: int, at: str | None, no_open: bool
) -> None:
    """Draw the neighbourhood of CONCEPT in the browser; changes nothing.

    Without CONCEPT it begins at what is most on the mind. The page is served to this machine alone,
    at an address that nobody can guess, until Ctrl-C.
    """
    moment = None if at is None else _moment(at)

    async def show(session: Session) -> None:
        # Only here, because no other command needs a web server.
        from ..view.serving import serve

        if moment is not None:
            session.clock.frozen_ms = _unix_ms(moment, session)
        await _check(session, concept)
        try:
            await serve(session, concept, port, not no_open, _announce)
        except OSError as error:
            raise Failure(
                f"cannot listen on port {port}: {os.strerror(error.errno or 0)}"
            ) from None

    with_session(embedded, show)


def _announce(address: str) -> None:
    say(address)
    note("Ctrl-C ends it.")


async def _check(session: Session, concept: str | None) -> None:
    if concept is not None and not await session.run(calls.neighbourhood([concept], 0, 1)):
        raise Failure(
            f"nothing is called {concept!r}; concept-graph-mcp search shows what there is"
        )


def _moment(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise Failure(f"--at: not a time in ISO 8601: {text!r}") from None


def _unix_ms(moment: datetime, session: Session) -> int:
    """Return *moment*, in the configured zone if it has none of its own, as unix milliseconds."""
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=session.zone)
    now_ms = int(moment.timestamp() * 1000)
    if not 0 <= now_ms <= limits.MAX_TIME_MS:
        raise Failure(f"--at: must be a time from 1970 to 9999, not {moment.isoformat()}")
    return now_ms
