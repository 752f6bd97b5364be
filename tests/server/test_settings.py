"""What is configured: from the environment and the options, into one frozen value."""

import json
import re
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import platformdirs
import pytest
import tzlocal
from tests.markdown import ROOT

from concept_graph_mcp import settings
from concept_graph_mcp.settings import SettingsError
from concept_graph_mcp.tools import toolsets

TZ = {"TZ": "Asia/Tokyo"}
MEMGRAPH = {"TZ": "UTC", "MEMGRAPH_URI": "bolt://localhost"}
[PACKAGE] = json.loads((ROOT / "server/server.json").read_text(encoding="utf-8"))["packages"]
DECLARED = PACKAGE["environmentVariables"]


def test_with_nothing_set_the_store_is_the_usual_file_of_its_owner():
    assert settings.read({}) == settings.Settings(
        zone=ZoneInfo(settings.machine_zone()),
        tau_ms=86_400_000,
        uri="bolt://localhost:7687",
        user="",
        password="",
        embedded=settings.default_path(),
        concepts="own",
    )


def test_a_bare_server_offers_every_day_in_the_usual_file():
    chosen = settings.read(TZ, is_server=True)
    assert chosen.toolsets == ("everyday",)
    assert (chosen.embedded, chosen.concepts) == (settings.default_path(), "own")
    chosen = settings.read(TZ | {"MEMGRAPH_URI": "bolt://one"}, is_server=True)
    assert (chosen.toolsets, chosen.concepts) == (("everyday",), "own")


def test_a_server_of_concepts_alone_keeps_the_store_of_earlier_versions():
    chosen = settings.read(TZ, toolsets="concept", is_server=True)
    assert (chosen.embedded, chosen.uri) == (None, "bolt://localhost:7687")
    assert chosen.concepts == "shared"
    for offered in ("everyday", "concept,everyday", "memory"):
        chosen = settings.read(TZ, toolsets=offered, is_server=True)
        assert (chosen.embedded, chosen.concepts) == (settings.default_path(), "own")
    assert settings.read(TZ, "/a.db", is_server=True).concepts == "own"


@pytest.mark.parametrize(
    ("environment", "toolsets", "whose"),
    [
        ({"CONCEPT_GRAPH_EMBEDDED": "/a.db"}, "concept", "own"),
        ({"MEMGRAPH_URI": "bolt://one"}, "concept", "shared"),
        ({"MEMGRAPH_URI": "bolt://one"}, "concept,everyday", "own"),
        ({"MEMGRAPH_URI": "bolt://one"}, "memory", "shared"),
        ({"CONCEPT_GRAPH_EMBEDDED": "/a.db", "CONCEPT_GRAPH_CONCEPTS": "shared"}, "", "shared"),
        ({"MEMGRAPH_URI": "bolt://one", "CONCEPT_GRAPH_CONCEPTS": "own"}, "concept", "own"),
    ],
)
def test_whose_concepts_goes_by_the_store_unless_it_is_set(environment, toolsets, whose):
    for is_server in (True, False):
        chosen = settings.read(TZ | environment, toolsets=toolsets, is_server=is_server)
        assert chosen.concepts == whose


def test_everything_can_be_set():
    environment = {
        "TZ": "Europe/Berlin",
        "AROUSAL_TAU_MS": "3600000",
        "MEMGRAPH_URI": "neo4j+s://graph.example:7688",
        "MEMGRAPH_USER": "keeper",
        "MEMGRAPH_PASSWORD": "open-sesame-42",
        "CONCEPT_GRAPH_EMBEDDED": "/somewhere/memory.db",
    }
    assert settings.read(environment) == settings.Settings(
        zone=ZoneInfo("Europe/Berlin"),
        tau_ms=3_600_000,
        uri="neo4j+s://graph.example:7688",
        user="keeper",
        password="open-sesame-42",
        embedded=Path("/somewhere/memory.db"),
        concepts="own",
    )


@pytest.mark.parametrize("blank", ["", " ", "\t \r\n"])
def test_variables_that_are_blank_are_as_if_they_were_not_set(blank):
    names = {variable["name"] for variable in DECLARED} - TZ.keys()
    assert {"CONCEPT_GRAPH_EMBEDDED", "MEMGRAPH_PASSWORD", "AROUSAL_TAU_MS"} < names
    assert settings.read(TZ | dict.fromkeys(names, blank)) == settings.read(TZ)


