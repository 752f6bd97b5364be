"""Mentions, entities and associations go and come with the memory that they rest on alone."""

import json

import pytest
from expect import REFUSALS
from test_everyday_corrections import forget, restore

from concept_graph_mcp import calls

everyday = calls.everyday
THERAPIST = {"name": "Dr. Lang", "kind": "therapist"}
SAID = "Dr. Lang is my therapist, because of the burnout"
QUESTIONS = ("Who is my therapist?", "What about Dr. Lang?", "burnout", "therapist")


def therapist(days, said=SAID, **more):
    text = "Mia is seeing the therapist Dr. Lang"
    return days.remember(text, [THERAPIST, "burnout"], said=said, **more)["id"]


def moved(days):
    old = days.remember("Clara moved to Munich", ["Clara", "Munich"])["id"]
    text = "Clara moved to Berlin"
    return old, days.remember(text, ["Clara", "Berlin"], replaces=old)["id"]


def relations(days, name):
    try:
        return sorted(days.about(name)["relations"])
    except REFUSALS:
        return None


def purge(days, *memory_ids, user="default"):
    """Remove what was forgotten before the last call; return the ids of it."""
    days.memory.now_ms += 60_000
    rows = days.run(calls.memories.purge(1, memory_ids), user)
    return [row["memory_id"] for row in rows]


def kept(memory, *words):
    """Return the records of an export that have any of *words*."""
    records = [json.dumps(one, ensure_ascii=False) for one in memory.records()]
    return [one for one in records if any(word in one for word in words)]


def list_known(memory):
    """Return the records of entities, without the user."""
    records = (one for one in memory.records() if one["kind"] == "entity")
    return [one for one in records if one["canonical_name"] != "the user"]


def is_silent(days, *questions):
    """Tell whether nothing comes back to *questions*, by any of the tools that read."""
    return all(
        days.recalled(one).get("lines") == [] and days.search(one) == [] for one in questions
    )


@pytest.mark.slow
@pytest.mark.parametrize("said", [SAID, None])
def test_what_rests_on_a_forgotten_memory_is_out_of_sight(days, memory, said):
    made = therapist(days, said)
    assert all(days.recalled(one)["lines"] for one in QUESTIONS)
    before = days.recall("Who is my therapist?")
    forget(days, made)
    assert is_silent(days, *QUESTIONS)
    for name in ("Dr. Lang", "burnout"):
        assert days.run(everyday.about("default", name)) == []
    assert memory.run(calls.entities.search("Lang")) == []
    assert not [one for one in memory.records() if one.get("name") == "Dr. Lang"]
    restore(days, made)
    assert days.recall("Who is my therapist?") == before
    assert relations(days, "burnout") == ["burnout evokes Dr. Lang"]


def test_stored_again_it_is_there_again_once(days, memory):
    forget(days, therapist(days))
    again = therapist(days)
    assert "Dr. Lang" in days.recall("Who is my therapist?")
    assert relations(days, "burnout") == ["burnout evokes Dr. Lang"]
    known = list_known(memory)
    assert sorted(one["user_mention_count"] for one in known) == [1, 1]
    forget(days, again)
    assert is_silent(days, *QUESTIONS)


def test_told_in_other_words_the_forgotten_one_is_known_by_these_alone(days, memory):
    forget(days, therapist(days))
    days.remember("Dr. Lang plays chess", [THERAPIST, "chess"], said="Dr. Lang plays chess!")
    assert len(list_known(memory)) == 3
    assert relations(days, "chess") == ["chess evokes Dr. Lang"]
    assert days.recall("burnout") == ""
    assert "burnout" not in days.recall("What about Dr. Lang?")


def test_another_of_the_forgotten_name_is_another(days):
    forget(days, therapist(days))
    days.remember("Dr. Lang is the name of the dog", [{"name": "Dr. Lang", "kind": "dog"}])
    told = days.about("Dr. Lang")
    assert (told["kind"], told["doubts"]) == ("dog", [])
    assert "therapist" not in days.recall("What about Dr. Lang?")


