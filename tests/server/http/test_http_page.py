"""The page over HTTP: whom it lets in, whose memory it shows, and what it never does."""

import re
from typing import Any

import httpx2
import pytest
from http_running import Held, Running, running

from concept_graph_mcp.hosts.per_user import UserFiles
from concept_graph_mcp.http.limits import Limits
from concept_graph_mcp.view.serving import HEADERS

NUTS = {"text": "Ann likes hazelnuts.", "about": ["hazelnut"], "said": "Ann likes hazelnuts."}
BERRIES = {"text": "Bob grows blueberries.", "about": ["blueberry"]}
NOBODYS = "01970000-0000-7000-8000-000000000000"
NONE = {"memory": NOBODYS, "entity": NOBODYS}
READ = ("memory:read",)


class Page:
    """The page of a server, as a browser asks it."""

    def __init__(self, server: Running) -> None:
        self.server = server
        self.base = f"{server.base}/page/"

    def ask(
        self, name: str = "about", user: str | None = "ann", verb: str = "GET", **options: Any
    ) -> httpx2.Response:
        token = options.pop("token", None) or (self.server.token(user) if user else None)
        headers = {
            **({"authorization": f"Bearer {token}"} if token else {}),
            **({"origin": self.server.base} if verb == "POST" else {}),
            **options.pop("headers", {}),
        }
        url = f"{self.base}api/{name}"
        return httpx2.request(verb, url, headers=headers, timeout=60, **options)

    def change(self, name: str, user: str = "ann", **given: Any) -> httpx2.Response:
        return self.ask(name, user, "POST", json=given)


@pytest.fixture
def page(embedded, tokens):
    with running(embedded, tokens, page=True) as server:
        yield Page(server)


@pytest.fixture
def page_each(each_store, tokens):
    with running(each_store, tokens, page=True) as server:
        yield Page(server)


def reads(ids: dict[str, str]) -> dict[str, dict[str, Any]]:
    """Return every question of the page, about those *ids*."""
    names = ("about", "you", "people", "memories", "learned", "doubts", "changes", "poster")
    return {
        **{name: {} for name in names},
        "search": {"q": "hazelnut"},
        "person": {"id": ids["entity"]},
    }


def kept(page: Page, user: str, **given: Any) -> dict[str, str]:
    """Store something for *user* and return its ids."""
    memory = page.server.ask("remember", user, **given)["id"]
    return {
        "memory": memory,
        "entity": page.server.ask("about", user, name=given["about"][0])["id"],
    }


def bare(answer: httpx2.Response, ids: dict[str, str]) -> tuple[int, str]:
    """Return the status and the text of an answer, without those *ids*."""
    text = re.sub("|".join(ids.values()), "ID", answer.text)
    return answer.status_code, text


# Access


def test_there_is_no_page_unless_asked_for(served):
    for path in ("/page", "/page/", "/page/app.js", "/page/api/about"):
        assert httpx2.get(served.base + path).status_code == 404


@pytest.mark.slow
def test_the_page_itself_has_no_data_and_needs_no_token(page):
    for name, kind in (("", "text/html"), ("app.js", "text/javascript"), ("style.css", "text/css")):
        answer = httpx2.get(page.base + name)
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith(kind)
        assert {**answer.headers, **HEADERS} == {**answer.headers}
        assert "set-cookie" not in answer.headers
    moved = httpx2.get(page.base.removesuffix("/"))
    assert (moved.status_code, moved.headers["location"]) == (308, "page/")


@pytest.mark.parametrize(
    "path", ["../mcp", "..%2fmcp", "%2e%2e/health", "api", "app.js/", "/", "x"]
)
def test_no_path_leads_elsewhere(page, path):
    answer = page.server.connected()
    with answer:
        host = page.base.split("/")[2]
        answer.sendall(f"GET /page/{path} HTTP/1.1\r\nhost: {host}\r\n\r\n".encode())
        assert b" 404 " in answer.recv(100)


@pytest.mark.slow
def test_nothing_is_answered_without_a_valid_token(page):
    mine = page.server.token("ann")
    gone = page.server.tokens.add("ann", READ, None)
    for wrong in (None, "nonsense", mine[:-1], mine.upper(), f"cgm_{'a' * 43}"):
        for name in ("about", "search", "nothing"):
            answer = page.ask(name, None, token=wrong)
            assert answer.status_code == 401
            assert "set-cookie" not in answer.headers
    assert page.ask("about", None, token=gone).status_code == 200
    page.server.tokens.revoke_user("ann")
    for token in (gone, mine):
        assert page.ask("about", None, token=token).status_code == 401
        assert page.ask("forget", None, "POST", token=token, json={}).status_code == 401
    scopeless = page.server.tokens.add("ann", [], None)
    assert page.ask("about", None, token=scopeless).status_code == 403