def test_without_a_time_zone_it_is_that_of_the_machine(monkeypatch):
    monkeypatch.setattr(settings, "machine_zone", lambda: "Europe/Berlin")
    for environment in ({}, {"TZ": ""}, {"TZ": " "}):
        assert settings.read(environment).zone == ZoneInfo("Europe/Berlin")
    assert settings.read(TZ).zone == ZoneInfo("Asia/Tokyo")


def test_the_password_is_in_no_representation():
    credentials = {"MEMGRAPH_USER": "keeper", "MEMGRAPH_PASSWORD": "open-sesame-42"}
    configured = settings.read(TZ | credentials)
    assert "open-sesame-42" not in repr(configured)
    assert "open-sesame-42" not in str(configured)


def test_a_password_without_a_user_is_one_line_that_does_not_show_it():
    for user in ({}, {"MEMGRAPH_USER": ""}):
        with pytest.raises(SettingsError) as failure:
            settings.read(MEMGRAPH | {"MEMGRAPH_PASSWORD": "open-sesame-42"} | user)
        assert str(failure.value) == (
            "MEMGRAPH_PASSWORD is set but MEMGRAPH_USER is not; set MEMGRAPH_USER too, or unset"
            " the password"
        )


def test_a_password_without_a_user_is_no_matter_where_no_memgraph_is_asked():
    chosen = settings.read(TZ | {"MEMGRAPH_PASSWORD": "open-sesame-42"}, "/somewhere/memory.db")
    assert chosen.embedded == Path("/somewhere/memory.db")


WRONG = {
    "TZ": "Nowhere",
    "AROUSAL_TAU_MS": "abc",
    "MEMGRAPH_URI": "http://localhost",
    "MEMGRAPH_PASSWORD": "open-sesame-42",
    "CONCEPT_GRAPH_USER": "a" * 1_001,
    "CONCEPT_GRAPH_TOOLSETS": "dreams",
    "CONCEPT_GRAPH_LANGUAGES": "klingon",
    "CONCEPT_GRAPH_ASKS": "1.5",
    "CONCEPT_GRAPH_ANSWERS": "nan",
    "CONCEPT_GRAPH_DECAY": "speed=1",
    "CONCEPT_GRAPH_EMBEDDINGS": "parrot",
    "CONCEPT_GRAPH_DECAY_USERS": "b" * 1_001,
    "CONCEPT_GRAPH_RETENTION_DAYS": "-1",
    "CONCEPT_GRAPH_REDACT": "perhaps",
}


def test_all_that_is_wrong_is_told_at_once():
    with pytest.raises(SettingsError) as failure:
        settings.read(WRONG)
    problems = failure.value.problems
    assert str(failure.value) == "; ".join(problems)
    for name, value in WRONG.items():
        [told] = [one for one in problems if re.search(rf"\b{name}\b", one)]
        assert "\n" not in told
        # What is told at once is what is told alone.
        with pytest.raises(SettingsError) as alone:
            settings.read({"TZ": "UTC", **MEMGRAPH, name: value})
        assert alone.value.problems == (told,)
    assert len(problems) == len(WRONG)


def test_a_password_is_not_asked_about_where_the_file_has_no_home():
    with pytest.raises(SettingsError) as failure:
        settings.read({**TZ, "MEMGRAPH_PASSWORD": "x"}, "~nobody-at-all/memory.db")
    assert len(failure.value.problems) == 1


def test_a_user_may_have_no_password():
    assert settings.read(TZ | {"MEMGRAPH_USER": "keeper"}).user == "keeper"


def test_a_leading_colon_of_a_time_zone_is_allowed():
    assert settings.read({"TZ": ":Asia/Tokyo"}).zone == ZoneInfo("Asia/Tokyo")


@pytest.mark.parametrize("zone", ["Nowhere", "Asia", "../etc/passwd", "/etc/passwd", "a\0b", "é"])
def test_an_unknown_time_zone_is_one_line(zone):
    with pytest.raises(SettingsError) as failure:
        settings.read({"TZ": zone})
    assert str(failure.value).startswith("TZ: ")
    assert "\n" not in str(failure.value)


