"""`backfill`, called as a person calls it, with a model that is scripted but reached over HTTP."""

import json
import os
import signal
import sys
import tempfile
from contextlib import asynccontextmanager
from datetime import date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from click.testing import CliRunner
from mcp.client.client import Client
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
from concept_graph_mcp.backfill import history, steps, toolbox, working_store
from concept_graph_mcp.backfill.history import Calendar, chunks, survey
from concept_graph_mcp.backfill.steps import HistoryError
from concept_graph_mcp.hosts.lazy import connect
from concept_graph_mcp.serving import build
from concept_graph_mcp.session import Session
from concept_graph_mcp.settings import read

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


@asynccontextmanager
async def served_here(store: Path, zone: ZoneInfo):
    """Serve the tools of the store in this process, which starts in no time."""
    settings = read({"TZ": zone.key}, str(store))
    session = Session.of(connect(settings, creates=True), settings)
    server = build(session, with_set_time=True, watch_store=True, toolsets=("concept",))
    with tempfile.TemporaryFile("w+") as log:
        async with Client(server) as client:
            yield toolbox.Toolbox(client, (await client.list_tools()).tools, log)


@pytest.fixture
def own_process() -> None:
    """Let the tools be served by a process of their own, as they are outside of tests."""


@pytest.fixture(autouse=True)
def tools_here(request, monkeypatch):
    if "own_process" not in request.fixturenames:
        monkeypatch.setattr(toolbox, "serve_toolbox", served_here)


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


def backfill(*options: object, messages: Path = HISTORY, days: int = 1, before: tuple = ()):
    """Run the command on *messages*, with the options *before* its name."""
    given = ("--user-id", "mia", "--days-per-chunk", days, *options, messages)
    return run(*before, "backfill", *given)


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
        patch.setattr(toolbox, "serve_toolbox", served_here)
        for since in (1, 2, 3):
            options = ("--since-chunk", since, "--max-chunks", 1, "--store", store)
            assert backfill(*options).exit_code == 0
            graphs.append(graph(str(store)))
    return graphs


# History and chunks


def test_chunks_end_with_the_local_day():
    found = survey(HISTORY, TOKYO, "mia", 1)
    assert {number: amount.messages for number, amount in found.chunks.items()} == {
        1: 3,
        2: 3,
        4: 2,
    }
    first = next(chunks(found, [1]))
    assert [message.text for message in first.messages][-1] == "Watanabe in Karuizawa."
    end = datetime(2025, 6, 13, 23, 59, 59, 999_000, TOKYO)
    assert first.end_ms == int(end.timestamp() * 1000)


def test_chunks_of_several_days_begin_with_the_users_first_day():
    found = survey(HISTORY, TOKYO, "mia", 3)
    assert {number: amount.messages for number, amount in found.chunks.items()} == {1: 6, 2: 2}
    second = next(chunks(found, [2]))
    assert (second.first_day, second.last_day) == (date(2025, 6, 16), date(2025, 6, 18))


def test_a_day_with_a_change_of_the_clocks_ends_at_midnight():
    berlin = ZoneInfo("Europe/Berlin")
    calendar = Calendar(date(2025, 3, 29), 1, berlin)
    hours = [(calendar.end_ms(n) - calendar.end_ms(n - 1)) / 3_600_000 for n in (1, 2, 3)]
    assert hours == [24, 23, 24]


def test_clocks_set_back_over_midnight_do_not_lead_back_into_a_day_that_has_ended(tmp_path):
    file = written(
        tmp_path,
        {"created_at": "2006-10-29T02:30:30+00:00"},
        {"created_at": "2006-10-29T02:31:30+00:00"},
        {"created_at": "2006-10-29T03:31:30+00:00"},
    )
    found = list(history.read(file, ZoneInfo("America/St_Johns")))
    assert [message.at.day for message in found] == [29, 28, 29]
    assert [message.day.day for message in found] == [29, 29, 29]


