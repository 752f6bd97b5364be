"""Random histories: every host says and stores the same as the plain model in `reference.py`."""

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest
from expect import REFUSALS, concept
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from reference import RELATION_TYPES, Reference, Refusal
from tests.examples import limit_examples

from concept_graph_mcp import calls

START_MS = 1_750_000_000_000
DAY_MS = 86_400_000

NAMES = (
    "apple", "Apple", "apple-2", "Äpfel", "Straße", "STRASSE", "日本", "日本語", "🍎", " a ",
    "crème apple", "ga がA", "a\u0308pfel",
)  # fmt: skip
# Seeds that nothing is called, each for a reason of its own.
STRANGERS = ("APPLE", " app le", "apfel", "strasse", "日", "か", "が", "\u0308", "nobody", "A")
DATES = ("20250615", "20250616")
SUMMARIES = ("Bought apples", "Ate apples", "東京へ行った", "apple")
KEYWORDS = (
    "a", "APP", "apple", "äpfel", "ss", "ß", "本", "日本", "🍎", "-2", "nothing", "/", "apfel",
    "creme", "か", "が", "\u0308", "pp", "le",
)  # fmt: skip
WAITS = (1, 60_000, DAY_MS // 80, DAY_MS, 21 * DAY_MS, -DAY_MS, -1, 4_000 * DAY_MS)

levels = st.sampled_from((0.0, 0.25, 0.48, 0.5, 0.75, 0.98, 0.985, 0.995, 1.0)) | st.floats(
    0.001, 1.0
)
deltas = st.sampled_from((0, 1, -1, 0.5, -0.25, 1.5)) | st.floats(-1, 1, allow_subnormal=False)
limits = st.none() | st.integers(1, 6) | st.sampled_from((-1, 0))
hops = st.integers(0, 4) | st.sampled_from((-1, 10, 11))
relation_types = st.sampled_from(RELATION_TYPES)


@st.composite
def histories(draw):
    """A small world to begin with, so that there is something to recall, and calls upon it."""
    names = draw(st.lists(st.sampled_from(NAMES), min_size=3, max_size=5, unique=True))
    episodes = [f"{DATES[0]}/{name}{end}" for name in names[:2] for end in ("", "-2", "-3")]
    known = st.sampled_from(names)
    anything = known | known | st.sampled_from(episodes)
    # What is refused is drawn now and then.
    odd = anything | anything | anything | st.sampled_from(("", "  ", *NAMES))
    put = st.tuples(
        st.just("put_concept"),
        known,
        st.sampled_from((-1.0, -0.5, 0.0, 0.5, 1.0)) | st.floats(-1, 1, allow_subnormal=False),
        levels,
        st.integers(-30, 3).map(lambda days: START_MS + days * DAY_MS),
    )
    relate = st.tuples(st.just("relation_add"), anything, anything, relation_types)
    happen = st.tuples(
        st.just("episode_add"), st.sampled_from(SUMMARIES), st.lists(known, min_size=1, max_size=3)
    )
    seeds = st.lists(odd | st.sampled_from(STRANGERS), max_size=3)
    think = st.tuples(st.sampled_from(("recall", "recall", "peek")), seeds, hops, limits)
    ask = st.tuples(st.just("recall_query"), seeds, hops, limits, st.booleans())
    calls = st.one_of(
        put,
        relate,
        happen,
        think,
        think,
        ask,
        st.tuples(st.just("unknown"), seeds),
        st.tuples(st.just("relation_add"), odd, odd, relation_types | st.just("likes")),
        st.tuples(st.just("update_affect"), anything, deltas),
        st.tuples(st.just("update_affect"), odd, deltas),
        st.tuples(st.just("concept_upsert"), odd),
        st.tuples(
            st.just("episode_add"), st.sampled_from((*SUMMARIES, " ")), st.lists(odd, max_size=3)
        ),
        st.tuples(
            st.just("concept_search"),
            st.lists(st.sampled_from((*KEYWORDS, " ")), max_size=2),
            limits,
        ),
        st.tuples(st.just("rename"), odd, odd),
        st.tuples(st.just("remove"), anything),
        st.tuples(st.just("remove_relation"), anything, anything, relation_types),
        st.tuples(st.just("wait"), st.sampled_from(WAITS)),
        st.tuples(st.just("day"), st.sampled_from(DATES)),
    )
    world = draw(st.lists(put | relate | relate | happen, min_size=8, max_size=16))
    return world + draw(st.lists(calls, min_size=8, max_size=24)) + _survey(names, episodes)


def _survey(names, episodes):
    """Look at everything from everywhere, and again when it has faded too far for a float."""
    look = [("peek", [name], 3, None) for name in (*names, *episodes)]
    look += [("peek", [*names, *episodes], 2, None), ("concept_search", [], None)]
    look += [("concept_search", [keyword], None) for keyword in ("app", "ss", "本", "apfel")]
    look += [("unknown", list(STRANGERS))]
    return [*look, ("wait", 4_000 * DAY_MS), *look]


def step(memory: Any, call: tuple) -> Any:
    """Make one call on a host and return its result as the model gives it."""
    name, *arguments = call
    if name == "put_concept":
        memory.import_rows([concept(*arguments)])
        return None
    if name in ("rename", "remove", "remove_relation"):
        memory.run(getattr(calls.concepts, name)(*arguments, False))
        return None
    if name == "concept_search":
        rows = memory.run(calls.concepts.concept_search(*arguments, tau_ms=memory.tau_ms))
        return [(row["concept"], row["matched"]) for row in rows]
    if name == "unknown":
        return memory.run(calls.concepts.unknown(*arguments))
    if name == "recall_query":
        (row,) = memory.run(calls.concepts.recall_query(*arguments))
        return [said | {"total": row["total"]} for said in row["propositions"]], row["unknown"]
    return getattr(memory, name)(*arguments)


def outcome(make: Any, *arguments: Any) -> Any:
    try:
        return make(*arguments)
    except (*REFUSALS, Refusal):
        return "refused"


def key(record: dict[str, Any]) -> tuple[str, ...]:
    return tuple(record.get(part, "") for part in ("kind", "name", "from", "type", "to"))


def agree(name: str, said: Any, expected: Any) -> None:
    if expected == "refused" or name not in ("recall", "peek", "recall_query"):
        assert said == expected
        return
    if name == "recall_query":
        said, unknown = said
        expected, expected_unknown = expected
        assert unknown == expected_unknown
        # Which of two episodes of one day and one summary stands for both is open.
        if any(len({reading["episode_id"] for reading in choices}) > 1 for choices in expected):
            return
    assert len(said) == len(expected)
    for row, choices in zip(said, expected, strict=True):
        assert row in choices


def replay(memory: Any, history: list[tuple]) -> None:
    """Make every call on the host and in the model, comparing all the way."""
    model = Reference(now_ms=START_MS)
    for call in history:
        if call[0] == "wait":
            model.now_ms += call[1]
        elif call[0] == "day":
            model.date = call[1]
        memory.now_ms, memory.tau_ms, memory.date = model.now_ms, model.tau_ms, model.date
        if call[0] not in ("wait", "day"):
            expected = outcome(model.call, *call)
            agree(call[0], outcome(step, memory, call), expected)
    assert sorted(memory.records(), key=key) == sorted(model.records(), key=key)


def quiet(examples: int) -> settings:
    """The same histories on every run, however long one takes."""
    return settings(
        max_examples=limit_examples(examples),
        phases=[Phase.explicit, Phase.generate, Phase.shrink],
        derandomize=True,
        database=None,
        suppress_health_check=[
            HealthCheck.function_scoped_fixture,
            HealthCheck.too_slow,
            HealthCheck.data_too_large,
        ],
    )


@contextlib.contextmanager
def emptied(memory: Any) -> Iterator[Any]:
    """The memory with nothing in it, through its own procedures."""
    for record in memory.records():
        if record["kind"] != "relation":
            memory.run(calls.concepts.remove(record["name"], False))
    yield memory


@pytest.mark.parametrize("store", ["embedded"], indirect=True)
def test_any_history_is_the_models_embedded(memory):
    @quiet(100)
    @given(history=histories())
    def check(history):
        with emptied(memory):
            replay(memory, history)

    check()


@pytest.mark.parametrize("store", ["memgraph"], indirect=True)
def test_any_history_is_the_models_in_memgraph(memory):
    @quiet(30)
    @given(history=histories())
    def check(history):
        with emptied(memory):
            replay(memory, history)

    check()
