"""Who was two of a name is split, what is over ends, by the user's words; all of it is undone."""

import pytest
from entity_layer import entity
from expect import REFUSALS
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.examples import limit_examples

from concept_graph_mcp import calls


@pytest.fixture
def lena(entities):
    """Lena the daughter in one session, and Lena from the office in another, taken for one."""
    daughter = {**entity("Lena"), "kind": "daughter", "valence": 0.9}
    entities.one("Lena lost a tooth", daughter, session="home")
    entities.days(1)
    row = entities.one("Lena sent the report", {**entity("Lena"), "valence": -0.2}, session="work")
    return row["entity_id"]


def mention_ids(entities, entity_id):
    return {row["session_id"]: row["mention_id"] for row in entities.get(entity_id)["mentions"]}


def fact(entities, entity_id, predicate, value):

    return entities.run(calls.entities.fact(entity_id, predicate, value))[0]["fact_id"]


def everything(entities):
    """Return all records in an order of their own, without the ledger and questions of identity."""
    return sorted(
        str(record)
        for record in entities.memory.records()
        if record["kind"] != "merge"
        and record.get("type") not in ("same_as", "merge_of", "merge_into")
    )


def test_a_split_moves_mentions_and_facts_to_another_one_of_the_name(entities, lena):
    office = fact(entities, lena, "employer", "Acme")
    moved = mention_ids(entities, lena)["work"]
    made = entities.split(lena, [moved, office], said="Lena from the office is someone else")
    assert made["verdict"] == "split"
    other = entities.get(made["entity_id"])
    assert (other["labels"][0], other["identity_status"]) == ("Lena", "distinct")
    assert [row["mention_id"] for row in other["mentions"]] == [moved]
    assert [row["value"] for row in other["facts"]] == ["Acme"]
    assert other["trust_parts"]["user_mentions"] == other["trust_parts"]["user_sessions"] == 1
    assert other["trust_parts"]["emotional_intensity"] == 0.2
    whole = entities.get(lena)
    assert whole["facts"] == []
    assert whole["trust_parts"]["user_mentions"] == whole["trust_parts"]["user_sessions"] == 1
    assert whole["trust_parts"]["emotional_intensity"] == 0.9
    record = next(one for one in entities.records("entity") if one["id"] == made["entity_id"])
    assert record["canonical_name"] == "lena #2"
    assert entities.link(lena, made["entity_id"])[0] == "rejected"
    assert entities.memory.run(calls.transfer.check()) == []


def test_a_split_since_a_time_moves_what_was_told_since(entities, lena):
    made = entities.split(lena, since=entities.memory.now_ms)
    assert list(mention_ids(entities, made["entity_id"])) == ["work"]
    assert list(mention_ids(entities, lena)) == ["home"]


def test_a_split_is_in_the_ledger_and_explained_and_taken_back_leaves_no_trace(entities, lena):
    before = everything(entities)
    made = entities.split(lena, since=entities.memory.now_ms)
    assert everything(entities) != before
    [row] = entities.run(calls.entities.merges())
    assert (row["action"], row["merge_id"], row["source"]) == ("split", made["merge_id"], "Lena")
    assert row["said"] == "That is another Lena"
    assert (row["is_active"], row["is_claim"], row["by"]) == (True, False, "user_correction")
    told = " ".join(one["text"] for one in entities.run(calls.entities.explain(lena)))
    assert "Another Lena was split from Lena by the user" in told
    [whole] = entities.unmerge(made["merge_id"])
    assert whole["entity_id"] == lena
    assert everything(entities) == before
    [row] = entities.run(calls.entities.merges())
    assert not row["is_active"]
    with pytest.raises(REFUSALS, match="was taken back already"):
        entities.unmerge(made["merge_id"])


def test_splits_of_splits_are_taken_back_first_to_last(entities):
    for session in "abcd":
        lena = entities.one("Lena called", "Lena", session=session)["entity_id"]
        entities.days(1)
    told = mention_ids(entities, lena)
    before = everything(entities)
    made = [entities.split(lena, [told[session] for session in "bcd"])]
    made.append(entities.split(made[-1]["entity_id"], [told[session] for session in "cd"]))
    made.append(entities.split(made[-1]["entity_id"], [told["d"]]))
    for one in made:
        entities.unmerge(one["merge_id"])
    assert everything(entities) == before


