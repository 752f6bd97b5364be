"""Answer a hook of a coding agent (`hook`); whatever goes wrong is logged and exits 0.

End the process at a time, whatever it is doing: a prompt waits for it.

Ingest the transcripts of sessions, as the command `ingest` does.
"""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

import anyio
import click

from .. import settings
from ..errors import NoStore, StoreError, one_line
from ..file_formats import Row
from ..hooks import hosts, journal, options
from ..hooks.hosts import HookError
from ..hooks.options import Options
from ..hosts.lazy import opened
from ..session import Session
from ..settings import Settings
from .common import Failure
from .ingesting import Ingest
from .interrupts import Interrupts

if TYPE_CHECKING:
    from ..session import Session


_STAT = Path("/proc/self/stat")
# The number of the field with the start of the process, counted behind its name.
_START_FIELD = 19


class Deadline:
    """While entered, the process ends with exit code 0 *seconds* after its start.

    A thread ends it, because a signal would wait for a call into SQLite to return.
    """

    def __init__(self, seconds: float) -> None:
        self._timer = threading.Timer(max(0.0, seconds - seconds_since_start()), os._exit, (0,))
        self._timer.daemon = True

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        self._timer.cancel()


def seconds_since_start() -> float:
    """Return the seconds since this process was started; elsewhere than on Linux its CPU time."""
    try:
        fields = _STAT.read_text().rpartition(")")[2].split()
        started = int(fields[_START_FIELD]) / os.sysconf("SC_CLK_TCK")
        return time.clock_gettime(time.CLOCK_BOOTTIME) - started
    except (OSError, ValueError, IndexError, AttributeError):
        return time.process_time()


# The name of the process that ingests, in its command line and in the journal.
CAPTURE = "capture"
# The share of the time since the start that the answer itself takes, at the most.
_ANSWER = 0.6
# Seconds that an embedding takes to load, at the least.
_LOADING_S = 0.15


