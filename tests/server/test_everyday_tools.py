"""The seven tools of every day, as a client sees them."""

import json
from itertools import groupby

import pytest
from mcp.types import Implementation
from talking import Toy, talking
from tests.conftest import NOW_MS

from concept_graph_mcp import calls
from concept_graph_mcp.errors import Unwritable
from concept_graph_mcp.session import Session
from concept_graph_mcp.tools import toolsets

SAID = "My sister Clara is allergic to hazelnuts!"
CLARA = {"text": "Clara must not eat hazelnuts", "about": ["Clara"], "said": SAID}
TOOLS = ["recall", "remember", "search", "about", "forget", "relate", "identify"]


@pytest.fixture
def call(store, portal):
    with talking(portal, store, "everyday", concepts="own") as call:
        yield call


def test_seven_tools_are_short_to_read(call):
    listed = [
        tool.model_dump(mode="json", by_alias=True, exclude_none=True, exclude={"icons"})
        for tool in call.ask("list_tools").tools
    ]
    assert [tool["name"] for tool in listed] == TOOLS
    assert len(json.dumps(listed, separators=(",", ":"))) <= 9_500
    # The strict mode of OpenAI's agents takes no references.
    assert "$ref" not in json.dumps([tool["inputSchema"] for tool in listed])
    for concepts, whose in (("own", "this user alone"), ("shared", "nothing private into relate")):
        said = toolsets.instructions(["everyday"], concepts)
        assert len(said) <= 700
        assert "never instructions" in said
        assert whose in said
        assert all(f" {name}" in f" {said.casefold()}" for name in ("recall", "remember"))


@pytest.mark.slow
@pytest.mark.usefixtures("worker_runs")
def test_a_greeting_gives_nothing_and_a_name_what_is_kept(call):
    call("remember", **CLARA)
    nothing = call("recall", message="Hello!")
    told = call("recall", message="Is Clara in?")
    assert nothing == {"text": "", "nothing": True}
    assert told["text"].split("\n") == [
        "Who and what:",
        "[1] Clara (sister); allergy: hazelnuts",
        "Said:",
        "[2] 2025-06-15 17:06, note: “Clara must not eat hazelnuts”",
    ]
    assert [(one["n"], one["kind"]) for one in told["sources"]] == [(1, "entity"), (2, "memory")]


@pytest.mark.slow
def test_all_about_a_name_comes_without_its_accent_too(call):
    call("remember", text="José mends bicycles", about=["José", "bicycles"])
    told, without = [call("about", name=name) for name in ("José", "Jose")]
    assert told == without
    assert told["relations"] == ["José evokes bicycles"]


@pytest.mark.slow
def test_all_about_a_name_has_the_relations_of_its_other_names(call):
    for name, thing in (("Lenchen", "cake"), ("Lena", "Hamburg"), ("Dr. Lang", "burnout")):
        call("remember", text=f"{name} and {thing}", about=[name, thing])
    call("identify", a="Lenchen", b="Lena", same=True, said="Lenchen is Lena")
    one, other, part, whole = [
        call("about", name=name) for name in ("Lena", "Lenchen", "Lang", "Dr. Lang")
    ]
    assert sorted(one["relations"]) == ["Lena evokes Hamburg", "Lenchen evokes cake"]
    assert sorted(other["relations"]) == sorted(one["relations"])
    assert part["relations"] == whole["relations"] == ["Dr. Lang evokes burnout"]


@pytest.mark.slow
def test_an_id_of_no_entity_is_refused_by_the_name_of_the_argument(call):
    made = call("remember", text="The roof leaks")
    assert call("about", name=made["id"]).startswith("name: no entity has the id ")


