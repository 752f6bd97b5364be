"""Memories made and read: what is kept, how present it is, and whose it is."""

import math
from uuid import UUID

import pytest
from expect import DAY_MS, REFUSALS

from concept_graph_mcp import calls
from memories import node


def create(memory, content, user="default", **given):
    return memory.run(calls.memories.create(user, content, **given), user_id=user)[0]


def get(memory, memory_id, user="default"):
    return memory.run(calls.memories.get(memory_id), user_id=user)[0]


def test_a_memory_comes_back_as_it_was_told(memory):
    made = create(
        memory,
        "Daniele moved to Turin\nin May",
        source="research",
        summary="He moved",
        tags=["home", "home", "news"],
        type="fact",
        importance=1,
        confidence=0.5,
        concepts=["Daniele", "move"],
        metadata={"seen": {"times": 3, "where": ["chat", None]}, "sure": True},
    )
    assert made["state"] == "active"
    assert made["decay_score"] == 0.5
    assert list(made["concepts"]) == ["Daniele", "move"]
    row = get(memory, made["memory_id"])
    assert row == {
        "memory_id": made["memory_id"],
        "content": "Daniele moved to Turin\nin May",
        "summary": "He moved",
        "source": "research",
        "speaker": None,
        "type": "fact",
        "tags": ["home", "news"],
        "importance": 1.0,
        "confidence": 0.5,
        "access_count": 1,
        "created_at": memory.now_ms,
        "accessed_at": memory.now_ms,
        "state": "active",
        "decay_score": round(0.5 * (1 + 0.1 * 0.6931471805599453), 6),
        "preserved": False,
        "parent_id": None,
        "concepts": ["Daniele", "move"],
        "metadata": {"seen": {"times": 3, "where": ["chat"]}, "sure": True},
        "decay_rate": None,
        "contradicted_by": None,
    }


@pytest.mark.slow
def test_ids_are_uuids_in_the_order_in_which_memories_were_kept(memory):
    # Also those of one moment.
    ids = [create(memory, f"Note {number}")["memory_id"] for number in range(20)]
    memory.now_ms += 1
    ids.append(create(memory, "A moment later")["memory_id"])
    assert ids == sorted(set(ids))
    assert {str(UUID(one)) == one and UUID(one).version for one in ids} == {7}


def test_a_memory_without_more_than_its_content_is_active_by_its_importance(memory):
    made = create(memory, "Prefers tea")
    assert (made["state"], made["decay_score"]) == ("active", 0.7)


def test_an_access_counts_and_makes_present_again(memory):
    made = create(memory, "Prefers tea")
    memory.now_ms += 100 * DAY_MS
    row = get(memory, made["memory_id"])
    assert (row["access_count"], row["accessed_at"]) == (1, memory.now_ms)
    assert row["decay_score"] == round(0.7 + 0.1 * 0.6931471805599453, 6)


def test_a_memory_has_a_parent_that_is_there(memory):
    parent = create(memory, "The move")["memory_id"]
    made = create(memory, "The boxes", parent_id=parent)
    assert get(memory, made["memory_id"])["parent_id"] == parent
    with pytest.raises(REFUSALS, match=r"^memory: not found: nobody$"):
        create(memory, "The van", parent_id="nobody")


def test_another_scope_s_memory_is_not_found_as_if_it_were_not(memory):
    made = create(memory, "A secret", user="ann")
    with pytest.raises(REFUSALS, match=rf"^memory: not found: {made['memory_id']}$"):
        get(memory, made["memory_id"], user="bob")
    with pytest.raises(REFUSALS, match=rf"^memory: not found: {made['memory_id']}$"):
        create(memory, "Mine now", user="bob", parent_id=made["memory_id"])
    assert get(memory, made["memory_id"], user="ann")["content"] == "A secret"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"content": " "}, "content: must not be empty"),
        ({"content": "a\0b"}, "content: must not contain a NUL"),
        ({"content": "x" * 100_001}, "content: 100001 characters are too long"),
        ({"importance": 1.5}, "importance: must be between 0 and 1"),
        ({"tags": [""]}, "tags: must not be empty"),
        ({"metadata": {"at": float("nan")}}, "metadata: must hold"),
        ({"metadata": {"deep": [[[[[[[[[1]]]]]]]]]}}, "metadata: at most"),
    ],
)
def test_what_cannot_be_kept_is_refused_in_one_line(memory, given, message):
    with pytest.raises(REFUSALS, match=message):
        create(memory, **{"content": "tea", **given})
    assert [r for r in memory.records() if r["kind"] == "memory"] == []


