"""Store the messages of conversations as memories, without any model (`ingest`)."""

import gc
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path

import click

from conceptgraph_core import text
from conceptgraph_core.errors import ConceptGraphError

from .. import calls
from ..calls import Call
from ..errors import StoreError
from ..file_formats import FormatError, Messages, Row, Tally, notes
from ..file_formats.lines import Record
from ..histories import formats, markdown, secrets
from ..histories.conversation import Kept
from ..histories.formats import History
from ..session import Session
from . import importing, notes_folder, output
from .common import PATH, Failure, note_vectors, with_session
from .importing import Interrupted
from .interrupts import Interrupts
from .marking import Marking
from .notes import note
from .progress import progress

# Bounds of one transaction: messages, and characters.
_BATCH = 1_000
_CHARACTERS = 1_000_000
# The first lines of a file for a new store are read twice, so they are few.
_FIRST = 20
_REFUSED = re.compile(r"message (?P<number>\d+): (?P<reason>.*)", re.DOTALL)


@click.command()
@click.argument("path", metavar="[PATH]", type=PATH, required=False)
@click.option(
    "--from",
    "given",
    type=click.Choice(formats.NAMES),
    help="The format; default: detected from the content.",
)
@click.option("--thread", metavar="NAME", help="The conversation of lines without one.")
@click.option(
    "--discover", is_flag=True, help="Find the sessions that agents have left on this machine."
)
@click.option("--everything", is_flag=True, help="Also code, diffs and the output of tools.")
@click.option(
    "--forget-deleted",
    is_flag=True,
    help="Forget memories deleted from exported notes; asks first.",
)
@click.option("--dry-run", is_flag=True, help="Only read, and print what would be stored.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def ingest(
    embedded: str | None,
    /,
    path: Path | None,
    given: str | None,
    thread: str | None,
    *,
    discover: bool,
    everything: bool,
    forget_deleted: bool,
    dry_run: bool,
    yes: bool,
) -> None:
    """Store each message of PATH, a file or a folder ("-": stdin), as a memory, without a model.

    \b
    Read are
      messages     JSON objects, a line each, with text, thread, time_ms (or
                   created_at), speaker (or role), and id
      claude-code  sessions of Claude Code (~/.claude/projects)
      codex        sessions of Codex (~/.codex/sessions)
      chatgpt      the export of ChatGPT (conversations.json)
      claude-ai    the export of Claude.ai (conversations.json)
      markdown     notes; the text below each heading is a memory
      mem0         what get_all of mem0 returns

    It stores the words of conversations: no code, no diff, no output of a tool. Secrets
    are replaced by their kind. Stored messages stay as they are, so a file can be ingested again,
    after it has grown or after an interruption. Lines that differ from the stored message are
    reported. Messages of a thread keep the order of their lines.
    """
    if (path is None) != discover:
        raise click.UsageError("name a file or a folder, or say --discover")
    if thread is not None:
        try:
            text.name(thread, "--thread")
        except ConceptGraphError as error:
            raise Failure(str(error)) from None
    if forget_deleted and path is None:
        raise click.UsageError("--forget-deleted: name the folder of the notes")
    found = _agreed(yes or dry_run) if path is None else [(path, given)]
    with Interrupts() as interrupts, _uncollected():
        work = Ingest(found, thread, interrupts, everything=everything, dry_run=dry_run)
        try:
            with_session(embedded, work.run, creates=True)
        except KeyboardInterrupt:
            raise work.interrupted() from None
    if forget_deleted and path is not None:
        forgetting = partial(notes_folder.forget_deleted, folder=path, dry_run=dry_run, yes=yes)
        note(f"forgotten: {with_session(embedded, forgetting):,}")
    if dry_run:
        note(f"to ingest: {work.created:,}; nothing was stored: a dry run.")
    else:
        note(f"ingested: {work.created:,}, there already: {work.existing:,}")
        if work.created:
            note_vectors()
    for line in work.tally.lines():
        note(line)