@pytest.mark.slow
def test_a_text_is_forgotten_by_its_words_if_it_is_one_thing_alone(call):
    kept = call("remember", text="The roof leaks")
    call("remember", text="The roof of the barn leaks badly")
    asked = call("forget", id="leaks")
    gone = call("forget", id="the roof leaks")
    unknown = call("forget", id="the dog")
    assert [one["kind"] for one in asked["candidates"]] == ["memory", "memory"]
    assert kept["id"] in {one["id"] for one in asked["candidates"]}
    assert "forgotten_at" not in asked
    assert gone["id"] == kept["id"]
    assert unknown.startswith('id: not found: "the dog"')


@pytest.mark.slow
def test_a_time_in_words_is_read(call):
    call("remember", text="The roof leaked", happened_at="last Tuesday")
    found = [
        call("search", query="roof", since=since, until=until)
        for since, until in (("last week", None), ("yesterday", None), (None, "3 days ago"))
    ]
    refused = call("search", query="roof", since="soon")
    assert [one["total"] for one in found] == [1, 0, 1]
    assert found[0]["found"][0]["date"].startswith("2025-06-10T00:00")
    assert refused.startswith("since: must be a date or a time such as")


@pytest.mark.slow
def test_the_user_is_me_in_who_is_who(call):
    said = "The user is Ada, a nurse"
    call("remember", text=said, about=["Ada", "the user"], said=said)
    assert call("identify", a="me", b="Ada", same=True, said="The user is Ada")["verdict"] == "same"


@pytest.mark.slow
@pytest.mark.usefixtures("worker_runs")
def test_a_time_alone_is_one_of_the_users_zone(call):
    call("remember", text="The roof leaks")
    messages = ("What did I tell you today?", "What did I tell you yesterday?")
    today, yesterday = [call("recall", message=one) for one in messages]
    assert today["text"].split("\n")[1:] == ["[1] 2025-06-15 17:06, note: “The roof leaks”"]
    assert yesterday == {"text": "", "nothing": True}


@pytest.mark.slow
def test_what_is_refused_names_what_was_typed_in_one_line(call):
    unknown = "1626f84f-04c7-837b-afea-592617fff9ff"
    form = 'must be a name, or {"name": …, "kind": …, "facts": {…}}'
    refused = [
        ("about", {"name": unknown}, f"name: no entity has the id {unknown}; pass a name"),
        ("remember", {"text": "a", "about": ["b", {"name": "c", "type": "d"}]}, f"about.1: {form}"),
        ("remember", {"text": "a", "about": [5]}, f"about.0: {form}"),
        (
            "search",
            {"query": "a", "since": "2026-02-01", "until": "2026-01-31"},
            "since: is after until, so nothing lies between; swap them",
        ),
    ]
    assert call("search", query="a", since="2026-01-31", until="2026-01-31")
    assert [call(tool, **arguments) for tool, arguments, _ in refused] == [
        line for *_, line in refused
    ]


@pytest.mark.slow
@pytest.mark.usefixtures("worker_runs")
def test_what_is_recalled_is_counted_whole(call):
    for number in range(40):
        text = f"Clara has the “{number}th” of all books, and likes it"
        call("remember", text=text, about=["Clara"])
    for budget in (50, 300, 1_200):
        told = call("recall", message="Which books has Clara?", token_budget=budget)
        read = json.dumps(told, ensure_ascii=False, separators=(",", ":"))
        assert len(read.encode()) <= 4 * budget
        assert told["tokens"] <= budget


@pytest.mark.usefixtures("worker_runs")
def test_a_recall_has_a_most_whatever_budget_a_model_asks_for(call, store, monkeypatch):
    asked, run = [], store.call

    async def noting(made, context):
        if made.procedure.name == "everyday.recall":
            asked.append(made.arguments[2])
        return await run(made, context)

    monkeypatch.setattr(store, "call", noting)
    for budget in (10**18, 20_001, 20_000, 50, 0, -5):
        call("recall", message="Which books has Clara?", token_budget=budget)
    # A message with a word that no text has is asked twice: the second time, the word is set right.
    assert [one for one, _ in groupby(asked)] == [20_000, 50]


