"""Store what `import` and hooks read: messages, notes, and records of the graph."""

import gc
import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import cast

from conceptgraph_core.concepts.schema import LAYER as CONCEPTS
from conceptgraph_core.concepts.schema import SCOPE
from conceptgraph_core.graph.layers import SHARED
from conceptgraph_core.memories import schema
from conceptgraph_core.texts.text import show_name
from conceptgraph_core.transfer.registry import LAYERS
from conceptgraph_core.verbs import decaying
from conceptgraph_core.verbs.errors import ConceptGraphError

from .. import answers, calls
from ..calls import Call
from ..errors import Refused, StoreError
from ..file_formats.lines import NOTE, FormatError, Naming, Record, Row, Tally
from ..file_formats.messages import Messages
from ..histories import formats, marks, secrets
from ..histories.archives import ArchiveError
from ..histories.conversation import ASSISTANT, USER, Kept, fold_name
from ..histories.formats import Reading, Source
from ..histories.marks import Mark
from ..hosts.store import Keeper
from ..observing.sessions import People
from ..session import Session
from .common import Failure, Interrupts, count_lines, opened_bytes, progress, report_errors

_LONGEST_NAME = 40
_KINDS = frozenset(kind.kind for layer in LAYERS for kind in layer.nodes)
_CONCEPTS = frozenset((CONCEPTS.edge_kind, *(kind.kind for kind in CONCEPTS.nodes)))
# Names of the counts, by kind of record.
_MEASURES = {kind.kind: kind.measure for layer in LAYERS for kind in layer.nodes}
_MEASURES |= {layer.edge_kind: f"{layer.edge_kind}s" for layer in LAYERS}
_MEASURES[NOTE] = "notes"
_EPISODE = re.compile(r"\d{8}/(?P<key>.*-\d+)", re.DOTALL)
# The texts of records of other programs, which may hold secrets.
_TEXTS = ("content", "summary", "text")


class Interrupted(Failure):
    """The user has stopped the work."""

    exit_code = 130


def name_import(path: Path) -> str:
    """Return the id of what is read from *path*: the same each time, so that it may go on."""
    plain = re.sub(r"[^\w.]+", "-", path.resolve().name).strip("-.")[:_LONGEST_NAME]
    if str(path) == "-":
        return "stdin"
    digest = hashlib.sha256(str(path.resolve()).encode(errors="surrogateescape")).hexdigest()
    return f"{plain or 'import'}-{digest[:6]}"


class Marking:
    """The mark of a source, which moves with each batch that is in the store."""

    def __init__(self, source: Source, how: str, mark: Mark | None) -> None:
        self.mark = mark or Mark()
        self._source = source
        self._how = how
        self._place: Path | None = None

    @classmethod
    async def begun(cls, session: Session, source: Source, kept: Kept, dry_run: bool) -> "Marking":
        """Return the marking of *source*, at its mark if the store has what was read up to it."""
        how = "" if dry_run or not source.has_marks else f"{source.format} {kept.everything}"
        if how and source.member is not None:
            how += f" {source.member}"
        made = cls(source, how, None)
        file = await made._file(session)
        mark = None if file is None else marks.read(file, source.path)
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
            marks.write(file, self._source.path, self.mark)

    async def _file(self, session: Session) -> Path | None:
        """Return the file of the mark; None without a store, or for what has no mark."""
        if self._how and self._place is None:
            store = await cast(Keeper, session.store).identity()
            if store is not None:
                path, user = self._source.path, session.user_id
                self._place = marks.place(store, user, path, self._how)
        return self._place


async def _has(session: Session, memory_id: str | None) -> bool:
    """Return whether the store has the memory: a store that was restored may lack it."""
    if memory_id is None:
        return True
    try:
        await session.run(calls.memories.show(memory_id))
    except Refused:
        return False
    return True


# Bounds of one transaction: rows, and characters.
_BATCH = 1_000
_CHARACTERS = 1_000_000
# The first messages of a file for a new store are read twice, so they are few.
_FIRST = 20
# So many messages are shown by a dry run.
_SAMPLES = 3
# So many people of a chat are named.
_NAMED = 20
# Is called with how much is done.
Tell = Callable[[int], None]
_REFUSED = re.compile(r"(?:message|row) (?P<number>\d+): (?P<reason>.*)", re.DOTALL)


