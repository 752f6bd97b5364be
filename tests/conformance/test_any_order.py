"""Beliefs, now and then, do not depend on the order in which words arrive."""

from random import Random

import pytest
from entity_layer import DAY_MS, Entities
from test_entity_statements import own

from conceptgraph_core.entities.schema import SELF

VALUES = {
    "home": ("Leeds", "York", "Hull"),
    "employer": ("Halden", "Bosch", "a library"),
    "occupation": ("baker", "welder"),
    "sister": ("Clara", "Berta"),
    "partner": ("Tom", "Max"),
}
# How often a word stands beside, after or over with what was said.
MODES = ("beside",) * 4 + ("after",) * 2 + ("over",) * 2 + ("every",)


def make_history(random):
    """Return messages, each a speaker with claims, as they were said."""
    said = []
    for _ in range(random.randint(2, 7)):
        claims = {}
        for _ in range(random.choice((1, 1, 1, 2))):
            predicate = random.choice([*VALUES][: random.choice((1, 2, 5))])
            claims[predicate] = random.choice(VALUES[predicate]), random.choice(MODES)
        said.append((random.choice(("user",) * 4 + ("model",)), claims))
    return said


def tell(entities, history, order):
    """Tell the messages, a day apart, in an order of arrival; return the time of the first."""
    start = entities.memory.now_ms
    for number in order:
        speaker, claims = history[number]
        entities.memory.now_ms = start + number * DAY_MS
        facts = [
            {"predicate": predicate, "value": "*", "mode": "over", "span": "I"}
            if mode == "every"
            else {"predicate": predicate, "value": value, "mode": mode}
            for predicate, (value, mode) in claims.items()
        ]
        words = " and ".join(f"{predicate} {value}" for predicate, (value, _) in claims.items())
        seen = {"label": SELF, "type": "entity", "facts": facts}
        entities.observe(f"I say {words}", seen, speaker=speaker, session=f"s{number}")
    entities.memory.now_ms = start + len(history) * DAY_MS
    return start


def believe(entities, history, start):
    """Return what is believed at the end, and was at each time of what was known by then."""
    at = [start + number * DAY_MS + 1 for number in range(len(history))]
    pairs = [(valid, known) for known in at for valid in at if valid <= known]
    then = {(v, k): own(entities, valid_at=v, known_at=k) for v, k in pairs}
    return {"now": own(entities), **then}


# Each of these has found a fault.
SEEDS = (6, 11, 16, 17, 20, 29, 35, 37, 45, 50, 56, 63, 69, 79)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_any_order_of_arrival_leaves_the_same_beliefs(memory, seed):
    random = Random(seed)
    history = make_history(random)
    entities = Entities(memory)
    first = memory.now_ms
    order = list(range(len(history)))
    start = tell(entities, history, order)
    wanted = believe(entities, history, start)
    memory.empty()
    memory.now_ms = first
    random.shuffle(order)
    tell(entities, history, order)
    assert believe(entities, history, start) == wanted, (history, order)
