"""What a person at a terminal sees: names as they are, 80 columns, and errors in a line."""

import json
import unicodedata
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from tests.columns import set_columns

from concept_graph_mcp.__main__ import main
from concept_graph_mcp.commands import common
from concept_graph_mcp.commands.common import say
from concept_graph_mcp.printable import printable

HUGE = "9" * 20
LONG = "n" * 300
# What a terminal library takes for markup and emoji, and what a terminal takes for orders.
HOSTILE = ["[/b]", "list[int]", "[red]blood[/red]", ":smile:", "\x1b[2Jgone", "a\nb", "\x9b31m"]


@pytest.fixture(autouse=True)
def eighty_columns(monkeypatch):
    monkeypatch.delenv("CONCEPT_GRAPH_EMBEDDED", raising=False)
    monkeypatch.setenv("TZ", "UTC")
    set_columns(monkeypatch, 80)


@pytest.fixture
def there(tmp_path: Path) -> str:
    return f"--embedded={tmp_path / 'memory.db'}"


def run(*arguments: str, stdin: str | None = None):
    return CliRunner().invoke(main, list(arguments), input=stdin, prog_name="concept-graph-mcp")


def remember(there: str, *records: dict) -> None:
    done = run(there, "import", "-", stdin="\n".join(map(json.dumps, records)))
    assert done.exit_code == 0, done.output


def concept(name: str) -> dict:
    return {"kind": "concept", "name": name, "arousal_level": 1, "accessed_at": 0}


def evokes(source: str, target: str) -> dict:
    return {"kind": "relation", "from": source, "to": target, "type": "evokes", "weight": 0.25}


def assert_a_line(result, code: int) -> str:
    """The command has failed with *code* and one line on stderr, which is returned."""
    assert result.exit_code == code, result.output
    assert result.stdout == ""
    assert result.stderr.startswith("concept-graph-mcp")
    assert result.stderr.endswith("\n")
    assert result.stderr.count("\n") == 1, result.stderr
    return result.stderr


# Names are data


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_is_shown_as_it_is_and_never_obeyed(there, name):
    remember(there, concept("seed"), concept(name), evokes("seed", name))
    for command in (
        ["concept", "search"],
        ["concept", "recall", "seed"],
        ["concept", "remove", name, "--yes"],
    ):
        shown = run(there, *command)
        assert shown.exit_code == 0, shown.output
        assert printable(name) in shown.stdout
        assert "\x1b" not in shown.output


def test_a_hostile_name_in_a_failure_or_a_question_is_escaped(there, tmp_path):
    name = "\x1b]0;owned\x07"
    remember(there, concept(name), concept("b"))
    for refused in (
        run(there, "concept", "rename", name, name),
        run(there, "concept", "remove", name + "!"),
        run(there, "view", name + "!"),
        run(there, name),
        run(there, "export", str(tmp_path / "nowhere" / name)),
        run(there, "restore", name),
    ):
        assert refused.exit_code
        assert "\x1b" not in refused.output
        assert "\\x1b]0;owned\\x07" in refused.output


def test_problems_that_check_and_doctor_print_are_escaped(there):
    # A relation to itself is nothing that a call would make, so the file is changed by hand.
    import sqlite3
    from contextlib import closing

    remember(there, concept("[/b]\x1b[2J"), concept("b"), evokes("[/b]\x1b[2J", "b"))
    with closing(sqlite3.connect(there.partition("=")[2])) as connection, connection:
        connection.execute("UPDATE edge SET properties = '{}'")
    for command in ("check", "doctor"):
        report = run(there, command)
        assert report.exit_code == 1
        assert "no weight" in report.stdout
        assert "[/b]" in report.stdout
        assert "\x1b" not in report.output


@given(st.text(st.characters(), max_size=60))
def test_nothing_that_is_printed_speaks_to_the_terminal(text):
    with CliRunner().isolation() as (stdout, *_):
        say(text)
        printed = stdout.getvalue().decode()
    assert printed == printable(text) + "\n"
    assert not {unicodedata.category(each) for each in printed[:-1]} & {"Cc", "Cs", "Zl", "Zp"}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\tb\r\n", r"a\tb\r\n"),
        ("\x00\x7f\x85", r"\x00\x7f\x85"),
        ("\u2028\u202eabc\u2069", r"\u2028\u202eabc\u2069"),
        ("a\u200e\u200fb\u061c", r"a\u200e\u200fb\u061c"),
        ("a\u200bb\u2060\ufeff", r"a\u200bb\u2060\ufeff"),
        ("a\U000e0041\U000e007fb", r"a\U000e0041\U000e007fb"),
        ("リンゴ 👩‍👧 a\u0301 \\x1b", "リンゴ 👩‍👧 a\u0301 \\x1b"),
    ],
)
def test_control_characters_are_escaped_and_all_others_are_not(text, shown):
    assert printable(text) == shown


