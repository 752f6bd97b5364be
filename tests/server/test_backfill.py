"""`backfill`, called as a person calls it, with a model that is scripted but reached over HTTP."""

import json
import os
import re
import signal
import sys
from datetime import date, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from click.testing import CliRunner
from tests.columns import set_columns
from tests.server.scripted_model import (
    HANG,
    KEY,
    Fault,
    given,
    offered,
    results,
    rounds,
    says,
    serving,
    step_of,
)

from concept_graph_mcp.__main__ import main
from concept_graph_mcp.extras import backfill as steps
from concept_graph_mcp.extras import chat_model
from concept_graph_mcp.extras.backfill import BackfillError, chunks, parts, read

HISTORY = Path(__file__).with_name("backfill_history.jsonl")
# DuraSpace IRC logs, CC BY 4.0.
REAL_LOG = Path(__file__).parents[3] / "shared/data/duraspace_2012q1_sample.jsonl"
TOKYO = ZoneInfo("Asia/Tokyo")
FIVE = ["organise", "search", "concepts", "episodes", "affect"]
AT_ONCE = {"retry-after-ms": "1"}


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch, tmp_path):
    for name in (
        "MEMGRAPH_URI",
        "MEMGRAPH_URL",
        "CONCEPT_GRAPH_EMBEDDED",
        "HTTP_PROXY",
        "ALL_PROXY",
    ):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    set_columns(monkeypatch, 160)
    # Where nothing says when to try again, the package waits for as long as this at most.
    monkeypatch.setattr("openai._base_client.MAX_RETRY_DELAY", 0.0)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def model(monkeypatch):
    with serving() as model:
        monkeypatch.setenv("OPENAI_BASE_URL", model.url)
        monkeypatch.setenv("OPENAI_MODEL", "scripted")
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        yield model


def run(*arguments: object):
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert KEY not in result.output
    return result


def backfill(*options: object, messages: Path = HISTORY, days: int = 1, store: str = "backfill.db"):
    """Run the command on *messages*, into *store*."""
    given = ("--user-id", "mia", "--days-per-chunk", days, *options, messages)
    return run(f"--embedded={store}", "backfill", *given)


def graph(store: str = "backfill.db") -> list[dict]:
    lines = run(f"--embedded={store}", "export", "-").stdout.splitlines()
    return sorted(map(json.loads, lines[1:]), key=json.dumps)


def episodes(store: str = "backfill.db") -> dict[str, dict]:
    return {record["name"]: record for record in graph(store) if record["kind"] == "episode"}


def written(tmp_path: Path, *changes: dict | str) -> Path:
    """A history of one message of mia's a change, minutes apart unless the change says when."""
    file = tmp_path / "written.jsonl"
    lines = []
    for minute, change in enumerate(changes):
        usual = {"role": "user", "text": "Hello", "thread": "t", "user_id": "mia"}
        usual["created_at"] = f"2025-06-13T10:{minute:02}:00"
        lines.append(change if isinstance(change, str) else json.dumps(usual | change))
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def failing_in(number: int, step: str, fault: Fault):
    """A script that fails for good in the *step* of the chunk with that number among those met."""

    def script(model, request):
        met = sum(step_of(asked) == step and not rounds(asked) for asked in model.requests)
        return fault if step_of(request) == step and met >= number else None

    return script


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> list[list[dict]]:
    """The graph after each of the three chunks, when nothing fails."""
    graphs = []
    store = tmp_path_factory.mktemp("whole") / "whole.db"
    with pytest.MonkeyPatch.context() as patch, serving() as model:
        for name, value in (("TZ", "Asia/Tokyo"), ("OPENAI_MODEL", "m"), ("OPENAI_API_KEY", KEY)):
            patch.setenv(name, value)
        patch.setenv("OPENAI_BASE_URL", model.url)
        for since in (1, 2, 3):
            options = ("--since-chunk", since, "--max-chunks", 1)
            assert backfill(*options, store=str(store)).exit_code == 0
            graphs.append(graph(str(store)))
    return graphs