def test_what_was_said_of_the_other_one_since_counts_as_the_first_ones_again(entities, lena):
    made = entities.split(lena, since=entities.memory.now_ms)
    claim = {**entity("Lena"), "same_as": made["entity_id"]}
    assert entities.one("Lena called", claim, session="more")["entity_id"] == made["entity_id"]
    entities.unmerge(made["merge_id"])
    assert set(mention_ids(entities, lena)) == {"home", "work", "more"}
    assert entities.get(made["entity_id"])["entity_id"] == lena


@pytest.mark.parametrize("said", [None, "My colleague is someone else"])
def test_without_the_users_words_everything_is_only_a_claim(entities, lena, said):
    other = entities.one("Leni", {**entity("Leni"), "type": "topic"})["entity_id"]
    before = everything(entities)
    moved = [mention_ids(entities, lena)["work"]]
    for call in (
        calls.entities.split(lena, moved, None, said=said, reason="two"),
        calls.entities.end(lena, said, "over"),
        calls.entities.merge(other, lena, "one", "user_correction", said),
    ):
        for _ in range(2):
            [row] = entities.run(call)
            assert (row["verdict"], row["merge_id"]) == ("candidate", None)
            assert "said" in row["reason"]
    kept = [one for one in everything(entities) if "'Leni'" not in one]
    # But for what is in question from now on.
    before = [one.replace("'provisional'", "'ambiguous'") for one in before if "'Leni'" not in one]
    assert [one.replace("'provisional'", "'ambiguous'") for one in kept] == before
    claims = entities.run(calls.entities.merges())
    assert sorted(row["action"] for row in claims) == ["end", "split"]
    assert all(row["is_claim"] and not row["is_active"] for row in claims)
    [tie] = [one for one in entities.ties("same_as") if one["evidence"] == "one"]
    assert tie["status"] == "candidate"
    told = " ".join(one["text"] for one in entities.run(calls.entities.explain(lena)))
    assert "Only claimed, not done" in told
    with pytest.raises(REFUSALS, match="is only a claim"):
        entities.unmerge(claims[0]["merge_id"])


def test_a_merge_is_the_systems_unless_it_is_said_to_be_the_users(entities, lena):
    leni = entities.one("Leni slept", "Leni")["entity_id"]
    with pytest.raises(REFUSALS, match="pass by user_correction, and these words as said"):
        entities.run(calls.entities.merge(leni, lena, "one"))
    verdict, _ = entities.link(leni, lena, None)
    assert verdict == "candidate"
    call = calls.entities.link(leni, lena, None, "one", "user", said="Leni is my Lena")
    [row] = entities.run(call)
    assert (row["verdict"], row["reason"]) == ("merged", "the user said so")
    assert entities.get(leni)["entity_id"] == lena
    assert [one["entity_id"] for one in entities.unmerge(row["merge_id"])] == [leni, lena]


def test_what_only_a_model_mentioned_is_what_it_was_before_a_merge(entities, lena):
    guess = entities.one("Perhaps Lenny", "Lenny", speaker="model")["entity_id"]
    status = entities.record("Lenny")["identity_status"]
    assert status in ("provisional", "ambiguous")
    entities.unmerge(entities.merge(guess, lena))
    assert entities.record("Lenny")["identity_status"] == status


def test_what_ended_is_over_and_its_name_means_it_until_another_is_told_of(entities, lena):
    entities.days(1)
    done = entities.close(lena, said="Lena moved away, we won't meet again")
    assert (done["verdict"], done["valid_until"]) == ("ended", entities.memory.now_ms)
    assert entities.get(lena)["valid_until"] == entities.memory.now_ms
    told = " ".join(one["text"] for one in entities.run(calls.entities.explain(lena)))
    assert "Lena was ended by the user" in told
    assert "It is over since" in told
    assert entities.one("I dreamt of Lena", "Lena", session="dream")["entity_id"] == lena
    row = entities.one("A new Lena starts on Monday", "Lena", session="new")
    assert row["created"]
    assert [one["entity_id"] for one in row["candidates"]] == [lena]
    later = entities.one("Lena is late", "Lena", session="late")
    assert later["entity_id"] == row["entity_id"]
    with pytest.raises(REFUSALS, match="has ended already"):
        entities.close(lena)
    entities.unmerge(done["merge_id"])
    assert entities.get(lena)["valid_until"] is None


