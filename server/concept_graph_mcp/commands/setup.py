"""Give a client this memory, or take it away again (`setup`)."""

import difflib
from pathlib import Path

import click

from ..clients import changes, entry
from ..clients.changes import Change, ChangeError
from ..clients.entry import CLIENTS, GENERIC
from ..settings import SettingsError
from .common import FILE, Failure
from .notes import note


@click.command()
@click.argument("client", metavar="CLIENT", type=click.Choice(tuple(CLIENTS)))
@click.option("--dry-run", is_flag=True, help="Only show what would be written.")
@click.option("--remove", is_flag=True, help="Undo what setup wrote.")
@click.option("--file", type=FILE, help="The client's list of servers, if it is elsewhere.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def setup(
    embedded: str | None,
    /,
    client: str,
    *,
    dry_run: bool,
    remove: bool,
    file: Path | None,
    yes: bool,
) -> None:
    """Configure CLIENT to use this memory: show the changes, ask, and write them.

    \b
    CLIENT is
      claude-code     tools and hooks
      claude-desktop  tools
      codex           tools and hooks
      cursor          tools
      vscode          tools
      windsurf        tools
      generic         tools: prints the entry, or writes it into --file

    The client gets the everyday tools on one store, by default memory.db in the data directory;
    --embedded and the variables of Memgraph name another one. A copy of each changed file is
    kept beside it. Comments and other servers stay as they are.
    """
    chosen = CLIENTS[client]
    try:
        wanted = None if remove else entry.make_entry(embedded, client)
        if wanted is not None and client == GENERIC and file is None:
            click.echo(changes.show_entry(wanted, chosen))
            return
        found = changes.plan_changes(chosen, client, wanted, file)
        if not found:
            click.echo("Nothing to remove." if remove else "Nothing to change.")
            return
        for one in found:
            click.echo(_diff(one))
        if dry_run:
            note("nothing was written: a dry run.")
            return
        if not yes:
            click.confirm("Write this?", abort=True)
        for one in found:
            one.write()
    except (ChangeError, SettingsError) as error:
        raise Failure(str(error)) from None
    note("done; --remove takes it back." if wanted is not None else "done.")
    if chosen.further and wanted is not None:
        note(chosen.further)


def _diff(change: Change) -> str:
    before, after = ((text or "").splitlines() for text in (change.before, change.after))
    names = (str(change.file) if change.before is not None else "(no file)", str(change.file))
    lines = difflib.unified_diff(before, after, *names, lineterm="")
    return "\n".join(lines)
