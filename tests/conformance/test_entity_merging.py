"""Merging is soft: two entities count as one, nothing of either is touched, and it is undone."""

import pytest
from entity_layer import entity
from expect import REFUSALS
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from nights import node
from tests.examples import limit_examples

from concept_graph_mcp import calls


@pytest.fixture
def dogs(entities):
    """Three dogs and a shoe, mentioned in one session."""
    text = "Max, the puppy and Rex chewed my shoe"
    rows = entities.observe(text, "Max", "puppy", "Rex", "shoe")["entities"]
    entities.end()
    return {row["label"]: row["entity_id"] for row in rows}


def test_a_merged_entity_is_found_and_read_as_the_other(entities, dogs):
    merge_id = entities.merge(dogs["puppy"], dogs["Max"])
    [found] = entities.search("puppy")
    assert (found["entity_id"], found["label"]) == (dogs["Max"], "Max")
    for asked in (dogs["puppy"], dogs["Max"]):
        whole = entities.get(asked)
        assert whole["entity_id"] == dogs["Max"]
        assert whole["labels"] == ["Max", "puppy"]
        assert whole["trust_parts"]["user_mentions"] == 2
        assert [row["merge_id"] for row in whole["merges"]] == [merge_id]
    assert entities.record("puppy")["canonical_node_id"] == dogs["Max"]
    assert entities.record("puppy")["identity_status"] == "merged"


def test_a_label_of_a_member_is_observed_as_the_canonical_one(entities, dogs):
    entities.merge(dogs["puppy"], dogs["Max"])
    row = entities.one("the puppy", "puppy", session="later")
    assert (row["entity_id"], row["label"], row["created"]) == (dogs["Max"], "Max", False)
    # It still is a mention of the puppy, should that be taken back.
    assert entities.record("puppy")["user_mention_count"] == 2
    assert entities.record("Max")["user_mention_count"] == 1


def test_the_ledger_keeps_who_merged_what_and_why(entities, dogs):
    merge_id = entities.merge(dogs["puppy"], dogs["Max"])
    entities.days(1)
    entities.unmerge(merge_id)
    [entry] = entities.records("merge")
    assert entry["source_node_id"] == dogs["puppy"]
    assert entry["target_node_id"] == dogs["Max"]
    assert (entry["merge_reason"], entry["created_by"]) == ("they are one", "user_correction")
    assert (entry["is_active"], entry["unmerge_reason"]) == (False, "they are two")
    assert entry["unmerged_at"] == entities.memory.now_ms


def test_what_is_taken_back_is_distinct_and_never_proposed_again(entities, dogs):
    separate = entities.unmerge(entities.merge(dogs["puppy"], dogs["Max"]))
    assert [row["labels"] for row in separate] == [["puppy"], ["Max"]]
    record = entities.record("puppy")
    assert record["identity_status"] == "distinct"
    assert "canonical_node_id" not in record
    verdict = entities.link(dogs["puppy"], dogs["Max"], origin="user")
    assert verdict == ("rejected", "a merge of these was taken back")
    claim = {**entity("puppy"), "same_as": dogs["Max"]}
    entities.one("puppy", claim, session="later")
    [tie] = entities.ties("same_as")
    assert tie["status"] == "rejected"


def test_a_merge_in_the_middle_of_a_chain_can_be_taken_back(entities, dogs):
    first = entities.merge(dogs["puppy"], dogs["Max"])
    entities.merge(dogs["Max"], dogs["Rex"])
    assert entities.get(dogs["puppy"])["entity_id"] == dogs["Rex"]
    assert entities.get(dogs["Rex"])["labels"][0] == "Rex"
    separate = entities.unmerge(first)
    assert [row["labels"] for row in separate] == [["puppy"], ["Rex", "Max"]]
    assert entities.get(dogs["puppy"])["labels"] == ["puppy"]


def test_merged_again_it_has_an_entry_of_its_own(entities, dogs):
    first = entities.merge(dogs["puppy"], dogs["Max"])
    entities.unmerge(first)
    second = entities.merge(dogs["puppy"], dogs["Max"])
    assert first != second
    assert entities.get(dogs["puppy"])["labels"] == ["Max", "puppy"]
    assert len(entities.records("merge")) == 2


