"""Each user of a server over HTTP has a memory of their own; the token alone says who it is."""

import json
import time

import pytest
from http_running import MODERN, running

from concept_graph_mcp.errors import Unavailable
from concept_graph_mcp.http.access import askers_session
from concept_graph_mcp.settings import KNOWN_TOOLSETS

NUTS = {"text": "Ann likes hazelnuts.", "about": ["hazelnut"]}
BERRIES = {"text": "Bob grows blueberries.", "about": ["blueberry"]}


@pytest.mark.slow
@pytest.mark.parametrize("mode", [MODERN, "legacy", "auto"])
def test_every_client_of_the_sdk_is_served(served_each, mode):
    kept = served_each.ask("remember", "ann", mode, **NUTS)
    assert kept["id"]
    told = served_each.ask("recall", "ann", mode, message="What about hazelnuts?")
    assert "Ann likes hazelnuts." in told["text"]


@pytest.mark.slow
def test_two_users_meet_nothing_of_each_other(served_each):
    nuts = served_each.ask("remember", "ann", **NUTS)["id"]
    served_each.ask("remember", "bob", **BERRIES)
    told = served_each.ask("recall", "bob", message="hazelnuts?")
    assert (told["text"], told["nothing"]) == ("", True)
    assert served_each.ask("search", "bob", query="hazelnuts")["found"] == []
    refused = served_each.called("forget", "bob", id=nuts, reason="")
    assert refused["isError"]
    assert served_each.ask("search", "ann", query="hazelnuts")["total"] == 1


class Broken:
    """A store whose calls fail, and name the file that they read."""

    def __init__(self, store):
        self._store = store

    def __getattr__(self, name):
        return getattr(self._store, name)

    async def call(self, call, context):
        raise Unavailable("store /srv/our files/memory.db: disk I/O error; nothing was written")


@pytest.mark.slow
def test_no_user_is_told_where_the_file_is(embedded, tokens):
    with running(Broken(embedded), tokens) as server:
        said = json.dumps(server.called("search", query="hazelnuts"))
    assert "the store: disk I/O error; nothing was written" in said
    assert "/srv" not in said


NOBODYS = "01970000-0000-7000-8000-000000000000"


@pytest.mark.slow
def test_an_id_of_another_user_is_refused_as_one_that_nobody_has(each_store, tokens, caplog):
    with running(each_store, tokens, toolsets=KNOWN_TOOLSETS) as server:
        kept = server.ask("remember", "ann", **NUTS, said="Ann likes hazelnuts.")["id"]
        entity = server.ask("about", "ann", name="hazelnut")["id"]
        own = server.ask("remember", "bob", **BERRIES)["id"]
        asked = [
            *(("forget", {"id": one, "reason": "x"}) for one in (kept, entity)),
            *(
                ("remember", {"text": "Bob has berries.", "replaces": one})
                for one in (kept, entity)
            ),
            ("memory_node_get", {"memory_id": kept}),
            ("memory_node_update", {"memory_id": kept, "content": "x"}),
            ("memory_node_forget", {"memory_id": kept, "reason": "x"}),
            ("memory_decay_status", {"memory_id": kept}),
            ("memory_preserve", {"memory_id": kept}),
            ("memory_node_link", {"source_id": own, "target_id": kept, "type": "supports"}),
            ("memory_node_connected", {"memory_id": kept}),
            ("memory_graph_explore", {"start_node_id": kept}),
            ("memory_traverse", {"start_id": kept}),
            ("entity_get", {"entity_id": entity}),
            ("entity_explain", {"entity_id": entity}),
            ("about", {"name": entity}),
        ]
        for tool, given in asked:
            answers = []
            for another in (kept, entity, NOBODYS):
                ids = {kept: another, entity: another}
                told = {name: ids.get(value, value) for name, value in given.items()}
                answer = json.dumps(server.called(tool, "bob", **told))
                answers.append(answer.replace(another, "ID"))
            assert {*answers} == {answers[-1]}, tool
            assert "ID" in answers[-1], answers[-1]
        metrics = server.metrics()
    for word in ("hazelnut", "blueberr", kept, entity):
        assert word not in metrics
        assert word not in caplog.text


