"""Figures over the memories of one scope and their links."""

import random
from collections import Counter

import pytest
from expect import REFUSALS, WEEK_MS
from plain_links import PlainLinks

from concept_graph_mcp import calls
from memories import edge, node


def stats(memory, user="default"):
    return memory.run(calls.memories.stats(user), user_id=user)[0]


def analysis(memory, *given, user="default"):
    return memory.run(calls.memories.analysis(user, *given), user_id=user)[0]


@pytest.fixture
def five(memory):
    """Four memories of one user around a hub, one of another; a link of 0.8 a week ago."""
    memory.import_rows(
        [
            node("hub", source="research"),
            node("a"),
            # Dormant by now, whatever is stored.
            node("b", importance_score=0.4),
            node("alone"),
            node("gone", deleted_at=1),
            node("bob's", user="bob"),
            edge("hub", "a", "supports", strength=0.8, last_strengthened=memory.now_ms - WEEK_MS),
            edge("hub", "b", "supports", strength=0.6, last_strengthened=memory.now_ms),
            edge("b", "hub", "causes", strength=0.3, last_strengthened=memory.now_ms),
        ]
    )
    return memory


def test_stats_of_nothing_are_zeros(memory):
    assert stats(memory) == {
        "nodes": 0,
        "edges": 0,
        "average_connections": 0.0,
        "by_state": {"active": 0, "dormant": 0, "archived": 0},
        "by_source": {},
        "relations": {},
        "isolated": 0,
    }


def test_stats_count_a_scope_s_memories_and_links_as_of_now(five):
    assert stats(five) == {
        "nodes": 4,
        "edges": 3,
        "average_connections": 1.5,
        "by_state": {"active": 3, "dormant": 1, "archived": 0},
        "by_source": {"conversation": 3, "research": 1},
        "relations": {
            "supports": {"count": 2, "average_strength": 0.5},
            "causes": {"count": 1, "average_strength": 0.3},
        },
        "isolated": 1,
    }
    assert stats(five, "bob")["nodes"] == 1


def test_links_of_a_hand_to_what_is_not_there_are_not_counted(memory, hands):
    ends = {
        name: hands.node("Memory", id=name, user_id=user, content=name, name=name, **given)
        for name, user, given in (
            ("a", "ann", {}),
            ("b", "bob", {}),
            ("gone", "ann", {"deleted_at": 1}),
        )
    }
    for source, target in (("a", "b"), ("b", "a"), ("a", "gone"), ("gone", "a")):
        hands.edge(ends[source], ends[target], "SUPPORTS", strength=1.0)
    counted = stats(memory, "ann")
    assert (counted["nodes"], counted["edges"], counted["isolated"]) == (1, 0, 1)


def test_analysis_tells_how_links_are_distributed(five):
    found = analysis(five, 2)
    assert found["in_degrees"] == [
        {"least": 0, "most": 0, "memories": 1},
        {"least": 1, "most": 1, "memories": 3},
    ]
    assert found["out_degrees"] == [
        {"least": 0, "most": 0, "memories": 2},
        {"least": 1, "most": 1, "memories": 1},
        {"least": 2, "most": 3, "memories": 1},
    ]
    shown = [
        (row["memory_id"], row["connections"], row["incoming"], row["outgoing"])
        for row in found["top_connectors"]
    ]
    assert shown == [("hub", 3, 1, 2), ("b", 2, 1, 1)]
    assert found["top_connectors"][0]["text"] == "About hub"
    assert "type" in found["top_connectors"][0]
    assert found["relations"] == stats(five)["relations"]
    assert found["average_strength"] == pytest.approx((0.4 + 0.6 + 0.3) / 3, abs=1e-6)


def test_analysis_of_nothing_is_empty(memory):
    assert analysis(memory) == {
        "in_degrees": [],
        "out_degrees": [],
        "top_connectors": [],
        "relations": {},
        "average_strength": 0.0,
    }
    with pytest.raises(REFUSALS, match=r"^top: must be between 1 and 100"):
        analysis(memory, 0)


