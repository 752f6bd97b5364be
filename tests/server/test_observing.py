"""`observe`: a history becomes entities, each message once, and every claim of a model checked."""

import json
import os
import re
import signal
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import pytest
from command_line import fails, ok, run
from scripted_model import Answer, Fault, Script, says, serving

TIME_MS = 1_749_000_000_000
HOUR_MS = 3_600_000


def line(number: int, said: str, **given: Any) -> str:
    told = {"id": f"m{number}", "thread": "t", "time_ms": TIME_MS + number, "speaker": "user"}
    return json.dumps({**told, "text": said, **given}) + "\n"


HISTORY = (
    line(1, "My dog Max met Anna in Berlin.")
    + line(2, "Perhaps Project Phoenix would help.", speaker="assistant")
    + line(3, "Max was happy.", time_ms=TIME_MS + 5)
    + line(4, "Anna called about Max again.", time_ms=TIME_MS + 2 * HOUR_MS)
)


def records(there: list[str]) -> dict[str, list[dict[str, Any]]]:
    _, *rows = map(json.loads, ok(*there, "export", "-").stdout.splitlines())
    found: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        found.setdefault(row["kind"], []).append(row)
    return found


def entities(there: list[str]) -> dict[str, dict[str, Any]]:
    return {one["node_label"]: one for one in records(there).get("entity", [])}


@pytest.fixture
def model(monkeypatch):
    for name in ("HTTP_PROXY", "ALL_PROXY", "http_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("openai._base_client.MAX_RETRY_DELAY", 0.0)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with serving() as model:
        monkeypatch.setenv("OPENAI_BASE_URL", model.url)
        yield model


def always(answer: Answer) -> Script:
    return lambda _model, _request: answer


def observing(*observations: dict[str, Any], **more: Any):
    return says(None, ("observe", {"observations": list(observations), **more}))


# Without a model


def test_a_history_is_observed_and_its_sessions_end(there):
    said = ok(*there, "observe", "-", stdin=HISTORY).stderr
    assert said.startswith("observed: 4 messages in 2 sessions, ")
    found = entities(there)
    assert {"Max", "Anna", "Berlin", "Project Phoenix"} <= found.keys()
    assert (found["Max"]["user_mention_count"], found["Max"]["identity_status"]) == (3, "distinct")
    assert found["Project Phoenix"]["origin"] == "model"
    assert found["Max"]["last_activated"] == TIME_MS + 2 * HOUR_MS
    sessions = {one["session_id"]: one for one in records(there)["session"]}
    assert {key: one["is_open"] for key, one in sessions.items()} == {"t": False, "t #2": False}
    assert sessions["t"]["ended_at"] == TIME_MS + 5


def test_a_history_that_comes_again_or_has_grown_counts_once(there):
    ok(*there, "observe", "-", stdin=HISTORY)
    before = records(there)
    said = ok(*there, "observe", "-", stdin=HISTORY).stderr
    assert "of 0 new entities" in said
    after = records(there)
    assert after["mention"] == before["mention"]
    assert [tie["user_reinforcement_count"] for tie in after["tie"] if "weight" in tie] == [
        tie["user_reinforcement_count"] for tie in before["tie"] if "weight" in tie
    ]
    ok(*there, "observe", "-", stdin=HISTORY + line(5, "Max sleeps.", time_ms=TIME_MS + HOUR_MS))
    assert entities(there)["Max"]["user_mention_count"] == 4


@pytest.mark.slow
def test_a_message_that_was_forgotten_as_a_memory_is_not_observed(there):
    ok(*there, "ingest", "-", stdin=HISTORY)
    ok(*there, "observe", "-", stdin=HISTORY)
    told = records(there)["memory"]
    [fourth] = [one["id"] for one in told if "called" in one["content"]]
    ok(*there, "forget", fourth)
    shown = ok(*there, "entities", "show", "Max").stdout
    assert "called" not in shown
    before = records(there)
    said = ok(*there, "observe", "-", stdin=HISTORY).stderr
    assert "messages forgotten as memories, left out: 1" in said
    assert records(there)["mention"] == before["mention"]
    ok(*there, "memories", "purge", fourth, "--yes")
    assert "called about" not in ok(*there, "export", "-").stdout
    ok(*there, "check")


def test_who_the_user_is_can_be_said_and_nobody_is_told_of(there):
    theirs = line(1, "Max met Anna in Berlin.", speaker="Kim")
    said = ok(*there, "observe", "-", stdin=theirs).stderr
    assert "The user said nothing, so all is inferred. --user says who it is: Kim\n" in said
    assert entities(there)["Max"]["origin"] == "model"
    said = ok(*there, "observe", "-", "--user", "kim", stdin=line(2, "Max!", speaker="Kim")).stderr
    assert "--user" not in said
    ok(*there, "observe", "-", "--user", "kim", stdin=line(3, "I saw Max.", speaker="Kim"))
    assert entities(there)["Max"]["origin"] == "mixed"


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("{", "line 2: is not a JSON object; all up to line 1 is in; the same command with"),
        (line(2, "Max", time_ms="soon"), "line 2: time_ms: must be unix milliseconds or ISO 8601"),
        (line(2, "Max", speaker=3), "line 2: speaker: must be text, not a number"),
    ],
)
def test_a_bad_line_is_told_with_its_number_and_what_is_before_it_is_in(there, wrong, said):
    refused = fails(*there, "observe", "-", stdin=line(1, "I met Max.") + wrong)
    assert said in refused.stderr
    assert refused.stderr.count("\n") == 1
    assert "Max" in entities(there)


