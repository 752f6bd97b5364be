"""Import a file into a store, in batches of whole lines."""

import io
import os
import re
import stat
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, aclosing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, TextIO

from conceptgraph_core import decaying
from conceptgraph_core.concepts.schema import LAYER as CONCEPTS
from conceptgraph_core.concepts.schema import SCOPE
from conceptgraph_core.errors import ConceptGraphError
from conceptgraph_core.layers import SHARED
from conceptgraph_core.registry import LAYERS
from conceptgraph_core.text import show_name

from .. import calls, file_formats
from ..errors import StoreError
from ..session import Clock, Session
from ..settings import Settings
from .common import Failure, Interrupts, progress

_BATCH = 1_000
_ROW = re.compile(r"row (?P<number>\d+): (?P<reason>.*)")
_KINDS = frozenset(kind.kind for layer in LAYERS for kind in layer.nodes)
_CONCEPTS = frozenset((CONCEPTS.edge_kind, *(kind.kind for kind in CONCEPTS.nodes)))
# Names of the counts, by kind of record.
_MEASURES = {kind.kind: kind.measure for layer in LAYERS for kind in layer.nodes}
_MEASURES |= {layer.edge_kind: f"{layer.edge_kind}s" for layer in LAYERS}
# The first bytes of what is compressed.
_ARCHIVES = {
    "zip": b"PK\x03\x04",
    "gzip": b"\x1f\x8b\x08",
    "xz": b"\xfd7zXZ\0",
    "7z": b"7z\xbc\xaf\x27\x1c",
    "bzip2": b"BZh",
    "zstd": b"\x28\xb5\x2f\xfd",
}
_EPISODE = re.compile(r"\d{8}/(?P<key>.*-\d+)", re.DOTALL)


class Interrupted(Failure):
    """The user has stopped the work."""

    exit_code = 130


class Import:
    """The import of one file, in batches of one transaction each: a batch is stored whole or not.

    `totals` are the counts of `import_rows`; `tally` counts what the graph cannot show.
    """

    def __init__(
        self, stream: TextIO, given: str | None, interrupts: Interrupts, me: Sequence[str] = ()
    ) -> None:
        self.totals: Counter[str] = Counter()
        self._me = me
        self._has_user = False
        self._lines = count_lines(stream.buffer)
        self._last: file_formats.Row | None = None
        self._rows = 0
        self._has_concepts = False
        self._interrupts = interrupts
        with self._telling():
            self._reader = file_formats.Reader(stream, given)

    @property
    def tally(self) -> file_formats.Tally:
        return self._reader.tally

    def counted(self, settings: Settings) -> Counter[str]:
        """Return how many records of each kind the file has; write nothing. Raises Failure."""
        naming = file_formats.Naming(
            date="19700101",
            user_id=settings.user_id,
            now_ms=Clock().now_ms(),
            decay=decaying.rules(settings.decay),
        )
        with self._telling():
            rows = self._seek_user(self._reader.rows(naming), settings.user_id)
            return Counter(_MEASURES[row.record["kind"]] for row in rows)

    @property
    def asks_for_user(self) -> bool:
        """Whether the file is of server-memory, and nothing in it stands for the user."""
        return self._reader.format == file_formats.SERVER_MEMORY and not self._has_user

    def _seek_user(
        self, rows: Iterable[file_formats.Row], user_id: str
    ) -> Iterator[file_formats.Row]:
        from ..file_formats import server_memory  # `ingest` never needs it.

        for row in rows:
            if row.record["kind"] == "concept" and not self._has_user:
                self._has_user = server_memory.is_user(row.record["name"], (user_id, *self._me))
            yield row

    async def run(self, session: Session) -> str | None:
        """Import the file, and return whose its concepts are now.

        Raises Failure, which says how much was imported.
        """
        naming, whose = await self._naming(session), self._whose(session)
        only_new = self._reader.format in file_formats.FOREIGN_MEMORIES
        read = self._seek_user(self._reader.rows(naming), session.user_id)
        rows = (replace(row, record=row.record | whose) for row in read)
        batches = _batches(rows)
        with progress("importing lines", self._lines) as done, self._telling():
            for batch in batches:
                with self._interrupts.piece():
                    self.totals.update(await _imported(session, batch, only_new))
                    await self._remember(session, batch)
                    self._last = batch[-1]
                    self._rows += len(batch)
                    self._has_concepts |= any(one.record["kind"] in _CONCEPTS for one in batch)
                done(self._last.line if self._last.unit == "line" else self._rows)
        return self._tell_owner(session)

    def _tell_owner(self, session: Session) -> str | None:
        """Return a line on whose the concepts are, if there are any and the file did not say."""
        if not self._has_concepts or self._reader.format == file_formats.NATIVE:
            return None
        if session.concept_scope == SHARED:
            return (
                "The concepts are shared by all users; CONCEPT_GRAPH_CONCEPTS=own keeps them own."
            )
        return f"The concepts belong to the user {show_name(session.concept_scope)}."

    async def _remember(self, session: Session, batch: list[file_formats.Row]) -> None:
        """Store what a server-memory file says as memories too, if the concepts are the user's own.

        So everything that recalls finds it, and the entities are known.
        """
        if self._reader.format != file_formats.SERVER_MEMORY or session.concept_scope == SHARED:
            return
        # Imported here, because no other import needs them.
        from .. import everyday
        from ..file_formats import server_memory

        called = session.user_id, *self._me
        for text, about in server_memory.tell((row.record for row in batch), called):
            row, _ = await everyday.remember(session, text, about)
            self.totals["memories_existing" if row["existing"] else "memories_created"] += 1

    def _whose(self, session: Session) -> dict[str, str]:
        """Return what is said of records of a file that knows of concepts, and of no users."""
        knows_users = {file_formats.NATIVE, *file_formats.FOREIGN_MEMORIES}
        scope = session.concept_scope
        return {} if scope == SHARED or self._reader.format in knows_users else {SCOPE: scope}

    async def _naming(self, session: Session) -> file_formats.Naming:
        now_ms = session.clock.now_ms()
        naming = file_formats.Naming(session.date(now_ms))
        if self._reader.format == file_formats.SERVER_MEMORY:
            return replace(naming, known=await _named(session))
        if self._reader.format not in file_formats.FOREIGN_MEMORIES:
            return naming
        chosen = await session.run(calls.embedding.chosen())
        return replace(
            naming,
            user_id=session.user_id,
            now_ms=now_ms,
            decay=decaying.rules(session.decay),
            embedding=(chosen[0]["model"], chosen[0]["dimension"]) if chosen else None,
        )

    def interrupted(self, again: str) -> Interrupted:
        """Return the error for a Ctrl-C; *again* is the command that completes the import."""
        return Interrupted(f"interrupted; {self._so_far()}; {again} completes it")

    @contextmanager
    def _telling(self) -> Iterator[None]:
        try:
            yield
        except (file_formats.FormatError, StoreError, ConceptGraphError) as error:
            raise Failure(f"{error}; {self._so_far()}") from None

    def _so_far(self) -> str:
        torn = self._interrupts.torn
        if self._last is None:
            return "a part of it may be in" if torn else "nothing was imported"
        in_lines = self._last.unit == "line"
        of_all = f" of {self._lines:,}" if self._lines and in_lines else ""
        more = ", perhaps more" if torn else ""
        return f"all up to {self._last.unit} {self._last.line:,}{of_all} is in{more}"


