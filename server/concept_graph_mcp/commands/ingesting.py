"""Import whatever a path holds: conversations as memories, or records of the graph (`import`)."""

import codecs
import copy
import io
import json
import sys
from datetime import datetime
from functools import partial
from pathlib import Path
from textwrap import shorten
from typing import Any, BinaryIO

import click

from conceptgraph_core import text
from conceptgraph_core.errors import ConceptGraphError

from .. import file_formats
from ..file_formats.lines import Record
from ..histories import formats
from ..histories.archives import Entry, is_archive
from ..printable import printable
from .common import (
    AS_JSON,
    PATH,
    Failure,
    Interrupts,
    note,
    note_vectors,
    print_json,
    report_errors,
    with_session,
)
from .storing import Ingest, list_imports, retract_import, without_collecting

# The first line of records that says what they are is shorter.
_LONGEST_HEAD = 8_192
# So many characters of a sample are shown.
_SHOWN = 160


@click.command("import")
@click.argument("path", metavar="[PATH]", type=PATH, required=False)
@click.option(
    "--from",
    "--format",
    "given",
    metavar="FORMAT",
    type=click.Choice((*formats.NAMES, *file_formats.NAMES)),
    help="The format; default: detected from the content.",
)
@click.option("--thread", metavar="NAME", help="The conversation of lines without one.")
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
@click.option("--list", "lists", is_flag=True, help="List the imports of memories, by their ids.")
@click.option(
    "--undo",
    metavar="ID",
    help="Remove for ever what this import alone brought; asks first.",
)
@click.option(
    "--dry-run", is_flag=True, help="Only read, and print what would be stored, with samples."
)
@click.option("--yes", is_flag=True, help="Do not ask.")
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
    """
    if lists or undo is not None:
        if path is not None or discover:
            raise click.UsageError("--list and --undo go without a file")
        if undo is None:
            _list_imports(embedded, as_json)
        else:
            _undo_import(embedded, undo, yes, as_json)
        return
    _check_options(path, thread, discover=discover)
    if path is not None and _holds_records(path, given):
        # Imported here, because no history needs it.
        from .exporting import import_records

        import_records(embedded, path, given, me=me, dry_run=dry_run, as_json=as_json)
        return
    found = _agreed(yes or dry_run, as_json) if path is None else [(path, given)]
    with Interrupts() as interrupts, without_collecting():
        work = Ingest(
            *(found, thread, interrupts),
            everything=everything,
            me=me,
            people=not no_people,
            is_import=True,
            dry_run=dry_run,
        )
        try:
            with_session(embedded, work.run, creates=True)
        except KeyboardInterrupt:
            raise work.interrupted() from None
    if as_json:
        print_json(_describe_work(work, dry_run))
    else:
        _note_work(work, dry_run)


# The earlier name, which reads messages where the content does not tell.
ingest = copy.copy(import_)
ingest.name, ingest.hidden = "ingest", True


def _holds_records(path: Path, given: str | None) -> bool:
    """Tell whether *path* holds records of the graph, and no messages. Raises OSError."""
    if given is not None or path.is_dir():
        return given in file_formats.NAMES
    is_import = click.get_current_context().info_name != "ingest"
    at_stdin = str(path) == "-"
    if not at_stdin and not path.is_file():
        return is_import
    with report_errors(path):
        first = _read_first_line(sys.stdin.buffer) if at_stdin else None
        if first is None:
            with path.open("rb") as file:
                first = _read_first_line(file)
        try:
            record = json.loads(first)
        except (ValueError, RecursionError):
            record = None
        if isinstance(record, dict):
            if not {"kind", "entityType", "relationType"}.isdisjoint(record):
                return True
            if at_stdin and "text" in record:
                return False
        if not is_import or at_stdin:
            return is_import
        return not is_archive(path) and formats.recognise_format(Entry(path)) is None


def _read_first_line(stream: BinaryIO) -> bytes:
    """Return the first line of *stream* that is no comment; nothing of it is consumed."""
    if isinstance(stream, io.BufferedReader):
        head = stream.peek(_LONGEST_HEAD)
    else:
        start = stream.tell()
        head = stream.read(_LONGEST_HEAD)
        stream.seek(start)
    lines = (line for line in head.removeprefix(codecs.BOM_UTF8).splitlines() if line.strip())
    return next((line for line in lines if not line.lstrip().startswith(b"#")), b"")


def _check_options(path: Path | None, thread: str | None, *, discover: bool) -> None:
    """Raise UsageError or Failure if the options do not go together."""
    if (path is None) != discover:
        raise click.UsageError("name a file or a folder, or say --discover")
    if thread is not None:
        try:
            text.name(thread, "--thread")
        except ConceptGraphError as error:
            raise Failure(str(error)) from None


def _note_work(work: Ingest, dry_run: bool) -> None:
    if dry_run:
        for sample in work.samples:
            note(_show_sample(sample))
        note(f"to ingest: {work.created:,}; nothing was stored: a dry run.")
    else:
        note(f"ingested: {work.created:,}, there already: {work.existing:,}")
        if work.mentions:
            note(f"people and things: {work.mentions:,} mentions, {work.entities:,} new ones")
        if work.created:
            note_vectors()
    for line in work.tally.lines():
        note(line)


def _describe_work(work: Ingest, dry_run: bool) -> dict[str, Any]:
    """Return what was ingested, or would be."""
    return {
        "ingested": work.created,
        "existing": work.existing,
        "mentions": work.mentions,
        "entities": work.entities,
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
        click.echo(f"{one.import_id}  {one.memories:,} memories, {first} to {last}")
    if not found:
        note("nothing was ingested that could be taken back.")


def _undo_import(embedded: str | None, undo: str, yes: bool, as_json: bool) -> None:
    found = with_session(embedded, list_imports)
    count = next((one.memories for one in found if one.import_id == undo), 0)
    counts = {"removed": 0, "kept": 0}
    if not count:
        note(f"{undo}: nothing of it is stored; --list prints what is.")
    else:
        if not yes:
            asked = f"Remove for ever {count:,} memories of {undo}, with whom they alone mention?"
            click.confirm(asked, abort=True, err=as_json)
        with Interrupts() as interrupts:
            work = partial(retract_import, import_id=undo, interrupts=interrupts)
            counts = dict(with_session(embedded, work))
    if as_json:
        print_json(counts)
    elif count:
        kept = f"kept because another import has them too: {counts['kept']:,}"
        note(f"removed: {counts['removed']:,}, {kept}")


def _show_day(at_ms: int) -> str:
    return f"{datetime.fromtimestamp(at_ms / 1_000):%Y-%m-%d}"


def _show_sample(record: Record) -> str:
    said = printable(shorten(record["text"], _SHOWN, placeholder=" …"))
    return f"sample: {_show_day(record['said_at'])} {printable(record['speaker'])}: {said}"


def _agreed(yes: bool, as_json: bool) -> list[tuple[Path, str | None]]:
    """Show the histories on this machine, and return those that the user wants."""
    found = list(formats.discover_histories())
    if not found:
        raise Failure("no agent has left a history where one is known to be")
    for one in found:
        first, last = (f"{datetime.fromtimestamp(at):%Y-%m-%d}" for at in (one.first, one.last))
        size = f"{one.size / 1_000_000:,.1f} MB"
        count = f"{len(one.files):,} session{'s' * (len(one.files) > 1)}"
        shown = f"{one.format}: {count}, {first} to {last}, {size}: {one.folder}"
        click.echo(printable(shown), err=as_json)
    if not yes:
        click.confirm("Ingest them?", abort=True, err=as_json)
    return [(one.folder, one.format) for one in found]