# A wrong option must not exit with 2: that blocks the prompt.
@click.command(context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
@click.argument("event", default="")
@click.option("--client", metavar="NAME", default="unknown", help="The agent, for doctor.")
@click.pass_obj
def hook(embedded: str | None, event: str, client: str) -> None:
    """Answer the hook EVENT of a coding agent, whose JSON is read from stdin.

    \b
    EVENT is
      session-start       put in front of the model: who the user is, what was
                          said last in the project, and elsewhere in the last
                          days
      user-prompt-submit  put in front of the model: what belongs to the prompt
      pre-compact, stop, session-end
                          ingest the transcript, behind the answer

    It is for the configuration of an agent, which setup writes. It always exits with 0, and
    answers nothing if it cannot answer in time. Failures are in hooks/hooks.log of the data
    directory.
    """
    try:
        if event == CAPTURE:
            _capture(embedded)
        else:
            _answer(embedded, hosts.find_event(event), client)
    except (HookError, settings.SettingsError, StoreError, OSError) as error:
        journal.log_result(client, event, f"failed: {one_line(error)}")
    except Exception as error:  # noqa: BLE001
        journal.log_result(client, event, f"failed: {error!r}")


def _answer(embedded: str | None, event: str, client: str) -> None:
    chosen = options.read_options()
    with Deadline(_seconds(event, chosen)):
        journal.note_result(client, event, journal.BEGUN)
        given = hosts.parse_input(sys.stdin.buffer.read())
        if chosen.is_off(given.cwd):
            journal.note_result(client, event, "off for this folder")
            return
        if event in (hosts.COMPACT, hosts.STOP, hosts.END):
            _note_transcript(embedded, event, client, given)
            return
        if event == hosts.START:
            if given.source in hosts.FORGOTTEN:
                journal.forget_seen(given.session)
            _start_capture(embedded, client)
        session, text, ids = _notes(embedded, event, given, chosen)
        click.echo(hosts.make_answer(event, text), nl=False)
        sys.stdout.flush()
        journal.note_seen(given.session, ((one, sys.maxsize) for one in ids))
        told = f"{len(ids)} note{'s' * (len(ids) > 1)}" if ids else "nothing to say"
        journal.note_result(client, event, told)
        if session is not None and session.embedding is not None and session.embedding.is_loading:
            # The end of the program would wait for the model, and the host for the end.
            os._exit(0)


def _seconds(event: str, chosen: Options) -> float:
    if event == hosts.START:
        return chosen.start_seconds
    return chosen.prompt_seconds if event == hosts.PROMPT else chosen.note_seconds


def _notes(
    embedded: str | None, event: str, given: hosts.Given, chosen: Options
) -> "tuple[Session | None, str, list[str]]":
    """Return the session, what the model is told, and the ids of the memories in it.

    Words alone find them if the embedding is not loaded in time.
    """
    # Imported here, because Claude Code gives the hook of SessionEnd 1.5 seconds in all.
    import anyio

    from ..hooks import notes
    from ..hosts.lazy import opened
    from ..session import Session

    seen = journal.list_seen(given.session)

    async def of_event(session: "Session") -> tuple[str, list[str]]:
        if event == hosts.PROMPT:
            return await notes.make_notes_on_prompt(
                session, given.prompt, chosen.prompt_tokens, seen
            )
        budget, days = chosen.start_tokens, chosen.days
        return await notes.make_notes_on_session(session, str(given.cwd), budget, days, seen)

    configured = chosen.settings(embedded)

    async def main() -> "tuple[Session | None, str, list[str]]":
        try:
            async with opened(configured) as store:
                patience_s = _patience_s(_seconds(event, chosen), seconds_since_start())
                session = replace(Session.of(store, configured), patience_s=patience_s)
                if patience_s < _LOADING_S:
                    # To begin would only slow down the words.
                    session = replace(session, embedding=None)
                return session, *await of_event(session)
        except NoStore:
            return None, "", []

    return anyio.run(main)


def _patience_s(seconds: float, used: float) -> float:
    """Return how long an embedding may load, *used* seconds after the start of *seconds* in all.

    A machine that took long to start takes long to answer.
    """
    return seconds - used * (1 + _ANSWER)


def _note_transcript(embedded: str | None, event: str, client: str, given: hosts.Given) -> None:
    if given.transcript is None:
        journal.note_result(client, event, "the host keeps no transcript")
        return
    journal.note(journal.Noted(given.transcript, given.session, client))
    if event != hosts.STOP or journal.is_due(given.session):
        _start_capture(embedded, client)
    journal.note_result(client, event, "transcript noted")


def _start_capture(embedded: str | None, client: str) -> None:
    """Start a process that ingests what is noted; the host waits neither for it nor its end."""
    if next(journal.list_pending(), None) is None:
        return
    of_store = [] if embedded is None else [f"--embedded={embedded}"]
    called = [sys.executable, "-m", __package__.partition(".")[0]]
    log = journal.notes_folder() / journal.LOG
    with log.open("ab") as errors, Path(os.devnull).open("r+b") as nothing:
        subprocess.Popen(
            [*called, *of_store, "hook", CAPTURE, "--client", client],
            stdin=nothing,
            stdout=nothing,
            stderr=errors,
            start_new_session=True,
            cwd=Path(sys.executable).anchor,
        )


def _capture(embedded: str | None) -> None:
    """Ingest all noted transcripts, one after the other."""
    # Imported here, because no hook that answers needs it.
    pass

    configured = options.read_options().settings(embedded)
    with journal.take_pending() as found:
        for one in found:
            journal.log_result(one.noted.client, CAPTURE, capture(one, configured))
    journal.clear_old()


def capture(pending: journal.Pending, chosen: Settings) -> str:
    """Ingest a transcript and return what came of it; a failed one stays noted."""
    noted = pending.noted
    if not noted.transcript.is_file():
        pending.finish()
        return f"{noted.transcript}: is no file; left out"

    def seen(rows: Sequence[Row]) -> None:
        said = ((str(row.record["id"]), int(row.record["said_at"])) for row in rows)
        journal.note_seen(noted.session, said)

    work = Ingest([(noted.transcript, None)], None, Interrupts(), told=seen)

    async def main() -> None:
        async with opened(chosen, creates=True) as store:
            await work.run(Session.of(store, chosen))

    try:
        anyio.run(main)
    except (StoreError, Failure, OSError) as error:
        return f"failed, tried again at the next event: {noted.transcript}: {error}"
    pending.finish()
    left_out = "".join(f"; {line}" for line in work.tally.lines())
    return f"ingested {work.created:,}, there already {work.existing:,}{left_out}"
