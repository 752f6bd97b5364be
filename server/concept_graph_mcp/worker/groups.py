"""Run the job `groups`: find the neighbours of the words of each scope, for its questions.

The texts are read and the neighbours stored in batches of one transaction each. Between these they
are computed in this process. A scope is computed again when it has grown or shrunk by a tenth.
"""

from collections.abc import AsyncIterator
from functools import partial
from importlib.util import find_spec
from math import ceil
from typing import Any

from anyio import to_thread

from conceptgraph_core.retrieval import groups
from conceptgraph_core.retrieval.question import speaker_terms
from conceptgraph_core.words import missing

from .. import calls
from ..calls import text_lookups
from ..settings import Settings
from . import latent
from .job import Job
from .job_run import JobRun

Row = dict[str, Any]

# A larger scope lacks whole conversations here, which bounds time and memory.
MOST_TEXTS = 10_000


async def run(turn: JobRun) -> None:
    async for row in _scopes(turn):
        is_stale = groups.are_stale(row["texts"], row["grouped"])
        if not is_stale or not groups.wants(row["texts"], row["length"]):
            continue
        if turn.dry_run:
            turn.tell({"processed": row["texts"]})
            turn.would([_change(row)])
        else:
            await _group(turn, row)


async def _scopes(turn: JobRun) -> AsyncIterator[Row]:
    after = None
    while rows := await turn.session.run(calls.groups.scopes(after)):
        for row in rows:
            yield row
        after = rows[-1]["scope"]


async def _group(turn: JobRun, row: Row) -> None:
    languages = text_lookups.spoken()
    texts: list[latent.Text] = []
    speakers: set[str] = set()
    async for one in _texts(turn, row):
        texts.append(latent.Text(one["text"], one["thread"], one["position"]))
        speakers.add(one["speaker"] or "")
    named = {term for speaker in speakers for term in speaker_terms(speaker, languages)}
    near = await to_thread.run_sync(partial(latent.neighbours, texts, languages, named))
    await turn.go_on()
    names, after = sorted(near), None
    while True:
        following = [name for name in names if after is None or name > after][: turn.batch]
        some = {name: [list(one) for one in near[name]] for name in following}
        [done] = await turn.session.run(calls.groups.group(row["scope"], some, after, turn.batch))
        await turn.report(grouped=done["changed"])
        await turn.go_on()
        after = done["last"]
        if after is None:
            return


async def _texts(turn: JobRun, row: Row) -> AsyncIterator[Row]:
    """Iterate over the texts of a scope, or over those of a part of its threads."""
    parts = ceil(row["texts"] / MOST_TEXTS)
    for label in calls.groups.LABELS:
        after = None
        while rows := await turn.session.run(
            calls.groups.texts(row["scope"], label, after, turn.batch, parts)
        ):
            for one in rows:
                if one["text"] is not None:
                    yield one
            after = rows[-1]["key"]
            await turn.report(processed=len(rows))
            await turn.go_on()


def _change(row: Row) -> Row:
    known = row["grouped"]
    why = "it has none" if known is None else f"there were {known:,} texts when they were computed"
    text = f"the neighbours of the words of {row['texts']:,} texts"
    return {"user_id": row["scope"], "text": text, "to": "computed", "why": why}


def _missing(_: Settings) -> str | None:
    if find_spec("numpy") is None:
        return "NumPy is not installed: pip install numpy"
    lacking = missing()
    return f"{', '.join(lacking)}: is not installed" if lacking else None


JOB = Job("groups", "find related words", {"minute": 20}, run, _missing)