def test_json_carries_every_name_exactly_and_no_order_for_the_terminal(there):
    for name in HOSTILE:
        remember(there, concept("seed"), concept(name), evokes("seed", name))
    found = run(there, "concept", "search", "--json").stdout
    assert not [each for each in found if each != "\n" and unicodedata.category(each) == "Cc"]
    assert {row["concept"] for row in json.loads(found)["concepts"]} == {"seed", *HOSTILE}


def test_an_export_to_the_terminal_carries_every_name_and_no_order(there):
    names = {*HOSTILE, "a\x85", "a\u2028", "a\u202e", "a\u200b", "a\U000e0041"}
    remember(there, *map(concept, names))
    shown = run(there, "export", "-").stdout
    assert not {unicodedata.category(each) for each in shown if each != "\n"} & {"Cc", "Zl"}
    assert not set(shown) & {"\u200b", "\U000e0041"}
    records = list(map(json.loads, shown.splitlines()))
    assert {record["name"] for record in records if "name" in record} == names


# Eighty columns


def wide_graph(there: str) -> None:
    episode = "It rained all the way home and the bag broke twice; " * 4
    remember(
        there,
        concept("apple"),
        concept("x" * 200),
        concept("リンゴ" * 60),
        {"kind": "episode", "name": "20250615/apple", "summary": episode, "accessed_at": 0},
        evokes("apple", "x" * 200),
        evokes("apple", "リンゴ" * 60),
        evokes("apple", "20250615/apple"),
    )


def test_a_line_loses_no_text(there):
    wide_graph(there)
    for command in ("recall", "search"):
        shown = run(there, "concept", command, "apple", "x", "リ").stdout
        assert "x" * 200 in shown
        assert "リンゴ" * 60 in shown


def test_help_fits_eighty_columns_and_ends_every_sentence(there):
    told = run("--help").stdout
    assert max(map(len, told.splitlines())) <= 80
    assert "..." not in told.replace("[OPTIONS] [COMMAND] [ARGS]...", "")
    listed = " ".join(told.partition("Use, e.g. ")[2].split())
    names = [name for names in main.list_groups(None).values() for name in names]
    assert len(names) <= 16
    assert names[:7] == ["recall", "remember", "search", "about", "forget", "relate", "identify"]
    for name in names:
        sentence = main.get_command(None, name).help.partition("\n\n")[0]
        assert " ".join(sentence.split()).partition(". ")[0].rstrip(".") in listed


def test_what_is_not_listed_is_in_a_drawer_and_works_without_it(there):
    listed = {name for names in main.list_groups(None).values() for name in names}
    drawers = [main.get_command(None, name) for name in ("admin", "graph")]
    within = {name: one for one in drawers for name in one.list_commands(None)}
    assert within.keys() == {*main.list_commands(None)} - listed
    for name, drawer in within.items():
        assert drawer.get_command(None, name) is main.get_command(None, name)
    assert run(there, "admin", "stats").stdout == run(there, "stats").stdout


@pytest.mark.parametrize("topic", ["memories", "entities", "concept"])
def test_a_topic_without_a_command_says_which_there_are_and_what_each_does(topic):
    told = run(topic)
    assert (told.exit_code, told.stdout) == (2, "")
    assert told.stderr == run(topic, "--help").stdout
    assert "..." not in told.stderr.replace("COMMAND [ARGS]...", "")
    command = main.get_command(None, topic)
    for one in command.commands.values():
        assert f"  {one.name} " in told.stderr


def test_the_help_of_every_command_fits_eighty_columns():
    for name in main.list_commands(None):
        for line in run(name, "--help").stdout.splitlines():
            assert len(line) <= 80, line


# Another time, another form