def test_all_threads_count_in_which_the_user_speaks_and_no_others(model):
    shown = backfill()
    assert shown.exit_code == 0, shown.stderr
    read = "\n".join(given(request) for request in model.requests if step_of(request) == "organise")
    assert "Congratulations!" in read
    assert "Farewell dinner" in read
    assert "caterer" not in read
    assert "Sapporo" not in read
    assert "2 messages are left out" in shown.stderr


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
    messages = list(history.read(written(tmp_path, *changes), TOKYO))
    made = history.parts(messages, most)
    assert all(0 < len(part) <= most for part in made)
    assert all(part.startswith("# Thread thread ") for part in made)
    assert sum(part.count("word") for part in made) >= sum(range(60)) - len(made)


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("{", "line 2: is not a JSON object"),
        ("[]", "line 2: is not a JSON object"),
        ({"text": None}, "line 2: text must be a text"),
        ({"role": " "}, "line 2: role is empty"),
        ({"thread": None}, "line 2: thread must be a text"),
        ({"user_id": ["mia"]}, "line 2: user_id must be a text"),
        ({"created_at": "yesterday"}, "line 2: created_at must be unix milliseconds or ISO 8601"),
        ({"created_at": True}, "line 2: created_at must be unix milliseconds or ISO 8601"),
        ({"created_at": 1e30}, "line 2: created_at must be unix milliseconds or ISO 8601"),
        ({"created_at": 1749776400}, "line 2: created_at must be milliseconds, not seconds"),
        (
            {"created_at": "2025-06-13T09:59:59.999"},
            "line 2: created_at is earlier than in line 1; sort the file by created_at",
        ),
    ],
)
def test_a_bad_line_is_named_before_anything_is_written(model, tmp_path, line, complaint):
    file = written(tmp_path, {}, line, {})
    for options in ([], ["--dry-run"]):
        failed = backfill(*options, messages=file)
        assert failed.exit_code == 1
        assert failed.stderr == f"concept-graph-mcp: {complaint}\n"
    assert model.requests == []
    assert [path.name for path in tmp_path.iterdir()] == [file.name]


def test_a_line_that_is_no_utf_8_is_named(tmp_path):
    file = tmp_path / "latin.jsonl"
    file.write_bytes(b"\n" + '{"text": "Müsli"}'.encode("latin-1"))
    with pytest.raises(HistoryError, match="line 2: is not UTF-8 text"):
        list(history.read(file, TOKYO))


def test_a_user_who_says_nothing_is_an_error(model):
    failed = run("backfill", "--user-id", "nobody", "--days-per-chunk", 1, HISTORY)
    assert "no message has the user_id 'nobody'" in failed.stderr


# Steps


@pytest.mark.usefixtures("own_process")
def test_the_five_steps_follow_one_another_and_each_has_only_its_tools(model):
    assert backfill().exit_code == 0
    assert model.steps() == FIVE * 3
    tools = {step_of(request): offered(request) for request in model.requests}
    assert tools == {step.name: list(step.tools) for step in steps.STEPS}
    assert tools["organise"] == []
    assert "tools" not in model.first("organise")


def test_each_step_is_given_what_the_ones_before_it_made(model):
    backfill("--max-chunks", 1)
    assert "mia: wonderful" in given(model.first("search"))
    assert "search done" in given(model.first("concepts"))
    assert 'relation_add {"from": "mia"' in given(model.first("episodes"))
    assert "20250613/karuizawa" in given(model.first("affect"))


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


@pytest.mark.usefixtures("own_process")
def test_the_toolsets_of_the_owners_server_are_none_of_its_own(model, monkeypatch):
    monkeypatch.setenv("CONCEPT_GRAPH_TOOLSETS", "memory")
    assert backfill("--max-chunks=1").exit_code == 0


