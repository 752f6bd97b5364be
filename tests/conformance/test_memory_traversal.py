"""Walks along links: what is reached, in which order, and where they end."""

import random

import pytest
from expect import DAY_MS, REFUSALS, WEEK_MS
from plain_links import PlainLinks

from memories import MADE_MS, edge, explore, node, traverse

TYPES = ("supports", "causes", "relates_to")
FRESH = {
    "max_depth": 3,
    "direction": "both",
    "relation_types": [],
    "types": [],
    "tags": [],
    "min_strength": 0.0,
    "include_parent_links": False,
}


def fresh(memory, *ends, **given):
    """Return a link that has not faded yet."""
    return edge(*ends, **({"strength": 0.5, "last_strengthened": memory.now_ms} | given))


def ids(rows):
    return [row["memory_id"] for row in rows]


@pytest.fixture
def path(memory):
    """a → b → c → d → e, and a weak f that leads to a."""
    memory.import_rows([node(name) for name in "abcdef"])
    pairs = ("ab", "bc", "cd", "de")
    memory.import_rows([fresh(memory, *pair, "causes", strength=0.8) for pair in pairs])
    memory.import_rows([fresh(memory, "f", "a", "supports", strength=0.15)])
    return memory


def test_the_start_comes_first_and_says_no_way(path):
    row = traverse(path, "a", max_depth=0)[0]
    assert row == {
        "memory_id": "a",
        "text": "About a",
        "source": "conversation",
        "speaker": None,
        "type": None,
        "tags": [],
        "state": "active",
        "created_at": MADE_MS,
        "depth": 0,
        "via": None,
        "relation": None,
        "direction": None,
        "strength": None,
        "truncated": None,
    }


def test_each_memory_says_how_it_was_reached(path):
    rows = traverse(path, "b", max_depth=2)
    shown = [
        (r["memory_id"], r["depth"], r["via"], r["relation"], r["direction"], r["strength"])
        for r in rows[1:]
    ]
    assert shown == [
        ("a", 1, "b", "causes", "incoming", 0.8),
        ("c", 1, "b", "causes", "outgoing", 0.8),
        ("d", 2, "c", "causes", "outgoing", 0.8),
        ("f", 2, "a", "supports", "incoming", 0.15),
    ]


def test_filters_say_what_is_returned_and_walked_through(path):
    path.import_rows([node("g", tags=["plan", "home"], type="task"), fresh(path, "a", "g")])
    path.import_rows([node("h", tags=["plan"], type="fact"), fresh(path, "g", "h")])
    path.import_rows([fresh(path, "c", "h")])
    assert ids(traverse(path, "a", tags=["plan"])) == ["a", "g", "h"]
    assert ids(traverse(path, "a", types=["task"])) == ["a", "g"]
    # "h" is a fact, but only "g", a task, leads there.
    assert ids(traverse(path, "a", types=["fact"])) == ["a"]
    assert ids(traverse(path, "a", relation_types=["supports"])) == ["a", "f"]
    assert ids(traverse(path, "a", relation_types=["related"])) == ["a", "g", "h", "c"]
    assert ids(traverse(path, "a", min_strength=0.6)) == ["a", "b", "c", "d"]


@pytest.mark.parametrize("strategy", ["bfs", "dfs"])
def test_a_walk_without_any_time_returns_the_start_and_says_why(path, strategy):
    rows = traverse(path, "a", strategy=strategy, time_budget_ms=0)
    assert [(row["memory_id"], row["truncated"]) for row in rows] == [("a", "time_budget")]
    rows = traverse(path, "a", strategy=strategy, time_budget_ms=600_000)
    assert [row["truncated"] for row in rows] == [None] * 5


