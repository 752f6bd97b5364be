"""Run chunks one after another through one server, until all are done or one fails.

Run the five steps of one chunk, each on the results of the earlier ones.
"""

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from ..errors import StoreError
from ..session import Session
from ..settings import Settings
from . import history, working_store
from .conversation import Conversations, Model, Outcome, Spent
from .history import Chunk
from .report import Report
from .steps import (
    AFFECT,
    CONCEPTS,
    EPISODES,
    ORGANISE,
    SEARCH,
    BackfillError,
    Prompts,
    Step,
    StepError,
)


class StepWatcher(Protocol):
    """Is notified of each step that begins."""

    def starts(self, chunk: Chunk, step: Step) -> None: ...
    def ends(self, step: Step) -> None: ...


@dataclass(frozen=True, slots=True)
class Pipeline:
    """The parts that all chunks share; a call is given at most *characters* of a transcript."""

    conversations: Conversations
    prompts: Prompts
    user_id: str
    characters: int

    async def live(self, chunk: Chunk, spent: Spent, watcher: StepWatcher) -> None:
        """Run all steps of *chunk* as if at its end. Raises BackfillError, naming the step."""

        @contextmanager
        def told(step: Step) -> Iterator[Step]:
            watcher.starts(chunk, step)
            try:
                yield step
            except BackfillError as error:
                raise type(error)(f"{step.name}: {error}") from None
            watcher.ends(step)

        await self.conversations.tools.set_time(chunk.end_ms)
        with told(ORGANISE):
            notes = await self._organise(chunk, spent)
        known = [_section("Notes", notes)]
        with told(SEARCH) as step:
            found = await self._take(step, chunk, known, spent)
            text = found.text or "\n".join(found.done)
            known.append(_section("Known already from the memory", text))
        for step in (CONCEPTS, EPISODES, AFFECT):
            with told(step):
                added = await self._take(step, chunk, known, spent)
                known.append(_section(f"Done by the step {step.name}", _summarise_calls(added)))

    async def _organise(self, chunk: Chunk, spent: Spent) -> str:
        """Return notes on *chunk* that fit into one model call, if the model can condense them."""
        parts = history.parts(chunk.messages, self.characters)
        while True:
            made = [
                await self._notes(chunk, f"Part {number} of {len(parts)}\n\n{part}", spent)
                for number, part in enumerate(parts, 1)
            ]
            notes = "\n\n".join(made)
            shorter = len(notes) < sum(map(len, parts))
            if len(notes) <= self.characters or not shorter:
                return notes
            parts = history.split(notes, self.characters)

    async def _notes(self, chunk: Chunk, text: str, spent: Spent) -> str:
        outcome = await self._take(ORGANISE, chunk, [text], spent)
        if not outcome.text.strip():
            raise StepError("the model answered with nothing")
        return outcome.text.strip()

    async def _take(self, step: Step, chunk: Chunk, known: list[str], spent: Spent) -> Outcome:
        system = self.prompts[step.name].safe_substitute(
            user_id=self.user_id, first_day=chunk.first_day, last_day=chunk.last_day
        )
        return await self.conversations.hold(step, system, "\n\n".join(known), spent)


def _section(title: str, text: str) -> str:
    return f"# {title}\n\n{text.strip() or 'Nothing.'}"


def _summarise_calls(outcome: Outcome) -> str:
    """Return the successful calls, which are certain, before the model's own text on them."""
    return "\n".join([*outcome.done, outcome.text])


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