def test_what_is_too_long_is_left_out_and_told_by_its_lines(there):
    history = line(1, "I met Max.") + line(2, "long " * 4_001) + line(3, "Max is here.")
    said = ok(*there, "observe", "-", stdin=history).stderr
    assert "left out: messages of more than 20,000 characters: 1 (line 2)\n" in said
    assert entities(there)["Max"]["user_mention_count"] == 2


def test_going_on_from_a_line_observes_only_what_follows_in_the_same_sessions(there):
    ok(*there, "observe", "-", "--from-line", "4", stdin=HISTORY)
    assert {one["session_id"] for one in records(there)["mention"]} == {"t #2"}
    assert entities(there).keys() >= {"Anna", "Max"}


@pytest.mark.slow
def test_ctrl_c_says_from_which_line_to_go_on(tmp_path):
    environment = {**os.environ, "TZ": "UTC"}
    command = [sys.executable, "-m", "concept_graph_mcp", f"--embedded={tmp_path / 'm.db'}"]
    with subprocess.Popen(
        [*command, "observe", "-"],
        env=environment,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        # More than the pipe holds: when all of it is written, most of it was read.
        process.stdin.write("".join(line(n, f"Max met Anna {n}. " * 40) for n in range(200)))
        process.stdin.flush()
        process.send_signal(signal.SIGINT)
        _, said = process.communicate()
    assert process.returncode == 130
    assert "interrupted; all up to line " in said
    assert " goes on from here" in said


# With a model, over HTTP


def test_what_a_model_says_is_observed_and_its_spans_are_checked(there, model):
    model.script = always(
        observing(
            {"label": "Max", "type": "entity", "kind": "pet", "span": "dog Max", "valence": 0.5},
            {"label": "Bella", "type": "entity", "span": "my cat Bella", "intensity": 1.0},
        )
    )
    ok(*there, "observe", "-", "--model", "some", stdin=line(1, "My dog Max slept."))
    found = entities(there)
    assert (found["Max"]["origin"], found["Max"]["emotional_intensity"]) == ("user", 0.5)
    # It claimed words that do not stand there, and a feeling.
    assert (found["Bella"]["origin"], found["Bella"]["emotional_intensity"]) == ("model", 0.0)
    [request] = model.requests
    assert request["model"] == "some"
    assert "My dog Max slept." in request["messages"][1]["content"]


def test_a_model_is_told_what_was_said_before_in_the_session(there, model):
    model.script = always(observing({"label": "Max", "type": "entity"}))
    ok(*there, "observe", "-", "--model", "some", stdin=HISTORY)
    told = [request["messages"][1]["content"] for request in model.requests]
    assert "Before it" not in told[0]
    assert "assistant" not in told[2]
    assert "user: My dog Max met Anna in Berlin.\nmodel: Perhaps Project Phoenix" in told[2]
    assert "Before it" not in told[3]


def test_relations_of_what_is_not_observed_and_other_nonsense_are_left_out(there, model):
    model.script = always(
        observing(
            {"label": "tea", "type": "topic", "span": "", "colour": "green"},
            {"label": "sleep", "type": "topic"},
            {"label": "", "type": "topic"},
            {"label": "x", "type": "animal"},
            "nothing",
            relations=[
                {"from": "tea", "to": "sleep", "type": "causal"},
                {"from": "tea", "to": "Nobody", "type": "causal"},
                {"from": "tea", "to": "tea", "type": "causal"},
            ],
        )
    )
    said = ok(*there, "observe", "-", "--model", "m", stdin=line(1, "tea gives sleep")).stderr
    assert "claims of the model refused: 5\n" in said
    assert entities(there).keys() == {"tea", "sleep"}
    assert [tie["type"] for tie in records(there)["tie"] if tie["type"] == "causal"] == ["causal"]


def test_a_model_sees_who_is_known_and_can_say_that_it_is_one_of_them(there, model):
    def script(_model, request):
        told = request["messages"][1]["content"]
        ids = re.findall(r"^- (\S+) \| Max", told, re.MULTILINE)
        seen = {"label": "Max", "type": "entity", "kind": "dog"}
        same = {"same_as": ids[0]} if ids else {"facts": [{"predicate": "age", "value": "four"}]}
        return observing({**seen, **same}, {"label": "shoe", "type": "topic", "same_as": "nosuch"})

    model.script = script
    history = line(1, "Max is four, and my shoe is gone.") + line(2, "Max has my shoe.")
    said = ok(*there, "observe", "-", "--model", "m", stdin=history).stderr
    # An id that it was not shown is none.
    assert "claims of the model refused: 2\n" in said
    first, second = [request["messages"][1]["content"] for request in model.requests]
    assert "Known already" not in first
    assert "| Max (dog): age four; Max is four, and my shoe is gone." in second
    assert entities(there)["Max"]["user_mention_count"] == 2
    [fact] = records(there)["fact"]
    assert (fact["predicate"], fact["value"], fact["origin"]) == ("age", "four", "user")


def test_a_model_sees_who_was_active_lately_where_the_message_names_nobody(there, model):
    def script(_model, request):
        told = request["messages"][1]["content"]
        if "puppy" not in told.rpartition("\n")[2]:
            return observing({"label": "Max", "type": "entity", "kind": "dog"})
        [max_] = re.findall(r"^- (\S+) \| Max", told, re.MULTILINE)
        return observing({"label": "puppy", "type": "entity", "kind": "dog", "same_as": max_})

    model.script = script
    history = line(1, "Max is four.") + line(2, "The puppy chewed my shoe again.")
    ok(*there, "observe", "-", "--model", "m", stdin=history)
    [tie] = [one for one in records(there)["tie"] if one["type"] == "same_as"]
    made = entities(there)
    assert {tie["from"], tie["to"]} == {made["Max"]["id"], made["puppy"]["id"]}
    assert tie["status"] == "candidate"


def test_a_model_is_shown_ten_of_the_latest_and_no_emotion(there, model):
    seen = [{"label": f"Dog {letter}", "type": "entity"} for letter in "abcdefghijkl"]
    model.script = always(observing(*seen, {"label": "sad", "type": "emotion"}))
    names = ", ".join(one["label"] for one in seen)
    history = line(1, f"So sad: {names}") + line(2, "it was long ago.")
    ok(*there, "observe", "-", "--model", "m", stdin=history)
    told = model.requests[1]["messages"][1]["content"]
    assert len(re.findall(r"^- \S+ \| Dog", told, re.MULTILINE)) == 10
    assert "| sad" not in told


def test_a_model_can_say_that_another_one_of_a_name_is_meant(there, model):
    answers = [
        {"label": "Anna", "type": "entity"},
        {"label": "Anna", "type": "entity", "new": True, "qualifier": "from the gym"},
    ]
    model.script = lambda model, _request: observing(answers[len(model.requests) - 1])
    history = line(1, "I met Anna.") + line(2, "I met another Anna, from the gym.")
    ok(*there, "observe", "-", "--model", "m", stdin=history)
    assert len([one for one in records(there)["entity"] if "Anna" in one["node_label"]]) == 2


def test_a_kind_of_its_own_and_facts_that_cannot_be_are_left_out_and_counted(there, model):
    facts = [
        {"predicate": "sister", "object": "Nobody"},
        {"predicate": "home"},
        {"predicate": "likes", "value": "tea", "mode": "beside"},
    ]
    seen = {"label": "Max", "type": "entity", "kind": "good boy", "facts": facts}
    model.script = always(observing(seen))
    said = ok(*there, "observe", "-", "--model", "m", stdin=line(1, "Max likes tea")).stderr
    assert "claims of the model refused: 3\n" in said
    assert "entity_kind" not in entities(there)["Max"]
    assert [one["value"] for one in records(there)["fact"]] == ["tea"]


def test_where_a_model_finds_nothing_nothing_is_observed(there, model):
    model.script = always(observing())
    said = ok(*there, "observe", "-", "--model", "m", stdin=HISTORY).stderr
    assert said.startswith("observed: 4 messages in 2 sessions, 0 mentions")
    assert entities(there) == {}


def test_json_in_a_text_will_do_and_what_is_no_answer_is_told_without_the_model(there, model):
    answers = iter(['Here: ```{"observations": [{"label": "Rex", "type": "entity"}]}```', "?", "?"])
    model.script = lambda _model, _request: says(next(answers))
    two = line(1, "He chewed a shoe.") + line(2, "My dog Max met Anna.")
    said = ok(*there, "observe", "-", "--model", "m", stdin=two).stderr
    assert "answers of no use, told without the model: 1\n" in said
    assert entities(there).keys() >= {"Rex", "Max", "Anna"}


def test_a_model_that_fails_stops_with_the_line_and_going_on_asks_no_message_again(there, model):
    answers = [observing({"label": "Max", "type": "entity"}), Fault(401)]
    model.script = lambda model, _request: answers[min(len(model.requests), 2) - 1]
    refused = fails(*there, "observe", "-", "--model", "m", stdin=HISTORY)
    assert "line 2: m at http://127.0.0.1" in refused.stderr
    assert "answered 401" in refused.stderr
    assert "all up to line 1 is in; the same command with --from-line 2 goes on" in refused.stderr
    assert refused.stderr.count("\n") == 1
    model.script = always(observing({"label": "Max", "type": "entity"}))
    asked = len(model.requests)
    ok(*there, "observe", "-", "--model", "m", "--from-line", "2", stdin=HISTORY)
    assert len(model.requests) == asked + 3
    assert entities(there)["Max"]["user_mention_count"] == 3


def test_a_model_without_an_endpoint_is_one_line(there, monkeypatch):
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    refused = run(*there, "observe", "-", "--model", "m", stdin=HISTORY)
    assert "OPENAI_API_KEY: is not set" in refused.stderr
    assert refused.stderr.count("\n") == 1


# Pronouns: a stand-in for fastcoref, whose models are fetched and large


class StandIn:
    """What fastcoref's `FCoref` answers, by a rule: "He" is the last name before it."""

    def __init__(self, device: str, enable_progress_bar: bool) -> None:
        self.asked: list[str] = []

    def predict(self, texts: list[str]) -> list["StandIn"]:
        self.asked += texts
        return [self]

    def get_clusters(self, as_strings: bool) -> list[list[tuple[int, int]]]:
        text = self.asked[-1]
        if "broken" in text:
            raise RuntimeError("tensors of different sizes\nand more")
        start, he = text.find("my dog Max"), text.find("He ")
        return [] if min(start, he) < 0 else [[(start, start + 10), (he, he + 2)]]


@pytest.fixture
def coref(monkeypatch):
    module = types.ModuleType("fastcoref")
    module.FCoref = StandIn
    monkeypatch.setitem(sys.modules, "fastcoref", module)


TOLD = line(1, "I walked with my dog Max.") + line(2, "He chewed my shoe.")


@pytest.mark.usefixtures("coref")
def test_a_pronoun_mentions_whom_it_means_as_the_model_reads_it(there):
    ok(*there, "observe", "-", "--coref", stdin=TOLD)
    mentions = [one for one in records(there)["mention"] if one["label"] == "Max"]
    said = {one["message_id"]: (one["origin"], one.get("inferred_from")) for one in mentions}
    assert said == {"m1": ("user", None), "m2": ("model", "He")}


def test_without_it_a_pronoun_mentions_nobody(there):
    ok(*there, "observe", "-", stdin=TOLD)
    assert entities(there)["Max"]["user_mention_count"] == 1


@pytest.mark.usefixtures("coref")
def test_a_model_is_told_whom_a_pronoun_means_and_given_the_message_as_it_is(there, model):
    model.script = always(observing({"label": "Max", "type": "entity", "span": "He"}))
    ok(*there, "observe", "-", "--coref", "--model", "m", stdin=TOLD)
    told = model.requests[1]["messages"][1]["content"]
    assert told.endswith('He chewed my shoe.\n\n"He" is Max.')


@pytest.mark.usefixtures("coref")
def test_pronouns_that_cannot_be_resolved_are_one_line_with_the_number(there):
    broken = line(1, "I met Max.") + line(2, "It is broken.")
    refused = run(*there, "observe", "-", "--coref", stdin=broken)
    assert "line 2: --coref: fastcoref failed: tensors of different sizes; all up" in refused.stderr
    assert refused.stderr.count("\n") == 1


def test_what_is_not_installed_is_one_line(there, monkeypatch):
    monkeypatch.setitem(sys.modules, "fastcoref", None)
    refused = fails(*there, "observe", "-", "--coref", stdin=TOLD)
    assert "--coref needs the package fastcoref: pip install" in refused.stderr
    assert refused.stderr.count("\n") == 1


# Real conversations

REAL = Path(__file__).parents[3] / "shared/data/realmem_dev/messages.jsonl"


@pytest.mark.slow
@pytest.mark.skipif(not REAL.exists(), reason="needs the RealMem conversations")
def test_a_real_history_is_observed_whole(tmp_path, monkeypatch):
    monkeypatch.setenv("TZ", "UTC")
    lines = REAL.read_text(encoding="utf-8").splitlines(keepends=True)[:120]
    there = [f"--embedded={tmp_path / 'memory.db'}"]
    said = ok(*there, "observe", "-", stdin="".join(lines)).stderr
    assert said.startswith("observed: 120 messages in ")
    assert "The user said nothing" not in said
