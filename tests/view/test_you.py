"""You and your memories: what is so now, always and ahead; days, words, today."""

from dataclasses import replace

import pytest
from asgi import PORT, TOKEN, Asked
from known import DAY_MS, NOW_MS

from concept_graph_mcp import calls
from concept_graph_mcp.session import Clock
from concept_graph_mcp.view.cards import show_plan
from concept_graph_mcp.view.serving import build

USER = "default"


@pytest.fixture
def ids(memory):
    def remember(days, text, **given):
        memory.now_ms = NOW_MS - round(days * DAY_MS)
        [row] = memory.run(calls.everyday.remember(USER, text, **given), user_id=USER)
        return row["id"]

    said = "My name is Tobias and I work as a data engineer."
    memory.now_ms = NOW_MS - 900 * DAY_MS
    memory.run(calls.entities.observe("s", "m", "user", said), user_id=USER)
    ids = {
        "old": remember(400, "Tobias bought a red bicycle", about=["bicycle"]),
        "rule": remember(30, "Answer Tobias in German", keep="always"),
        "plan": remember(2, "Tobias flies to Kyoto", happened_at=NOW_MS + 20 * DAY_MS),
        "today": remember(0.1, "Tobias met Karin at the harbour", about=["Karin"]),
        "gone": remember(0.1, "A secret of Karin", about=["Karin"]),
    }
    memory.run(calls.everyday.forget(USER, ids["gone"]), user_id=USER)
    memory.now_ms = NOW_MS
    memory.run(calls.everyday.remember("bob", "Bob hides a bicycle"), user_id="bob")
    return ids


def test_you_are_told_with_the_source_of_each_line(asked, ids):
    you = asked.get("api/you").content
    assert you["name"] == "Tobias"
    [job, *notes] = you["now"]
    assert (job["label"], job["text"]) == ("Occupation", "data engineer")
    assert job["source"] == "My name is Tobias and I work as a data engineer."
    assert job["told"].startswith("You said so on ")
    assert [one["text"] for one in notes] == [
        "Tobias met Karin at the harbour",
        "Tobias bought a red bicycle",
    ]
    assert [one["text"] for one in you["always"]] == ["Answer Tobias in German"]
    [plan] = you["ahead"]
    assert (plan["id"], plan["aside"]) == (ids["plan"], "21 March 2026")


@pytest.mark.parametrize(
    ("text", "aside"),
    [
        ("We fly on 21 March.", ""),
        ("We fly on the 21st of March.", ""),
        ("We fly in March.", "21 March 2026"),
        ("We flew on 2 March.", "21 March 2026"),
    ],
)
def test_a_plan_that_names_its_day_is_told_it_once(session, text, aside):
    assert show_plan(session, text, NOW_MS + 20 * DAY_MS) == aside


def test_memories_come_by_day_and_earlier_ones_on_request(asked, ids):
    first = asked.get("api/memories").content
    days = [(one["date"], [row["text"] for row in one["rows"]]) for one in first["days"]]
    assert days[0] == ("2026-03-01", ["Tobias met Karin at the harbour"])
    assert days[-1][0] == "2025-01-25"
    assert "secret" not in str(days)
    assert first["before"] is None
    rest = asked.get("api/memories", before="2025-06-01").content["days"]
    assert [one["date"] for one in rest] == ["2025-01-25"]


def test_many_days_are_read_some_at_a_time(asked_empty, memory):
    rows = [
        {"kind": "memory", "id": f"m{one}", "user_id": USER, "content": f"Note {one}"}
        | {"created_at": NOW_MS - one * DAY_MS}
        for one in range(60)
    ]
    memory.import_rows(rows)
    before, seen = None, []
    for _ in range(9):
        given = {} if before is None else {"before": before}
        answer = asked_empty.get("api/memories", **given).content
        seen += [row["id"] for one in answer["days"] for row in one["rows"]]
        before = answer["before"]
        if before is None:
            break
    assert seen == [f"m{one}" for one in range(60)]


def test_words_find_memories_marked_and_names(asked, ids):
    found = asked.get("api/search", q="harbour Karin").content
    assert found["rows"][0]["id"] == ids["today"]
    assert set(found["rows"][0]["matched"]) == {"harbour", "karin"}
    assert [one["name"] for one in found["people"]] == ["Karin"]
    [person] = found["people"]
    about = asked.get("api/search", about=person["id"]).content["rows"]
    assert [row["id"] for row in about] == [ids["today"]]
    assert asked.get("api/search", q="bicycle", since="2026-01-01").content["rows"] == []
    assert asked.get("api/search", q="bicycle").content["rows"][0]["id"] == ids["old"]


def test_what_was_learned_today_is_listed(asked, ids):
    assert [row["id"] for row in asked.get("api/learned").content["rows"]] == [ids["today"]]


def test_another_user_sees_none_of_it(ids, session, portal):
    other = Asked(build(replace(session, user_id="bob"), None, TOKEN, PORT), portal)
    for name in ("you", "people", "memories", "learned", "doubts", "changes"):
        assert "Tobias" not in str(other.get(f"api/{name}").content)
    assert [row["text"] for row in other.get("api/search", q="bicycle").content["rows"]] == [
        "Bob hides a bicycle"
    ]


def test_looking_back_nothing_later_is_shown(ids, session, portal):
    until = NOW_MS - 10 * DAY_MS
    back = replace(session, until_ms=until, clock=Clock(until))
    asked = Asked(build(back, None, TOKEN, PORT), portal)
    assert "Karin" not in str([asked.get(f"api/{one}").content for one in ("memories", "people")])
    assert asked.get("api/you").content["ahead"] == []


@pytest.mark.slow
def test_an_empty_store_answers_everything_with_nothing(asked_empty):
    asked = asked_empty
    you = asked.get("api/you").content
    assert you == {"name": None, "memories": 0, "now": [], "always": [], "ahead": []}
    assert asked.get("api/people").content == {"cards": [], "doubts": [], "more": 0}
    assert asked.get("api/memories").content == {"days": [], "before": None}
    assert asked.get("api/poster").content["svg"] is None


@pytest.fixture
def asked_empty(session, portal):
    return Asked(build(session, None, TOKEN, PORT), portal)
