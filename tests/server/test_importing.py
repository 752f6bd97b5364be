"""Import: what a file says is in the graph or is told, and half a file is never a mystery."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from command_line import fails, ok, run

from concept_graph_mcp import calls
from concept_graph_mcp.errors import StoreError
from concept_graph_mcp.file_formats import lines as file_lines
from concept_graph_mcp.session import Session

BOB = [
    {"type": "entity", "name": "Bob", "entityType": "person", "observations": ["likes tea"]},
    {"type": "entity", "name": "Acme", "entityType": "company", "observations": []},
    {"type": "relation", "from": "Bob", "to": "Acme", "relationType": "works_at"},
    {"type": "relation", "from": "Bob", "to": "Ann", "relationType": "sister_of"},
    {"type": "relation", "from": "Acme", "to": "industry", "relationType": "part_of"},
]
LONGEST = "n" * 1_000


def lines(*records: Any) -> str:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def entity(name: Any, *observations: Any, **more: Any) -> dict[str, Any]:
    found = {"type": "entity", "name": name, "entityType": "", "observations": [*observations]}
    return found | more


def graph(there: list[str]) -> list[dict[str, Any]]:
    _, *found = map(json.loads, ok(*there, "export", "-").stdout.splitlines())
    return found


def evoked_by(there: list[str]) -> dict[str, set[str]]:
    """Return each episode's summary with the concepts that evoke it."""
    records = graph(there)
    summaries = {r["name"]: r["summary"] for r in records if r["kind"] == "episode"}
    found: dict[str, set[str]] = {summary: set() for summary in summaries.values()}
    for record in records:
        if record["kind"] == "relation" and record["to"] in summaries:
            found[summaries[record["to"]]].add(record["from"])
    return found


def relations(there: list[str]) -> set[tuple[str, str, str]]:
    """Return the relations between concepts."""
    records = graph(there)
    concepts = {record["name"] for record in records if record["kind"] == "concept"}
    return {
        (record["from"], record["type"], record["to"])
        for record in records
        if record["kind"] == "relation" and {record["from"], record["to"]} <= concepts
    }


# The reference memory server's files


def test_a_relation_of_another_type_is_kept_as_a_sentence_that_both_ends_evoke(there):
    ok(*there, "import", "-", stdin=lines(*BOB))
    assert evoked_by(there) == {
        "likes tea": {"Bob"},
        "Bob works at Acme": {"Bob", "Acme"},
        "Bob sister of Ann": {"Bob", "Ann"},
    }
    assert relations(there) == {
        ("Bob", "is-a", "person"),
        ("Acme", "is-a", "company"),
        ("Bob", "evokes", "Acme"),
        ("Bob", "evokes", "Ann"),
        ("Acme", "part-of", "industry"),
    }


def test_what_is_there_of_other_layers_is_in_nobodys_way(there):
    memory = {"kind": "memory", "id": "m1", "user_id": "default", "content": "Bob drinks tea"}
    ok(*there, "import", "-", stdin=lines(memory))
    ok(*there, "import", "-", stdin=lines(*BOB))
    again = ok(*there, "import", "-", stdin=lines(*BOB)).stderr
    assert "nodes created: 0" in again
    assert memory.items() <= next(r for r in graph(there) if r["kind"] == "memory").items()


def test_what_is_there_already_is_not_changed_again(there):
    ok(*there, "import", "-", stdin=lines(*BOB))
    again = ok(*there, "import", "-", stdin=lines(*BOB)).stderr
    assert "nodes created: 0" in again
    assert "changed" not in again
    more = {"type": "relation", "from": "Bob", "to": "Eve", "relationType": "knows"}
    said = ok(*there, "import", "-", stdin=lines(*BOB, more)).stderr
    assert "changed: relations to evokes, with what they say as an episode: 1 (knows)" in said


def test_what_was_changed_is_counted_and_printed(there):
    said = ok(*there, "import", "-", stdin=lines(*BOB)).stderr
    assert (
        "changed: relations to evokes, with what they say as an episode: 2 (works_at, sister_of)"
    ) in said
    assert "left out" not in said


def test_what_was_left_out_is_counted_and_printed(there):
    text = "# by hand\n" + lines(
        entity("Bob", "", " ", entityType="Bob", since=1999),
        {"type": "relation", "from": "Bob", "to": "Bob", "relationType": "is_a"},
    )
    said = ok(*there, "import", "-", stdin=text).stderr.splitlines()
    assert said[1:-1] == [
        "left out: comments: 1",
        "left out: fields of no meaning here: 1 (since)",
        "left out: types of the same name as their entity: 1 (Bob)",
        "left out: empty observations: 2",
        "left out: relations to themselves: 1 (Bob is a Bob)",
    ]
    assert [record["name"] for record in graph(there)] == ["Bob"]


