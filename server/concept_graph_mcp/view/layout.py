"""Place the names of a picture in groups, so that no two circles and no two labels overlap.

Pure geometry: the page, the saved picture and the card all draw what this computes. The same input
gives the same places.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final
from unicodedata import category, east_asian_width

FONT: Final = 13.0
TITLE_FONT: Final = 14.0
# The room below a circle for its label, and the label's baseline there.
LINE: Final = FONT * 1.6
BASELINE: Final = FONT * 1.25
# Space between two names, around a group, and above it for its title.
_GAP: Final = 6.0
_MARGIN: Final = 9.0
_TITLE: Final = 24.0
_BETWEEN_GROUPS: Final = 10.0
_LEAST, _MOST = 6.0, 30.0
LONGEST: Final = 24
_SHAPES: Final = (0.7, 1.0, 1.5, 2.2)
# Sums of the same lengths in another order may differ by so much.
_NEARLY: Final = 1e-6
_WINDINGS: Final = (0.5, 0.7, 0.85, 1.0, 1.2, 1.5, 1.8, 2.4)
_NARROW: Final = frozenset("ijlftrI.,:;'|!()[]{}- ")
_BROAD: Final = frozenset("mwMW@%&")
# From Tamil to Sinhala, Burmese, and Khmer.
_BROAD_SCRIPTS: Final = (("\u0b80", "\u0dff"), ("\u1000", "\u109f"), ("\u1780", "\u17ff"))


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle by its centre; lengths are units of the picture."""

    x: float
    y: float
    width: float
    height: float

    def moved(self, x: float, y: float) -> "Box":
        return Box(self.x + x, self.y + y, self.width, self.height)


@dataclass(frozen=True, slots=True)
class Circle:
    """Where a name stands: the centre and the radius of its circle; `name` is its number."""

    name: int
    x: float
    y: float
    radius: float


@dataclass(frozen=True, slots=True)
class Island:
    """The group of that number, with its names: the strongest first."""

    number: int
    box: Box
    circles: tuple[Circle, ...]


@dataclass(frozen=True, slots=True)
class Layout:
    width: float
    height: float
    islands: tuple[Island, ...]


def cut(label: str) -> str:
    """Return the label as it is drawn: a long one is cut."""
    if len(label) <= LONGEST:
        return label
    kept = label[: LONGEST - 1].rstrip()
    words = kept.rpartition(" ")[0]
    return f"{words if 2 * len(words) > LONGEST else kept}…"


def measure(text: str, font: float = FONT) -> float:
    """Return about how wide *text* is in the widest of the usual fonts."""
    return font * sum(map(_measure_letter, text))


def _measure_letter(letter: str) -> float:
    # Marks above and below, and signs that join letters.
    if category(letter) in {"Mn", "Me", "Cf"}:
        return 0.0
    if east_asian_width(letter) in "WF":
        return 1.05
    if letter in _BROAD or any(first <= letter <= last for first, last in _BROAD_SCRIPTS):
        return 1.0
    if letter in _NARROW:
        return 0.42
    return 0.75 if letter.isupper() else 0.66


def group_names(
    ties: Mapping[tuple[int, int], float], weights: Sequence[float]
) -> tuple[list[list[int]], list[int]]:
    """Return the communities of the names 0 … n − 1, and the names of none, the strongest first.

    *ties* has the strength of each pair, *weights* how strong each name is. Greedy modularity
    (Clauset, Newman and Moore, 2004): the two groups whose union gains most are joined, while any
    gains.
    """
    total = sum(ties.values()) or 1.0
    share = [0.0] * len(weights)
    between: dict[tuple[int, int], float] = {}
    for (one, other), strength in ties.items():
        pair = min(one, other), max(one, other)
        between[pair] = between.get(pair, 0.0) + strength / total
        share[one] += strength / total / 2
        share[other] += strength / total / 2
    groups = {number: [number] for number in range(len(weights))}
    while gains := [(tie / 2 - share[a] * share[b], -a, -b) for (a, b), tie in between.items()]:
        gain, kept, gone = max(gains)
        if gain <= 0:
            break
        _join(groups, between, share, (-kept, -gone))
    ranked = [sorted(one, key=lambda name: (-weights[name], name)) for one in groups.values()]
    ranked.sort(key=lambda one: (-sum(weights[name] for name in one), one[0]))
    return [one for one in ranked if len(one) > 1], [one[0] for one in ranked if len(one) == 1]


def _join(
    groups: dict[int, list[int]],
    between: dict[tuple[int, int], float],
    share: list[float],
    pair: tuple[int, int],
) -> None:
    kept, gone = pair
    groups[kept] += groups.pop(gone)
    share[kept] += share[gone]
    for one, other in [each for each in between if gone in each]:
        strength = between.pop((one, other))
        far = other if one == gone else one
        if far != kept:
            joined = min(kept, far), max(kept, far)
            between[joined] = between.get(joined, 0.0) + strength


def place_names(
    groups: Sequence[Sequence[int]],
    labels: Sequence[str],
    weights: Sequence[float],
    aspect: float = 1.6,
) -> Layout:
    """Return where the names of *groups* stand in a frame of *aspect*, its width by its height."""
    most = max(weights, default=1.0) or 1.0
    radii = [max(_LEAST, _MOST * math.sqrt(max(0.0, one) / most)) for one in weights]
    layouts: list[Layout] = []
    # Which shape, order and winding fill the frame best depends on the sizes of the groups.
    for shape in _SHAPES:
        islands = [_place_group(group, labels, radii, shape) for group in groups]
        islands = [replace(one, number=number) for number, one in enumerate(islands)]
        large = sorted(islands, key=lambda one: -one.box.width * one.box.height)
        orders = [islands, large, sorted(islands, key=lambda one: -one.box.height)]
        layouts += [_place_islands(each, aspect * by) for each in orders for by in _WINDINGS]
        layouts += [_place_rows(each, aspect * by) for each in orders for by in _WINDINGS]
    return max(layouts, key=lambda one: min(aspect / one.width, 1 / one.height))


