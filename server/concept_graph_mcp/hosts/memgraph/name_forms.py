"""Add the search forms of names to nodes that an older version or Cypher by hand created."""

import logging
from collections.abc import Sequence

from neo4j.exceptions import ClientError

from conceptgraph_core.cypher.name_search import write_unfolded
from conceptgraph_core.layers import Layer, TextIndex
from conceptgraph_core.transfer.procedures import INDEX

from ...errors import one_line
from .failures import find_taken_key, is_conflict
from .probes import Run

logger = logging.getLogger(__name__)

# Nodes in one transaction that adds forms, and in all those of one connection: less than a second's
# work. Searches read the rest one by one until `index` gives them their forms.
_BATCH = 10_000
_MOST_FOLDED = 20_000


async def ensure(run: Run, layers: Sequence[Layer]) -> None:
    """Add the search forms to some of the nodes that lack them."""
    for index in (index for layer in layers for index in layer.texts):
        try:
            await _fold(run, index)
        except ClientError as error:
            # A replica cannot be written; its searches are right too, only slower. They are, too,
            # where a constraint refuses the forms.
            if is_conflict(error) and find_taken_key(error) is None:
                raise
            if find_taken_key(error):
                logger.warning("some names lack their search forms: %s", one_line(error.message))


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
