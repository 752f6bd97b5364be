"""What the viewer answers over HTTP, and whom it lets in, on both stores."""

import json
from zoneinfo import ZoneInfo

import pytest
from asgi import HOST, ORIGIN, PORT, TOKEN, Asked

from concept_graph_mcp.session import Clock, Session
from concept_graph_mcp.view import looks
from concept_graph_mcp.view.guard import HEADERS
from concept_graph_mcp.view.serving import STATIC, build

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


def test_the_page_learns_where_it_is_and_where_to_begin(memory, page):
    memory.update_affect("apple", 0.9)
    memory.update_affect("pear", 0.2)
    about = page.get("api/about").content
    assert about["seeds"] == ["apple", "pear"]
    assert about["now_ms"] == memory.now_ms
    assert about["tau_ms"] == DAY_MS
    assert about["time_zone"] == "Asia/Tokyo"
    assert about["location"] == memory.store.location
    assert about["looks"] == json.loads(json.dumps(looks.looks()))


def test_an_empty_graph_has_nothing_to_begin_with(page):
    assert page.get("api/about").content["seeds"] == []
    assert page.get("api/neighbourhood").content["nodes"] == []


def test_concepts_are_found_by_a_part_of_their_name(memory, page):
    for name in ("Apfel 🍎", "pear"):
        memory.concept_upsert(name)

    def offered(words: str, **given: int) -> list[tuple[str, str]]:
        rows = page.get("api/search", q=words, **given).content["offers"]
        return [(row["kind"], row["name"]) for row in rows]

    assert offered("APF") == [("concept", "Apfel 🍎")]
    memory.concept_upsert("Crème")
    assert offered("creme") == [("concept", "Crème")]
    assert offered("nothing") == []
    assert len(offered("e", limit=1)) == 1
    assert len(offered(" ")) == 3


def test_a_neighbourhood_is_nodes_with_their_relations(memory, page):
    memory.relation_add("apple", "fruit", "is-a")
    memory.relation_add("fruit", "food", "is-a")
    content = page.get("api/neighbourhood", seed="apple", hops=1).content
    apple, fruit = content["nodes"]
    assert (apple["name"], fruit["name"], fruit["degree"]) == ("apple", "fruit", 2)
    assert apple["relations"] == [
        {"from": apple["id"], "to": fruit["id"], "type": "is-a", "weight": 0.25}
    ]
    assert len(page.get("api/neighbourhood", seed="apple", limit=2).content["nodes"]) == 2


def test_a_recall_shows_the_four_factors_of_each_score(memory, page):
    memory.relation_add("apple", "fruit", "is-a")
    memory.relation_add("fruit", "food", "is-a")
    ids = {
        node["name"]: node["id"]
        for node in page.get("api/neighbourhood", seed="food").content["nodes"]
    }
    content = page.get("api/recall", seed="food", hops=2, limit=5).content
    assert content["total"] == 2
    assert content["propositions"][0] == {
        "text": "fruit is-a food",
        "score": 0.03125,
        "arousal": 0.25,
        "hop": 1.0,
        "direction": 0.5,
        "weight": 0.25,
        "valence": 0.0,
        "hops": 1,
        "reverse": True,
        "type": "is-a",
        "from": ids["fruit"],
        "to": ids["food"],
    }
    for row in content["propositions"]:
        product = row["arousal"] * row["hop"] * row["direction"] * row["weight"]
        assert row["score"] == pytest.approx(product, abs=1e-6)


def test_a_recall_is_of_the_time_that_is_asked_for(memory, page):
    memory.relation_add("apple", "fruit", "is-a")
    later = page.get("api/recall", seed="apple", at=memory.now_ms + DAY_MS).content
    assert later["propositions"][0]["arousal"] == pytest.approx(0.25 * 2.718281828**-1)


def test_several_seeds_are_recalled_from_together(memory, page):
    memory.relation_add("apple", "fruit", "is-a")
    memory.relation_add("pear", "tree", "part-of")
    assert page.get("api/recall", seed=["apple", "pear"], hops=1).content["total"] == 2


def test_what_is_found_comes_with_its_reasons(memory, page):
    memory.episode_add("Bought apples", ["market"])
    memory.episode_add("The oven broke", ["kitchen"])
    content = page.get("api/find", q="Where are the apples?", limit=5).content
    assert content["lacking"] == []
    [row] = content["episodes"]
    assert (row["episode_id"], row["summary"]) == ("20250615/market", "Bought apples")
    [word] = row["words"]
    assert (word["word"], word["from"][0]["offset"]) == ("apples", 0)
    product = word["gave"]
    for factor in row["factors"].values():
        product *= factor
    assert row["score"] == pytest.approx(product, abs=1e-6)


def test_finding_is_done_at_the_time_that_is_asked_for(memory, page):
    memory.episode_add("Bought apples", ["market"])
    [now] = page.get("api/find", q="apples").content["episodes"]
    [later] = page.get("api/find", q="apples", at=memory.now_ms + 30 * DAY_MS).content["episodes"]
    assert later["factors"]["age"] < now["factors"]["age"]


