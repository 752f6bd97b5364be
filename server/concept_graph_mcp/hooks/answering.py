"""Answer an event of a host: the same for a server that is asked, and for a process of its own."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from . import hosts, journal

if TYPE_CHECKING:
    from ..session import Session
    from .options import Options

# The name of the process that ingests, in its command line and in the journal.
CAPTURE: Final = "capture"
MODULE: Final = __package__.partition(".")[0]


class Caller(NamedTuple):
    """A client that starts a hook, with an option of the store and its variables, if told."""

    client: str
    embedded: str | None
    environment: Mapping[str, str] | None = None


def settle_event(event: str, caller: Caller, given: hosts.Given, chosen: "Options") -> bool:
    """Do what needs no store, and return whether nothing is left to do."""
    client = caller.client
    if chosen.is_off(given.cwd):
        journal.note_result(client, event, "off for this folder")
        return True
    if event in (hosts.COMPACT, hosts.STOP, hosts.END):
        _note_transcript(event, caller, given)
        return True
    if event == hosts.START:
        if given.source in hosts.FORGOTTEN:
            journal.forget_seen(given.session)
        start_capture(caller)
    return False


async def make_notes(
    session: "Session", event: str, given: hosts.Given, chosen: "Options"
) -> tuple[str, list[str]]:
    """Return what the model is told at *event*, and the ids of the memories in it.

    Raises StoreError.
    """
    # Imported here, because the events that only note a transcript have little time.
    from . import notes

    seen, folder = journal.list_seen(given.session), str(given.cwd)
    if event == hosts.PROMPT:
        budget = chosen.prompt_tokens
        return await notes.make_notes_on_prompt(session, given.prompt, folder, budget, seen)
    budget, days = chosen.start_tokens, chosen.days
    return await notes.make_notes_on_session(session, folder, budget, days, seen)


def note_answer(client: str, event: str, given: hosts.Given, ids: list[str]) -> None:
    """Note what the model was told."""
    journal.note_seen(given.session, ((one, sys.maxsize) for one in ids))
    told = f"{len(ids)} note{'s' * (len(ids) > 1)}" if ids else "nothing to say"
    journal.note_result(client, event, told)


def start_capture(caller: Caller) -> None:
    """Start a process that ingests what is noted; the host waits neither for it nor its end."""
    if next(journal.list_pending(), None) is None:
        return
    embedded = caller.embedded
    of_store = [] if embedded is None else [f"--embedded={embedded}"]
    log = journal.notes_folder() / journal.LOG
    with log.open("ab") as errors, Path(os.devnull).open("r+b") as nothing:
        subprocess.Popen(
            [sys.executable, "-m", MODULE, *of_store, "hook", CAPTURE, "--client", caller.client],
            stdin=nothing,
            stdout=nothing,
            stderr=errors,
            start_new_session=True,
            cwd=Path(sys.executable).anchor,
            env=caller.environment,
        )


def _note_transcript(event: str, caller: Caller, given: hosts.Given) -> None:
    client = caller.client
    if given.transcript is None:
        journal.note_result(client, event, "the host keeps no transcript")
        return
    journal.note(journal.Noted(given.transcript, given.session, client))
    if event != hosts.STOP or journal.is_due(given.session):
        start_capture(caller)
    journal.note_result(client, event, "transcript noted")
