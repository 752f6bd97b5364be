"""Strength: what two things weigh together that are mentioned in some rhythm, with every night."""

from collections.abc import Iterator
from datetime import datetime

from concept_graph_mcp.worker import fading

from .days import nights
from .histories import ms
from .person import Person
from .report import Line
from .world import World

BEGUN = ms("2024-01-01T20:00")
DAY_MS = 86_400_000
# Name -> each how many days it is said, for how long, and what it should weigh then.
RHYTHMS = {
    "daily for 30 days": (1, 30, "0.88"),
    "weekly for half a year": (7, 182, "0.96"),
    "every 14 days for half a year": (14, 182, "0.96"),
    "once": (1, 1, "0.29"),
}
IDLE_DAYS = 60


async def lines(world: World, half: int = 182) -> list[Line]:
    """Return what each pair weighs on its last night, and which are on after idle ones."""
    people = {name: world.person(name) for name in RHYTHMS}
    weights: dict[str, float] = {}
    idle: dict[str, bool] = {}
    for day, night in enumerate(nights(BEGUN, half + IDLE_DAYS)):
        for name, person in people.items():
            every, lasts, _ = RHYTHMS[name]
            if day < min(lasts, half) and day % every == 0:
                await _mention(world, person, day)
        await _work(world, night)
        for name, person in people.items():
            last = _last_said(*RHYTHMS[name][:2], half)
            if day == last:
                weights[name], _ = await _edge(person)
            if day == last + IDLE_DAYS:
                idle[name] = (await _edge(person))[1]
    return [
        *_told(weights),
        Line("strength", f"on after {IDLE_DAYS} idle days", sum(idle.values()), len(idle), "0"),
    ]


def _last_said(every: int, lasts: int, half: int) -> int:
    """Return the day on whose night the last mention is weighed."""
    return (min(lasts, half) - 1) // every * every


def _told(weights: dict[str, float]) -> Iterator[Line]:
    for name, (_, _, aim) in RHYTHMS.items():
        yield Line("strength", f"weight of a pair: {name}", weights[name], aim=aim)


async def _mention(world: World, person: Person, day: int) -> None:
    world.clock.set(BEGUN + day * DAY_MS)
    said = {"session_id": f"day {day}", "message_id": str(day), "speaker": "user"}
    seen = [{"label": one, "type": "entity"} for one in ("Noor", "Ruben")]
    text = "I met Noor and Ruben."
    await person.call("entity_observe", **said, text=text, observations=seen)
    await person.call("entity_end_session", session_id=f"day {day}")


async def _work(world: World, night: datetime) -> None:
    world.clock.set(int(night.timestamp() * 1000))
    await world.work(fading.DECAY)
    await world.work(fading.DAILY)
    if night.weekday() == 6:
        world.clock.set(int(night.timestamp() * 1000) + 3_600_000)
        await world.work(fading.WEEKLY)


async def _edge(person: Person) -> tuple[float, bool]:
    """Return what the pair's edge weighs now, and whether it is active."""
    found = (await person.call("entity_search", query="Noor", include_inactive=True))["entities"]
    edges = (await person.call("entity_get", entity_id=found[0]["entity_id"]))["edges"]
    ours = [one for one in edges if one["type"].casefold() == "co_occurrence"]
    return (ours[0]["weight"], ours[0]["is_active"]) if ours else (0.0, False)