def test_what_also_rests_on_another_stays(days, memory):
    first = therapist(days)
    text = "Dr. Lang treats the burnout on Mondays"
    second = days.remember(text, [THERAPIST, "burnout"], said=f"{text}!")["id"]
    forget(days, first)
    assert relations(days, "burnout") == ["burnout evokes Dr. Lang"]
    assert "“Dr. Lang” (therapist)" in days.recall("Who is my therapist?")
    forget(days, second)
    assert is_silent(days, *QUESTIONS)
    restore(days, first)
    assert relations(days, "burnout") == ["burnout evokes Dr. Lang"]


def test_the_same_words_on_two_days_rest_on_both(days, memory):
    first = therapist(days, happened_at=memory.now_ms - 2)
    second = therapist(days, happened_at=memory.now_ms - 1)
    assert first != second
    forget(days, second)
    assert "“Dr. Lang” (therapist)" in days.recall("Who is my therapist?")
    assert relations(days, "burnout") == ["burnout evokes Dr. Lang"]


def test_what_a_person_stated_stays(days, memory):
    made = therapist(days)
    days.run(everyday.relate("default", "burnout", "Dr. Lang", "evokes"))
    message = "Dr. Lang called"
    memory.run(calls.entities.observe("chat", "1", "user", message))
    forget(days, made)
    assert relations(days, "burnout") == ["burnout evokes Dr. Lang"]
    assert "Dr. Lang" in days.recall("What about Dr. Lang?")


def test_associations_of_replaced_memories_are_told_no_more(days, memory):
    old, new = moved(days)
    assert relations(days, "Clara") == ["Clara evokes Berlin"]
    assert "Munich" not in days.recall("Where does Clara live?")
    forget(days, new)
    assert relations(days, "Clara") == ["Clara evokes Munich"]
    restore(days, new)
    assert relations(days, "Clara") == ["Clara evokes Berlin"]
    forget(days, old)
    forget(days, new)
    assert is_silent(days, "Clara", "Munich", "Berlin")


def test_a_correction_of_the_same_names_keeps_their_association(days, memory):
    old = days.remember("Clara sees the dentist on Monday", ["Clara", "dentist"])["id"]
    days.remember("Clara sees the dentist on Friday", ["Clara", "dentist"], replaces=old)
    assert relations(days, "Clara") == ["Clara evokes dentist"]
    evoking = [one for one in memory.records() if one.get("type") == "evokes"]
    assert [one["weight"] for one in evoking] == pytest.approx([0.4, 0.4])


def test_what_rests_on_a_memory_goes_through_an_export(days, memory):
    made = therapist(days)
    _, new = moved(days)
    forget(days, made)
    records = memory.records()
    memory.empty()
    memory.import_rows(records)
    assert memory.records() == records
    assert is_silent(days, *QUESTIONS)
    assert relations(days, "Clara") == ["Clara evokes Berlin"]
    restore(days, made)
    assert relations(days, "burnout") == ["burnout evokes Dr. Lang"]
    forget(days, new)
    assert relations(days, "Clara") == ["Clara evokes Munich"]


def test_nobody_else_loses_what_one_user_forgets(days):
    made = therapist(days)
    text = "Bob is seeing the therapist Dr. Lang"
    days.remember(text, [THERAPIST, "burnout"], user="bob", said=SAID)
    forget(days, made)
    assert "Dr. Lang" in days.recall("Who is my therapist?", user="bob")
    assert is_silent(days, *QUESTIONS)
    with pytest.raises(REFUSALS, match="id: not found"):
        days.run(everyday.forget("bob", made), "bob")


@pytest.mark.parametrize("said", [SAID, None])
def test_purged_nothing_of_it_is_left(days, memory, said):
    _, new = moved(days)
    forget(days, new)
    before = sorted(map(str, memory.records()))
    made = therapist(days, said)
    forget(days, made)
    assert kept(memory, "Lang", "burnout", "therapist")
    assert purge(days, made) == [made]
    assert sorted(map(str, memory.records())) == before
    assert memory.run(calls.transfer.check()) == []
    restore(days, new)
    assert relations(days, "Clara") == ["Clara evokes Berlin"]
    therapist(days, said)
    assert "Dr. Lang" in days.recall("Who is my therapist?")