@pytest.mark.slow
def test_the_concepts_of_the_toolset_concept_are_a_users_own(each_store, tokens):
    with running(each_store, tokens, toolsets=("concept", "memory", "entity")) as server:
        server.ask("concept_upsert", "ann", concept="hazelnut")
        server.ask("episode_add", "ann", summary="Ate nuts", concepts=["hazelnut"])
        assert server.ask("concept_search", "bob", keywords=[])["concepts"] == []
        assert server.ask("episode_search", "bob", query="nuts") == {"episodes": []}
        found = server.ask("episode_search", "ann", query="nuts")
        assert [one["summary"] for one in found["episodes"]] == ["Ate nuts"]


@pytest.mark.slow
def test_all_users_share_concepts_where_the_owner_says_so(embedded, tokens):
    with running(embedded, tokens, toolsets=("concept",), concepts="shared") as server:
        server.ask("concept_upsert", "ann", concept="hazelnut")
        assert server.ask("concept_search", "bob", keywords=[])["concepts"] == ["hazelnut"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "header",
    ["x-user", "x-forwarded-user", "remote-user", "mcp-session-id", "x-concept-graph-user"],
)
def test_no_header_of_a_client_says_who_it_is(served, header):
    served.called("remember", "ann", **NUTS)
    params = {"name": "search", "arguments": {"query": "hazelnuts"}}
    answer = served.post("tools/call", "bob", params=params, headers={header: "ann"})
    assert answer.json()["result"]["structuredContent"]["found"] == []
    assert "mcp-session-id" not in answer.headers


@pytest.mark.slow
def test_no_argument_says_who_it_is(embedded, tokens):
    toolsets = ("concept", "memory", "entity", "everyday")
    with running(embedded, tokens, toolsets=toolsets) as server:
        listed = server.post().json()["result"]["tools"]
        assert len(listed) > 30
        for tool in listed:
            assert not {"user", "user_id", "scope"} & tool["inputSchema"]["properties"].keys()
        refused = server.called("search", "bob", query="hazelnuts", user_id="ann")
        assert "unknown argument 'user_id'" in refused["content"][0]["text"]


@pytest.mark.slow
def test_no_user_is_told_to_run_a_worker_and_the_log_says_so(each_store, tokens, caplog):
    with running(each_store, tokens) as server:
        assert "advice" not in server.ask("recall", "ann", message="What about hazelnuts?")
        while "://" in each_store.location and not caplog.records:
            time.sleep(0.01)
    told = [one.getMessage() for one in caplog.records if "worker as a service" in one.getMessage()]
    assert len(told) == ("://" in each_store.location)


@pytest.mark.slow
def test_a_reader_reads_and_leaves_no_trace(each_store, tokens):
    with running(each_store, tokens, toolsets=("everyday", "memory")) as server:
        kept = server.called("remember", "ann", **NUTS)["structuredContent"]["id"]
        reads = {"authorization": f"Bearer {tokens.add('ann', ['memory:read'], None)}"}

        def reader(tool, **arguments):
            params = {"name": tool, "arguments": arguments}
            return server.post("tools/call", None, params=params, headers=reads)

        told = reader("recall", message="hazelnuts?").json()["result"]["structuredContent"]
        assert "hazelnuts" in told["text"]
        assert "access" not in told.get("advice", "")
        got = server.called("memory_node_get", "ann", memory_id=kept)["structuredContent"]
        # This very call is the only access.
        assert got["access_count"] == 1
        refused = reader("remember", **BERRIES)
        assert refused.status_code == 403
        challenge = refused.headers["www-authenticate"]
        assert challenge.startswith("Bearer ")
        assert 'error="insufficient_scope"' in challenge
        assert 'scope="memory:write"' in challenge
        assert "may only read" in refused.json()["error"]["message"]
        assert server.ask("search", "ann", query="blueberries")["found"] == []


def test_a_token_without_a_scope_is_refused(served):
    nothing = served.tokens.add("ann", [], None)
    answer = served.post(user=None, headers={"authorization": f"Bearer {nothing}"})
    assert answer.status_code == 403
    assert 'error="insufficient_scope"' in answer.headers["www-authenticate"]


def test_outside_of_a_request_there_is_no_session():
    with pytest.raises(LookupError):
        _ = askers_session().user_id


@pytest.mark.slow
def test_a_server_that_redacts_does_so_for_each_user(each_store, tokens):
    secret = "ghp_" + "Ab1Cd2Ef3G" * 3 + "Hi4Jk5"
    with running(each_store, tokens, redacts=True) as server:
        made = server.ask("remember", "ann", text=f"The bakery's token is {secret}")
        assert "GitHub Token: 1" in made["advice"]
        [found] = server.ask("search", "ann", query="bakery")["found"]
        assert found["text"] == "The bakery's token is [secret: GitHub Token]"