def test_recall_and_search_look_at_another_time(there):
    remember(there, concept("apple"), concept("fruit"), evokes("apple", "fruit"))
    day, later = "1970-01-01T00:00Z", "1970-01-02T00:00Z"
    (then,) = json.loads(run(there, "concept", "recall", "apple", "--at", day, "--json").stdout)[
        "propositions"
    ]
    (faded,) = json.loads(run(there, "concept", "recall", "apple", "--at", later, "--json").stdout)[
        "propositions"
    ]
    assert then["score"] == 0.25
    assert faded["score"] == pytest.approx(0.25 * 0.36787944, abs=1e-6)
    found = json.loads(run(there, "concept", "search", "fruit", "--at", later, "--json").stdout)[
        "concepts"
    ]
    assert found[0]["concept"] == "fruit"
    assert found[0]["arousal"] == pytest.approx(0.36787944, abs=1e-6)


def test_a_time_without_a_zone_is_in_the_configured_one(there, monkeypatch):
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    remember(there, concept("apple"), concept("fruit"), evokes("apple", "fruit"))
    shown = json.loads(
        run(there, "concept", "recall", "apple", "--at", "1970-01-02T09:00", "--json").stdout
    )
    assert shown["propositions"][0]["arousal"] == pytest.approx(0.36787944, abs=1e-6)


@pytest.mark.parametrize("command", ["recall", "search"])
@pytest.mark.parametrize("at", ["yesterday", "", "1969-12-31", "99999-01-01", "0001-01-01T00:00"])
def test_a_time_that_is_none_is_one_line(there, command, at):
    assert "--at: " in assert_a_line(run(there, "concept", command, "apple", "--at", at), 1)


def test_what_is_printed_as_json_is_whole(there):
    remember(there, concept("apple"), concept("a"), concept("b"))
    remember(there, evokes("apple", "a"), evokes("apple", "b"))
    shown = json.loads(run(there, "concept", "recall", "apple", "--limit", "1", "--json").stdout)
    assert shown["total"] == 2
    assert len(shown["propositions"]) == 1
    assert shown["propositions"][0].keys() >= {
        "text", "score", "valence", "hop", "arousal", "weight", "reverse",
    }  # fmt: skip
    nothing = json.loads(run(there, "concept", "recall", "nosuch", "--json").stdout)
    assert nothing["propositions"] == []
    assert nothing["total"] == 0
    counted = json.loads(run(there, "stats", "--json").stdout)
    assert (counted["concepts"], counted["evokes"]) == (3, 2)
    assert json.loads(run(there, "check", "--json").stdout) == {"problems": []}
    report = run(there, "doctor", "--json")
    assert report.exit_code == 0
    findings = json.loads(report.stdout)["findings"]
    assert {"what": "concepts", "state": "3", "wrong": False} in findings


def test_numbers_that_json_does_not_have_are_null(there):
    import sqlite3
    from contextlib import closing

    remember(there, concept("apple"), concept("fruit"), evokes("apple", "fruit"))
    with closing(sqlite3.connect(there.partition("=")[2])) as connection, connection:
        connection.execute("UPDATE edge SET properties = '{\"weight\":Infinity}'")
    shown = json.loads(
        run(there, "concept", "recall", "apple", "--json").stdout, parse_constant=pytest.fail
    )
    assert shown["propositions"][0]["weight"] is None


def test_check_is_content_with_a_sound_graph_and_says_so(there):
    remember(there, concept("apple"))
    shown = run(there, "check")
    assert shown.exit_code == 0
    assert shown.stdout == "Nothing is wrong.\n"


