"""A client keeps up with the memory: lists that may be kept, subscriptions, names to complete."""

import json
from functools import partial
from typing import Any

import anyio
import pytest
from mcp.client.client import Client
from mcp.types import ResourceTemplateReference

from concept_graph_mcp import answers
from concept_graph_mcp.hosts.lazy import connect, open_store
from concept_graph_mcp.resources import ABOUT, ME, TODAY
from concept_graph_mcp.serving import build
from concept_graph_mcp.session import Session
from concept_graph_mcp.settings import read


@pytest.fixture
def talk(tmp_path):
    """Run a conversation with a client of a server of the everyday tools."""

    def run(conversation: Any) -> Any:
        chosen = read({"TZ": "UTC"}, str(tmp_path / "memory.db"), "everyday")

        async def main() -> Any:
            session = Session.of(connect(chosen, creates=True), chosen)
            async with Client(build(session, toolsets=["everyday"])) as client:
                return await conversation(client)

        return anyio.run(main)

    return run


def remember(client, text, *about):
    return client.call_tool("remember", {"text": text, "about": list(about)})


def test_lists_say_how_long_they_may_be_kept_and_all_have_titles_and_icons(talk):
    async def conversation(client):
        listed = await client.list_tools()
        resources = await client.list_resources()
        templates = await client.list_resource_templates()
        ours = [one for one in resources.resources if str(one.uri) in (ME, TODAY)]
        assert len(ours) == 2
        offered = [*listed.tools, *ours, *templates.resource_templates]
        lacking = [one.name for one in offered if not (one.title and one.icons)]
        return listed.ttl_ms, listed.cache_scope, lacking, bool(client.server_info.icons)

    assert talk(conversation) == (3_600_000, "private", [], True)


@pytest.mark.slow
def test_subscribers_are_told_of_a_write_and_not_of_reading(talk):
    async def conversation(client):
        async with client.listen(resource_subscriptions=[TODAY, ME]) as changes:
            await client.call_tool("recall", {"message": "What may Clara not eat?"})
            await client.call_tool("search", {"query": "Clara"})
            await remember(client, "Clara may not eat hazelnuts", "Clara")
            with anyio.fail_after(30):
                told = [await anext(changes), await anext(changes)]
        assert {one.uri for one in told} == {TODAY, ME}
        return (await client.read_resource(TODAY)).contents[0].text

    assert "Clara may not eat hazelnuts" in talk(conversation)


def test_subscribers_are_told_of_what_another_process_writes(talk, tmp_path, monkeypatch):
    monkeypatch.setattr("concept_graph_mcp.resources._LOOK_S", 0.05)
    chosen = read({"TZ": "UTC"}, str(tmp_path / "memory.db"), "everyday")

    async def write(text):
        # A second connection to the file stands for another process.
        async with open_store(chosen, creates=True) as store:
            await answers.remember(Session.of(store, chosen), text, ["Tom"])

    async def conversation(client):
        await write("Tom lives in Leeds")
        async with client.listen(resource_subscriptions=[TODAY]) as changes:
            await client.read_resource(TODAY)
            await write("Tom plays the cello")
            with anyio.fail_after(30):
                assert (await anext(changes)).uri == TODAY
        return (await client.read_resource(TODAY)).contents[0].text

    assert "cello" in talk(conversation)


@pytest.mark.slow
def test_all_on_a_name_is_a_resource_whose_names_are_completed(talk):
    async def conversation(client):
        await remember(client, "Clara Schumann may not eat hazelnuts", "Clara Schumann")
        await remember(client, "Clemens bakes", "Clemens")
        [template] = (await client.list_resource_templates()).resource_templates
        assert template.uri_template == ABOUT
        complete = partial(client.complete, ResourceTemplateReference(uri=ABOUT))
        for begun in ("Cl", "cl"):
            found = await complete({"name": "name", "value": begun})
            assert {"Clara Schumann", "Clemens"} <= {*found.completion.values}
        assert (await complete({"name": "name", "value": ""})).completion.values == []
        read = await client.read_resource("memory://about/Clara%20Schumann")
        return json.loads(read.contents[0].text)

    about = talk(conversation)
    assert about["name"] == "Clara Schumann"
    assert "hazelnuts" in json.dumps(about)
