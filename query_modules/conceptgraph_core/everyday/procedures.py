"""The procedures `everyday.*`. Imports nothing of Memgraph."""

from ..verbs.procedures import MAP, MAPS, TEXTS, list_procedures, reads, writes

_ASKED = ("asker", "asked_at", "also", "project")

# The server renders the text of the lines again, with times in the session's zone.
RECALL = (
    writes("everyday.recall", text=str, lines=MAPS, sources=MAPS, tokens=int, accessed=MAP)
    .peeking_as("everyday.peek")
    .taking(*_ASKED)
    .without("text")
)
ACCESS = writes("everyday.access", memories=int, concepts=int)
REMEMBER = writes("everyday.remember", id=str, existing=bool, similar=MAPS)
SEARCH = reads(
    "everyday.search", kind=str, id=str, text=str, at=int, who=str | None, matched=TEXTS,
    until=int | None, total=int,
).taking(*_ASKED)  # fmt: skip
ABOUT = reads(
    "everyday.about", id=str | None, name=str, kind=str | None, also=TEXTS, facts=MAPS,
    doubts=TEXTS, feeling=float | None, relations=TEXTS, said=MAPS, more=MAP, text=str | None,
    sources=MAPS,
)  # fmt: skip
EXPLAIN = reads(
    "everyday.explain", kind=str, id=str | None, text=str, chance=float, least=float,
    belongs=bool, why=str,
).taking("also", "project")  # fmt: skip
PROFILE = reads("everyday.profile", text=str, lines=MAPS, sources=MAPS, tokens=int).without("text")
DAYS = reads("everyday.days", memories=list[int], episodes=list[int], mentions=list[int])
SIZES = reads(
    "everyday.sizes", memories=list[int], mentions=list[int], entities=int, concepts=int,
    episodes=int,
)  # fmt: skip
HAPPENED = reads(
    "everyday.happened", kind=str, id=str, text=str, at=int, who=str | None, state=str | None
)
CHANGES = reads(
    "everyday.changes", at=int, change=str, kind=str, id=str, text=str, why=str | None,
    undo=str | None,
)  # fmt: skip
FORGET = writes(
    "everyday.forget", id=str | None, forgotten_at=int | None, others=MAPS, candidates=MAPS
)
RESTORE = writes("everyday.restore", id=str, restored=bool, state=str | None)
RELATE = writes("everyday.relate", **{"from": str}, to=str, type=str)
IDENTIFY = writes("everyday.identify", verdict=str, undo=str | None)

# The questions that recalls were asked, for the user to train on; no tool has them.
KEEP_QUESTION = writes("everyday.keep_question", id=str)
QUESTIONS = reads(
    "everyday.questions", id=str, asked_at=int, message=str, also=TEXTS, project=str | None,
    shown=TEXTS,
)  # fmt: skip
PURGE_QUESTIONS = writes("everyday.purge_questions", purged=int)

PROCEDURES = list_procedures(globals())
