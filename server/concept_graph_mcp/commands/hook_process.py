"""Answer a hook in a process of its own; whatever goes wrong is logged and exits 0.

End the process at a time, whatever it is doing: a prompt waits for it.
"""

import os
import sys
import threading
import time
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from .. import settings
from ..errors import NoStore, StoreError, one_line
from ..hooks import answering, asking, hosts, journal, options
from ..hooks.hosts import HookError
from ..hooks.options import Options

if TYPE_CHECKING:
    from ..session import Session

_STAT = Path("/proc/self/stat")
# The number of the field with the start of the process, counted behind its name.
_START_FIELD = 19


class Deadline:
    """While entered, the process ends with exit code 0 *seconds* after its start, and logs that.

    A thread ends it, because a signal would wait for a call into SQLite to return.
    """

    def __init__(self, seconds: float, client: str, event: str) -> None:
        def end() -> None:
            try:
                journal.log_result(client, event, journal.LATE)
            finally:
                os._exit(0)

        self._timer = threading.Timer(max(0.0, seconds - seconds_since_start()), end)
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


# No host has more open files than these.
_MOST_FILES = 1_024
# The share of the time since the start that the answer itself takes, at the most.
_ANSWER = 0.6
# Seconds that an embedding takes to load, at the least, and how many times what the start took.
_LOADING_S, _LOADING = 0.15, 2.0


def answer_hook(embedded: str | None, event: str, client: str) -> None:
    """Answer the hook *event* of *client*, whose JSON is on stdin, from the store *embedded*."""
    try:
        if event == answering.CAPTURE:
            _store_noted(embedded)
        elif event == asking.LISTEN:
            _listen(embedded)
        else:
            _answer(embedded, hosts.find_event(event), client)
    except (HookError, settings.SettingsError, StoreError, OSError) as error:
        journal.log_result(client, event, f"failed: {one_line(error)}")
    except Exception as error:  # noqa: BLE001
        journal.log_result(client, event, f"failed: {error!r}")


def _listen(embedded: str | None) -> None:
    """Answer hooks on the socket that this process was given. Raises StoreError."""
    number, _, path = os.environ.pop(asking.SOCKET, "").partition(":")
    if not number.isdecimal():
        raise HookError("is for a process that a hook starts")
    # Files of the host, which may wait for their ends, are not this one's.
    os.closerange(3, int(number))
    os.closerange(int(number) + 1, _MOST_FILES)
    os.chdir(Path(sys.executable).anchor)
    import anyio

    from ..hooks import listening
    from ..hosts.lazy import open_store
    from ..session import Session
    from ..sharing import adopt_shared

    chosen = options.read_options()
    configured, idle_s = chosen.settings(embedded), chosen.idle_seconds

    async def main() -> None:
        async with open_store(configured) as store:
            session = Session.of(store, configured)
            with suppress(StoreError, OSError):
                await adopt_shared(configured, store, session, may_adopt=False)
            await listening.answer_until_idle(session, configured, int(number), Path(path), idle_s)

    try:
        with suppress(NoStore):
            anyio.run(main)
    finally:
        Path(path).unlink(missing_ok=True)


def _store_noted(embedded: str | None) -> None:
    """Store all noted transcripts, one after the other."""
    configured = options.read_options().settings(embedded)
    with journal.take_pending() as found:
        for one in found:
            result = store_transcript(one, configured)
            journal.log_result(one.noted.client, answering.CAPTURE, result)
    journal.clear_old()


def _list_memory_files(transcript: Path) -> list[Path]:
    """Return the files of the memory that Claude Code keeps itself, without their index."""
    from ..histories.markdown import MEMORY

    found = sorted((transcript.parent / MEMORY).glob("*.md"))
    return [one for one in found if one.name != "MEMORY.md" and not one.is_symlink()]


def store_transcript(pending: journal.Pending, chosen: settings.Settings) -> str:
    """Store a transcript and return what came of it; a failed one stays noted."""
    # Imported here, because no hook that answers needs it.
    import anyio

    from ..hosts.lazy import open_store
    from ..session import Session
    from .common import Failure, Interrupts
    from .storing import Import

    noted = pending.noted
    if not hosts.keeps_transcript(noted.client, noted.transcript):
        pending.finish()
        return f"{noted.transcript}: is not in the folder of {noted.client}'s transcripts; not read"
    if not noted.transcript.is_file():
        pending.finish()
        return f"{noted.transcript}: is no file; left out"

    # The session is not told its own words, nor of whom it alone has spoken.
    seen = partial(journal.note_seen, noted.session)
    files = [noted.transcript, *_list_memory_files(noted.transcript)]
    work = Import([(one, None) for one in files], None, Interrupts(), told=seen, people=True)

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


def _answer(embedded: str | None, event: str, client: str) -> None:
    chosen = options.read_options()
    with Deadline(chosen.seconds_for(event), client, event):
        journal.note_result(client, event, journal.BEGUN)
        given = hosts.parse_input(asking.read_stdin())
        if answering.settle_event(event, answering.Caller(client, embedded), given, chosen):
            return
        session, text, ids = _make_notes(embedded, event, given, chosen)
        sys.stdout.buffer.write(hosts.make_answer(event, text).encode())
        sys.stdout.flush()
        answering.note_answer(client, event, given, ids)
        if session is not None and session.embedding is not None and session.embedding.is_loading:
            # The end of the program would wait for the model, and the host for the end.
            os._exit(0)


def _make_notes(
    embedded: str | None, event: str, given: hosts.Given, chosen: Options
) -> "tuple[Session | None, str, list[str]]":
    """Return the session, what the model is told, and the ids of the memories in it.

    Words alone find them if the embedding is not loaded in time.
    """
    # Imported here, because Claude Code gives the hook of SessionEnd 1.5 seconds in all.
    import anyio

    from ..hosts.lazy import open_store
    from ..session import Session
    from ..sharing import adopt_shared

    configured = chosen.settings(embedded)

    async def main() -> "tuple[Session | None, str, list[str]]":
        try:
            async with open_store(configured) as store:
                used_s = seconds_since_start()
                patience_s = _patience_s(chosen.seconds_for(event), used_s)
                session = replace(Session.of(store, configured), patience_s=patience_s)
                if not _has_time_to_load(patience_s, used_s):
                    # To begin would only slow down the words.
                    session = replace(session, embedding=None)
                with suppress(StoreError, OSError):
                    await adopt_shared(configured, store, session, may_adopt=False)
                return session, *await answering.make_notes(session, event, given, chosen)
        except NoStore:
            return None, "", []

    return anyio.run(main)


def _has_time_to_load(patience_s: float, used_s: float) -> bool:
    """Tell whether an embedding loads within *patience_s*, if the start took *used_s*."""
    return patience_s >= max(_LOADING_S, _LOADING * used_s)


def _patience_s(seconds: float, used: float) -> float:
    """Return how long an embedding may load, *used* seconds after the start of *seconds* in all.

    A machine that took long to start takes long to answer.
    """
    return seconds - used * (1 + _ANSWER)
