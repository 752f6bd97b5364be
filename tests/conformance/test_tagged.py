"""Memories listed by tags or types alone: through an index, however many others there are."""

from concept_graph_mcp import calls


def create(memory, content, **given):
    return memory.run(calls.memories.create("default", content, **given))[0]["memory_id"]


def listed(memory, *tags, **filters):
    call = calls.memories.search("default", None, tags=tags, **filters)
    return [row["memory_id"] for row in memory.run(call)]


def test_a_tag_finds_a_memory_at_whichever_place_it_stands(memory):
    tags = [f"t{number}" for number in range(7)]
    first = create(memory, "The kettle is red", tags=tags)
    memory.now_ms += 1
    second = create(memory, "The sofa is blue", tags=["t6", "t1"])
    assert listed(memory, "t0") == [first]
    assert listed(memory, "t1") == listed(memory, "t6") == [second, first]
    assert listed(memory, "t5") == [first]
    assert listed(memory, "t3", "none") == [first]
    assert listed(memory, "none") == []
    assert listed(memory, *tags, "x") == [second, first]


def test_a_tag_finds_what_is_updated_forgotten_restored_and_preserved(memory):
    one = create(memory, "The kettle is red", tags=["old"])
    memory.run(calls.memories.update("default", one, tags=["new"]))
    assert (listed(memory, "old"), listed(memory, "new")) == ([], [one])
    memory.run(calls.memories.preserve(one, "pinned"))
    assert listed(memory, "pinned") == [one]
    memory.run(calls.memories.forget(one))
    assert listed(memory, "new") == []
    memory.run(calls.memories.restore(one))
    assert listed(memory, "new") == listed(memory, "pinned") == [one]
    create(memory, "The kettle is red", tags=["again"])
    assert listed(memory, "again") == [one]
    [kept] = memory.run(calls.everyday.remember("default", "The roof leaks", keep="always"))
    [tag] = next(one["tags"] for one in memory.records() if one.get("id") == kept["id"])
    assert kept["id"] in listed(memory, tag)


def test_a_type_lists_its_own_and_other_filters_hold_too(memory):
    fact = create(memory, "The kettle is red", type="fact", tags=["home"])
    task = create(memory, "Buy a sofa", type="task", tags=["home"], source="research")
    assert listed(memory, types=["fact"]) == [fact]
    assert {*listed(memory, types=["fact", "task"])} == {fact, task}
    assert listed(memory, "home", types=["task"]) == [task]
    assert listed(memory, "home", source_filter="research") == [task]
    assert listed(memory, "home", states=["dormant"]) == []


def test_an_old_memory_is_listed_by_its_tag_among_many(memory):
    old = {
        "kind": "memory",
        "id": "old",
        "user_id": "default",
        "content": "The first",
        "tags": ["rare"],
    }
    rows = [old | {"created_at": 1, "accessed_at": 1}]
    memory.import_rows(
        rows
        + [
            {
                "kind": "memory",
                "id": f"m{number}",
                "user_id": "default",
                "content": f"Note {number}",
            }
            for number in range(30)
        ]
    )
    assert listed(memory, "rare") == ["old"]