@pytest.mark.slow
def test_a_token_counts_in_the_header_alone(page):
    token = page.server.token("ann")
    refused = page.ask("about", None, params={"token": token})
    assert refused.status_code == 400
    assert "not into the address" in refused.json()["error"]["message"]
    for headers in ({"cookie": f"token={token}"}, {"x-token": token}, {"authorization": token}):
        assert page.ask("about", None, headers=headers).status_code == 401
    assert page.ask(f"{token}/about", None).status_code == 404


@pytest.mark.slow
def test_other_hosts_and_other_pages_are_refused(page):
    assert page.ask(headers={"host": "evil.example"}).status_code == 421
    assert httpx2.get(page.base, headers={"host": "evil.example"}).status_code == 421
    here = page.server.base
    foreign = (
        "https://evil.example",
        "null",
        here.rpartition(":")[0] + ":1",
        f"{here}.evil.example",
    )
    for origin in foreign:
        assert page.ask(headers={"origin": origin}).status_code == 403
        assert (
            page.ask("forget", "ann", "POST", headers={"origin": origin}, json={}).status_code
            == 403
        )
    assert page.ask(headers={"origin": here}).status_code == 200
    for site, status in (("cross-site", 403), ("same-site", 403), ("same-origin", 200)):
        assert page.ask(headers={"sec-fetch-site": site}).status_code == status
    # A link of another site may lead to the page.
    assert httpx2.get(page.base, headers={"sec-fetch-site": "cross-site"}).status_code == 200
    # A change must say where it comes from.
    token = {"authorization": f"Bearer {page.server.token('ann')}"}
    assert httpx2.post(f"{page.base}api/forget", headers=token, json={}).status_code == 403
    for verb in ("PUT", "DELETE", "PATCH"):
        assert page.ask("about", "ann", verb).status_code == 405
    allowed = page.ask("about", "ann", "OPTIONS", headers={"origin": here})
    assert "access-control-allow-origin" not in allowed.headers


@pytest.mark.slow
def test_a_site_that_may_call_the_endpoint_may_not_ask_the_page(embedded, tokens):
    site = "https://chat.example.com"
    with running(embedded, tokens, page=True, origins=[site]) as server:
        assert server.post(headers={"origin": site}).status_code == 200
        refused = Page(server).ask(headers={"origin": site})
        assert refused.status_code == 403
        assert "access-control-allow-origin" not in refused.headers


def test_everybody_on_this_machine_is_the_one_user_where_there_are_no_tokens(embedded, tokens):
    with running(embedded, tokens, page=True, alone="ann", user_id="ann") as server:
        page = Page(server)
        about = page.ask(user=None).json()
        assert (about["user"], about["location"], about["changes"]) == ("ann", None, True)
        evil = {"origin": "http://127.0.0.1:1"}
        assert page.ask("forget", None, "POST", headers=evil, json={}).status_code == 403


# Whose memory it is


@pytest.mark.slow
def test_each_user_sees_and_changes_their_own_memory_alone(page_each, each_store):
    page = page_each
    mine, others = kept(page, "ann", **NUTS), kept(page, "bob", **BERRIES)
    for name, given in reads(mine).items():
        own = page.ask(name, "ann", params=given)
        assert own.status_code == 200, own.text
        theirs = page.ask(name, "bob", params=given)
        assert "Ann likes" not in theirs.text
        assert each_store.location not in own.text + theirs.text
        # The answer is that of an id which nobody has.
        nobodys = page.ask(name, "bob", params=reads(NONE)[name])
        assert bare(theirs, mine) == bare(nobodys, NONE), name
    assert "Ann likes" in page.ask("search", "ann", params={"q": "hazelnuts"}).text
    tampered = {
        "revise": {
            "memory_id": mine["memory"],
            "seen": {"content": NUTS["text"]},
            "changes": {"content": "x"},
        },
        "unrevise": {"memory_id": mine["memory"], "at": 1},
        "forget": {"id": mine["memory"], "reason": ""},
        "restore": {"id": mine["memory"]},
        "end_fact": {"id": "x", "entity_id": mine["entity"], "predicate": "x", "value": "x"},
        "begin_fact": {"id": "x", "entity_id": mine["entity"], "predicate": "x", "value": "x"},
        "end_memory": {"id": mine["memory"]},
        "answer": {
            "one_id": mine["entity"],
            "other_id": others["entity"],
            "same": True,
            "reason": "x",
        },
        "unmerge": {"merge_id": mine["entity"], "reason": "x"},
    }
    for name, given in tampered.items():
        answer = page.change(name, "bob", **given)
        assert answer.status_code == 400, (name, answer.text)
        assert "Ann" not in answer.text
    assert page.server.ask("search", "ann", query="hazelnuts")["total"] == 1
    page.change("forget", "ann", **tampered["forget"]).raise_for_status()
    assert page.server.ask("search", "ann", query="hazelnuts")["total"] == 0
    assert page.ask("changes", "bob").json() == {"rows": []}
    page.change("restore", "ann", **tampered["restore"]).raise_for_status()
    assert page.server.ask("search", "ann", query="hazelnuts")["total"] == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", ["user_id", "user", "scope", "database"])
