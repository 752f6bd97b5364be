"""Nights, imports and restores: what they wrote, told and took, and what vanished."""

from collections.abc import Iterator
from statistics import median

from .days import Lived
from .report import Line


def lines(lived: Lived) -> Iterator[Line]:
    nights = lived.nights
    if not nights:
        return
    rewritten = [night.counts.get("decay", 0) for night in nights]
    yield Line("nights", "edges rewritten in the median night", median(rewritten))
    yield Line("nights", "edges rewritten in the worst night", max(rewritten))
    yield Line(
        "nights", "edges rewritten in the last night", rewritten[-1], aim="0 when all is quiet"
    )
    told = [(one.told, one.counts) for one in nights if one.told is not None]
    apart = [
        f"{before} told, {after} done"
        for before, after in told
        if _changes(before) != _changes(after)
    ]
    yield Line(
        "nights",
        "rehearsed nights of which the run did something else",
        len(apart),
        len(told),
        "0",
        some=apart,
    )
    yield Line("nights", "a night took, median", median(one.took_ms for one in nights), unit="ms")
    yield Line("nights", "a night took, at worst", max(one.took_ms for one in nights), unit="ms")
    says = {
        "history": "of what two sessions of an imported history name, gone the first night",
        "rows": "of another program's memories, gone in the first night",
    }
    for name, (gone, of, some) in lived.imported.items():
        yield Line("import", says[name], gone, of, "0", some=some)
    if lived.restored is not None:
        after, before = lived.restored
        yield Line(
            "import", "records there after a backup, a moment and a restore", after, before, "all"
        )


def _changes(counts: dict[str, int]) -> dict[str, int]:
    return {name: count for name, count in counts.items() if count and name != "processed"}
