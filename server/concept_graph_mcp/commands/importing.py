"""Import whatever a path holds, list what imports have brought, and take it back (`import`)."""

import copy
from collections.abc import AsyncIterator
from datetime import datetime
from functools import partial
from pathlib import Path
from textwrap import shorten
from typing import Any, NamedTuple, cast

import click

from conceptgraph_core.memories.schema import IMPORTS, KIND

from .. import calls
from ..histories import formats, marks
from ..hosts.store import KeptStore
from ..printable import printable
from ..session import Session
from .common import (
    AS_JSON,
    PATH,
    THREAD,
    YES,
    Failure,
    Interrupts,
    configured,
    note,
    note_adopted,
    note_vectors,
    print_json,
    with_session,
)
from .storing import Import, without_collecting

# So many characters of a sample are shown.
_SHOWN = 160
# Memories in one transaction: each may take the facts of several entities with it.
_UNDO_BATCH = 200


class Imported(NamedTuple):
    """An import: its memories and records that are stored, and their times (unix ms)."""

    import_id: str
    memories: int
    records: int
    first_at: int
    last_at: int

    def __or__(self, other: "Imported") -> "Imported":
        counts = self.memories + other.memories, self.records + other.records
        times = min(self.first_at, other.first_at), max(self.last_at, other.last_at)
        return Imported(self.import_id, *counts, *times)


async def list_imports(session: Session) -> list[Imported]:
    """Return the imports of which something is stored, by their ids."""
    found: dict[str, Imported] = {}

    def add(import_id: str, memories: int, records: int, at: int) -> None:
        one = Imported(import_id, memories, records, at, at)
        found[import_id] = one if import_id not in found else found[import_id] | one

    async for record in _list_imported(session):
        at = record["said_at"] if record.get("said_at") is not None else record["created_at"]
        for import_id in record["metadata"][IMPORTS]:
            add(import_id, 1, 0, at)
    for row in await session.run(calls.transfer.imports()):
        add(row["import_id"], 0, row["records"], row["made_at"])
    return [found[one] for one in sorted(found)]


async def take_back(session: Session, import_id: str, interrupts: Interrupts) -> dict[str, int]:
    """Remove what *import_id* alone brought; return removed and kept.

    A batch is one transaction. After an interruption the same call removes the rest.
    """
    ids = [
        str(record["id"])
        async for record in _list_imported(session)
        if import_id in record["metadata"][IMPORTS]
    ]
    work = [
        calls.memories.retract(import_id, ids[start : start + _UNDO_BATCH])
        for start in range(0, len(ids), _UNDO_BATCH)
    ]
    rows = await session.run(calls.transfer.imports())
    batches = [row["batch"] for row in rows if row["import_id"] == import_id]
    # Later batches may rest on earlier ones.
    work += map(calls.transfer.take_back, reversed(batches))
    counts = {"removed": 0, "kept": 0}
    for call in work:
        with interrupts.piece():
            [row] = await session.run(call)
        for name in counts:
            counts[name] += row[name]
    if ids:
        marks.forget_all()
    return counts


async def _list_imported(session: Session) -> AsyncIterator[dict[str, Any]]:
    """Iterate over the records of the user's memories that an import brought."""
    async for batch in session.store.stream(only=calls.transfer.exported_by(session.user_id)):
        for record in batch:
            metadata = record.get("metadata")
            if record["kind"] == KIND.kind and isinstance(metadata, dict) and IMPORTS in metadata:
                yield record