def test_no_parameter_and_no_header_says_who_it_is(page, name):
    kept(page, "ann", **NUTS)
    headers = {"x-user": "ann", "x-forwarded-user": "ann"}
    told = page.ask("search", "bob", params={"q": "hazelnuts", name: "ann"}, headers=headers)
    assert told.json()["rows"] == []


@pytest.mark.slow
def test_a_reader_looks_and_is_told_why_nothing_can_be_changed(page_each):
    page = page_each
    mine = kept(page, "ann", **NUTS)
    reader = page.server.tokens.add("ann", READ, None)
    for name, given in reads(mine).items():
        assert page.ask(name, None, token=reader, params=given).status_code == 200, name
    about = page.ask(user=None, token=reader).json()
    assert (about["changes"], about["unwritable"]) == (False, "this token may only read")
    given = {"id": mine["memory"], "reason": ""}
    refused = page.ask("forget", None, "POST", token=reader, json=given)
    assert refused.status_code == 403
    assert "writing needs the scope memory:write" in refused.json()["error"]
    assert page.server.ask("search", "ann", query="hazelnuts")["total"] == 1


class Noting:
    """A store that notes the procedures that may write."""

    def __init__(self, store: Any) -> None:
        self._store = store
        self.wrote: list[str] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def call(self, call: Any, context: Any) -> Any:
        self.wrote += [call.procedure.name] if call.procedure.writes else []
        return await self._store.call(call, context)


@pytest.mark.slow
def test_looking_writes_nothing(each_store, tokens):
    noting = Noting(each_store)
    with running(noting, tokens, page=True) as server:
        page = Page(server)
        mine = kept(page, "ann", **NUTS)
        assert noting.wrote
        noting.wrote.clear()
        for name, given in reads(mine).items():
            assert page.ask(name, "ann", params=given).status_code == 200
    assert noting.wrote == []


@pytest.mark.slow
def test_looking_makes_no_file_where_each_user_has_one(tmp_path, tokens):
    with running(UserFiles(tmp_path / "users"), tokens, page=True) as server:
        page = Page(server)
        assert page.ask("memories", "ann").json()["days"] == []
        assert [*(tmp_path / "users").glob("ann*")] == []
        mine = kept(page, "ann", **NUTS)
        assert "Ann likes" in page.ask("memories", "ann").text
        nobodys = page.ask("person", "bob", params={"id": mine["entity"]})
        assert nobodys.status_code == 400
        assert [*(tmp_path / "users").glob("bob*")] == []


# Limits


@pytest.mark.slow
def test_requests_of_the_page_are_limited_counted_and_logged_as_calls_are(embedded, tokens, caplog):
    caplog.set_level("INFO", "concept_graph_mcp.http")
    limits = Limits(per_second=0.5, bytes=1_000)
    with running(embedded, tokens, page=True, limits=limits) as server:
        page = Page(server)
        answers = [page.ask("search", "ann", params={"q": "secret hazelnuts"}) for _ in range(4)]
        assert [one.status_code for one in answers][-1] == 429
        assert any("0.5 a second are allowed" in one.text for one in answers)
        # Another user is not held up.
        assert page.ask("search", "bob", params={"q": "x"}).status_code == 200
        huge = page.ask("forget", "cid", "POST", content=b"x" * 2_000)
        assert huge.status_code == 413
        unread = page.ask("forget", "dora", "POST", content=b"[" * 900)
        assert unread.status_code == 400
        packed = page.ask(
            "forget", "cid", "POST", content=b"x", headers={"content-encoding": "gzip"}
        )
        assert packed.status_code == 415
        metrics = server.metrics()
    assert 'calls_total{outcome="ok",tool="page/api/search"}' in metrics
    assert 'calls_total{outcome="rate",tool="page/api/search"}' in metrics
    assert 'requests_total{status="429"}' in metrics
    assert "ann" not in metrics
    assert "hazelnuts" not in caplog.text
    told = [vars(one)["fields"] for one in caplog.records if one.getMessage() == "call"]
    assert ("ann", "page/api/search", "rate") in {
        (one["user"], one["tool"], one["outcome"]) for one in told
    }


@pytest.mark.slow
def test_a_request_that_takes_too_long_is_ended_and_nobody_else_waits(embedded, tokens):
    held = Held(embedded, "ann")
    with running(held, tokens, page=True, limits=Limits(timeout_s=1.0)) as server:
        page = Page(server)
        ended = page.ask("you", "ann")
        assert page.ask("you", "bob").status_code == 200
        held.let_go()
        assert ended.status_code == 503
        assert ended.json()["error"].startswith("the call was ended after 1 s")


def test_a_name_that_does_not_exist_is_counted_under_one_name(page):
    assert page.ask("no-such-name").status_code == 404
    assert 'tool="unknown"' in page.server.metrics()