# History and chunks


def test_chunks_end_with_the_local_day():
    found, left_out = chunks(HISTORY, TOKYO, "mia", 1)
    assert [(one.number, len(one.messages)) for one in found] == [(1, 3), (2, 3), (4, 2)]
    assert left_out == 2
    assert found[0].messages[-1].text == "Watanabe in Karuizawa."
    end = datetime(2025, 6, 13, 23, 59, 59, 999_000, TOKYO)
    assert found[0].end_ms == int(end.timestamp() * 1000)


def test_chunks_of_several_days_begin_with_the_users_first_day():
    found, _ = chunks(HISTORY, TOKYO, "mia", 3)
    assert [(one.number, len(one.messages)) for one in found] == [(1, 6), (2, 2)]
    assert (found[1].first_day, found[1].last_day) == (date(2025, 6, 16), date(2025, 6, 18))


def test_a_day_with_a_change_of_the_clocks_ends_at_midnight(tmp_path):
    days = [{"created_at": f"2025-03-{day}T10:00:00"} for day in (28, 29, 30, 31)]
    found, _ = chunks(written(tmp_path, *days), ZoneInfo("Europe/Berlin"), "mia", 1)
    ends = [one.end_ms for one in found]
    hours = [(after - before) / 3_600_000 for before, after in pairwise(ends)]
    assert hours == [24, 23, 24]


def test_clocks_set_back_over_midnight_do_not_lead_back_into_a_day_that_has_ended(tmp_path):
    file = written(
        tmp_path,
        {"created_at": "2006-10-29T02:30:30+00:00"},
        {"created_at": "2006-10-29T02:31:30+00:00"},
        {"created_at": "2006-10-29T03:31:30+00:00"},
    )
    found = list(read(file, ZoneInfo("America/St_Johns")))
    assert [message.at.day for message in found] == [29, 28, 29]
    assert [message.day.day for message in found] == [29, 29, 29]


@pytest.mark.slow
def test_all_threads_count_in_which_the_user_speaks_and_no_others(model):
    shown = backfill()
    assert shown.exit_code == 0, shown.stderr
    read = "\n".join(given(request) for request in model.requests if step_of(request) == "organise")
    assert "Congratulations!" in read
    assert "Farewell dinner" in read
    assert "caterer" not in read
    assert "Sapporo" not in read
    assert "2 messages are left out" in shown.stderr


@pytest.mark.slow
def test_a_transcript_is_by_thread_and_in_time_order(model):
    backfill("--since-chunk", 2, "--max-chunks", 1)
    assert given(model.first("organise")).splitlines()[2:] == [
        "# Thread cello",
        "",
        "[2025-06-14 00:00] user mia: Slept badly after the earthquake.",
        "",
        "# Thread team",
        "",
        "[2025-06-14 10:30] user ben: Farewell dinner for me on Monday?",
        "[2025-06-14 10:31] user mia: Gladly, I book the izakaya.",
        "    The one with the lanterns.",
    ]


