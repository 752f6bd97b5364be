"""Maintain the forms of names that searches read: find nodes that lack them, and add them."""

import logging
from collections.abc import Sequence
from contextlib import suppress

from neo4j.exceptions import ClientError

from conceptgraph_core.concepts.procedures import LIST_NAMES
from conceptgraph_core.layers import Layer, TextIndex
from conceptgraph_core.name_lists import schema as lists
from conceptgraph_core.transfer.procedures import INDEX

from ...errors import one_line
from .failures import find_taken_key, is_conflict
from .probes import Run
from .text_search import (
    FEW,
    LACKING,
    MOST_LISTED,
    TEXTS,
    Counts,
    State,
    _count_shared,
    has_lists,
    judge_names,
    lacking,
    read_counts,
    write_unfolded,
)

logger = logging.getLogger(__name__)

# Nodes in one transaction that adds forms, and in all those of one connection: less than a second's
# work. Searches read the rest one by one until `index` gives them their forms.
_BATCH = 10_000
_MOST_FOLDED = 20_000


async def state(run: Run, index: TextIndex) -> State:
    """Return the state of the nodes with a text of *index*.

    Memgraph counts the entries of an index. Changed and deleted nodes stay counted until the
    database cleans up.
    """
    return judge_names(await _counts(run, index), index)


async def ensure(run: Run, layers: Sequence[Layer]) -> None:
    """Add the search forms to some nodes created by an older version or by hand in Cypher.

    Then put names into lists, if many are in none.
    """
    for index in (index for layer in layers for index in layer.texts):
        counts = await _counts(run, index)
        try:
            if await _lacking(run, index, counts):
                if counts is None or has_lists(counts):
                    await _forget_stale(run, index)
                await _fold(run, index)
        except ClientError as error:
            # A replica cannot be written; its searches are right too, only slower. They are, too,
            # where a constraint refuses the forms.
            if is_conflict(error) and find_taken_key(error) is None:
                raise
            if find_taken_key(error):
                logger.warning("some names lack their search forms: %s", one_line(error.message))
        else:
            if counts is None or (_count_shared(counts, index)[1] or FEW) >= FEW:
                await fill_lists(run, index)


async def _counts(run: Run, index: TextIndex) -> Counts | None:
    """Return the number of entries of each index by property, and of lists by label."""
    try:
        rows = await run("SHOW INDEX INFO", {}, False)
    except ClientError as error:
        if is_conflict(error):
            raise
        return None  # The user may lack the privilege.
    return read_counts(rows, index)


async def _lacking(run: Run, index: TextIndex, counts: Counts | None) -> bool:
    """Return whether a node may lack a form, counting the names in lists."""
    if counts is None:
        return True
    source, unlisted = _count_shared(counts, index)
    if source is None or source < FEW or unlisted is None:
        return True
    [row] = await run(f"{lacking(index)}RETURN {LACKING}", {TEXTS: source}, False)
    return bool(row[LACKING])


async def _forget_stale(run: Run, index: TextIndex) -> None:
    """Remove lists that hold a name which Cypher removed by hand; their others then lack a form."""
    there_are = await run(
        f"MATCH (l:{lists.LIST}) WHERE l.number IS NOT NULL AND l.label = $label"
        " RETURN l.number AS number, l.size AS size",
        {"label": index.label},
        False,
    )
    if not there_are:
        return
    named = f"n.{index.source} IS NOT NULL"
    there = await run(
        f"MATCH (n:{index.label}) WHERE {named} AND n.{index.listed} IS NOT NULL"
        f" RETURN n.{index.listed} AS number, count(n) AS size",
        {},
        False,
    )
    sizes = {row["number"]: row["size"] for row in there}
    numbers = [row["number"] for row in there_are if sizes.get(row["number"]) != row["size"]]
    for start in range(0, min(len(numbers), _MOST_FOLDED // lists.SIZE), _BATCH // lists.SIZE):
        some = {"numbers": numbers[start : start + _BATCH // lists.SIZE]}
        of_them = f"MATCH (n:{index.label}) WHERE {named} AND n.{index.listed} IN $numbers"
        await run(f"{of_them} SET n.{index.listed} = null", some, True)
        await run(f"MATCH (l:{lists.LIST}) WHERE l.number IN $numbers DELETE l", some, True)


async def _fold(run: Run, index: TextIndex) -> None:
    without = f"{write_unfolded(index)} WITH n LIMIT {_BATCH}"
    fill = (
        f"{without} WITH collect(n) AS found CALL {INDEX.name}(false, null,"
        " {found: found}) YIELD indexed RETURN indexed"
    )
    for _ in range(0, _MOST_FOLDED, _BATCH):
        if not (await run(f"{without} RETURN count(n) AS nodes", {}, False))[0]["nodes"]:
            return
        if not (await run(fill, {}, True))[0]["indexed"]:
            return  # The rest have a name that is no text.
    if (await run(f"{without} RETURN count(n) AS nodes", {}, False))[0]["nodes"]:
        logger.warning("many names lack their search forms; run concept-graph-mcp index")


async def fill_lists(run: Run, index: TextIndex) -> None:
    """Put some of the names that are in no list into lists, if they are enough for one."""
    unlisted = f"MATCH (n:{index.label} {{{index.unlisted}: true}}) WITH n LIMIT {MOST_LISTED}"
    put = (
        f"{unlisted} WITH collect(n) AS found"
        f" CALL {LIST_NAMES.name}($number, {{found: found}})"
        " YIELD listed RETURN listed"
    )
    [there] = await run(f"{unlisted} RETURN count(n) AS nodes", {}, False)
    if there["nodes"] < lists.SIZE:
        return
    # The lists of imports have numbers below 0.
    greatest = f"OPTIONAL MATCH (l:{lists.LIST}) WHERE l.number > 0 RETURN max(l.number) AS number"
    [last] = await run(greatest, {}, False)
    # A replica cannot be written; and another process may fill lists or write to the same nodes.
    with suppress(ClientError):
        await run(put, {"number": (last["number"] or 0) + 1}, True)
