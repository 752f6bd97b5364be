"""Links between memories: made once, strengthened after that, fading until then."""

import threading

import pytest
from expect import DAY_MS, REFUSALS, WEEK_MS

from concept_graph_mcp import calls
from memories import connected, edge, link, links, node


@pytest.fixture
def two(memory):
    """Two memories, "a" and "b", without a link."""
    memory.import_rows([node("a"), node("b")])
    return memory


def test_a_first_link_has_the_strength_that_was_said(two):
    row = link(two, "a", "b", "supports", 0.7)
    assert row == {"from": "a", "to": "b", "type": "supports", "strength": 0.7, "created": True}
    [record] = links(two)
    assert record["strength"] == 0.7
    assert record["created_at"] == record["last_strengthened"] == two.now_ms


def test_a_link_of_which_nothing_is_said_relates_with_half_the_strength(two):
    row = link(two, "a", "b")
    assert (row["type"], row["strength"]) == ("relates_to", 0.5)


def test_a_link_that_exists_gets_more_than_what_is_left_of_it(two):
    link(two, "a", "b", "supports", 0.8)
    two.now_ms += WEEK_MS
    row = link(two, "a", "b", "supports", None, 0.25)
    assert (row["strength"], row["created"]) == (0.65, False)
    [record] = links(two)
    assert record["strength"] == pytest.approx(0.65, abs=1e-12)
    assert record["last_strengthened"] == two.now_ms
    assert record["created_at"] == two.now_ms - WEEK_MS


def test_a_link_that_is_stated_again_has_half_the_strength_at_least(two):
    link(two, "a", "b", "supports", 0.8)
    two.now_ms += 10 * WEEK_MS
    assert link(two, "a", "b", "supports")["strength"] == 0.5


def test_a_strength_that_is_given_is_what_the_link_has_then(two):
    link(two, "a", "b", "supports", 0.8)
    for strength in (0.3, 0.9):
        row = link(two, "a", "b", "supports", strength)
        assert (row["strength"], row["created"]) == (strength, False)
        assert links(two)[0]["strength"] == strength
    two.now_ms += WEEK_MS
    assert link(two, "a", "b", "supports", 0.9)["strength"] == 0.9


def test_a_link_lasts_longer_for_each_day_on_which_it_is_stated_again(two):
    link(two, "a", "b", "supports", 0.8)
    two.now_ms += 60_000
    link(two, "a", "b", "supports", 0.8)
    assert "strengthened_days" not in links(two)[0] or not links(two)[0]["strengthened_days"]
    two.now_ms += DAY_MS
    for _ in range(3):
        link(two, "a", "b", "supports", 0.8)
    assert links(two)[0]["strengthened_days"] == 1
    two.now_ms += 2 * WEEK_MS
    assert connected(two, "a")[0]["strength"] == 0.4
    for _ in range(15):
        link(two, "a", "b", "supports", 0.8)
        two.now_ms += WEEK_MS
    assert links(two)[0]["strengthened_days"] == 12
    two.now_ms += 12 * WEEK_MS
    assert connected(two, "a")[0]["strength"] == 0.4
    # What is weakened was not used.
    link(two, "a", "b", "supports", 0.2)
    assert links(two)[0]["strengthened_days"] == 12


@pytest.mark.slow
def test_a_link_that_is_used_every_week_stays_in_sight(two):
    link(two, "a", "b", "supports")
    seen = 0
    for day in range(2 * 364):
        two.now_ms += DAY_MS
        if day % 7 == 6:
            link(two, "a", "b", "supports")
        seen += bool(connected(two, "a", "both", 0.2))
    assert seen == 2 * 364


def test_days_of_use_are_exported_and_imported_and_old_links_have_none(two):
    two.import_rows([edge("a", "b", strength=0.8, last_strengthened=two.now_ms - WEEK_MS)])
    assert connected(two, "a")[0]["strength"] == 0.4
    link(two, "a", "b", "relates_to", 0.8)
    [record] = links(two)
    assert record["strengthened_days"] == 1
    two.empty()
    two.import_rows([node("a"), node("b"), record])
    assert links(two) == [record]
    two.now_ms += 2 * WEEK_MS
    assert connected(two, "a")[0]["strength"] == 0.4


