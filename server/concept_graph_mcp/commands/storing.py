"""Ingest histories: files, their marks, what each import brought, and transcripts of hooks."""

import gc
import hashlib
import re
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, cast

import anyio

from conceptgraph_core.errors import ConceptGraphError
from conceptgraph_core.memories import schema
from conceptgraph_core.memories.schema import IMPORTS, KIND

from .. import calls
from ..calls import Call
from ..errors import Refused, StoreError
from ..file_formats import FormatError, Messages, Row, Tally
from ..file_formats.lines import Record
from ..histories import formats, marks, secrets
from ..histories.archives import ArchiveError
from ..histories.conversation import ASSISTANT, USER, Kept, fold_name
from ..histories.formats import History
from ..histories.marks import Mark
from ..hooks import answering, hosts, journal, options
from ..hosts.lazy import open_store
from ..hosts.store import Keeper
from ..observing.people import People
from ..session import Session
from ..settings import Settings
from . import importing
from .common import Failure, Interrupts, progress, report_errors
from .importing import Interrupted

# Memories in one transaction: each may take the facts of several entities with it.
_UNDO_BATCH = 200
_LONGEST_NAME = 40


class Import(NamedTuple):
    """The memories of one import, and the times of the first and the last (unix ms)."""

    import_id: str
    memories: int
    first_at: int
    last_at: int


def name_import(path: Path) -> str:
    """Return the id of what is read from *path*: the same each time, so that it may go on."""
    plain = re.sub(r"[^\w.]+", "-", path.resolve().name).strip("-.")[:_LONGEST_NAME]
    if str(path) == "-":
        return "stdin"
    digest = hashlib.sha256(str(path.resolve()).encode(errors="surrogateescape")).hexdigest()
    return f"{plain or 'import'}-{digest[:6]}"


async def list_imports(session: Session) -> list[Import]:
    """Return the imports of which something is stored, by their ids."""
    found: dict[str, Import] = {}
    async for record in _list_imported(session):
        at = record["said_at"] if record.get("said_at") is not None else record["created_at"]
        for one in record["metadata"][IMPORTS]:
            before = found.get(one, Import(one, 0, at, at))
            times = min(before.first_at, at), max(before.last_at, at)
            found[one] = Import(one, before.memories + 1, *times)
    return [found[one] for one in sorted(found)]


async def retract_import(
    session: Session, import_id: str, interrupts: Interrupts
) -> dict[str, int]:
    """Remove the memories that *import_id* alone brought; return removed and kept.

    A batch is one transaction. After an interruption the same call removes the rest.
    """
    ids = [
        str(record["id"])
        async for record in _list_imported(session)
        if import_id in record["metadata"][IMPORTS]
    ]
    counts = {"removed": 0, "kept": 0}
    for start in range(0, len(ids), _UNDO_BATCH):
        call = calls.ingesting.retract(session.user_id, import_id, ids[start : start + _UNDO_BATCH])
        with interrupts.piece():
            [row] = await session.run(call)
        for name in counts:
            counts[name] += row[name]
    if ids:
        marks.forget_all()
    return counts


async def _list_imported(session: Session) -> AsyncIterator[dict[str, Any]]:
    """Iterate over the records of the user's memories that an import brought."""
    async for batch in session.store.stream(only=calls.users.exported(session.user_id)):
        for record in batch:
            metadata = record.get("metadata")
            if record["kind"] == KIND.kind and isinstance(metadata, dict) and IMPORTS in metadata:
                yield record


class Marking:
    """The mark of a history, which moves with each batch that is in the store."""

    def __init__(self, history: History, how: str, mark: Mark | None) -> None:
        self.mark = mark or Mark()
        self._history = history
        self._how = how
        self._place: Path | None = None

    @classmethod
    async def begun(
        cls, session: Session, history: History, kept: Kept, dry_run: bool
    ) -> "Marking":
        """Return the marking of *history*, at its mark if the store has what was read up to it."""
        how = "" if dry_run or not history.has_marks else f"{history.format} {kept.everything}"
        if how and history.member is not None:
            how += f" {history.member}"
        made = cls(history, how, None)
        file = await made._file(session)
        mark = None if file is None else marks.read(file, history.path)
        if mark is not None and await _has(session, mark.last):
            made.mark = mark
        return made

    async def move(self, session: Session, ids: Sequence[str] = ()) -> None:
        """Write the mark, after the messages with *ids* were stored."""
        if ids:
            self.mark.messages += len(ids)
            self.mark.last = ids[-1]
        file = await self._file(session)
        if file is not None:
            marks.write(file, self._history.path, self.mark)

    async def _file(self, session: Session) -> Path | None:
        """Return the file of the mark; None without a store, or for what has no mark."""
        if self._how and self._place is None:
            store = await cast(Keeper, session.store).identity()
            if store is not None:
                path, user = self._history.path, session.user_id
                self._place = marks.place(store, user, path, self._how)
        return self._place