@pytest.mark.parametrize(
    ("value", "tau_ms"), [("1", 1), ("86400000", 86_400_000), ("1e6", 1_000_000), ("2.5", 2)]
)
def test_the_time_constant_is_a_number_of_milliseconds(value, tau_ms):
    assert settings.read(TZ | {"AROUSAL_TAU_MS": value}).tau_ms == tau_ms


@pytest.mark.parametrize("value", ["abc", "0", "0.5", "-1", "nan", "inf", "1e400", "1e300", "a\nb"])
def test_a_time_constant_that_cannot_be_used_is_one_line(value):
    with pytest.raises(SettingsError) as failure:
        settings.read(TZ | {"AROUSAL_TAU_MS": value})
    assert str(failure.value).startswith("AROUSAL_TAU_MS: ")
    assert "\n" not in str(failure.value)


@pytest.mark.parametrize(
    "uri",
    [
        "bolt://localhost",
        "bolt://localhost:7687",
        "bolt+s://graph.example:7687",
        "bolt+ssc://127.0.0.1:1",
        "neo4j://[::1]:7687",
        "neo4j+s://graph.example",
        "neo4j+ssc://graph.example",
    ],
)
def test_the_uris_that_the_driver_knows_are_taken_as_they_are(uri):
    assert settings.read(TZ | {"MEMGRAPH_URI": uri}).uri == uri


@pytest.mark.parametrize(
    "uri",
    [
        "http://localhost:7687",
        "localhost:7687",
        "localhost",
        "bolt://",
        "bolt://:7687",
        "bolt:localhost",
        "bolt://localhost:port",
        "bolt://localhost:65536",
        "bolt://[::1",
        "bolt://guest@localhost",
        "bolt://guest:open-sesame-42@localhost",
        "bolt://guest:open-sesame-42@localhost:port",
        "neo4j://localhost?password=open-sesame-42",
        "neo4j://localhost:7687/?policy=eu&Password=open-sesame-42",
        "neo4j+s://localhost?auth_token=open-sesame-42",
        "bolt://localhost?pwd=open-sesame-42",
    ],
)
@pytest.mark.parametrize("name", ["MEMGRAPH_URI", "MEMGRAPH_READ_URI"])
def test_a_uri_that_cannot_be_used_is_one_line_without_what_may_be_secret(name, uri):
    with pytest.raises(SettingsError) as failure:
        settings.read(TZ | {name: uri})
    assert str(failure.value).startswith(f"{name}: ")
    assert "\n" not in str(failure.value)
    assert "open-sesame-42" not in str(failure.value)
    assert failure.value.__suppress_context__ or failure.value.__context__ is None


def test_a_routing_context_is_taken_and_not_shown():
    uri = "neo4j://graph.example:7688?policy=eu"
    assert settings.read(TZ | {"MEMGRAPH_URI": uri}).uri == uri
    assert settings.location(uri) == "neo4j://graph.example:7688"


def test_each_replica_is_named_once():
    uris = " bolt://one:7687,bolt://two:7687, ,bolt://one:7687"
    chosen = settings.read(TZ | {"MEMGRAPH_READ_URI": uris})
    assert chosen.read_uris == ("bolt://one:7687", "bolt://two:7687")
    assert settings.read(TZ).read_uris == ()


def test_a_replica_is_one_server():
    with pytest.raises(SettingsError, match="MEMGRAPH_READ_URI: must be bolt:// URIs"):
        settings.read(TZ | {"MEMGRAPH_READ_URI": "neo4j://graph.example"})


def test_both_names_of_the_uri_work_and_the_first_one_wins():
    first, second = "bolt://first", "bolt://second"
    assert settings.read(TZ | {"MEMGRAPH_URL": second}).uri == second
    assert settings.read(TZ | {"MEMGRAPH_URI": first, "MEMGRAPH_URL": second}).uri == first


@pytest.mark.parametrize("value", ["0", "false", "No", "OFF\r"])
def test_the_environment_can_say_that_nothing_is_embedded(value):
    assert settings.read(TZ | {"CONCEPT_GRAPH_EMBEDDED": value}).embedded is None


@pytest.mark.parametrize("value", ["1", "true", "Yes", "ON", "1 "])
def test_the_environment_can_say_that_the_store_is_embedded_in_its_usual_place(value):
    configured = settings.read(TZ | {"CONCEPT_GRAPH_EMBEDDED": value})
    assert configured.embedded == settings.default_path()


