"""Nothing of one user reaches another, nor a user what all share, whatever is called.

Two users and the shared scope hold the same things under the same names, each with a mark in its
texts. Every procedure is called, in Lab's way and in the shell's, and every tool; what comes back,
refusals too, has no mark but the caller's, and what is stored of the others stays as it is.
"""

import dataclasses
import inspect
import json
from contextlib import suppress
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from mcp.server.mcpserver.exceptions import ToolError

from concept_graph_mcp import calls
from concept_graph_mcp.calls import Call, Procedure
from concept_graph_mcp.calls.verb import RuleVerb, Verb
from concept_graph_mcp.errors import StoreError
from concept_graph_mcp.hosts.sqlite.procedure_host import load_modules
from concept_graph_mcp.session import Clock, Session
from concept_graph_mcp.settings import KNOWN_TOOLSETS
from concept_graph_mcp.tools import toolsets
from conceptgraph_core.graph.layers import SHARED

# Whose concepts a caller means, and the mark of that scope: of memories and entities always the
# user's own. Eve has none of these, and shares the concepts.
ANN, BOB, EVE = "ann", "bob", "eve"
MARKS = {ANN: "annish", BOB: "bobbish", SHARED: "everyish"}
CALLERS = {ANN: (ANN, ANN), BOB: (BOB, BOB), "ann, shared": (ANN, SHARED), EVE: (EVE, SHARED)}
# The owner's calls, over all users.
OF_ALL = {
    "conceptgraph": (
        *("version", "stats", "check", "index", "export", "import_rows"),
        *("embedding", "embedding_choose"),
        *("embedding_lacking", "embedding_set", "users", "user_count", "user_remove"),
        "user_adopt",
        *("group_scopes", "group_texts", "group_terms"),
        # Takes a node that the caller has.
        "arousal",
    ),
    "memorygraph": (
        *("scopes", "worker_status", "worker_lease", "worker_pause", "worker_report"),
        *("record_backup", "last_backup"),
    ),
    "entitygraph": ("scopes",),
}
PROCEDURES = [
    callback
    for name, callback in sorted(load_modules().items())
    if name.partition(".")[2] not in OF_ALL.get(name.partition(".")[0], ())
]


def live(memory: Any, scope: str) -> None:
    """Let a scope have something of everything, with its mark in each text."""
    mark = MARKS[scope]

    def run(call: Call) -> list[dict[str, Any]]:
        memory.now_ms += 60_000
        return memory.run(call, user_id=scope or EVE)

    concepts, own = calls.concepts, f"{mark}ling"
    run(concepts.relation_add("hazelnuts", f"{own} nougat", "evokes", scope))
    run(concepts.relation_add("hazelnuts", "nut", "is-a", scope))
    run(concepts.relation_add(f"{own} nut", "nut", "is-a", scope))
    run(concepts.episode_add(f"The {own} hazelnuts arrived", ["hazelnuts"], scope))
    run(concepts.update_affect("hazelnuts", 0.5, scope))
    if scope == SHARED:
        return
    about = [{"name": "Clara", "kind": "sister"}, "hazelnuts", f"{mark} cellar"]
    said = f"Clara has {mark} hazelnuts in the {mark} cellar"
    everyday = calls.everyday
    [first] = run(everyday.remember(scope, f"{said} now", about, said=said))
    [second] = run(everyday.remember(scope, f"Clara sold the {mark} hazelnuts", ["Clara"]))
    run(calls.memories.link(first["id"], second["id"], "supports"))
    made = calls.memories.create(scope, f"A {mark} tea of hazelnuts", tags=[f"{mark} tag"])
    [third] = run(made)
    run(calls.memories.forget(third["memory_id"], f"{mark} reason"))
    run(calls.memories.items(scope, [{"do": "put", "path": "notes/nuts", "text": f"{said} too"}]))
    # Each user has an import of the same name.
    brought = {"id": f"{mark}-message", "text": f"{said}, it was written", "speaker": "user"}
    where = {"thread": "letters", "position": 0, "said_at": memory.now_ms}
    run(calls.memories.ingest(scope, [{**brought, **where, "metadata": {"imports": ["i"]}}]))
    observed = [{"label": name, "type": "entity"} for name in ("Max", "Maxi", f"{mark} Paul")]
    text = f"Max, Maxi and {mark} Paul eat hazelnuts"
    run(calls.entities.observe("s", "m", "user", text, observed))
    ids = known(memory, scope)
    run(calls.entities.fact(ids["entity_id"], "colour", f"{mark} red"))
    run(everyday.identify(scope, "Max", "Maxi", same=True, said="Max is Maxi"))
    run(everyday.identify(scope, "Clara", same=False, said="There is a new Clara"))
    run(calls.entities.end_session("s", user_id=scope))


