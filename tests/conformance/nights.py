"""The nightly runs over entities as the worker takes them: every step, batch after batch."""

from concept_graph_mcp import calls
from conceptgraph_core.entities import schema


def take(entities, call, step, limit=None, dry_run=False, user="default", batches=None):
    """Take a step to its end, or for so many batches; return what changed."""
    changes, after = [], None
    while batches is None or batches > 0:
        made = call(step, after, limit, dry_run)
        [row] = entities.run(made, user_id=user)
        assert row["changed"] >= len(row["changes"])
        changes += row["changes"]
        after = row["last"]
        if after is None:
            break
        batches = None if batches is None else batches - 1
    return changes


def daily(entities, step=None, **more):
    steps = schema.DAILY if step is None else (step,)
    return [row for one in steps for row in take(entities, calls.entities.daily, one, **more)]


def weekly(entities, step=None, **more):
    steps = schema.WEEKLY if step is None else (step,)
    return [row for one in steps for row in take(entities, calls.entities.weekly, one, **more)]


def kept(entities):
    """Return all records, in an order of their own."""
    return sorted(entities.memory.records(), key=repr)


def node(key, **given):
    """Return an import record of an entity."""
    record = {
        "kind": "entity",
        "id": key,
        "user_id": "default",
        "node_type": "entity",
        "node_label": key,
        "canonical_name": key,
        "created_at": 0,
        "last_activated": 0,
    }
    return record | given


def tie(source, target, kind="co_occurrence", **given):
    """Return an import record of an edge between entities."""
    return {"kind": "tie", "from": source, "to": target, "type": kind, **given}