def test_what_something_does_to_itself_is_an_episode_all_the_same(there):
    relation = {"type": "relation", "from": "Bob", "to": "Bob", "relationType": "talks_to"}
    ok(*there, "import", "-", stdin=lines(relation))
    assert evoked_by(there) == {"Bob talks to Bob": {"Bob"}}


def test_a_second_import_of_a_file_adds_nothing_whatever_day_it_is(there, monkeypatch):
    monkeypatch.setattr(Session, "date", lambda *_: "20250615")
    ok(*there, "import", "-", stdin=lines(*BOB))
    before = graph(there)
    monkeypatch.setattr(Session, "date", lambda *_: "20250616")
    again = ok(*there, "import", "-", stdin=lines(*BOB)).stderr
    assert "nodes created: 0" in again
    assert "relations created: 0" in again
    assert graph(there) == before


def test_what_a_file_has_more_than_last_time_is_of_the_day_of_its_import(there, monkeypatch):
    monkeypatch.setattr(Session, "date", lambda *_: "20250615")
    ok(*there, "import", "-", stdin=lines(entity("Bob", "likes tea")))
    monkeypatch.setattr(Session, "date", lambda *_: "20250616")
    ok(*there, "import", "-", stdin=lines(entity("Bob", "likes tea", "is tall")))
    named = {r["summary"]: r["name"][:8] for r in graph(there) if r["kind"] == "episode"}
    assert named == {"likes tea": "20250615", "is tall": "20250616"}


def test_the_longest_names_have_observations_too(there):
    ok(*there, "import", "-", stdin=lines(entity(LONGEST, "is long", "is all n")))
    assert evoked_by(there) == {"is long": {LONGEST}, "is all n": {LONGEST}}
    assert (
        "nodes created: 0"
        in ok(*there, "import", "-", stdin=lines(entity(LONGEST, "is long", "is all n"))).stderr
    )


# Tables


@pytest.mark.parametrize(
    "text",
    [
        "dog,is-a,animal\n",
        "from,type,to\ndog,is-a,animal\n",
        "# a comment\nfrom,type,to\n# another\ndog,IS A,animal\n",
        "To\tFrom\tType\nanimal\tdog\tis_a\n",
        "source,relation,target\r\ndog,is-a,animal\r\n",
        '"dog", is-a, "animal"\n',
        "subject,predicate,object,weight\ndog,is-a,animal,\n",
        b"\xef\xbb\xbffrom,type,to\ndog,is-a,animal\n",
        b"\xef\xbb\xbfdog\tis-a\tanimal\n",
    ],
)
def test_a_table_is_read_with_or_without_a_header(there, text):
    ok(*there, "import", "-", stdin=text)
    assert relations(there) == {("dog", "is-a", "animal")}


def test_a_table_may_have_weights_and_columns_that_say_nothing_here(there):
    text = "from,type,to,weight,author\nrock,is-a,music,0.5,me\n"
    said = ok(*there, "import", "-", stdin=text).stderr
    assert "left out: columns: 1 (author)" in said
    (relation,) = [record for record in graph(there) if record["kind"] == "relation"]
    assert relation["weight"] == 0.5


def test_names_in_a_table_may_hold_what_separates_them(there):
    text = '"Rome, Italy",part-of,"""Europe"""\n"#1 fan",is-a,fan\n'
    ok(*there, "import", "-", stdin=text)
    assert relations(there) == {
        ("Rome, Italy", "part-of", '"Europe"'),
        ("#1 fan", "is-a", "fan"),
    }


def test_a_line_that_looks_like_a_header_and_says_something_is_no_header(there):
    ok(*there, "import", "-", stdin="source,is-a,target\n")
    assert relations(there) == {("source", "is-a", "target")}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("from,to\na,b\n", "line 1: a header must name from, type and to once each"),
        ("from,type,to\na,is-a\n", "line 2: has 2 columns, the header 3"),
        ("from,type,to,weight\na,is-a,b,much\n", "line 2: weight: must be a number"),
        ('a,is-a,"b\n', "line 1: is not CSV"),
        ("a,is-a\n", "line 1: must be from, type and to with tabs or commas between them"),
    ],
)
def test_what_is_wrong_in_a_table_is_said_with_its_line(there, text, line):
    refused = fails(*there, "import", "-", stdin=text)
    assert line in refused.stderr
    assert refused.stderr.count("\n") == 1


# Nothing in it


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing yet\n", "from,type,to\n", "\ufeff"])
def test_a_file_without_a_record_is_said_to_have_none(there, text, tmp_path):
    file = tmp_path / "empty.txt"
    file.write_text(text, encoding="utf-8")
    said = ok(*there, "import", str(file)).stderr
    assert said.startswith(f"{file}: has no records; nothing was imported.\n")
    assert graph(there) == []


