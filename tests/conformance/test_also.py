"""Other wordings of a question: what they find, and that they never take anything away."""

from types import SimpleNamespace

import pytest
from expect import REFUSALS
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.examples import limit_examples

from concept_graph_mcp import calls
from concept_graph_mcp.calls.verb import Also
from concept_graph_mcp.calls.verb import read_also as also
from concept_graph_mcp.errors import Refused
from conceptgraph_core.everyday import lines
from conceptgraph_core.texts.dates import Span
from memories import MADE_MS, node

everyday = calls.everyday

TEXTS = {
    "nuts": "Clara is allergic to hazelnuts",
    "kite": "Clara flew a kite over the dunes in March",
    "penicillin": "Penicillin gave the user an anaphylaxis in 2019",
    "cake": "The birthday cake was a lemon tart",
    "party": "The party for the boys begins at four",
    "doctor": "Doctor Weiss moved her practice to Lagos",
    "tea": "Tea is kept in the blue tin",
}


@pytest.fixture
def kept(memory):
    memory.import_rows([node(name, content=text, said_at=MADE_MS) for name, text in TEXTS.items()])
    return memory


def recalled(memory, message, *other, budget=1_200):
    call = everyday.recall("default", message, None, budget, also=also(other))
    [row] = memory.run(call)
    return [line for line in row["lines"] if line["part"] == lines.SAID]


def ids(rows):
    return [row["id"] for row in rows]


def search(memory, query, *other, **more):
    return memory.run(everyday.search("default", query, also=also(other), **more))


def test_what_no_word_of_the_message_finds_another_wording_does(kept):
    assert recalled(kept, "What may the girl not eat?") == []
    assert ids(recalled(kept, "What may the girl not eat?", "allergic")) == ["nuts"]
    assert ids(recalled(kept, "Any medicine trouble?", "anaphylaxis", "rash")) == ["penicillin"]


def test_a_wording_may_be_a_name(kept):
    kept.run(
        everyday.remember("default", "Rui has a grey cat", [{"name": "Rui", "kind": "friend"}])
    )
    [row] = kept.run(everyday.recall("default", "Who should feed it?", also=also(["Rui"])))
    text = lines.text(row["lines"])
    assert text.startswith("Who and what:\n[1] Rui (friend, inferred)")
    assert "Rui has a grey cat" in text


@pytest.mark.parametrize("then", [Span(1, 2), None])
def test_the_vector_of_other_wordings_counts_beside_one_of_the_message(kept, store, portal, then):
    kept.run(calls.embedding.choose("toy", 3, again=False))
    portal.call(store.fit_vectors)
    kept.import_rows([node("oven", content="It was fired", embedding=[1.0, 0.0, 0.0])])
    other = Also(("hazelnuts",), (1.0, 0.0, 0.0))
    near = ("toy", (1.0, 0.0, 0.0))
    for embedded, has_vector in ((near, True), (("toy", ()), False), (None, False)):
        given = {"told_in": then, "also": other, "embedded": embedded}
        call = everyday.recall("default", "What happened last week?", **given)
        [row] = kept.run(call._replace(context={**call.context, "chances": [0, 0]}))
        found = {source["id"] for source in row["sources"]}
        assert ("oven" in found, "nuts" in found) == (has_vector, True)


def test_search_says_which_word_matched(kept):
    [row] = search(kept, "violin", "hazelnuts", kinds=["memory"])
    assert (row["id"], list(row["matched"])) == ("nuts", ["hazelnuts"])
    [row] = search(kept, "hazelnuts", "allergic", kinds=["memory"])
    assert sorted(row["matched"]) == ["allergic", "hazelnuts"]
    assert row["total"] == 1


def test_search_finds_episodes_and_entities_too(memory):
    memory.run(calls.concepts.episode_add("The kiln cracked", ["kiln"], "default"))
    memory.run(everyday.remember("default", "Oona mends kilns", [{"name": "Oona Marsh"}]))
    found = search(memory, "oven", "kiln", "Marsh", concept_scope="default")
    assert {row["kind"] for row in found} == {"episode", "memory", "entity"}


