"""Configure clients, answer their hooks, and print the settings (`setup`, `hook`, `settings`)."""

import difflib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import click

from conceptgraph_core.recall import weights
from conceptgraph_core.texts.words import languages

from .. import settings_file
from ..clients import changes, entry
from ..clients.changes import Change, ChangeError
from ..clients.entry import CLIENTS, GENERIC, Entry, OwnMemory
from ..errors import StoreError
from ..settings import (
    EMBEDDED_VARIABLE,
    NO_EMBEDDINGS,
    SETTINGS,
    STORE_VARIABLES,
    Settings,
    SettingsError,
    given,
    location,
)
from . import hook_process
from .common import (
    AS_JSON,
    FILE,
    Failure,
    Interrupts,
    name_program,
    note,
    print_columns,
    print_json,
    say,
    with_session,
)

# The choices for a client's own memory, as the question says them.
_KEEP, _BRING, _OFF, _FILES = "keep", "bring", "off", "files"
_OWN = {
    _KEEP: "it stays as it is, before the notes of this one",
    _BRING: "its files come in now",
    _OFF: "its files come in, and it is switched off",
    _FILES: "the same, and the model keeps its notes as files of this memory (the tool memory)",
}
# So many files are named before setup asks.
_MOST_FILES = 6


class _Shown(NamedTuple):
    """A setting, its value for people, and its source."""

    name: str
    value: str
    source: str


@click.command()
@AS_JSON
@click.pass_obj
def settings(embedded: str | None, as_json: bool) -> None:
    """Print each setting, and where it comes from: option, environment, settings file, default.

    An option stands above the environment, and that above the file. setup writes the file; any
    editor can change it. A password is never printed.
    """
    file = settings_file.find_file()
    found = list(_list_settings(embedded))
    if as_json:
        rows = [{"name": one.name, "value": one.value, "from": one.source} for one in found]
        print_json({"file": str(file), "exists": file.exists(), "settings": rows})
        return
    print_columns(found)
    say(f"The settings file is {file}." if file.exists() else f"There is no settings file {file}.")


def _list_settings(embedded: str | None) -> Iterator[_Shown]:
    """Iterate over the settings. Raises SettingsError."""
    filed, environment = settings_file.read_file() or {}, given(os.environ)
    if filed.get(EMBEDDED_VARIABLE) == settings_file.USUAL:
        del filed[EMBEDDED_VARIABLE]
    chosen = settings_file.read_settings(embedded)
    source = "option" if embedded is not None else _find_source(STORE_VARIABLES, filed, environment)
    yield _Shown(settings_file.STORE, _name_store(chosen), source)
    # On Memgraph the everyday verbs have their user's own, unless something says otherwise.
    of_verbs = settings_file.read_settings(embedded, "everyday").concepts
    concepts, (_, usual) = chosen.concepts, weights.load()
    values = {
        "user": chosen.user_id,
        "me": chosen.me,
        "concepts": concepts if of_verbs == concepts else f"{of_verbs}; concept …: {concepts}",
        "time_zone": chosen.zone.key,
        "languages": ", ".join(languages.read_configured(os.environ)),
        "embedding": chosen.embeddings or NO_EMBEDDINGS,
        "asks": str(usual.asks if chosen.asks is None else chosen.asks),
        "answers": str(usual.answers if chosen.answers is None else chosen.answers),
    }
    for name, variable in settings_file.VARIABLES.items():
        yield _Shown(name, values[name], _find_source((variable,), filed, environment))
    stores = (*STORE_VARIABLES, *settings_file.VARIABLES.values())
    for one in SETTINGS:
        if one.variable in environment and one.variable not in stores:
            value = "(set)" if one.is_secret else environment[one.variable]
            yield _Shown(one.variable, value, "environment")


def _find_source(
    variables: tuple[str, ...], filed: dict[str, str], environment: dict[str, str]
) -> str:
    """Return which source sets one of *variables*, the first of which stands above the others."""
    for name in variables:
        if name in environment:
            return f"environment: {name}"
    return "settings file" if any(name in filed for name in variables) else "default"


def _name_store(chosen: Settings) -> str:
    if chosen.per_user is not None:
        return f"{chosen.per_user}{os.sep}"
    return location(chosen.uri) if chosen.embedded is None else str(chosen.embedded)


