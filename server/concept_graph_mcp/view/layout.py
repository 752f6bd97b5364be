"""Place the names of a picture in groups, so that no two circles and no two labels overlap.

Pure geometry: the same input gives the same places.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from unicodedata import category, east_asian_width

FONT: Final = 13.0
TITLE_FONT: Final = 14.0
# The room below a circle for its label, and the label's baseline there.
LINE: Final = FONT * 1.6
BASELINE: Final = FONT * 1.25
# Space between two names, around a group, and above it for its title.
_GAP: Final = 8.0
_MARGIN: Final = 9.0
_TITLE: Final = 24.0
_BETWEEN: Final = 10.0
_LEAST, _MOST = 6.0, 30.0
LONGEST: Final = 24
_SHAPES: Final = (0.7, 1.0, 1.5, 2.2)
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


@dataclass(frozen=True, slots=True)
class Circle:
    """Where a name stands: the centre and the radius of its circle; `name` is its number."""

    name: int
    x: float
    y: float
    radius: float


@dataclass(frozen=True, slots=True)
class Island:
    """A group with its names: the strongest first."""

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
    """Return where the names of *groups* stand in a frame of *aspect*, its width by its height.

    The names of a group and the groups themselves stand in rows, each row in the middle.
    """
    most = max(weights, default=1.0) or 1.0
    radii = [max(_LEAST, _MOST * math.sqrt(max(0.0, one) / most)) for one in weights]
    layouts: list[Layout] = []
    # Which shape and length of rows fill the frame best depends on the sizes of the groups.
    for shape in _SHAPES:
        islands = [_place_group(group, labels, radii, shape) for group in groups]
        for by in _WINDINGS:
            boxes, width, height = _place_rows([one.box for one in islands], aspect * by, _BETWEEN)
            moved = map(_move, islands, boxes)
            layouts.append(Layout(width, height, tuple(moved)))
    return max(layouts, key=lambda one: min(aspect / one.width, 1 / one.height))


def _place_rows(boxes: Sequence[Box], aspect: float, gap: float) -> tuple[list[Box], float, float]:
    """Return the *boxes* one after the other in rows of about *aspect*, with the whole's size."""
    area = sum((one.width + gap) * (one.height + gap) for one in boxes)
    longest = max([math.sqrt(area * aspect), *(one.width for one in boxes)], default=1.0)
    rows: list[list[Box]] = []
    used = math.inf
    for box in boxes:
        used += gap + box.width
        if used > longest:
            rows.append([])
            used = box.width
        rows[-1].append(box)
    widths = [sum(one.width for one in row) + gap * (len(row) - 1) for row in rows]
    width, top = max(widths, default=1.0), 0.0
    placed: list[Box] = []
    for row, wide in zip(rows, widths, strict=True):
        height, x = max(one.height for one in row), (width - wide) / 2
        for box in row:
            placed.append(Box(x + box.width / 2, top + height / 2, box.width, box.height))
            x += box.width + gap
        top += height + gap
    return placed, width, max(1.0, top - gap)


def _place_group(
    group: Sequence[int], labels: Sequence[str], radii: Sequence[float], aspect: float
) -> Island:
    """Return the group from (0, 0) on: the strongest first, a label below each circle."""
    # A group without labels has no title either.
    line, head = (LINE, _TITLE) if labels[group[0]] else (0.0, 0.0)
    rooms = [
        Box(0, 0, max(2 * radii[name], measure(cut(labels[name]))), 2 * radii[name] + line)
        for name in group
    ]
    boxes, width, height = _place_rows(rooms, aspect, _GAP)
    title = measure(f"around {cut(labels[group[0]])}", TITLE_FONT) if head else 0.0
    slack = max(0.0, title - width) / 2
    circles = (
        Circle(name, box.x + slack + _MARGIN, box.y - line / 2 + _MARGIN + head, radii[name])
        for name, box in zip(group, boxes, strict=True)
    )
    whole = width + 2 * slack + 2 * _MARGIN, height + 2 * _MARGIN + head
    return Island(Box(whole[0] / 2, whole[1] / 2, *whole), tuple(circles))


def _move(island: Island, to: Box) -> Island:
    x, y = to.x - island.box.x, to.y - island.box.y
    circles = (Circle(one.name, one.x + x, one.y + y, one.radius) for one in island.circles)
    return Island(to, tuple(circles))
