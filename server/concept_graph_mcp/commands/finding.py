"""Find the episodes that match a question and explain the scores (`find`); `index` them."""

from collections.abc import Mapping
from contextlib import aclosing
from typing import Any

import click
from rich.table import Table

from conceptgraph_core.layers import SHARED
from conceptgraph_core.registry import LAYERS
from conceptgraph_core.retrieval import schema

from .. import calls
from ..errors import StoreError
from ..session import Session
from .common import AS_JSON, ASKER, AT, SHARED_CONCEPTS, Failure, in_session, with_session
from .formatting import figure
from .interrupts import Interrupts
from .notes import note
from .progress import progress
from .terminal import narrow, out, print_json, say, wide

Row = dict[str, Any]

_BATCH = 500
# Each batch scans all nodes, so these batches are larger.
_REST = 10_000
_KINDS = frozenset(kind.kind for layer in LAYERS for kind in layer.nodes if kind.exported)


@click.command()
@click.argument("words", metavar="TEXT", nargs=-1, required=True)
@click.option(
    "--limit",
    type=click.IntRange(1, schema.MAX_LIMIT),
    default=schema.DEFAULT_LIMIT,
    show_default=True,
    help="At most this many episodes.",
)
@ASKER
@click.option("--explain", is_flag=True, help="Print the parts of each score.")
@AT
@AS_JSON
@in_session
async def find(
    session: Session,
    /,
    words: tuple[str, ...],
    limit: int,
    *,
    asker: str | None,
    explain: bool,
    as_json: bool,
) -> None:
    """Print the episodes that TEXT, a question or a sentence, belongs to by its words.

    The best come first. Nothing changes.
    """
    given = {"query": " ".join(words), "limit": limit, "asker": asker}
    rows = await session.run(session.call(calls.concepts.associate, **given))
    [counted] = await session.run(calls.concepts.unindexed(session.concept_scope))
    if as_json:
        print_json({"episodes": rows})
    elif rows:
        out.print(found_table(rows, "episode", explain))
    else:
        say("No episode says any of that.")
        if session.concept_scope == SHARED:
            note(SHARED_CONCEPTS)
    if counted["episodes"]:
        note(schema.lacking(counted["episodes"], "episodes"))


@click.command()
@click.option(
    "--again", is_flag=True, help="Index all of them again, as needed after a change of languages."
)
@AS_JSON
@click.pass_obj
def index(embedded: str | None, again: bool, as_json: bool) -> None:
    """Index episodes and concepts that have no index entries yet.

    Elements created by hand in Cypher, or by an older version, have none. The command works in
    batches of one transaction each. Ctrl-C stops between two batches. The same command goes on from
    there, whatever stopped it.
    """
    with Interrupts() as interrupts:

        async def work(session: Session) -> int:
            return await _index(session, again, interrupts)

        try:
            indexed = with_session(embedded, work)
        except KeyboardInterrupt:
            raise Failure("interrupted; the same command goes on from here") from None
    if as_json:
        print_json({"indexed": indexed})
    else:
        note(f"indexed: {indexed:,}")


async def _index(session: Session, again: bool, interrupts: Interrupts) -> int:
    rows = await session.run(calls.transfer.stats())
    total = sum(row["value"] for row in rows if row["kind"] == "node")
    indexed = done = 0
    while await _indexed(session, calls.transfer.index_rest(0)):
        pass  # A damaged index goes first, in pieces.
    with progress("indexing", total) as tell:
        async with aclosing(session.store.stream(_BATCH)) as batches:
            async for records in batches:
                nodes = [record for record in records if record["kind"] in _KINDS]
                if not nodes:
                    # Relations come after all nodes. A batch of nodes may have no records at all.
                    if records:
                        break
                    continue
                with interrupts.piece():
                    indexed += await _indexed(session, calls.transfer.index(nodes, again))
                done += len(nodes)
                tell(done)
    # The remaining rows are words of removed elements, and elements added meanwhile.
    while True:
        with interrupts.piece():
            more = await _indexed(session, calls.transfer.index_rest(_REST))
        indexed += more
        if more < _REST:
            return indexed


async def _indexed(session: Session, call: calls.Call) -> int:
    try:
        [row] = await session.run(call)
    except StoreError as error:
        raise Failure(f"{error}; the same command goes on from here") from None
    count: int = row["indexed"]
    return count


def found_table(rows: list[Row], title: str, explain: bool) -> Table:
    """Return the rows of `associate`, each followed by a row on its score if *explain* is set."""
    table = Table(wide(title), narrow("score"))
    for row in rows:
        table.add_row(f"{row['summary']} ({row['episode_id']})", figure(row["score"]))
        if explain:
            table.add_row(reasons(row), style="dim", end_section=True)
    return table


def reasons(row: Mapping[str, Any]) -> str:
    """Return the parts of a score: the share of each word, its sources, and the factors."""
    words = " + ".join(_word(word) for word in row["words"])
    # Memgraph sorts the keys of a map by the alphabet.
    factors = " × ".join(f"{name} {row['factors'][name]:.3g}" for name in schema.FACTORS)
    return f"= ({words}) × {factors}"


def _word(word: Mapping[str, Any]) -> str:
    others = [source["key"] for source in word["from"] if source["offset"] and source["key"]]
    near = f" from {', '.join(others)}" if others else ""
    return f"{word['word']} {word['gave']:.3g}{near}"
