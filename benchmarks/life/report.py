"""Print a line for each thing that is judged, with its count and the aim."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table


@dataclass(frozen=True, slots=True)
class Line:
    """One judged thing. *of* makes it "n of m"; *some* are examples, for whoever reads on."""

    point: str
    what: str
    value: float
    of: int | None = None
    aim: str = ""
    unit: str = ""
    some: Sequence[str] = ()

    @property
    def shown(self) -> str:
        """The value as a person reads it."""
        if self.of is not None:
            return f"{self.value:,.0f} of {self.of:,}"
        number = f"{self.value:,.0f}" if self.value == int(self.value) else f"{self.value:,.2f}"
        return f"{number} {self.unit}".rstrip()


def table(title: str, lines: Sequence[Line]) -> Table:
    made = Table(box=None, pad_edge=False, title=title, title_justify="left")
    for heading in ("", "what", "counted", "aim"):
        made.add_column(heading, justify="right" if heading == "counted" else "left", no_wrap=True)
    last = ""
    points = list(dict.fromkeys(line.point for line in lines))
    for line in sorted(lines, key=lambda line: points.index(line.point)):
        made.add_row(line.point if line.point != last else "", line.what, line.shown, line.aim)
        last = line.point
    return made


def tell_examples(console: Console, lines: Iterable[Line], most: int) -> None:
    """Print up to *most* examples of each line that has any."""
    for line in lines:
        if line.some and most:
            console.print(f"\n{line.point}: {line.what} ({line.shown})")
            for one in line.some[:most]:
                console.print(f"  {one}")