def test_a_strength_of_nothing_takes_a_link_away_and_its_owner_brings_it_back(two):
    link(two, "a", "b", "supports", 0.8)
    link(two, "a", "b", "extends", 0.6)
    row = link(two, "a", "b", "supports", 0)
    assert row == {"from": "a", "to": "b", "type": "supports", "strength": 0.0, "created": False}
    assert [one["type"] for one in links(two)] == ["extends"]
    assert [one["relation"] for one in connected(two, "a", "both", 0)] == ["extends"]
    # Exported with its memory, and brought back from there.
    kept = two.records()
    two.empty()
    two.import_rows(kept)
    two.now_ms += WEEK_MS
    [row] = two.run(calls.memories.relink("a", "b", "supports"))
    assert (row["strength"], row["restored"]) == (0.8, True)
    assert {one["type"] for one in links(two)} == {"extends", "supports"}
    assert "unlinked" not in next(one for one in two.records() if one.get("id") == "a")["metadata"]
    assert two.run(calls.memories.relink("a", "b", "supports"))[0]["restored"] is False


def test_what_was_never_linked_is_neither_taken_away_nor_brought_back(two):
    with pytest.raises(REFUSALS, match=r"^link: no supports link leads from source_id to target"):
        link(two, "a", "b", "supports", 0)
    with pytest.raises(REFUSALS, match=r"^link: no supports link between these memories was taken"):
        two.run(calls.memories.relink("a", "b", "supports"))
    link(two, "a", "b", "supports", 0.8)
    for _ in range(2):
        # The second time is no mistake.
        row = link(two, "a", "b", "supports", 0)
        assert (row["strength"], row["created"]) == (0.0, False)
    # What is linked anew is as good as new, and the note is void.
    row = link(two, "a", "b", "supports")
    assert (row["strength"], row["created"]) == (0.5, True)
    assert all(not one.get("metadata") for one in two.records() if one["kind"] == "memory")


def test_no_link_is_stronger_than_one(two):
    link(two, "a", "b", "supports", 0.95)
    assert link(two, "a", "b", "supports")["strength"] == 1.0
    assert link(two, "a", "b", "supports", None, 1)["strength"] == 1.0


def test_links_of_another_type_or_the_other_way_are_others(two):
    assert link(two, "a", "b", "supports")["created"]
    assert link(two, "a", "b", "extends")["created"]
    assert link(two, "b", "a", "supports")["created"]
    assert len(links(two)) == 3


@pytest.mark.parametrize(
    ("said", "meant"),
    [("related", "relates_to"), ("causal", "causes"), ("temporal", "precedes"), ("PART_OF", None)],
)
def test_types_have_other_names_too(two, said, meant):
    meant = meant or said.lower()
    assert link(two, "a", "b", said)["type"] == meant
    assert not link(two, "a", "b", meant)["created"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("a", "a"), '^link: tautology: source_id and target_id are both "a"$'),
        (("a", "c"), "^memory: not found: c$"),
        (("c", "b"), "^memory: not found: c$"),
        (("a", "b", "likes"), "^type: must be one of references, contradicts"),
        (("a", "b", "supports", -0.1), "^strength: must be between 0 and 1"),
        (("a", "b", "supports", 1.5), "^strength: must be between 0 and 1"),
        (("a", "b", "supports", 0.5, -0.1), "^amount: must be between 0 and 1"),
    ],
)
def test_what_cannot_be_linked_is_refused_in_one_line(two, arguments, message):
    with pytest.raises(REFUSALS, match=message):
        link(two, *arguments)
    assert links(two) == []


def test_nothing_is_linked_to_another_scope_or_to_what_is_forgotten(memory):
    gone = node("gone", deleted_at=memory.now_ms)
    memory.import_rows([node("a"), node("theirs", user="bob"), gone])
    for ends in (("a", "theirs"), ("theirs", "a"), ("a", "gone"), ("gone", "a")):
        strange = next(end for end in ends if end != "a")
        with pytest.raises(REFUSALS, match=f"^memory: not found: {strange}$"):
            link(memory, *ends)
    assert links(memory) == []


