"""Who is meant by a name: the same, another one, or a question; on both hosts."""

import pytest
from entity_layer import entity
from expect import REFUSALS
from tests.tables import beside

from concept_graph_mcp import calls

table = beside(__file__)


def asked(entities, first, second):
    """Observe two labels in two sessions; return the row of the second."""
    entities.one(f"I saw {first} today", first, session="one")
    # So that it is not found by being one of the latest.
    for number in range(25):
        entities.observe(f"q{number}", f"q{number}x", session="between")
    entities.days(1)
    return entities.one(f"I saw {second} today", second, session="two")


@table("first, second")
def test_other_names_of_one_are_asked_about(entities, first, second):
    row = asked(entities, first, second)
    assert row["created"]
    assert first in [one["label"] for one in row["candidates"]]
    assert row["identity_status"] == "ambiguous"
    assert entities.records("merge") == []


@table("first, second")
def test_names_of_two_are_not_asked_about(entities, first, second):
    row = asked(entities, first, second)
    assert row["created"]
    assert "candidates" not in row


@table("first, second")
def test_a_title_or_the_writing_makes_no_other_name(entities, first, second):
    row = asked(entities, first, second)
    assert not row["created"]
    assert "candidates" not in row


SPELLED = [
    *(("Clara", "Klara"), ("Micheal", "Michael"), ("Sofia", "Sophia"), ("Zoë", "Zoe")),
    *(("Meyer", "Maier"), ("Marc", "Mark"), ("Anna Smith", "Anna Smyth")),
]
CHANCE = [
    *(("Ben", "Berlin"), ("Anna", "Vienna"), ("Maria", "Mark"), ("Maria", "Paris")),
    *(("OpenAI", "Lena"), ("Audi", "Madrid"), ("Tim", "Tom"), ("Anna Mark", "Anna Maria")),
]


@pytest.mark.parametrize(("first", "second"), SPELLED)
def test_another_spelling_is_asked_about(entities, first, second):
    entities.one(f"I saw {first} today", first, session="one")
    row = entities.one(f"I saw {second} today", second, session="two")
    assert [one["label"] for one in row["candidates"]] == [first]


@pytest.mark.parametrize(("first", "second"), CHANCE)
def test_letters_shared_by_chance_raise_no_doubt(entities, first, second):
    entities.one(f"I saw {first} today", first, session="one")
    row = entities.one(f"I saw {second} today", second, session="two")
    assert (row["identity_status"], row.get("candidates", [])) == ("provisional", [])


def test_a_dog_and_what_it_is_may_be_one(entities):
    entities.one("Max barked", {**entity("Max"), "kind": "dog"}, session="one")
    row = entities.one("The puppy slept", "puppy", session="two")
    assert [one["label"] for one in row["candidates"]] == ["Max"]
    assert entities.ties("same_as")[0]["evidence"] == "of that kind"


@pytest.mark.parametrize(("kind", "word"), [("mother", "Mama"), ("dog", "the puppy")])
def test_who_is_of_a_kind_is_asked_about_by_its_word_however_long_ago(entities, kind, word):
    entities.one("Renate came", {**entity("Renate"), "kind": kind}, session="one")
    for number in range(25):
        entities.observe(f"q{number}", f"q{number}x", session="between")
    entities.days(1)
    row = entities.one(f"{word} came", {**entity(word), "kind": kind}, session="two")
    assert "Renate" in [one["label"] for one in row["candidates"]]


def test_an_entity_and_a_topic_of_one_name_are_asked_about(entities):
    entities.one("We moved to London", "London", session="one")
    row = entities.one("London again", {"label": "London", "type": "topic"}, session="two")
    assert [one["label"] for one in row["candidates"]] == ["London"]


def test_what_is_said_to_be_new_is_another_one_and_a_question(entities):
    first = entities.one("Max is here", {**entity("Max"), "kind": "dog"})
    second = entities.one("Max is here", {**entity("Max"), "new": True}, session="two")
    assert second["created"]
    assert [one["entity_id"] for one in second["candidates"]] == [first["entity_id"]]
    both = entities.observe("Max and Max", "Max", {**entity("Max"), "new": True}, session="three")
    assert len({row["entity_id"] for row in both["entities"]}) == 2


def test_a_qualifier_is_shown_and_tells_one_from_another(entities):
    daughter = entities.one("Lena slept", {**entity("Lena"), "kind": "daughter"})
    office = {**entity("Lena"), "qualifier": "from the office"}
    row = entities.one("Lena from the office called", office, session="two")
    assert row["created"]
    assert row["label"] == "Lena (from the office)"
    assert [one["entity_id"] for one in row["candidates"]] == [daughter["entity_id"]]
    again = entities.one("Lena from the office left", "Lena", session="three")
    assert again["entity_id"] == row["entity_id"]
    mine = {**entity("Lena"), "qualifier": "my daughter"}
    assert (
        entities.one("my daughter Lena", mine, session="four")["entity_id"]
        == (daughter["entity_id"])
    )
    assert [one["label"] for one in entities.search("Lena")] == ["Lena", "Lena (from the office)"]