@click.command("import")
@click.argument("path", metavar="[PATH]", type=PATH, required=False)
@click.option(
    "--from",
    "--format",
    "given",
    metavar="FORMAT",
    type=click.Choice(formats.NAMES),
    help="The format; default: detected from the content.",
)
@THREAD
@click.option(
    "--discover", is_flag=True, help="Find the sessions that agents have left on this machine."
)
@click.option(
    "--me",
    multiple=True,
    metavar="NAME",
    help="Your name in a chat of several people or in a server-memory file. May be given again.",
)
@click.option("--everything", is_flag=True, help="Also code, diffs and the output of tools.")
@click.option("--no-people", is_flag=True, help="Do not observe who is mentioned.")
@click.option("--list", "lists", is_flag=True, help="List the imports, by their ids.")
@click.option(
    "--undo",
    metavar="ID",
    help="Remove for ever what this import alone brought; asks first.",
)
@click.option(
    "--dry-run", is_flag=True, help="Only read, and print what would be stored, with samples."
)
@YES
@AS_JSON
@click.pass_obj
def import_(
    embedded: str | None,
    /,
    path: Path | None,
    given: str | None,
    thread: str | None,
    *,
    discover: bool,
    me: tuple[str, ...],
    everything: bool,
    no_people: bool,
    lists: bool,
    undo: str | None,
    dry_run: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Import PATH, a file, a folder or a .zip ("-": stdin): conversations, memories or a graph.

    \b
    Each message becomes a memory, without a model:
      messages     JSON objects, a line each, with text, thread, time_ms (or
                   created_at), speaker (or role), and id
      claude-code  sessions of Claude Code (~/.claude/projects)
      codex        sessions of Codex (~/.codex/sessions)
      chatgpt      the export of ChatGPT (the .zip, or conversations.json)
      claude-ai    the export of Claude.ai (the .zip, or its .json files)
      whatsapp     an exported chat (the .zip, or the .txt)
      markdown     notes; the text below each heading is a memory
      mem0         what get_all of mem0 returns
    \b
    Records go into the graph; those there already are kept or updated:
      concept-graph  what export writes
      server-memory  the JSON Lines of the reference memory server: entities
                     become concepts, their types is-a relations, their
                     observations episodes; relations of types that are not
                     ours evoke, and what they say becomes an episode
      edges          lines of from, type and to, with tabs or commas between
                     them; a header may name them, in any order, and a weight
      memory-sqlite  a SQLite file with the tables memory_nodes and memory_edges
      memory-rows    rows of the tables memories and memory_relations, as JSON
                     {"memories": [...], "memory_relations": [...]} or one a line

    In a chat of several people, --me says which words are yours; the others' stay theirs.

    It stores the words of conversations: no code, no diff, no output of a tool. Secrets
    are replaced by their kind. Stored messages stay as they are, so a file can be imported again,
    after it has grown or after an interruption. Lines that differ from the stored message are
    reported. Messages of a thread keep the order of their lines.

    Lines that begin with # are comments. Memories of tables keep their ids: those that are there
    already stay as they are; how present the others are is computed.

    --undo removes what the import created, unless something else has or needs it by now.
    """
    if lists or undo is not None:
        if path is not None or discover:
            raise click.UsageError("--list and --undo go without a file")
        if undo is None:
            _list_imports(embedded, as_json)
        else:
            _undo_import(embedded, undo, yes, as_json)
        return
    if (path is None) != discover:
        raise click.UsageError("name a file or a folder, or say --discover")
    found = _agreed(yes or dry_run, as_json) if path is None else [(path, given)]
    with Interrupts() as interrupts, without_collecting():
        work = Import(
            *(found, thread, interrupts),
            everything=everything,
            me=me,
            people=not no_people,
            is_import=True,
            dry_run=dry_run,
        )

        async def bring(session: Session) -> None:
            await work.run(session)
            if work.totals and not dry_run:
                # The file that was imported is the copy of what was shared.
                store = cast(KeptStore, session.store)
                await note_adopted(configured(embedded), store, session, keeps_copy=False)

        try:
            with_session(embedded, bring, creates=True)
        except KeyboardInterrupt:
            # The next run does not report it again.
            for line in work.tally.lines():
                note(line)
            raise work.interrupted() from None
    if as_json:
        print_json(_describe_work(work, dry_run))
    else:
        _note_work(work, "stdin" if path == Path("-") else path, dry_run)
    for line in work.tally.advice:
        note(line)
    if (work.created or work.totals["memories_created"]) and not dry_run:
        note_vectors()


# The name of earlier versions.
ingest = copy.copy(import_)
ingest.name, ingest.hidden = "ingest", True


def _note_work(work: Import, source: Path | str | None, dry_run: bool) -> None:
    for sample in work.samples:
        said = printable(shorten(sample["text"], _SHOWN, placeholder=" …"))
        day, speaker = _show_day(sample["said_at"]), printable(sample["speaker"])
        note(f"sample: {day} {speaker}: {said}")
    if work.totals:
        note(", ".join(f"{key.replace('_', ' ')}: {n:,}" for key, n in work.totals.items()))
    if work.is_of_records and not work.totals:
        note(f"{source}: has no records; nothing was imported.")
    elif not work.is_of_records:
        counts = f"ingested: {work.created:,}, there already: {work.existing:,}"
        note(f"to ingest: {work.created:,}" if dry_run else counts)
    if work.mentions:
        note(f"people and things: {work.mentions:,} mentions, {work.entities:,} new ones")
    for line in work.tally.lines():
        note(line)
    if dry_run:
        note("nothing was imported: a dry run.")


def _describe_work(work: Import, dry_run: bool) -> dict[str, Any]:
    """Return what was imported, or would be."""
    return {
        "ingested": work.created,
        "existing": work.existing,
        "mentions": work.mentions,
        "entities": work.entities,
        "imported": dict(work.totals),
        "dry_run": dry_run,
        "counts": work.tally.counts(),
        **({"samples": work.samples} if dry_run else {}),
    }


def _list_imports(embedded: str | None, as_json: bool) -> None:
    found = with_session(embedded, list_imports)
    if as_json:
        print_json([one._asdict() for one in found])
        return
    for one in found:
        first, last = (_show_day(at) for at in (one.first_at, one.last_at))
        click.echo(f"{one.import_id}  {_count(one)}, {first} to {last}")
    if not found:
        note("nothing was imported that could be taken back.")


def _count(one: Imported) -> str:
    counts = {"memories": one.memories, "records": one.records}
    return " and ".join(f"{count:,} {what}" for what, count in counts.items() if count)


def _undo_import(embedded: str | None, undo: str, yes: bool, as_json: bool) -> None:
    found = with_session(embedded, list_imports)
    there = next((one for one in found if one.import_id == undo), None)
    counts = {"removed": 0, "kept": 0}
    if there is None:
        note(f"{undo}: nothing of it is stored; --list prints what is.")
    else:
        if not yes:
            asked = f"Remove for ever {_count(there)} of {undo}, with what rests on them alone?"
            click.confirm(asked, abort=True, err=as_json)
        with Interrupts() as interrupts:
            work = partial(take_back, import_id=undo, interrupts=interrupts)
            counts = dict(with_session(embedded, work))
    if as_json:
        print_json(counts)
    elif there is not None:
        kept = f"kept because something else has or needs them: {counts['kept']:,}"
        note(f"removed: {counts['removed']:,}, {kept}")


def _show_day(at_ms: int) -> str:
    return f"{datetime.fromtimestamp(at_ms / 1_000):%Y-%m-%d}"


def _agreed(yes: bool, as_json: bool) -> list[tuple[Path, str | None]]:
    """Show the histories on this machine, and return those that the user wants."""
    found = list(formats.discover_histories())
    if not found:
        raise Failure("no agent has left a history where one is known to be")
    for line in list_histories():
        click.echo(line, err=as_json)
    if not yes:
        click.confirm("Import them?", abort=True, err=as_json)
    return [(one.folder, one.format) for one in found]


def list_histories() -> list[str]:
    """Return a line on each of the histories that agents have left on this machine."""
    shown = []
    for one in formats.discover_histories():
        first, last = (f"{datetime.fromtimestamp(at):%Y-%m-%d}" for at in (one.first, one.last))
        size = f"{one.size / 1_000_000:,.1f} MB"
        count = f"{len(one.files):,} session{'s' * (len(one.files) > 1)}"
        shown.append(printable(f"{one.format}: {count}, {first} to {last}, {size}: {one.folder}"))
    return shown