def test_memories_are_exported_imported_and_counted(memory):
    create(memory, "Prefers tea", concepts=["tea"], metadata={"a": 1})
    records = memory.records()
    assert [record["kind"] for record in records] == ["memory"]
    assert memory.import_rows(records)["nodes_existing"] == 1
    assert memory.records() == records
    assert memory.stats()["memories"] == 1
    assert memory.run(calls.transfer.check()) == []


def test_a_record_moves_no_memory_to_another_user_and_no_link_joins_two(memory):
    ann = create(memory, "hers", user="ann")["memory_id"]
    bob = create(memory, "his", user="bob")["memory_id"]
    before = memory.records()
    moved = {"kind": "memory", "id": ann, "user_id": "bob", "content": "his now"}
    with pytest.raises(REFUSALS, match="row 0: memory: user_id is ann here, not bob"):
        memory.import_rows([moved])
    link = {"kind": "link", "from": ann, "to": bob, "type": "supports"}
    with pytest.raises(REFUSALS, match="row 0: link: from and to are not of the same user"):
        memory.import_rows([link])
    assert memory.records() == before


def test_links_are_records_too(memory):
    one, two = (create(memory, content)["memory_id"] for content in ("one", "two"))
    link = {"kind": "link", "from": one, "to": two, "type": "caused_by"}
    assert memory.import_rows([link])["relations_created"] == 1
    at = {"created_at": memory.now_ms, "last_strengthened": memory.now_ms}
    [record] = [record for record in memory.records() if record["kind"] == "link"]
    assert record == link | {"strength": 0.5} | at
    assert memory.import_rows([link])["relations_existing"] == 1
    with pytest.raises(REFUSALS, match="row 0: link: tautology"):
        memory.import_rows([link | {"to": one}])
    with pytest.raises(REFUSALS, match="row 0: type: must be one of references, contradicts"):
        memory.import_rows([link | {"type": "likes"}])


def test_what_a_memory_is_about_is_among_its_words(memory, hands, host):
    create(memory, "She wants to go there", summary="A journey", concepts=["Lisbon", "go"])

    def terms():
        if host == "memgraph":
            return set(hands.value("MATCH (t:Term) RETURN collect(t.name)"))
        return {row["node"].properties["name"] for row in hands.probe("of_label", "Term")}

    assert {"lisbon", "want", "journey"} <= terms()
    assert memory.run(calls.transfer.check()) == []


@pytest.mark.slow
def test_a_corrected_text_has_no_vector_of_the_old_one(memory):
    memory_id = create(memory, "Prefers tea")["memory_id"]
    memory.run(calls.embedding.choose("toy", 3, again=False))
    [row] = memory.run(calls.embedding.lacking(10))
    memory.run(calls.embedding.embed("toy", [row | {"vector": [1.0, 0.0, 0.0]}]))

    def vector():
        [record] = [record for record in memory.records() if record["kind"] == "memory"]
        return record.get("embedding"), record.get("embedding_dimension")

    assert vector() == ([1.0, 0.0, 0.0], 3)
    memory.run(calls.memories.update("default", memory_id, tags=["drinks"]))
    assert vector() == ([1.0, 0.0, 0.0], 3)
    memory.run(calls.memories.update("default", memory_id, content="Prefers coffee"))
    assert vector() == (None, None)
    assert len(memory.run(calls.embedding.lacking(10))) == 1


def test_an_imported_vector_has_its_dimension_whatever_its_record_says(memory):
    memory.run(calls.embedding.choose("toy", 3, again=False))
    record = {"kind": "memory", "id": "tea", "user_id": "default", "content": "Prefers tea"}
    for said in ({}, {"embedding_dimension": 7}):
        memory.import_rows([record | {"embedding": [1.0, 0.0, 0.0]} | said])
        [kept] = [one for one in memory.records() if one["kind"] == "memory"]
        assert (kept["embedding"], kept["embedding_dimension"]) == ([1.0, 0.0, 0.0], 3)


def test_a_copy_brings_the_type_and_the_metadata_that_the_memory_lacks(memory):
    first = create(memory, "The red bike is sold", metadata={"to": "Ann"})
    again = create(memory, "The red bike is sold", type="fact", metadata={"to": "Ben", "for": 90})
    assert again["existing"]
    record = one_record(memory, first["memory_id"])
    assert (record["type"], record["metadata"]) == ("fact", {"to": "Ann", "for": 90})


@pytest.mark.slow
def test_a_copy_brings_the_summary_the_source_and_the_concepts_that_the_memory_lacks(memory):
    first = create(memory, "The red bike is sold", concepts=["bike"])
    given = {"summary": "No velocipede", "source": "research", "concepts": ["garage"]}
    again = create(memory, "The red bike is sold", **given, decay_rate=0.02)
    assert (again["existing"], again["kept"]) == (True, {})
    row = get(memory, first["memory_id"])
    assert (row["summary"], row["source"]) == ("No velocipede", "research")
    assert (list(row["concepts"]), row["decay_rate"]) == (["bike", "garage"], 0.02)
    for word in ("velocipede", "garage", "bike"):
        found = memory.run(calls.memories.search("default", word))
        assert [one["memory_id"] for one in found] == [first["memory_id"]], word
    assert memory.run(calls.transfer.check()) == []