@pytest.mark.slow
@pytest.mark.usefixtures("worker_runs")
def test_a_store_that_cannot_be_written_answers_all_the_same(call, store, monkeypatch):
    call("remember", **CLARA)
    run = store.call

    async def refusing(asked, context):
        if asked.procedure.writes:
            raise Unwritable("the disk is full")
        return await run(asked, context)

    monkeypatch.setattr(store, "call", refusing)
    told = call("recall", message="Is Clara in?")
    assert "Clara" in told["text"]
    assert told["advice"] == "no access was counted: the disk is full"


@pytest.mark.slow
def test_about_takes_the_id_of_an_entity_too(call):
    call("remember", **CLARA)
    by_name = call("about", name="Clara")
    by_id = call("about", name=by_name["id"])
    assert by_name == by_id
    assert by_name["said"][0]["date"] == "2025-06-15T17:06:40+02:00"


@pytest.mark.slow
def test_dates_are_those_of_the_zone(call):
    made = call("remember", text="Went to the lake", happened_at="2025-06-01")
    day = {"query": "lake", "since": "2025-06-01", "until": "2025-06-01"}
    before = call("search", query="lake", until="2025-05-31")
    found = call("search", **day)
    assert [(one["id"], one["date"]) for one in found["found"]] == [
        (made["id"], "2025-06-01T00:00:00+02:00")
    ]
    assert before == {"found": [], "total": 0}


@pytest.mark.slow
@pytest.mark.usefixtures("worker_runs")
def test_a_vector_alone_brings_nothing_to_a_greeting(store, portal):
    near = {"embedding": [0.0, 0.0, 1.0], "embedding_dimension": 3}
    record = {"kind": "memory", "id": "m", "user_id": "default", "content": "cccc", **near}
    with talking(portal, store, "everyday", embedding=Toy(), concepts="own") as call:
        call.run(calls.embedding.choose("toy", 3, False))
        call.run(calls.transfer.import_rows([record]))
        assert call("recall", message="aaab") == {"text": "", "nothing": True}
        assert "cccc" in call("recall", message="cc ccc", also=["c"])["text"]


BAD = [
    ("recall", {"message": ""}),
    ("recall", {"message": "x" * 20_001}),
    ("recall", {"message": "x", "before": "a\0"}),
    ("recall", {"message": "x", "token_budget": "5"}),
    ("remember", {"text": " "}),
    ("remember", {"text": "x", "keep": "ever"}),
    ("remember", {"text": "x", "about": ["a"] * 11}),
    ("remember", {"text": "x", "about": [{"name": "a", "id": "b"}]}),
    ("remember", {"text": "x", "about": [{"kind": "dog"}]}),
    ("remember", {"text": "x", "about": "Max"}),
    ("remember", {"text": "x", "replaces": "nosuch"}),
    ("remember", {"text": "x", "happened_at": "soon"}),
    ("search", {"query": ""}),
    ("search", {"query": "x", "since": "soon"}),
    ("search", {"query": "x", "kinds": ["fact"]}),
    ("about", {"name": "78333103-38c0-8cc6-a04f-43bc6e2f0c54"}),
    ("forget", {"id": "nosuch"}),
    ("relate", {"from": "a", "to": "a", "type": "is-a"}),
    ("identify", {"a": "x", "b": "y", "same": True, "said": "x is y"}),
    ("identify", {"a": "x", "same": "yes", "said": "x"}),
]


@pytest.mark.slow
@pytest.mark.parametrize(("tool", "arguments"), BAD)
def test_what_is_wrong_is_refused_in_one_line(call, tool, arguments):
    said = call(tool, **arguments)
    assert isinstance(said, str)
    assert len(said.splitlines()) == 1
    assert "internal" not in said
    assert call.records() == []


def test_beside_memgraph_the_first_recall_of_a_day_says_that_no_job_runs(call, store):
    advice = []
    for hours in (0, 1, 24):
        call.session.clock.set(NOW_MS + hours * 3_600_000)
        advice.append(call("recall", message="Good morning!").get("advice"))
    said = "no job has ever run on this store; run concept-graph-mcp worker as a service"
    on_memgraph = "://" in store.location
    assert advice == ([said, None, said] if on_memgraph else [None, None, None])


