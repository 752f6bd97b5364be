"""The interface of mem0: what a program gets that changes its import."""

import asyncio
import inspect
from datetime import UTC, datetime, timedelta

import pytest

from concept_graph_mcp import Memory
from concept_graph_mcp.dropins import mem0
from concept_graph_mcp.errors import StoreError

SAID = [
    {"role": "system", "content": "Be kind"},
    {"role": "user", "content": "I am allergic to hazelnuts"},
    {"role": "assistant", "content": "I shall remember it"},
]
ADA = {"user_id": "ada"}


@pytest.fixture
def client(memory):
    return mem0.Memory(memory=memory)


def test_what_the_user_says_is_found_and_recalled_as_the_users(client, memory):
    made = client.add(SAID, user_id="bob")["results"]
    assert [(one["memory"], one["event"]) for one in made] == [(SAID[1]["content"], "ADD")]
    found = client.search("Which nuts? Hazelnuts?", filters={"user_id": "bob"})["results"]
    assert [one["id"] for one in found] == [made[0]["id"]]
    assert 0.1 <= found[0]["score"] < 1
    recalled = memory.of("bob").recall("What am I allergic to?")["text"]
    assert "hazelnuts" in recalled
    assert memory.recall("What am I allergic to?")["text"] == ""


def test_without_inferring_all_is_kept_but_the_system_and_each_time(client):
    for _ in range(2):
        made = client.add(SAID, user_id="ada", infer=False)["results"]
    assert [one["role"] for one in made] == ["user", "assistant"]
    assert client.get_all(filters=ADA)["results"].__len__() == 4


def test_a_text_is_inferred_once(client):
    assert len(client.add(["no message", *SAID], user_id="ada")["results"]) == 1
    assert client.add(SAID, user_id="ada")["results"] == []
    assert len(client.add("I am allergic to hazelnuts", user_id="ada", run_id="r")["results"]) == 1


def test_a_memory_is_as_it_was_added(client):
    [made] = client.add("Hi", user_id="ada", agent_id="cook", metadata={"tags": ["a"]})["results"]
    found = client.get(made["id"])
    assert {**found, "created_at": "", "updated_at": ""} == {
        "id": made["id"],
        "memory": "Hi",
        "hash": "c1a5298f939e87e8f962a5edfc206918",
        "metadata": {"tags": ["a"]},
        "score": None,
        "created_at": "",
        "updated_at": "",
        "user_id": "ada",
        "agent_id": "cook",
        "role": "user",
    }
    [listed] = client.get_all(filters=ADA)["results"]
    del found["score"]
    assert listed == found
    assert client.get("none@ada") is None


def test_an_update_keeps_what_it_does_not_say_and_is_in_the_history(client):
    memory_id = client.add("I live in Oslo", user_id="ada", metadata={"a": 1})["results"][0]["id"]
    assert client.update(memory_id, "I live in Bergen") == {
        "message": "Memory updated successfully!"
    }
    client.update(memory_id, metadata={"b": 2, "user_id": "bob"})
    found = client.get(memory_id)
    assert (found["memory"], found["metadata"]) == ("I live in Bergen", {"a": 1, "b": 2})
    assert found["user_id"] == "ada"
    changes = client.history(memory_id)
    assert [(one["event"], one["old_memory"], one["new_memory"]) for one in changes] == [
        ("ADD", None, "I live in Oslo"),
        ("UPDATE", "I live in Oslo", "I live in Bergen"),
        ("UPDATE", "I live in Bergen", "I live in Bergen"),
    ]
    assert client.search("Bergen", filters=ADA)["results"][0]["id"] == memory_id


def test_what_is_deleted_is_gone(client, memory):
    first, second, third = (
        client.add(said, user_id="ada", run_id=run)["results"][0]["id"]
        for said, run in (("I like tea", "r1"), ("I like jam", "r1"), ("I like figs", "r2"))
    )
    assert client.delete(first) == {"message": "Memory deleted successfully!"}
    with pytest.raises(ValueError, match="not found"):
        client.delete(first)
    assert client.history(first) == []
    assert client.delete_all(user_id="ada", run_id="r1") == {
        "message": "Memories deleted successfully!"
    }
    assert [one["id"] for one in client.get_all(filters=ADA)["results"]] == [third]
    assert client.get(second) is None
    assert "tea" not in memory.recall("Do I like tea?")["text"]