@contextmanager
def opened(file: Path) -> Iterator[TextIO]:
    """Yield the content of *file*, or of stdin for "-"; bytes outside UTF-8 become surrogates."""
    # Opening one may wait for ever for a writer. A pipe of the shell, `<(…)`, has one.
    if file.is_fifo() and not str(file).startswith("/dev/fd/") and file.resolve().is_fifo():
        raise Failure(f"{file}: is a named pipe; name a file, or give its content to -")
    with ExitStack() as stack:
        at_stdin = str(file) == "-"
        stream = sys.stdin.buffer if at_stdin else stack.enter_context(file.open("rb"))
        _check_unpacked(file, stream)
        text = io.TextIOWrapper(stream, "utf-8-sig", "surrogateescape", newline="\n")
        # Stdin is not closed here, because this function has not opened it.
        stack.callback(text.detach)
        yield text


def _check_unpacked(file: Path, stream: BinaryIO) -> None:
    """Raise Failure if *stream* is an archive: nothing here unpacks what others have packed."""
    begins = stream.peek(8) if isinstance(stream, io.BufferedReader) else b""
    for name, mark in _ARCHIVES.items():
        if begins.startswith(mark):
            raise Failure(f"{file}: is a {name} archive; unpack it and name the file in it")


def count_lines(stream: BinaryIO) -> int | None:
    """Return how many lines are left to read, or None for a stream that can be read only once."""
    try:
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            return None
    except io.UnsupportedOperation:
        return None
    start, count, last = stream.tell(), 0, b"\n"
    while chunk := stream.read(1 << 20):
        count += chunk.count(b"\n")
        last = chunk[-1:]
    stream.seek(start)
    return count + (last != b"\n")


def _batches(rows: Iterator[file_formats.Row]) -> Iterator[list[file_formats.Row]]:
    """Iterate over *rows* in batches that never separate the rows of one line."""
    batch: list[file_formats.Row] = []
    for row in rows:
        if len(batch) >= _BATCH and row.place != batch[-1].place:
            yield batch
            batch = []
        batch.append(row)
    if batch:
        yield batch


async def _imported(
    session: Session, batch: list[file_formats.Row], only_new: bool
) -> dict[str, int]:
    """Import *batch* and return the counts of `import_rows`; an error names the refused line."""
    try:
        call = calls.transfer.import_rows([row.record for row in batch], only_new=only_new)
        return (await session.run(call))[0]
    except (StoreError, ConceptGraphError) as error:
        row = _ROW.match(str(error))
        if row is None:
            raise
        place = batch[int(row["number"])].place
        raise file_formats.FormatError(f"{place}: {row['reason']}") from None


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