def test_a_copy_says_which_of_two_values_is_kept(memory):
    stored = {"summary": "Sold", "source": "research", "type": "fact", "metadata": {"to": "Ann"}}
    first = create(memory, "The red bike is sold", **stored)
    assert first["kept"] == {}
    given = {"summary": "Gone", "source": "reflection", "type": "event", "metadata": {"to": "Ben"}}
    again = create(memory, "The red bike is sold", **given, confidence=0.5)
    kept = {"summary": "Sold", "source": "research", "type": "fact", "metadata": {"to": "Ann"}}
    assert again["kept"] == kept | {"confidence": 1.0}
    row = get(memory, first["memory_id"])
    assert {name: row[name] for name in kept} == kept
    assert create(memory, "The red bike is sold")["kept"] == {}


def test_a_copy_that_is_remembered_again_is_found_by_its_new_names_and_words(memory):
    for given in ({}, {"about": ["Rosa"], "said": "The old velocipede went to Rosa"}):
        [row] = memory.run(calls.everyday.remember("default", "The red bike is sold", **given))
    assert row["existing"]
    for word in ("Rosa", "velocipede"):
        found = memory.run(calls.memories.search("default", word))
        assert [one["memory_id"] for one in found] == [row["id"]], word
    assert memory.run(calls.transfer.check()) == []


@pytest.mark.slow
@pytest.mark.parametrize("given", [{"concepts": []}, {"concepts": ["Max"]}])
def test_concepts_that_stand_in_the_text_too_are_corrected(memory, given):
    create(memory, "The tea is green", concepts=["Lena"])
    memory_id = create(memory, "Lena moved to Turin", concepts=["Lena"])["memory_id"]
    [row] = memory.run(calls.memories.update("default", memory_id, **given))
    assert list(row["concepts"]) == given["concepts"]
    assert memory.run(calls.transfer.check()) == []


@pytest.mark.slow
def test_a_copy_is_found_among_many_that_share_as_many_of_its_words(memory):
    for number in range(80):
        create(memory, f"I like coffee a lot, said guest {number} in the long queue outside")
    first = create(memory, "I like coffee a lot")
    for number in range(80, 90):
        create(memory, f"I like coffee a lot, said guest {number} in the long queue outside")
    assert create(memory, "I like coffee a lot")["memory_id"] == first["memory_id"]


@pytest.mark.slow
def test_the_same_text_again_is_the_memory_that_is_there(memory):
    first = create(memory, "Mia is allergic to nuts", importance=0.6, tags=["mia"])
    assert (first["existing"], list(first["similar"])) == (False, [])
    memory.now_ms += 60 * DAY_MS
    again = create(memory, "  Mia is\nallergic to  nuts ", importance=0.9, tags=["health"])
    assert (again["memory_id"], again["existing"]) == (first["memory_id"], True)
    assert again["state"] == "active"
    record = one_record(memory, first["memory_id"])
    assert (record["importance_score"], record["access_count"]) == (0.9, 1)
    assert record["content"] == "Mia is allergic to nuts"
    assert record["tags"] == ["mia", "health"]
    # The lesser importance takes nothing away.
    assert create(memory, "Mia is allergic to nuts", importance=0.1)["existing"]
    assert one_record(memory, first["memory_id"])["importance_score"] == 0.9
    # Accents are the same however they are written.
    cafe = create(memory, "Likes the caf\u00e9 there")
    assert create(memory, "Likes the cafe\u0301 there")["memory_id"] == cafe["memory_id"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The password is Tea4two", "The password is tea4two"),
        ("Takes 2⁵ mg of it", "Takes 25 mg of it"),
        ("Mia is allergic to nuts", "Mia is allergic to nuts."),
    ],
)
def test_what_differs_in_anything_but_blanks_is_kept_beside(memory, one, other):
    first = create(memory, one)
    second = create(memory, other)
    assert second["existing"] is False
    assert [row["memory_id"] for row in second["similar"]] == [first["memory_id"]]


@pytest.mark.slow
def test_only_what_is_current_is_the_same(memory):
    texts = ("said in a thread", "forgotten by now", "contradicted later", "kept by another user")
    first = {text: create(memory, text)["memory_id"] for text in texts[1:3]}
    message = {"id": "m", "text": texts[0], "thread": "t", "said_at": memory.now_ms}
    message |= {"speaker": "Ann", "metadata": {}}
    memory.run(calls.memories.ingest("default", [message]))
    memory.run(calls.memories.create("ann", texts[3]), user_id="ann")
    memory.run(calls.memories.forget(first[texts[1]]))
    memory.now_ms += 1
    denial = create(memory, "That was wrong")["memory_id"]
    memory.run(calls.memories.link(denial, first[texts[2]], "contradicts"))
    for text in texts:
        assert create(memory, text)["existing"] is False


