"""Gather the poster of a year, one sentence and names in groups, and place its names.

Everything is read by index: the names that are spoken of last, their ties, and the numbers of each
day, which cost the same in a store of any size. The mentions of the strongest names are counted by
month, and these are all read: the more often somebody is spoken of, the longer it takes.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from itertools import combinations
from typing import Any, Final
from unicodedata import category, east_asian_width

from anyio import to_thread

from .. import calls
from ..session import Session
from . import people
from .cards import list_others, tell_you
from .people import is_person

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


Row = dict[str, Any]

NAMES: Final = 60
# The sentence names so many people.
_CLOSE: Final = 3
_MONTHS: Final = 12
# Among so many that were spoken of last, those with the most trust are counted month by month.
_LATEST: Final = 1_000
_COUNTED: Final = 120
# A name that is no longer spoken of is half as present after a month.
_HALF: Final = 0.5
# A message with two names counts as such a part of the strongest tie.
_TOGETHER: Final = 0.25


@dataclass(frozen=True, slots=True)
class Name:
    """A person or a topic; `present` is its weight now."""

    id: str
    label: str
    is_person: bool
    present: float


@dataclass(frozen=True, slots=True)
class Portrait:
    """The content of a picture: `since` is the first day of talk, `ahead` the next plan."""

    names: tuple[Name, ...]
    groups: tuple[tuple[int, ...], ...]
    has_alone: bool
    since: date | None
    until: date
    days: int
    kept: int
    people: int
    ahead: str | None

    def is_alone(self, group: int) -> bool:
        """Tell whether the group of that number has the names that belong to none."""
        return self.has_alone and group == len(self.groups) - 1

    def sentence(self, *, names: bool = True) -> str:
        """Return the one sentence: "Half a year with Ines and Ben. Next: Kyoto in April."."""
        if self.since is None:
            return "Nothing is remembered yet."
        close = [one.label for one in self.names if one.is_person][:_CLOSE]
        if not names or not close:
            days = "A day" if self.days == 1 else f"{self.days:,} days"
            return f"{days} of talk since {self.since.day} {self.since:%B %Y}."
        who = f"{', '.join(close[:-1])} and {close[-1]}" if close[1:] else close[0]
        ahead = f" Next: {self.ahead}." if self.ahead else ""
        return f"{self._span()} with {who}.{ahead}"

    def _span(self) -> str:
        assert self.since is not None
        days = (self.until - self.since).days + 1
        if days < 2:
            return "A day"
        if days < 14:
            return f"{days} days"
        if days < 60:
            return f"{days // 7} weeks"
        months = round(days / 30.5)
        return {6: "Half a year", 12: "A year"}.get(months, f"{months} months")

    def figures(self) -> list[tuple[str, str]]:
        """Return the figures of the poster, each with what it counts; none is 0."""
        counted = (
            (self.days, "day of talk", "days of talk"),
            (self.people, "person", "people"),
            (self.kept, "memory", "memories"),
        )
        return [
            (f"{count:,}", one if count == 1 else several)
            for count, one, several in counted
            if count
        ]

    def keep_strongest(self, most: int) -> "Portrait":
        """Return it with *most* names; who is left alone in a group joins the others."""
        kept = [tuple(one for one in group if one < most) for group in self.groups]
        alone = [kept.pop()] if self.has_alone else []
        alone += [group for group in kept if len(group) == 1]
        others = tuple(sorted(one for group in alone for one in group))
        groups = (*(group for group in kept if len(group) > 1), *([others] if others else []))
        return replace(self, names=self.names[:most], groups=groups, has_alone=bool(others))

    def place(self, aspect: float, *, names: bool = True) -> Layout:
        """Return where each name stands in a frame of that width by height."""
        labels = [one.label if names else "" for one in self.names]
        return place_names(self.groups, labels, [one.present for one in self.names], aspect)


async def draw_portrait(session: Session, year: int | None = None) -> Portrait:
    """Return the poster of the last twelve months, or of a calendar *year*.

    Raises StoreError.
    """
    now = session.local(session.clock.now_ms()).date()
    first, until = _span(now, year)
    since, days, kept = await _count_days(session, first, until)
    bounds = people.months(session, first, until)
    rows, _ = await list_others(session, _LATEST)
    rows = sorted(rows, key=lambda row: -row["trust"])[:_COUNTED]
    read = await people.read(session, [row["entity_id"] for row in rows])
    nodes = {node["entity_id"]: node for node in read}
    every = await _count_mentions(session, nodes, bounds) if nodes else []
    names = every[:NAMES]
    ties, weights = _list_ties(nodes, names), [one.present for one in names]
    # In a thread, as all that computes long, so that other requests are answered meanwhile.
    groups, alone = await to_thread.run_sync(group_names, ties, weights)
    return Portrait(
        names=tuple(names),
        groups=tuple(map(tuple, [*groups, *([alone] if alone else [])])),
        has_alone=bool(alone),
        since=since,
        until=until,
        days=days,
        kept=kept,
        people=sum(one.is_person for one in every),
        ahead=await _find_ahead(session, every) if until == now else None,
    )


def _span(now: date, year: int | None) -> tuple[date, date]:
    if year is not None:
        return date(year, 1, 1), min(now, date(year, 12, 31))
    months = now.year * 12 + now.month - _MONTHS
    return date(months // 12, months % 12 + 1, 1), now


async def _count_days(session: Session, first: date, until: date) -> tuple[date | None, int, int]:
    """Return the first day of talk, the number of such days, and what was kept on all."""
    bounds = people.days(session, first, until + timedelta(days=1))
    call = session.call(calls.everyday.days, first=f"{first:%Y%m%d}", bounds=bounds)
    [of] = await session.run(call)
    rows = [*zip(of["memories"], of["episodes"], of["mentions"], strict=True)]
    talked = [number for number, row in enumerate(rows) if any(row)]
    since = first + timedelta(days=talked[0]) if talked else None
    return since, len(talked), sum(memories + episodes for memories, episodes, _ in rows)


async def _count_mentions(
    session: Session, nodes: Mapping[str, Row], bounds: list[int]
) -> list[Name]:
    """Return those of *nodes* that are mentioned between *bounds*, the most present first."""
    counted = await session.run(calls.entities.presence(list(nodes), bounds))
    last = len(bounds) - 2
    names = []
    for row in counted:
        months = tuple(map(sum, zip(row["user"], row["model"], strict=True)))
        present = sum(count * _HALF ** (last - number) for number, count in enumerate(months))
        if any(months):
            node, label = nodes[row["entity_id"]], people.bare(row["label"])
            said = [one["context"] or "" for one in node["mentions"]]
            is_one = is_person(row["kind"] or node["kind"], label, said)
            names.append(Name(row["entity_id"], label, is_one, present))
    # A group is called after a person rather than a thing that is as present.
    return sorted(names, key=lambda one: (-one.present, not one.is_person, one.id))


def _list_ties(nodes: Mapping[str, Row], names: Sequence[Name]) -> dict[tuple[int, int], float]:
    """Return the strength between each two of *names* that are tied, or named in one message.

    Ties are made when a session ends; the latest messages are read for those of before.
    """
    numbers = {one.id: number for number, one in enumerate(names)}
    ties: dict[tuple[int, int], float] = {}
    told: dict[str, set[int]] = {}
    for number, one in enumerate(names):
        for edge in nodes[one.id]["edges"]:
            other = numbers.get(edge["entity_id"], number)
            if other != number and edge["is_active"]:
                key = min(number, other), max(number, other)
                ties[key] = max(ties.get(key, 0.0), edge["strength"] or 0.0)
        for mention in nodes[one.id]["mentions"]:
            told.setdefault(mention["message_id"], set()).add(number)
    for together in told.values():
        for both in combinations(sorted(together), 2):
            ties[both] = ties.get(both, 0.0) + _TOGETHER
    return ties


async def _find_ahead(session: Session, names: Sequence[Name]) -> str | None:
    """Return the next plan in two words, "Kyoto in June"; None without one that has a name."""
    today = people.today(session)
    for line in (await tell_you(session))["ahead"]:
        text, day = line["text"], session.local(line["at"]).date()
        named = [one for one in names if re.search(rf"\b{re.escape(one.label)}\b", text)]
        if named:
            # Where it goes says more than who comes along.
            chosen = min(named, key=lambda one: (one.is_person, text.index(one.label)))
            is_soon = (day.year, day.month) == (today.year, today.month)
            return f"{chosen.label} {f'on {day.day} {day:%B}' if is_soon else f'in {day:%B}'}"
    return None