# A wrong option must not exit with 2: that blocks the prompt.
@click.command(context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
@click.argument("event", default="")
@click.option("--client", metavar="NAME", default="unknown", help="The agent, for doctor.")
@click.pass_obj
def hook(embedded: str | None, event: str, client: str) -> None:
    """Answer the hook EVENT of a coding agent, whose JSON is read from stdin.

    \b
    EVENT is
      session-start       put in front of the model: who the user is, what was
                          said last in the project, and elsewhere in the last
                          days
      user-prompt-submit  put in front of the model: what belongs to the prompt
      pre-compact, stop, session-end
                          ingest the transcript, behind the answer

    It is for the configuration of an agent, which setup writes. It always exits with 0, and
    answers nothing if it cannot answer in time. Failures are in hooks/hooks.log of the data
    directory.
    """
    hook_process.answer_hook(embedded, event, client)


@click.command()
@click.argument("client", metavar="[CLIENT]", required=False, type=click.Choice(tuple(CLIENTS)))
@click.option("--dry-run", is_flag=True, help="Only show what would be written.")
@click.option("--diff", is_flag=True, help="Show it line by line.")
@click.option("--remove", is_flag=True, help="Undo what setup wrote.")
@click.option("--file", type=FILE, help="The client's list of servers, if it is elsewhere.")
@click.option(
    "--own-memory",
    type=click.Choice(tuple(_OWN)),
    help="Choose for the memory that Claude Code and Codex keep themselves: with keep it stays"
    " as it is, bring imports its files, off switches it off too, and files also gives the model"
    " files of this memory in its place.",
)
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_context
def setup(
    ctx: click.Context,
    /,
    client: str | None,
    *,
    dry_run: bool,
    diff: bool,
    remove: bool,
    file: Path | None,
    own_memory: str | None,
    yes: bool,
) -> None:
    """Configure CLIENT, or all on this machine, to use this memory.

    Show what would change, ask, and write it.

    \b
    CLIENT is
      claude-code     tools and hooks
      claude-desktop  tools
      codex           tools and hooks
      cursor          tools
      vscode          tools
      windsurf        tools
      gemini-cli      tools
      opencode        tools
      goose           tools
      zed             tools
      cline           tools
      generic         tools: prints the entry, or writes it into --file

    Without CLIENT it finds the agents on this machine, and offers to read their histories.

    The client gets the everyday tools on the store that the settings file names, by default
    memory.db in the data directory. --embedded and variables change what the file names, for all
    clients and commands. A copy of each changed file is kept beside it. Comments and other servers
    stay as they are.
    """
    if client is None and file is not None:
        raise click.UsageError("--file: name the client that reads it")
    names = [client] if client else [name for name, one in CLIENTS.items() if one.is_on_machine()]
    if not names:
        raise Failure(
            f"no agent was found on this machine; name one, e.g. setup {next(iter(CLIENTS))}"
        )
    try:
        if client == GENERIC and file is None and not remove:
            wanted = entry.make_entry(client)
            click.echo(changes.show_entry(wanted, CLIENTS[client]))
            return
        asks = not (yes or dry_run or remove or file)
        own = {} if remove else {name: own_memory or _ask_own(name, asks=asks) for name in names}
        found = _plan_entries(ctx.obj, names, file, own, removes=remove, has_all=client is None)
        shown = _list_diffs(found) if diff else _tell_changes(found, names, removes=remove)
        written = _write_changes(found, shown, is_dry=dry_run, removes=remove, yes=yes)
        if remove:
            note(f"the memory itself stays in {_name_store(settings_file.read_settings(ctx.obj))}")
        if remove or not written:
            return
        _create_store(ctx.obj)
    except (ChangeError, SettingsError, StoreError) as error:
        raise Failure(str(error)) from None
    for further in filter(None, (CLIENTS[name].further for name in names)):
        note(further)
    for name, one in own.items():
        memory = CLIENTS[name].own_memory
        if one not in (None, _KEEP) and memory is not None and memory.list_files():
            _bring_files(ctx.obj, memory)
    if client is None:
        _offer_histories(ctx, yes=yes)


def _ask_own(name: str, *, asks: bool) -> str | None:
    """Return what the user wants of the own memory of the client *name*; None: as it is now."""
    own = CLIENTS[name].own_memory
    if not asks or own is None or not (count := len(own.list_files())):
        return None
    title = CLIENTS[name].title
    click.echo(f"{title} keeps a memory of its own: {count:,} files in {own.folder()}.")
    for choice, told in _OWN.items():
        click.echo(f"  {choice:<5}  {told}")
    return str(click.prompt("Which", type=click.Choice(tuple(_OWN)), default=_KEEP))


def _make_entry(name: str, own: str | None) -> Entry:
    """Return the entry of the client *name*, with *own* of its own memory. Raises ChangeError."""
    memory = CLIENTS[name].own_memory
    if memory is None:
        return entry.make_entry(name)
    there = changes.read_own_state(CLIENTS[name])
    if own in (None, _BRING):
        return entry.make_entry(name, has_files=there.has_files, switches_off=there.is_switched)
    # If the user has switched it off, it stays off when setup is taken back.
    switches_off = own != _KEEP and (there.is_switched or not changes.is_off(memory))
    return entry.make_entry(name, has_files=own == _FILES, switches_off=switches_off)


def _plan_entries(
    embedded: str | None,
    names: list[str],
    file: Path | None,
    own: dict[str, str | None],
    *,
    removes: bool,
    has_all: bool,
) -> list[Change]:
    """Return the changes for the clients *names*. Raises ChangeError, SettingsError."""
    entries = {name: None if removes else _make_entry(name, own[name]) for name in names}
    found = [
        change
        for name, wanted in entries.items()
        for change in changes.plan_changes(CLIENTS[name], name, wanted, file)
    ]
    # Two clients may have hooks: their variables are the same.
    found = [*{one.file: one for one in found}.values()]
    if removes or names == [GENERIC]:
        return found
    return [*found, *changes.plan_settings(embedded, names_usual=has_all)]


def _tell_changes(found: list[Change], names: list[str], *, removes: bool) -> Iterator[str]:
    """Iterate over a few lines that say what the changes do."""
    titles = ", ".join(CLIENTS[name].title for name in names)
    if removes:
        yield f"{titles}: without the memory again."
    else:
        yield f"{titles}: get the tools of the server {entry.NAME}."
        if hooked := [CLIENTS[one].title for one in names if one in entry.WITH_HOOKS]:
            yield (
                f"{', '.join(hooked)}: hooks bring notes to each prompt and keep what was said;"
                " tools that only read are allowed without a question."
            )
        yield f"The settings file {settings_file.find_file()} says for all which store and user."
    for one in found[:_MOST_FILES]:
        before, after = ((text or "").splitlines() for text in (one.before, one.after))
        marks = [line[0] for line in difflib.ndiff(before, after)]
        what = "new" if one.before is None else "removed" if one.after is None else "changed"
        yield f"  {what}: {one.file} (+{marks.count('+')} -{marks.count('-')} lines)"
    if len(found) > _MOST_FILES:
        yield f"  and {len(found) - _MOST_FILES:,} more files"
    yield "--diff shows each line."


def _list_diffs(found: list[Change]) -> Iterator[str]:
    for one in found:
        before, after = ((text or "").splitlines() for text in (one.before, one.after))
        names = (str(one.file) if one.before is not None else "(no file)", str(one.file))
        yield from difflib.unified_diff(before, after, *names, lineterm="")


def _write_changes(
    found: list[Change], shown: Iterable[str], *, is_dry: bool, removes: bool, yes: bool
) -> bool:
    """Show all changes, ask once, write them, and return whether they are written.

    Raises ChangeError.
    """
    if not found:
        click.echo("Nothing to remove." if removes else "Nothing to change.")
        return True
    for line in shown:
        click.echo(line)
    if is_dry:
        note("nothing was written: a dry run.")
        return False
    if not yes:
        click.confirm("Write this?", abort=True)
    for one in found:
        one.write()
    note("done." if removes else "done; --remove takes it back.")
    return True


def _create_store(embedded: str | None) -> None:
    """Create the store file if it is missing, so that the commands that only read find one.

    Memgraph, and a directory with a file for each user, stay as they are. Raises SettingsError,
    StoreError.
    """
    chosen = settings_file.read_settings(embedded, entry.TOOLSET)
    if chosen.embedded is None or chosen.per_user is not None:
        return
    from ..hosts.sqlite.procedure_host import Host

    Host(chosen.embedded).close()


def _bring_files(embedded: str | None, own: OwnMemory) -> None:
    """Import the files of an agent's own memory, as the agent's words."""
    # Imported here, because few ask for it.
    from ..histories import markdown
    from .storing import Import

    with Interrupts() as interrupts:
        files = [(one, markdown.NAME) for one in own.list_files()]
        work = Import(files, None, interrupts, people=True, is_import=True)
        with_session(embedded, work.run, creates=True)
    note(f"notes from {own.folder()}: {work.created:,} new, {work.existing:,} there already")


def _offer_histories(ctx: click.Context, *, yes: bool) -> None:
    """List the histories of agents, ask whether to read them, and say how to look at the memory."""
    from .importing import import_, list_histories

    found = list_histories()
    for line in found:
        note(line)
    if found and yes:
        note(f"{name_program()} import --discover reads what your agents have said so far.")
    elif found and click.confirm("Read what your agents have said so far?"):
        ctx.invoke(import_, discover=True, yes=True)
    note(f"{name_program()} view shows the memory.")