# What cannot be


def native(**fields: Any) -> str:
    return json.dumps({"kind": "concept", "name": "a"} | fields)


DEEP = "[" * 100_000 + "]" * 100_000
WRONG = {
    "a name that is a list": (native(name=["a"]), "name: must not be a list"),
    "a name that is a map": (native(name={"a": 1}), "name: must not be a map"),
    "a kind that is a list": (native(kind=[]), "kind: must not be a list"),
    "an end that is a map": (
        json.dumps({"kind": "relation", "from": {}, "to": "b", "type": "is-a"}),
        "from: must be text, not a map",
    ),
    "nesting without end": (f'{{"kind": "concept", "name": {DEEP}}}', "is nested too deeply"),
    "a list without end": (DEEP, "is nested too deeply"),
    "a number that is a list": (native(valence=[1]), "valence: must be a number, not a list"),
    "a number that is nested deeply": (
        native(valence=json.loads("[" * 60 + "]" * 60)),
        "valence: is nested too deeply",
    ),
    "a giant in a list": (native(summary=[[2**64]]), "summary: is an integer of more than 64"),
    "an integer of 64 bits": (native(accessed_at=2**63), "accessed_at: is an integer of more"),
    "a negative one": (native(accessed_at=-(2**63) - 1), "accessed_at: is an integer of more"),
    "a number of 5,000 digits": (
        native(valence=1).replace("1", "1" * 5_000),
        "valence: is an integer of more than 64 bits",
    ),
    "an extra integer": (native(extra=2**64), "extra: is an integer of more than 64 bits"),
    "a nested extra": (native(extra={"a": [1]}), "extra: must not be a map"),
    "a list of extras": (native(extra=[1]), "extra: must not be a list"),
    "an entity whose name is a list": (lines(entity(["a"])), "name: must be text, not a list"),
    "an entity whose type is a map": (
        lines(entity("a", entityType={})),
        "entityType: must be text, not a map",
    ),
    "observations that are text": (
        lines(entity("a", observations="b")),
        "observations: must be a list, not text",
    ),
    "an observation that is a list": (
        lines(entity("a", ["b"])),
        "observations: must be text, not a list",
    ),
    "an observation that is a giant": (
        lines(entity("a", 2**70)),
        "observations: must be text, not a number",
    ),
    "an end that is a list": (
        lines({"type": "relation", "from": [], "to": "b", "relationType": "is_a"}),
        "from: must be text, not a list",
    ),
    "a relation without a type": (
        lines({"type": "relation", "from": "a", "to": "b"}),
        "relationType: must be text, not null",
    ),
    "a lone surrogate": ('{"kind": "concept", "name": "\\ud800"}', "name: must not contain"),
    "an entity with a lone surrogate": (
        '{"type": "entity", "name": "a", "observations": ["\\udc00"]}',
        "summary: must not contain",
    ),
}


@pytest.mark.parametrize(("bad", "reason"), WRONG.values(), ids=WRONG.keys())
def test_what_cannot_be_is_one_line_with_its_number_and_nothing_of_it_is_kept(there, bad, reason):
    before = native(name="good") + "\n" if '"kind"' in bad else lines(entity("good"))
    refused = fails(*there, "import", "-", stdin=before + "\n" + bad)
    assert f"line 3: {reason}" in refused.stderr
    assert refused.stderr.endswith("; nothing was imported\n")
    assert refused.stderr.count("\n") == 1
    assert graph(there) == []


def test_a_table_of_brackets_is_one_line(there):
    refused = run(*there, "import", "-", stdin=DEEP)
    assert refused.stderr.count("\n") == 1
    assert "line 1: " in refused.stderr


@pytest.mark.parametrize("head", [b"", b'{"kind": "concept", "name": "a"}\n'])
def test_what_is_not_utf_8_is_said_with_its_line(there, head):
    bad = '{"kind": "concept", "name": "ä"}\n'.encode("latin-1")
    refused = run(*there, "import", "-", stdin=head + bad)
    assert f"line {2 if head else 1}: is not UTF-8 text; nothing was imported" in refused.stderr
    assert graph(there) == []


@pytest.mark.parametrize("record", [entity("a"), {"kind": "concept", "name": "a"}])
def test_a_byte_order_mark_does_not_make_a_table_of_json(there, record):
    ok(*there, "import", "-", stdin=b"\xef\xbb\xbf" + lines(record).encode())
    assert [found["name"] for found in graph(there)] == ["a"]


def test_fields_of_no_meaning_are_left_out_and_counted(there):
    said = ok(*there, "import", "-", stdin=native(colour="red", size=3) + "\n").stderr
    assert "left out: fields of no meaning here: 2 (colour, size)" in said


# Half of it


