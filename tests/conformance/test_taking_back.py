"""`import_rows` with an import_id, and `take_back`: what an import created goes, and no more."""

import json

import pytest

from concept_graph_mcp import calls

ROWS = [
    {"kind": "concept", "name": "Bob", "valence": 0.5},
    {"kind": "episode", "name": "20250615/Bob", "summary": "Bob likes green tea"},
    {"kind": "relation", "from": "Bob", "to": "20250615/Bob", "type": "evokes"},
    {"kind": "relation", "from": "Bob", "to": "person", "type": "is-a"},
]


def shown(record):
    return json.dumps(record, sort_keys=True)


def search(memory):
    return memory.run(calls.concepts.associate("green tea"))


@pytest.fixture
def bring(memory):
    def bring(*rows, import_id="file-1"):
        memory.now_ms += 1
        given = {} if import_id is None else {"import_id": import_id}
        [made] = memory.run(calls.transfer.import_rows(rows), **given)
        return made

    return bring


@pytest.fixture
def take_back(memory):
    def take_back(import_id="file-1", **given):
        listed = memory.run(calls.transfer.imports(), **given)
        counts = {"removed": 0, "kept": 0}
        for row in reversed([one for one in listed if one["import_id"] == import_id]):
            [made] = memory.run(calls.transfer.take_back(row["batch"]), **given)
            counts = {name: counts[name] + made[name] for name in counts}
        return counts

    return take_back


def test_what_an_import_created_goes(memory, bring, take_back):
    bring(*ROWS)
    assert search(memory)
    assert take_back() == {"removed": 5, "kept": 0}
    assert memory.records() == []
    assert search(memory) == []
    assert memory.run(calls.transfer.check()) == []
    assert take_back() == {"removed": 0, "kept": 0}


def test_what_was_there_before_stays(memory, bring, take_back):
    memory.relation_add("Bob", "person", "is-a")
    before = memory.records()
    bring({"kind": "concept", "name": "Bob"}, *ROWS[1:])
    assert take_back() == {"removed": 2, "kept": 0}
    assert memory.records() == before


def test_what_something_else_rests_on_by_now_stays(memory, bring, take_back):
    bring(*ROWS)
    memory.relation_add("Bob", "tea", "evokes")
    assert take_back() == {"removed": 4, "kept": 1}
    assert {one["name"] for one in memory.records() if "name" in one} == {"Bob", "tea"}


def test_later_calls_go_first(memory, bring, take_back):
    for row in ROWS:
        bring(row)
    assert [one["records"] for one in memory.run(calls.transfer.imports())] == [1, 1, 1, 2]
    assert take_back() == {"removed": 5, "kept": 0}
    assert memory.records() == []


def test_an_import_that_creates_nothing_leaves_no_trace(memory, bring):
    bring(*ROWS, import_id=None)
    assert memory.run(calls.transfer.imports()) == []
    bring(*ROWS)
    assert memory.run(calls.transfer.imports()) == []


def test_an_export_of_all_layers_comes_and_goes(memory, bring, take_back):
    observed = {"label": "Clara", "type": "entity", "kind": "sister"}
    call = calls.entities.observe("s", "m1", "user", "My sister Clara likes tea", [observed])
    memory.run(call)
    memory.run(calls.everyday.remember("default", "Clara plays chess", ["Clara", "chess"]))
    memory.run(calls.everyday.remember("default", "Clara is back", ["Clara"]))
    exported = memory.records()
    memory.empty()
    bring(*exported)
    assert sorted(map(shown, memory.records())) == sorted(map(shown, exported))
    assert take_back()["kept"] == 0
    assert memory.records() == []
    assert memory.run(calls.transfer.check()) == []


def test_a_memory_takes_with_it_what_was_told_of_it_since(memory, bring, take_back):
    rows = [
        {"kind": "memory", "id": one, "user_id": "default", "content": f"Clara likes {one}"}
        for one in ("tea", "rye")
    ]
    bring(*rows)
    bring({"kind": "link", "from": "tea", "to": "rye", "type": "supports"}, import_id=None)
    assert take_back() == {"removed": 2, "kept": 0}
    assert memory.records() == []
    assert memory.run(calls.transfer.check()) == []


def test_the_imports_of_another_user_stay(memory, bring, take_back):
    bring(*ROWS)
    assert memory.run(calls.transfer.imports(), user_id="ann") == []
    [row] = memory.run(calls.transfer.imports())
    [made] = memory.run(calls.transfer.take_back(row["batch"]), user_id="ann")
    assert made == {"removed": 0, "kept": 0}
    assert take_back()["removed"] == 5


def test_a_note_goes_with_all_that_it_made(memory):
    def remember(text, about, **context):
        return memory.run(calls.everyday.remember("default", text, about), **context)[0]["id"]

    remember("Ben has a bike", ["Ben"])
    before = memory.records()
    note = remember("Clara plays chess", ["Clara", "chess"], import_id="a-1")
    again = remember("Ben has a bike", ["Ben"], import_id="a-1")
    [made] = memory.run(calls.memories.retract("a-1", [note, again]))
    assert made == {"removed": 1, "kept": 0}
    names = {one.get("name") or one.get("node_label") for one in memory.records()}
    assert not names & {"Clara", "chess"}
    assert len(memory.records()) == len(before)