@pytest.mark.parametrize("strategy", ["bfs", "dfs"])
def test_no_walk_enters_another_scope_or_what_is_forgotten(memory, hands, strategy):
    """Not even through a link that a hand made."""
    ends = {
        name: hands.node("Memory", id=name, user_id=user, content=name, name=name, **given)
        for name, user, given in (
            ("a", "ann", {}),
            ("bob's", "bob", {"parent_id": "a"}),
            ("gone", "ann", {"deleted_at": 1}),
            ("beyond", "ann", {}),
            ("beside", "ann", {"parent_id": "bob's"}),
        )
    }
    for source, target in (("a", "bob's"), ("bob's", "beyond"), ("a", "gone"), ("gone", "beyond")):
        hands.edge(ends[source], ends[target], "SUPPORTS", strength=1.0)
    rows = traverse(memory, "a", "ann", strategy=strategy, include_parent_links=True)
    assert ids(rows) == ["a"]
    assert ids(explore(memory, "a", user="ann")) == ["a"]
    with pytest.raises(REFUSALS, match=r"^memory: not found: bob's$"):
        traverse(memory, "bob's", "ann", strategy=strategy)


def test_a_link_of_a_memory_to_itself_leads_nowhere(memory, hands):
    one = hands.node("Memory", id="a", user_id="default", content="a", name="a")
    hands.edge(one, one, "SUPPORTS", strength=1.0)
    assert ids(traverse(memory, "a")) == ["a"]


def test_what_a_hand_joined_in_another_way_is_no_link(memory, hands):
    one, other = (
        hands.node("Memory", id=name, user_id="default", content=name, name=name) for name in "ab"
    )
    hands.edge(one, other, "KNOWS", strength=1.0)
    assert ids(traverse(memory, "a")) == ["a"]
    assert ids(explore(memory, "a")) == ["a"]


def test_walking_is_no_access(path):
    before = path.records()
    traverse(path, "a", strategy="dfs")
    explore(path, "a")
    assert path.records() == before


def test_a_person_in_lab_walks_the_same_way_without_any_look_up(path):
    path.import_rows([node("child", parent_id="a")])
    rows = traverse(path, "a", include_parent_links=True)
    fields = tuple(rows[0])
    given = ["a", "bfs", 3, 100, "both", [], [], [], 0, True, None]
    assert path.procedure("memorygraph.traverse", given, fields) == rows
    rows = explore(path, "a", 1)
    assert path.procedure("memorygraph.explore", ["a", 1, 20, 0.2], tuple(rows[0])) == rows
    drawn = path.procedure("memorygraph.traverse", given, ("memory_id", "link"))
    assert [row["link"] and row["link"].type for row in drawn] == [
        *(None, None),
        *("CAUSES", "SUPPORTS", "CAUSES", "CAUSES"),
    ]


def test_exploring_goes_breadth_first_along_what_is_not_too_weak(path):
    rows = explore(path, "b")
    shown = [(row["memory_id"], row["distance"]) for row in rows]
    assert shown == [("b", 0), ("a", 1), ("c", 1), ("d", 2)]
    assert list(rows[0]) == [
        *("memory_id", "text", "source", "speaker", "type", "tags", "state", "created_at"),
        *("distance", "truncated"),
    ]
    assert ids(explore(path, "b", 10, 20, 0.1)) == ["b", "a", "c", "d", "f", "e"]
    rows = explore(path, "b", 2, 2)
    assert [(row["memory_id"], row["truncated"]) for row in rows] == [
        ("b", "max_nodes"),
        ("a", "max_nodes"),
    ]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"strategy": "best"}, "^strategy: must be one of bfs, dfs$"),
        ({"max_depth": 6}, "^max_depth: must be between 0 and 5"),
        ({"max_nodes": 1_001}, "^max_nodes: must be between 1 and 1000"),
        ({"direction": "up"}, "^direction: must be one of both, outgoing, incoming$"),
        ({"relation_types": ["likes"]}, "^relation_types: must be one of references"),
        ({"min_strength": -1}, "^min_strength: must be between 0 and 1"),
        ({"time_budget_ms": -1}, "^time_budget_ms: must be between 0 and 600000"),
    ],
)
def test_wrong_ways_to_walk_are_refused(path, given, message):
    with pytest.raises(REFUSALS, match=message):
        traverse(path, "a", **given)
    with pytest.raises(REFUSALS, match=r"^memory: not found: nobody$"):
        traverse(path, "nobody")


