"""Observe people in messages (`observe`), and fill concepts with a model's help (`backfill`)."""

import os
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

import click

from conceptgraph_core.entities import rule_extractor
from conceptgraph_core.memories.schema import is_forgotten
from conceptgraph_core.verbs import limits
from conceptgraph_core.verbs.errors import ConceptGraphError

from .. import calls
from ..calls.call import spoken
from ..errors import Refused, StoreError
from ..extras.chat_model import ModelError, OpenAIModel, find_endpoint
from ..file_formats.lines import FormatError, Row
from ..file_formats.messages import Messages
from ..observing import extraction
from ..observing.extraction import (
    BEFORE,
    CoreferenceError,
    Extracted,
    Meant,
    Resolver,
    Said,
    extract_observations,
)
from ..observing.sessions import Open, Sessions, Speakers, candidates
from ..session import Session
from . import common
from .common import (
    AS_JSON,
    FILE,
    THREAD,
    Failure,
    Interrupts,
    configured,
    note,
    print_json,
    progress,
    report_errors,
    with_session,
)
from .storing import Interrupted

_NAMED = 5
# Counted besides, where there is any.
_OTHERS = (
    "messages forgotten as memories, left out",
    "answers of no use, told without the model",
    "claims of the model refused",
)


@click.command()
@click.argument("file", metavar="MESSAGES.jsonl", type=FILE)
@click.option("--model", metavar="NAME", help="Let this model find the mentions in each message.")
@click.option(
    "--user",
    "users",
    metavar="NAME",
    multiple=True,
    help="The user's name there; default: user. May be given again.",
)
@click.option("--coref", is_flag=True, help="Resolve pronouns (extra coref).")
@THREAD
@click.option(
    "--from-line",
    type=click.IntRange(min=1),
    default=1,
    metavar="N",
    help="Continue from this line; earlier lines are already stored.",
)
@AS_JSON
@click.pass_obj
def observe(
    embedded: str | None,
    /,
    file: Path,
    *,
    model: str | None,
    users: tuple[str, ...],
    coref: bool,
    thread: str | None,
    from_line: int,
    as_json: bool,
) -> None:
    """Observe who and what each message of MESSAGES.jsonl ("-": stdin) mentions.

    A line is a JSON object as `ingest` takes it: text, thread, time_ms (or created_at), speaker (or
    role), and id. A thread that is silent for an hour has ended; what is said later is another
    session. A message that was observed before counts no more, so that a file can come again.

    Without --model names, kin, preferences, dates and what users say of themselves are found.

    \b
    A model is any that can call tools, behind an OpenAI-compatible endpoint:
      OPENAI_BASE_URL    where it is, default https://api.openai.com/v1
      OPENAI_API_KEY     the key, where one is needed
    """
    try:
        opened = None if model is None else OpenAIModel(find_endpoint(os.environ, model))
        resolver = extraction.FastCoref() if coref else None
    except (ModelError, CoreferenceError) as error:
        raise Failure(str(error)) from None
    with report_errors(file), common.opened(file) as stream, Interrupts() as interrupts:
        work = _Observing(stream, (thread, users, from_line), opened, resolver, interrupts)
        try:
            with_session(embedded, work.run, creates=True)
        except KeyboardInterrupt:
            raise work.interrupted() from None
    if as_json:
        print_json(work.describe())
    else:
        for line in work.notes():
            note(line)


async def _is_forgotten(session: Session, memory_id: str) -> bool:
    """Tell whether `ingest` stored the message of that id as a memory that was forgotten since."""
    try:
        [row] = await session.run(calls.memories.show(memory_id))
    except Refused:
        return False
    return is_forgotten(row.get)


