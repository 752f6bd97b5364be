"""`recall_query` and `unknown`: a whole answer in one row, and what seeds there are none of."""

import pytest
from expect import DAY_MS, REFUSALS, concept, relation

from concept_graph_mcp import calls

PLAIN = ("relation", "total")


def query(memory, seeds, max_hop=2, limit=None, once=False):
    (answer,) = memory.run(calls.concepts.recall_query(seeds, max_hop, limit, once))
    return answer


def texts(answer):
    return [said["text"] for said in answer["propositions"]]


def similar(memory, *seeds):
    """Return the names like each of the seeds that are unknown."""
    return {row["seed"]: row["similar"] for row in memory.run(calls.concepts.unknown(seeds))}


def create(memory, *names):
    memory.import_rows([concept(name) for name in names])


@pytest.fixture
def market(memory):
    """Two episodes, each about several things."""
    memory.episode_add("Bought apples at the market", ["apple", "market", "Ana"])
    memory.date = "20250616"
    memory.episode_add("Baked a pie with Ana", ["apple", "Ana", "pie"])
    memory.relation_add("apple", "fruit", "is-a")
    return memory


# One row


def test_the_answer_says_what_a_recall_does(market):
    rows = market.peek(["apple", "nobody"], 2, 3)
    answer = query(market, ["apple", "nobody"], 2, 3)
    kept = [{key: row[key] for key in row if key not in PLAIN} for row in rows]
    assert answer == {
        "propositions": kept,
        "total": rows[0]["total"],
        "unknown": [{"seed": "nobody", "similar": []}],
    }
    assert rows[0]["total"] > 3


def test_it_can_carry_the_relations_of_its_propositions(market):
    call = calls.concepts.recall_query(["apple"], 1, 2).with_fields("relations")
    (answer,) = market.run(call)
    assert [edge.type for edge in answer["relations"]] == ["EVOKES", "EVOKES"]
    assert len(answer["propositions"]) == 2


def test_by_scan_it_answers_as_by_index(market):
    for seeds in (["apple"], ["APPLE", "pie"], ["an"], []):
        query(market, seeds)  # So that the next two find it aroused alike.
        expected = query(market, seeds)
        fields = calls.concepts.procedures.RECALL_QUERY.fields
        (scanned,) = market.procedure("conceptgraph.recall_query", [seeds, 2, None, False], fields)
        assert scanned == expected
        scanned = market.procedure(
            "conceptgraph.unknown", [seeds], calls.concepts.procedures.UNKNOWN.fields
        )
        assert scanned == market.run(calls.concepts.unknown(seeds))


# Each episode once


def test_each_episode_once_keeps_its_strongest_proposition(market):
    assert sorted(texts(query(market, ["apple"]))) == [
        "Ana evokes Baked a pie with Ana",
        "Ana evokes Bought apples at the market",
        "apple evokes Baked a pie with Ana",
        "apple evokes Bought apples at the market",
        "apple is-a fruit",
        "market evokes Bought apples at the market",
        "pie evokes Baked a pie with Ana",
    ]
    # As they were before that recall.
    market.now_ms += 100 * DAY_MS
    market.update_affect("20250615/apple", 0.5)
    answer = query(market, ["apple"], once=True)
    assert texts(answer) == [
        "apple evokes Bought apples at the market",
        "apple evokes Baked a pie with Ana",
        "apple is-a fruit",
    ]
    assert answer["total"] == 3


# What is unknown


@pytest.mark.parametrize(
    ("seed", "name"),
    [
        ("fig jam", "Fig Jam"),
        ("FIG JAM", "fig jam"),
        ("figjam", "fig jam"),
        (" fig  jam\n", "fig jam"),
        ("fig jam", "fig\tjam"),
        ("creme", "Crème"),
        ("Crème", "creme"),
        ("CRÈME BRÛLÉE", "creme brulee"),
        ("e\u0301clair", "\u00e9clair"),
        ("strasse", "Straße"),
        ("日 本", "日本"),
        ("ＡＢＣ", "abc"),
    ],
)
def test_names_that_are_the_same_but_for_case_accents_or_blanks_are_similar(memory, seed, name):
    create(memory, name, "other")
    assert similar(memory, seed) == {seed: [name]}


def test_names_that_contain_the_seed_are_similar_the_same_first_then_those_that_begin_with_it(
    memory,
):
    create(memory, "my jam", "Jamaica", "jam session", "fig jam", "JAM", "ham")
    assert similar(memory, "jam") == {"jam": ["JAM", "Jamaica", "jam session", "fig jam", "my jam"]}


def test_at_most_five_names_are_told_of_a_seed(memory):
    create(memory, *(f"apple {number:02}" for number in range(20)))
    assert similar(memory, "apple") == {"apple": [f"apple {number:02}" for number in range(5)]}


def test_names_like_the_first_ten_seeds_are_told(memory):
    create(memory, *(f"Apple {number:02}" for number in range(12)))
    seeds = [f"apple {number:02}" for number in range(12)]
    told = similar(memory, *seeds)
    assert list(told) == seeds
    assert [told[seed] for seed in seeds] == [[f"Apple {n:02}"] for n in range(10)] + [[], []]


@pytest.mark.parametrize("seed", ["\u0301", "x", "apples", "%", "_", "*"])
def test_nothing_is_like_what_is_in_no_name(memory, seed):
    create(memory, "apple", "pear")
    assert similar(memory, seed) == {seed: []}


def test_what_hands_made_is_told_too(memory, hands):
    hands.node("Concept", name="Crème")
    hands.node("Person", name="creme brulee")
    assert similar(memory, "creme") == {"creme": ["Crème"]}


@pytest.mark.parametrize("seeds", [[""], ["apple", "  "]])
def test_an_empty_seed_is_refused(memory, seeds):
    for call in (calls.concepts.unknown, calls.concepts.recall_query):
        with pytest.raises(REFUSALS, match="seeds: must not be empty"):
            memory.run(call(seeds))


def test_ten_thousand_unknown_seeds_are_told(memory):
    memory.import_rows([concept("apple"), relation("apple", "fruit")])
    seeds = [f"nothing {number}" for number in range(9_999)]
    answer = query(memory, ["apple", *seeds], 1)
    assert texts(answer) == ["apple is-a fruit"]
    assert [row["seed"] for row in answer["unknown"]] == seeds