def test_what_an_import_brings_twice_stays_twice(memory):
    memory.import_rows([node("a", content="tea at four"), node("b", content="tea at four")])
    assert memory.stats()["memories"] == 2
    # The latest of them is the one that is there.
    assert create(memory, "tea at four")["memory_id"] == "b"


@pytest.mark.slow
def test_what_shares_half_of_its_terms_is_similar(memory):
    first = create(memory, "Anna moved to Turin in May")["memory_id"]
    create(memory, "Berta bought a kettle")
    create(memory, "Anna sings")
    made = create(memory, "Anna moved to Turin in June")
    assert [dict(one) for one in made["similar"]] == [
        {"memory_id": first, "text": "Anna moved to Turin in May"}
    ]
    # One term in common says nothing, be it half of them.
    assert not create(memory, "Anna dances")["similar"]


def test_what_is_similar_and_contradicted_says_so(memory):
    old = create(memory, "Clara is allergic to hazelnuts")["memory_id"]
    memory.now_ms += 1
    new = create(memory, "Clara is allergic to peanuts")["memory_id"]
    memory.run(calls.memories.link(new, old, "contradicts"))
    similar = create(memory, "clara is allergic to hazelnuts, walnuts")["similar"]
    told = {one["memory_id"]: one.get("contradicted_by") for one in similar}
    assert told == {old: new}


@pytest.mark.slow
def test_everything_of_a_memory_can_be_corrected(memory):
    memory_id = create(memory, "Prefers tea", concepts=["drinks"])["memory_id"]
    parent = create(memory, "About Ann")["memory_id"]

    def update(**given):
        return memory.run(calls.memories.update("default", memory_id, **given))[0]

    row = update(concepts=["breakfast"], source="research", parent_id=parent, decay_rate=0.1)
    assert (list(row["concepts"]), row["source"]) == (["breakfast"], "research")
    assert row["parent_id"] == parent
    found = memory.run(calls.memories.search("default", "breakfast"))
    assert [one["memory_id"] for one in found] == [memory_id]
    assert memory.run(calls.memories.search("default", "drinks")) == []
    assert one_record(memory, memory_id)["decay_rate"] == 0.1
    row = update(concepts=[], parent_id="", decay_rate=-1)
    assert (list(row["concepts"]), row["parent_id"]) == ([], None)
    assert "decay_rate" not in one_record(memory, memory_id)
    for given, message in (
        ({"parent_id": memory_id}, "^parent_id: a memory cannot be its own parent$"),
        ({"parent_id": "nobody"}, "^memory: not found: nobody$"),
        ({"decay_rate": 1e9}, "^decay_rate: must be between 0 and"),
        ({"source": " "}, "^source: must not be empty$"),
    ):
        with pytest.raises(REFUSALS, match=message):
            update(**given)
    assert memory.run(calls.transfer.check()) == []


def test_a_memory_fades_at_the_rate_that_it_was_given(memory):
    memory_id = create(memory, "Milk is in the fridge", decay_rate=0.5)["memory_id"]
    memory.now_ms += 4 * DAY_MS
    [row] = memory.run(calls.memories.decay_status(memory_id))
    assert row["decay_score"] == round(0.7 * math.exp(-2), 6)


def test_a_rate_of_its_own_is_told(memory):
    memory_id = create(memory, "Milk is in the fridge", decay_rate=0.5)["memory_id"]
    for call in (calls.memories.get(memory_id), calls.memories.show(memory_id)):
        assert memory.run(call)[0]["decay_rate"] == 0.5
    [row] = memory.run(calls.memories.update("default", memory_id, decay_rate=-1))
    assert row["decay_rate"] is None


def test_a_list_by_tag_needs_no_query(memory):
    for number, tag in enumerate(("home", "work", "home")):
        memory.now_ms += 1
        create(memory, f"note {number}", tags=[tag], source="a" if number else "b")
    for query in (None, ""):
        rows = memory.run(calls.memories.search("default", query, tags=["home"]))
        assert [row["text"] for row in rows] == ["note 2", "note 0"]
        assert (rows[0]["score"], list(rows[0]["matched"]), rows[0]["total"]) == (0.0, [], 2)
    rows = memory.run(calls.memories.search("default", None, source_filter="a", limit=1))
    assert [(row["text"], row["total"]) for row in rows] == [("note 2", 2)]


def one_record(memory, memory_id):
    [record] = [one for one in memory.records() if one.get("id") == memory_id]
    return record
