"""Run chunks one after another through one server, until all are done or one fails."""

import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from ..errors import StoreError
from ..session import Session
from ..settings import Settings
from . import working_store
from .chunks import Chunk
from .conversation import Conversations, Model, Spent
from .errors import BackfillError
from .pipeline import Pipeline, StepWatcher
from .report import Report
from .steps import Prompts

Counts = dict[str, int]


@dataclass(frozen=True, slots=True)
class Job:
    """The parameters of a run; *settings* are the target's, with its zone and tau.

    A model call is given at most *characters* of a transcript; a step has at most *rounds* rounds.
    """

    store: Path
    settings: Settings
    prompts: Prompts
    user_id: str
    characters: int
    rounds: int

    @property
    def working_settings(self) -> Settings:
        return replace(self.settings, embedded=self.store)


class Watcher(StepWatcher, Protocol):
    """Is notified of a run's progress."""

    def finish(self, report: Report) -> None: ...


async def run(job: Job, model: Model, chunks: Iterable[Chunk], watcher: Watcher) -> str | None:
    """Process *chunks*; return the reason for a stop, or None when all are done.

    If a chunk fails for whatever reason, the copy made before it stays, so that it can be restored
    once the server has ended. Raises BackfillError or StoreError before the first chunk.
    """
    # Imported only here, because an MCP client takes a second to import; --help needs none.
    from .toolbox import serve_toolbox

    async with working_store.open_session(job.working_settings) as session:
        before = await working_store.counts(session)
        async with serve_toolbox(job.store, job.settings.zone) as toolbox:
            conversations = Conversations(model, toolbox, job.rounds)
            pipeline = Pipeline(conversations, job.prompts, job.user_id, job.characters)
            try:
                for chunk in chunks:
                    working_store.keep(job.store, chunk.number)
                    report = await _live(pipeline, chunk, session, before, watcher)
                    working_store.let_go(job.store)
                    watcher.finish(report)
                    before = {kind: before[kind] + count for kind, count in report.added.items()}
            except (BackfillError, StoreError) as error:
                # Returned and not raised, because the client would wrap an exception in a group.
                return str(error)
    return None


async def _live(
    pipeline: Pipeline, chunk: Chunk, session: Session, before: Counts, watcher: Watcher
) -> Report:
    spent, started = Spent(), time.perf_counter()
    await pipeline.live(chunk, spent, watcher)
    after = await working_store.counts(session)
    added = {kind: count - before[kind] for kind, count in after.items()}
    return Report(chunk, added, spent, time.perf_counter() - started)
