"""Print what is in the graph and why something is recalled:

`recall`, `search`, `stats`.
"""

from typing import Any

import click
from rich.table import Table

from conceptgraph_core import dates

from .. import calls, overdue
from ..session import Session
from .common import AS_JSON, in_session
from .notes import note
from .progress import waiting
from .terminal import narrow, out, print_json, wide

Row = dict[str, Any]


@click.command()
@AS_JSON
@in_session
async def stats(session: Session, as_json: bool) -> None:
    """Print statistics of the store."""
    with waiting("counting"):
        rows, advice = await session.run(calls.transfer.stats()), await overdue.advice(session)
    if advice is not None:
        note(advice)
    if as_json:
        print_json({row["measure"]: row["value"] for row in rows})
        return
    table = Table(wide("measure"), narrow("value"))
    for row in rows:
        table.add_row(row["measure"], shown_measure(row))
    out.print(table)


def shown_measure(row: Row) -> str:
    """Return the value of a row of `stats` for people: times as UTC dates."""
    value = row["value"]
    if row["kind"] == "time":
        return f"{dates.moment(value):%Y-%m-%d %H:%M:%S} UTC" if value else "-"
    return f"{value:,}"
