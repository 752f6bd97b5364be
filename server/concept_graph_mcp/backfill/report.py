"""Report each chunk's results and cost: a line for people, a record for a file, and the sum.

Show a person the plan of a backfill, its progress, and the results of each chunk.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import IO, Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Column, Table

from conceptgraph_core.registry import LAYERS

from .conversation import Spent
from .history import Amount, Chunk, Survey, dates
from .steps import STEPS, Step

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


# Steps are few and long, so the estimate uses all finished ones, not the last seconds.
_ESTIMATED_FROM_S = 7 * 86_400.0


class Screen:
    """A bar with an estimate while *chunks* are processed; a line on *out* for each."""

    def __init__(self, out: Console, notes: Console, chunks: int, file: IO[str] | None) -> None:
        self.reports: list[Report] = []
        self._out = out
        self._notes = notes
        self._file = file
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.percentage:.0f} %"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=notes,
            transient=True,
            disable=not notes.is_terminal,
            redirect_stdout=False,
            speed_estimate_period=_ESTIMATED_FROM_S,
        )
        self._task = self._progress.add_task("starting", total=chunks * len(STEPS))

    def __enter__(self) -> "Screen":
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def starts(self, chunk: Chunk, step: Step) -> None:
        self._progress.update(self._task, description=f"chunk {chunk.number}: {step.name}")

    def ends(self, step: Step) -> None:
        self._progress.advance(self._task)

    def finish(self, report: Report) -> None:
        self.reports.append(report)
        # The bar is on stderr and the line on stdout, often the same terminal.
        self._progress.stop()
        self._out.print(report.line, soft_wrap=True)
        self._progress.start()
        if self._file is not None:
            self._write(self._file, report)

    def _write(self, file: IO[str], report: Report) -> None:
        try:
            file.write(json.dumps(report.record()) + "\n")
            file.flush()
        except OSError as error:
            # Not worth stopping for: the chunk is stored, and the printed line says the same.
            self._notes.print(f"{file.name}: {error.strerror or error}")


def plan(surveyed: Survey, wanted: list[int]) -> Table:
    """Return the plan: a row for each chunk, and the sum."""
    right = [Column(name, justify="right") for name in ("messages", "characters", "tokens, about")]
    table = Table(Column("chunk", justify="right"), "days", *right, show_footer=True)
    table.caption = "of the transcript; the later steps read notes made from it"
    total = Amount()
    for number in wanted:
        amount = surveyed.chunks[number]
        calendar = surveyed.calendar
        days = dates(calendar.first_day(number), calendar.last_day(number))
        table.add_row(str(number), days, *_cells(amount))
        total.add(amount)
    for column, cell in zip(table.columns, (str(len(wanted)), "", *_cells(total)), strict=True):
        column.footer = cell
    return table


def _cells(amount: Amount) -> tuple[str, str, str]:
    return f"{amount.messages:,}", f"{amount.characters:,}", f"{amount.tokens:,}"
