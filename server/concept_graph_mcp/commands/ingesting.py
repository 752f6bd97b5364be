"""Store the messages of conversations as memories, without any model (`ingest`)."""

from datetime import datetime
from functools import partial
from pathlib import Path

import click

from conceptgraph_core import text
from conceptgraph_core.errors import ConceptGraphError

from ..histories import formats
from . import notes_folder
from .common import PATH, Failure, note_vectors, with_session
from .interrupts import Interrupts
from .notes import note
from .storing import Ingest, without_collecting


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
@click.option(
    "--me",
    multiple=True,
    metavar="NAME",
    help="Your name in a chat of several people. May be given again.",
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
    me: tuple[str, ...],
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
      chatgpt      the export of ChatGPT (the .zip, or conversations.json)
      claude-ai    the export of Claude.ai (the .zip, or its .json files)
      gemini       My Activity of Google Takeout, as JSON (the .zip, or a file)
      gemini-cli   sessions of Gemini CLI (~/.gemini/tmp)
      cursor       chats of Cursor (state.vscdb)
      slack        the export of a workspace (the .zip, or its folder)
      discord      a channel by DiscordChatExporter, as JSON; or the data that
                   Discord sends (the .zip, or its folder)
      whatsapp     an exported chat (the .zip, or the .txt)
      markdown     notes; the text below each heading is a memory
      mem0         what get_all of mem0 returns

    In a chat of several people, --me says which words are yours; the others' stay theirs.

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
    with Interrupts() as interrupts, without_collecting():
        work = Ingest(found, thread, interrupts, everything=everything, me=me, dry_run=dry_run)
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
