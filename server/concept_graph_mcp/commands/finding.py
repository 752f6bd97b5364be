"""Find the episodes that match a question and explain the scores (`find`); `index` them."""

from contextlib import aclosing
from typing import Any

import click

from conceptgraph_core.registry import LAYERS

from .. import calls
from ..errors import StoreError
from ..session import Session
from .common import AS_JSON, Failure, with_session
from .interrupts import Interrupts
from .notes import note
from .progress import progress
from .terminal import print_json

Row = dict[str, Any]

_BATCH = 500
# Each batch scans all nodes, so these batches are larger.
_REST = 10_000
_KINDS = frozenset(kind.kind for layer in LAYERS for kind in layer.nodes if kind.exported)


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
