"""A memory that replaced another is corrected again, forgotten and restored."""

import pytest
from expect import DAY_MS

from concept_graph_mcp import calls

everyday = calls.everyday
WHERE = "Where does Pia live?"


def forget(days, memory_id):
    days.run(everyday.forget("default", memory_id, "that was wrong"))


def restore(days, memory_id):
    days.run(calls.memories.restore(memory_id))


def told(days, message=WHERE):
    """Return the texts that a recall quotes."""
    rows = days.recalled(message)["lines"]
    return [str(row["parts"][1]).split("“")[1].rstrip("”") for row in rows if row["part"] == "said"]


def moved(days, *cities):
    """Let Pia live in each of *cities*, one after the other; return the ids."""
    made = [days.remember(f"Pia lives in {cities[0]}")["id"]]
    for city in cities[1:]:
        days.memory.now_ms += DAY_MS
        made.append(days.remember(f"Pia lives in {city}", replaces=made[-1])["id"])
    return made


def test_what_a_forgotten_one_replaced_is_so_again(days):
    graz, linz = moved(days, "Graz", "Linz")
    assert told(days) == ["Pia lives in Linz"]
    until = days.kept(graz)["valid_until"]
    forget(days, linz)
    assert told(days) == ["Pia lives in Graz"]
    assert "valid_until" not in days.kept(graz)
    restore(days, linz)
    assert told(days) == ["Pia lives in Linz"]
    assert days.kept(graz)["valid_until"] == until


@pytest.mark.slow
def test_the_first_of_three_is_so_again_when_both_others_are_forgotten(days):
    graz, linz, wels = moved(days, "Graz", "Linz", "Wels")
    forget(days, linz)
    assert told(days) == ["Pia lives in Wels"]
    forget(days, wels)
    assert told(days) == ["Pia lives in Graz"]
    restore(days, linz)
    assert told(days) == ["Pia lives in Linz"]
    restore(days, wels)
    assert told(days) == ["Pia lives in Wels"]
    assert days.kept(graz)["valid_until"] < days.kept(linz)["valid_until"]


def test_what_a_forgotten_one_replaced_is_so_again_after_an_export(days, memory):
    _, linz = moved(days, "Graz", "Linz")
    records = memory.records()
    memory.empty()
    memory.import_rows(records)
    forget(days, linz)
    assert told(days) == ["Pia lives in Graz"]


def test_what_was_replaced_before_its_end_was_on_the_link_is_so_again(days, memory):
    _, linz = moved(days, "Graz", "Linz")
    records = [
        {name: value for name, value in one.items() if (one["kind"], name) != ("link", "until")}
        for one in memory.records()
    ]
    memory.empty()
    memory.import_rows(records)
    forget(days, linz)
    assert told(days) == ["Pia lives in Graz"]


def test_a_link_that_contradicts_replaces_nothing(days):
    graz, linz = moved(days, "Graz", "Linz")
    other = days.remember("Pia has left for good")["id"]
    days.run(calls.memories.link(other, graz, "contradicts"))
    forget(days, other)
    assert "valid_until" in days.kept(graz)
    restore(days, other)
    forget(days, linz)
    assert "valid_until" not in days.kept(graz)


def test_the_text_of_a_replaced_one_is_a_new_memory(days):
    graz, linz = moved(days, "Graz", "Linz")
    days.memory.now_ms += DAY_MS
    back = days.remember("Pia lives in Graz", replaces=linz)
    assert (back["existing"], back["id"] == graz) == (False, False)
    assert told(days) == ["Pia lives in Graz"]
    assert days.remember("Pia lives in Graz")["id"] == back["id"]


def test_a_second_replacement_names_the_first(days):
    graz, linz = moved(days, "Graz", "Linz")
    until = days.kept(graz)["valid_until"]
    days.memory.now_ms += DAY_MS
    second = days.remember("She shares a flat with Max now", replaces=graz)
    assert second["similar"] == [{"id": linz, "text": "Pia lives in Linz"}]
    assert days.kept(graz)["valid_until"] == until
    assert set(told(days)) == {"Pia lives in Linz", "She shares a flat with Max now"}
    forget(days, linz)
    assert days.kept(graz)["valid_until"] > until
    forget(days, second["id"])
    assert told(days) == ["Pia lives in Graz"]


def test_a_replacement_that_is_told_again_changes_nothing(days):
    graz, linz = moved(days, "Graz", "Linz")
    until = days.kept(graz)["valid_until"]
    days.memory.now_ms += DAY_MS
    again = days.remember("Pia lives in Linz", replaces=graz)
    assert (again["existing"], again["id"], again["similar"]) == (True, linz, [])
    assert days.kept(graz)["valid_until"] == until


@pytest.mark.slow
def test_what_was_told_later_ended_when_it_is_said_to_have(days):
    """Only a time that was given with the old memory bounds its end."""
    happened = days.memory.now_ms - 12 * DAY_MS
    told_now = days.remember("Pia lives in Graz")["id"]
    days.remember("Pia lives in Linz", replaces=told_now, happened_at=happened)
    assert days.kept(told_now)["valid_until"] == happened
    dated = days.remember("Pia owns a red car", happened_at=happened)["id"]
    days.remember("Pia owns a green car", replaces=dated, happened_at=happened - DAY_MS)
    assert days.kept(dated)["valid_until"] == happened


def test_a_replacement_is_never_contradicted_by_the_replaced(days, memory):
    old = days.remember("The password of the router is Tulip7")["id"]
    happened = memory.now_ms - 12 * DAY_MS
    new = days.remember("The password of the router is Rose9", replaces=old, happened_at=happened)[
        "id"
    ]
    answer = days.recall("What is the password of the router?")
    assert "Rose9" in answer
    assert "contradicts" not in answer
    assert days.kept(old)["valid_until"] == happened
    rows = memory.run(calls.memories.search("default", "the password of the router before"))
    assert {one["memory_id"]: one["contradicted_by"] for one in rows} == {new: None, old: new}


def test_a_replaced_memory_that_was_read_is_not_counted_among_the_latest(days):
    moved(days, "Graz", "Linz", "Bonn")
    days.remember("Otto paints")
    for limit, total in ((1, 4), (10, 2)):
        rows = days.run(calls.memories.recent("default", limit))
        assert len(rows) == min(limit, 2)
        assert {one["total"] for one in rows} == {total}