def test_figures_of_random_links_are_those_of_plain_counting(memory):
    chance = random.Random(5)
    names = [f"m{number}" for number in range(30)]
    pairs = {(*chance.sample(names, 2), chance.choice(("causes", "follows"))) for _ in range(80)}
    records = [node(name) for name in names] + [
        edge(*pair, strength=0.4, last_strengthened=memory.now_ms - chance.randrange(WEEK_MS))
        for pair in sorted(pairs)
    ]
    memory.import_rows(records)
    links = PlainLinks(records, memory.now_ms).links
    counted = stats(memory)
    ends = Counter(end for link in links for end in link[:2])
    assert counted["edges"] == len(pairs)
    assert counted["average_connections"] == round(sum(ends.values()) / 30, 6)
    assert counted["isolated"] == len(set(names) - set(ends))
    for name, relation in counted["relations"].items():
        strengths = [strength for *_, type_, strength in links if type_ == name]
        assert relation["count"] == len(strengths)
        assert relation["average_strength"] == pytest.approx(sum(strengths) / len(strengths), 1e-5)
    found = analysis(memory, 100)
    expected = sorted(ends, key=lambda name: (-ends[name], name))
    assert [row["memory_id"] for row in found["top_connectors"]] == expected
    outgoing = Counter(link[0] for link in links)
    for row in found["out_degrees"]:
        within = [n for n in names if row["least"] <= outgoing[n] <= row["most"]]
        assert row["memories"] == len(within)


@pytest.mark.slow
@pytest.mark.parametrize("decay", [{}, {"degree_boost": 0.3, "access_boost": 0.2}])
def test_memories_counted_in_groups_are_counted_as_those_read(memory, hands, decay):
    chance, day_ms = random.Random(7), WEEK_MS // 7

    def properties() -> dict[str, object]:
        return {
            "source": chance.choice(("conversation", "research")),
            "importance_score": chance.choice((0.0, 0.3, 0.7, 1.0)),
            "confidence": chance.choice((0.5, 1.0)),
            "access_count": chance.choice((0, 3)),
            "accessed_at": memory.now_ms - chance.randrange(-10, 400) * day_ms,
            "fades_from": chance.choice((None, None, memory.now_ms - 90 * day_ms)),
            "tags": chance.choice(([], ["pinned"], ["other"])),
            "preserved_until": chance.choice((None, memory.now_ms + 1)),
            "decay_rate": chance.choice((None, 0.0, 0.05)),
            "deleted_at": chance.choice((None, None, None, 1)),
            "lapses_at": chance.choice((None, None, memory.now_ms, memory.now_ms + 1)),
            "state": chance.choice(("active", "active", "archived", "expired")),
        }

    made = [
        node(f"m{number}", **{name: one for name, one in properties().items() if one is not None})
        for number in range(150)
    ]
    pairs = {tuple(chance.sample(range(60), 2)) for _ in range(40)}
    memory.import_rows([*made, *(edge(f"m{one}", f"m{other}") for one, other in sorted(pairs))])
    # No valid value: these count as the defaults.
    hands.node("Memory", id="by hand", user_id="default", content="x", source="research")
    hands.node("Memory", id="odd", user_id="default", content="x", accessed_at="then", tags=3)
    given = {"user_id": "default", "decay": decay}
    [told] = memory.run(calls.memories.stats("default"), **given)
    read = memory.run(calls.memories.recent("default", 200), **given)
    # No list by the last access has those made by hand, which lack it: they are of 1970.
    read += [{"state": "archived", "source": one} for one in ("research", "conversation")]
    assert 50 < len(read) == told["nodes"] < 150
    states = Counter(row["state"] for row in read)
    assert {state: count for state, count in told["by_state"].items() if state != "expired"} == {
        state: states[state] for state in ("active", "dormant", "archived")
    }
    assert told["by_source"] == Counter(row["source"] for row in read)
