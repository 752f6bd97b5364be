"""The embedded store's look-ups: by exact name, by the names after a base, and for a search."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from concept_graph_mcp import calls
from concept_graph_mcp.hosts.sqlite import lookups, text_search
from concept_graph_mcp.hosts.sqlite.cache import Cache
from concept_graph_mcp.hosts.sqlite.procedure_host import Host
from conceptgraph_core.concepts import schema
from conceptgraph_core.concepts.lookups import mine, new_episode
from conceptgraph_core.concepts.lookups import named as look_up_names
from conceptgraph_core.graph.layers import SHARED
from conceptgraph_core.graph.primitives import (
    Equal,
    Lookup,
    Ordered,
    Ranges,
    Text,
    Union,
    next_text,
)
from conceptgraph_core.retrieval.documents import of_mentions
from conceptgraph_core.texts import folding

NOW_MS = 1_750_000_000_000
TAU_MS = 86_400_000


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    with closing(Host(tmp_path / "memory.db")) as host:
        yield host


def add(host: Host, rows: list[dict[str, Any]]) -> None:
    call = calls.transfer.import_rows(rows)
    host.call(call.procedure.name, [*call.arguments, {"now_ms": NOW_MS}])


def concepts(*names: str, level: float = 0.5, accessed_at: int = NOW_MS) -> list[dict[str, Any]]:
    times = {"arousal_level": level, "accessed_at": accessed_at}
    return [{"kind": "concept", "name": name, **times} for name in names]


def found(host: Host, lookup: Lookup) -> list[str]:
    """Return the names of the concepts and episodes found, in the order in which they are."""
    ids = lookups.find(host._database, lookup)
    assert len(ids) == len(set(ids))
    stored = host._database.execute(
        "SELECT id, json_extract(properties, '$.name') FROM vertex"
        " WHERE labels IN ('[\"Concept\"]', '[\"Episode\"]')"
    )
    names = dict(stored.fetchall())
    return [names[vertex] for vertex in ids if vertex in names]


def incoming(host: Host, question: str, **changed: Any) -> tuple[dict[str, int], list[Any]]:
    """Return the degree of each term of *question*, and how many mentions are read of which."""
    lookup = of_mentions((question,), SHARED, ("english",))._replace(**changed)
    cache = Cache(host._database)
    terms = list(cache.load_vertices(lookups.find(host._database, lookup)))
    told = lookups.incoming(lookups.Postings(host._database, lookup), lookup, terms)
    names = {vertex.id: vertex.properties.get("name") for vertex in terms}
    counts = zip((names[vertex.id] for vertex in terms), told["degrees"], strict=True)
    read = [(names[term], len(texts)) for term, texts, *_ in told["incoming"]]
    return {name: count for name, count in counts if name is not None}, read


def said(*words: str) -> list[dict[str, Any]]:
    return [
        {"kind": "episode", "name": f"{number}", "summary": text}
        for number, text in enumerate(words)
    ]


def test_mentions_are_read_rarest_first_and_each_term_whole_or_not_at_all(host: Host) -> None:
    add(host, said("zulu", "zulu tango", "zulu tango lima", "zulu lima"))
    degrees, read = incoming(host, "zulu tango lima kilo")
    assert degrees == {"zulu": 4, "tango": 2, "lima": 2}
    assert read == [("lima", 2), ("tango", 2), ("zulu", 4)]
    assert incoming(host, "zulu tango lima", most=5)[1] == [("lima", 2), ("tango", 2)]
    assert incoming(host, "zulu tango lima", most=1)[1] == [("lima", 2)]


def test_names_of_speakers_are_not_read_where_there_are_other_words(host: Host) -> None:
    add(host, [one | {"speaker": "Ann Lee"} for one in said("ann met zulu", "ann left")])
    assert incoming(host, "ann zulu")[1] == [("zulu", 1)]
    assert incoming(host, "ann")[1] == [("ann", 2)]


@pytest.mark.slow
def test_mentions_are_counted_no_further_than_it_takes_to_know_which_are_read(host: Host) -> None:
    add(host, said(*(f"zulu {'tango' if number < 600 else 'lima'}" for number in range(1_300))))
    degrees, read = incoming(host, "zulu tango lima", most=1_000)
    assert (degrees["tango"], read) == (600, [("tango", 600)])
    assert degrees["lima"] == 700
    assert 1_000 < degrees["zulu"] < 1_300
    # What is read in any case is counted to the end.
    assert incoming(host, "zulu", most=10) == ({"zulu": 1_300}, [("zulu", 1_300)])


def named(*names: str) -> Equal:
    return Equal(schema.LABELS, ("name",), tuple((name,) for name in names))


def test_nodes_are_found_by_one_value_by_many_and_by_more_than_a_statement_takes(host: Host):
    names = [f"name {number}" for number in range(100)]
    add(host, concepts(*names))
    for few in (1, 2, 31, 32, 33, 100):
        assert sorted(found(host, named(*names[:few], "absent"))) == sorted(names[:few])


def texts(host: Host, *values: tuple[Any, ...]) -> list[str]:
    """Return the keys of the texts that the index of words has there, by scope, label and key."""
    lookup = Equal(("Text",), ("scope", "label", "key"), values)
    cache = Cache(host._database)
    vertices = cache.load_vertices(lookups.find(host._database, lookup))
    return sorted(vertex.properties["key"] for vertex in vertices)


def test_nodes_are_found_by_several_properties_of_which_none_some_or_all_differ(host: Host):
    add(host, said("zulu", "tango", "lima"))
    memory = {"kind": "memory", "id": "0", "user_id": "ada", "content": "zulu"}
    add(host, [memory, memory | {"id": "m", "user_id": "bo"}])
    assert texts(host, ("", "Episode", "1")) == ["1"]
    assert texts(host, ("", "Episode", "1"), ("", "Episode", "2"), ("", "Episode", "9")) == [
        *("1", "2"),
    ]
    # Each as it belongs together: nobody has a memory "1", and ada none that is called "m".
    assert texts(host, ("", "Episode", "0"), ("ada", "Memory", "0"), ("bo", "Memory", "m")) == [
        *("0", "0", "m"),
    ]
    assert texts(host, ("", "Episode", "m"), ("ada", "Memory", "m"), ("bo", "Memory", "0")) == []


def test_a_value_that_says_too_much_or_too_little_is_nowhere(host: Host):
    add(host, said("zulu"))
    assert texts(host, ("", "Episode"), ("", "Episode", "0", "more")) == []
    assert texts(host, ("", "Episode"), ("", "Episode", "0")) == ["0"]
    assert texts(host) == []


def episode(base: str) -> Lookup:
    """Return the look-up that an episode with its concept's name and *base* makes."""
    numbered = new_episode(SHARED, base, "s", ["en"])
    return Union((look_up_names(SHARED, base, base.partition("/")[2]), *numbered))


