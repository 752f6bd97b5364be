"""The picture inside an MCP host: bound to a tool, drawn from its result, unseen by the others."""

import json
import re
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from lived import EVENING, live
from mcp.client import Client, advertise
from mcp.server.apps import APP_MIME_TYPE, EXTENSION_ID
from tests.server.server_processes import StdioServer
from tests.view.browsing import Page

from concept_graph_mcp import serving
from concept_graph_mcp.errors import Unavailable
from concept_graph_mcp.session import Clock, Session
from concept_graph_mcp.view import mcp_app, picture

DRAWS = advertise(EXTENSION_ID, {"mimeTypes": [APP_MIME_TYPE]})
# What a host allows a page that asks for nothing, by the specification.
HOST_POLICY = (
    "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline';"
    " img-src 'self' data:; media-src 'self' data:; connect-src 'none'"
)
HOST = """<!doctype html><title>host</title><iframe id="app" sandbox="allow-scripts"
 style="width: 1100px; height: 560px; border: 0"></iframe><script>
const heard = [];
addEventListener("message", ({ data, source }) => {
  heard.push(data);
  const send = (message) => source.postMessage({ jsonrpc: "2.0", ...message }, "*");
  if (data.method === "ui/initialize") send({ id: data.id, result: {
    protocolVersion: data.params.protocolVersion, hostCapabilities: {},
    hostInfo: { name: "host", version: "1" }, hostContext: { theme: THEME, ...CONTEXT } } });
  if (data.method === "ui/notifications/initialized") {
    send({ method: "ui/notifications/tool-input", params: { arguments: {} } });
    send({ method: "ui/notifications/tool-result", params: RESULT });
  }
  // As hosts do: the frame gets the height that its page asks for, unless it is fixed.
  if (data.method === "ui/notifications/size-changed" && !CONTEXT.containerDimensions)
    document.getElementById("app").style.height = `${data.params.height}px`;
});
document.getElementById("app").srcdoc = PAGE;
</script>"""


def ask(portal, memory, extensions, *questions, toolset="concept"):
    """Return what a client gets as answers to *questions*(client), its session at that evening."""
    concepts = "own" if toolset == "everyday" else "shared"
    clock = Clock(int(datetime.fromisoformat(EVENING).timestamp() * 1000))

    async def answers():
        store, zone = LeftOpen(memory.store), ZoneInfo("America/Chicago")
        session = Session(store, 86_400_000, zone, clock, concepts=concepts)
        server = serving.build(session, toolsets=(toolset,))
        async with Client(server, extensions=extensions) as client:
            return [await question(client) for question in questions]

    return portal.call(answers)


class LeftOpen:
    """A store that a server's end does not close."""

    def __init__(self, store):
        self._store = store

    def __getattr__(self, name):
        return getattr(self._store, name)

    async def close(self):
        pass


def recall(*seeds, max_hop=2, **more):
    return lambda client: client.call_tool(
        "recall_query", {"seeds": list(seeds), "max_hop": max_hop, **more}
    )


def kept(*texts, about=()):
    """Return a question that keeps *texts*, which are about the names *about*."""

    async def keep(client):
        for text in texts:
            given = {"text": text, "about": list(about), "said": text}
            await client.call_tool("remember", given)

    return keep


def called(tool, /, **arguments):
    return lambda client: client.call_tool(tool, arguments)


def test_a_host_that_draws_finds_the_page_through_the_tool(portal, memory):
    listed, page = ask(
        portal, memory, [DRAWS],
        lambda client: client.list_tools(),
        lambda client: client.read_resource(mcp_app.URI),
    )  # fmt: skip
    bound = {tool.name: tool.meta for tool in listed.tools if tool.meta}
    assert bound == {"recall_query": {"ui": {"resourceUri": mcp_app.URI}}}
    (content,) = page.contents
    assert content.mime_type == APP_MIME_TYPE
    assert content.meta == {"ui": {"prefersBorder": True}}
    assert content.text.startswith("<!doctype html>")


def test_the_page_holds_all_that_it_needs(portal, memory):
    (page,) = ask(portal, memory, [DRAWS], lambda client: client.read_resource(mcp_app.URI))
    text = page.contents[0].text
    assert "<link" not in text
    # All that it is made of is in it: one style and one script, which end where they should.
    assert text.count("</style>") == 1
    assert text.count("</script") == 1
    assert "src=" not in text.split("<script")[1].split(">")[0]
    assert not re.search(r'(^|[;}])import[ "{]', text)


