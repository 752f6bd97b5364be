"""Run the five steps of one chunk, each on the results of the earlier ones."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

from . import transcript
from .chunks import Chunk
from .conversation import Conversations, Outcome, Spent
from .errors import BackfillError, StepError
from .steps import AFFECT, CONCEPTS, EPISODES, ORGANISE, SEARCH, Prompts, Step


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
        parts = transcript.parts(chunk.messages, self.characters)
        while True:
            made = [
                await self._notes(chunk, f"Part {number} of {len(parts)}\n\n{part}", spent)
                for number, part in enumerate(parts, 1)
            ]
            notes = "\n\n".join(made)
            shorter = len(notes) < sum(map(len, parts))
            if len(notes) <= self.characters or not shorter:
                return notes
            parts = transcript.split(notes, self.characters)

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
