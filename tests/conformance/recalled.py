"""Graphs to recall from, and what is read of the rows."""

from expect import concept

MARKET = "Bought apples at the market"


def texts(rows):
    return [row["text"] for row in rows]


def by_text(rows):
    return {row["text"]: row for row in rows}


def level(memory, name):
    record = memory.node(name)
    return record["arousal_level"], record["accessed_at"]


def build(memory, levels, *relations):
    """Import concepts with arousal levels as of now, then relations between them."""
    rows = [concept(name, level=value, at=memory.now_ms) for name, value in levels.items()]
    memory.import_rows([*rows, *relations])
