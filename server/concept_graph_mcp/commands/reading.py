"""Print what is in the graph and why something is recalled:

`recall`, `search`, `stats`.
"""

from typing import Any

import click
from rich.table import Table

from conceptgraph_core import dates, limits
from conceptgraph_core.concepts import schema
from conceptgraph_core.layers import SHARED
from conceptgraph_core.quoting import quote
from conceptgraph_core.text import show_name

from .. import calls, overdue
from ..session import Session
from .common import AS_JSON, AT, SHARED_CONCEPTS, in_session, look_only, with_session
from .formatting import figure, parts, percent, score
from .notes import note
from .progress import waiting
from .terminal import narrow, out, print_json, say, wide

Row = dict[str, Any]

_LIMIT = click.option(
    "--limit",
    type=click.IntRange(1, limits.MAX_INTEGER),
    default=20,
    show_default=True,
    help="At most this many rows.",
)


@click.command()
@click.argument("seeds", nargs=-1, required=True)
@click.option(
    "--hops",
    type=click.IntRange(0, schema.MAX_HOP),
    default=schema.DEFAULT_MAX_HOP,
    show_default=True,
    help="How far to go.",
)
@_LIMIT
@click.option("--explain", is_flag=True, help="Print the parts of each score.")
@click.option(
    "--touch", is_flag=True, help="Arouse what is recalled, as the recall_query tool does."
)
@AT
@AS_JSON
@click.pass_obj
def recall(
    embedded: str | None,
    /,
    seeds: tuple[str, ...],
    hops: int,
    limit: int,
    *,
    explain: bool,
    touch: bool,
    at: str | None,
    as_json: bool,
) -> None:
    """Print what SEEDS bring to mind, strongest first.

    Seeds are concepts or ids of episodes. Nothing changes unless --touch is given. The strength is
    the score in percent of the first one's: scores fade with time, and this does not.
    """
    look_only(at, touch)
    prepare = calls.concepts.recall if touch else calls.concepts.peek

    async def ask(session: Session) -> tuple[list[Row], list[Row], bool]:
        scope = session.concept_scope
        call = prepare(seeds, hops, limit, scope).with_fields("relative", "end")
        rows = await session.run(call)
        return rows, await session.run(calls.concepts.unknown(seeds, scope)), scope == SHARED

    rows, unknown, is_shared = with_session(embedded, ask, at)
    total = rows[0]["total"] if rows else 0
    if as_json:
        propositions = [{key: row[key] for key in row if key != "total"} for row in rows]
        print_json({"propositions": propositions, "total": total, "unknown": unknown})
        return
    if rows:
        out.print(recall_table(rows, explain))
        if total > len(rows):
            say(f"{total - len(rows):,} more; --limit shows them.")
    else:
        say("Nothing comes to mind; concept-graph-mcp concept search shows what there is.")
    for row in unknown:
        similar = f" (similar: {', '.join(row['similar'])})" if row["similar"] else ""
        say(f"Nothing is called {show_name(row['seed'])}{similar}.")
    if unknown and is_shared:
        say(SHARED_CONCEPTS)


@click.command()
@click.argument("keywords", nargs=-1)
@_LIMIT
@AT
@AS_JSON
@in_session
async def search(session: Session, keywords: tuple[str, ...], limit: int, as_json: bool) -> None:
    """Print the concepts whose name contains one of KEYWORDS; without any, the most aroused.

    Exact matches come first, then names that begin with a keyword, then names with a word that
    does. A keyword without accents finds names with accents too.
    """
    call = session.call(calls.concepts.concept_search, keywords=keywords, limit=limit)
    rows = await session.run(call.with_fields("relative"))
    if keywords:
        rows = [row for row in rows if row["matched"]]
    if as_json:
        print_json({"concepts": rows})
        return
    if not rows:
        matching = "No concept matches; without keywords, search prints the most aroused ones."
        say(matching if keywords else "There is no concept yet.")
        if session.concept_scope == SHARED:
            note(SHARED_CONCEPTS)
        return
    table = Table(wide("concept"), narrow("arousal"), narrow("strength"))
    for row in rows:
        table.add_row(row["concept"], figure(row["arousal"]), percent(row["relative"]))
    out.print(table)


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


def recall_table(rows: list[Row], explain: bool) -> Table:
    """Return the rows of a recall, each followed by a line on its score if *explain* is set."""
    table = Table(wide("proposition"), narrow("score"), narrow("strength"), narrow("valence"))
    for row in rows:
        valence = "" if row["valence"] is None else f"{row['valence']:+.2f}"
        known_as = f" ({row['episode_id']})" if row["episode_id"] else ""
        table.add_row(row["text"] + known_as, score(row), percent(row["relative"]), valence)
        if explain:
            end = f"arousal and valence of {quote(row['end'])}"
            table.add_row(f"{parts(row)}; {end}", style="dim", end_section=True)
    return table


def shown_measure(row: Row) -> str:
    """Return the value of a row of `stats` for people: times as UTC dates."""
    value = row["value"]
    if row["kind"] == "time":
        return f"{dates.moment(value):%Y-%m-%d %H:%M:%S} UTC" if value else "-"
    return f"{value:,}"
