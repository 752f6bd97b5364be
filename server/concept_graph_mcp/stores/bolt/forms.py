"""The forms of names that searches read: whether nodes lack them, and giving them theirs."""

from collections.abc import Sequence

from neo4j.exceptions import ClientError

from conceptgraph_core.layers import Layer, TextIndex

from ... import calls
from .asking import Run, listed
from .failures import is_conflict

# So few are gone through at once; and a storage that does not count its indexes says "10" of each.
_FEW = 1_000
# How many nodes are given their forms in one transaction.
_BATCH = 10_000


async def lacking(run: Run, index: TextIndex) -> bool:
    """Tell whether a node with a text may lack one of its forms.

    An index knows how many entries it has. Text and forms are written together: where the three
    indexes have as many, nothing lacks any. What was changed or deleted stays counted, in all
    three, until the database cleans up.
    """
    try:
        rows = await run("SHOW INDEX INFO", {}, False)
    except ClientError as error:
        if is_conflict(error):
            raise
        return True  # Not everybody may ask.
    counts = {
        tuple(listed(row["property"])): row["count"] for row in rows if row["label"] == index.label
    }
    first, *others = (counts.get((name,)) for name in (index.source, index.folded, index.plain))
    return first is None or first < _FEW or any(count != first for count in others)


async def ensure(run: Run, layers: Sequence[Layer]) -> None:
    """Give nodes that an older version or a hand made the forms that searches look at."""
    for index in (index for layer in layers for index in layer.texts):
        if not await lacking(run, index):
            continue
        without = (
            f"MATCH (n:{index.label}) WHERE n.{index.source} IS NOT NULL"
            f" AND (n.{index.folded} IS NULL OR n.{index.plain} IS NULL) WITH n LIMIT {_BATCH}"
        )
        fill = (
            f"{without} WITH collect(n) AS found CALL {calls.keeping.INDEX.name}(false, null,"
            " {found: found}) YIELD indexed RETURN indexed"
        )
        try:
            while (await run(f"{without} RETURN count(n) AS nodes", {}, False))[0]["nodes"]:
                if not (await run(fill, {}, True))[0]["indexed"]:
                    break  # What is there instead of a name is no text.
        except ClientError as error:
            # A replica cannot be written; searches there are right too, only slower.
            if is_conflict(error):
                raise