class _Observing:
    """The messages of one file, each stored in one transaction."""

    def __init__(
        self,
        stream: TextIO,
        said: tuple[str | None, tuple[str, ...], int],
        model: OpenAIModel | None,
        resolver: Resolver | None,
        interrupts: Interrupts,
    ) -> None:
        self._stream = stream
        self._lines = common.count_lines(stream.buffer)
        self._thread, self._users, self._from_line = said
        self._model, self._resolver, self._interrupts = model, resolver, interrupts
        self._messages: Messages | None = None
        self._speakers: Speakers | None = None
        self._sessions = Sessions()
        self._before: dict[str, deque[Said]] = {}
        self._counts: Counter[str] = Counter()
        self._line = self._done = 0

    async def run(self, session: Session) -> None:
        """Observe the file. Raises Failure, which says how much was stored."""
        longest = limits.MAX_SUMMARY
        self._messages = Messages(session.user_id, session.zone, self._thread, longest)
        self._speakers = Speakers(session.user_id, self._users)
        try:
            with progress("observing lines", self._lines) as tell, self._telling():
                for row in self._messages.rows(self._stream):
                    self._line = row.line
                    with self._interrupts.piece():
                        await self._message(session, row, self._speakers)
                    self._done = row.line
                    tell(row.line)
                for ended in self._sessions.rest():
                    with self._interrupts.piece():
                        await self._end(session, ended)
        finally:
            if self._model is not None:
                await self._model.close()

    def interrupted(self) -> Interrupted:
        """Return the error for a Ctrl-C."""
        return Interrupted(f"interrupted; {self._so_far()}")

    def describe(self) -> dict[str, Any]:
        """Return the counts of `notes`."""
        counts = self._counts
        numbers = {key: counts[key] for key in ("messages", "sessions", "mentions", "new")}
        others = {what: counts[what] for what in _OTHERS if counts[what]}
        tally = {} if self._messages is None else self._messages.tally.counts()
        return {**numbers, "counts": {**others, **tally}}

    def notes(self) -> Iterator[str]:
        """Iterate over the notes that are printed at the end."""
        counts = self._counts
        yield (
            f"observed: {counts['messages']:,} messages in {counts['sessions']:,} sessions,"
            f" {counts['mentions']:,} mentions of {counts['new']:,} new entities and known ones"
        )
        for what in _OTHERS:
            if counts[what]:
                yield f"{what}: {counts[what]:,}"
        if self._messages is not None:
            yield from self._messages.tally.lines()
        if self._speakers is not None and counts["messages"] and not self._speakers.user_spoke:
            others = self._speakers.other_speakers
            shown = ", ".join(others[:_NAMED]) + (", …" if len(others) > _NAMED else "")
            yield f"The user said nothing, so all is inferred. --user says who it is: {shown}"

    async def _message(self, session: Session, row: Row, speakers: Speakers) -> None:
        record = row.record
        session_id, ended = self._sessions.assign_session(record["thread"], record["said_at"])
        message = Said(speakers.find_role(record["speaker"]), record["text"])
        before = self._before.setdefault(session_id, deque(maxlen=BEFORE))
        if row.line >= self._from_line:
            for one in ended:
                await self._end(session, one)
            await self._observe(session, session_id, record, message)
        for one in ended:
            self._before.pop(one.session_id, None)
        before.append(message)

    async def _observe(
        self, session: Session, session_id: str, record: dict[str, Any], message: Said
    ) -> None:
        session.clock.set(record["said_at"])
        if await _is_forgotten(session, record["id"]):
            self._counts["messages forgotten as memories, left out"] += 1
            return
        told = await self._told(session, session_id, message)
        self._counts["messages"] += 1
        if told is None:
            return
        own = record.get("metadata", {}).get("message_id")
        call = calls.entities.observe(
            *(session_id, own or record["id"], message.speaker, message.text),
            told.observations,
            relations=told.relations,
        )
        [row] = await session.run(call)
        self._counts["mentions"] += len(row["entities"])
        self._counts["new"] += sum(one["created"] for one in row["entities"])

    async def _told(self, session: Session, session_id: str, message: Said) -> Extracted | None:
        """Return the observations: empty for the built-in extractor, None if there are none."""
        message, found = self._resolved(session_id, message)
        if self._model is None:

            def extract(text: str) -> list[dict[str, Any]]:
                role = message.speaker
                return rule_extractor.observations(text, spoken(), role, with_known=True)

            said = message.text
            rows = extraction.observations(said, found, extract) if found else extract(said)
            return Extracted(rows) if rows else None
        known = await candidates(session, message.text)
        made = await extract_observations(
            self._model, list(self._before[session_id]), message, known
        )
        if made is None:
            self._counts["answers of no use, told without the model"] += 1
            return Extracted()
        self._counts["claims of the model refused"] += made.refused
        return made if made.observations else None

    def _resolved(self, session_id: str, message: Said) -> tuple[Said, list[Meant]]:
        """Return *message* with notes on its pronouns, and those notes."""
        if self._resolver is None:
            return message, []
        before = [one.text for one in self._before[session_id]]
        found = extraction.find_pronouns(self._resolver, before, message.text)
        return replace(message, notes=extraction.notes(found)), found

    async def _end(self, session: Session, ended: Open) -> None:
        session.clock.set(ended.last_ms)
        self._counts["sessions"] += 1
        try:
            await session.run(calls.entities.end_session(ended.session_id, session.user_id))
        except Refused as refused:
            # A session in which a model found nothing has no entities.
            if "nothing was observed" not in str(refused):
                raise

    @contextmanager
    def _telling(self) -> Iterator[None]:
        try:
            yield
        except FormatError as error:
            raise Failure(f"{error}; {self._so_far()}") from None
        except (StoreError, ConceptGraphError, ModelError, CoreferenceError) as error:
            raise Failure(f"line {self._line}: {error}; {self._so_far()}") from None

    def _so_far(self) -> str:
        if not self._done:
            return "nothing was observed"
        of_all = f" of {self._lines:,}" if self._lines else ""
        return (
            f"all up to line {self._done:,}{of_all} is in;"
            f" the same command with --from-line {self._done + 1} goes on from here"
        )