def test_a_chunk_is_felt_and_found_by_the_next(model):
    assert backfill().exit_code == 0
    assert {record["valence"] for record in episodes().values()} == {0.4}
    last = [r for r in model.requests if step_of(r) == "search" and rounds(r) == 2][-1]
    assert "karuizawa" in results(last)[-1]


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
    assert "2 tool calls refused" in shown.stdout
    assert "smuggled" not in json.dumps(graph())


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


def test_a_model_for_which_nothing_works_is_stopped(model):
    def script(_model, request):
        return says(None, ("nonsense", {})) if step_of(request) == "episodes" else None

    model.script = script
    failed = backfill()
    assert failed.exit_code == 1
    assert "chunk 1: episodes: 10 tool calls in a row failed; error: nonsense:" in failed.stderr
    assert graph() == []


def test_a_model_that_never_ends_is_cut_short_and_the_report_says_so(model):
    def script(_model, request):
        searches = "concept_search" in offered(request)
        return says(None, ("concept_search", {"keywords": []})) if searches else None

    model.script = script
    shown = backfill("--max-chunks", 1, "--max-rounds", 3, "--report", "report.jsonl")
    assert "search was cut short" in shown.stdout
    record = json.loads(Path("report.jsonl").read_text())
    assert record["cut_short"] == ["search", "concepts"]
    assert sum(step_of(request) == "search" for request in model.requests) == 4


def test_a_long_chunk_is_organised_in_parts_and_its_notes_again(model, tmp_path):
    changes = [{"text": f"remember {'x' * (n + 20)} and {'filler ' * 20}"} for n in range(60)]
    shown = backfill("--chars-per-call", 1_000, messages=written(tmp_path, *changes))
    assert shown.exit_code == 0, shown.stderr
    asked = [given(request) for request in model.requests if step_of(request) == "organise"]
    assert len(asked) > 10
    assert asked[0].startswith("Part 1 of ")
    assert all(len(text) < 1_100 for text in asked)
    assert any("- 2025-06-13 mia: xxx" in text for text in asked)


def test_prompts_can_be_replaced_one_by_one(model, tmp_path):
    own = tmp_path / "own"
    own.mkdir()
    (own / "episodes.md").write_text("# Episodes\n\nFor $user_id, $first_day, but $5 and $no.")
    assert backfill("--max-chunks", 1, "--prompts", own).exit_code == 0
    told = model.first("episodes")["messages"][0]["content"]
    assert told == "# Episodes\n\nFor mia, 2025-06-13, but $5 and $no."
    ours = model.first("affect")["messages"][0]["content"]
    assert 'life of "mia"' in ours
    assert "$" not in ours


def test_a_directory_without_prompts_is_an_error(model, tmp_path):
    (tmp_path / "episode.md").write_text("misspelt")
    failed = backfill("--prompts", tmp_path)
    assert "has none of organise.md, search.md" in failed.stderr
    assert model.requests == []


# The model


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


def test_a_time_out_is_tried_again(model):
    model.script = lambda model, _: HANG if len(model.requests) == 1 else None
    shown = backfill("--timeout", 1, "--max-chunks", 1)
    assert shown.exit_code == 0, shown.stderr
    assert model.requests[0] == model.requests[1]


def test_a_model_that_stays_silent_is_named(model):
    model.script = lambda _model, _request: HANG
    failed = backfill("--timeout", 0.05, "--retries", 1)
    assert f"chunk 1: organise: scripted at {model.url}: did not answer in time" in failed.stderr
    assert len(model.requests) == 2