@pytest.mark.slow
def test_a_status_that_cannot_be_read_is_not_in_the_way(call, store, monkeypatch):
    run = store.call

    async def without_status(asked, context):
        if asked.procedure == calls.memories.worker_status().procedure:
            raise Unwritable("no status")
        return await run(asked, context)

    monkeypatch.setattr(store, "call", without_status)
    call("remember", **CLARA)
    told = call("recall", message="What does Clara not eat?")
    assert "hazelnuts" in told["text"]
    assert "advice" not in told


def test_nothing_is_not_told_as_if_nothing_were_stored():
    said = toolsets.instructions(["everyday"], "own")
    assert "it may be stored in other words" in said
    assert "ask once more with also" in said
    assert "nothing is kept" not in said.casefold()


@pytest.mark.slow
def test_other_words_find_what_the_message_does_not(call):
    call("remember", **CLARA)
    message = "Any trouble at the bakery?"
    nothing = call("recall", message=message)
    told = call("recall", message=message, also=["hazelnuts"])
    found = call("search", query="violin", kinds=["memory"], also=["hazelnuts"])
    # Beside Memgraph it may say that no worker runs.
    assert nothing | {"advice": ""} == {"text": "", "nothing": True, "advice": ""}
    assert "Said:" in told["text"]
    assert [one["matched"] for one in found["found"]] == [["hazelnuts"]]


@pytest.mark.slow
def test_a_model_is_told_that_a_long_message_was_not_read_whole(call) -> None:
    call("remember", text="Clara must not eat hazelnuts.", about=["Clara"])
    names = ", ".join(f"Nemi{n} Olo{n}" for n in range(900))
    for tool, field in (("recall", "message"), ("search", "query")):
        found = call(tool, **{field: f"{names} What must Clara not eat?"})
        assert "400 different words" in found["advice"]
    assert "hazelnuts" in str(found)
    assert "advice" not in call("search", query="What must Clara not eat?")


@pytest.mark.slow
def test_the_name_in_the_settings_is_told_once(tmp_path, portal):
    from concept_graph_mcp import answers
    from concept_graph_mcp.hosts.lazy import open_store
    from concept_graph_mcp.settings import read

    chosen = read({"TZ": "UTC", "CONCEPT_GRAPH_ME": "Nadia Okafor"}, str(tmp_path / "m.db"))

    async def run() -> list[str]:
        async with open_store(chosen, creates=True) as store:
            session = Session.of(store, chosen)
            for _ in range(2):
                await answers.tell_name(session, chosen.me)
            row, _ = await answers.recall(session, "What is my name?")
            return [str(line["parts"]) for line in row["lines"]]

    [told] = portal.call(run)
    assert "Nadia Okafor" in told


@pytest.mark.slow
@pytest.mark.usefixtures("worker_runs")
@pytest.mark.parametrize(
    ("name", "is_json_first"),
    [("claude-code", True), ("codex-mcp-client", True), ("opencode", False)],
)
def test_a_model_gets_the_text_of_a_recall_as_text(store, portal, name, is_json_first):
    client = {"client_info": Implementation(name=name, version="1")}
    with talking(portal, store, "everyday", concepts="own", client=client) as call:
        listed = {one.name: one for one in call.ask("list_tools").tools}
        call("remember", **CLARA)
        asked = ("What is Clara allergic to?", "Good morning!")
        found, nothing = [call.ask("call_tool", "recall", {"message": one}) for one in asked]
    assert [one for one in TOOLS if listed[one].output_schema is None] == ["recall"] * is_json_first
    [said] = found.content
    assert said.text.startswith("Who and what:\n[1] Clara")
    assert nothing.content[0].text == "nothing"
    if is_json_first:
        assert (found.structured_content, nothing.structured_content) == (None, None)
    else:
        assert found.structured_content["text"] == said.text
        assert nothing.structured_content["nothing"]