def test_another_one_in_the_text_is_new_once(entities):
    first = entities.one("Max is here", "Max")
    other = entities.one("I met another Max", "Max", session="two")
    assert other["created"]
    assert (
        entities.one("The other Max called", "Max", session="three")["entity_id"]
        == (other["entity_id"])
    )
    assert first["entity_id"] != other["entity_id"]


def test_a_kind_is_a_hint_and_the_closer_one_is_kept(entities):
    first = entities.one("Clara called", {**entity("Clara"), "kind": "person"})
    for number, kind in enumerate(("sister", "boss", "colleague")):
        claim = {**entity("Clara"), "kind": kind}
        row = entities.one("Clara called", claim, session=f"s{number}")
        assert row["entity_id"] == first["entity_id"]
    assert entities.record("Clara")["entity_kind"] == "sister"
    other = entities.one("Clara meowed", {**entity("Clara"), "kind": "cat"}, session="cat")
    assert other["created"]
    assert "candidates" not in other


def test_what_the_text_says_of_two_names_is_asked(entities):
    michael = entities.one("Zora is here", "Zora")
    row = entities.one("Quentin, that is Zora, left", "Quentin", session="two")
    assert [one["entity_id"] for one in row["candidates"]] == [michael["entity_id"]]
    [tie] = entities.ties("same_as")
    assert tie["evidence"] == "the text says that Zora is Quentin"


def test_the_better_spelling_is_shown_whichever_way_a_merge_goes(entities):
    wrong = entities.one("Micheal called", "Micheal")["entity_id"]
    right = entities.one("Michael left", "Michael", session="two")["entity_id"]
    entities.days(1)
    entities.one("Michael came", "Michael", session="three")
    merge_id = entities.merge(right, wrong)
    assert entities.get(wrong)["labels"] == ["Michael", "Micheal"]
    assert entities.search("Micheal")[0]["label"] == "Michael"
    entities.unmerge(merge_id)
    assert entities.get(wrong)["labels"] == ["Micheal"]
    entities.merge(wrong, right)
    assert entities.get(wrong)["labels"] == ["Michael", "Micheal"]


def test_a_correction_tells_which_spelling_is_right(entities):
    one = entities.one("Anna Smyth called", "Anna Smyth")["entity_id"]
    for session in ("two", "three"):
        other = entities.one("Anna Smith left", "Anna Smith", session=session)["entity_id"]
    entities.merge(one, other, said="Her name is Anna Smyth, not Anna Smith")
    assert entities.get(other)["labels"] == ["Anna Smyth", "Anna Smith"]


def stated(label, **facts):
    return {**entity(label), "facts": [{"predicate": one, "value": facts[one]} for one in facts]}


def test_what_one_has_but_once_and_two_have_makes_a_second_one_and_a_question(entities):
    text = "Anna was born on 3 May"
    first = entities.one(text, stated("Anna", birthday="3 May"))
    same = entities.one("Anna's birthday is May 3rd", stated("Anna", birthday="May 3rd"))
    assert same["entity_id"] == first["entity_id"]
    other = entities.one("Anna was born on 7 July", stated("Anna", birthday="7 July"), session="t")
    assert other["created"]
    assert [one["entity_id"] for one in other["candidates"]] == [first["entity_id"]]
    # What may change, or what one may have more of, tells nobody apart.
    for number, facts in enumerate(({"likes": "tea"}, {"likes": "coffee"})):
        row = entities.one("Anna likes it", {**stated("Anna", **facts)}, session=f"l{number}")
        assert not row["created"]


def test_years_go_by(entities):
    first = entities.one("Mia is 4", stated("Mia", age="4"))
    entities.days(400)
    older = entities.one("Mia is 5", stated("Mia", age="5"), session="later")
    assert older["entity_id"] == first["entity_id"]
    assert entities.one("Mia is 40", stated("Mia", age="40"), session="last")["created"]


def test_an_import_makes_no_one_being_of_two_of_one_name(entities):
    said = {**entity("Max"), "kind": "brother"}
    [brother] = entities.observe("My brother Max", said)["entities"]
    mine = entities.memory.records()
    theirs = entities.record("Max") | {"entity_kind": "dog", "created_at": 5}
    with pytest.raises(REFUSALS, match=r'^row 0: entity: "Max" is a "brother" here and a "dog"'):
        entities.memory.import_rows([theirs])
    # Records of kinds that agree are one, and this store's own exports always are.
    entities.memory.import_rows(mine)
    assert entities.memory.records() == mine
    entities.memory.import_rows([theirs | {"entity_kind": "lawyer"}])
    # Replaced in the whole file as the refusal says, it is another one.
    other = theirs | {"id": "another", "canonical_name": "max (dog)"}
    entities.memory.import_rows([other])
    labels = {one["id"] for one in entities.records("entity") if one["node_label"] == "Max"}
    assert labels == {brother["entity_id"], "another"}


def test_an_import_overwrites_no_fact_that_another_store_numbered_alike(entities):
    max_ = entities.one("Max is here", "Max")["entity_id"]
    entities.run(calls.entities.fact(max_, "home", "Bonn"))
    [fact] = entities.records("fact")
    with pytest.raises(REFUSALS, match=r'^row 0: fact: "home" is "Bonn" here and "Oslo" in'):
        entities.memory.import_rows([fact | {"value": "Oslo", "known_from": 5}])
    entities.memory.import_rows([fact])
    assert entities.records("fact") == [fact]