def search(host: Host, keywords: list[str], limit: int = 50) -> list[str]:
    matching = found(host, Text("Concept", folding.keywords(keywords), limit))
    aroused = Ordered("Concept", "accessed_at", limit, level="arousal_level", then="name")
    others = (name for name in found(host, aroused) if name not in matching)
    return [*matching, *others][:limit]


def test_names_are_found_as_they_are_in_both_kinds(host):
    add(host, concepts("apple", "Apple", "20250615/apple "))
    add(host, [{"kind": "episode", "name": "20250615/apple", "summary": "Ate it"}])
    wanted = ("apple", "20250615/apple", "nothing", "APPLE", " apple", "apple")
    assert sorted(found(host, named(*wanted))) == ["20250615/apple", "apple"]
    assert found(host, named()) == []


def test_a_base_finds_itself_and_what_follows_a_hyphen(host):
    base = "20250615/apple"
    taken = [base, f"{base}-2", f"{base}-10", f"{base}-pie"]
    add(host, concepts(taken[1], "apple", f"{base}s", f"{base}.", "20250614/apple-2"))
    add(host, [{"kind": "episode", "name": n, "summary": "s"} for n in taken if n != taken[1]])
    assert sorted(found(host, episode(base))) == sorted([*taken, "apple"])


def test_a_base_is_no_pattern(host):
    add(host, concepts("20250615/x-2", "20250615/%-2", "20250615/_-2"))
    assert found(host, episode("20250615/%")) == ["20250615/%-2"]


def test_a_search_has_exact_matches_then_matches_by_name_then_the_most_aroused(host):
    add(host, concepts("pineapple", "apple pie", "apple", "crab apple", level=0.1))
    add(host, concepts("dim", level=0.2) + concepts("bright", level=0.9))
    add(host, concepts("a crapple", "a crab-apple", level=0.1))
    assert search(host, ["Apple"]) == [
        "apple", "apple pie", "a crab-apple", "crab apple", "a crapple", "pineapple", "bright",
        "dim",
    ]  # fmt: skip


def test_the_limit_leaves_out_the_most_aroused_first(host):
    add(host, concepts("apple pie", "apple", level=0.1) + concepts("bright", level=0.9))
    assert search(host, ["apple"], 1)[:1] == ["apple"]
    assert "bright" not in search(host, ["apple"], 2)
    assert search(host, ["apple"], 3) == ["apple", "apple pie", "bright"]


@pytest.mark.parametrize(
    "keyword",
    ["a", "ä", "リ", "%", "_", '"', "'", "\\", "*", "-", "(", " ", "OR", "NEAR", "^", ":"],
)
@pytest.mark.parametrize("around", ["", "xy"])
def test_a_keyword_is_a_text_and_no_pattern_however_short(host, keyword, around):
    word = f"{around}{keyword}{around}"
    add(host, concepts(f"before {word} after", level=0.1))
    add(host, concepts("bccd", "zzz", level=0.9))
    assert search(host, [word], 1) == [f"before {word} after"]


