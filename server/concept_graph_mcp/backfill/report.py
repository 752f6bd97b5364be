"""Report each chunk's results and cost: a line for people, a record for a file, and the sum."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from conceptgraph_core.registry import LAYERS

from .chunks import Chunk
from .conversation import Spent

_NODES = {kind.measure for layer in LAYERS for kind in layer.nodes}
_TOOLS = {"update_affect": "feelings"}


@dataclass(frozen=True, slots=True)
class Report:
    """One finished chunk. `added` counts the elements that it added to the store."""

    chunk: Chunk
    added: Mapping[str, int]
    spent: Spent
    seconds: float

    @property
    def line(self) -> str:
        """Return the report as one line for people."""
        messages = _number(len(self.chunk.messages), "messages")
        said = f"chunk {self.chunk.number}, {self.chunk.dates}: {messages}"
        cost = _cost(self.spent, self.seconds)
        return f"{said}; {_count_added(self.count_for_people())}; {cost}{self._notes()}"

    def record(self) -> dict[str, Any]:
        """Return the report as a JSON object; `added` and `calls` are by kind and by tool."""
        return {
            "chunk": self.chunk.number,
            "first_day": self.chunk.first_day.isoformat(),
            "last_day": self.chunk.last_day.isoformat(),
            "messages": len(self.chunk.messages),
            "added": dict(self.added),
            "calls": dict(self.spent.calls),
            "tool_errors": self.spent.tool_errors,
            "cut_short": self.spent.cut_short,
            "model_calls": self.spent.replies,
            "tokens_in": self.spent.tokens_in,
            "tokens_out": self.spent.tokens_out,
            "seconds": round(self.seconds, 3),
        }

    def count_for_people(self) -> Counter[str]:
        """Return the counts for people: the three relation types together, and feelings."""
        counted: Counter[str] = Counter()
        for measure, count in self.added.items():
            counted[measure if measure in _NODES else "relations"] += count
        for tool, kind in _TOOLS.items():
            counted[kind] += self.spent.calls[tool]
        return counted

    def _notes(self) -> str:
        notes = [f"{step} was cut short" for step in self.spent.cut_short]
        if self.spent.tool_errors:
            notes.append(f"{_number(self.spent.tool_errors, 'tool calls')} refused")
        return "".join(f"; {note}" for note in notes)


def total(reports: Iterable[Report]) -> str:
    """Return one line that sums *reports* up."""
    counted: Counter[str] = Counter()
    spent = Spent()
    chunks = messages = 0
    seconds = 0.0
    for report in reports:
        chunks += 1
        messages += len(report.chunk.messages)
        counted.update(report.count_for_people())
        spent.tokens_in += report.spent.tokens_in
        spent.tokens_out += report.spent.tokens_out
        seconds += report.seconds
    said = f"{_number(chunks, 'chunks')}: {_number(messages, 'messages')}"
    return f"{said}; {_count_added(counted)}; {_cost(spent, seconds)}"


def _number(count: int, things: str) -> str:
    return f"{count:,} {things[:-1] if count == 1 else things}"


def _count_added(counted: Mapping[str, int]) -> str:
    kinds = ("concepts", "relations", "episodes", "feelings")
    return ", ".join(_number(counted.get(kind, 0), kind) for kind in kinds) + " added"


def _cost(spent: Spent, seconds: float) -> str:
    tokens = f"{spent.tokens_in:,} tokens in, {spent.tokens_out:,} out"
    if not (spent.tokens_in or spent.tokens_out):
        tokens = "tokens not told by the endpoint"
    return f"{tokens}; {seconds:,.1f} s"