_WHOLE = click.IntRange(min=1)


@click.command()
@click.option("--user-id", required=True, metavar="ID", help="The user whose memory is built.")
@click.option(
    "--days-per-chunk", required=True, type=_WHOLE, metavar="N", help="Local days in a chunk."
)
@click.option(
    "--max-chunks", type=_WHOLE, metavar="N", help="At most this many chunks with messages."
)
@click.option("--since-chunk", type=_WHOLE, default=1, metavar="N", help="Begin with this chunk.")
@click.argument("messages", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.pass_obj
def backfill(
    embedded: str | None,
    /,
    *,
    messages: Path,
    user_id: str,
    days_per_chunk: int,
    max_chunks: int | None,
    since_chunk: int,
) -> None:
    """Turn MESSAGES, a history of conversations, into concepts and episodes, with a model's help.

    MESSAGES has a JSON object a line, in time order: role, text, created_at (unix ms or ISO 8601),
    thread, user_id. All threads count in which the user speaks.

    It is not idempotent: a chunk that is read twice is remembered twice. Begin with `reset`, or in
    a store of its own.

    \b
    The model is any that can call tools, behind any OpenAI-compatible endpoint;
    the extra backfill has its client:
      OPENAI_MODEL       what it is called
      OPENAI_BASE_URL    where it is, default https://api.openai.com/v1
      OPENAI_API_KEY     the key, where one is needed
    """
    # Imported only here, because an MCP client takes a second to import; --help needs none.
    from mcp.client.client import Client

    from ..extras.backfill import BackfillError, chunks, live_through
    from ..serving import build

    try:
        zone = configured(embedded).zone
        found, left_out = chunks(messages, zone, user_id, days_per_chunk)
        model = OpenAIModel(find_endpoint(os.environ))
    except (BackfillError, ModelError) as error:
        raise Failure(str(error)) from None
    wanted = [one for one in found if one.number >= since_chunk]
    if not wanted:
        raise Failure(f"--since-chunk {since_chunk}: the last chunk is {found[-1].number}")
    if left_out:
        note(f"{left_out:,} messages are left out: in other threads, or before the first day.")
    at = since_chunk

    async def work(session: Session) -> None:
        nonlocal at
        failed = ""
        # The server closes the store at its end, so all chunks have one.
        server = build(session, with_set_time=True, toolsets=("concept",))
        async with Client(server) as client:
            try:
                for chunk in wanted[:max_chunks]:
                    at = chunk.number
                    spent = await live_through(client, model, user_id, chunk)
                    note(
                        f"chunk {at}, {chunk.first_day} to {chunk.last_day}:"
                        f" {len(chunk.messages):,} messages, {spent.calls:,} calls,"
                        f" {spent.tokens_in:,} + {spent.tokens_out:,} tokens"
                    )
            except (BackfillError, ModelError) as error:
                # Raised out there, because the client would wrap it in a group.
                failed = str(error)
            finally:
                await model.close()
        if failed:
            raise Failure(f"chunk {at}: {failed}; {_continue(at)}")
        if left := [one.number for one in wanted[max_chunks:]] if max_chunks else []:
            note(f"{len(left):,} chunks are left; continue with --since-chunk {left[0]}.")

    try:
        with_session(embedded, work, creates=True)
    except KeyboardInterrupt:
        raise Failure(f"chunk {at}: interrupted; {_continue(at)}") from None


def _continue(number: int) -> str:
    return (
        f"the chunks before it are whole, and it may be in part: restore a backup, or repeat it"
        f" with --since-chunk {number}"
    )
