"""What the viewer answers over HTTP, and whom it lets in, on both stores."""

from urllib.parse import parse_qsl
from zoneinfo import ZoneInfo

import pytest
from asgi import HOST, ORIGIN, PORT, TOKEN, Asked

from concept_graph_mcp import calls
from concept_graph_mcp.session import Clock, Session
from concept_graph_mcp.view.serving import HEADERS, STATIC, build

DAY_MS = 86_400_000


@pytest.fixture
def page(memory, portal) -> Asked:
    session = Session(memory.store, DAY_MS, ZoneInfo("Asia/Tokyo"), Clock(memory.now_ms))
    return Asked(build(session, None, TOKEN, PORT), portal)


@pytest.fixture
def alone(portal) -> Asked:
    """A viewer of a store that cannot be reached."""
    from concept_graph_mcp.hosts.memgraph.store import BoltStore

    async def make() -> BoltStore:
        return BoltStore("bolt://127.0.0.1:1", "", "")

    store = portal.call(make)
    session = Session(store, DAY_MS, ZoneInfo("UTC"), Clock())
    yield Asked(build(session, None, TOKEN, PORT), portal)
    portal.call(store.close)


def refusal(answer, status: int = 400) -> str:
    """Return the one line that a request was refused with."""
    assert answer.status == status
    assert answer.headers["content-type"] == "application/json"
    (key,) = answer.content
    assert key == "error"
    assert "\n" not in answer.content["error"]
    return answer.content["error"]


# What is shown


def test_the_page_learns_where_it_is(memory, page):
    about = page.get("api/about").content
    assert about["today"] == "2025-06-16"
    assert about["time_zone"] == "Asia/Tokyo"
    assert about["location"] == memory.store.location
    assert about["first"] is None


def test_looking_changes_nothing(memory, page):
    memory.run(calls.everyday.remember("default", "Ann likes apples.", ["Ann"]))
    before = memory.records()
    for path in (
        "you",
        "people",
        "memories",
        "search?q=app",
        "learned",
        "doubts",
        "changes",
        "poster",
    ):
        name, _, query = path.partition("?")
        assert page.get(f"api/{name}", **dict(parse_qsl(query))).status == 200
    assert memory.records() == before


# Bad input


@pytest.mark.parametrize(
    ("path", "parameters", "said"),
    [
        ("people", {"first": "two"}, "first: must be an integer, not 'two'"),
        ("people", {"first": "1_0"}, "first: must be an integer, not '1_0'"),
        ("people", {"first": "9" * 19}, "first: must be an integer"),
        ("people", {"most": 0}, "most: must be between 1 and 48, not 0"),
        ("memories", {"before": "2026-13-01"}, "before: must be a date, not '2026-13-01'"),
        ("memories", {"before": "0001-01-01"}, "before: the year must be between 1971 and 9000"),
        ("person", {"id": "a"}, "entity_id: not found"),
        ("search", {"q": "x", "about": "a"}, "entity_id: not found"),
    ],
)
def test_bad_input_is_told_in_one_line(page, path, parameters, said):
    assert refusal(page.get(f"api/{path}", **parameters)).startswith(said)


def test_a_store_that_cannot_be_reached_is_told_in_one_line(alone):
    assert refusal(alone.get("api/you"), 503).startswith("Memgraph cannot be reached at bolt://")


# The door


@pytest.fixture
def door(portal) -> Asked:
    """A viewer that has no need of a store."""
    session = Session(None, DAY_MS, ZoneInfo("UTC"), Clock())
    return Asked(build(session, None, TOKEN, PORT), portal)


def test_the_page_and_all_that_it_loads_is_there(door):
    assert door.get("").headers["content-type"].startswith("text/html")
    for file in STATIC.rglob("*"):
        if file.suffix in {".html", ".css", ".js", ".svg"}:
            answer = door.get(file.relative_to(STATIC).as_posix())
            assert (answer.status, answer.body) == (200, file.read_bytes())
    assert "javascript" in door.get("app.js").headers["content-type"]


@pytest.mark.parametrize(
    "path", ["/", "/wrong/", "/a-toke/", "/a-tokenx/", "//", "/api/about", "/å/", "/wrong/app.js"]
)
def test_nobody_is_let_in_without_the_token(door, path):
    assert refusal(door.raw(path, [HOST]), 403) == "the address lacks the token"


def test_an_address_without_its_last_slash_leads_to_the_page(door):
    answer = door.raw(f"/{TOKEN}", [HOST])
    assert answer.status == 308
    # Within this host: a whole address would be another one for whoever came by another name.
    assert answer.headers["location"] == f"/{TOKEN}/"
    assert answer.headers.items() >= HEADERS.items()
    assert refusal(door.raw("/wrong", [HOST]), 403)


@pytest.mark.parametrize(
    "hosts",
    [
        [],
        ["evil.example"],
        [f"evil.example:{PORT}"],
        ["127.0.0.1"],
        ["127.0.0.1:80"],
        [HOST, "evil.example"],
    ],
)
def test_no_other_host_name_leads_here(door, hosts):
    answer = door.raw(f"/{TOKEN}/", hosts)
    assert refusal(answer, 421) == "this page is only served to this machine"


@pytest.mark.parametrize(
    "path", ["nothing", "../door.py", "page/../../door.py", "../serving.py", "api/nothing"]
)
def test_nothing_but_the_page_is_served(door, path):
    assert refusal(door.get(path), 404) == "no such page"


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_nothing_can_be_sent(door, method):
    answer = door.raw(f"/{TOKEN}/api/about", [HOST], method=method, origins=[ORIGIN])
    refusal(answer, 405)


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
@pytest.mark.parametrize(
    "origins",
    [
        [],
        ["null"],
        ["http://evil.example"],
        [f"https://{HOST}"],
        ["http://127.0.0.1"],
        [f"http://localhost:{PORT}"],
        [ORIGIN, ORIGIN],
    ],
)
def test_nothing_but_the_page_itself_may_change_anything(door, method, origins):
    answer = door.raw(f"/{TOKEN}/api/unmerge", [HOST], method=method, body=b"{}", origins=origins)
    assert refusal(answer, 403) == "only the page itself may change anything"


def test_not_even_the_page_changes_anything_without_the_token(door):
    answer = door.raw("/wrong/api/unmerge", [HOST], method="POST", body=b"{}", origins=[ORIGIN])
    assert refusal(answer, 403) == "the address lacks the token"


@pytest.mark.parametrize(
    ("sent", "status", "said"),
    [
        (b"", 400, "must be sent a JSON object"),
        (b"[]", 400, "must be sent a JSON object"),
        (b"\xff", 400, "must be sent a JSON object"),
        (b"[" * 60_000, 400, "must be sent a JSON object"),
        ({"merge_id": "a"}, 400, "must be sent reason: str"),
        ({"merge_id": ["a"], "reason": "b"}, 400, "must be sent merge_id: str"),
        (b"x" * 1_000_001, 413, "at most 1000000 bytes"),
    ],
)
def test_what_is_no_merge_is_refused_in_one_line(door, sent, status, said):
    assert refusal(door.post("api/unmerge", sent, ORIGIN), status) == said


@pytest.mark.parametrize("path", ["/", f"/{TOKEN}/", f"/{TOKEN}/nothing"])
def test_every_answer_has_the_headers_that_keep_the_page_to_itself(door, path):
    answer = door.raw(path, [HOST])
    assert answer.headers.items() >= HEADERS.items()
    assert answer.headers["cache-control"] == "no-store"
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "http" not in policy
    assert "unsafe" not in policy