@contextmanager
def without_collecting() -> Iterator[None]:
    """Disable cyclic garbage collection meanwhile.

    Storing makes few cycles, which each batch collects, and a scan visits all objects. This saves
    a tenth of the time.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class Import:
    """The contents of files, stored in batches of one transaction each.

    *found* are files or folders and their format, if it is given. `created` and `existing` count
    messages, and `totals` records and notes; a dry run counts what it would store. *told* is called
    with what of each batch is in the store, as ids with times (unix ms): messages, and the people
    and things that nothing mentioned before.
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
        self.created = self.existing = self.mentions = self.entities = 0
        self.totals: Counter[str] = Counter()
        self.samples: list[Record] = []
        self.tally = Tally()
        # Whether all that was read is of records, which messages are not counted beside.
        self.is_of_records = False
        self._found, self._thread, self._me = found, thread, me
        self._with_people, self._is_import, self._dry_run = people, is_import, dry_run
        self._interrupts, self._told = interrupts, told
        self._people: People | None = None
        self._kept = Kept(self.tally, everything, frozenset(map(fold_name, me)))
        self._marking: Marking | None = None
        # Whether the last batch had stored messages, so that the next one may have such too.
        self._recurs = False
        self._where = ""
        self._lines: int | None = None
        self._last: Row | None = None

    async def run(self, session: Session) -> None:
        """Store what the files have. Raises Failure, which says how much was stored."""
        self._kept = replace(self._kept, zone=session.zone)
        for path, given in self._found:
            if self._is_import:
                session = replace(session, import_id=name_import(path))
            with report_errors(path):
                try:
                    await self._all_of(session, path, given)
                except ArchiveError as error:
                    raise Failure(f"{path}: {error}; {self._so_far()}") from None

    async def _all_of(self, session: Session, path: Path, given: str | None) -> None:
        if str(path) == "-" or not (path.is_file() or path.is_dir()):
            with opened_bytes(path) as stream, self._telling():
                made = formats.make_source(path, stream, given)
                await self._alone(session, made)
            return
        is_folder, is_known, done = path.is_dir(), False, 0
        found = list(formats.list_sources(path, given))
        one = None if is_folder else found[0][1]
        if isinstance(one, Source) and one.is_of_lines:
            with opened_bytes(path) as stream:
                self._lines = count_lines(stream)
            await self._alone(session, one)
            return
        sizes = [_size(source) for _, source in found]
        total = sum(sizes) or None
        with progress(f"reading {path.name}", total) as tell_done:
            # Without sizes, as in an archive, messages are counted.
            tell = tell_done if total else lambda _: tell_done(self.created + self.existing)
            for (file, source), size in zip(formats.with_open_archives(found), sizes, strict=True):
                if isinstance(source, OSError):
                    self._leave_out(source)
                elif isinstance(source, FormatError):
                    self.tally.left_out("archives with an error", f"{file}: {source}")
                elif source is not None:
                    is_known = True
                    await self._source(session, source, not is_folder, partial(_add, tell, done))
                else:
                    self.tally.left_out("files of no known format", file.name)
                done += size
                tell(done)
        if not is_known and not is_folder:
            raise ArchiveError("is an archive without a history of a known format")

    async def _alone(self, session: Session, source: Source) -> None:
        """Store the rows of numbered lines, with a bar of lines."""
        self.is_of_records = source.is_of_records
        with progress("importing lines", self._lines) as tell:
            await self._source(session, source, True, lambda _: tell(_place(self._last)))

    async def _source(self, session: Session, source: Source, is_alone: bool, tell: Tell) -> None:
        """Store the rows of *source*; *tell* is called with the bytes that are read."""
        self._where = "" if is_alone else f"{source.path.parent / source.name}: "
        if source.format in formats.GROUPS:
            self._know_user(source, is_alone)
        messages = Messages(session.user_id, session.zone, self._thread, tally=self.tally)
        self._marking = await Marking.begun(session, source, self._kept, self._dry_run)
        mark = self._marking.mark
        self.existing += mark.messages
        if self._with_people and not self._dry_run:
            by_silence = source.format == formats.OURS
            self._people = People(session, self._me, by_silence=by_silence)
        try:
            with self._telling():
                naming = await self._naming(session, source.format)
                rows = source.rows(Reading(self._kept, messages, naming, mark))
                await self._all(session, source, rows, lambda: tell(mark.offset))
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

    def _know_user(self, source: Source, is_alone: bool) -> None:
        """Raise Failure if nobody in *source*, in which several people speak, is the user."""
        with self._telling():
            speakers = source.count_speakers(self._kept)
        if not speakers or USER in speakers:
            return
        shown = [f"{name} ({count:,})" for name, count in speakers.most_common(_NAMED)]
        more = ", …" if len(speakers) > _NAMED else ""
        asked = "nobody in it has the name of --me;" if self._kept.me else "whose words are yours?"
        where = source.path.name if is_alone else source.path.parent / source.name
        raise Failure(f"{where}: {asked} say --me NAME, one of {', '.join(shown)}{more}")

    def _leave_out(self, error: OSError) -> None:
        self.tally.left_out("files that cannot be read", f"{error.filename}: {error.strerror}")

    async def _naming(self, session: Session, name: str) -> Naming:
        """Return what the records of a format need to know of the store."""
        now_ms, called = session.clock.now_ms(), (session.user_id, *self._me)
        naming = Naming(session.date(now_ms), called=called, zone=session.zone)
        naming = replace(naming, user_id=session.user_id, now_ms=now_ms)
        naming = replace(naming, decay=decaying.rules(session.decay))
        # Notes are the user's alone, as the entities in them.
        naming = replace(naming, with_notes=session.concept_scope != SHARED)
        if self._dry_run:
            return naming
        if name == formats.SERVER_MEMORY:
            return replace(naming, known=await _named(session))
        if name in formats.TABLES and (chosen := await session.run(calls.embedding.chosen())):
            return replace(naming, embedding=(chosen[0]["model"], chosen[0]["dimension"]))
        return naming

    async def _all(
        self, session: Session, source: Source, read: Iterator[Row], tell: Callable[[], None]
    ) -> None:
        self._last = None
        rows = _Rows(read, keeps=source.format == formats.OURS)
        for batch in _batches(rows):
            with self._interrupts.piece():
                await self._store(session, source, batch)
                self._last = batch[-1]
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
        again = " with the same input" if self._found[0][0] == Path("-") else ""
        return Interrupted(
            f"interrupted; {self._so_far()}; the same command{again} goes on from here"
        )

    async def _store(self, session: Session, source: Source, batch: list[Row]) -> None:
        """Store *batch*, of messages, or of records and notes."""
        kinds = {row.record.get("kind") for row in batch} if source.is_of_records else set()
        if not kinds:
            await self._store_messages(session, batch)
            return
        is_foreign = source.format not in (formats.NATIVE, formats.EDGES)
        batch = [self._prepare_record(row) for row in batch] if is_foreign else batch
        if self._dry_run:
            self.totals.update(_MEASURES.get(row.record["kind"], "records") for row in batch)
            return
        records = [row for row in batch if row.record["kind"] != NOTE]
        scope, knows_users = (
            session.concept_scope,
            source.format in (formats.NATIVE, *formats.TABLES),
        )
        if not kinds.isdisjoint(_CONCEPTS) and not knows_users:
            self.tally.advise(_tell_owner(scope))
        whose = {} if scope == SHARED or knows_users else {SCOPE: scope}
        only_new = source.format in formats.TABLES

        def bring(given: list[Record]) -> Call:
            return calls.transfer.import_rows([one | whose for one in given], only_new=only_new)

        self.totals.update(await self._run(session, bring, records))
        for row in batch:
            if row.record["kind"] == NOTE:
                given = {**row.record}
                made, _ = await answers.remember(
                    session, given["text"], given["about"], happened_at=given["happened_at"]
                )
                self.totals["memories_existing" if made["existing"] else "memories_created"] += 1

    def _prepare_record(self, row: Row) -> Row:
        """Return *row*, which another program wrote, without the secrets of its texts."""
        said = {name: row.record[name] for name in _TEXTS if isinstance(row.record.get(name), str)}
        if not said:
            return row
        told = {name: secrets.redact_text(one, self.tally) for name, one in said.items()}
        return replace(row, record={**row.record, **told})

    async def _store_messages(self, session: Session, batch: list[Row]) -> None:
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
            made = await self._run(session, partial(calls.memories.ingest, session.user_id), new)
            self.created += made["created"]
            self.existing += made["existing"]
            self._tell_differing(new, set(made["differing"]))
        self._recurs = self.existing > before
        if self._told is not None:
            records = (row.record for row in batch)
            self._told([*((one["id"], one["said_at"]) for one in records), *entities])
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
        """Return *row* without the secrets of its text, and with a note that it is observed."""
        text = secrets.redact_text(row.record["text"], self.tally)
        metadata = {**row.record.get("metadata", {})}
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
        found = await self._run(session, calls.memories.ingested, batch)
        self.existing += len(found["existing"])
        self._tell_differing(batch, set(found["differing"]))
        known = set(found["existing"])
        return [row for row in batch if row.record["id"] not in known]

    async def _run(
        self, session: Session, call: Callable[[list[Record]], Call], batch: list[Row]
    ) -> Record:
        """Run the call for the rows of *batch*. Raises FormatError, which names one of them."""
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
        except ArchiveError:
            raise
        except (FormatError, StoreError, ConceptGraphError) as error:
            raise Failure(f"{self._where}{error}; {self._so_far()}") from None

    def _so_far(self) -> str:
        torn = self._interrupts.torn
        if self._last is None:
            return "a part of it may be in" if torn else "nothing was imported"
        is_line = self._last.unit == "line"
        of_all = f" of {self._lines:,}" if self._lines and is_line else ""
        more = ", perhaps more" if torn else ""
        return f"all up to {self._last.unit} {self._last.line:,}{of_all} is in{more}"


