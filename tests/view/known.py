"""Whom and what somebody spoke of in three conversations, some of it under two names."""

from datetime import UTC, datetime
from typing import Any

from concept_graph_mcp import calls

NOW_MS = int(datetime(2026, 3, 1, 12, tzinfo=UTC).timestamp() * 1000)
DAY_MS = 86_400_000

# Days ago, who says it, the text, and what it mentions by its label.
TALK: tuple[tuple[int, str, str, tuple[str, ...]], ...] = (
    (9, "user", "Max the dog chewed Anna's shoe", ("Max", "Anna", "shoe")),
    (9, "user", "Anna took the puppy to Dr Weber", ("Anna", "puppy", "Dr Weber")),
    (9, "model", "Max may like the park", ("Max", "park")),
    (4, "user", "Max and Anna ran through the park", ("Max", "Anna", "park")),
    (4, "user", "Dr Weber's practice moved to Lindau", ("Dr Weber", "Lindau")),
    (1, "user", "Anna and Annie's boat is in Lindau", ("Anna", "Annie", "boat", "Lindau")),
    (1, "model", "Perhaps a trip to Bregenz", ("Bregenz",)),
)
KINDS = {
    **dict.fromkeys(("Max", "puppy"), "pet"),
    **dict.fromkeys(("Anna", "Annie", "Dr Weber"), "person"),
    **dict.fromkeys(("shoe", "boat"), "thing"),
    **dict.fromkeys(("park", "Lindau", "Bregenz"), "place"),
}


def speak(memory: Any, now_ms: int = NOW_MS) -> dict[str, str]:
    """Say it all; return the ids by label, and "merge" for that of the puppy into Max."""
    ids: dict[str, str] = {}
    for number, (days, speaker, text, mentioned) in enumerate(TALK):
        memory.now_ms = now_ms - days * DAY_MS
        observed = [{"label": label, "type": "entity", "kind": KINDS[label]} for label in mentioned]
        call = calls.entities.observe(f"s{days}", f"m{number}", speaker, text, observed)
        [row] = memory.run(call, user_id="default")
        ids |= {one["label"]: one["entity_id"] for one in row["entities"]}
    for days in (9, 4, 1):
        memory.run(calls.entities.end_session(f"s{days}"), user_id="default")
    memory.now_ms = now_ms
    for source, target, reason in (
        ("puppy", "Max", "Max is the puppy"),
        ("Annie", "Anna", "Annie is what friends call her"),
    ):
        call = calls.entities.merge(
            ids[source], ids[target], reason, "user_correction", f"{source} is {target}"
        )
        [row] = memory.run(call, user_id="default")
        ids.setdefault("merge", row["merge_id"])
    return ids