def known(memory: Any, user: str) -> dict[str, Any]:
    """Return ids of what *user* has, by the arguments that take them."""
    mine = [one for one in memory.records() if one.get("user_id") == user]
    of = {kind: [one["id"] for one in mine if one["kind"] == kind] for kind in KINDS}
    ids = {name: of[kind][place] for name, (kind, place) in IDS.items() if of[kind][place:]}
    return {**ids, "memory_ids": of["memory"], "entity_ids": of["entity"]}


KINDS = ("memory", "entity", "merge", "mention", "fact")
IDS = {
    **dict.fromkeys(("id", "memory_id", "start_id", "start_node_id", "source_id"), ("memory", 0)),
    **dict.fromkeys(("target_id", "parent_id", "replaces"), ("memory", 1)),
    **dict.fromkeys(("entity_id", "source_entity_id", "one_id"), ("entity", 0)),
    **dict.fromkeys(
        ("linked_entity_id", "target_entity_id", "object_id", "other_id"), ("entity", 1)
    ),
    **{"merge_id": ("merge", 0), "fact_id": ("fact", 0)},
}
WORDS = "Does Clara have hazelnuts in the cellar, and Max?"
# What is given as an argument of each name; no mark is in it, for a refusal says what was given.
GIVEN: dict[str, Any] = {
    **dict.fromkeys(("query", "text", "message", "content", "said", "summary"), WORDS),
    **dict.fromkeys(("concept", "target", "name", "source", "a", "label"), "hazelnuts"),
    **{"seeds": ["hazelnuts", "nut"], "keywords": ["nut"], "concepts": ["hazelnuts", "nut"]},
    **{"b": "Clara", "new_name": "cobnuts", "type": "evokes", "same": True},
    **{"valence_delta": 0.25, "limit": 50, "max_hop": 3, "dry_run": False, "part": "nodes"},
    **{"session_id": "s", "message_id": "m2", "speaker": "user", "reason": "so it is"},
    **{
        "origin": "user",
        "since": 0,
        "observations": [],
        "mention_ids": [],
        "predicate": "colour",
        "value": "blue",
    },
    **{"link_confidence": 0.5, "link_rationale": "alike", "by": "user_correction"},
    **{"retention_ms": 1, "silent_ms": 0, "step": "decay", "by_id": {}, "messages": []},
    **{
        "seen": {"importance": 0.7},
        "changes": {"importance": 0.9},
        "one_id": "none",
        "community": None,
    },
    **{"other_id": "none"},
    **{"until": 2_000_000_000_000},
    **{"bounds": [0, 2_000_000_000_000], "first": "20250101", "day": "20250615"},
    "steps": [
        {"do": "get", "path": "notes/nuts"},
        {"do": "find", "under": "notes", "query": WORDS},
        {"do": "put", "path": "notes/nuts", "text": WORDS},
        {"do": "remove", "path": "notes/nuts"},
    ],
    **{"strategy": "bfs", "links": [], "rows": [], "records": [], "holder": "me", "import_id": "i"},
    "batch": "b",
}


def outcome(ask: Any) -> str:
    """Return all that comes back, as a text: rows, or why there are none."""
    try:
        return repr(ask())
    except StoreError as error:
        return f"refused: {error}"


def others(caller: str) -> list[str]:
    """Return the marks that *caller* must not meet."""
    user, scope = CALLERS[caller]
    marks = [mark for whose, mark in MARKS.items() if whose not in (user, scope)]
    # Whoever means the shared concepts does not mean their own.
    return marks if scope == user or user not in MARKS else [*marks, f"{MARKS[user]}ling"]


def stored(memory: Any, caller: str) -> list[str]:
    """Return what is stored of all others, without what only an order of writing changes."""
    user, scope = CALLERS[caller]
    kept = [
        one
        for one in memory.records()
        if one.get("user_id", SHARED) not in (user, scope)
        and (one["kind"] == "relation" or "from" not in one)
    ]
    return sorted(json.dumps(one, sort_keys=True) for one in kept)