def test_an_expired_memory_is_nowhere(client):
    today = datetime.now(UTC).date()
    client.add("A", user_id="ada", expiration_date=today - timedelta(days=1))
    client.add("B", user_id="ada", expiration_date=str(today + timedelta(days=1)))
    [one] = client.get_all(filters=ADA)["results"]
    assert (one["memory"], one["expiration_date"]) == ("B", str(today + timedelta(days=1)))
    client.update(one["id"], expiration_date=today - timedelta(days=1))
    assert client.get_all(filters=ADA)["results"] == []


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({"n": 1}, ["one"]),
        ({"n": {"gte": 1, "lt": 2}}, ["one"]),
        ({"n": {"ne": 1}}, ["none", "two"]),
        ({"n": {"in": [2, 3]}}, ["two"]),
        ({"n": {"nin": [2, 3]}}, ["none", "one"]),
        ({"n": "*"}, ["one", "two"]),
        ({"n": {"lt": 10**30}}, ["one", "two"]),
        ({"word": {"contains": "ne"}}, ["one"]),
        ({"word": {"icontains": "TW"}}, ["two"]),
        ({"OR": [{"n": 1}, {"n": 2}]}, ["one", "two"]),
        ({"AND": [{"n": 1}, {"word": "two"}]}, []),
        ({"NOT": [{"n": 1}]}, ["none", "two"]),
        ({"role": "user"}, ["none", "one", "two"]),
    ],
)
def test_filters_are_those_of_mem0(tmp_path, wanted, found):
    with mem0.Memory(memory=Memory.open(tmp_path / "m.db", embeddings="none")) as client:
        client.add("none", user_id="ada")
        for n, word in ((1, "one"), (2, "two")):
            client.add(word, user_id="ada", metadata={"n": n, "word": word})
        rows = client.get_all(filters={**ADA, **wanted})["results"]
        assert sorted(one["memory"] for one in rows) == found


@pytest.mark.parametrize(
    ("call", "line"),
    [
        (lambda client: client.add("a"), "At least one of 'user_id'"),
        (lambda client: client.add(5, user_id="a"), "messages must be"),
        (lambda client: client.add("a", user_id="a b"), "Invalid user_id"),
        (lambda client: client.add("a", user_id="a", timestamp=5), "timestamp: is not supported"),
        (lambda client: client.add("a", user_id="a", expiration_date="soon"), "YYYY-MM-DD"),
        (lambda client: client.search("a"), "filters must contain"),
        (lambda client: client.search("a", user_id="ada"), "user_id: pass it in filters"),
        (lambda client: client.search(" ", filters=ADA), "Invalid query"),
        (lambda client: client.search("a", filters=ADA, threshold=2), "Invalid threshold"),
        (lambda client: client.search("a", filters=ADA, top_k=-1), "Invalid top_k"),
        (lambda client: client.get_all(filters={**ADA, "n": {"over": 1}}), "filter operator: over"),
        (lambda client: client.update("none@ada"), "At least one of text"),
        (lambda client: client.update("none@ada", "a"), "not found"),
        (lambda client: client.delete_all(), "At least one of 'user_id'"),
    ],
)
def test_what_mem0_refuses_is_refused(tmp_path, call, line):
    with (
        mem0.Memory(memory=Memory.open(tmp_path / "m.db", embeddings="none")) as client,
        pytest.raises(ValueError, match=line),
    ):
        call(client)


def test_the_same_as_coroutines(memory):
    async def live():
        client = mem0.AsyncMemory(memory=memory)
        [made] = (await client.add("I like tea", user_id="ada"))["results"]
        await client.update(made["id"], text="I like mint tea")
        found = await client.search("tea", filters=ADA)
        assert await client.get(made["id"]) == {**found["results"][0], "score": None}
        assert len(await client.history(made["id"])) == 2
        await client.delete(made["id"])
        await client.delete_all(user_id="ada")
        return (await client.get_all(filters=ADA))["results"]

    assert asyncio.run(live()) == []


