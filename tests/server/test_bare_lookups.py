"""The look-up of a call by hand is that of the shell's call, or none."""

import pytest

from concept_graph_mcp import calls
from concept_graph_mcp.calls.also import Also
from concept_graph_mcp.hosts.memgraph import bare_calls
from concept_graph_mcp.hosts.sqlite.modules import load_modules
from conceptgraph_core import context as contexts
from conceptgraph_core.context import owning

NOW, ID = 1_750_000_000_000, "01J00000000000000000000000"
WORDS = "What is Lena allergic to?"
VECTOR = ("minilm", (0.25, 0.5))
everyday, concepts, entities = calls.everyday, calls.concepts, calls.entities
memories, links, found = calls.memories, calls.memory_links, calls.memory_search
SHELL = [
    concepts.concept_upsert("apple"),
    concepts.update_affect("apple", 0.5),
    concepts.episode_add("Bought apples", ["apple"]),
    concepts.relation_add("apple", "fruit", "is-a"),
    concepts.concept_search(["app"], 10),
    concepts.recall(["apple"], 2, 10),
    concepts.peek(["apple"], 2),
    concepts.recall_query(["apple", "aple"]),
    concepts.unknown(["aple"]),
    concepts.associate(WORDS, user_id="u"),
    concepts.rename("aple", "apple", False),
    concepts.remove("apple", False),
    concepts.remove_relation("apple", "fruit", "is-a", False),
    concepts.unindexed(),
    memories.create("u", "A text", tags=["a"], concepts=["apple"]),
    memories.create("u", "A text", embedded=VECTOR),
    memories.get(ID),
    memories.update("u", ID, content="Another"),
    memories.forget(ID, "a joke"),
    memories.touch([ID]),
    memories.decay_status(ID),
    memories.preserve(ID, "keep"),
    links.link(ID, "other"),
    links.connected(ID),
    links.explore(ID),
    links.traverse("u", ID),
    found.search("u", WORDS),
    found.search("u", None, 5, tags=["a"]),
    found.search("u", WORDS, embedded=VECTOR),
    found.context("u", WORDS),
    entities.observe("s", "m", "Lena", "I like tea"),
    entities.search("Lena", user_id="u"),
    entities.get(ID),
    entities.history(ID),
    entities.presence([ID], [0, NOW]),
    entities.context(WORDS, user_id="u"),
    entities.explain(ID),
    entities.questions(user_id="u"),
    entities.merge(ID, "other", "the same"),
    everyday.recall("u", WORDS),
    everyday.recall("u", WORDS, embedded=VECTOR),
    everyday.recall("u", WORDS, also=Also(("nuts",)), asked_at=NOW),
    everyday.access("u", [ID], {"tea": 1.0}),
    everyday.remember("u", "Lena likes tea", ["Lena"], "years", said="tea for Lena"),
    everyday.search("u", "tea", about="Lena", kinds=["memory"]),
    everyday.about("u", "Lena"),
    everyday.profile("u"),
    everyday.days("u", "20250615", [0, NOW]),
    everyday.sizes("u", [0, NOW]),
    everyday.happened("u", "20250615", 0, NOW),
    everyday.changes("u", 0, NOW),
    everyday.forget(ID),
    everyday.relate("u", "apple", "fruit", "is-a"),
    everyday.identify("u", "Mike", "Michael", True, "Mike is Michael"),
]
TOLD = ("also", "asked_at", "asker")


def by_hand(call, **told):
    name = call.procedure.name
    names = [one for one, *_ in load_modules()[name].arguments]
    given = list(zip(names, map(as_given, call.arguments), strict=False))
    told = {"user_id": "u", "now_ms": NOW, "date": "20250615", **told}
    told |= {key: call.context[key] for key in TOLD if key in call.context}
    told = owning(told) if name.startswith("everyday") else told
    return bare_calls.call_of(name, given, told, contexts.parse(told))


def as_given(value):
    return tuple(map(as_given, value)) if isinstance(value, list) else value


@pytest.mark.parametrize("call", SHELL, ids=lambda one: one.procedure.name)
def test_a_call_by_hand_looks_up_what_the_shells_call_does(call):
    made = by_hand(call)
    assert made is not None
    assert (made.lookup, made.wanted) == (call.lookup, call.wanted)
    assert made.context == call.context


@pytest.mark.parametrize("key", ["until_ms", "neighbours", "languages", "size", "planned"])
def test_a_context_that_changes_what_is_read_has_no_look_up(key):
    assert by_hand(everyday.recall("u", WORDS), **{key: contexts._ABSENT.get(key)}) is None


def test_what_a_builder_does_not_know_has_no_look_up():
    assert by_hand(memories.get(ID), asker="Lena") is None


def test_a_refused_call_has_no_look_up():
    call = concepts.peek(["apple"])._replace(arguments=(["a\0b"], 2, None))
    assert by_hand(call) is None


def test_seeds_that_are_nodes_need_no_look_up():
    call = concepts.peek(["apple"])
    made = by_hand(call._replace(arguments=((object(), "apple"), 2, None)))
    assert made is not None
    assert made.wanted == call.wanted


def a_value(kind):
    values = ("x", 1, 0.5, True, {}, None, ["x"], [{}], [1], [0.5])
    return next(as_given(one) for one in values if kind.accepts(one))


def test_most_procedures_have_a_call_of_the_shell_and_none_an_error():
    modules, known = load_modules(), set()
    for name in modules:
        given = [(one, a_value(kind)) for one, kind, *_ in modules[name].arguments]
        made = bare_calls.call_of(name, given[:-1], {}, contexts.parse({}))
        known |= set() if made is None else {name}
    assert len(known) > 50


def test_the_environment_sets_how_many_nodes_a_call_without_a_look_up_reads(monkeypatch):
    for said, most in {"": 100_000, "250000": 250_000, "0": 0, "many": 100_000}.items():
        monkeypatch.setenv(contexts.MOST_SCANNED_VARIABLE, said)
        assert contexts.most_scanned() == most