def test_a_client_that_does_not_draw_sees_the_tools_and_results_as_ever(portal, memory):
    live(memory)
    before = memory.records()
    plain = ask(portal, memory, [], lambda client: client.list_tools(), recall("cold"))
    assert all(tool.meta is None for tool in plain[0].tools)
    after = memory.records()
    assert before != after
    memory.run(_cleaned(memory))
    live(memory)
    drawn = ask(portal, memory, [DRAWS], lambda client: client.list_tools(), recall("cold"))
    assert memory.records() == after
    for tool in (*plain[0].tools, *drawn[0].tools):
        tool.meta = None
    assert plain[0].tools == drawn[0].tools
    assert plain[1].content == drawn[1].content
    assert plain[1].structured_content == drawn[1].structured_content
    assert picture.RESULT_KEY not in (plain[1].meta or {})


def _cleaned(memory):
    """Remove everything but one node, and return the call that removes that."""
    from concept_graph_mcp import calls

    *others, last = [r["name"] for r in memory.records() if r["kind"] != "relation"]
    for name in others:
        memory.run(calls.concepts.remove(name, False))
    return calls.concepts.remove(last, False)


def test_a_client_of_the_older_handshake_sees_no_difference(tmp_path):
    with StdioServer("--embedded", str(tmp_path / "memory.db")) as server:
        server.initialize()
        tools = server.request("tools/list", {})["result"]["tools"]
        assert all("_meta" not in tool for tool in tools)
        server.call("relation_add", **{"from": "apple", "to": "fruit", "type": "is-a"})
        assert "_meta" not in server.call("recall_query", seeds=["apple"], max_hop=1)


def test_the_picture_has_what_was_recalled_and_the_ways_there(portal, memory):
    live(memory)
    (result,) = ask(portal, memory, [DRAWS], recall("oxygen tank 2", "cold", max_hop=3))
    drawn = result.meta[picture.RESULT_KEY]
    texts = [row["text"] for row in result.structured_content["propositions"]]
    assert [row["text"] for row in drawn["propositions"]] == texts[:30]
    ids = {node["id"] for node in drawn["nodes"]}
    assert {row[end] for row in drawn["propositions"] for end in ("from", "to")} <= ids
    assert 30 <= len(ids) <= 100
    assert len(json.dumps(drawn)) < 100_000


def test_a_recall_that_fails_fails_alike(portal, memory):
    plain, drawn = (
        ask(portal, memory, extensions, recall("a", max_hop=11))[0] for extensions in ([], [DRAWS])
    )
    assert plain.is_error
    assert plain.content == drawn.content


def test_a_recall_stands_where_its_picture_cannot_be_had(portal, memory):
    memory.relation_add("apple", "fruit", "is-a")

    class Failing(LeftOpen):
        async def call(self, call, context):
            if call.procedure.name.endswith("neighbourhood"):
                raise Unavailable("gone")
            return await self._store.call(call, context)

    async def answer():
        session = Session(Failing(memory.store), 86_400_000, ZoneInfo("UTC"), Clock())
        async with Client(serving.build(session), extensions=[DRAWS]) as client:
            return await recall("apple")(client)

    result = portal.call(answer)
    assert not result.is_error
    assert len(result.structured_content["propositions"]) == 1


# In a host's frame


@pytest.fixture
def shown(browser, portal, memory, tmp_path):
    """A function that shows a recall's result in a host's page and goes into its frame."""
    live(memory)

    def show(with_picture: bool, theme: str = "light", question=None, context=None) -> Page:
        asked = question or recall("oxygen tank 2", "cold", limit=40)
        return framed(with_picture, theme, context, asked)

    def framed(with_picture, theme, context, *asked, toolset="concept") -> Page:
        page, *_, result = ask(
            portal, memory, [DRAWS],
            lambda client: client.read_resource(mcp_app.URI),
            *asked,
            toolset=toolset,
        )  # fmt: skip
        content = result.model_dump(mode="json", by_alias=True, exclude_none=True)
        if not with_picture:
            del content["_meta"][picture.RESULT_KEY]
        policy = f'<meta http-equiv="content-security-policy" content="{HOST_POLICY}">'
        html = page.contents[0].text.replace("<head>", f"<head>{policy}")
        host = HOST.replace("THEME", json.dumps(theme)).replace("RESULT", json.dumps(content))
        host = host.replace("CONTEXT", f"({json.dumps(context or {})})")
        # A script element ends at the first end tag, whatever surrounds it.
        host = host.replace("PAGE", json.dumps(html).replace("</", "<\\/"))
        file = tmp_path / "host.html"
        file.write_text(host, encoding="utf-8")
        browser.get(file.as_uri())
        browser.switch_to.frame("app")
        return Page(browser)

    show.framed = framed
    yield show
    browser.switch_to.default_content()