async def _has(session: Session, memory_id: str | None) -> bool:
    """Return whether the store has the memory: a store that was restored may lack it."""
    if memory_id is None:
        return True
    try:
        await session.run(calls.memory_admin.show(memory_id))
    except Refused:
        return False
    return True


# Bounds of one transaction: messages, and characters.
_BATCH = 1_000
_CHARACTERS = 1_000_000
# The first lines of a file for a new store are read twice, so they are few.
_FIRST = 20
# So many messages are shown by a dry run.
_SAMPLES = 3
# So many people of a chat are named.
_NAMED = 20
# Is called with how much is done.
Tell = Callable[[int], None]
_REFUSED = re.compile(r"message (?P<number>\d+): (?P<reason>.*)", re.DOTALL)


@contextmanager
def without_collecting() -> Iterator[None]:
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
    would store. *told* is called with what of each batch is in the store, as ids with times (unix
    ms): messages, and the people and things that nothing mentioned before.
    """

    def __init__(
        self,
        found: Sequence[tuple[Path, str | None]],
        thread: str | None,
        interrupts: Interrupts,
        *,
        everything: bool = False,
        me: Sequence[str] = (),
        people: bool = False,
        is_import: bool = False,
        dry_run: bool = False,
        told: Callable[[Sequence[tuple[str, int]]], None] | None = None,
    ) -> None:
        self.created = self.existing = 0
        self.tally = Tally()
        self._found = found
        self._thread = thread
        self._me = me
        self._with_people = people
        self._people: People | None = None
        self.mentions = self.entities = 0
        self._is_import = is_import
        self._import: str | None = None
        self.samples: list[Record] = []
        self._interrupts = interrupts
        self._kept = Kept(self.tally, everything, frozenset(map(fold_name, me)))
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
        self._kept = replace(self._kept, zone=session.zone)
        for path, given in self._found:
            self._import = name_import(path) if self._is_import else None
            with report_errors(path):
                try:
                    await self._all_of(session, path, given)
                except ArchiveError as error:
                    raise Failure(f"{path}: {error}; {self._so_far()}") from None

    async def _all_of(self, session: Session, path: Path, given: str | None) -> None:
        is_folder, is_known, done = path.is_dir(), False, 0
        found = list(formats.histories(path, given))
        if [file for file, history in found if history is None] == [path]:
            await self._messages_of(session, path)
            return
        sizes = [_size(history) for _, history in found]
        total = sum(sizes) or None
        with progress(f"reading {path.name}", total) as tell_done:
            # Without sizes, as in an archive, messages are counted.
            tell = tell_done if total else lambda _: tell_done(self.created + self.existing)
            for (file, history), size in zip(formats.with_open_archives(found), sizes, strict=True):
                if isinstance(history, OSError):
                    self._leave_out(history)
                elif isinstance(history, FormatError):
                    self.tally.left_out("archives with an error", f"{file}: {history}")
                elif history is not None:
                    is_known = True
                    await self._history(session, history, not is_folder, partial(_add, tell, done))
                else:
                    self.tally.left_out("files of no known format", file.name)
                done += size
                tell(done)
        if not is_known and not is_folder:
            raise ArchiveError("is an archive without a history of a known format")

    async def _history(
        self, session: Session, history: History, is_alone: bool, tell: Tell
    ) -> None:
        """Ingest the messages of *history*; *tell* is called with the bytes that are read."""
        self._where = "" if is_alone else f"{history.path.parent / history.name}: "
        if history.format == formats.OURS:
            await self._messages_of(session, history.path, tell)
            return
        if history.format in formats.GROUPS:
            self._know_user(history, is_alone)
        messages = Messages(session.user_id, session.zone, self._thread, tally=self.tally)
        self._marking = await Marking.begun(session, history, self._kept, self._dry_run)
        mark = self._marking.mark
        self.existing += mark.messages
        try:
            rows = messages.of_history(history.messages(self._kept, mark))
            await self._all(session, rows, lambda: tell(mark.offset))
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

    def _know_user(self, history: History, is_alone: bool) -> None:
        """Raise Failure if nobody in *history*, in which several people speak, is the user."""
        with self._telling():
            speakers = formats.count_speakers(history, self._kept)
        if not speakers or USER in speakers:
            return
        shown = [f"{name} ({count:,})" for name, count in speakers.most_common(_NAMED)]
        more = ", …" if len(speakers) > _NAMED else ""
        asked = "nobody in it has the name of --me;" if self._kept.me else "whose words are yours?"
        where = history.path.name if is_alone else history.path.parent / history.name
        raise Failure(f"{where}: {asked} say --me NAME, one of {', '.join(shown)}{more}")

    def _leave_out(self, error: OSError) -> None:
        self.tally.left_out("files that cannot be read", f"{error.filename}: {error.strerror}")

    async def _messages_of(self, session: Session, file: Path, tell: Tell | None = None) -> None:
        """Ingest the lines of *file*, with a bar of their own unless there is one to *tell*."""
        messages = Messages(session.user_id, session.zone, self._thread, tally=self.tally)
        with importing.opened(file) as stream:
            self._lines = importing.count_lines(stream.buffer)
            rows = messages.rows(stream)
            if tell is not None:
                await self._all(session, rows, by_silence=True)
                return
            with progress("ingesting lines", self._lines) as tell_line:
                await self._all(session, rows, lambda: tell_line(self._done), by_silence=True)

    async def _all(
        self,
        session: Session,
        source: Iterator[Row],
        tell: Callable[[], None] = lambda: None,
        *,
        by_silence: bool = False,
    ) -> None:
        self._done = 0
        rows = _Rows(source)
        if self._with_people and not self._dry_run:
            self._people = People(session, self._me, by_silence=by_silence)
        with self._telling():
            for batch in _batches(rows):
                with self._interrupts.piece():
                    await self._ingest(session, batch)
                tell()
                # The young objects alone: a few cycles a message fill the memory with a long file.
                gc.collect(0)
            if self._people is not None:
                await self._people.finish()
                self.mentions += self._people.mentions
                self.entities += self._people.entities
                self._people = None
            if rows.error is not None:
                raise rows.error

    def interrupted(self) -> Interrupted:
        """Return the error for a Ctrl-C."""
        return Interrupted(f"interrupted; {self._so_far()}; the same command goes on from here")

    async def _ingest(self, session: Session, batch: list[Row]) -> None:
        batch = [self._prepare(row) for row in batch]
        if self._dry_run:
            self.created += len(batch)
            self._take_samples(batch)
            return
        before, entities = self.existing, list[tuple[str, int]]()
        if self._people is not None:
            new, entities = await self._observe(session, batch, self._people)
        else:
            new = await self._unknown(session, batch) if self._recurs else batch
        if new:
            made = await self._run(session, partial(calls.ingesting.ingest, session.user_id), new)
            self.created += made["created"]
            self.existing += made["existing"]
            self._tell_differing(new, set(made["differing"]))
        self._recurs = self.existing > before
        if self._told is not None:
            records = (row.record for row in batch)
            self._told([*((one["id"], one["said_at"]) for one in records), *entities])
        self._done = batch[-1].line
        if self._marking is not None:
            await self._marking.move(session, [row.record["id"] for row in batch])

    async def _observe(
        self, session: Session, batch: list[Row], people: People
    ) -> tuple[list[Row], list[tuple[str, int]]]:
        """Observe the people in those of *batch* that are not stored yet, and return both.

        A message is stored after that, so that a stored one has been observed.
        """
        records = [row.record for row in batch]
        named = zip(records, people.name_sessions(records), strict=True)
        sessions = {record["id"]: session_id for record, session_id in named}
        new = await self._unknown(session, batch)
        made = await people.observe((row.record, sessions[row.record["id"]]) for row in new)
        return new, made

    def _prepare(self, row: Row) -> Row:
        """Return *row* without the secrets of its text, and with notes on where it comes from."""
        text = secrets.redact_text(row.record["text"], self.tally)
        metadata = {**row.record.get("metadata", {})}
        if self._import is not None:
            metadata[schema.IMPORTS] = [self._import]
        if self._with_people:
            metadata[schema.OBSERVED] = True
        return replace(row, record={**row.record, "text": text, "metadata": metadata})

    def _take_samples(self, batch: Sequence[Row]) -> None:
        """Keep a few of the messages of *batch*, each of another thread, and of no program."""
        for record in (row.record for row in batch):
            threads = [one["thread"] for one in self.samples]
            if len(self.samples) == _SAMPLES:
                return
            if record["speaker"] != ASSISTANT and record["thread"] not in threads:
                self.samples.append(record)

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


def _size(history: History | Exception | None) -> int:
    """Return the bytes of the file of *history*; those in an archive or a folder are not known."""
    if not isinstance(history, History) or history.member is not None:
        return 0
    return history.path.stat().st_size if history.path.is_file() else 0


def _add(tell: Tell, before: int, done: int) -> None:
    tell(before + done)


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
