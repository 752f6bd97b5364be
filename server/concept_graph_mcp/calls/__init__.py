"""How each procedure is called: its arguments, fields, and the look-up that spares a scan.

A module a layer, and one for what goes over all layers: `calls.concepts.peek(…)`.
"""

from . import concepts as concepts
from . import embedding as embedding
from . import entities as entities
from . import entities_upkeep as entities_upkeep
from . import ingesting as ingesting
from . import keeping as keeping
from . import memories as memories
from . import memory_links as memory_links
from . import remembering as remembering
from . import upkeep as upkeep
from .call import Call as Call
from .call import Procedure as Procedure

# What a server must have loaded.
ALL = (
    *concepts.PROCEDURES,
    *keeping.PROCEDURES,
    *embedding.PROCEDURES,
    *memories.PROCEDURES,
    *memory_links.PROCEDURES,
    *remembering.PROCEDURES,
    *ingesting.PROCEDURES,
    *upkeep.PROCEDURES,
    *entities.PROCEDURES,
    *entities_upkeep.PROCEDURES,
)
