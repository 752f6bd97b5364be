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
    rows = [
        {"kind": "episode", "name": "e", "summary": said},
        {"kind": "relation", "from": name, "to": "e", "type": "evokes"},
    ]
    [told] = server_memory.tell(rows, "default")
    assert told.text == text