def test_too_many_and_too_long_ones_are_refused_on_one_line(kept):
    many = "also: 21 texts are too many; at most 20"
    for given_, told in (
        (["a"] * 20 + ["b"] * 1, None),
        ([f"w{number}" for number in range(21)], many),
        (["x" * 1_001], "also: 1001 characters are too long; at most 1000"),
        (["tea", " "], "also: must not be empty"),
        (["tea", 4], "also: must be text, not a number"),
        ("tea", "also: must be a list of texts"),
    ):
        if told is None:
            given_ = given_[:20]  # noqa: PLW2901
            assert also(given_).wordings == ("a",)
            continue
        with pytest.raises(Refused) as refused:
            also(given_)
        assert str(refused.value) == told
        call = everyday.recall("default", "What?", also=Also())
        call = call._replace(context={**call.context, "also": given_})
        with pytest.raises(REFUSALS) as refused:
            kept.run(call)
        assert f"context: {told}" in str(refused.value)
        assert "\n" not in str(refused.value).strip()


WORDS = sorted({word for text in TEXTS.values() for word in text.split()} | {"rash", "Rui"})
WORDING = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=limit_examples(25)
)
@given(message=WORDING, others=st.lists(WORDING, max_size=4))
def test_other_wordings_take_nothing_away(kept, message, others):
    def found(*wordings):
        return {row["id"] for row in search(kept, *wordings, kinds=["memory"])}

    together = found(message, *others)
    for wording in (message, *others):
        assert found(wording) <= together


@pytest.mark.parametrize(("most", "few"), [(14, 4), (2, 2), (2, 9)])
def test_a_look_up_that_reads_fewer_mentions_finds_the_same(memory, bound_mentions, most, few):
    rows = [node(f"a{number:03}", content=f"red apple {number}") for number in range(12)]
    rows += [node(f"b{number:03}", content=f"green pear {number}") for number in range(6)]
    rows += [node(f"c{number:03}", content=f"blue plum {number}") for number in range(3)]
    memory.import_rows(rows)
    call = everyday.search("default", "apple", limit=100, also=also(["pear", "plum", "Apples"]))
    found = memory.run(call)
    assert len(found) == 21
    bound_mentions(most, few)
    assert memory.run(call) == found


def test_a_message_of_numbers_silences_no_other_wording(kept):
    assert recalled(kept, "17 * 23") == []
    assert ids(recalled(kept, "17 * 23", "allergic")) == ["nuts"]
    alone, together = (
        recalled(kept, *one) for one in (["2019 Clara"], ["2019 2019", "2019 Clara"])
    )
    assert set(ids(alone)) <= set(ids(together))


def test_a_term_that_several_wordings_lead_to_is_counted_once(memory):
    for said, name, kind in (
        ("Clara flew a kite", "Clara", "daughter"),
        ("Clara has a cold", "Clara", "daughter"),
        ("Bruno bought a boat", "Bruno", "son"),
    ):
        memory.run(everyday.remember("default", said, [{"name": name, "kind": kind}]))
    call = calls.everyday.search("default", "my daughter", kinds=["memory"])
    alone = memory.run(call)
    again = calls.everyday.search("default", "my daughter", kinds=["memory"], also=["my kids"])
    assert [row["id"] for row in alone] == [row["id"] for row in memory.run(again)][: len(alone)]
    assert alone


def test_several_lists_are_one_with_each_memory_at_its_best_score(memory):
    # Imported here, because the host must be the first to import its modules.
    from conceptgraph_core.memories.search import Found, merge_found

    nodes = [SimpleNamespace(id=number) for number in range(3)]

    def found(*scores):
        return [Found(nodes[number], score, None) for number, score in scores]

    def told(*lists):
        return [(one.node.id, one.score) for one in merge_found(lists)]

    assert told(found((0, 2.0), (1, 1.0)), found((1, 3.0))) == [(1, 3.0), (0, 2.0)]
    # A later text stays before the better one that it renews, in one list and in several.
    assert told(found((0, 2.0), (1, 3.0))) == [(0, 2.0), (1, 3.0)]
    assert told(found((0, 2.0), (1, 3.0)), found((2, 2.5))) == [(0, 2.0), (1, 3.0), (2, 2.5)]


def test_a_wording_has_the_families_of_its_words(memory):
    memory.import_rows([node("nuts", content="Clara has an allergy", said_at=MADE_MS)])
    assert ids(recalled(memory, "violin", "allergic")) == ["nuts"]
