"""Answer hooks in a running server, through a socket that only its user can reach (see `asking`).

A server answers for its own store and user. A hook with other settings is told so, and asks the
next server, or does it itself.
"""

import logging
import os
import socket
import struct
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import anyio
from anyio.abc import Listener, SocketAttribute, SocketListener, SocketStream

from .. import answers
from ..errors import StoreError, one_line
from ..session import Session
from ..settings import Settings, SettingsError
from . import answering, asking, hosts, journal, options
from .hosts import HookError

logger = logging.getLogger(__name__)

_READ_S = 2.0
_PREPARED_AFTER_S = 0.5
# The share of its time for which a hook waits for the model; then words answer.
_LOADING = 0.7
_ANY_PROMPT = "What was said about the weather?"
# The longest path of a socket that all systems take.
_LONGEST_PATH = 100
_FIELDS = 4


class Call(NamedTuple):
    """The message of a hook: the age of its process, its call, its variables, its JSON."""

    age_s: float
    embedded: str | None
    event: str
    client: str
    environment: Mapping[str, str]
    given: bytes


async def answer_hooks(session: Session, settings: Settings, *, is_expected: bool) -> None:
    """Answer the hooks of the store of *session* until cancelled, if the system has such sockets.

    *settings* are those of the server. Where a prompt *is_expected*, its model is loaded first.
    """
    if not hasattr(socket, "AF_UNIX") or not hasattr(os, "getuid"):
        return
    try:
        path = _prepare_path()
        listener = await anyio.create_unix_listener(path, mode=0o600)
    except (OSError, ValueError) as error:
        logger.warning("hooks are not answered by this server: %s", error)
        return
    prepared_after_s = _PREPARED_AFTER_S if is_expected else None
    await _listen(session, settings, listener, path, prepared_after_s=prepared_after_s)


async def answer_until_idle(
    session: Session, settings: Settings, number: int, path: Path, idle_s: float
) -> None:
    """Answer hooks on the socket *number* at *path* until none has come for *idle_s*."""
    listener = await SocketListener.from_socket(number)
    with anyio.CancelScope(deadline=anyio.current_time() + idle_s) as idle:

        def go_on() -> None:
            idle.deadline = anyio.current_time() + idle_s

        await _listen(session, settings, listener, path, prepared_after_s=0.0, on_asked=go_on)


async def _listen(
    session: Session,
    settings: Settings,
    listener: Listener[SocketStream],
    path: Path,
    *,
    prepared_after_s: float | None,
    on_asked: Callable[[], None] = lambda: None,
) -> None:
    async def answer(stream: SocketStream) -> None:
        on_asked()
        async with stream:
            with suppress(anyio.BrokenResourceError, anyio.EndOfStream, OSError):
                if _is_own(stream):
                    await _answer_stream(session, settings, stream)

    try:
        async with listener, anyio.create_task_group() as tasks:
            if prepared_after_s is not None:
                tasks.start_soon(_prepare_session, session, prepared_after_s)
            await listener.serve(answer)
    finally:
        path.unlink(missing_ok=True)


async def _prepare_session(session: Session, after_s: float) -> None:
    """Import and load what the first prompt needs, once the client has shaken hands."""
    await anyio.sleep(after_s)
    with suppress(StoreError):
        await answers.recall(session, _ANY_PROMPT, counts=False)


async def answer_call(session: Session, chosen: options.Options, call: Call) -> str:
    """Return what the hook prints. Failures are logged."""
    event, client = call.event, call.client
    try:
        event = hosts.find_event(event)
        given = hosts.parse_input(call.given)
        environment = {**os.environ, **call.environment}
        caller = answering.Caller(client, call.embedded, environment)
        if answering.settle_event(event, caller, given, chosen):
            return ""
        text, ids = "", list[str]()
        left_s = max(0.0, chosen.seconds_for(event) - call.age_s)
        # Words alone would be another answer, so the model may take all but what these need.
        asked = replace(session, patience_s=left_s * _LOADING)
        with anyio.move_on_after(left_s) as limit:
            text, ids = await answering.make_notes(asked, event, given, chosen)
        if limit.cancelled_caught:
            journal.log_result(client, event, journal.LATE)
            return ""
        answering.note_answer(client, event, given, ids)
        return hosts.make_answer(event, text)
    except (HookError, StoreError, OSError) as error:
        journal.log_result(client, event, f"failed: {one_line(error)}")
        return ""


def _name_store(settings: Settings) -> tuple[object, ...]:
    """Return what must be the same for one server to answer for another's settings."""
    file = settings.embedded
    place = (settings.uri, settings.user) if file is None else file.resolve()
    return place, settings.user_id, settings.concepts


async def _answer_stream(session: Session, settings: Settings, stream: SocketStream) -> None:
    """Answer what is sent on *stream*: first whether it is for this store and user at all."""
    try:
        sent = bytearray()
        with anyio.fail_after(_READ_S):
            async for part in stream:
                sent += part
                if len(sent) > asking.MOST_BYTES:
                    break
        if not sent:
            # Another server looks whether this one still answers.
            return
        call, chosen = read_message(bytes(sent)), options.read_options()
        wanted = chosen.settings(call.embedded, call.environment)
        if _name_store(wanted) != _name_store(settings):
            await stream.send(asking.NOT_MINE)
            return
    except (HookError, SettingsError, TimeoutError) as error:
        # A hook reports what is wrong with its settings itself.
        logger.warning("a hook was not answered: %s", one_line(error))
        await stream.send(asking.NOT_MINE)
        return
    await stream.send(asking.MINE)
    try:
        said = await answer_call(replace(session, zone=wanted.zone), chosen, call)
        await stream.send(said.encode())
    except Exception as error:  # noqa: BLE001
        journal.log_result(call.client, call.event, f"failed: {error!r}")


def read_message(sent: bytes) -> Call:
    """Return what `asking.write_message` wrote. Raises HookError."""
    size = asking.LENGTH + int.from_bytes(sent[: asking.LENGTH], "big")
    if not asking.LENGTH < size <= len(sent) <= asking.MOST_BYTES:
        raise HookError("a message of another form or size")
    told = sent[asking.LENGTH : size].decode(errors="surrogateescape").split("\0")
    try:
        age, store, event, client = told[:_FIELDS]
        age_s = float(age)
    except ValueError:
        raise HookError("a message of another form or size") from None
    named = (one.partition("=") for one in told[_FIELDS:])
    environment = {name: value for name, _, value in named}
    embedded = store.partition("=")[2] if store else None
    return Call(max(0.0, age_s), embedded, event, client, environment, sent[size:])


def _prepare_path() -> Path:
    """Return the path of this server's socket, without what killed servers left there.

    Raises OSError or ValueError.
    """
    asking.make_folder()
    folder = Path(asking.find_folder())
    for file in folder.iterdir():
        if not _is_answered(file):
            file.unlink(missing_ok=True)
    path = folder / str(os.getpid())
    if len(os.fsencode(path)) > _LONGEST_PATH:
        raise ValueError(f"{path}: is too long for a socket")
    return path


def _is_answered(file: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(_READ_S)
        try:
            probe.connect(str(file))
        except TimeoutError:
            return True
        except OSError:
            return False
    return True


def _is_own(stream: SocketStream) -> bool:
    """Return whether the other end is this user's, where the system tells."""
    if not hasattr(socket, "SO_PEERCRED"):
        return True
    made = stream.extra(SocketAttribute.raw_socket)
    size = struct.calcsize("3i")
    _, uid, _ = struct.unpack("3i", made.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size))
    return bool(uid == os.getuid())