@pytest.mark.parametrize(("dead", "alive"), [("Lena", "Tom"), ("Tom", "Lena")])
def test_an_end_stays_with_whom_the_user_named_when_a_merge_is_taken_back(
    entities, lena, dead, alive
):
    tom = entities.one("Tom slept", "Tom")["entity_id"]
    merge_id = entities.merge(tom, lena)
    done = entities.close(lena, until=5, said=f"{dead} died")
    entities.unmerge(merge_id)
    ends = {one["node_label"]: one.get("valid_until") for one in entities.records("entity")}
    assert ends == {dead: 5, alive: None}
    other = entities.close(entities.record(alive)["id"], until=7)
    entities.unmerge(done["merge_id"])
    ends = {one["node_label"]: one.get("valid_until") for one in entities.records("entity")}
    assert ends == {dead: None, alive: 7}
    entities.unmerge(other["merge_id"])
    assert not any("valid_until" in one for one in entities.records("entity"))


def test_all_that_was_merged_ends_and_goes_on_together(entities, lena):
    leni = entities.one("Leni slept", "Leni")["entity_id"]
    entities.merge(leni, lena)
    done = entities.close(leni, until=5)
    ended = {one["node_label"]: one.get("valid_until") for one in entities.records("entity")}
    assert ended == {"Lena": 5, "Leni": 5}
    entities.unmerge(done["merge_id"])
    assert not any("valid_until" in one for one in entities.records("entity"))


def test_what_cannot_be_split_is_refused(entities, lena):
    ids = list(mention_ids(entities, lena).values())
    for wrong, message in (
        (lambda: entities.split(lena, ids), "leave it one at least"),
        (lambda: entities.split(lena, ["nosuch"]), 'no mention or fact of this entity: "nosuch"'),
        (lambda: entities.split(lena, since=9_000_000_000_000), "none of its mentions would move"),
        (lambda: entities.split(lena), "give mention_ids or since"),
        (lambda: entities.split(lena, ids[:1], since=1), "give mention_ids or since"),
        (lambda: entities.run(calls.entities.end("nosuch", "it", "so")), "not found"),
    ):
        with pytest.raises(REFUSALS, match=message):
            wrong()
    for call in (
        calls.entities.split(lena, ids[:1], None, said="Lena", reason="mine"),
        calls.entities.end(lena, "Lena", "mine"),
    ):
        with pytest.raises(REFUSALS, match="not found"):
            entities.run(call, user_id="bob")


def test_the_ledger_comes_back_from_its_records_and_is_still_undone(entities, lena, portal):
    made = entities.split(lena, since=entities.memory.now_ms)
    ended = entities.close(made["entity_id"])
    records = entities.memory.records()
    portal.call(entities.memory.store.restore, None)
    entities.memory.import_rows(records)
    assert sorted(map(str, entities.memory.records())) == sorted(map(str, records))
    entities.unmerge(ended["merge_id"])
    entities.unmerge(made["merge_id"])
    assert set(mention_ids(entities, lena)) == {"home", "work"}
    assert len(entities.records("entity")) == 1


STEPS = st.lists(
    st.tuples(st.sampled_from(("merge", "split", "end", "undo")), st.integers(0, 9)), max_size=14
)


@settings(
    max_examples=limit_examples(15), suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(steps=STEPS, last_first=st.booleans())
def test_whatever_was_done_all_undone_is_the_start(entities, steps, last_first):
    """Merges, splits and ends in any order, taken back in any order (anti-pattern 4)."""
    for session in range(3):
        text = "Max, Rex, Ben"
        dogs = [{**entity(name), "valence": session / 4} for name in ("Max", "Rex", "Ben")]
        entities.observe(text, *dogs, session=f"s{session}", message="m")
        entities.days(1)
    start = everything(entities)
    done = []
    for what, number in steps:
        if what == "undo" and done:
            entities.unmerge(done.pop(number % len(done)))
            continue
        known = entities.records("entity")
        one, other = known[number % len(known)]["id"], known[(number * 7 + 1) % len(known)]["id"]
        try:
            if what == "merge":
                done.append(entities.merge(one, other))
            elif what == "split":
                [*_, first] = entities.get(one)["mentions"]
                done.append(entities.split(one, [first["mention_id"]])["merge_id"])
            elif what == "end":
                done.append(entities.close(one)["merge_id"])
        except (*REFUSALS, ValueError):
            # One already, over already, or nothing to move.
            continue
    while done:
        entities.unmerge(done.pop(-1 if last_first else 0))
    assert without_status(everything(entities)) == without_status(start)


def without_status(records):
    """Leave out the status: what was merged is distinct once it is taken back."""
    words = ("distinct", "provisional", "ambiguous")
    for word in words:
        records = [one.replace(f"'{word}'", "'?'") for one in records]
    return sorted(records)
