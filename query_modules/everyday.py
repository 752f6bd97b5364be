"""CALL everyday.*: one interface to a user's memories, entities and concepts.

The last argument of every procedure is an optional map, the context (see
conceptgraph_core/verbs/context.py); its user_id names the user. Concepts belong to the user too,
unless the context has concepts: "shared". Times are unix milliseconds.
`CALL mg.procedures() YIELD name, signature;` shows all arguments and fields.
"id of remember" stands for the id that `remember` has yielded.

CALL everyday.recall("What is Lena allergic to?") YIELD text;
    Compose a text for a message: known entities, memories and associated concepts.
    Other words for what is asked go into the context: {also: ["allergy", "nuts"]}.
CALL everyday.peek("What is Lena allergic to?") YIELD text;
    Return the same as `recall` without counting an access.
CALL everyday.access(["id of remember"], {nougat: 1.0}) YIELD memories, concepts;
    Count the accesses that `peek` returned; a reader of a replica calls this on the main.
CALL everyday.remember("Lena is allergic to hazelnuts", ["Lena", "hazelnuts"], "years")
YIELD id, existing;
    Store a text once, with its subjects, for "days", "years" or "always".
CALL everyday.search("hazelnuts", null, null, null, ["memory"]) YIELD id, text;
    Find memories, episodes and entities by text or name, without counting an access.
CALL everyday.explain("hazelnuts") YIELD text, chance, belongs, why;
    Tell why memories belong to a message, or do not: what each signal adds to the chance.
CALL everyday.about("Lena") YIELD facts, said;
    Return everything stored about one name, past facts too, without counting an access.
CALL everyday.profile() YIELD text;
    Describe the user: own facts, what is always kept, wishes, those closest, what is coming up.
CALL everyday.days("20260131", [1769817600000, 1769904000000]) YIELD memories, mentions;
    Count what was stored and said on each day.
CALL everyday.sizes([0, 1769817600000, 1769904000000]) YIELD memories, entities, concepts;
    Count all that is stored; memories and mentions by the period in which they were created.
CALL everyday.happened("20260131", 1769817600000, 1769904000000) YIELD kind, text, who;
    List what was stored and said on a day, the earliest first.
CALL everyday.changes(1769299200000, 1769904000000) YIELD at, change, text, undo;
    List what is new, corrected, contradicted, merged, faded or promoted, the latest first.
CALL everyday.forget("id of remember", "it was a joke") YIELD forgotten_at;
    Hide a memory, a fact, a mention or an entity; its owner can restore it completely.
CALL everyday.restore("id of remember") YIELD restored, state;
    Bring back what was forgotten with that id.
CALL everyday.relate("hazelnut", "nut", "is-a") YIELD `from`, `to`;
    Relate two concepts by "is-a", "part-of" or "evokes".
CALL everyday.identify("Lena", null, false, "Another Lena came") YIELD verdict, undo;
    Record, in the user's words, whether two names are one entity. Without b, another entity has the
    name from now on.

CALL everyday.keep_question("Lena's allergy", ["nuts"], ["id of remember"]) YIELD id;
    Keep what was asked, in other words too, and which memories were shown, to train on.
CALL everyday.questions() YIELD id, asked_at, message, also, shown;
    List the kept questions, the earliest first.
CALL everyday.purge_questions(2592000000) YIELD purged;
    Remove for ever those that were asked longer ago than that.
"""

from conceptgraph_core.cascade import forgetting
from conceptgraph_core.concepts.node import Graph as Concepts
from conceptgraph_core.entities.node import Graph as Entities
from conceptgraph_core.everyday import (
    changing,
    correcting,
    identifying,
    kept,
    procedures,
    profile,
    remembering,
    searching,
    telling,
    timeline,
)
from conceptgraph_core.everyday.kept import Questions
from conceptgraph_core.graph.registering import Module
from conceptgraph_core.memories.view import Graph
from conceptgraph_core.recall import answering, explaining
from conceptgraph_core.verbs.context import owning

register = Module(__doc__, owning).register

register(procedures.RECALL, Graph, answering.recall)
register(procedures.ACCESS, Graph, answering.access)
register(procedures.REMEMBER, Graph, remembering.remember)
register(procedures.SEARCH, Graph, searching.search)
register(procedures.EXPLAIN, Graph, explaining.explain)
register(procedures.ABOUT, Graph, telling.report_about)
register(procedures.PROFILE, Graph, profile.profile)
register(procedures.DAYS, Graph, timeline.days)
register(procedures.SIZES, Graph, timeline.sizes)
register(procedures.HAPPENED, Graph, timeline.list_happened)
register(procedures.CHANGES, Graph, changing.changes)
register(procedures.FORGET, Graph, correcting.forget)
register(procedures.RESTORE, Graph, forgetting.restore)
register(procedures.RELATE, Concepts, remembering.relate)
register(procedures.IDENTIFY, Entities, identifying.identify)
register(procedures.KEEP_QUESTION, Questions, kept.keep)
register(procedures.QUESTIONS, Questions, kept.list_kept)
register(procedures.PURGE_QUESTIONS, Questions, kept.purge)