def test_what_cannot_be_merged_is_refused(entities, dogs):
    merge_id = entities.merge(dogs["puppy"], dogs["Max"])
    for wrong, message in (
        (lambda: entities.merge(dogs["Max"], dogs["puppy"]), "is the same already"),
        (lambda: entities.merge(dogs["Max"], dogs["Max"]), "is the same already"),
        (lambda: entities.merge("nosuch", dogs["Max"]), 'source_id: not found: "nosuch"'),
        (lambda: entities.merge(dogs["Max"], dogs["Rex"], "me"), "by: must be one of"),
        (lambda: entities.merge(dogs["Max"], dogs["Rex"], "system"), "may not merge these"),
        (lambda: entities.unmerge("nosuch"), 'merge_id: not found: "nosuch"'),
    ):
        with pytest.raises(REFUSALS, match=message):
            wrong()
    entities.unmerge(merge_id)
    with pytest.raises(REFUSALS, match="was taken back already"):
        entities.unmerge(merge_id)


def test_another_users_entities_are_not_found(entities, dogs):
    merge_id = entities.merge(dogs["puppy"], dogs["Max"])
    for call in (
        calls.entities.get(dogs["Max"]),
        calls.entities.merge(dogs["Max"], dogs["Rex"], "mine"),
        calls.entities.unmerge(merge_id, "mine"),
        calls.entities.link(dogs["Max"], dogs["Rex"], 1.0, "mine", "user"),
    ):
        with pytest.raises(REFUSALS, match="not found"):
            entities.run(call, user_id="bob")
    assert entities.run(calls.entities.search("Max", user_id="bob"), user_id="bob") == []


# Claims


def test_a_claim_is_a_question_and_its_confidence_counts_for_nothing(entities, dogs):
    verdict, reason = entities.link(dogs["puppy"], dogs["Max"], 1.0)
    assert (verdict, reason) == ("candidate", "its confidence 0.00 is below 0.85")
    [tie] = entities.ties("same_as")
    assert (tie["status"], tie["confidence"]) == ("candidate", 0.0)
    assert tie["evidence"] == "it seems so"
    assert entities.records("merge") == []
    assert entities.record("puppy")["identity_status"] == "ambiguous"


def test_a_claim_that_cannot_be_is_rejected_with_the_reason(entities, dogs):
    rows = entities.observe(
        "Zinc, zinc and mood",
        {**entity("zinc"), "kind": "mineral"},
        {**entity("Zinc Ltd"), "kind": "company"},
        {"label": "zinc", "type": "topic"},
    )["entities"]
    mineral, company, topic = (row["entity_id"] for row in rows)
    assert entities.link(mineral, company)[0] == "rejected"
    assert "of different kinds" in entities.link(mineral, company)[1]
    assert "of different types" in entities.link(mineral, topic)[1]
    assert entities.link(mineral, None)[0] == "rejected"
    # But whether the topic of that very name is the mineral may be asked.
    [tie] = entities.ties("same_as")
    assert ({tie["from"], tie["to"]}, tie["evidence"]) == ({mineral, topic}, "of one name")


def test_only_what_the_user_said_is_merged_and_only_where_all_agrees(entities):
    rows = entities.observe("Anna Smith, Anna Smyth", "Anna Smith", "Anna Smyth")["entities"]
    ends = [row["entity_id"] for row in rows]
    assert entities.link(*ends, origin="user")[0] == "candidate"
    entities.end()
    assert entities.link(*ends, origin="model")[0] == "candidate"
    assert entities.link(*ends, origin="user")[0] == "merged"
    [entry] = entities.records("merge")
    assert entry["created_by"] == "system"
    assert entry["merge_confidence"] == pytest.approx(0.9)
    assert entities.link(*ends)[1] == "they are the same already"


def test_the_system_merges_where_all_agrees_and_says_what_is_missing_elsewhere(entities):
    rows = entities.observe("Anna Smith, Anna Smyth", "Anna Smith", "Anna Smyth")["entities"]
    ends = [row["entity_id"] for row in rows]
    with pytest.raises(REFUSALS, match="no session that has ended mentions both"):
        entities.merge(*ends, by="system")
    entities.end()
    assert entities.merge(*ends, by="system")


# In any order

STEPS = st.lists(st.tuples(st.booleans(), st.integers(0, 6), st.integers(0, 6)), max_size=14)