# One line instead of a traceback


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["view", "--port", "70000"], "'--port': 70000 is not in the range"),
        (["view", "--port", "-1"], "'--port': -1 is not in the range"),
        (["concept", "recall", "a", "--limit", HUGE], f"'--limit': {HUGE} is not in the range"),
        (["concept", "recall", "a", "--limit", "0"], "'--limit': 0 is not in the range"),
        (["concept", "recall", "a", "--hops", HUGE], f"'--hops': {HUGE} is not in the range"),
        (["concept", "recall", "a", "--hops", "11"], "'--hops': 11 is not in the range 0<=x<=10"),
        (["concept", "search", "--limit", HUGE], f"'--limit': {HUGE} is not in the range"),
        (["concept", "rename", "apple"], "Missing argument 'NEW_NAME'"),
        (["forget"], "Missing argument 'ID...'"),
        (["mislay"], "No such command 'mislay'"),
        (
            ["--embedded", "memoires", "search"],
            "No such command 'memoires'. Did you mean 'memories'?",
        ),
        (["--embedded", "serv", "tokens"], "For a file of that name write --embedded=serv"),
        (["concept", "recall", "--limt", "3"], "--limt"),
        (["export", ""], "'FILE': must not be empty"),
        (["import", ""], "'[PATH]': must not be empty"),
        (["backup", "--dir", ""], "'--dir': must not be empty"),
        (["install-modules", ""], "'DIRECTORY': must not be empty"),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else "",
)
def test_a_command_line_that_makes_no_sense_is_one_line(there, arguments, told):
    assert told in assert_a_line(run(there, *arguments), 2)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["concept", "rename", "apple", ""], "new_name: must not be empty"),
        (["concept", "rename", "", "apple"], "concept: must not be empty"),
        (["concept", "remove", ""], "name: must not be empty"),
        (["concept", "remove-relation", "", "is-a", "b"], "from: must not be empty"),
        (["export", LONG], "File name too long"),
        (["import", LONG], "File name too long"),
        (["backup", "--dir", LONG], "File name too long"),
        (["restore", LONG], "no such backup"),
        (["install-modules", LONG], "File name too long"),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else "",
)
def test_an_argument_that_cannot_be_used_is_one_line(there, tmp_path, monkeypatch, arguments, told):
    monkeypatch.chdir(tmp_path)
    remember(there, concept("apple"))
    assert told in assert_a_line(run(there, *arguments), 1)


@pytest.mark.parametrize("command", [["stats"], ["demo"]], ids=" ".join)
def test_a_store_with_too_long_a_name_is_one_line(tmp_path, command):
    refused = run(f"--embedded={tmp_path / LONG}", *command)
    assert LONG in assert_a_line(refused, 1)


def test_a_backfill_from_a_file_with_too_long_a_name_is_one_line(there):
    refused = run(there, "backfill", "--user-id", "u", "--days-per-chunk", "1", LONG)
    assert "does not exist" in assert_a_line(refused, 2)


def test_a_name_that_begins_with_a_dash_is_told_where_it_goes(there):
    remember(there, {"kind": "concept", "name": "-dash"})
    refused = run(there, "concept", "search", "-dash")
    assert refused.stderr == (
        "concept-graph-mcp concept search: No such option '-d'; what begins with a dash and is none"
        " goes after --; see concept-graph-mcp concept search --help\n"
    )
    assert "-dash" in run(there, "concept", "search", "--", "-dash").stdout


def test_a_store_may_have_a_name_that_begins_with_a_dash(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    remember("--embedded=-dash.db", {"kind": "concept", "name": "apple"})
    assert "apple" in run("--embedded=-dash.db", "concept", "search").stdout
    assert (tmp_path / "-dash.db").is_file()


def test_a_search_of_an_empty_graph_says_so(there):
    remember(there, {"kind": "concept", "name": "apple"})
    assert run(there, "concept", "remove", "apple", "--yes").exit_code == 0
    assert run(there, "concept", "search").stdout == "No concept matches.\n"
    assert json.loads(run(there, "concept", "search", "--json").stdout)["concepts"] == []


def test_an_option_of_the_program_after_the_command_says_where_it_goes():
    told = assert_a_line(run("stats", "--embedded"), 2)
    assert "--embedded goes before the command: concept-graph-mcp --embedded stats" in told
    told = assert_a_line(run("stats", "--embedded=x.db"), 2)
    assert "concept-graph-mcp --embedded stats" in told


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("stats",), "counting"),
        (("check",), "checking every node and relation"),
        (("doctor",), "checking every node and relation"),
        (("users", "list"), "counting"),
        (("backup", "--dir", "backups"), "writing a backup and reading it back"),
        (("export", "memory.jsonl"), "counting"),
    ],
)
def test_a_command_that_reads_everything_says_so_on_a_terminal_only(
    there, tmp_path, monkeypatch, arguments, said
):
    remember(there, concept("apple"))
    monkeypatch.chdir(tmp_path)
    again = ["--force"] if arguments[0] == "export" else []
    assert "…" not in run(there, *arguments, *again).stderr
    monkeypatch.setattr(common, "is_watched", lambda: True)
    assert f"{said} …" in run(there, *arguments, *again).stderr