@pytest.fixture
def lived(memory):
    for scope in MARKS:
        live(memory, scope)
    return memory


def context_of(caller: str) -> dict[str, str]:
    user, scope = CALLERS[caller]
    return {"user_id": user, "concepts": "shared" if scope == SHARED else "own"}


def arguments(callback: Any, ids: dict[str, str]) -> list[Any]:
    """Return the arguments that *callback* needs, and no others but a limit."""
    names = [name for name, _ in callback.arguments]
    required = names[: len(names) - len(callback.defaults)]
    given = {**GIVEN, **ids}
    if callback.name.startswith("entitygraph."):
        given |= {"source_id": ids.get("entity_id", "none"), "limit": 50}
        given |= {"target_id": ids.get("linked_entity_id", "none")}
    defaults = dict(zip(names[len(required) :], callback.defaults, strict=True))
    filled = {name: given[name] for name in required}
    rest = {name: given.get(name, one) if name in IDS else one for name, one in defaults.items()}
    rest.pop("context", None)
    return [*filled.values(), *rest.values()]


@pytest.mark.slow
@pytest.mark.parametrize("caller", CALLERS)
def test_no_procedure_returns_or_changes_what_is_anothers(lived, caller):
    whose = {user: known(lived, user) for user in (ANN, BOB)}
    before = stored(lived, caller)
    # Calls that only read come first, to meet everything.
    for callback in sorted(PROCEDURES, key=lambda one: one.writes):
        for ids in whose.values():
            given = arguments(callback, ids)
            fields = tuple(callback.results)
            call = Call(Procedure(callback.name, fields, writes=callback.writes), tuple(given))
            said = outcome(lambda call=call: lived.run(call, **context_of(caller)))
            found = [mark for mark in others(caller) if mark in said]
            assert not found, f"{callback.name}: {said}"
    assert stored(lived, caller) == before


def made_calls(scope: str, user: str, ids: dict[str, str], memory: Any) -> list[Any]:
    """Return, of every function that makes a call, what makes one as the shell does."""
    known_names = {
        **GIVEN,
        **ids,
        **{"user_id": user, "concept_scope": scope, "date": memory.date, "source_type": "evokes"},
        **{
            "relation_type": "evokes",
        },
        **{"now_ms": memory.now_ms, "relation": "supports", "after": None, "again": False},
    }
    made = []
    for layer in ("concepts", "memories", "entities", "everyday"):
        module = getattr(calls, layer)
        given = {**known_names, "scope": scope if layer == "concepts" else user}
        if layer == "entities":
            given |= {"source_id": ids.get("entity_id"), "target_id": ids.get("linked_entity_id")}
        for name, make in vars(module).items():
            is_made = isinstance(make, Verb) or (
                inspect.isfunction(make) and hasattr(make, "__wrapped__")
            )
            if not is_made or name.startswith(("_", "with_")):
                continue
            parameters = inspect.signature(make).parameters.values()
            wanted = {
                one.name: given[one.name]
                for one in parameters
                if one.default is one.empty or one.name in ("scope", "user_id", "concept_scope")
                if one.name in given
            }
            if isinstance(make, RuleVerb):
                wanted["concept_scope"] = scope
            made.append((f"{layer}.{name}", make, wanted))
    return made


@pytest.mark.slow
@pytest.mark.parametrize("caller", CALLERS)
def test_no_call_of_the_shell_returns_or_changes_what_is_anothers(lived, caller):
    user, scope = CALLERS[caller]
    before = stored(lived, caller)
    answered = []
    for whose in (ANN, BOB):
        for name, make, wanted in made_calls(scope, user, known(lived, whose), lived):
            call = None
            with suppress(TypeError, StoreError):
                # Some take what is no plain value, or one of several things.
                call = make(**wanted)
            if not isinstance(call, Call):
                continue
            said = outcome(lambda call=call: lived.run(call, **context_of(caller)))
            found = [mark for mark in others(caller) if mark in said]
            assert not found, f"{name}: {said}"
            answered += [name] if not said.startswith("refused") else []
    assert len(set(answered)) > 34
    assert stored(lived, caller) == before


def tool_arguments(schema: dict[str, Any], ids: dict[str, str]) -> dict[str, Any]:
    given = {**GIVEN, **ids, "from": "hazelnuts", "to": "nut", "about": ["hazelnuts"]}
    given |= {"start_node_id": ids.get("memory_id"), "messages": [], "preferences": []}
    names = schema.get("required", [])
    return {name: given[name] for name in names if name in given}


