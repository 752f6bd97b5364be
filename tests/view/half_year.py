"""Half a year of a made-up person: 43 people, 17 places and things, and about 200 messages."""

import random
from itertools import count
from typing import Any

from concept_graph_mcp import calls

DAY_MS = 86_400_000
USER = "default"
_COUNT = count()
# Circles of people and things that are spoken of together, each with its kind.
CIRCLES: dict[str, dict[str, str]] = {
    "family": {
        **dict.fromkeys(("Johanna", "Peter", "Aunt Rosa", "Uncle Theo", "Lukas", "Emil"), "family"),
        **dict.fromkeys(("Granny Hilde", "Matilda"), "family"),
        "Flensburg": "place",
        "Balu": "pet",
    },
    "work": {
        **dict.fromkeys(("Samira Haddad", "Oliver", "Mr Brandt", "Yuki", "Chen Wei"), "person"),
        **dict.fromkeys(("Nadia", "Pavel", "Ingrid", "Ruth Abel", "Tomasz"), "person"),
        **dict.fromkeys(("Harbour Project", "Quarterly Report"), "project"),
    },
    "choir": {
        **dict.fromkeys(("Fiona", "Baptiste", "Marek", "Lena Vogt", "Agnes", "Ole"), "person"),
        **dict.fromkeys(("Sofia", "Henrik"), "person"),
        "St John's Passion": "work of music",
        "Market Church": "place",
    },
    "Japan": {
        **dict.fromkeys(("Kenji", "Aiko", "Mrs Tanaka", "Hiro"), "person"),
        **dict.fromkeys(("Kyoto", "Nara", "Osaka"), "place"),
        "Japanese course": "event",
    },
    "climbing": {
        **dict.fromkeys(("Mila", "Jonas", "Dario", "Esra", "Felix", "Kim"), "person"),
        "Climbing hall": "place",
    },
    "house": {
        **dict.fromkeys(("Ms Schubert", "Noor", "נועה לוי", "Mr Okafor", "Ella"), "person"),
        **dict.fromkeys(("Oak Street", "Garden"), "place"),
    },
    "doctor": {
        **dict.fromkeys(("Dr Weber", "Dr Lindqvist"), "person"),
        **dict.fromkeys(("Knee", "Physiotherapy"), "health"),
    },
}
SAYINGS = (
    "Saw {0} and {1} today, we talked about {2}.",
    "{0} called because of {1}.",
    "I met {0} at lunch; {1} sends regards, and {2} too.",
    "{0} has news of {1}.",
)


def live(memory: Any, now_ms: int, messages: int = 200) -> None:
    """Live through it: each name is heard of once, and then spoken of with others of its circle."""
    chance, names = random.Random(7), list(CIRCLES)
    every = [(one, kind) for circle in CIRCLES.values() for one, kind in circle.items()]
    ages = sorted((chance.uniform(0, 180 * DAY_MS) for _ in range(messages)), reverse=True)
    for number, age in enumerate(ages):
        memory.now_ms = now_ms - round(age)
        circle = list(CIRCLES[chance.choices(names, (9, 10, 7, 4, 5, 3, 2))[0]].items())
        told = [circle[min(len(circle) - 1, int(chance.expovariate(0.4)))] for _ in range(3)]
        text = chance.choice(SAYINGS).format(*(one for one, _ in told))
        if number < len(every):
            told = [every[number]]
            text = f"I first heard of {told[0][0]} from a friend."
        about = [{"name": one, "kind": kind} for one, kind in dict(told).items() if one in text]
        memory.run(calls.everyday.remember(USER, text, about, said=text), user_id=USER)
    memory.now_ms = now_ms
    trip, begins = "The trip to Kyoto with Johanna begins.", now_ms + 60 * DAY_MS
    about = ["Kyoto", "Johanna"]
    memory.run(calls.everyday.remember(USER, trip, about, happened_at=begins), user_id=USER)


def say(memory: Any, at: int, name: str, kind: str = "person", user: str = USER) -> str:
    """Say *name* once, at the time *at* (unix ms); return the id of its entity."""
    memory.now_ms = at
    key = f"{user} {name} {at} {memory.now_ms}"
    observed = [{"label": name, "type": "entity", "kind": kind}]
    call = calls.entities.observe(key, f"{key} {next(_COUNT)}", "user", f"I saw {name}.", observed)
    [row] = memory.run(call, user_id=user)
    memory.run(calls.entities.end_session(key, user_id=user), user_id=user)
    return str(row["entities"][0]["entity_id"])