@pytest.mark.parametrize("most", [150, 400, 10_000])
def test_the_parts_of_a_transcript_are_bounded_and_complete(tmp_path, most):
    changes = [{"text": f"word{n} " * n, "thread": f"thread {n % 3}"} for n in range(60)]
    messages = list(read(written(tmp_path, *changes), TOKYO))
    made = parts(messages, most)
    assert all(0 < len(part) <= most for part in made)
    assert all(part.startswith("# Thread thread ") for part in made)
    assert sum(part.count("word") for part in made) >= sum(range(60)) - len(made)


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("{", "line 2: is not a JSON object"),
        ("[]", "line 2: is not a JSON object"),
        ({"text": None}, "line 2: text: must be text, not null"),
        ({"role": " "}, "line 2: role: must not be empty"),
        ({"thread": None}, "line 2: thread: must be text, not null"),
        ({"user_id": ["mia"]}, "line 2: user_id: must be text, not a list"),
        ({"created_at": "yesterday"}, "line 2: created_at: must be unix milliseconds or ISO 8601"),
        ({"created_at": True}, "line 2: created_at: must be unix milliseconds or ISO 8601"),
        ({"created_at": 1e30}, "line 2: created_at: must be unix milliseconds or ISO 8601"),
        ({"created_at": 1749776400}, "line 2: created_at: must be milliseconds, not seconds"),
        (
            {"created_at": "2025-06-13T09:59:59.999"},
            "line 2: created_at is earlier than in line 1; sort the file by created_at",
        ),
    ],
)
def test_a_bad_line_is_named_before_anything_is_written(model, tmp_path, line, complaint):
    file = written(tmp_path, {}, line, {})
    failed = backfill(messages=file)
    assert failed.exit_code == 1
    assert failed.stderr == f"concept-graph-mcp: {complaint}\n"
    assert model.requests == []
    assert [path.name for path in tmp_path.iterdir()] == [file.name]


def test_a_line_that_is_no_utf_8_is_named(tmp_path):
    file = tmp_path / "latin.jsonl"
    file.write_bytes(b"\n" + '{"text": "Müsli"}'.encode("latin-1"))
    with pytest.raises(BackfillError, match="line 2: is not UTF-8 text"):
        list(read(file, TOKYO))


def test_a_user_who_says_nothing_is_an_error(model):
    failed = run("backfill", "--user-id", "nobody", "--days-per-chunk", 1, HISTORY)
    assert "no message has the user_id 'nobody'" in failed.stderr


# Steps


@pytest.mark.slow
def test_the_five_steps_follow_one_another_and_each_has_only_its_tools(model):
    assert backfill().exit_code == 0
    assert model.steps() == FIVE * 3
    tools = {step_of(request): offered(request) for request in model.requests}
    assert tools == {step: list(names) for step, names in steps.STEPS.items()}
    assert tools["organise"] == []
    assert "tools" not in model.first("organise")


@pytest.mark.slow
def test_each_step_is_given_what_the_ones_before_it_made(model):
    backfill("--max-chunks", 1)
    assert "mia: wonderful" in given(model.first("search"))
    assert "search done" in given(model.first("concepts"))
    assert 'relation_add {"from": "mia"' in given(model.first("episodes"))
    assert "20250613/karuizawa" in given(model.first("affect"))


@pytest.mark.slow
def test_what_is_added_is_added_at_the_end_of_its_chunk(model):
    for since, end in (
        (1, datetime(2025, 6, 15, tzinfo=TOKYO)),
        (2, datetime(2025, 6, 18, tzinfo=TOKYO)),
    ):
        assert backfill("--since-chunk", since, "--max-chunks", 1, days=3).exit_code == 0
        added = {n: record for n, record in episodes().items() if n.startswith(f"{end:%Y%m%d}/")}
        last_ms = int((end + timedelta(days=1)).timestamp() * 1000) - 1
        assert {record["accessed_at"] for record in added.values()} == {last_ms}
    assert len(added) < len(episodes())


@pytest.mark.slow
def test_the_toolsets_of_the_owners_server_are_none_of_its_own(model, monkeypatch):
    monkeypatch.setenv("CONCEPT_GRAPH_TOOLSETS", "memory")
    assert backfill("--max-chunks=1").exit_code == 0


@pytest.mark.slow
def test_a_chunk_is_felt_and_found_by_the_next(model):
    assert backfill().exit_code == 0
    assert {record["valence"] for record in episodes().values()} == {0.4}
    last = [r for r in model.requests if step_of(r) == "search" and rounds(r) == 2][-1]
    assert "karuizawa" in results(last)[-1]