@pytest.fixture
def long_file(tmp_path) -> Path:
    file = tmp_path / "long.tsv"
    file.write_text("".join(f"c{number}\tis-a\tthing\n" for number in range(2_500)))
    return file


@pytest.fixture
def interrupted(monkeypatch):
    """Have Ctrl-C pressed, once or more often, while batches of these numbers are written."""
    import_rows, batches = calls.transfer.import_rows, []

    def press_in(*numbers: int) -> None:
        def press(*given: Any, **named: Any) -> Any:
            batches.append(given)
            for _ in range(numbers.count(len(batches))):
                os.kill(os.getpid(), signal.SIGINT)
            return import_rows(*given, **named)

        monkeypatch.setattr(calls.transfer, "import_rows", press)

    return press_in


@pytest.mark.slow
def test_ctrl_c_says_how_much_is_in_and_the_same_command_completes_it(
    there, long_file, interrupted
):
    interrupted(2)
    stopped = run(*there, "import", str(long_file))
    assert stopped.exit_code == 130
    assert stopped.stderr == (
        "concept-graph-mcp: interrupted; all up to line 2,000 of 2,500 is in;"
        " the same command goes on from here\n"
    )
    assert len(relations(there)) == 2_000
    interrupted()
    assert "relations created: 500, " in ok(*there, "import", str(long_file)).stderr


@pytest.mark.parametrize(
    ("presses", "told"),
    [
        ((1, 1), "interrupted; a part of it may be in; the same command"),
        ((2, 2), "interrupted; all up to line 1,000 of 2,500 is in, perhaps more; the same"),
    ],
)
def test_ctrl_c_twice_does_not_wait_for_the_batch(there, long_file, interrupted, presses, told):
    interrupted(*presses)
    stopped = run(*there, "import", str(long_file))
    assert stopped.exit_code == 130
    assert told in stopped.stderr


@pytest.mark.slow
def test_ctrl_c_while_stdin_is_silent_says_how_much_is_in(tmp_path):
    command = [sys.executable, "-m", "concept_graph_mcp", f"--embedded={tmp_path / 'memory.db'}"]
    with subprocess.Popen(
        [*command, "import", "-"],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"TZ": "UTC"},
    ) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write("".join(f"c{number}\tis-a\tthing\n" for number in range(1_001)))
        process.stdin.flush()
        for _ in range(100):
            # Before the first batch is in there is no store to ask.
            stats = subprocess.run([*command, "stats"], capture_output=True, check=False).stdout
            if b"1,000" in stats:
                break
        process.send_signal(signal.SIGINT)
        said = process.stderr.read()
    assert process.returncode == 130
    assert (
        "all up to line 1,000 is in; the same command with the same input goes on from here" in said
    )


def test_what_came_in_before_the_store_failed_is_said(there, long_file, monkeypatch):
    import_rows, batches = calls.transfer.import_rows, []

    def fail(*given: Any, **named: Any) -> Any:
        batches.append(given)
        if len(batches) == 3:
            raise StoreError("the connection was lost")
        return import_rows(*given, **named)

    monkeypatch.setattr(calls.transfer, "import_rows", fail)
    refused = run(*there, "import", str(long_file))
    assert refused.stderr == (
        "concept-graph-mcp: the connection was lost; all up to line 2,000 of 2,500 is in\n"
    )


@pytest.mark.slow
def test_the_bar_shows_how_many_lines_there_are(there, long_file, monkeypatch):
    from concept_graph_mcp.commands import common

    made, bar_of_click = [], common.click.progressbar

    def bar(**given):
        made.append(given)
        return bar_of_click(**given, hidden=True)

    monkeypatch.setattr(common, "is_watched", lambda: True)
    monkeypatch.setattr(common.click, "progressbar", bar)
    ok(*there, "import", str(long_file))
    [shown] = [one for one in made if one["label"] == "importing lines"]
    assert shown["length"] == 2_500


@pytest.mark.slow
def test_a_line_s_records_are_never_parted(there, interrupted):
    interrupted(1)
    text = lines(entity("Bob", *(f"fact {n}" for n in range(800))), entity("Ann", "is tall"))
    stopped = run(*there, "import", "-", stdin=text)
    assert "all up to line 1 is in" in stopped.stderr
    assert len(evoked_by(there)) == 800


def test_a_line_of_any_length_is_not_read_whole(there, monkeypatch):
    monkeypatch.setattr(file_lines, "_LONGEST", 200)
    text = lines({"kind": "concept", "name": "apple"}) + " " * 1_000
    refused = run(*there, "import", "-", stdin=text)
    assert refused.stderr.endswith("line 2: is longer than 200 characters; nothing was imported\n")
    ok(*there, "import", "-", stdin=lines({"kind": "concept", "name": "n" * 100}) * 10)