def _agreed(yes: bool) -> list[tuple[Path, str | None]]:
    """Show the histories on this machine, and return those that the user wants."""
    # Imports what a terminal needs, which no other ingest does.
    from .terminal import say

    found = list(formats.discover_histories())
    if not found:
        raise Failure("no agent has left a history where one is known to be")
    for one in found:
        first, last = (f"{datetime.fromtimestamp(at):%Y-%m-%d}" for at in (one.first, one.last))
        size = f"{one.size / 1_000_000:,.1f} MB"
        say(f"{one.format}: {len(one.files):,} sessions, {first} to {last}, {size}: {one.folder}")
    if not yes:
        click.confirm("Ingest them?", abort=True)
    return [(one.folder, one.format) for one in found]


@contextmanager
def _uncollected() -> Iterator[None]:
    """Disable cyclic garbage collection meanwhile.

    Ingesting makes few cycles, which each batch collects, and a scan visits all objects. This saves
    a tenth of the time.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class Ingest:
    """Messages of files, stored in batches of one transaction each.

    *found* are files or folders and their format, if it is given. `created` counts what a dry run
    would store. *told* is called with the rows of each batch that is in the store.
    """

    def __init__(
        self,
        found: Sequence[tuple[Path, str | None]],
        thread: str | None,
        interrupts: Interrupts,
        *,
        everything: bool = False,
        dry_run: bool = False,
        told: Callable[[Sequence[Row]], None] | None = None,
    ) -> None:
        self.created = self.existing = 0
        self.tally = Tally()
        self._found = found
        self._thread = thread
        self._interrupts = interrupts
        self._kept = Kept(self.tally, everything)
        self._dry_run = dry_run
        self._told = told
        self._marking: Marking | None = None
        # Whether the last batch had stored messages, so that the next one may have such too.
        self._recurs = False
        self._where = ""
        self._lines: int | None = None
        self._done = 0

    async def run(self, session: Session) -> None:
        """Ingest the files. Raises Failure, which says how much was stored."""
        for path, given in self._found:
            with output.told(path):
                is_alone = not path.is_dir()
                for file, history in formats.histories(path, given):
                    if isinstance(history, OSError):
                        self._leave_out(history)
                    elif history is not None:
                        await self._history(session, history, is_alone)
                    elif is_alone:
                        await self._messages_of(session, file)
                    else:
                        self.tally.left_out("files of no known format", str(file))

    async def _history(self, session: Session, history: History, is_alone: bool) -> None:
        self._where = "" if is_alone else f"{history.path}: "
        if history.format == formats.OURS:
            await self._messages_of(session, history.path)
            return
        if history.format == markdown.NAME and await self._taken_back(session, history.path):
            return
        messages = Messages(session.user_id, session.zone, self._thread, tally=self.tally)
        self._marking = await Marking.begun(session, history, self._kept, self._dry_run)
        mark = self._marking.mark
        self.existing += mark.messages
        try:
            rows = messages.of_history(history.messages(self._kept, mark))
            await self._all(session, rows, f"reading {history.path.name}", None)
            await self._marking.move(session)
        except OSError as error:
            if is_alone:
                raise
            self._leave_out(error)
        except Failure as error:
            # The other files of a folder are worth reading all the same.
            if is_alone:
                raise
            self.tally.left_out("the rest of files with an error", str(error))
        finally:
            self._marking = None

    async def _taken_back(self, session: Session, file: Path) -> bool:
        """Take back the edits of notes that `export` wrote; return whether *file* has such."""
        if file.stat().st_size > markdown.MOST_BYTES:
            return False
        text = file.read_text(encoding="utf-8", errors="replace")
        kind = notes.kind(text)
        if kind == notes.ENTITY:
            self.tally.left_out("notes of entities, which are only read")
        elif kind == notes.MONTH:
            taking = notes_folder.TakingBack(session, self.tally, self._dry_run)
            with self._telling():
                await taking.file(text)
            self.created += taking.created
            self.existing += taking.existing
            messages = Messages(session.user_id, session.zone, self._thread, tally=self.tally)
            new = taking.messages(int(file.stat().st_mtime * 1000))
            await self._all(session, messages.of_history(new), f"reading {file.name}", None)
        return kind is not None

    def _leave_out(self, error: OSError) -> None:
        self.tally.left_out("files that cannot be read", f"{error.filename}: {error.strerror}")

    async def _messages_of(self, session: Session, file: Path) -> None:
        messages = Messages(session.user_id, session.zone, self._thread, tally=self.tally)
        with importing.opened(file) as stream:
            self._lines = importing.count_lines(stream.buffer)
            await self._all(session, messages.rows(stream), "ingesting lines", self._lines)

    async def _all(
        self, session: Session, source: Iterator[Row], what: str, total: int | None
    ) -> None:
        self._done = 0
        rows = _Rows(source)
        with progress(what, total) as tell, self._telling():
            for batch in _batches(rows):
                with self._interrupts.piece():
                    await self._ingest(session, batch)
                tell(self._done)
                # The young objects alone: a few cycles a message fill the memory with a long file.
                gc.collect(0)
            if rows.error is not None:
                raise rows.error

    def interrupted(self) -> Interrupted:
        """Return the error for a Ctrl-C."""
        return Interrupted(f"interrupted; {self._so_far()}; the same command goes on from here")

    async def _ingest(self, session: Session, batch: list[Row]) -> None:
        batch = [_redacted(row, self.tally) for row in batch]
        if self._dry_run:
            self.created += len(batch)
            return
        before = self.existing
        if new := await self._unknown(session, batch) if self._recurs else batch:
            made = await self._run(session, partial(calls.ingesting.ingest, session.user_id), new)
            self.created += made["created"]
            self.existing += made["existing"]
            self._tell_differing(new, set(made["differing"]))
        self._recurs = self.existing > before
        if self._told is not None:
            self._told(batch)
        self._done = batch[-1].line
        if self._marking is not None:
            await self._marking.move(session, [row.record["id"] for row in batch])

    async def _unknown(self, session: Session, batch: list[Row]) -> list[Row]:
        """Return those of *batch* that are not stored; it is cheaper than to ingest the others."""
        found = await self._run(session, calls.ingesting.ingested, batch)
        self.existing += len(found["existing"])
        self._tell_differing(batch, set(found["differing"]))
        known = set(found["existing"])
        return [row for row in batch if row.record["id"] not in known]

    async def _run(
        self, session: Session, call: Callable[[list[Record]], Call], batch: list[Row]
    ) -> Record:
        """Run the call for the messages of *batch*. Raises FormatError, which names one of them."""
        try:
            [made] = await session.run(call([row.record for row in batch]))
        except (StoreError, ConceptGraphError) as error:
            refused = _REFUSED.fullmatch(str(error))
            if refused is None:
                raise
            place = batch[int(refused["number"])].place
            raise FormatError(f"{place}: {refused['reason']}") from None
        return made

    def _tell_differing(self, batch: list[Row], ids: set[str]) -> None:
        for row in batch if ids else ():
            if row.record["id"] in ids:
                what = "with another text, speaker or time, and left so"
                self.tally.there_already(what, row.place)

    @contextmanager
    def _telling(self) -> Iterator[None]:
        try:
            yield
        except (FormatError, StoreError, ConceptGraphError) as error:
            raise Failure(f"{self._where}{error}; {self._so_far()}") from None

    def _so_far(self) -> str:
        torn = self._interrupts.torn
        if not self._done:
            return "a part of it may be in" if torn else "nothing was ingested"
        of_all = f" of {self._lines:,}" if self._lines else ""
        return f"all up to line {self._done:,}{of_all} is in{', perhaps more' if torn else ''}"


def _redacted(row: Row, tally: Tally) -> Row:
    """Return *row* without the secrets of its text."""
    text = secrets.redact_text(row.record["text"], tally)
    return replace(row, record={**row.record, "text": text})


class _Rows:
    """The rows of a file before the first wrong line, whose `error` is kept meanwhile."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self.error: FormatError | None = None
        self._rows = rows

    def __iter__(self) -> Iterator[Row]:
        try:
            yield from self._rows
        except FormatError as error:
            self.error = error


def _batches(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Iterate over *rows* in batches of bounded size."""
    batch: list[Row] = []
    characters, most = 0, min(_FIRST, _BATCH)
    for row in rows:
        batch.append(row)
        characters += len(row.record["text"])
        if len(batch) >= most or characters >= _CHARACTERS:
            yield batch
            batch, characters, most = [], 0, _BATCH
    if batch:
        yield batch