def test_a_model_that_cannot_be_reached_is_named(model, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://user:secret@127.0.0.1:1/v1")
    failed = backfill("--retries", 1)
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
    assert last.endswith("continue with --since-chunk 1")


@pytest.mark.usefixtures("own_process")
def test_the_key_is_sent_and_never_shown(model):
    assert backfill("--max-chunks", 1, "--report", "report.jsonl").exit_code == 0
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


def test_an_endpoint_of_ones_own_needs_no_key(model, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY")
    assert backfill("--max-chunks", 1).exit_code == 0


def test_without_the_openai_package_it_says_what_to_install(model, monkeypatch):
    monkeypatch.delitem(sys.modules, "concept_graph_mcp.backfill.model", raising=False)
    monkeypatch.delattr("concept_graph_mcp.backfill.model", raising=False)
    monkeypatch.setitem(sys.modules, "openai", None)
    failed = backfill()
    assert failed.stderr.splitlines()[-1] == (
        "concept-graph-mcp: backfill needs the openai package: pip install 'openai>=1.66,<4'"
    )
    assert backfill("--dry-run").exit_code == 0


# Chunks, whole or not at all


@pytest.mark.parametrize("step", ["organise", "concepts", "affect"])
def test_a_chunk_that_fails_leaves_the_ones_before_it_and_nothing_of_itself(model, step, whole):
    model.script = failing_in(2, step, Fault(500, headers=AT_ONCE))
    failed = backfill("--retries", 1)
    assert failed.exit_code == 1
    assert f"chunk 2: {step}: scripted at {model.url}: answered 500" in failed.stderr
    assert failed.stderr.endswith("continue with --since-chunk 2\n")
    assert "1 chunk: 3 messages" in failed.stdout
    assert graph() == whole[0]
    model.script = lambda _model, _request: None
    assert backfill("--since-chunk", 2).exit_code == 0
    assert graph() == whole[-1]
    left = {path.name for path in Path().iterdir()}
    assert not [name for name in left if ".before-chunk-" in name or name.endswith(".lock")]


@pytest.mark.usefixtures("own_process")
def test_an_interrupted_chunk_is_taken_back(model):
    def script(model, request):
        if step_of(request) == "affect" and len(episodes_asked(model)) == 2:
            os.kill(os.getpid(), signal.SIGINT)
            return HANG
        return None

    model.script = script
    failed = backfill()
    assert "chunk 2: interrupted; nothing of it was kept" in failed.stderr
    assert [name[:8] for name in episodes()] == ["20250613"]


def episodes_asked(model) -> list:
    return [r for r in model.requests if step_of(r) == "episodes" and not rounds(r)]


def test_what_a_killed_run_has_left_of_a_chunk_is_taken_back_by_the_next(model, tmp_path, whole):
    assert backfill("--max-chunks", 1).exit_code == 0
    working_store.keep(tmp_path / "backfill.db", 2)
    half = tmp_path / "half.tsv"
    half.write_text("half\tis-a\tchunk\n")
    run("--embedded=backfill.db", "import", half)
    refused = backfill()
    assert "The last run ended within chunk 2; its part of it was taken back." in refused.stderr
    assert "continue with --since-chunk 2" in refused.stderr
    assert backfill("--since-chunk", 2).exit_code == 0
    assert graph() == whole[-1]


@pytest.mark.usefixtures("own_process")
def test_a_server_that_does_not_start_is_told_in_one_line(model, monkeypatch):
    own = Path("sitecustomize.py")
    own.write_text("import os, sys\nif '-m' in sys.orig_argv: os._exit(3)\n")
    monkeypatch.setenv("PYTHONPATH", str(Path.cwd()))
    failed = backfill()
    assert failed.exit_code == 1
    assert "the server has failed: " in failed.stderr
    assert model.requests == []


@pytest.mark.usefixtures("own_process")
def test_a_server_that_ends_amid_a_chunk_stops_it(model, whole):
    children = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children")
    if not children.exists():
        pytest.skip("needs /proc to find the server")
    before = children.read_text().split()

    def script(model, request):
        if step_of(request) == "affect" and len(episodes_asked(model)) == 2:
            (server,) = set(children.read_text().split()) - set(before)
            os.kill(int(server), signal.SIGKILL)

    model.script = script
    failed = backfill()
    assert failed.exit_code == 1
    assert "chunk 2: affect: the server has failed: " in failed.stderr
    assert graph() == whole[0]


def test_a_history_that_changes_meanwhile_stops_the_run(model, tmp_path):
    file = tmp_path / "history.jsonl"
    lines = HISTORY.read_text(encoding="utf-8").splitlines(keepends=True)
    # More than is read ahead of what is needed, in a thread that is not.
    lines[-2:-2] = [lines[3].replace("06-13", "06-15").replace("invoice", "invoice" * 100_000)]
    file.write_text("".join(lines), encoding="utf-8")

    def script(model, request):
        if len(model.requests) == 1:
            file.write_text("".join(lines[:-2]), encoding="utf-8")

    model.script = script
    failed = backfill(messages=file)
    assert failed.exit_code == 1
    assert "the history was changed while it was read" in failed.stderr
    assert failed.stderr.endswith("continue with --since-chunk 4\n")


def test_two_backfills_do_not_share_a_store(model, tmp_path):
    with working_store.lock_store(tmp_path / "backfill.db"):
        failed = backfill()
    assert "another backfill is at work on it" in failed.stderr
    assert backfill("--max-chunks", 1).exit_code == 0


def test_chunks_can_be_taken_one_by_one(model, whole):
    first = backfill("--max-chunks", 2)
    assert "Chunks left: 1; continue with --since-chunk 4." in first.stderr
    assert backfill("--since-chunk", 3).exit_code == 0
    assert graph() == whole[-1]
    beyond = backfill("--since-chunk", 5)
    assert "--since-chunk 5: the last chunk is 4" in beyond.stderr


def test_a_store_that_is_not_empty_is_refused_unless_told(model):
    first = backfill("--max-chunks", 1)
    assert "not idempotent" in first.stderr
    before = graph()
    refused = backfill()
    assert "backfill.db: is not empty; continue with --since-chunk" in refused.stderr
    assert refused.exit_code == 1
    assert graph() == before
    assert backfill("--force", "--max-chunks", 1).exit_code == 0
    assert len(graph()) > len(before)


def test_a_file_that_is_no_store_is_refused(model):
    Path("backfill.db").write_text("Not a database, but long enough to be taken for one." * 20)
    failed = backfill()
    assert "is not a concept graph store" in failed.stderr
    assert model.requests == []


def test_a_dry_run_writes_nothing_and_calls_nothing(model, monkeypatch, tmp_path):
    for name in ("OPENAI_MODEL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name)
    shown = backfill("--dry-run", "--into-target", "--report", "report.jsonl")
    assert shown.exit_code == 0, shown.stderr
    cells = [line.strip("│ ").split("│") for line in shown.stdout.splitlines() if "│" in line]
    rows = [[cell.strip() for cell in line] for line in cells]
    assert [row[:3] for row in rows] == [
        ["1", "2025-06-13", "3"],
        ["2", "2025-06-14", "3"],
        ["4", "2025-06-16", "2"],
        ["3", "", "8"],
    ]
    assert model.requests == []
    assert list(tmp_path.iterdir()) == []


# The report


def test_the_report_says_what_each_chunk_added_and_took(model):
    shown = backfill("--report", "report.jsonl")
    records = [json.loads(line) for line in Path("report.jsonl").read_text().splitlines()]
    assert [record["chunk"] for record in records] == [1, 2, 4]
    kinds = ("concepts", "episodes", "is-a", "part-of", "evokes")
    added = {kind: sum(record["added"][kind] for record in records) for kind in kinds}
    found = graph()
    assert added["concepts"] == sum(record["kind"] == "concept" for record in found)
    assert added["episodes"] == sum(record["kind"] == "episode" for record in found) == 3
    assert added["evokes"] == sum(record["kind"] == "relation" for record in found)
    assert all(record["tokens_in"] == 100 * record["model_calls"] for record in records)
    lines = shown.stdout.splitlines()
    assert lines[0].startswith(
        "chunk 1, 2025-06-13: 3 messages; 5 concepts, 5 relations, 1 episode"
    )
    assert f"{len(model.requests) * 100:,} tokens in" in lines[3]
    assert lines[3].startswith("3 chunks: 8 messages; 11 concepts, 14 relations, 3 episodes, 3 ")


# Moving over


@pytest.fixture(params=["embedded", "memgraph"])
def target(request, monkeypatch) -> tuple[str, ...]:
    """The options that name an empty target of each kind."""
    if request.param == "embedded":
        return ("--embedded=target.db",)
    monkeypatch.setenv("MEMGRAPH_URI", request.getfixturevalue("empty_memgraph"))
    return ()


def test_the_result_is_moved_over_when_asked_and_completely(model, target):
    shown = backfill("--into-target", before=target)
    assert shown.exit_code == 0, shown.stderr
    assert "moved over into " in shown.stderr
    lines = run(*target, "export", "-").stdout.splitlines()
    assert sorted(map(json.loads, lines[1:]), key=json.dumps) == graph()


def test_a_target_that_is_not_empty_is_refused_before_anything_is_done(model, target, tmp_path):
    edges = tmp_path / "edges.tsv"
    edges.write_text("apple\tis-a\tfruit\n")
    run(*target, "import", edges)
    refused = backfill("--into-target", before=target)
    assert "the configured store is not empty; --force adds to it" in refused.stderr
    assert model.requests == []
    assert backfill("--into-target", "--force", before=target).exit_code == 0
    assert len(run(*target, "export", "-").stdout.splitlines()) == 1 + 3 + len(graph())


def test_the_target_is_left_alone_unless_asked_and_when_a_chunk_fails(model):
    assert backfill("--max-chunks", 1, before=("--embedded=target.db",)).exit_code == 0
    assert not Path("target.db").exists()
    model.requests.clear()
    model.script = failing_in(1, "organise", Fault(400))
    failed = backfill("--into-target", "--since-chunk", 2, before=("--embedded=target.db",))
    assert failed.exit_code == 1
    assert graph("target.db") == []


def test_a_target_that_cannot_be_reached_is_said_before_anything_is_done(model, monkeypatch):
    monkeypatch.setenv("MEMGRAPH_URI", "bolt://127.0.0.1:1")
    failed = backfill("--into-target")
    assert failed.exit_code == 1
    assert "127.0.0.1:1" in failed.stderr
    assert model.requests == []


def test_the_working_store_is_never_the_configured_one(model):
    failed = backfill(before=("--embedded=backfill.db",))
    assert "is the configured store; the working store must be another" in failed.stderr
    assert not Path("backfill.db").exists()


# A real history


def test_a_real_chat_log_becomes_a_graph(model, tmp_path):
    if not REAL_LOG.exists():
        pytest.skip("needs the sample of the DuraSpace IRC logs beside the checkout")
    said = [json.loads(line) for line in REAL_LOG.read_text(encoding="utf-8").splitlines()]
    log = tmp_path / "log.jsonl"
    with log.open("w", encoding="utf-8") as file:
        for line in said:
            who = {"role": "user", "user_id": line["author"], "thread": line["ts"][:10]}
            file.write(json.dumps(who | {"text": line["text"], "created_at": line["ts"]}) + "\n")
    options = ("--user-id", "tdonohue", "--days-per-chunk", 14, "--report", "report.jsonl", log)
    shown = run("backfill", *options)
    assert shown.exit_code == 0, shown.stderr
    records = [json.loads(line) for line in Path("report.jsonl").read_text().splitlines()]
    assert [record["chunk"] for record in records] == [1, 2, 3, 4, 5]
    threads = {line["ts"][:10] for line in said if line["author"] == "tdonohue"}
    read = [line for line in said if line["ts"][:10] in threads]
    assert sum(record["messages"] for record in records) == len(read) > 2_000
    assert sum(record["added"]["episodes"] for record in records) == len(episodes()) > 10
    names = {record["name"] for record in graph() if record["kind"] == "concept"}
    assert {"tdonohue", "mdiggory", "PeterDietz", "mhwood"} <= names