@pytest.mark.slow
def test_a_tool_that_the_step_may_not_use_is_refused_to_the_model(model):
    def script(_model, request):
        if step_of(request) == "search" and not rounds(request):
            return says(None, ("concept_upsert", {"concept": "smuggled"}), ("set_time", {}))
        return None

    model.script = script
    shown = backfill("--max-chunks", 1)
    second = [request for request in model.requests if step_of(request) == "search"][1]
    assert results(second) == [
        "error: concept_upsert: is not for the step search;"
        " it may use concept_search, recall_query",
        "error: set_time: is not for the step search; it may use concept_search, recall_query",
    ]
    assert shown.exit_code == 0
    assert "smuggled" not in json.dumps(graph())


@pytest.mark.slow
def test_a_tool_error_is_handed_back_to_the_model(model):
    wrong = [
        ("relation_add", {"from": "tea", "to": "tea", "type": "is-a"}),
        ("relation_add", {"from": "tea", "type": "is-a"}),
        ("relation_add", "{from: tea"),
        ("relation_add", "[]"),
    ]

    def script(_model, request):
        if step_of(request) == "concepts" and not rounds(request):
            return says("I try", *wrong)
        return None

    model.script = script
    shown = backfill("--max-chunks", 1)
    assert shown.exit_code == 0, shown.stderr
    second = [request for request in model.requests if step_of(request) == "concepts"][1]
    told = results(second)
    assert "tautology" in told[0]
    assert all(text.startswith("error: ") and "\n" not in text for text in told)
    assert told[2:] == ["error: relation_add: the arguments are not a JSON object"] * 2


@pytest.mark.slow
def test_a_model_for_which_nothing_works_is_stopped(model):
    def script(_model, request):
        return says(None, ("nonsense", {})) if step_of(request) == "episodes" else None

    model.script = script
    failed = backfill()
    assert failed.exit_code == 1
    assert "chunk 1: episodes: 10 tool calls in a row failed; error: nonsense:" in failed.stderr


@pytest.mark.slow
def test_a_model_that_never_ends_is_cut_short(model, monkeypatch):
    def script(_model, request):
        searches = "concept_search" in offered(request)
        return says(None, ("concept_search", {"keywords": []})) if searches else None

    monkeypatch.setattr(steps, "_ROUNDS", 3)
    model.script = script
    assert backfill("--max-chunks", 1).exit_code == 0
    assert sum(step_of(request) == "search" for request in model.requests) == 4


@pytest.mark.slow
def test_a_long_chunk_is_organised_in_parts_and_its_notes_again(model, tmp_path):
    changes = [{"text": f"remember {'x' * (n + 20)} and {'filler ' * 400}"} for n in range(60)]
    shown = backfill(messages=written(tmp_path, *changes))
    assert shown.exit_code == 0, shown.stderr
    asked = [given(request) for request in model.requests if step_of(request) == "organise"]
    assert len(asked) > 6
    assert asked[0].startswith("Part 1 of ")
    assert all(len(text) < 24_100 for text in asked)


# The model


@pytest.mark.slow
def test_rate_limits_and_server_errors_are_tried_again(model):
    faults = [
        Fault(429, headers={"retry-after": "0.001"}),
        Fault(500, headers=AT_ONCE),
        Fault(503),
        Fault(429, headers=AT_ONCE),
    ]
    model.script = lambda model, _: faults[n] if (n := len(model.requests) - 1) < 4 else None
    shown = backfill()
    assert shown.exit_code == 0, shown.stderr
    assert model.steps() == FIVE * 3
    assert len({json.dumps(request) for request in model.requests[:5]}) == 1
    assert len(episodes()) == 3


@pytest.fixture
def impatient(monkeypatch):
    """Let a call of the model take a second, and be tried twice."""
    init = chat_model.OpenAIModel.__init__
    monkeypatch.setattr(chat_model.OpenAIModel, "__init__", lambda self, at: init(self, at, 1, 1))


@pytest.mark.slow
@pytest.mark.usefixtures("impatient")
def test_a_time_out_is_tried_again(model):
    model.script = lambda model, _: HANG if len(model.requests) == 1 else None
    shown = backfill("--max-chunks", 1)
    assert shown.exit_code == 0, shown.stderr
    assert model.requests[0] == model.requests[1]