@pytest.mark.slow
@settings(
    max_examples=limit_examples(12), suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(steps=STEPS)
def test_all_merges_taken_back_leave_everything_as_it_was(entities, steps):
    labels = [f"dog {number}" for number in range(7)]
    rows = entities.observe(", ".join(labels), *labels)["entities"]
    entities.end()
    ids = [row["entity_id"] for row in rows]
    start, before = entities.memory.records(), questions(entities)
    active: list[str] = [row["id"] for row in entities.records("merge") if row["is_active"]]
    assert active == []
    for take_back, one, other in steps:
        if take_back and active:
            entities.unmerge(active.pop(one % len(active)))
        elif entities.get(ids[one])["entity_id"] != entities.get(ids[other])["entity_id"]:
            active.append(entities.merge(ids[one], ids[other]))
    while active:
        entities.unmerge(active.pop(0))
    assert without_traces(entities.memory.records()) == without_traces(start)
    assert before.keys() <= questions(entities).keys()


def questions(entities):
    return {(tie["from"], tie["to"]): tie["status"] for tie in entities.ties("same_as")}


def without_traces(records):
    """Leave out what a merge that was taken back leaves: the ledger, and that the pair are two."""
    kept = []
    for record in records:
        if record["kind"] == "merge" or record.get("type") in ("same_as", "merge_of", "merge_into"):
            continue
        kept.append({key: value for key, value in record.items() if key != "identity_status"})
    return kept


# Kept elsewhere


def test_everything_comes_back_from_its_records(entities, dogs, portal):
    entities.unmerge(entities.merge(dogs["Rex"], dogs["Max"]))
    merge_id = entities.merge(dogs["puppy"], dogs["Max"])
    records = entities.memory.records()
    portal.call(entities.memory.store.restore, None)
    assert entities.memory.records() == []
    entities.memory.import_rows(records)
    assert sorted(map(str, entities.memory.records())) == sorted(map(str, records))
    assert entities.memory.run(calls.transfer.check()) == []
    assert entities.get(dogs["puppy"])["labels"] == ["Max", "puppy"]
    assert entities.one("puppy", "puppy", session="later")["entity_id"] == dogs["Max"]
    assert [row["labels"] for row in entities.unmerge(merge_id)] == [["puppy"], ["Max"]]


# What there is


def test_the_numbers_say_what_there_is_and_what_is_in_question(entities, dogs):
    entities.observe("Perhaps a cat", "cat", speaker="model", session="later")
    entities.link(dogs["puppy"], dogs["Max"])
    entities.unmerge(entities.merge(dogs["Rex"], dogs["Max"]))
    for user, expected in (("default", 5), ("bob", 0)):
        rows = entities.run(calls.entities.stats(), user_id=user)
        assert rows[0] == {"measure": "entities", "value": expected, "note": None}
    told = {row["measure"]: row["value"] for row in entities.run(calls.entities.stats())}
    assert (told["distinct"], told["ambiguous"], told["inferred"]) == (1, 2, 1)
    assert (told["co_occurrence"], told["same_as in question"], told["same_as taken back"]) == (
        6,
        1,
        1,
    )
    notes = {row["measure"]: row["note"] for row in entities.run(calls.entities.stats())}
    assert notes["semantic"] == "none are made by likeness: no entity has an embedding"


def test_an_edge_that_several_of_a_component_have_is_read_as_one_and_explained(entities):
    rows = entities.observe("Max and the puppy see Luna", "Max", "puppy", "Luna")["entities"]
    max_, puppy, luna = (row["entity_id"] for row in rows)
    entities.end()
    for _ in range(2):
        entities.days(1)
        entities.observe("puppy and Luna", "puppy", "Luna", session=f"{entities.memory.now_ms}")
        entities.end(f"{entities.memory.now_ms}")
    entities.merge(puppy, max_)
    whole = entities.get(max_)
    [edge] = [edge for edge in whole["edges"] if edge["type"] == "co_occurrence"]
    assert (edge["label"], edge["strength"]) == ("Luna", 0.875)
    assert whole["trust_parts"]["edge_count"] == 1
    [back] = [edge["entity_id"] for edge in entities.get(luna)["edges"] if edge["weight"] > 0.3]
    assert back == max_


def test_an_edge_of_a_member_is_explained_by_the_id_that_is_shown(entities):
    rows = entities.observe("The puppy sees Luna", "puppy", "Luna")["entities"]
    puppy, luna = (row["entity_id"] for row in rows)
    entities.end()
    max_ = entities.one("Max", "Max", session="t")["entity_id"]
    entities.merge(puppy, max_)
    [edge] = [edge for edge in entities.get(luna)["edges"] if edge["type"] == "co_occurrence"]
    for ends in ((luna, edge["entity_id"]), (edge["entity_id"], luna)):
        told = entities.run(calls.entities.explain(None, *ends, edge["type"]))
        assert "1 reinforcements by the user" in told[1]["text"]


def test_a_search_minds_neither_accents_nor_apostrophes_and_puts_the_very_name_first(entities):
    titles = (
        *("Östlund", "Ruben Östlund", "Ostlund", "O'Brien", "Conan O’Brien", "L'Avion rouge"),
        *("Ёлка", "'"),
    )
    rows = [node(f"t{number}", node_label=one) for number, one in enumerate(titles)]
    entities.memory.import_rows(rows)

    def found(query):
        return [(row["label"], row["score"]) for row in entities.search(query)]

    assert found("ostlund") == [("Ostlund", 1.0), ("Östlund", 0.95), ("Ruben Östlund", 0.8)]
    assert found("ÖSTLUND") == [("Östlund", 1.0), ("Ostlund", 0.95), ("Ruben Östlund", 0.8)]
    assert found("ruben ost")[0] == ("Ruben Östlund", 0.9)
    assert found("obrien") == [("O'Brien", 0.95), ("Conan O’Brien", 0.8)]
    assert found("O’Brien")[0] == ("O'Brien", 0.95)
    assert ("Conan O’Brien", 0.8) in found("brien")
    assert [label for label, _ in found("avion")] == ["L'Avion rouge"]
    assert [label for label, _ in found("елка")] == ["Ёлка"]
    assert found("'") == [("'", 1.0)]


@pytest.mark.parametrize(
    ("label", "queries"),
    [
        ("“Dune”", ["dune", "Dune", "“dune"]),
        ("@alice", ["alice", "@ali"]),
        ("#python 3", ["python", "3"]),
        ("¿Qué?", ["que"]),
        ("「千と千尋」", ["千と"]),
        ("🐶 Max", ["max", "🐶"]),
        ("Max\u200bina", ["maxina", "ina", "max\u200b"]),
        ("\u202eOslo", ["oslo"]),
    ],
)
def test_a_search_minds_neither_what_stands_before_a_word_nor_what_nobody_sees(
    entities, label, queries
):
    entities.observe("Hello", label)
    for query in queries:
        [row] = entities.search(query)
        given = [query, [], 10, False]
        [by_hand] = entities.memory.procedure("entitygraph.search", given, ("score",))
        assert row["score"] == by_hand["score"] >= 0.8


@pytest.mark.slow
def test_a_word_inside_a_label_is_found_however_long_ago_it_was_mentioned(entities):
    later = [node(f"n{number}", last_activated=9) for number in range(2_001)]
    titles = ("The Lord of the Rings", "東京都庁", "Ring")
    rows = [node(f"t{number}", node_label=one) for number, one in enumerate(titles)]
    theirs = node("theirs", user_id="bob", node_label="The Rings")
    entities.memory.import_rows([*later, *rows, theirs])

    def found(query):
        return [row["label"] for row in entities.search(query)]

    assert found("rings") == ["The Lord of the Rings"]
    assert found("lor") == ["The Lord of the Rings"]
    assert found("ring") == ["Ring", "The Lord of the Rings"]
    assert found("京都") == ["東京都庁"]
    assert found("ings") == []


@pytest.mark.parametrize(
    "said",
    [
        "Tom and Karl are NOT the same person",
        "Tom isn’t Karl",
        "Tom und Karl sind nicht dieselben",
        "Tom and Karl are two people",
        "Tom and Karl are different people",
        "Tom is someone else than Karl",
        "Tom ist ein anderer als Karl",
    ],
)
def test_a_denial_merges_nothing(entities, said):
    ids = [entities.one(f"{name} called", name)["entity_id"] for name in ("Tom", "Karl")]
    call = calls.entities.merge(*ids, "the user said so", "user_correction", said)
    [row] = entities.run(call)
    assert (row["verdict"], "denies it" in row["reason"]) == ("candidate", True)
    claim = *ids, None, "the user said so", "user"
    [row] = entities.run(calls.entities.link(*claim, said=said))
    assert (row["verdict"], "denies it" in row["reason"]) == ("candidate", True)
    assert entities.records("merge") == []


@pytest.mark.parametrize(
    "said", ["Tom and Karl are the same", "The two are one: Tom is Karl", "No, Tom is Karl!"]
)
def test_words_that_deny_nothing_merge(entities, said):
    ids = [entities.one(f"{name} called", name)["entity_id"] for name in ("Tom", "Karl")]
    assert entities.merge(*ids, said=said)


def test_a_word_of_denial_in_a_name_denies_nothing(entities):
    ids = [entities.one(f"{name} won", name)["entity_id"] for name in ("Not Today", "Nora")]
    assert entities.merge(*ids)