def test_a_search_for_nothing_is_refused(page):
    assert refusal(page.get("api/find")).startswith("query: ")
    assert refusal(page.get("api/find", q="apples", limit=0)).startswith("limit: ")


def test_looking_changes_nothing(memory, page):
    memory.relation_add("apple", "fruit", "is-a")
    before = memory.records()
    page.get("api/about")
    page.get("api/search", q="app")
    page.get("api/neighbourhood", seed="apple")
    page.get("api/recall", seed="apple", at=memory.now_ms + DAY_MS)
    page.get("api/find", q="apple")
    assert memory.records() == before


# Looking back


@pytest.fixture
def looking_back(memory, portal) -> Asked:
    """A viewer of 15 June 2025, 12:00 in Tokyo, of a graph that has lived on for two days."""
    then = 1_749_956_400_000
    for hours, date, concept in ((-20, "20250614", "rain"), (40, "20250617", "sun")):
        memory.now_ms, memory.date = then + hours * 3_600_000, date
        memory.episode_add(f"walked in the {concept}", ["walk", concept])
    session = Session(memory.store, DAY_MS, ZoneInfo("Asia/Tokyo"), Clock(then), until_ms=then)
    return Asked(build(session, None, TOKEN, PORT), portal)


def test_what_happened_later_is_not_shown(memory, looking_back):
    shown = looking_back.get("api/neighbourhood", seed="walk", hops=3).content["nodes"]
    assert {node["name"] for node in shown} == {"walk", "rain", "20250614/walk"}
    assert looking_back.get("api/recall", seed="walk").content["total"] == 2
    assert looking_back.get("api/neighbourhood", seed="20250617/walk").content["nodes"] == []


def test_knows_nothing_of_later_arousal(memory, looking_back):
    memory.update_affect("rain", -1)
    shown = looking_back.get("api/neighbourhood", seed="walk", hops=3).content["nodes"]
    known = {node["name"]: node["arousal_level"] for node in shown}
    assert known == {"walk": 0.25, "20250614/walk": 0.5, "rain": None}
    rain = next(node for node in shown if node["name"] == "rain")
    assert (rain["valence"], rain["accessed_at"]) == (None, None)


def test_a_forecast_knows_no_more_than_the_time_it_is_made_at(memory, looking_back):
    later = memory.now_ms + 7 * DAY_MS
    recalled = looking_back.get("api/recall", seed="walk", at=later).content["propositions"]
    assert {row["text"] for row in recalled} == {
        "walk evokes walked in the rain",
        "rain evokes walked in the rain",
    }


def test_looking_back_begins_with_what_was_there(looking_back):
    assert looking_back.get("api/about").content["seeds"] == ["rain", "walk"]


# Bad input


@pytest.mark.parametrize(
    ("path", "parameters", "said"),
    [
        ("neighbourhood", {"seed": "a", "hops": "two"}, "hops: must be an integer, not 'two'"),
        ("neighbourhood", {"seed": "a", "hops": "1_0"}, "hops: must be an integer, not '1_0'"),
        ("neighbourhood", {"seed": "a", "hops": 11}, "max_hop: must be between 0 and 10, not 11"),
        ("neighbourhood", {"seed": "a", "limit": 0}, "limit: must be between 1 and"),
        ("neighbourhood", {"seed": "a", "limit": 5001}, "limit: at most 5000, not 5001"),
        ("neighbourhood", {"seed": " "}, "seeds: must not be empty"),
        ("neighbourhood", {"seed": "a\0b"}, "seeds: must not contain a NUL"),
        ("recall", {"seed": "a", "limit": ""}, "limit: must be an integer, not ''"),
        ("recall", {"seed": "a", "at": "9" * 18}, "at: must be between 0 and 253402214400000"),
        ("recall", {"seed": "a", "at": "9" * 19}, "at: must be an integer"),
        ("search", {"q": "x" * 2000}, "keywords: 2000 characters are too long"),
        ("picture", {"kind": "everything", "limit": 5001}, "limit: at most 5000, not 5001"),
        ("picture", {"kind": "entity", "seed": "a"}, 'entity_ids: not found: "a"'),
        ("told", {"name": ""}, "name: must not be empty"),
        ("named", {"q": ""}, "query: must not be empty"),
    ],
)
def test_bad_input_is_told_in_one_line(page, path, parameters, said):
    assert refusal(page.get(f"api/{path}", **parameters)).startswith(said)


def test_a_store_that_cannot_be_reached_is_told_in_one_line(alone):
    assert refusal(alone.get("api/search"), 503).startswith("Memgraph cannot be reached at bolt://")


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
    assert "javascript" in door.get("page.js").headers["content-type"]


@pytest.mark.parametrize(
    "path", ["/", "/wrong/", "/a-toke/", "/a-tokenx/", "//", "/api/about", "/å/", "/wrong/page.js"]
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
    "path", ["nothing", "../door.py", "page/../../door.py", "LICENSES.txt", "api/nothing"]
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


def test_a_number_that_a_hand_stored_and_json_cannot_say_is_none():
    from concept_graph_mcp.view import picture

    row = {"valence": float("nan"), "name": "a", "relations": [{"weight": float("inf")}]}
    assert picture.node(row) == {"valence": None, "name": "a", "relations": [{"weight": None}]}