@pytest.mark.slow
@pytest.mark.usefixtures("impatient")
def test_a_model_that_stays_silent_is_named(model):
    model.script = lambda _model, _request: HANG
    failed = backfill()
    assert f"chunk 1: organise: scripted at {model.url}: did not answer in time" in failed.stderr
    assert len(model.requests) == 2


@pytest.mark.usefixtures("impatient")
def test_a_model_that_cannot_be_reached_is_named(model, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://user:secret@127.0.0.1:1/v1")
    failed = backfill()
    assert "organise: scripted at http://127.0.0.1:1/v1: cannot be reached" in failed.stderr
    assert "secret" not in failed.stderr


@pytest.mark.parametrize(
    ("fault", "complaint"),
    [
        (Fault(400, '{"error": {"message": "context too long"}}'), "answered 400"),
        (Fault(200, "{}"), "gave no chat completion"),
        (Fault(200, "<html>", {"content-type": "text/html"}), "gave no chat completion"),
        (Fault(200, "{broken"), "nor any JSON"),
        (
            {"message": {"role": "assistant", "content": "and"}, "finish_reason": "length"},
            "cut off",
        ),
        (says(""), "the model answered with nothing"),
    ],
)
def test_an_answer_of_no_use_stops_the_chunk_in_one_line(model, fault, complaint):
    model.script = lambda _model, _request: fault
    failed = backfill()
    assert failed.exit_code == 1
    last = failed.stderr.splitlines()[-1]
    assert last.startswith("concept-graph-mcp: chunk 1: organise: ")
    assert complaint in last
    assert last.endswith("or repeat it with --since-chunk 1")


@pytest.mark.slow
def test_the_key_is_sent_and_never_shown(model):
    assert backfill("--max-chunks", 1).exit_code == 0
    assert model.keys == {f"Bearer {KEY}"}
    body = json.dumps({"error": {"message": f"Incorrect API key provided: {KEY}"}})
    model.script = lambda _model, _request: Fault(401, body)
    failed = backfill("--since-chunk", 2)
    assert "answered 401" in failed.stderr
    assert "Incorrect API key provided: ***" in failed.stderr
    everything = b"".join(path.read_bytes() for path in Path().iterdir())
    assert KEY.encode() not in everything


@pytest.mark.parametrize(
    ("variable", "value", "complaint"),
    [
        ("OPENAI_MODEL", "", "OPENAI_MODEL: is not set"),
        ("OPENAI_BASE_URL", "", "OPENAI_API_KEY: is not set"),
        ("OPENAI_BASE_URL", "localhost:11434", "OPENAI_BASE_URL: must be like http"),
        ("OPENAI_BASE_URL", "http://localhost:port", "OPENAI_BASE_URL: must be like http"),
        ("OPENAI_API_KEY", "schlüssel", "OPENAI_API_KEY: has characters that no key can have"),
    ],
)
def test_what_is_missing_of_the_model_is_said_before_anything_is_written(
    model, monkeypatch, tmp_path, variable, value, complaint
):
    monkeypatch.setenv("OPENAI_API_KEY", "")
    monkeypatch.setenv(variable, value)
    failed = backfill()
    assert failed.exit_code == 1
    assert failed.stderr.splitlines()[-1].startswith(f"concept-graph-mcp: {complaint}")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_an_endpoint_of_ones_own_needs_no_key(model, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY")
    assert backfill("--max-chunks", 1).exit_code == 0


def test_without_the_openai_package_it_says_what_to_install(model, monkeypatch):
    monkeypatch.setitem(sys.modules, "openai", None)
    failed = backfill()
    assert failed.stderr.splitlines()[-1] == (
        "concept-graph-mcp: a model needs the openai package: pip install 'openai>=1.66,<4'"
    )
    assert model.requests == []


# Chunks


@pytest.mark.slow
def test_a_chunk_that_fails_leaves_the_ones_before_it_and_says_how_to_go_on(model, whole):
    model.script = failing_in(2, "organise", Fault(400))
    failed = backfill()
    assert failed.exit_code == 1
    assert f"chunk 2: organise: scripted at {model.url}: answered 400" in failed.stderr
    assert failed.stderr.endswith("or repeat it with --since-chunk 2\n")
    assert "chunk 1, 2025-06-13 to 2025-06-13: 3 messages, " in failed.stderr
    assert graph() == whole[0]
    model.script = lambda _model, _request: None
    assert backfill("--since-chunk", 2).exit_code == 0
    assert graph() == whole[-1]


@pytest.mark.slow
def test_an_interrupted_chunk_is_named(model):
    def script(model, request):
        if step_of(request) == "affect" and len(episodes_asked(model)) == 2:
            os.kill(os.getpid(), signal.SIGINT)
            return HANG
        return None

    model.script = script
    failed = backfill()
    assert "chunk 2: interrupted; the chunks before it are whole" in failed.stderr


def episodes_asked(model) -> list:
    return [r for r in model.requests if step_of(r) == "episodes" and not rounds(r)]


@pytest.mark.slow
def test_chunks_can_be_taken_one_by_one(model, whole):
    first = backfill("--max-chunks", 2)
    assert "1 chunks are left; continue with --since-chunk 4." in first.stderr
    assert backfill("--since-chunk", 3).exit_code == 0
    assert graph() == whole[-1]
    beyond = backfill("--since-chunk", 5)
    assert "--since-chunk 5: the last chunk is 4" in beyond.stderr


def test_a_file_that_is_no_store_is_refused(model):
    Path("backfill.db").write_text("Not a database, but long enough to be taken for one." * 20)
    failed = backfill()
    assert "is not a concept graph store" in failed.stderr
    assert model.requests == []


@pytest.mark.slow
def test_it_fills_a_memgraph(model, monkeypatch, empty_memgraph, whole):
    monkeypatch.setenv("MEMGRAPH_URI", empty_memgraph)
    options = ("--user-id", "mia", "--days-per-chunk", 1, HISTORY)
    shown = run("backfill", *options)
    assert shown.exit_code == 0, shown.stderr
    lines = run("export", "-").stdout.splitlines()
    found = sorted(map(json.loads, lines[1:]), key=json.dumps)
    # In a file, concepts are their owner's; in a Memgraph all users share them.
    named = [{key: one for key, one in each.items() if key != "user_id"} for each in whole[-1]]
    assert found == sorted(named, key=json.dumps)


# A real history


@pytest.mark.slow
def test_a_real_chat_log_becomes_a_graph(model, tmp_path):
    if not REAL_LOG.exists():
        pytest.skip("needs the sample of the DuraSpace IRC logs beside the checkout")
    said = [json.loads(line) for line in REAL_LOG.read_text(encoding="utf-8").splitlines()]
    log = tmp_path / "log.jsonl"
    with log.open("w", encoding="utf-8") as file:
        for line in said:
            who = {"role": "user", "user_id": line["author"], "thread": line["ts"][:10]}
            file.write(json.dumps(who | {"text": line["text"], "created_at": line["ts"]}) + "\n")
    options = ("--user-id", "tdonohue", "--days-per-chunk", 14, log)
    shown = run("--embedded=backfill.db", "backfill", *options)
    assert shown.exit_code == 0, shown.stderr
    told = re.findall(r"^chunk (\d+), .*: ([\d,]+) messages", shown.stderr, re.MULTILINE)
    assert [number for number, _ in told] == ["1", "2", "3", "4", "5"]
    threads = {line["ts"][:10] for line in said if line["author"] == "tdonohue"}
    messages = [line for line in said if line["ts"][:10] in threads]
    assert sum(int(one.replace(",", "")) for _, one in told) == len(messages) > 2_000
    assert len(episodes()) > 10
    names = {record["name"] for record in graph() if record["kind"] == "concept"}
    assert {"tdonohue", "mdiggory", "PeterDietz", "mhwood"} <= names
