"""Gather the picture that the page opens on: one sentence, and names in groups.

Everything is read by index: the names that are spoken of last, their ties, and the numbers of each
day, which cost the same in a store of any size. The mentions of the strongest names are counted by
month, and these are all read: the more often somebody is spoken of, the longer it takes.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from itertools import combinations
from typing import Any, Final

from anyio import to_thread

from conceptgraph_core.dates import DAY_MS
from conceptgraph_core.entities import schema as entity_schema
from conceptgraph_core.entities.language import kin
from conceptgraph_core.everyday.lines import AHEAD
from conceptgraph_core.everyday.schema import PROFILE_BUDGET
from conceptgraph_core.language import oneself

from .. import calls
from ..session import Session
from . import entities
from .layout import Layout, group_names, place_names
from .names import tell_about
from .people import is_person

Row = dict[str, Any]

NAMES: Final = 60
MOST_NAMES: Final = 200
_MONTHS: Final = 12
# Among so many that were spoken of last, those with the most trust are counted month by month.
_LATEST: Final = 1_000
_COUNTED: Final = 120
# A name that is no longer spoken of is half as present after a month.
_HALF: Final = 0.5
# The values of these facts about the user are no names of others.
_OWN: Final = frozenset(("name", "occupation"))
# A message with two names counts as such a part of the strongest tie.
_TOGETHER: Final = 0.25
_AHEAD_MS: Final = 366 * DAY_MS
_NO_NAMES: Final = frozenset(("date", "number", "time"))
_LEADING: Final = frozenset(
    ["in", "to", "at", "near", "from", "nach", "im", "zu", "bei", "en", "à"]
)


@dataclass(frozen=True, slots=True)
class Name:
    """A person or a topic: `months` counts its mentions by month, `present` is its weight now."""

    id: str
    label: str
    kind: str
    is_person: bool
    months: tuple[int, ...]
    present: float


@dataclass(frozen=True, slots=True)
class Portrait:
    """The content of a picture: `since` is the first day of talk, `ahead` the next plan."""

    names: tuple[Name, ...]
    groups: tuple[tuple[int, ...], ...]
    has_alone: bool
    months: tuple[str, ...]
    since: date | None
    until: date
    days: int
    kept: int
    people: int
    topics: int
    more: bool
    ahead: str | None

    def is_alone(self, group: int) -> bool:
        """Tell whether the group of that number has the names that belong to none."""
        return self.has_alone and group == len(self.groups) - 1

    @property
    def busiest(self) -> str | None:
        """Return the month of most mentions; None where there is none to compare it with."""
        counts = [sum(month) for month in zip(*(one.months for one in self.names), strict=True)]
        if len([*filter(None, counts)]) < 2:
            return None
        return self.months[counts.index(max(counts))].partition(" ")[0]

    def sentence(self, *, names: bool = True) -> str:
        """Return the one sentence: "You and I: 96 days of talk since March, 43 people; …"."""
        if self.since is None:
            return "Nothing is remembered yet."
        days = "a day" if self.days == 1 else _many(self.days, "day")
        parts = [f"{days} of talk {self._when()}"]
        if self.people:
            over = "over " if self.more else ""
            parts.append(f"{over}{_many(self.people, 'person', 'people')}")
        elif self.topics:
            parts.append(_many(self.topics, "name"))
        ahead = f"; {self.ahead}" if names and self.ahead else ""
        return f"You and I: {', '.join(parts)}{ahead}."

    def _when(self) -> str:
        assert self.since is not None
        if self.days == 1:
            return f"on {self.since.day} {self.since:%B}"
        if self.since.year != self.until.year:
            return f"since {self.since:%B %Y}"
        is_whole = (self.until.month, self.until.day) == (12, 31)
        return f"in {self.until.year}" if is_whole else f"since {self.since:%B}"

    def figures(self) -> list[tuple[str, str]]:
        """Return the figures of the card, at most five, each with what it counts; none is 0."""
        more = "+" if self.more else ""
        counted = (
            (self.days, "", "day of talk", "days of talk"),
            (self.people, more, "person", "people"),
            (self.topics, more, "other name", "other names"),
            (self.kept, "", "memory", "memories"),
        )
        figures = [
            (f"{count:,}{over}", one if count == 1 else several)
            for count, over, one, several in counted
            if count
        ]
        return [*figures, *([(self.busiest, "the busiest month")] if self.busiest else [])]

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


async def draw_portrait(session: Session, limit: int = NAMES, year: int | None = None) -> Portrait:
    """Return the picture of the last twelve months, or of a calendar *year*: *limit* names.

    Raises StoreError.
    """
    now = session.local(session.clock.now_ms()).date()
    first, until = _span(now, year)
    since, days, kept = await _count_days(session, first, until)
    bounds = _months(session, first, until)
    rows = await _list_names(session)
    counted = sorted(rows, key=lambda row: -row["trust"])[: max(_COUNTED, limit)]
    nodes = await _read_nodes(session, counted) if counted else {}
    every = await _count_mentions(session, nodes, bounds) if counted else []
    names = every[:limit]
    ties, weights = _list_ties(nodes, names), [one.present for one in names]
    # In a thread, as all that computes long, so that other requests are answered meanwhile.
    groups, alone = await to_thread.run_sync(group_names, ties, weights)
    labels = [f"{session.local(one):%B %Y}" for one in bounds[:-1]]
    if year is None:
        people, others = _split_counts(_is_person(row, nodes) for row in rows)
    else:
        people, others = _split_counts(one.is_person for one in every if any(one.months))
    return Portrait(
        names=tuple(names),
        groups=tuple(map(tuple, [*groups, *([alone] if alone else [])])),
        has_alone=bool(alone),
        months=tuple(labels),
        since=since,
        until=until,
        days=days,
        kept=kept,
        people=people,
        topics=others,
        more=len(rows) >= _LATEST,
        ahead=await _find_ahead(session, rows, nodes) if until == now else None,
    )


def _split_counts(are_people: Iterable[bool]) -> tuple[int, int]:
    """Return how many of them are people, and how many are not."""
    flags = list(are_people)
    return sum(flags), len(flags) - sum(flags)


def _span(now: date, year: int | None) -> tuple[date, date]:
    if year is not None:
        return date(year, 1, 1), min(now, date(year, 12, 31))
    months = now.year * 12 + now.month - _MONTHS
    return date(months // 12, months % 12 + 1, 1), now


def _months(session: Session, first: date, until: date) -> list[int]:
    """Return the beginnings (unix ms) of the months from *first* to *until*, and the end."""
    numbers = range(first.year * 12 + first.month - 1, until.year * 12 + until.month)
    begun = [date(one // 12, one % 12 + 1, 1) for one in numbers]
    starts = [entities.days(session, one, one)[0] for one in begun]
    return [*starts, *entities.days(session, until + timedelta(days=1), until + timedelta(days=1))]


async def _count_days(session: Session, first: date, until: date) -> tuple[date | None, int, int]:
    """Return the first day of talk, the number of such days, and what was kept on all."""
    bounds = entities.days(session, first, until + timedelta(days=1))
    scope = session.concept_scope
    call = calls.everyday.days(session.user_id, f"{first:%Y%m%d}", bounds, concept_scope=scope)
    [of] = await session.run(call)
    rows = [*zip(of["memories"], of["episodes"], of["mentions"], strict=True)]
    talked = [number for number, row in enumerate(rows) if any(row)]
    since = first + timedelta(days=talked[0]) if talked else None
    return since, len(talked), sum(memories + episodes for memories, episodes, _ in rows)


async def _list_names(session: Session) -> list[Row]:
    """Return the people and topics spoken of last; dates, numbers and the user are none."""
    rows = [row for row in await entities.list_latest(session, _LATEST) if is_name(row)]
    told = await tell_about(session, entity_schema.SELF) if rows else None
    facts = told["facts"] if told else ()
    own = {one["value"] for one in facts if one["predicate"] in _OWN}
    return [row for row in rows if row["kind"] or entities.bare(row["label"]) not in own]


def is_name(row: Row) -> bool:
    """Tell whether *row*, an entity, has a name of its own: no date, nor "my manager"."""
    label = row["label"] if "label" in row else row["labels"][0]
    own = {entity_schema.SELF, *oneself.KINDS}
    of = {row["type"], row["kind"]}
    is_called = label.partition(" ")[0].casefold() not in kin.OWN
    return is_called and label not in own and not of & (_NO_NAMES | own)


async def _read_nodes(session: Session, rows: Sequence[Row]) -> dict[str, Row]:
    """Return the ties and latest mentions of *rows*, with their kinds, by id."""
    ids = [row["entity_id"] for row in rows]
    return {node["entity_id"]: node for node in await entities.read(session, ids)}


def _is_person(row: Row, nodes: Mapping[str, Row]) -> bool:
    node = nodes.get(row["entity_id"])
    said = [one["context"] or "" for one in node["mentions"]] if node else []
    return is_person(row["kind"], entities.bare(row["label"]), said)


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
            kind = row["kind"] or nodes[row["entity_id"]]["kind"] or ""
            is_one = _is_person({**row, "kind": kind}, nodes)
            label = entities.bare(row["label"])
            names.append(Name(row["entity_id"], label, kind, is_one, months, present))
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


async def _find_ahead(
    session: Session, rows: Sequence[Row], nodes: Mapping[str, Row]
) -> str | None:
    """Return the next plan in two words, "Kyoto in June"; None without one that has a name."""
    now = session.clock.now_ms()
    call = calls.everyday.profile(session.user_id, PROFILE_BUDGET, now, now + _AHEAD_MS)
    [row] = await session.run(call)
    for line in row["lines"]:
        if line["part"] != AHEAD:
            continue
        at = next(part for part in line["parts"] if isinstance(part, int))
        text = " ".join(part for part in line["parts"] if isinstance(part, str))
        labels = {entities.bare(row["label"]): _is_person(row, nodes) for row in rows}
        named = [one for one in labels if re.search(rf"\b{re.escape(one)}\b", text)]
        if named:
            chosen = min(named, key=lambda one: (not _leads_to(one, text), labels[one], one))
            return f"{chosen} {_soon(session, at)}"
    return None


def _leads_to(name: str, text: str) -> bool:
    """Tell whether *text* goes to *name*: to Kyoto, in Edinburgh, nach Bonn."""
    before = text.partition(name)[0].split()
    return bool(before) and before[-1].casefold() in _LEADING


def _soon(session: Session, at: int) -> str:
    day, today = session.local(at).date(), session.local(session.clock.now_ms()).date()
    if day <= today:
        return "today"
    if (day.year, day.month) == (today.year, today.month):
        return f"on {day.day} {day:%B}"
    return f"in {day:%B}" if day < today + timedelta(days=330) else f"in {day:%B %Y}"


def _many(count: int, one: str, several: str = "") -> str:
    return f"{count:,} {one if count == 1 else several or f'{one}s'}"
