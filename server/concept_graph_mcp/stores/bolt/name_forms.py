"""The forms of names that searches read: whether nodes lack them, and giving them theirs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from neo4j.exceptions import ClientError

from conceptgraph_core.concepts.procedures import LIST_NAMES
from conceptgraph_core.layers import Layer, TextIndex
from conceptgraph_core.name_lists import schema as lists
from conceptgraph_core.transfer.procedures import INDEX

from .failures import is_conflict
from .probes import Run, listed
from .text_search import unfolded

# So few are gone through at once; and a storage that does not count its indexes says "10" of each.
_FEW = 1_000
# How many nodes are given their forms, or put into lists, in one transaction.
_BATCH = 10_000
# How many names are put into lists before a connection is served: about a second's work. What is
# left over is for the next one.
_MOST_LISTED = 100_000

_Counts = Mapping[tuple[str, ...], int]


@dataclass(frozen=True, slots=True)
class State:
    """How the nodes stand that a search looks at.

    Whether there are any lists, and how many names these have if no node lacks a form, where that
    is known.
    """

    has_lists: bool = True
    listed: int | None = None


async def state(run: Run, index: TextIndex) -> State:
    """Tell how the nodes with a text of *index* stand.

    An index knows how many entries it has. Text and forms are written together, and with them that
    the text is in no list: what else has a text is in one, or may lack a form. What was changed or
    deleted stays counted until the database cleans up.
    """
    counts = await _counts(run, index)
    if counts is None:
        return State()
    source, unlisted = _of(counts, index)
    has_lists = _has_lists(counts)
    if source is None or source < _FEW or unlisted is None:
        return State(has_lists)
    return State(has_lists, source - unlisted)


async def ensure(run: Run, layers: Sequence[Layer]) -> None:
    """Give nodes that an older version or a hand made the forms that searches look at.

    Then put names into lists, where many are in none.
    """
    for index in (index for layer in layers for index in layer.texts):
        counts = await _counts(run, index)
        try:
            if await _lacking(run, index, counts):
                if counts is None or _has_lists(counts):
                    await _forget_stale(run, index)
                await _fold(run, index)
            if counts is None or (_of(counts, index)[1] or _FEW) >= _FEW:
                await _list(run, index)
        except ClientError as error:
            # A replica cannot be written; searches there are right too, only slower.
            if is_conflict(error):
                raise


async def _counts(run: Run, index: TextIndex) -> _Counts | None:
    """Return how many entries indexes have, by property, and that of lists by its label."""
    try:
        rows = await run("SHOW INDEX INFO", {}, False)
    except ClientError as error:
        if is_conflict(error):
            raise
        return None  # Not everybody may ask.
    ours = {
        tuple(listed(row["property"])): row["count"] for row in rows if row["label"] == index.label
    }
    of_lists = [row["count"] for row in rows if row["label"] == lists.LIST]
    return ours | ({(lists.LIST,): max(of_lists)} if of_lists else {})


def _of(counts: _Counts, index: TextIndex) -> list[int | None]:
    return [counts.get((name,)) for name in (index.source, index.unlisted)]


def _has_lists(counts: _Counts) -> bool:
    return counts.get((lists.LIST,), 1) > 0


async def _lacking(run: Run, index: TextIndex, counts: _Counts | None) -> bool:
    """Tell whether a node may lack a form, counting what lists have."""
    if counts is None:
        return True
    source, unlisted = _of(counts, index)
    if source is None or source < _FEW or unlisted is None:
        return True
    if not _has_lists(counts):
        return unlisted != source
    [row] = await run(
        f"MATCH (l:{lists.LIST} {{label: $label}}) RETURN coalesce(sum(l.size), 0) AS size",
        {"label": index.label},
        False,
    )
    return unlisted + int(row["size"]) != source


async def _forget_stale(run: Run, index: TextIndex) -> None:
    """Remove the lists that have names which a hand took away; what else they have lacks a form.

    And those without a label: for what an older version put into them it kept no plain form.
    """
    there_are = await run(
        f"MATCH (l:{lists.LIST}) WHERE l.number IS NOT NULL AND coalesce(l.label, $label) = $label"
        " RETURN l.number AS number, CASE WHEN l.label IS NULL THEN null ELSE l.size END AS size",
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
    for start in range(0, len(numbers), _BATCH // lists.SIZE):
        some = {"numbers": numbers[start : start + _BATCH // lists.SIZE]}
        of_them = f"MATCH (n:{index.label}) WHERE {named} AND n.{index.listed} IN $numbers"
        await run(f"{of_them} SET n.{index.listed} = null", some, True)
        await run(f"MATCH (l:{lists.LIST}) WHERE l.number IN $numbers DELETE l", some, True)


async def _fold(run: Run, index: TextIndex) -> None:
    without = f"{unfolded(index)} WITH n LIMIT {_BATCH}"
    fill = (
        f"{without} WITH collect(n) AS found CALL {INDEX.name}(false, null,"
        " {found: found}) YIELD indexed RETURN indexed"
    )
    while (await run(f"{without} RETURN count(n) AS nodes", {}, False))[0]["nodes"]:
        if not (await run(fill, {}, True))[0]["indexed"]:
            break  # What is there instead of a name is no text.


async def _list(run: Run, index: TextIndex) -> None:
    """Put names into lists, as long as there are enough for one that are in none."""
    unlisted = f"MATCH (n:{index.label} {{{index.unlisted}: true}}) WITH n LIMIT {_BATCH}"
    put = (
        f"{unlisted} WITH collect(n) AS found"
        f" CALL {LIST_NAMES.name}($number, {{found: found}})"
        " YIELD listed RETURN listed"
    )
    greatest = f"OPTIONAL MATCH (l:{lists.LIST}) RETURN coalesce(max(l.number), 0) AS number"
    for _ in range(_MOST_LISTED // _BATCH):
        [there] = await run(f"{unlisted} RETURN count(n) AS nodes", {}, False)
        if there["nodes"] < lists.SIZE:
            break
        [last] = await run(greatest, {}, False)
        try:
            [row] = await run(put, {"number": last["number"] + 1}, True)
        except ClientError as error:
            # Somebody else is at it, or writes what would be put there.
            if not is_conflict(error):
                raise
            break
        if row["listed"] < _BATCH:
            break
