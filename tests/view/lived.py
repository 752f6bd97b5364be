"""The sample's flight in a store, as it was on the evening of the splashdown."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

EVENING = "1970-04-17T23:00:00-06:00"


def live(memory: Any) -> None:
    """Take every step of the sample until that evening, each at its own time."""
    sample = Path(__file__).parents[1] / "fixtures/apollo13.jsonl"
    _, *steps = map(json.loads, sample.read_text(encoding="utf-8").splitlines())
    until = datetime.fromisoformat(EVENING)
    for step in steps:
        at = datetime.fromisoformat(step["at"])
        if at > until:
            break
        memory.now_ms = int(at.timestamp() * 1000)
        memory.date = f"{at:%Y%m%d}"
        _take(memory, step)


def _take(memory: Any, step: dict[str, Any]) -> None:
    if step["kind"] == "concept":
        memory.concept_upsert(step["concept"])
    elif step["kind"] == "relation":
        memory.relation_add(step["from"], step["to"], step["type"])
    elif step["kind"] == "episode":
        memory.episode_add(step["summary"], step["concepts"])
    else:
        memory.update_affect(step["target"], step["valence_delta"])
