"""CALL everyday.*: one memory of what was said, who and what it was about, and what that evokes.

The last argument of every procedure is an optional map, the context (see
conceptgraph_core/context.py); its user_id says whose memory it is. Concepts are the user's own too,
unless the context has concepts: "shared". Times are unix milliseconds.
`CALL mg.procedures() YIELD name, signature;` shows all arguments and fields.

CALL everyday.recall("What is Lena allergic to?") YIELD text;
    Put together what belongs to a message: who and what, what was said, what comes to mind.
CALL everyday.peek("What is Lena allergic to?") YIELD text;
    Return what `recall` would, and count no access.
CALL everyday.remember("Lena is allergic to hazelnuts", ["Lena", "hazelnuts"], "years")
YIELD id, existing;
    Keep a text once, with who and what it is about, as long as "days", "years" or "always".
CALL everyday.search("hazelnuts", null, null, null, ["memory"]) YIELD id, text;
    Find memories, episodes and entities by what they say or are called, and access none.
CALL everyday.about("Lena") YIELD facts, said;
    Tell all that is kept about one name, what was so too; nothing is accessed.
CALL everyday.forget("01J…", "it was a joke") YIELD forgotten_at;
    Take a memory out of sight; its owner can restore it, whole.
CALL everyday.relate("hazelnut", "nut", "is-a") YIELD `from`, `to`;
    State that a concept "is-a", is "part-of" or "evokes" another.
CALL everyday.identify("Mike", "Michael", true, "Mike is Michael") YIELD verdict, undo;
    Settle by the user's words whether two are the same; without b, a name is another's now.
"""

from conceptgraph_core.concepts.node import Graph as Concepts
from conceptgraph_core.context import owning
from conceptgraph_core.entities.node import Graph as Entities
from conceptgraph_core.everyday import (
    identifying,
    procedures,
    recalling,
    remembering,
    searching,
    telling,
)
from conceptgraph_core.graph.registering import Module
from conceptgraph_core.memories.view import Graph

register = Module(__doc__, owning).register

register(procedures.RECALL, Graph, recalling.recall)
register(procedures.REMEMBER, Graph, remembering.remember)
register(procedures.SEARCH, Graph, searching.search)
register(procedures.ABOUT, Graph, telling.about)
register(procedures.FORGET, Graph, remembering.forget)
register(procedures.RELATE, Concepts, remembering.relate)
register(procedures.IDENTIFY, Entities, identifying.identify)
