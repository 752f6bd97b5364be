"""What somebody had an agent keep over a year: memories in every state, linked and not."""

from datetime import UTC, datetime
from typing import Any

AT = "2026-03-01T12:00Z"
NOW_MS = int(datetime(2026, 3, 1, 12, tzinfo=UTC).timestamp() * 1000)
DAY_MS = 86_400_000

# id, content, days since the last access, and what else is said of it.
MEMORIES: tuple[tuple[str, str, int, dict[str, Any]], ...] = (
    ("turin", "Daniele moved to Turin in May, into a flat near the Po", 3, {"type": "fact"}),
    ("tea", "Prefers green tea to coffee after noon", 1, {"tags": ["drinks", "favorite"]}),
    ("job", "Daniele works on battery models at a start-up in Turin", 12, {"type": "fact"}),
    ("train", "The night train from Munich to Turin is cheaper on Tuesdays", 60, {}),
    ("visit", "Visit Daniele over Easter, and book the train early", 5, {"type": "plan"}),
    ("easter", "Easter is on 5 April 2026", 9, {}),
    ("munich", "Lived in Munich until the summer of 2024", 120, {"type": "fact"}),
    ("bike", "The blue bicycle stayed in the cellar in Munich", 210, {"access_count": 0}),
    ("key", "The key of the cellar is with Mrs Huber", 260, {"access_count": 0}),
    ("coffee", "Drinks two coffees in the morning", 90, {}),
    ("nuts", "Allergic to walnuts", 300, {"tags": ["important"], "type": "fact"}),
)
LINKS = (
    ("job", "turin", "extends", 0.9, 2),
    ("visit", "turin", "references", 0.8, 1),
    ("visit", "train", "references", 0.6, 3),
    ("visit", "easter", "follows", 0.7, 0),
    ("train", "munich", "relates_to", 0.5, 30),
    ("bike", "munich", "part_of", 0.6, 60),
    ("key", "bike", "supports", 0.5, 90),
    ("coffee", "tea", "contradicts", 0.7, 4),
    ("coffee", "munich", "relates_to", 0.4, 7),
    ("easter", "train", "precedes", 0.3, 5),
)


def keep(memory: Any, user_id: str = "default") -> None:
    """Keep it all for *user_id*, and one thing for somebody else."""
    memory.import_rows([_record(user_id, *one) for one in MEMORIES])
    memory.import_rows([_record("bob", "secret", "Bob dislikes Turin", 1, {})])
    memory.import_rows(
        [
            {
                "kind": "link",
                "from": source,
                "to": target,
                "type": type_,
                "strength": strength,
                "created_at": NOW_MS - 200 * DAY_MS,
                "last_strengthened": NOW_MS - days * DAY_MS,
            }
            for source, target, type_, strength, days in LINKS
        ]
    )


def _record(
    user_id: str, memory_id: str, content: str, days: int, given: dict[str, Any]
) -> dict[str, Any]:
    return {
        "kind": "memory",
        "id": memory_id,
        "user_id": user_id,
        "content": content,
        "access_count": 1,
        "created_at": NOW_MS - 320 * DAY_MS,
        "accessed_at": NOW_MS - days * DAY_MS,
        "last_decay_update": NOW_MS - days * DAY_MS,
        **given,
    }
