"""What several clients do at once, and what must come of it on any host."""

from typing import Any

WRITES: list[list[Any]] = [
    ["relation_add", "apple", "fruit", "is-a"],
    ["update_affect", "apple", 0.01],
    ["episode_add", "Bought apples at the market", ["apple", "market"]],
    ["concept_upsert", "pear"],
    ["recall", ["fruit"], 1],
] * 5


def in_order(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return export records in an order that does not depend on how they were stored."""
    return sorted(records, key=lambda record: sorted(map(str, record.items())))


def assert_as_if_one_after_the_other(
    answers: list[dict[str, Any]], records: list[dict[str, Any]], expected: list[dict[str, Any]]
) -> None:
    """Assert that no call failed and that the graph is what the same calls in turn make of it."""
    errors = [answer["error"] for answer in answers if "error" in answer]
    assert not errors, errors
    assert in_order(records) == in_order(expected)
    rows = [row for answer in answers for row in answer["rows"]]
    assert [row["created"] for row in rows if "created" in row].count(True) == 1
    weights = [row["weight"] for row in rows if row.get("type") == "is-a"]
    # No two of them saw the same weight: each strengthened what another had left.
    assert len(set(weights)) == len(weights)
    assert max(weights) == next(r["weight"] for r in expected if r.get("type") == "is-a")