def test_two_clients_that_make_the_same_link_at_once_make_one(two, portal):
    call = calls.memories.link("a", "b", "supports")
    start = threading.Barrier(4)
    rows = []

    def client():
        start.wait()
        rows.append(two.run(call)[0])

    threads = [threading.Thread(target=client) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(row["created"] for row in rows) == [False, False, False, True]
    [record] = links(two)
    assert record["strength"] == pytest.approx(0.8)


def test_a_link_as_weak_as_can_be_is_exported_as_it_is(two):
    link(two, "a", "b", "supports", 1e-12)
    [record] = links(two)
    assert record["strength"] == 1e-12
    assert two.import_rows([record])["relations_existing"] == 1


def test_parallel_links_of_a_hand_count_as_the_strongest_of_them(memory, hands):
    ends = [
        hands.node("Memory", id=name, user_id="default", content=name, name=name) for name in "ab"
    ]
    for strength in (0.3, 0.6):
        hands.edge(
            *ends, "SUPPORTS", strength=strength, created_at=1, last_strengthened=memory.now_ms
        )
    assert link(memory, "a", "b", "supports")["strength"] == 0.7
    [row] = connected(memory, "a")
    assert row["strength"] == 0.7


def test_connected_memories_come_by_strength_then_age_then_id(memory):
    before = memory.now_ms - 2 * WEEK_MS
    memory.import_rows(
        [
            node("hub"),
            *(node(name) for name in ("d", "c", "weak")),
            node("old", created_at=1),
            edge("hub", "d", strength=0.5, last_strengthened=memory.now_ms),
            edge("c", "hub", "causes", strength=0.5, last_strengthened=memory.now_ms),
            edge("old", "hub", strength=0.5, last_strengthened=memory.now_ms),
            edge("hub", "weak", strength=0.05, last_strengthened=memory.now_ms),
            # Fades to a quarter.
            edge("hub", "old", "extends", strength=1, last_strengthened=before),
        ]
    )
    rows = connected(memory, "hub")
    shown = [(r["memory_id"], r["relation"], r["direction"], r["strength"]) for r in rows]
    assert shown == [
        ("old", "relates_to", "incoming", 0.5),
        ("c", "causes", "incoming", 0.5),
        ("d", "relates_to", "outgoing", 0.5),
    ]
    assert rows[0]["text"] == "About old"
    rows = connected(memory, "hub", "outgoing", 0)
    shown = [(r["memory_id"], r["relation"], r["strength"]) for r in rows]
    assert shown == [
        ("d", "relates_to", 0.5),
        ("old", "extends", 0.25),
        ("weak", "relates_to", 0.05),
    ]
    [row] = connected(memory, "hub", "both", 0.1, 1)
    assert (row["memory_id"], row["total"]) == ("old", 3)


def test_a_link_fades_to_a_tenth_and_no_further(two):
    link(two, "a", "b", "supports", 0.8)
    two.now_ms += 700 * DAY_MS
    [row] = connected(two, "a")
    assert row["strength"] == 0.1
    assert connected(two, "a", "both", 0.11) == []


def test_reading_links_is_no_access(two):
    link(two, "a", "b")
    before = two.records()
    connected(two, "a")
    assert two.records() == before


def test_what_is_forgotten_or_somebody_else_s_is_not_connected(memory, hands):
    """No procedure links across scopes; a hand can."""
    ids = {
        name: hands.node("Memory", id=name, user_id=user, content=name, name=name, **given)
        for name, user, given in (
            ("a", "ann", {}),
            ("b", "bob", {}),
            ("gone", "ann", {"deleted_at": 1}),
            ("expired", "ann", {"state": "expired"}),
        )
    }
    for name in ("b", "gone", "expired"):
        hands.edge(ids["a"], ids[name], "SUPPORTS", strength=1.0)
    assert connected(memory, "a", user="ann") == []
    with pytest.raises(REFUSALS, match=r"^memory: not found: b$"):
        connected(memory, "b", user="ann")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("sideways",), "^direction: must be one of both, outgoing, incoming$"),
        (("both", 2), "^min_weight: must be between 0 and 1"),
        (("both", 0.1, 0), "^limit: must be between 1 and 1000"),
    ],
)
def test_wrong_ways_to_ask_are_refused(two, given, message):
    with pytest.raises(REFUSALS, match=message):
        connected(two, "a", *given)
