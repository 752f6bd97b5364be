"""Show a person the plan of a backfill, its progress, and the results of each chunk."""

import json
from typing import IO

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Column, Table

from .chunks import Amount, Chunk, Survey, dates
from .report import Report
from .steps import STEPS, Step

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