@pytest.mark.parametrize("store", ["embedded"], indirect=True)
def test_the_recall_is_drawn_in_the_frame_of_a_host(shown, images):
    page = shown(with_picture=True)
    page.until("return document.body.dataset.recalled === '30'")
    page.until("return document.getElementById('picture').dataset.settled === 'true'")
    assert page.text("#counted").startswith("the strongest 30 of ")
    assert page.run("return conceptGraphView.picture.lit.links.size") >= 30
    assert "score" in page.text("#propositions li")
    page.run("document.querySelector('#propositions button').focus()")
    assert page.run("return conceptGraphView.picture.strong.links.size") == 1
    page.run("document.activeElement.blur()")
    page.browser.switch_to.default_content()
    said = [message.get("method") for message in page.run("return heard")]
    assert said[:2] == ["ui/initialize", "ui/notifications/initialized"]
    assert "ui/notifications/size-changed" in said
    if images is not None:
        page.element("#app").screenshot(str(images / "mcp-app.png"))


@pytest.mark.parametrize("store", ["embedded"], indirect=True)
def test_the_host_s_theme_is_taken(shown):
    page = shown(with_picture=True, theme="dark")
    page.until("return conceptGraphView.picture.colours.text === 'rgb(230, 237, 243)'")


@pytest.mark.parametrize("store", ["embedded"], indirect=True)
def test_without_a_picture_the_propositions_are_listed(shown):
    page = shown(with_picture=False)
    page.until("return document.querySelectorAll('#propositions li').length === 40")
    assert not page.element("#picture").is_displayed()


@pytest.mark.parametrize("store", ["embedded"], indirect=True)
def test_a_recall_of_nothing_is_one_line_and_no_blank(shown):
    page = shown(with_picture=True, question=recall("COLD"))
    page.until("return document.body.dataset.recalled === '0'")
    assert page.text("body") == (
        "Nothing comes to mind.\n\nNothing is called “COLD”; there is cold."
    )
    page.browser.switch_to.default_content()
    page.until("return document.getElementById('app').clientHeight < 120")


@pytest.mark.parametrize("store", ["embedded"], indirect=True)
def test_a_recall_that_failed_says_why(shown):
    page = shown(with_picture=True, question=recall("cold", max_hop=11))
    page.until("return document.getElementById('counted').textContent.includes('max_hop')")
    assert not page.element("#picture").is_displayed()


@pytest.mark.parametrize("store", ["embedded"], indirect=True)
def test_the_frame_is_as_high_as_what_is_drawn(shown):
    page = shown(with_picture=True)
    page.until("return document.body.dataset.recalled === '30'")
    page.browser.switch_to.default_content()
    page.until("return document.getElementById('app').clientHeight === 504")


@pytest.mark.parametrize("store", ["embedded"], indirect=True)
def test_a_frame_of_a_fixed_height_is_filled(shown):
    page = shown(with_picture=True, context={"containerDimensions": {"height": 560}})
    page.until("return document.body.dataset.recalled === '30'")
    page.until("return document.body.clientHeight === window.innerHeight")
    page.browser.switch_to.default_content()
    assert page.run("return document.getElementById('app').clientHeight") == 560


@pytest.mark.parametrize("store", ["embedded"], indirect=True)
def test_a_seed_that_is_unknown_is_told_beside_the_picture(shown, memory):
    memory.concept_upsert("<b>Zeppelin</b>")
    page = shown(with_picture=True, question=recall("cold", "zeppelin"))
    page.until("return Number(document.body.dataset.recalled) > 0")
    assert page.text("#unknown") == "Nothing is called “zeppelin”; there is <b>Zeppelin</b>."
    assert page.element("#picture").is_displayed()


# What the everyday tools say

