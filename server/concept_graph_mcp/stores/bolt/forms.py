"""Whether nodes lack the forms that searches read, told without looking at them."""

from neo4j.exceptions import ClientError

from conceptgraph_core.layers import TextIndex

from .failures import is_conflict
from .readiness import Run, listed

# So few are gone through at once; and a storage that does not count its indexes says "10" of each.
_FEW = 1_000


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
