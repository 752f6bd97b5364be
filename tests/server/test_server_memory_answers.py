"""A file of the reference memory server answers questions once it is imported."""

import json
from collections import Counter

import pytest
from command_line import ok

from concept_graph_mcp.file_formats import server_memory


def entity(name, kind, *observations):
    return {"type": "entity", "name": name, "entityType": kind, "observations": [*observations]}


def relation(source, kind, target):
    return {"type": "relation", "from": source, "relationType": kind, "to": target}


FILE = [
    entity("default_user", "person", "Lives in Ghent since 2021", "Allergic to penicillin"),
    entity("Marieke_Claes", "person", "Teaches chemistry"),
    entity("Sofie_Maes", "person", "Wants the inventory report every Monday"),
    entity("Lisbon_trip", "event", "Flight leaves on 25 October at 7:40"),
    entity("UZ_Gent", "hospital"),
    relation("default_user", "married_to", "Marieke_Claes"),
    relation("Sofie_Maes", "manages", "default_user"),
    relation("default_user", "works_at", "UZ_Gent"),
]


@pytest.fixture
def there(tmp_path, monkeypatch):
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.setenv("CONCEPT_GRAPH_CONCEPTS", "own")
    monkeypatch.setenv("CONCEPT_GRAPH_EMBEDDINGS", "none")
    file = tmp_path / "memory.json"
    file.write_text("".join(json.dumps(one) + "\n" for one in FILE))
    place = f"--embedded={tmp_path / 'memory.db'}"
    ok(place, "import", str(file))
    return place, str(file)


@pytest.mark.parametrize(
    ("command", "asked", "answer"),
    [
        ("recall", "What am I allergic to?", "penicillin"),
        ("recall", "When does the flight to Lisbon leave?", "25 October"),
        ("recall", "Who wants the inventory report?", "Sofie Maes"),
        ("about", "Marieke Claes", "chemistry"),
        ("about", "Marieke", "arried to"),
    ],
)
def test_a_question_is_answered_from_the_file(there, command, asked, answer):
    assert answer in ok(there[0], command, asked).stdout


def count_kinds(place):
    _, *records = map(json.loads, ok(place, "export", "-").stdout.splitlines())
    return Counter(record["kind"] for record in records)


def test_the_file_again_changes_nothing(there):
    place, file = there
    before = count_kinds(place)
    assert "memories existing: 8" in ok(place, "import", file).stderr
    assert count_kinds(place) == before


def test_shared_concepts_get_no_memories_of_one_user(tmp_path, monkeypatch, there):
    monkeypatch.setenv("CONCEPT_GRAPH_CONCEPTS", "shared")
    place = f"--embedded={tmp_path / 'other.db'}"
    assert "memories" not in ok(place, "import", there[1]).stderr


@pytest.mark.parametrize(
    ("name", "said", "text"),
    [
        ("Clara", "Is allergic to nuts", "Clara is allergic to nuts"),
        ("Clara", "Allergic to nuts", "Clara: Allergic to nuts"),
        ("Clara", "Clara likes tea", "Clara likes tea"),
        ("default_user", "Has a cat", "The user has a cat"),
        ("default_user", "Birthday is 14 March", "The user: Birthday is 14 March"),
        ("UZ_Gent", "Class 1 hospital", "UZ Gent: Class 1 hospital"),
    ],
)
def test_an_observation_stands_alone(name, said, text):
    assert [one.text for one in tell(name, said)] == [text]


def tell(name, *said, kind=None, me=()):
    """Return what a file tells of an entity with these observations."""
    rows = [] if kind is None else [{"kind": "relation", "from": name, "to": kind, "type": "is-a"}]
    for number, one in enumerate(said):
        rows.append({"kind": "episode", "name": f"e{number}", "summary": one})
        rows.append({"kind": "relation", "from": name, "to": f"e{number}", "type": "evokes"})
    return list(server_memory.tell(rows, ["default", *me]))


def test_the_observations_of_an_entity_are_one_memory_that_says_what_it_is():
    said = "Grey, 7 years", "Takes thyroid medicine", "vet is Dr. Ek"
    [told] = tell("Misu", *said, kind="cat")
    assert told.text == "Misu (cat): Grey, 7 years. Misu takes thyroid medicine. vet is Dr. Ek."
    assert told.about == ({"name": "Misu", "kind": "cat"},)


def test_many_observations_are_several_memories_that_each_say_whose_they_are():
    told = tell("Misu", *(f"Sleeps at place {number} all day long" for number in range(60)))
    assert len(told) > 1
    assert all(one.text.startswith("Misu") and len(one.text) < 1_000 for one in told)


def test_what_is_said_of_the_user_stays_apart():
    told = tell("Ada", "Lives in Ghent", "Has a cat", me=["Ada"])
    assert [one.text for one in told] == ["The user lives in Ghent", "The user has a cat"]


def test_what_ties_two_names_of_the_user_keeps_the_other_one():
    rows = [
        {"kind": "episode", "name": "e", "summary": "default_user is called Ada Brandt"},
        {"kind": "relation", "from": "default_user", "to": "e", "type": "evokes"},
        {"kind": "relation", "from": "Ada Brandt", "to": "e", "type": "evokes"},
    ]
    [told] = server_memory.tell(rows, ["Ada Brandt"])
    assert told == server_memory.Told("The user is called Ada Brandt", ())


def test_the_import_is_told_which_entity_the_user_is(tmp_path, there, monkeypatch):
    monkeypatch.setenv("CONCEPT_GRAPH_EMBEDDINGS", "none")
    file = tmp_path / "named.json"
    lines = [entity("Ada", "person", "Lives in Ghent"), relation("Ada", "owns", "Misu")]
    file.write_text("".join(json.dumps(one) + "\n" for one in lines))
    place = f"--embedded={tmp_path / 'named.db'}"
    assert "--me NAME" in ok(place, "import", "--dry-run", str(file)).stderr
    assert "--me NAME" not in ok(place, "import", "--me", "ada", str(file)).stderr
    assert "The user lives in Ghent" in ok(place, "recall", "Where do I live?").stdout
    assert "The user owns Misu" in ok(place, "about", "Misu").stdout
    assert "--me NAME" not in ok(there[0], "import", there[1]).stderr