def test_the_option_goes_before_the_environment():
    environment = TZ | {"CONCEPT_GRAPH_EMBEDDED": "/named/memory.db"}
    assert settings.read(environment, "/option.db").embedded == Path("/option.db")
    for blank in ("", " "):
        assert settings.read(environment, blank).embedded == settings.default_path()
    assert settings.read(environment, None).embedded == Path("/named/memory.db")


def test_a_path_may_begin_at_home(monkeypatch):
    monkeypatch.setenv("HOME", "/home/keeper")
    assert settings.read(TZ, "~/memory.db").embedded == Path("/home/keeper/memory.db")
    environment = TZ | {"CONCEPT_GRAPH_EMBEDDED": "~/memory.db"}
    assert settings.read(environment).embedded == Path("/home/keeper/memory.db")


@pytest.mark.parametrize("by_option", [True, False])
def test_the_home_of_nobody_is_one_line(by_option):
    path = "~nobody-of-that-name/memory.db"
    environment = TZ if by_option else TZ | {"CONCEPT_GRAPH_EMBEDDED": path}
    with pytest.raises(SettingsError) as failure:
        settings.read(environment, path if by_option else None)
    assert "\n" not in str(failure.value)


@pytest.mark.parametrize("path", [":memory:", "./:memory:"])
def test_a_store_that_would_keep_nothing_is_one_line(path):
    for environment, option in ((TZ, path), (TZ | {"CONCEPT_GRAPH_EMBEDDED": path}, None)):
        with pytest.raises(SettingsError, match="would keep nothing; name a file"):
            settings.read(environment, option)


def test_the_usual_place_is_the_data_directory_of_the_platform(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    directory = platformdirs.user_data_dir("concept-graph-mcp", appauthor=False)
    assert settings.default_path() == Path(directory) / "memory.db"


def test_the_zone_of_the_machine_is_one_that_exists():
    assert ZoneInfo(settings.machine_zone())


@pytest.mark.parametrize(
    ("told", "zone"),
    [("Asia/Tokyo", "Asia/Tokyo"), ("Somewhere/Else", "UTC"), ("/etc/own", "UTC"), (None, "UTC")],
)
def test_a_machine_whose_zone_has_no_name_is_in_utc(monkeypatch, told, zone):
    monkeypatch.setattr(tzlocal, "get_localzone_name", lambda: told)
    assert settings.machine_zone() == zone


def test_a_machine_that_says_two_zones_is_in_utc(monkeypatch):
    def name() -> str:
        raise ZoneInfoNotFoundError("Multiple conflicting time zone configurations found:\n...")

    monkeypatch.setattr(tzlocal, "get_localzone_name", name)
    assert settings.machine_zone() == "UTC"


def test_toolsets_are_named_by_the_option_or_the_environment():
    variable = {"CONCEPT_GRAPH_TOOLSETS": " concept , concept,"}
    assert settings.read(TZ | variable).toolsets == ("concept",)
    assert settings.read(TZ | variable, toolsets="concept").toolsets == ("concept",)
    assert settings.read(TZ, toolsets="").toolsets == settings.DEFAULT_TOOLSETS
    with pytest.raises(SettingsError, match="there is no toolset 'nothing'; known are concept"):
        settings.read(TZ | variable, toolsets="nothing")


def test_the_toolsets_that_settings_know_are_those_that_there_are():
    assert tuple(toolsets.TOOLSETS) == settings.KNOWN_TOOLSETS


def test_a_scope_is_named_by_the_environment_alone():
    assert settings.read(TZ | {"CONCEPT_GRAPH_USER": "mia"}).user_id == "mia"
    for bad in ("x" * 1_001, "a\0b"):
        with pytest.raises(SettingsError, match="CONCEPT_GRAPH_USER: "):
            settings.read(TZ | {"CONCEPT_GRAPH_USER": bad})


def test_a_user_is_one_however_the_system_writes_accents():
    one, other = "Zo\u00eb", "Zoe\u0308"
    for variable in ("CONCEPT_GRAPH_USER", "CONCEPT_GRAPH_DECAY_USERS"):
        assert settings.read(TZ | {variable: one}) == settings.read(TZ | {variable: other})
