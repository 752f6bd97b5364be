"""`memorygraph.neighbourhood`: the memories around some, as they stand now, with their links."""

import pytest
from expect import DAY_MS, REFUSALS, WEEK_MS

from concept_graph_mcp import calls
from memories import MADE_MS, connected, edge, link, node


@pytest.fixture
def linked(memory):
    """Memories linked as a – b – c – d, and a – far, with nothing else's."""
    memory.now_ms = MADE_MS
    memory.import_rows([node(one) for one in ("a", "b", "c", "d", "far", "alone")])
    for source, target, type_, strength in (
        ("a", "b", "supports", 0.9),
        ("c", "b", "causes", 0.6),
        ("c", "d", "relates_to", 0.4),
        ("a", "far", "extends", 0.3),
    ):
        link(memory, source, target, type_, strength)
    return memory


def around(memory, ids, *given, user="default", **context):
    call = calls.memory_links.neighbourhood(ids, *given)
    return memory.run(call, user_id=user, **context)


def ids(rows):
    return [row["memory_id"] for row in rows]


def test_a_row_says_what_a_picture_of_the_memory_needs(linked):
    linked.now_ms += WEEK_MS
    row = around(linked, ["a"], 0)[0]
    assert row == {
        "memory_id": "a",
        "content": "About a",
        "summary": None,
        "metadata": {},
        "source": "conversation",
        "speaker": None,
        "type": None,
        "tags": [],
        "importance": 0.7,
        "confidence": 1.0,
        "access_count": 0,
        "created_at": MADE_MS,
        "accessed_at": MADE_MS,
        "state": "active",
        "decay_score": pytest.approx(0.652676, abs=1e-6),
        "preserved": False,
        "next_state": "dormant",
        "next_state_at": row["next_state_at"],
        "hop": 0,
        "degree": 2,
        "links": [
            {"from": "a", "to": "b", "type": "supports", "strength": 0.45},
            {"from": "a", "to": "far", "type": "extends", "strength": 0.15},
        ],
        "together": [],
    }
    assert row["next_state_at"] > linked.now_ms


def test_the_stronger_links_are_gone_along_first_ring_after_ring(linked):
    rows = around(linked, ["a"], 3)
    assert [(row["memory_id"], row["hop"]) for row in rows] == [
        ("a", 0),
        ("b", 1),
        ("far", 1),
        ("c", 2),
        ("d", 3),
    ]
    assert ids(around(linked, ["d", "a"], 1)) == ["d", "a", "c", "b", "far"]


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 5])
def test_a_limit_cuts_the_order_and_nothing_else(linked, limit):
    rows = around(linked, ["a"], 3, limit)
    assert ids(rows) == ["a", "b", "far", "c", "d"][:limit]
    assert [row["degree"] for row in rows] == [2, 2, 1, 2, 1][:limit]


def test_a_link_is_told_from_both_of_its_ends_in_its_own_direction(linked):
    by_id = {row["memory_id"]: row for row in around(linked, ["b"], 1)}
    told = {"from": "c", "to": "b", "type": "causes", "strength": 0.6}
    assert told in by_id["b"]["links"]
    assert told in by_id["c"]["links"]


def test_tells_the_strongest_link_between_two_memories(linked):
    link(linked, "a", "b", "contradicts", 0.95)
    row = around(linked, ["a"], 0)[0]
    assert (row["degree"], [one["type"] for one in row["links"]]) == (2, ["contradicts", "extends"])


def test_tells_the_strongest_two_hundred_links_of_a_memory(memory):
    memory.now_ms = MADE_MS
    spokes = [f"s{number:03}" for number in range(210)]
    memory.import_rows([node("hub"), *(node(one) for one in spokes)])
    strengths = [{"strength": 0.2 + 0.001 * place} for place in range(len(spokes))]
    rows = [edge("hub", one, **made) for one, made in zip(spokes, strengths, strict=True)]
    memory.import_rows(rows)
    row, *others = around(memory, ["hub"], 1, 1_000)
    assert (row["degree"], len(row["links"])) == (210, 200)
    assert ids(others) == spokes[:9:-1]
    listed = [one["memory_id"] for one in connected(memory, "hub", "both", 0.0, 1_000)]
    assert ids(others) == listed[:200]


def test_it_stands_as_it_would_if_the_worker_had_been_there(linked):
    linked.now_ms += 40 * DAY_MS
    row = around(linked, ["a"], 0)[0]
    [status] = linked.run(calls.memories.decay_status("a"), user_id="default")
    assert row["state"] == "dormant"
    stands = ("state", "decay_score", "next_state", "next_state_at")
    assert [row[name] for name in stands] == [status[name] for name in stands]


def test_nobody_sees_or_passes_what_is_somebody_elses(linked):
    linked.import_rows([node("hers", "bob"), node("his", "bob")])
    link(linked, "hers", "his", user="bob")
    assert ids(around(linked, ["hers"], user="bob")) == ["hers", "his"]
    with pytest.raises(REFUSALS, match=r"^memory: not found: hers$"):
        around(linked, ["a", "hers"])
    with pytest.raises(REFUSALS, match=r"^memory: not found: a$"):
        around(linked, ["a"], user="bob")


def test_what_is_forgotten_is_neither_shown_nor_passed_nor_counted(linked):
    linked.run(calls.memories.forget("b"), user_id="default")
    rows = around(linked, ["a"], 3)
    assert ids(rows) == ["a", "far"]
    assert rows[0]["degree"] == 1
    with pytest.raises(REFUSALS, match=r"^memory: not found: b$"):
        around(linked, ["b"])


def test_looking_back_what_came_later_is_not_there(linked):
    linked.import_rows([node("new", created_at=MADE_MS + 2 * DAY_MS)])
    linked.now_ms = MADE_MS + 3 * DAY_MS
    link(linked, "a", "new", "supports", 1.0)
    assert "new" in ids(around(linked, ["a"], 1))
    until = {"until_ms": MADE_MS + DAY_MS, "until_date": "20250605"}
    rows = around(linked, ["a"], 1, **until)
    assert ids(rows) == ["a", "b", "far"]
    assert rows[0]["degree"] == 2
    with pytest.raises(REFUSALS, match=r"^memory: not found: new$"):
        around(linked, ["new"], **until)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((["a"], 11), "^max_hop: must be between 0 and 10, not 11$"),
        ((["a"], -1), "^max_hop: must be between 0 and 10, not -1$"),
        ((["a"], 1, 0), "^limit: must be between 1 and 1,?000, not 0$"),
        ((["a"], 1, 1_001), "^limit: must be between 1 and 1,?000, not 1001$"),
        ((["a", "nothing"],), "^memory: not found: nothing$"),
        (([" "],), "must not be empty"),
    ],
)
def test_what_cannot_be_drawn_is_refused_in_one_line(linked, given, message):
    with pytest.raises(REFUSALS, match=message):
        around(linked, *given)


def test_around_nothing_there_is_nothing(linked):
    assert around(linked, []) == []
    assert ids(around(linked, ["alone", "alone"])) == ["alone"]


def test_nothing_is_accessed_and_nothing_changes(linked):
    linked.now_ms += 100 * DAY_MS
    before = linked.records()
    around(linked, ["a"], 3)
    assert linked.records() == before


def test_memories_are_found_without_a_look_up(linked):
    name, fields = "memorygraph.neighbourhood", ("memory_id", "hop")
    rows = linked.procedure(name, [["a"], 1, None], fields)
    assert [(row["memory_id"], row["hop"]) for row in rows] == [("a", 0), ("b", 1), ("far", 1)]