def test_a_program_that_names_no_store_has_that_of_the_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("CONCEPT_GRAPH_EMBEDDED", str(tmp_path / "memory.db"))
    with mem0.Memory.from_config({"llm": {"provider": "openai"}}) as client:
        client.add("I like tea", user_id="ada")
    with Memory.open(tmp_path / "memory.db", "ada") as memory:
        assert memory.search("tea")["total"] == 1
    monkeypatch.setenv("CONCEPT_GRAPH_USER", "ada")
    with Memory.open() as memory:
        assert memory.search("tea")["total"] == 1
    monkeypatch.setenv("CONCEPT_GRAPH_USER", "")
    monkeypatch.setenv("CONCEPT_GRAPH_EMBEDDED", "")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    with Memory.open() as memory:
        memory.remember("I like figs")
    assert (tmp_path / "data/concept-graph-mcp/memory.db").exists()


def test_a_closed_memory_says_so(tmp_path):
    client = mem0.Memory(memory=Memory.open(tmp_path / "m.db"))
    client.close()
    with pytest.raises(StoreError, match="closed"):
        client.get("a")


METHODS = ("add", "search", "get_all", "get", "update", "delete", "delete_all", "history")


@pytest.fixture
def main(tmp_path, monkeypatch):
    """The module of mem0's own client, which writes into a directory as it is imported."""
    monkeypatch.setenv("MEM0_TELEMETRY", "False")
    monkeypatch.setenv("MEM0_DIR", str(tmp_path / "mem0"))
    return pytest.importorskip("mem0.memory.main")


@pytest.fixture
def theirs(main, tmp_path, monkeypatch):
    """mem0's own client, with a model that knows nothing."""

    class Model:
        config = type("Config", (), {"embedding_dims": 4})

        def embed(self, *_, **__):
            return [1.0, 0.0, 0.0, 0.0]

    monkeypatch.setattr(main.EmbedderFactory, "create", lambda *_: Model())
    monkeypatch.setattr(main.LlmFactory, "create", lambda *_: Model())
    where = {"path": str(tmp_path / "qdrant"), "embedding_model_dims": 4, "on_disk": True}
    store = {"provider": "qdrant", "config": where}
    config = {"vector_store": store, "history_db_path": str(tmp_path / "history.db")}
    return main.Memory.from_config(config)


def test_results_have_the_fields_of_mem0_itself(client, theirs):
    def live(one):
        told = {"metadata": {"a": 1}, "agent_id": "cook", "infer": False}
        yield "add", (added := one.add(SAID, user_id="ada", **told)["results"])
        yield "get", [one.get(added[0]["id"])]
        yield "get_all", one.get_all(filters=ADA)["results"]
        yield "search", one.search("hazelnuts", filters=ADA, threshold=0.0)["results"]
        yield "update", one.update(added[0]["id"], "I am allergic to nuts")
        yield "history", one.history(added[0]["id"])
        yield "delete", one.delete(added[0]["id"])
        yield "gone", one.get(added[0]["id"])
        yield "delete_all", one.delete_all(user_id="ada")

    def types(given):
        return {name: type(value) for name, value in given.items()}

    for (name, mine), (_, its) in zip(live(client), live(theirs), strict=True):
        if isinstance(mine, list):
            assert types(mine[0]) == types(its[0]), name
            assert name == "search" or len(mine) == len(its)
        else:
            assert mine == its, name


@pytest.mark.parametrize("name", METHODS)
def test_methods_take_what_those_of_mem0_take(main, name):
    taken = inspect.signature(getattr(main.Memory, name)).parameters
    given = inspect.signature(getattr(mem0.Memory, name)).parameters
    kinds = {one.name: one.kind for one in taken.values() if one.name != "kwargs"}
    assert {one.name: one.kind for one in given.values() if one.name != "others"} == kinds