def test_follows_the_strongest_of_many_links_whatever_is_forgotten(memory):
    """Of which the walk knows only once it looks at what they lead to."""
    names = [f"m{number:02}" for number in range(40)]
    gone = {"deleted_at": memory.now_ms}
    memory.import_rows(
        [
            node("hub"),
            *(node(name, **(gone if index % 4 else {})) for index, name in enumerate(names)),
            *(
                fresh(memory, "hub", name, strength=1 - index / 100)
                for index, name in enumerate(names)
            ),
        ]
    )
    for most in (1, 2, 4, 10):
        rows = traverse(memory, "hub", max_nodes=most)
        assert ids(rows) == ["hub", *names[::4]][:most]
        assert {row["truncated"] for row in rows} == {"max_nodes"}
    rows = traverse(memory, "hub", max_nodes=11)
    assert ids(rows) == ["hub", *names[::4]]
    assert {row["truncated"] for row in rows} == {None}


@pytest.mark.parametrize(("seed", "size"), [*((seed, 9) for seed in range(6)), (6, 40), (7, 40)])
def test_walks_over_random_links_go_as_the_rules_say(memory, seed, size):
    """Held against plain dictionaries, with ties of strength and of age, over the clock."""
    chance = random.Random(seed)
    records = random_records(chance, memory.now_ms, size)
    memory.import_rows(records)
    for _ in range(12):
        memory.now_ms += chance.choice((0, DAY_MS, 3 * WEEK_MS))
        plain = PlainLinks(records, memory.now_ms)
        start = chance.choice(sorted(plain.memories))
        query = random_query(chance)
        told = plain.breadth_first(start, query)
        rows = traverse(memory, start, **query)
        assert [as_told(row) for row in rows] == [as_expected(*each) for each in told]
        rows = traverse(memory, start, strategy="dfs", **query)
        assert ids(rows) == plain.depth_first(start, query)
        depths = {name: depth for name, depth, _ in told}
        assert {row["memory_id"]: row["depth"] for row in rows} == depths
        for strategy, order in (("bfs", [name for name, *_ in told]), ("dfs", ids(rows))):
            most = chance.randint(1, len(order) + 1)
            cut = traverse(memory, start, strategy=strategy, max_nodes=most, **query)
            assert ids(cut) == order[:most]
            expected = "max_nodes" if most < len(order) else None
            assert {row["truncated"] for row in cut} == {expected}


def random_records(chance, now_ms, size):
    """Return memories, some of them forgotten, and links among them."""
    names = [f"m{number}" for number in range(size)]
    chance.shuffle(names)
    made = [
        node(
            name,
            created_at=MADE_MS + chance.randrange(2),
            tags=chance.sample(["red", "blue"], chance.randrange(3)),
            **({"type": chance.choice(("fact", "task"))} if chance.random() < 0.7 else {}),
            **({"parent_id": chance.choice(names)} if chance.random() < 0.3 else {}),
            **({"deleted_at": now_ms} if chance.random() < 0.1 else {}),
        )
        for name in names
    ]
    pairs = {
        (source, target, chance.choice(TYPES))
        for source, target in (chance.sample(names, 2) for _ in range(2 * size))
    }
    return made + [
        edge(
            *pair,
            strength=chance.choice((0.05, 0.3, 0.6, 0.6, 1.0)),
            last_strengthened=now_ms - chance.choice((0, WEEK_MS, -DAY_MS)),
        )
        for pair in sorted(pairs)
    ]


def random_query(chance):
    def some(values):
        return chance.sample(values, 1) if chance.random() < 0.2 else []

    return FRESH | {
        "max_depth": chance.randrange(6),
        "direction": chance.choice(("both", "both", "outgoing", "incoming")),
        "relation_types": sorted(chance.sample(TYPES, 2)) if chance.random() < 0.3 else [],
        "types": some(["fact", "task"]),
        "tags": some(["red", "blue"]),
        "min_strength": chance.choice((0.0, 0.0, 0.1, 0.31)),
        "include_parent_links": chance.random() < 0.4,
    }


def as_told(row):
    names = ("memory_id", "depth", "via", "relation", "direction", "strength", "truncated")
    return {name: row[name] for name in names}


def as_expected(name, depth, way):
    strength, _, via, direction, relation = way or (None,) * 5
    return {
        "memory_id": name,
        "depth": depth,
        "via": via,
        "relation": relation,
        "direction": direction,
        "strength": None if strength is None else pytest.approx(strength, abs=1e-6),
        "truncated": None,
    }
