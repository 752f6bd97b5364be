"""What is stored as JSON, and so handed to SQLite: one way to write it."""

import json
from collections.abc import Iterable

# What is stored was copied, and has no circles.
encode = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":")).encode


def listed(ids: Iterable[int]) -> str:
    """Return *ids* as a JSON array, which so few are sooner than the encoder begins."""
    return f"[{','.join(map(str, ids))}]"