@pytest.mark.slow
@pytest.mark.parametrize("caller", CALLERS)
def test_no_tool_returns_or_changes_what_is_anothers(lived, portal, caller):
    user, scope = CALLERS[caller]
    concepts = "shared" if scope == SHARED else "own"
    session = Session(
        lived.store, 86_400_000, ZoneInfo("UTC"), Clock(lived.now_ms), user, concepts=concepts
    )
    before = stored(lived, caller)
    ids = [known(lived, whose) for whose in (ANN, BOB)]

    async def ask() -> list[tuple[str, str]]:
        said = []
        for tool in toolsets.tools(session, KNOWN_TOOLSETS, False):
            for of in ids:
                try:
                    answer = repr(await tool.run(tool_arguments(tool.parameters, of), None))
                except ToolError as error:
                    answer = f"refused: {error}"
                said.append((tool.name, answer))
        return said

    answers = portal.call(ask)
    assert len({name for name, _ in answers}) > 30
    for name, said in answers:
        found = [mark for mark in others(caller) if mark in said]
        assert not found, f"{name}: {said}"
    assert stored(lived, caller) == before
    # And each of these is about the concepts that are meant.
    telling = {name for name, said in answers if f"{MARKS[scope]}ling" in said}
    assert telling >= {"concept_search", "episode_search", "recall_query", "recall", "search"}


def test_everybody_finds_their_own_in_every_layer(lived):
    # Else nothing would be told of anybody, and the tests above could not fail.
    for caller, (user, scope) in CALLERS.items():
        call = calls.everyday.recall(user, WORDS, concept_scope=scope)
        [row] = lived.run(call, **context_of(caller))
        assert MARKS[scope] in repr(row["lines"])
        rows = lived.run(calls.concepts.peek(["hazelnuts"], concept_scope=scope))
        assert {MARKS[scope] in row["text"] for row in rows} == {True, False}
        found = lived.run(
            calls.concepts.associate("When did hazelnuts arrive?", concept_scope=scope)
        )
        assert [MARKS[scope] in row["summary"] for row in found] == [True]


def test_a_session_asks_about_the_concepts_that_its_setting_says(lived):
    base = Session(lived.store, 86_400_000, ZoneInfo("UTC"), user_id=ANN, clock=Clock())
    assert base.concept_scope == SHARED
    assert dataclasses.replace(base, concepts="own").concept_scope == ANN


@pytest.mark.parametrize(
    ("user", "reason"),
    [
        ("n" * 1_001, "1001 characters are too long"),
        ("ann\x1fepisode", r"must not contain the character U\+001F"),
    ],
)
def test_nobody_has_an_id_that_an_export_or_the_words_take_for_another_scope(memory, user, reason):
    # An export left out the first, so that another store had the concept as everybody's. The words
    # of Ann's episodes have the second as their scope.
    call = Call(Procedure("conceptgraph.concept_upsert", ("created",), writes=True), ("private",))
    with pytest.raises(StoreError, match=f"context: user_id: {reason}"):
        memory.run(call, user_id=user, concepts="own")
    with pytest.raises(StoreError, match=f"user_id: {reason}"):
        memory.import_rows([{"kind": "concept", "name": "private", "user_id": user}])
    assert memory.records() == []


def test_an_import_is_taken_back_only_from_its_own_user(lived):
    def brought() -> list[str]:
        return [one["id"] for one in lived.records() if one.get("id", "").endswith("-message")]

    ids = [f"{MARKS[user]}-message" for user in (ANN, BOB)]
    lived.run(calls.memories.retract("i", ids), user_id=ANN)
    assert brought() == [ids[1]]


def test_what_all_share_becomes_one_users_and_nothing_of_another_changes(lived):
    def of(user: str) -> list[str]:
        mine = (one for one in lived.records() if one.get("user_id", SHARED) == user)
        return sorted(json.dumps(one, sort_keys=True) for one in mine)

    before = of(BOB)
    lived.run(calls.transfer.adopt_shared(ANN))
    assert of(BOB) == before
    assert MARKS[SHARED] in repr(of(ANN))
    assert MARKS[BOB] not in repr(of(ANN))
    assert MARKS[SHARED] not in repr(of(SHARED))
