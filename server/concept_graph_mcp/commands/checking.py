"""Print what is wrong with the graph, and mend what needs no decision (`check`)."""

from typing import Any

import click
from rich.table import Table

from .. import calls
from ..errors import REPAIR, StoreError
from ..health.findings import problems
from ..hosts.store import Keeper
from ..session import Session
from ..settings import Settings
from .common import AS_JSON, configured, each_store, in_each_store, with_keeper
from .notes import note
from .progress import waiting
from .terminal import out, print_json, say, wide

Row = dict[str, Any]

# The elements that one transaction mends.
_BATCH = 1_000


@click.command()
@click.option(
    "--mend",
    is_flag=True,
    help="First fill in missing values and merge nodes with the same name; no data is lost.",
)
@click.option(
    "--owner",
    metavar="USER",
    help="With --mend: the owner of memories and entities without a user.",
)
@AS_JSON
@click.pass_context
def check(ctx: click.Context, as_json: bool, mend: bool, owner: str | None) -> None:
    """Print the problems of the graph and how to fix them; exit 1 if there are any.

    For Memgraph, also print the Cypher that fixes each problem, to paste into Lab.
    """
    if owner is not None and not mend:
        raise click.UsageError("--owner is for --mend")
    chosen = configured(ctx.obj, whole=True)
    if mend:
        in_each_store(chosen, lambda one: _mend(one, owner))
    with waiting("checking every node and relation"):
        rows = _problems(chosen)
    if as_json:
        print_json({"problems": rows})
    elif rows:
        out.print(_table(rows))
        if chosen.embedded is None and chosen.per_user is None:
            _print_statements(rows)
    else:
        say("Nothing is wrong.")
    ctx.exit(1 if rows else 0)


def _table(rows: list[Row]) -> Table:
    table = Table(wide("problem"), wide("of"), wide("what to do"))
    for row in rows:
        of = (row.get("store"), row["subject"])
        table.add_row(row["problem"], ": ".join(filter(None, of)), row["advice"])
    return table


def _print_statements(rows: list[Row]) -> None:
    statements = dict.fromkeys(row["statement"] for row in rows if row.get("statement"))
    if statements:
        say("In Lab each of these mends one; check --mend does what needs no decision:")
    for statement in statements:
        say(statement)


def _mend(chosen: Settings, owner: str | None) -> None:
    """Mend what needs no decision, and print each change. Raises StoreError."""

    async def work(session: Session, keeper: Keeper) -> None:
        while done := await session.run(calls.transfer.mend(owner, _BATCH)):
            for row in done:
                note(f"{row['subject']}: {row['done']}")
        while (await session.run(calls.transfer.index_rest(0)))[0]["indexed"]:
            pass  # A damaged index goes first, in pieces.
        while (await session.run(calls.transfer.index_rest(_BATCH)))[0]["indexed"] >= _BATCH:
            pass
        if told := await keeper.unwritable():
            note(told)

    with_keeper(None, work, chosen=chosen)


def _problems(chosen: Settings) -> list[Row]:
    """Return the problems of the store, or of each file; those of several files name theirs."""
    if chosen.per_user is None:
        return with_keeper(None, lambda session, _: problems(session), chosen=chosen)
    rows: list[Row] = []
    for one in each_store(chosen):
        try:
            found = with_keeper(None, lambda session, _: problems(session), chosen=one)
        except StoreError as error:
            found = [{"problem": "unusable", "subject": str(error), "advice": REPAIR}]
        rows += [{**row, "store": str(one.embedded)} for row in found]
    return rows