def _place_islands(islands: Sequence[Island], aspect: float) -> Layout:
    taken: list[Box] = []
    for island in islands:
        box = island.box
        room = Box(0, 0, box.width + _BETWEEN_GROUPS, box.height + _BETWEEN_GROUPS)
        taken.append(_settle(room, taken, aspect))
    return _frame(islands, taken)


def _place_rows(islands: Sequence[Island], aspect: float) -> Layout:
    """Return the groups one after the other in rows, each row in the middle."""
    area = sum(one.box.width * one.box.height for one in islands)
    longest = max([math.sqrt(area * aspect), *(one.box.width for one in islands)])
    rows: list[list[Box]] = []
    used = longest
    for box in (one.box for one in islands):
        used += box.width + _BETWEEN_GROUPS
        if used > longest:
            rows.append([])
            used = box.width
        rows[-1].append(box)
    taken: list[Box] = []
    top = 0.0
    for row in rows:
        height = max(box.height for box in row)
        x = -(sum(box.width for box in row) + _BETWEEN_GROUPS * (len(row) - 1)) / 2
        for box in row:
            room = Box(x + box.width / 2, top + height / 2, box.width, box.height)
            taken.append(room)
            x += box.width + _BETWEEN_GROUPS
        top += height + _BETWEEN_GROUPS
    return _frame(islands, taken)


def _frame(islands: Sequence[Island], taken: Sequence[Box]) -> Layout:
    """Return *islands* at the places *taken*, moved into a frame that begins at (0, 0)."""
    left = min((one.x - one.width / 2 for one in taken), default=0.0)
    top = min((one.y - one.height / 2 for one in taken), default=0.0)
    right = max((one.x + one.width / 2 for one in taken), default=1.0)
    bottom = max((one.y + one.height / 2 for one in taken), default=1.0)
    moved = [
        _move(island, room.x - left, room.y - top)
        for island, room in zip(islands, taken, strict=True)
    ]
    moved.sort(key=lambda one: one.number)
    return Layout(right - left, bottom - top, tuple(moved))


def _place_group(
    group: Sequence[int], labels: Sequence[str], radii: Sequence[float], aspect: float
) -> Island:
    """Return the group around (0, 0): the strongest in the middle, a label below each circle."""
    taken: list[Box] = []
    # A group without labels has no title either.
    line, head = (LINE, _TITLE) if labels[group[0]] else (0.0, 0.0)
    for name in group:
        label = measure(cut(labels[name]))
        width, height = max(2 * radii[name], label), 2 * radii[name] + line
        taken.append(_settle(Box(0, 0, width + _GAP, height + _GAP), taken, aspect))
    left = min(one.x - one.width / 2 for one in taken) - _MARGIN
    right = max(one.x + one.width / 2 for one in taken) + _MARGIN
    top = min(one.y - one.height / 2 for one in taken) - _MARGIN - head
    bottom = max(one.y + one.height / 2 for one in taken) + _MARGIN
    title = measure(f"around {cut(labels[group[0]])}", TITLE_FONT) + 2 * _MARGIN if head else 0.0
    width, height = max(right - left, title), bottom - top
    x, y = (left + right) / 2, (top + bottom) / 2
    circles = (
        Circle(name, box.x - x, box.y - y - line / 2, radii[name])
        for name, box in zip(group, taken, strict=True)
    )
    return Island(0, Box(0, 0, width, height), tuple(circles))


def _move(island: Island, x: float, y: float) -> Island:
    circles = (Circle(one.name, one.x + x, one.y + y, one.radius) for one in island.circles)
    return Island(island.number, island.box.moved(x, y), tuple(circles))


def _settle(box: Box, taken: Sequence[Box], aspect: float) -> Box:
    """Return *box* nearest to the middle, as *aspect* measures, where it meets none of *taken*.

    It stands beside one of these; beside the outermost there is always room.
    """
    others = [
        (one.x, one.y, (one.width + box.width) / 2, (one.height + box.height) / 2) for one in taken
    ]
    spots = sorted(
        {
            spot
            for one, other in zip(taken, others, strict=True)
            for spot in _beside(box, one, other)
        }
        or {(0.0, 0.0)},
        key=lambda spot: (spot[0] ** 2 / aspect + spot[1] ** 2 * aspect, spot),
    )
    for x, y in spots:
        if all(
            abs(x - far_x) > wide - _NEARLY or abs(y - far_y) > high - _NEARLY
            for far_x, far_y, wide, high in others
        ):
            return box.moved(x, y)
    raise AssertionError("there is room beside the outermost")


def _beside(
    box: Box, one: Box, other: tuple[float, float, float, float]
) -> Iterator[tuple[float, float]]:
    """Yield the places of *box* that touch *one*: in the middle or at the ends of a side."""
    x, y, wide, high = other
    for across in (x - wide, x + wide):
        slack = (one.height - box.height) / 2
        yield from ((across, spot) for spot in (y, y - slack, y + slack, 0.0))
    for along in (y - high, y + high):
        slack = (one.width - box.width) / 2
        yield from ((spot, along) for spot in (x, x - slack, x + slack, 0.0))