@pytest.mark.parametrize(
    ("name", "keyword"),
    [
        ("Äpfel", "äPF"),
        ("straße", "STRASSE"),
        ("ΣΊΣΥΦΟΣ", "σίσυφος"),
        ("リンゴジュース", "ゴジュ"),
        ("🍎🍏🍐🍊", "🍏🍐🍊"),
        ("Яблоко", "ЯБЛ"),
    ],
)
def test_case_does_not_count_in_any_script(host, name, keyword):
    add(host, concepts(name, level=0.1) + concepts("other", level=0.9))
    assert search(host, [keyword], 1) == [name]


@pytest.mark.parametrize("common", [1, 2_000])
def test_names_with_accents_are_placed_among_the_others(host, monkeypatch, common):
    monkeypatch.setattr(text_search, "_COMMON", common)
    add(host, concepts("Crème", "creme", "Crème brûlée", "ice crème", "buttercrème", "icecreme"))
    expected = ["Crème", "creme", "Crème brûlée", "ice crème", "buttercrème", "icecreme"]
    for most in range(1, 7):
        assert search(host, ["creme"], most) == expected[:most]
    assert search(host, ["crème"])[:4] == ["Crème", "Crème brûlée", "ice crème", "buttercrème"]


def test_the_plain_forms_follow_the_names(host):
    add(host, concepts("Crème", "Äpfel", "apple"))
    for call in (
        calls.concepts.rename("Crème", "Café", False),
        calls.concepts.rename("apple", "Appłe é", False),
        calls.concepts.remove("Äpfel", False),
    ):
        host.call(call.procedure.name, [*call.arguments, {"now_ms": NOW_MS}])
    forms = [
        row[0]
        for row in host._database.execute(
            "SELECT plain FROM \"text Concept(name)\" WHERE plain <> ''"
        )
    ]
    assert sorted(forms) == ["appłe e", "cafe"]
    assert search(host, ["cafe"], 1) == ["Café"]
    assert search(host, ["creme"], 1) != ["Crème"]


def test_common_keywords_find_the_same_as_rare_ones(host, monkeypatch):
    names = [f"thing {number:03d}" for number in range(120)] + ["apple", "pineapple"]
    add(host, concepts(*names))
    asked = (["thing"], ["apple"], ["hing 0", "apple"], ["ing 11"], ["no match"], ["ap"], [])
    expected = [search(host, keywords, 200) for keywords in asked]
    for common in (1, 50):
        monkeypatch.setattr(text_search, "_COMMON", common)
        assert [search(host, keywords, 200) for keywords in asked] == expected
    assert expected[0][:120] == names[:120]


def test_the_most_aroused_come_in_the_order_of_their_arousal_at_any_time(host):
    rows = []
    for number in range(60):
        level = (0.0, 0.1, 0.25, 0.5, 0.9, 1.0)[number % 6]
        accessed_at = NOW_MS - (number * 7_919 % 60) * 3_600_000
        rows += concepts(f"thing {number:02d}", level=level, accessed_at=accessed_at)
    add(host, rows)

    # Not before there is a host, because it imports mgp.
    from conceptgraph_core.concepts import affect

    def order(row: dict[str, Any]) -> tuple[float, str]:
        rank = affect.rank(row["arousal_level"], row["accessed_at"], TAU_MS)
        return (-rank, row["name"])

    expected = [row["name"] for row in sorted(rows, key=order)]
    aroused = [row["name"] for row in rows if row["arousal_level"] > 0]
    assert search(host, [], len(aroused)) == expected[: len(aroused)]
    assert sorted(search(host, [], 200)) == sorted(expected)


def test_a_renamed_and_a_removed_concept_are_found_no_more(host):
    add(host, concepts("apple", "pear"))
    for call in (
        calls.concepts.rename("apple", "quince", False),
        calls.concepts.remove("pear", False),
    ):
        host.call(call.procedure.name, [*call.arguments, {"now_ms": NOW_MS}])
    assert search(host, ["apple"]) == ["quince"]
    assert search(host, ["quin"]) == ["quince"]
    assert found(host, named("apple", "pear", "quince")) == ["quince"]


def test_more_ranges_than_a_statement_has_are_read_in_their_order(host):
    names = [f"n{number:03}" for number in range(300)]
    add(host, concepts(*reversed(names)))
    some = tuple((one, next_text(one)) for one in names)
    every = Ranges(schema.CONCEPT, "name", some, 1, mine(""))
    assert found(host, every) == names
    few = every._replace(ranges=(("n00", "n01"), ("x", "y"), ("n29", "n3")), limit=2)
    assert found(host, few) == ["n000", "n001", "n290", "n291"]
    assert found(host, few._replace(ranges=())) == []
    assert found(host, Union((few, every))) == list(dict.fromkeys([*found(host, few), *names]))
