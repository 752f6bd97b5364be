"""Words that occur with the same words stand for one another, once the worker has found them."""

import sys
from random import Random
from typing import Any

import pytest

from concept_graph_mcp import calls, settings
from concept_graph_mcp.session import Clock, Session
from concept_graph_mcp.worker import groups as job
from concept_graph_mcp.worker import groups as latent
from concept_graph_mcp.worker.lease_runner import DONE, LeaseRunner, Outcome
from conceptgraph_core.graph.layers import SHARED
from conceptgraph_core.retrieval import groups
from memories import node

pytest.importorskip("numpy")

# Two matters; the words of each occur together, with either of two words for the same thing.
MATTERS = {
    ("car", "automobile"): "engine wheel road brake garage driver petrol tyre",
    ("cello", "instrument"): "string bow orchestra concert music melody violin opera",
}


def told(user: str = "default", seed: int = 1) -> list[dict[str, Any]]:
    """Return 40 memories about both matters, each with one of the two words."""
    random, rows = Random(seed), []
    for (one, other), words in MATTERS.items():
        for number in range(20):
            named = one if number % 2 else other
            text = " ".join([named, *random.choices(words.split(), k=40)])
            rows.append(node(f"{user} {named} {number}", user, content=text))
    return rows


@pytest.fixture(autouse=True)
def small_scopes(monkeypatch):
    monkeypatch.setattr(groups, "MIN_TEXTS", 30)
    # As many as there are matters: more would tell the two words of one apart.
    monkeypatch.setattr(latent, "_DIMENSIONS", 2)


@pytest.fixture
def kept(memory):
    memory.import_rows([*told(), node("short", content="The automobile is blue")])
    return memory


def configured() -> settings.Settings:
    return settings.read({"TZ": "UTC"}, None)


def work(memory: Any, portal: Any, batch: int = 7) -> Outcome:
    session = Session.of(memory.store, configured(), Clock(memory.now_ms))
    outcome = portal.call(LeaseRunner(session, configured(), batch, holder="one").run, job.JOB)
    assert outcome.what == DONE
    return outcome


def search(memory: Any, query: str, user: str = "default", **given: Any) -> list[dict[str, Any]]:
    return memory.run(calls.memories.search(user, query, explained=True, **given), user_id=user)


def ids(memory: Any, query: str, user: str = "default") -> list[str]:
    return [row["memory_id"] for row in search(memory, query, user, limit=100)]


@pytest.mark.slow
def test_a_text_is_found_by_the_neighbour_of_a_word_and_the_row_says_so(kept, portal):
    assert "short" not in ids(kept, "Which car?")
    assert work(kept, portal).counts["grouped"] > 0
    rows = search(kept, "Which car?", limit=100)
    [row] = [row for row in rows if row["memory_id"] == "short"]
    assert row["matched"] == ["car → automobile"]
    [word] = row["words"]
    assert (word["word"], word["term"]) == ("car", "automobil")
    said, cosine = word["why"].rsplit(" ", 1)
    assert said == "car → automobile"
    assert 0.5 <= float(cosine) <= 1
    # The word itself counts for more.
    assert "car" in rows[0]["memory_id"]
    assert rows[0]["score"] > row["score"]
    # Words of the other matter are no neighbours.
    assert not any("cello" in row["memory_id"] for row in rows)


def test_without_a_look_up_it_is_the_same(kept, portal):
    work(kept, portal)
    fields = ("memory_id", "score", "matched", "words")
    arguments = ["Which car?", 30, None, [], [], [], [], None]
    plain = kept.procedure("memorygraph.search", arguments, fields)
    rows = search(kept, "Which car?", limit=30)
    assert plain == [{name: row[name] for name in fields} for row in rows]


@pytest.mark.slow
def test_a_second_run_changes_nothing_until_a_tenth_has_changed(kept, portal):
    work(kept, portal)
    assert work(kept, portal).counts == {}
    kept.import_rows([node(f"more {n}", content="A boat is white") for n in range(3)])
    assert work(kept, portal).counts == {}
    kept.import_rows([node(f"yet more {n}", content="A boat is white") for n in range(3)])
    assert work(kept, portal).counts["processed"] == 47


