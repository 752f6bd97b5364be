"""Write a store as a life that `python -m benchmarks.train` reads, from its kept questions.

A kept question is written if something tells what belongs to it: it was asked again with other
words soon after, and more was shown, or a text that it was shown was soon forgotten. The file is
answers benchmark describes the file.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC
from typing import Any, Final

from conceptgraph_core import dates, limits
from conceptgraph_core.everyday.schema import ALWAYS_TAGS, DAYS_TAG, DEFAULT_KEEP, KEEP
from conceptgraph_core.folding import plain
from conceptgraph_core.memories import schema
from conceptgraph_core.memories.projects import TAG

from .. import calls
from ..calls.call import spoken
from ..session import Session
from .common import Failure

Row = Mapping[str, Any]
NAME: Final = "training"
# An event so soon after a question was answered tells whether the answer was right.
_SOON_MS: Final = 3_600_000


async def make_life(session: Session) -> dict[str, Any]:
    """Return the life of the session's user. Raises Failure, StoreError."""
    asked = [row async for row in _list_asked(session)]
    if not asked:
        raise Failure("no question was kept: set keep_questions = true, and ask")
    memories: dict[str, Row] = {}
    kinds: dict[str, str | None] = {}
    async for batch in session.store.stream(only=calls.transfer.exported_by(session.user_id)):
        for record in batch:
            if record["kind"] == schema.KIND.kind and record["content"] != schema.SILENT:
                memories[str(record["id"])] = record
            elif record["kind"] == "entity":
                kinds[str(record["node_label"])] = record.get("entity_kind")
    told = list(_judge(asked, memories))
    if not told:
        raise Failure(
            f"none of the kept questions ({len(asked):,}) was asked again with also, and no text"
            " that one was shown was forgotten soon after"
        )
    forgotten = {one for row in told for one in row["gone"]}
    written = {
        key: one
        for key, one in memories.items()
        if key in forgotten or (one.get("deleted_at") is None and one.get("valid_until") is None)
    }
    rows = [{**row, "notes": [one for one in row["notes"] if one in written]} for row in told]
    fields = "id", "ask", "also", "answers", "notes", "project"
    return {
        "user": session.user_id,
        "asked_at": _iso(session.clock.now_ms()),
        "languages": ",".join(spoken()),
        "kind": "person",
        "messages": [
            _make_message(key, one, kinds)
            for key, one in sorted(written.items(), key=lambda pair: pair[1]["created_at"])
        ],
        "questions": [{name: row[name] for name in fields} for row in rows if row["notes"]],
        "unanswerable": [row["ask"] for row in rows if not row["notes"]],
        "silence": [],
    }


async def _list_asked(session: Session) -> Any:
    after = None
    while rows := await session.run(session.call(calls.everyday.questions, after=after)):
        for row in rows:
            yield row
        after = rows[-1]["id"]


def _judge(asked: Sequence[Row], memories: Mapping[str, Row]) -> Iterator[Row]:
    """Yield each question of which something tells what belongs, the last time it was asked."""
    found: dict[tuple[str, str | None], Row] = {}
    for number, row in enumerate(asked):
        until = row["asked_at"] + _SOON_MS
        shown = dict.fromkeys(row["shown"])
        more = _find_more(asked, number)
        if more is not None:
            shown |= dict.fromkeys(more["shown"])
        gone = [
            one
            for one in shown
            if row["asked_at"] <= (memories.get(one, {}).get("deleted_at") or 0) <= until
        ]
        if more is not None or gone:
            found[plain(row["message"]), row["project"]] = {
                "id": row["id"],
                "ask": row["message"],
                "also": list((more or row)["also"]),
                "answers": [],
                "notes": [one for one in shown if one not in gone],
                "project": row["project"],
                "gone": gone,
            }
    yield from found.values()


def _find_more(asked: Sequence[Row], number: int) -> Row | None:
    """Return the question that asks the same soon after with other words, and was shown more."""
    row = asked[number]
    for place in range(number + 1, len(asked)):
        one = asked[place]
        if one["asked_at"] > row["asked_at"] + _SOON_MS:
            return None
        is_same = (
            plain(one["message"]) == plain(row["message"]) and one["project"] == row["project"]
        )
        if is_same and one["also"] and not {*one["shown"]} <= {*row["shown"]}:
            return one
    return None


def _make_message(key: str, memory: Row, kinds: Mapping[str, str | None]) -> dict[str, Any]:
    """Return the message in which a memory was kept, with the arguments of `remember`."""
    tags = memory["tags"]
    keep = DEFAULT_KEEP
    if ALWAYS_TAGS.issubset(tags):
        keep = "always"
    elif DAYS_TAG in tags:
        keep = "days"
    elif memory["importance_score"] >= KEEP["years"].importance:
        keep = "years"
    # The kind of a name is one of its search terms too.
    known = {kinds.get(one) for one in memory["concepts"]}
    about = [
        {"name": one, "kind": kinds[one]} if kinds.get(one) else one
        for one in memory["concepts"]
        if one not in known
    ]
    kept: dict[str, Any] = {"key": key, "text": memory["content"], "keep": keep}
    kept["about"] = about[: limits.MOST_ABOUT]
    if (at := memory.get("said_at")) is not None:
        kept["happened_at"] = _iso(at)
    made: dict[str, Any] = {"at": _iso(memory["created_at"]), "said": memory.get("said")}
    if named := [one.removeprefix(TAG) for one in tags if one.startswith(TAG)]:
        made["project"] = named[0]
    return {**made, "keeps": [kept]}


def _iso(time_ms: int) -> str:
    return f"{dates.moment(time_ms, UTC):%Y-%m-%dT%H:%M:%S}"
