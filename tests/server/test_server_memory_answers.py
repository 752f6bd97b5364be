"""A file of the reference memory server answers questions once it is imported."""

import json
from collections import Counter
from datetime import UTC, datetime

import pytest
from command_line import ok

from concept_graph_mcp.file_formats import server_memory
from concept_graph_mcp.file_formats.lines import Naming, Tally


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
    assert [one["text"] for one in tell(name, said)] == [text]


def read(*lines, me=()):
    """Return the notes that a file of these *lines* has."""
    numbered = ((n, json.dumps(one)) for n, one in enumerate(lines, 1))
    naming = Naming("20250615", called=("default", *me))
    rows = [row.record for row in server_memory.read(numbered, naming, Tally())]
    return [one for one in rows if one["kind"] == "note"]


def tell(name, *said, kind=None, me=()):
    """Return what a file tells of an entity with these observations."""
    return read(entity(name, kind or "", *said), me=me)


def test_the_observations_of_an_entity_are_one_memory_that_says_what_it_is():
    said = "Grey, 7 years", "Takes thyroid medicine", "vet is Dr. Ek"
    [told] = tell("Misu", *said, kind="cat")
    assert told["text"] == "Misu (cat): Grey, 7 years. Misu takes thyroid medicine. vet is Dr. Ek."
    assert told["about"] == [{"name": "Misu", "kind": "cat"}]


def test_many_observations_are_several_memories_that_each_say_whose_they_are():
    told = tell("Misu", *(f"Sleeps at place {number} all day long" for number in range(60)))
    assert len(told) > 1
    assert all(one["text"].startswith("Misu") and len(one["text"]) < 1_000 for one in told)


def test_what_is_said_of_the_user_stays_apart():
    told = tell("Ada", "Lives in Ghent", "Has a cat", me=["Ada"])
    assert [one["text"] for one in told] == ["The user lives in Ghent", "The user has a cat"]


def test_what_ties_two_names_of_the_user_keeps_the_other_one():
    [told] = read(relation("default_user", "is_called", "Ada Brandt"), me=["Ada Brandt"])
    assert (told["text"], told["about"]) == ("The user is called Ada Brandt", [])


@pytest.mark.parametrize(
    ("times", "day"),
    [
        ({"createdAt": "2024-03-01T08:00:00Z"}, "20240301"),
        ({"createdAt": "2024-03-01T08:00:00Z", "updatedAt": "2024-04-02T08:00:00Z"}, "20240402"),
        ({"timestamp": 1_709_280_000}, "20240301"),
        ({"created_at": 1_709_280_000_000}, "20240301"),
    ],
)
def test_the_times_of_a_file_count(times, day):
    rows = list(
        server_memory.read(
            [(1, json.dumps(entity("Clara", "person", "Likes tea") | times))],
            Naming("20250615"),
            Tally(),
        )
    )
    [named] = [row.record["name"] for row in rows if row.record["kind"] == "episode"]
    [told] = [row.record["happened_at"] for row in rows if row.record["kind"] == "note"]
    assert named.startswith(f"{day}/Clara")
    assert f"{datetime.fromtimestamp(told / 1_000, UTC):%Y%m%d}" == day


def test_an_observation_may_have_a_time_of_its_own():
    said = {"content": "Moved to Ghent", "timestamp": "2021-05-01T00:00:00Z"}
    first, second = tell("Clara", said, "Likes tea")
    assert first["text"] == "Clara: Moved to Ghent"
    assert (first["happened_at"], second["happened_at"]) == (1_619_827_200_000, None)


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


def test_an_import_of_such_a_file_is_taken_back_whole(there):
    place, _ = there
    listed = ok(place, "import", "--list").stdout
    assert "8 memories and " in listed
    told = ok(place, "import", "--undo", listed.split()[0], "--yes").stderr
    assert told.endswith(", kept because something else has or needs them: 0\n")
    assert not count_kinds(place)
    assert "nothing was imported" in ok(place, "import", "--list").stderr