LENA = [{"name": "Lena", "kind": "person"}, "Hamburg"]
TEXTS = ("Lena has moved to Hamburg.", "Lena sings in a choir in Hamburg.")


def test_everyday_answers_are_drawn_and_stay_the_same(portal, memory):
    asked = (
        kept(*TEXTS, about=LENA),
        called("recall", message="Lena?"),
        called("about", name="Lena"),
    )
    listing = lambda client: client.list_tools()  # noqa: E731
    listed, _, *drawn = ask(portal, memory, [DRAWS], listing, *asked, toolset="everyday")
    bound = {tool.name for tool in listed.tools if tool.meta}
    assert bound == {"recall", "about"}
    plain = ask(portal, memory, [], *asked[1:], toolset="everyday")
    for one, other in zip(drawn, plain, strict=True):
        assert one.structured_content.keys() == other.structured_content.keys()
        assert picture.RESULT_KEY not in (other.meta or {})
        nodes = one.meta[picture.RESULT_KEY]["nodes"]
        assert {"memory", "entity"} <= {node["kind"] for node in nodes}
        assert len(nodes) == len({node["id"] for node in nodes})


@pytest.mark.parametrize("store", ["embedded"], indirect=True)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_recalled_text_is_drawn_beside_its_lines(shown, theme, images):
    question = called("recall", message="Where does Lena live?")
    keep = kept(*TEXTS, about=LENA)
    page = shown.framed(True, theme, None, keep, question, toolset="everyday")
    page.until("return document.getElementById('picture').dataset.settled === 'true'")
    assert [one.text for one in page.browser.find_elements("css selector", "#told h2")][:2] == [
        "Who and what",
        "Said",
    ]
    assert "moved to Hamburg" in page.text("#told")
    page.run("document.querySelector('#told ul:last-of-type button').focus()")
    assert page.run("return conceptGraphView.picture.selected !== null")
    if images is not None and theme == "light":
        page.element("body").screenshot(str(images / "mcp-app-recall.png"))


@pytest.mark.parametrize("store", ["embedded"], indirect=True)
@pytest.mark.parametrize(("theme", "text"), [("light", 31), ("dark", 230)])
def test_all_about_a_name_is_drawn_and_told(shown, theme, text):
    keep, question = kept(*TEXTS, about=LENA), called("about", name="Lena")
    page = shown.framed(True, theme, None, keep, question, toolset="everyday")
    page.until(
        "return conceptGraphView.picture.colours.text.startsWith(arguments[0])", f"rgb({text}"
    )
    page.until("return document.getElementById('picture').dataset.settled === 'true'")
    assert page.text("#told h2") == "Lena (person)"
    assert "“Lena sings in a choir in Hamburg.”" in page.text("#told")
    assert page.run("return conceptGraphView.picture.selected.kind") == "entity"


@pytest.mark.parametrize("store", ["embedded"], indirect=True)
def test_without_scripts_the_frame_says_where_the_answer_is(shown):
    page = shown(with_picture=True)
    page.until("return document.body.dataset.recalled === '30'")
    page.browser.switch_to.default_content()
    page.run(
        "const app = document.getElementById('app'), again = app.cloneNode();"
        " again.setAttribute('sandbox', 'allow-same-origin'); app.replaceWith(again);"
    )
    body = "document.getElementById('app').contentDocument?.body"
    page.until(f"return {body}?.innerText.includes('scripts')")
    told = page.run(f"return {body}.innerText").strip()
    assert (
        told
        == "The picture needs scripts, which are off here. The conversation has the answer as text."
    )
    # The browser says, too, that it blocked them.
    assert {"Blocked script" in one["message"] for one in page.browser.get_log("browser")} == {True}


@pytest.mark.parametrize("store", ["embedded"], indirect=True)
def test_without_a_picture_or_an_answer_the_text_is_all(shown):
    keep, question = kept("<b>Lena</b> sings.", about=["Lena"]), called("about", name="Lena")
    page = shown.framed(False, "light", None, keep, question, toolset="everyday")
    page.until("return document.querySelector('#told h2') !== null")
    assert "<b>Lena</b> sings." in page.text("#told")
    assert not page.element("#picture").is_displayed()
    page = shown.framed(True, "light", None, called("recall", message="Hello!"), toolset="everyday")
    page.until("return document.body.dataset.recalled === '0'")
    assert page.text("body") == "Nothing is remembered of that."
