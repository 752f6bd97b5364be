"""Memories that fade, and the worker's decay."""

from test_memory_nodes import create

from concept_graph_mcp import calls

WHOLE_YEAR = 365


def made(memory, content="Prefers tea", user="default", **given):
    return create(memory, content, user, **given)["memory_id"]


def run(memory, call, user="default"):
    return memory.run(call, user_id=user)


def status(memory, memory_id):
    return run(memory, calls.memories.decay_status(memory_id))[0]


def decay(memory, user="default", dry_run=False, limit=500):
    """Let a whole run of the worker pass; return what it processed and changed."""
    processed, changes, last = 0, [], None
    while True:
        call = calls.memories.decay_batch(user, limit, last, dry_run)
        [row] = run(memory, call, user)
        assert row["errors"] == 0
        processed += row["processed"]
        changes += row["changes"]
        last = row["last"]
        if last is None:
            return processed, changes


def stored(memory, memory_id):
    """Return the record of a memory, which has its content whole."""
    [record] = [one for one in memory.records() if one.get("id") == memory_id]
    return record


def ids(memory, call):
    return [row["memory_id"] for row in run(memory, call)]
