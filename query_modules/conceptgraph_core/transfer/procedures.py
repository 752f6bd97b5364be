"""The procedures `conceptgraph.*` that go over all layers. Imports nothing of Memgraph."""

from typing import Any

from ..verbs.procedures import MAP, list_procedures, reads, writes

VERSION = reads("conceptgraph.version", version=str)._replace(takes_context=False)
STATS = reads("conceptgraph.stats", measure=str, kind=str, value=int)
CHECK = reads("conceptgraph.check", problem=str, subject=str, advice=str, statement=str | None)
MEND = writes("conceptgraph.mend", subject=str, done=str)
INDEX = writes("conceptgraph.index", indexed=int)
EXPORT = reads("conceptgraph.export", record=MAP)
IMPORT_ROWS = writes(
    "conceptgraph.import_rows", nodes_created=int, nodes_existing=int, relations_created=int,
    relations_existing=int,
)  # fmt: skip
IMPORTS = reads(
    "conceptgraph.imports", import_id=str, batch=str, records=int, made_at=int
)  # fmt: skip
TAKE_BACK = writes("conceptgraph.take_back", removed=int, kept=int)

# Nodes of a user removed in one transaction: with their edges, few enough for any server's memory.
BATCH = 1_000
USERS = reads("conceptgraph.users", user_id=str)
USER_COUNT = reads("conceptgraph.user_count", measure=str, value=int)
USER_REMOVE = writes("conceptgraph.user_remove", measure=str, value=int)
USER_ADOPT = writes("conceptgraph.user_adopt", nodes=int, relations=int)

EMBEDDING = reads("conceptgraph.embedding", model=str, dimension=int)
EMBEDDING_CHOOSE = writes("conceptgraph.embedding_choose", chosen=bool, cleared=int)
EMBEDDING_LACKING = reads(
    "conceptgraph.embedding_lacking", kind=str, key=list[Any], text=str | None
)  # fmt: skip
EMBEDDING_SET = writes("conceptgraph.embedding_set", embedded=int)

GROUP_SCOPES = reads(
    "conceptgraph.group_scopes", scope=str, texts=int, length=int, grouped=int | None
)
GROUP_TEXTS = reads(
    "conceptgraph.group_texts", key=str, text=str | None, thread=str | None, position=int | None,
    speaker=str | None,
)  # fmt: skip
GROUP_TERMS = writes("conceptgraph.group_terms", changed=int, last=str | None)

PROCEDURES = list_procedures(globals())
