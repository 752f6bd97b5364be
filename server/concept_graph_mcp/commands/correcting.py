"""Rename and remove concepts, relations and episodes (`rename`, `remove`), after a preview."""

from collections.abc import Callable
from functools import partial
from typing import Any

import click

from .. import calls
from ..calls import Call
from ..session import Session
from .common import AS_JSON, in_session, with_session
from .terminal import print_json, say

_SHOWN = 20
_YES = click.option("--yes", is_flag=True, help="Do not ask.")


@click.command()
@click.argument("concept")
@click.argument("new_name")
@_YES
@AS_JSON
@in_session
async def rename(session: Session, concept: str, new_name: str, yes: bool, as_json: bool) -> None:
    """Give CONCEPT the name NEW_NAME; its feelings, relations and episodes stay with it."""
    renaming = partial(calls.concepts.rename, concept, new_name)
    await _correct(session, renaming, "Rename", yes, as_json)


@click.command()
@click.argument("what", nargs=-1, required=True)
@_YES
@AS_JSON
@click.pass_obj
def remove(embedded: str | None, what: tuple[str, ...], yes: bool, as_json: bool) -> None:
    """Remove WHAT: a concept, an episode (by its id), or a relation: FROM TYPE TO.

    A concept or an episode goes with all of its relations.
    """
    if len(what) not in (1, 3):
        raise click.UsageError("name a concept, an episode, or a relation as FROM TYPE TO")
    removal = partial(calls.concepts.remove, what[0])
    if len(what) == 3:
        source, relation_type, target = what
        removal = partial(calls.concepts.remove_relation, source, target, relation_type)
    with_session(embedded, lambda session: _correct(session, removal, "Remove", yes, as_json))


async def _correct(
    session: Session,
    correction: Callable[[bool, str], Call],
    verb: str,
    yes: bool,
    as_json: bool,
) -> None:
    preview, change = (correction(dry_run, session.concept_scope) for dry_run in (True, False))
    rows = await session.run(preview)
    if not as_json:
        for row in rows[:_SHOWN]:
            say(_line(row))
        if len(rows) > _SHOWN:
            say(f"and {len(rows) - _SHOWN} more")
    if not yes:
        click.confirm(f"{verb}?", abort=True, err=as_json)
    await session.run(change)
    if as_json:
        print_json({f"{verb.lower()}d": rows})
    else:
        say(f"{verb}d.")


def _line(row: dict[str, Any]) -> str:
    """Return a line on the element and, if it differs from the text, the id that commands take."""
    known_as = "" if row["id"] == row["text"] else f" ({row['id']})"
    return f"{row['kind']}: {row['text']}{known_as}"
