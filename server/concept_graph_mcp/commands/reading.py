"""`recall`, `search` and `stats`: what is in the graph, and why something comes up."""

from datetime import UTC, datetime
from typing import Any

import click
from rich.table import Column, Table

from conceptgraph_core.concepts import schema

from .. import calls
from .common import out, say, with_session


@click.command()
@click.argument("seeds", nargs=-1, required=True)
@click.option("--hops", default=schema.DEFAULT_MAX_HOP, show_default=True, help="How far to go.")
@click.option("--limit", default=20, show_default=True, help="At most this many rows.")
@click.option(
    "--touch", is_flag=True, help="Arouse what is recalled, as the recall_query tool does."
)
@click.pass_obj
def recall(
    embedded: str | None, seeds: tuple[str, ...], hops: int, limit: int, touch: bool
) -> None:
    """Print what SEEDS bring to mind, strongest first, with the parts of each score."""
    prepare = calls.recall if touch else calls.peek
    rows = with_session(embedded, lambda session: session.run(prepare(seeds, hops, limit)))
    out.print(recall_table(rows))
    if not rows:
        say("Nothing comes to mind; concept-graph-mcp search shows what there is.")
    elif rows[0]["total"] > len(rows):
        say(f"{rows[0]['total'] - len(rows)} more; --limit shows them.")


@click.command()
@click.argument("keywords", nargs=-1)
@click.option("--limit", default=20, show_default=True, help="At most this many rows.")
@click.pass_obj
def search(embedded: str | None, keywords: tuple[str, ...], limit: int) -> None:
    """Print the concepts whose name contains one of KEYWORDS, then the most aroused ones."""
    rows = with_session(
        embedded, lambda session: session.run(calls.concept_search(keywords, limit))
    )
    table = Table("concept", _number("arousal"))
    for row in rows:
        table.add_row(row["concept"], f"{row['arousal']:.6f}")
    out.print(table)


@click.command()
@click.pass_obj
def stats(embedded: str | None) -> None:
    """Print how much there is of everything."""
    rows = with_session(embedded, lambda session: session.run(calls.stats()))
    table = Table("measure", _number("value"))
    for row in rows:
        table.add_row(row["measure"], shown_measure(row["measure"], row["value"]))
    out.print(table)


def recall_table(rows: list[dict[str, Any]]) -> Table:
    """Return the rows of a recall; score = arousal × hop × direction × weight."""
    columns = ("score", "arousal", "× hop", "× direction", "× weight", "valence")
    table = Table("proposition", *map(_number, columns))
    for row in rows:
        table.add_row(
            row["text"],
            f"{row['score']:.6f}",
            f"{row['arousal']:.4f}",
            f"{schema.HOP_DECAY ** (row['hop'] - 1):g}",
            f"{schema.REVERSE_PENALTY if row['reverse'] else 1:g}",
            f"{row['weight']:.4f}",
            "" if row["valence"] is None else f"{row['valence']:+.2f}",
        )
    return table


def shown_measure(measure: str, value: int) -> str:
    """Return a value of `stats` for people: times as UTC dates."""
    if measure.endswith("_at"):
        return (
            f"{datetime.fromtimestamp(value / 1000, UTC):%Y-%m-%d %H:%M:%S} UTC" if value else "-"
        )
    return f"{value:,}"


def _number(header: str) -> Column:
    return Column(header, justify="right", no_wrap=True)
