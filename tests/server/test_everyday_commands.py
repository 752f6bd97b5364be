"""One memory over all layers at the command line, on both stores: `ask`, `remember`, `about` …"""

import json

import pytest
from command_line import ok, run

SAID = "My sister Lena is allergic to hazelnuts!"
LENA = ("remember", "Lena is allergic to hazelnuts", "--about", "Lena (sister)")

NOTHING = "No stored text matches these words; it may be stored in others (--also).\n"


class Person:
    """Somebody at the command line of one store."""

    def __init__(self, store):
        self.store = store

    def says(self, *arguments):
        return ok(*self.store, *arguments).stdout

    def json(self, *arguments):
        return json.loads(self.says(*arguments, "--json"))

    def refused(self, *arguments):
        result = run(*self.store, *arguments)
        assert (result.exit_code in (1, 2), result.stdout) == (True, "")
        [line] = result.stderr.splitlines()
        return line


@pytest.fixture
def person(there, monkeypatch):
    for name in ("CONCEPT_GRAPH_USER", "CONCEPT_GRAPH_CONCEPTS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("CONCEPT_GRAPH_EMBEDDINGS", "none")
    return Person(there)


def test_what_is_remembered_is_what_a_question_brings(person):
    assert person.says(*LENA, "--keep", "years", "--said", SAID).startswith("Stored: ")
    told = person.says("recall", "What", "is Lena allergic to?").splitlines()
    assert told[0] == "Who and what:"
    assert told[1] == "[1] Lena (sister); allergy: hazelnuts"
    assert told[2] == "Said:"
    assert told[3].endswith(", note: “Lena is allergic to hazelnuts”")
    assert person.says("recall", "Good morning!") == NOTHING


@pytest.mark.slow
def test_about_me_prints_a_profile(person):
    assert person.says("about", "me") == "Nothing is known of the user yet.\n"
    person.says("remember", "The user is Lena, a nurse", "--keep", "always")
    title, line = person.says("about", "me").splitlines()
    assert title == "The user:"
    assert line.endswith(", note: “The user is Lena, a nurse”")
    assert person.json("about", "me")["name"] == "Lena"


@pytest.mark.slow
def test_the_same_again_and_nearly_the_same_are_told(person):
    first = person.json(*LENA)
    assert (first.keys() & {"existing", "similar"}) == set()
    assert person.says(*LENA) == f"Stored already: {first['id']}\n"
    other = person.json("remember", "Lena is very allergic to hazelnuts, the nut")
    assert other["similar"] == [{"id": first["id"], "text": LENA[1]}]


@pytest.mark.slow
def test_what_is_typed_is_the_owners_word_but_for_names_outside_what_was_said(person):
    person.says("remember", "Jan swims", "--about", "Jan", "--said", "He swims!")
    assert "[1] Jan (entity, inferred)" in person.says("recall", "How is Jan?")
    person.says(*LENA)
    assert "[1] Lena (sister);" in person.says("recall", "How is Lena?")


@pytest.mark.slow
def test_a_search_goes_over_all_layers(person):
    memory_id = person.json(*LENA)["id"]
    found = person.json("search", "hazelnuts", "--kind", "memory")
    assert (found["total"], [one["id"] for one in found["found"]]) == (1, [memory_id])
    assert f"“Lena is allergic to hazelnuts” ({memory_id})" in person.says("search", "hazelnuts")
    assert person.json("search", "hazelnuts", "--until", "2020-01-01") == {"found": [], "total": 0}
    assert person.says("search", "zeppelin") == NOTHING


@pytest.mark.slow
def test_to_ask_changes_nothing_and_to_touch_counts_an_access(person):
    memory_id = person.json(*LENA)["id"]

    def accesses():
        return person.json("memories", "show", memory_id)["access_count"]

    before = accesses()
    person.says("recall", "What is Lena allergic to?")
    assert accesses() == before
    person.says("recall", "What is Lena allergic to?", "--touch")
    assert accesses() == before + 1


@pytest.mark.slow
def test_a_question_at_an_earlier_time_finds_nothing_later_and_counts_nothing(person):
    person.says(*LENA)
    asked = ("recall", "What is Lena allergic to?", "--at")
    assert person.says(*asked, "2020-01-31") == NOTHING
    assert "hazelnuts" in person.says(*asked, "2999-01-31")
    assert "--at only looks" in person.refused(*asked, "2020-01-31", "--touch")


@pytest.mark.slow
def test_what_was_replaced_is_told_of_a_name_with_its_end(person):
    before = ("--happened", "2025-12-01")
    old = person.json("remember", "Lena lives in Graz", "--about", "Lena", *before)["id"]
    happened = ("--happened", "2026-01-31")
    new = person.json("remember", "Lena moved", "--about", "Lena", "--replaces", old, *happened)
    lines = person.says("about", "Lena").splitlines()
    assert lines[0] == "Lena"
    assert f"said: 2026-01-31, note: “Lena moved” ({new['id']})" in lines
    fact, past = [line for line in lines if "Graz" in line]
    assert fact.startswith("fact: home: Graz, since 2025-12-01, until 2026-01-31, the user (")
    assert past.endswith(f"“Lena lives in Graz”, until 2026-01-31 ({old})")
    told = person.json("about", "Lena", "--limit", "1")
    assert (len(told["said"]), told["more"]) == (1, {"said": 1})


@pytest.mark.slow
def test_what_is_forgotten_comes_back_by_the_command_that_is_told(person):
    memory_id = person.json(*LENA)["id"]
    told = person.says("forget", memory_id, "--reason", "a joke")
    assert told == f"Forgotten; memories restore {memory_id} brings it back.\n"
    assert "hazelnuts" not in person.says("recall", "Which hazelnuts?")
    person.says("memories", "restore", memory_id)
    assert "hazelnuts" in person.says("recall", "Which hazelnuts?")


@pytest.mark.slow
def test_an_entity_that_is_forgotten_comes_back_by_the_same_command(person):
    person.says(*LENA)
    before = person.says("about", "Lena")
    [lena] = [line.split()[1] for line in before.splitlines() if line.startswith("id: ")]
    told = person.says("forget", lena, "--reason", "private")
    assert told == f"Forgotten; memories restore {lena} brings it back.\n"
    assert person.says("about", "Lena") == 'Nothing is known of "Lena".\n'
    assert person.json("about", "Lena")["nothing"] is True
    assert "Lena" not in person.says("entities", "list")
    assert person.says("memories", "restore", lena) == f"{lena}: restored\n"
    assert person.says("memories", "restore", lena) == f"{lena}\n"
    assert person.says("about", "Lena") == before


@pytest.mark.slow
def test_an_entity_that_was_forgotten_is_purged_by_its_id(person):
    person.says(*LENA)
    lena = person.json("about", "Lena")["id"]
    assert "not found" in person.refused("memories", "purge", lena, "--yes")
    person.says("forget", lena)
    listed = person.says("memories", "purge", lena, "--dry-run")
    assert listed.startswith(f"Lena ({lena}): forgotten ")
    assert "Removed: 1." in person.says("memories", "purge", lena, "--yes")
    assert "not found" in person.refused("memories", "restore", lena)
    person.says("check")


def test_two_concepts_are_related(person, monkeypatch):
    assert person.says("relate", "hazelnut", "is-a", "nut") == "hazelnut is-a nut\n"
    monkeypatch.setenv("CONCEPT_GRAPH_CONCEPTS", "own")
    assert "hazelnut is-a nut" in person.says("concept", "recall", "hazelnut")


@pytest.mark.slow
def test_who_is_who_is_settled_by_words_that_are_given_and_taken_back(person):
    for name in ("Clara", "Claire"):
        person.says("remember", f"{name} sings", "--about", name, "--said", f"{name} sings")
    same = ("identify", "Clara", "Claire", "--same", "--said")
    assert "kept as a question" in person.refused(*same, "they are one")
    clara = person.json("about", "Clara")
    assert person.json("about", clara["id"]) == clara
    row = person.json(*same, "Claire is Clara")
    assert row["verdict"] == "same"
    assert "also Claire" in person.says("about", "Clara") + person.says("about", "Claire")
    person.says("entities", "unmerge", row["undo"], "--yes")
    told = person.says("identify", "Clara", "--different", "--said", "That is another Clara")
    assert told.startswith("different; entities unmerge ")


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["recall", ""], "message: must not be empty"),
        (["remember", "x", "--about", ""], "about: must not be empty"),
        (["remember", "x", "--keep", "weeks"], "'weeks' is not one of 'days', 'normal'"),
        (["remember", "x", "--happened", "soon"], "happened_at: must be a date or a time such as"),
        (["remember", "x", "--replaces", "nope"], 'replaces: not found: "nope"'),
        (["recal", "hi"], "Did you mean 'recall'?"),
        (["forget", "nope"], 'id: not found: "nope"'),
        (["relate", "a", "likes", "b"], "'likes' is not one of 'is-a'"),
        (["identify", "a", "b", "--same"], "Missing option '--said'"),
        (["identify", "a", "b", "--said", "a is b"], "Missing option '--same'"),
        (["identify", "a", "b", "--same", "--said", "a is b"], 'a: not found: "a"'),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_cannot_be_done_is_one_line(person, arguments, line):
    person.says("remember", "The sun shines")
    assert line in person.refused(*arguments)


def test_nothing_of_another_user_is_told(person, monkeypatch):
    person.says(*LENA, "--said", SAID)
    monkeypatch.setenv("CONCEPT_GRAPH_USER", "bob")
    assert person.says("recall", "What is Lena allergic to?") == NOTHING
    assert person.says("about", "Lena") == 'Nothing is known of "Lena".\n'
    assert person.json("about", "Lena")["nothing"] is True


@pytest.mark.slow
def test_other_words_are_asked_too(person):
    person.says(*LENA)
    assert person.says("recall", "What may my guest not eat?") == NOTHING
    told = person.says("recall", "What may my guest not eat?", "--also", "violin", "--also", "nuts")
    assert told == NOTHING
    told = person.says("recall", "What may my guest not eat?", "--also", "allergy")
    assert "“Lena is allergic to hazelnuts”" in told
    line = person.refused(
        "recall", "Who?", *(part for one in range(21) for part in ("--also", str(one)))
    )
    assert line.endswith("also: 21 texts are too many; at most 20")