def _place(row: Row | None) -> int:
    return 0 if row is None else row.line


def _tell_owner(scope: str) -> str:
    """Return whose the concepts of a file are that did not say it."""
    if scope == SHARED:
        return "The concepts are shared by all users; CONCEPT_GRAPH_CONCEPTS=own keeps them own."
    return f"The concepts belong to the user {show_name(scope)}."


async def _named(session: Session) -> dict[str, str]:
    """Return the names of episodes that an import may assign, by the part after their date."""
    found = {}
    async with aclosing(session.store.stream()) as batches:
        async for records in batches:
            for record in records:
                is_meant = record.get(SCOPE, SHARED) == session.concept_scope
                if record["kind"] != "episode" or not is_meant:
                    continue
                if match := _EPISODE.fullmatch(record["name"]):
                    found[match["key"]] = record["name"]
            # Relations come after all nodes.
            if any(record["kind"] not in _KINDS for record in records):
                break
    return found


def _size(source: Source | Exception | None) -> int:
    """Return the bytes of the file of *source*; those in an archive or a folder are not known."""
    if not isinstance(source, Source) or source.member is not None:
        return 0
    return source.path.stat().st_size if source.path.is_file() else 0


def _add(tell: Tell, before: int, done: int) -> None:
    tell(before + done)


class _Rows:
    """The rows of a file; it *keeps* the error of the first wrong line until the others are in."""

    def __init__(self, rows: Iterable[Row], keeps: bool) -> None:
        self.error: FormatError | None = None
        self._rows, self._keeps = rows, keeps

    def __iter__(self) -> Iterator[Row]:
        try:
            yield from self._rows
        except FormatError as error:
            if not self._keeps:
                raise
            self.error = error


def _batches(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Iterate over *rows* in batches of bounded size that never separate the records of a line.

    No message is read before the batch before it is stored, for its mark moves along.
    """
    batch: list[Row] = []
    characters, most = 0, min(_FIRST, _BATCH)
    for row in rows:
        is_record = "kind" in row.record
        if is_record and len(batch) >= _BATCH and row.place != batch[-1].place:
            yield batch
            batch = []
        batch.append(row)
        characters += 0 if is_record else len(row.record["text"])
        if not is_record and (len(batch) >= most or characters >= _CHARACTERS):
            yield batch
            batch, characters, most = [], 0, _BATCH
    if batch:
        yield batch
