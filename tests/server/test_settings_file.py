"""The settings file: what it stands for, what stands above it, and how it is written."""

from pathlib import Path

import platformdirs
import pytest

from concept_graph_mcp import Memory, settings, settings_file
from concept_graph_mcp.settings import SettingsError

WHOLE = """\
# Mine.
store = "/somewhere/memory.db"  # on the big disk
user = "ada"
concepts = "shared"
time_zone = "Europe/Berlin"
languages = ["de", "en"]
embedding = "none"
asks = 0.4
answers = "0"
"""


@pytest.fixture
def file(tmp_path) -> Path:
    return tmp_path / "folder/config.toml"


def write(file: Path, text: str) -> None:
    file.parent.mkdir(exist_ok=True)
    file.write_text(text, encoding="utf-8")


def read(environment: dict[str, str], file: Path) -> settings.Settings:
    return settings.read({"TZ": "UTC"} | settings_file.merge_environment(environment, file))


def test_it_is_in_the_platforms_folder_for_settings():
    folder = platformdirs.user_config_dir("concept-graph-mcp", appauthor=False)
    assert settings_file.find_file() == Path(folder) / "config.toml"


def test_without_a_file_the_environment_stands_alone(file):
    assert settings_file.read_file(file) is None
    assert settings_file.merge_environment({"TZ": "UTC", "CONCEPT_GRAPH_USER": " "}, file) == {
        "TZ": "UTC"
    }


def test_every_setting_of_the_file_is_read(file):
    write(file, WHOLE)
    chosen = read({}, file)
    assert chosen.embedded == Path("/somewhere/memory.db")
    assert (chosen.user_id, chosen.concepts, chosen.embeddings) == ("ada", "shared", None)
    assert chosen.zone.key == "Europe/Berlin"
    assert (chosen.asks, chosen.answers) == (0.4, 0.0)
    assert settings_file.merge_environment({}, file)["CONCEPT_GRAPH_LANGUAGES"] == "de,en"


def test_the_environment_stands_above_the_file(file):
    write(file, WHOLE)
    given = {"CONCEPT_GRAPH_USER": "bob", "TZ": "Asia/Tokyo", "CONCEPT_GRAPH_EMBEDDINGS": " "}
    chosen = read(given, file)
    assert (chosen.user_id, chosen.zone.key, chosen.embeddings) == ("bob", "Asia/Tokyo", None)


@pytest.mark.parametrize("name", ["MEMGRAPH_URI", "MEMGRAPH_URL"])
def test_a_store_of_the_environment_takes_the_place_of_the_files(file, name):
    write(file, WHOLE)
    chosen = read({name: "bolt://one:7687"}, file)
    assert (chosen.embedded, chosen.uri) == (None, "bolt://one:7687")
    write(file, 'store = "bolt://two:7687"')
    assert read({}, file).uri == "bolt://two:7687"
    assert read({"CONCEPT_GRAPH_EMBEDDED": "/a.db"}, file).embedded == Path("/a.db")


def test_a_file_that_names_no_store_means_the_usual_one(file):
    write(file, 'user = "ada"')
    assert read({}, file).embedded == settings.default_path()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("store = ", "correct it"),
        ('stores = "x"', "stores: is none of store, user, me, concepts"),
        ("user = 1", "user: must be a string, not 1"),
        ('store = "memory.db"', "store: must be an absolute path or a URI"),
        ('store = "bolt://a:open-sesame-42@x"', "must not hold credentials"),
        ('time_zone = "Nowhere"', "unknown time zone"),
        ('concepts = "all"', "must be one of shared, own"),
        ('languages = ["xx"]', "unknown 'xx'"),
        ('embedding = "parrot"', "must be one of"),
        ("asks = 2", "CONCEPT_GRAPH_ASKS: must be a number from 0 to 1, not '2'"),
        ("answers = true", "answers: must be a string, not True"),
    ],
)
def test_what_is_wrong_in_it_is_one_line_that_names_it(file, text, told):
    write(file, text)
    with pytest.raises(SettingsError) as failure:
        settings_file.read_file(file)
    assert str(failure.value).startswith(f"{file}: ")
    assert told in str(failure.value)
    assert "\n" not in str(failure.value)
    assert "open-sesame-42" not in str(failure.value)


def test_a_file_that_cannot_be_read_is_one_line(file):
    file.mkdir(parents=True)
    with pytest.raises(SettingsError, match="cannot be read"):
        settings_file.read_file(file)


def test_a_change_of_it_keeps_what_was_there(file):
    values = {"store": "/somewhere/memory.db", "languages": "en, de"}
    made = settings_file.edit_text("", values, file)
    assert made == 'store = "/somewhere/memory.db"\nlanguages = ["en", "de"]\n'
    made = settings_file.edit_text(WHOLE, {"user": "bob", "concepts": None}, file)
    assert made == WHOLE.replace("ada", "bob").replace('concepts = "shared"\n', "")


def test_what_would_be_wrong_is_not_made(file):
    for values in ({"store": "memory.db"}, {"time_zone": "Nowhere"}, {"password": "x"}):
        with pytest.raises(SettingsError):
            settings_file.edit_text(WHOLE, values, file)


@pytest.mark.parametrize(
    ("text", "tells"), [("", True), ("asks = 1", False), ("answers = 1", False)]
)
def test_it_makes_recalls_quieter(file, tmp_path, monkeypatch, text, tells):
    write(file, text)
    monkeypatch.setattr(settings_file, "find_file", lambda: file)
    with Memory.open(tmp_path / "memory.db", embeddings="none") as memory:
        memory.remember("The kiln in the cellar needs four hours to cool down")
        said = memory.recall("How long does the kiln cool?")["text"]
    assert ("four hours" in said) == tells
