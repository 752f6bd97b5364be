"""Random lives of memories: every host says and keeps what the plain model does, whole."""

from typing import Any

import pytest
from expect import DAY_MS, REFUSALS
from hypothesis import given
from hypothesis import strategies as st
from memory_reference import Reference, Refusal
from test_reference_model import quiet

from concept_graph_mcp import calls
from conceptgraph_core.memories.schema import MARK

START_MS = 1_750_000_000_000
USERS = ("ann", "bob")
CONTENTS = (
    "Tea", "Prefers tea, äöü 🌱\r\n\ttoo", "tea again and again " * 30, f"{MARK}eJw", MARK * 3,
    "\x1f deflate", "日本語のメモ" * 20,
)  # fmt: skip
WAITS = (1, DAY_MS // 24, DAY_MS, 20 * DAY_MS, 90 * DAY_MS, 400 * DAY_MS, -DAY_MS)

users = st.sampled_from(USERS)
numbers = st.integers(0, 6)
contents = st.sampled_from(CONTENTS) | st.text(
    st.characters(exclude_categories=("Cs",), exclude_characters="\0"), min_size=1, max_size=60
).map("Noted: {}".format)
units = st.sampled_from((0, 0.005, 0.1, 0.5, 0.7, 1)) | st.floats(0, 1, allow_subnormal=False)
tags = st.sampled_from(("Pinned", "permanent", "nice", None))
changes = st.fixed_dictionaries(
    {},
    optional={
        "content": contents,
        "importance": units,
        "confidence": units,
        "tags": st.sampled_from(([], ["nice"], ["IMPORTANT"])),
    },
)
CALLS = st.one_of(
    st.tuples(st.just("create"), users, contents, units, units),
    st.tuples(st.just("get"), users, numbers),
    st.tuples(st.just("get"), users, numbers),
    st.tuples(st.just("touch"), users, st.lists(numbers, min_size=1, max_size=3)),
    st.tuples(st.just("update"), users, numbers, changes),
    st.tuples(st.just("forget"), users, numbers),
    st.tuples(st.just("preserve"), users, numbers, tags, st.sampled_from((None, None, 0, 10, 300))),
    st.tuples(st.just("restore"), users, numbers),
    st.tuples(st.just("decay"), users, st.booleans()),
    st.tuples(st.just("decay"), users, st.just(False)),
    st.tuples(st.just("purge"), users, st.sampled_from((1, 30, 1000))),
    st.tuples(st.just("recent"), users, st.integers(1, 4)),
    st.tuples(st.just("status"), users, numbers),
    st.tuples(st.just("wait"), st.sampled_from(WAITS)),
    st.tuples(st.just("wait"), st.sampled_from(WAITS)),
    st.tuples(st.just("window"), st.booleans()),
)
BIRTHS = st.lists(
    st.one_of(
        st.tuples(st.just("create"), users, contents, st.just(0.7), st.just(1)),
        st.tuples(st.just("put"), users, contents, st.sampled_from((0.0, 0.1, 2.0))),
    ),
    min_size=2,
    max_size=5,
)
HISTORIES = st.tuples(BIRTHS, st.lists(CALLS, min_size=6, max_size=30)).map(
    lambda both: [*both[0], *both[1]]
)


class Host:
    """The same calls on a store; memories are known by the number of their birth."""

    def __init__(self, memory: Any) -> None:
        self.memory = memory
        self.ids: list[str] = []

    def id(self, number: int) -> str:
        return self.ids[number] if number < len(self.ids) else f"nobody-{number}"

    def number(self, memory_id: str) -> int:
        return self.ids.index(memory_id)

    def run(self, user: str, call: Any) -> list[dict[str, Any]]:
        return self.memory.run(call, user_id=user)

    def create(self, user: str, content: str, importance: float, confidence: float) -> Any:
        call = calls.memories.create(user, content, importance=importance, confidence=confidence)
        [row] = self.run(user, call)
        if row["existing"]:
            return self.number(row["memory_id"]), row["state"], row["decay_score"]
        self.ids.append(row["memory_id"])
        return None, row["state"], row["decay_score"]

    def put(self, user: str, content: str, rate: float) -> None:
        then = self.memory.now_ms - 30 * DAY_MS
        record = {"kind": "memory", "id": f"put-{len(self.ids)}", "user_id": user}
        record |= {"content": content, "created_at": then, "accessed_at": then}
        self.memory.import_rows([record | {"decay_rate": rate}])
        self.ids.append(record["id"])

    def get(self, user: str, number: int) -> Any:
        return self.told(self.run(user, calls.memories.get(self.id(number))))

    def update(self, user: str, number: int, given: dict[str, Any]) -> Any:
        return self.told(self.run(user, calls.memories.update(user, self.id(number), **given)))

    def told(self, rows: list[dict[str, Any]]) -> Any:
        [row] = rows
        return row["content"], row["state"], row["access_count"]

    def touch(self, user: str, numbers: list[int]) -> Any:
        rows = self.run(user, calls.memories.touch([self.id(number) for number in numbers]))
        return [row["access_count"] for row in rows]

    def forget(self, user: str, number: int) -> None:
        self.run(user, calls.memories.forget(self.id(number)))

    def preserve(self, user: str, number: int, tag: str | None, days: int | None) -> Any:
        until = None if days is None else self.memory.now_ms + days * DAY_MS
        # No tag at all is the default one, which the model is not asked for.
        call = calls.memories.preserve(self.id(number), tag or "none", until)
        return self.run(user, call)[0]["state"]

    def restore(self, user: str, number: int) -> Any:
        return self.run(user, calls.memories.restore(self.id(number)))[0]["restored"]

    def decay(self, user: str, dry_run: bool) -> Any:
        processed, changes, last = 0, [], None
        while True:
            [row] = self.run(user, calls.memories.decay_batch(user, 2, last, dry_run))
            assert row["errors"] == 0
            processed += row["processed"]
            changes += row["changes"]
            last = row["last"]
            if last is None:
                found = [(self.number(c["memory_id"]), c["from"], c["to"]) for c in changes]
                return processed, sorted(found)

    def purge(self, user: str, days: int) -> Any:
        window = days * DAY_MS
        rows = self.run(user, calls.memories.purgeable(window))
        named = [row["memory_id"] for row in rows]
        gone = self.run(user, calls.memories.purge(window, named))
        return sorted(self.number(row["memory_id"]) for row in gone)

    def recent(self, user: str, limit: int) -> Any:
        rows = self.run(user, calls.memories.recent(user, limit))
        return [max(row["accessed_at"], row["created_at"]) for row in rows]

    def status(self, user: str, number: int) -> Any:
        [row] = self.run(user, calls.memories.decay_status(self.id(number)))
        return row["state"], row["decay_score"], row["next_state"], row["next_state_at"]


def expected_of(model: Reference, host: Host, name: str, arguments: tuple) -> Any:
    """Return what the model says to a call."""
    if name == "create":
        user, content, importance, confidence = arguments
        given = {"importance": importance, "confidence": confidence}
        said = model.create(user, len(host.ids), content, **given)
        return said.get("number"), said["state"], pytest.approx(said["score"], abs=2e-6)
    if name == "put":
        user, content, rate = arguments
        return model.put(user, len(host.ids), content, rate)
    if name in {"get", "update"}:
        *rest, given = arguments if name == "update" else (*arguments, {})
        said = getattr(model, name)(*rest, **given)
        return said["content"], said["state"], said["count"]
    if name == "status":
        state, score, following, at = model.status(*arguments)
        close = None if at is None else pytest.approx(at, abs=2)
        return state, pytest.approx(score, abs=2e-6), following, close
    return getattr(model, name)(*arguments)


def refused(make: Any, *arguments: Any) -> Any:
    try:
        return make(*arguments)
    except (*REFUSALS, Refusal):
        return "refused"


def replay(memory: Any, history: list[tuple]) -> None:
    """Make every call on the host and in the model, comparing what they say and keep."""
    model, host = Reference(START_MS), Host(memory)
    memory.expires = False
    for name, *arguments in history:
        if name == "wait":
            model.now += arguments[0]
            continue
        if name == "window":
            model.expires = memory.expires = arguments[0]
            continue
        memory.now_ms = model.now
        expected = refused(expected_of, model, host, name, tuple(arguments))
        assert refused(getattr(host, name), *arguments) == expected, (name, arguments)
    compare(memory, model, host)


def compare(memory: Any, model: Reference, host: Host) -> None:
    """Hold all that is kept against the model: first of all every content, byte for byte."""
    records = {host.number(r["id"]): r for r in memory.records() if r["kind"] == "memory"}
    assert {n: r["content"] for n, r in records.items()} == {
        n: one.content for n, one in model.memories.items()
    }
    for number, one in model.memories.items():
        record = records[number]
        history = record["metadata"].get("history", ())
        assert [(h["from"], h["to"], h["at"]) for h in history] == one.history
        assert ("forgotten" in record["metadata"]) == one.forgotten
        kept = {
            "user_id": one.user,
            "importance_score": one.importance,
            "confidence": one.confidence,
            "tags": one.tags,
            "access_count": one.accesses,
            "created_at": one.created,
            "accessed_at": one.accessed,
            "state": one.state,
            "decay_score": pytest.approx(one.score, abs=1e-9),
            "last_decay_update": one.updated,
            "deleted_at": one.deleted,
            "preserved_until": one.until,
        }
        assert {name: record.get(name) for name in kept} == kept
    assert memory.run(calls.transfer.check()) == []


@pytest.mark.slow
@pytest.mark.parametrize("store", ["embedded"], indirect=True)
def test_any_life_of_memories_is_the_models_embedded(memory):
    @quiet(100)
    @given(history=HISTORIES)
    def check(history):
        memory.empty()
        replay(memory, history)

    check()


@pytest.mark.parametrize("store", ["memgraph"], indirect=True)
def test_any_life_of_memories_is_the_models_in_memgraph(memory):
    @quiet(40)
    @given(history=HISTORIES)
    def check(history):
        memory.empty()
        replay(memory, history)

    check()
