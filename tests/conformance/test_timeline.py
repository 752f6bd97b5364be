"""`everyday.days`, `happened` and `changes`: what was kept and said when, and what became of it."""

import pytest
from expect import REFUSALS

from concept_graph_mcp import calls
from conceptgraph_core.concepts.schema import SHARED
from conceptgraph_core.memories.fade import STATES

DAY_MS = 86_400_000
# Noon of 15 June 2025, UTC.
NOON_MS = 1_749_988_800_000
MIDNIGHT_MS = NOON_MS - DAY_MS // 2
USER = "default"
BOUNDS = [MIDNIGHT_MS + number * DAY_MS for number in range(-2, 3)]


class Life:
    """What one user keeps and says, some days from 15 June 2025."""

    def __init__(self, memory, user=USER):
        self.memory, self.user = memory, user

    def run(self, call, days=0.0):
        self.memory.now_ms = NOON_MS + round(days * DAY_MS)
        self.memory.date = f"{20250615 + int(days)}"
        return self.memory.run(call, user_id=self.user)

    def keep(self, days, text, **more):
        [row] = self.run(calls.everyday.remember(self.user, text, **more), days)
        return row["id"]

    def say(self, days, text, *names, session="s"):
        given = [{"label": name, "type": "entity"} for name in names]
        call = calls.entities.observe(session, text, "user", text, given)
        [row] = self.run(call, days)
        return [one["entity_id"] for one in row["entities"]]

    def days(self, first="20250613", bounds=BOUNDS):
        call = calls.everyday.days(self.user, first, bounds, concept_scope=SHARED)
        [row] = self.memory.run(call, user_id=self.user)
        return row

    def changes(self, since=-3.0, until=3.0):
        times = [NOON_MS + round(one * DAY_MS) for one in (since, until)]
        return self.run(calls.everyday.changes(self.user, *times), until)


@pytest.fixture
def life(memory):
    return Life(memory)


def told(rows):
    return [(row["change"], row["kind"], row["text"]) for row in rows]


def test_the_days_count_what_was_kept_and_said_of_one_user(life, memory):
    life.keep(-1, "The tea is green")
    forgotten = life.keep(0, "The tea is blue")
    life.keep(0.25, "The tea is red")
    life.run(calls.memories.forget(forgotten), 0.3)
    life.say(1, "Max met Anna", "Max", "Anna")
    life.run(calls.concepts.episode_add("Tea was drunk", ["tea"]), -1)
    bob = Life(memory, "bob")
    bob.keep(0, "Bob has a secret")
    assert life.days() == {
        "memories": [0, 1, 2, 0],
        "episodes": [0, 1, 0, 0],
        "mentions": [0, 0, 0, 2],
    }
    # A bound belongs to the day that it begins; what is before or after it does not count.
    assert life.days(bounds=[NOON_MS - DAY_MS, NOON_MS])["memories"] == [1]
    assert bob.days()["memories"] == [0, 0, 1, 0]
    # In Lab nothing was counted before.
    by_hand = memory.procedure(
        "everyday.days", ["20250613", BOUNDS], ("memories", "episodes", "mentions")
    )
    assert by_hand[0]["memories"] == [0, 1, 2, 0]
    assert by_hand[0]["mentions"] == [0, 0, 0, 2]


def test_a_day_has_its_memories_episodes_and_messages_each_once(life):
    life.keep(0, "Clara is allergic to hazelnuts", about=["Clara"], said="No hazelnuts for Clara")
    life.run(calls.memories.forget(life.keep(0.1, "A secret")), 0.2)
    [max_, _] = life.say(0.25, "Max met Anna", "Max", "Anna")
    life.keep(1, "Another day")
    life.run(calls.concepts.episode_add("Tea was drunk", ["tea"]))
    times = MIDNIGHT_MS, MIDNIGHT_MS + DAY_MS
    call = calls.everyday.happened(USER, "20250615", *times, concept_scope=SHARED)
    rows = life.run(call, 1)
    assert [(row["kind"], row["text"]) for row in rows if row["kind"] != "message"] == [
        ("episode", "Tea was drunk"),
        ("memory", "Clara is allergic to hazelnuts"),
    ]
    messages = [row for row in rows if row["kind"] == "message"]
    assert [row["text"] for row in messages] == ["No hazelnuts for Clara", "Max met Anna"]
    assert (messages[1]["id"], messages[1]["who"]) == (max_, "the user")


def test_a_correction_a_contradiction_and_forgetting_are_changes_with_their_undo(life):
    old = life.keep(-2, "The train leaves at nine")
    life.keep(0, "The train leaves at ten", replaces=old)
    secret = life.keep(0.5, "A secret")
    life.run(calls.memories.forget(secret, "it was wrong"), 1)
    rows = life.changes()
    assert told(rows) == [
        ("forgotten", "memory", "A secret"),
        ("corrected", "memory", "The train leaves at nine"),
        ("new", "memory", "The train leaves at ten"),
        ("new", "memory", "The train leaves at nine"),
    ]
    assert (rows[0]["why"], rows[0]["undo"]) == ("it was wrong", secret)
    assert (rows[1]["why"], rows[1]["undo"]) == ("The train leaves at ten", None)
    assert told(life.changes(since=0.75)) == told(rows[:1])
    life.run(calls.memories.restore(secret), 2)
    returned = life.changes(since=1.5)
    assert told(returned) == [("returned", "memory", "A secret")]
    assert returned[0]["why"] == f"{STATES[-1]} → {STATES[0]}, when it was recalled"
    assert Life(life.memory, "bob").changes() == []


def test_merges_promotions_and_facts_are_changes(life):
    [max_, puppy] = life.say(-2, "Max is the puppy", "Max", "puppy")
    life.say(-1, "Max barked", "Max", session="t")
    life.run(calls.entities.end_session("t", USER), -0.75)
    words = ("they are one", "user_correction", "puppy is Max")
    [merged] = life.run(calls.entities.merge(puppy, max_, *words), -0.5)
    for days, age in ((0, "four"), (0.25, "five")):
        said = {"speaker": "user", "text": f"Max is {age}."}
        life.run(calls.entities.fact(max_, "age", age, **said), days)
    rows = life.changes()
    by = {(row["change"], row["kind"]): row for row in rows}
    assert by["merge", "ledger"]["text"] == "puppy, Max"
    assert by["merge", "ledger"]["undo"] == merged["merge_id"]
    assert by["promoted", "entity"]["id"] == max_
    assert by["contradicted", "fact"]["text"] == "Max – age: four"
    assert by["contradicted", "fact"]["why"] == "five"
    life.run(calls.entities.unmerge(merged["merge_id"], "two dogs"), 1)
    [undone] = life.changes(since=0.75)
    assert (undone["change"], undone["why"], undone["undo"]) == ("merge undone", "two dogs", None)


def test_bad_days_and_times_are_refused(life):
    for first in ("2025-06-13", "20250231", "x"):
        with pytest.raises(REFUSALS, match="first: must be a date"):
            life.days(first)
    with pytest.raises(REFUSALS, match="bounds: must be"):
        life.days(bounds=[5, 4])
    with pytest.raises(REFUSALS, match="since, until: must be"):
        life.changes(2, 1)
    with pytest.raises(REFUSALS, match="day: must be a date"):
        life.run(calls.everyday.happened(USER, "today", 0, 1))