def test_a_killed_run_is_completed_by_the_next(kept, portal):
    near = {"car": [["automobil", "automobile", 0.71]]}
    [row] = kept.run(calls.embedding.group_terms("default", near, None, 10))
    assert row["last"] is not None
    assert work(kept, portal).counts["grouped"] > 0
    assert "short" in ids(kept, "Which car?")


@pytest.mark.slow
def test_each_user_has_groups_of_their_own_texts(kept, portal):
    kept.import_rows([node("ann 1", "ann", content="The automobile is hers")])
    work(kept, portal)
    assert ids(kept, "Which car?", "ann") == []
    assert "ann 1" not in ids(kept, "Which car?")
    kept.import_rows(told("ann", seed=2))
    work(kept, portal)
    assert "ann 1" in ids(kept, "Which car?", "ann")
    assert not any("ann" in one for one in ids(kept, "Which car?"))


def test_short_texts_have_no_groups(memory, portal):
    memory.import_rows([node(f"m{n}", content="The car is an automobile") for n in range(40)])
    assert work(memory, portal).counts == {}


@pytest.mark.slow
def test_to_index_all_again_wipes_them(kept, portal):
    work(kept, portal)
    before = ids(kept, "Which car?")
    kept.run(calls.transfer.index(told(), again=True))
    assert "short" not in ids(kept, "Which car?")
    assert kept.run(calls.embedding.group_scopes())[0]["grouped"] is None
    work(kept, portal)
    assert ids(kept, "Which car?") == before


def test_a_word_that_nothing_says_any_more_is_named_by_no_neighbour(kept, portal):
    work(kept, portal)
    gone = [row["id"] for row in told() if "automobile" in row["content"]]
    for key in (*gone, "short"):
        kept.run(calls.memories.forget(key, "wrong"))
        kept.now_ms += 1
    kept.now_ms += 10
    removed = kept.run(calls.memories.purge(1, [*gone, "short"]))
    assert len(removed) == 11
    assert kept.run(calls.embedding.group_scopes())[0]["grouped"] is None


@pytest.mark.slow
def test_a_check_finds_nothing_wrong_with_them(kept, portal):
    work(kept, portal)
    assert kept.run(calls.transfer.check()) == []
    assert not any("near" in record for record in kept.records())


def test_a_rehearsal_changes_nothing(kept, portal):
    session = Session.of(kept.store, configured(), Clock(kept.now_ms))
    outcome = portal.call(LeaseRunner(session, configured()).rehearse, job.JOB)
    [change] = outcome.changes
    assert (change["user_id"], change["why"]) == ("default", "it has none")
    assert "short" not in ids(kept, "Which car?")


def test_a_part_of_the_conversations_stands_for_a_large_scope(kept, portal, monkeypatch):
    monkeypatch.setattr(job, "MOST_TEXTS", 21)
    read: list[int] = []
    compute = latent.neighbours

    def counted(texts: Any, *given: Any) -> Any:
        read.append(len(texts))
        return compute(texts, *given)

    monkeypatch.setattr(latent, "neighbours", counted)
    work(kept, portal)
    assert 5 < read[0] < 36


@pytest.mark.slow
def test_episodes_have_them_too(memory, portal):
    rows = [
        {"kind": "episode", "name": f"20260101:{n}", "summary": row["content"]}
        for n, row in enumerate(told())
    ]
    blue = {"kind": "episode", "name": "20260102:blue", "summary": "The automobile is blue"}
    memory.import_rows([*rows, blue])
    work(memory, portal)
    found = memory.run(calls.concepts.associate("Which car?", 100))
    assert "20260102:blue" in [row["episode_id"] for row in found]
    assert [row["scope"] for row in memory.run(calls.embedding.group_scopes())] == [SHARED]


def test_without_numpy_the_job_is_left_out_and_says_so(monkeypatch):
    assert job.JOB.missing(configured()) is None
    monkeypatch.setitem(sys.modules, "numpy", None)
    monkeypatch.setattr(job, "find_spec", lambda _: None)
    assert "pip install" in (job.JOB.missing(configured()) or "")