def test_purging_removes_nothing_that_is_not_hidden(days, memory):
    made = therapist(days)
    before = memory.records()
    assert purge(days, made) == []
    assert memory.records() == before


def test_what_also_rests_on_another_outlives_the_purge(days, memory):
    first = therapist(days)
    text = "Dr. Lang treats the insomnia on Mondays"
    second = days.remember(text, [THERAPIST, "insomnia"], said=f"{text}!")["id"]
    forget(days, first)
    told = days.recall("Who is my therapist?")
    purge(days, first)
    assert not kept(memory, "burnout")
    assert "Dr. Lang" in told
    assert days.recall("Who is my therapist?") == told
    assert relations(days, "insomnia") == ["insomnia evokes Dr. Lang"]
    forget(days, second)
    restore(days, second)
    assert days.recall("Who is my therapist?") == told
    forget(days, second)
    purge(days, second)
    assert not memory.records()


def test_one_of_two_forgotten_leaves_what_the_other_brings_back(days, memory):
    first = therapist(days)
    text = "Dr. Lang treats the insomnia on Mondays"
    second = days.remember(text, [THERAPIST, "insomnia"], said=f"{text}!")["id"]
    forget(days, first)
    forget(days, second)
    purge(days, first)
    assert is_silent(days, *QUESTIONS)
    restore(days, second)
    assert "“Dr. Lang” (therapist)" in days.recall("Who is my therapist?")
    assert not kept(memory, "burnout")
    forget(days, second)
    assert purge(days, first, second) == [second]
    assert not memory.records()


def test_purged_after_it_was_stored_again_it_is_there(days, memory):
    first = therapist(days)
    forget(days, first)
    therapist(days)
    told = days.recall("Who is my therapist?")
    assert purge(days, first) == [first]
    assert days.recall("Who is my therapist?") == told
    assert relations(days, "burnout") == ["burnout evokes Dr. Lang"]


def test_what_a_person_stated_outlives_the_purge(days, memory):
    made = therapist(days)
    days.run(everyday.relate("default", "burnout", "Dr. Lang", "evokes"))
    memory.run(calls.entities.observe("chat", "1", "user", "Dr. Lang called"))
    forget(days, made)
    purge(days, made)
    assert relations(days, "burnout") == ["burnout evokes Dr. Lang"]
    assert "Dr. Lang" in days.recall("What about Dr. Lang?")
    assert not kept(memory, "because of")
    assert memory.run(calls.transfer.check()) == []


def test_whom_the_ledger_names_outlives_the_purge_out_of_sight(days, memory):
    made = therapist(days)
    days.remember("Lena plays chess", [{"name": "Lena", "kind": "friend"}])
    said = "Dr. Lang is Lena"
    assert days.undo(days.identify("Dr. Lang", "Lena", True, said))
    forget(days, made)
    purge(days, made)
    assert not kept(memory, "burnout")
    known = [one for one in memory.records() if one["kind"] == "entity"]
    assert sorted(one["node_label"] for one in known) == ["(purged)", "Lena"]
    assert not kept(memory, "Dr. Lang")
    assert "Dr. Lang" not in days.recall("What about Dr. Lang?")
    assert memory.run(calls.transfer.check()) == []


def test_nobody_else_loses_what_one_user_purges(days, memory):
    made = therapist(days)
    text = "Bob is seeing the therapist Dr. Lang"
    theirs = days.remember(text, [THERAPIST, "burnout"], user="bob", said=SAID)["id"]
    days.run(everyday.forget("bob", theirs), "bob")
    forget(days, made)
    assert purge(days, made, theirs) == [made]
    days.run(calls.memories.restore(theirs), "bob")
    assert "Dr. Lang" in days.recall("Who is my therapist?", user="bob")
    assert all(one.get("user_id", "bob") == "bob" for one in memory.records())
