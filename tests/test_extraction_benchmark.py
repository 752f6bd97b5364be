"""The benchmark of extraction: what is scored, and that a perfect answer scores full."""

import json
from typing import Any

import anyio
from benchmarks.extraction.__main__ import built_in, by_model, main, read
from benchmarks.extraction.measures import scored
from click.testing import CliRunner

from concept_graph_mcp.extras.chat_model import Reply, ToolCall
from conceptgraph_core.entities.schema import SELF


def right(row: Any) -> list[dict[str, Any]]:
    """Return the observations that are right of a message of the set."""
    made = {label: {"label": label, "type": kind} for label, kind in row["entities"]}
    for label, one in row["same"].items():
        made[label] |= {"new": True} if one == "new" else {"same_as": one}
    for label, predicate, value in row["facts"]:
        one = made.setdefault(label, {"label": label, "type": "entity"})
        one.setdefault("facts", []).append({"predicate": predicate, "value": value})
    return list(made.values())


class Knowing:
    """A model that answers what is right of the message that it is asked."""

    async def reply(self, chat: Any, tools: Any) -> Reply:
        [row] = [row for row in read() if chat[1]["content"].endswith(row["text"])]
        answer = json.dumps({"observations": right(row)})
        return Reply("", (ToolCall("1", "observe", answer),), 0, 0)


async def asked() -> list[Any]:
    return [await by_model(Knowing(), row) for row in read()]


def test_a_model_that_knows_everything_scores_full_by_the_way_that_observe_asks():
    for told in ([right(row) for row in read()], anyio.run(asked)):
        scores = scored(zip(told, read(), strict=True))
        assert {(one.precision, one.recall) for one in scores.values()} == {(1.0, 1.0)}
        assert all(one.wanted > 5 for one in scores.values())


def test_what_is_missing_and_what_is_too_much_count():
    row = {
        "entities": [["Max", "entity"]],
        "same": {"Max": "m1"},
        "facts": [[SELF, "home", "Rome"]],
    }
    told = [
        {"label": "max", "type": "entity", "new": True},
        {"label": "Tea", "type": "topic"},
        {"label": SELF, "type": "entity", "facts": [{"predicate": "home", "value": "rome"}]},
    ]
    scores = scored([(told, row)])
    assert (scores["entities"].precision, scores["entities"].recall) == (0.5, 1.0)
    assert (scores["identities"].precision, scores["identities"].recall) == (0.0, 0.0)
    assert (scores["facts"].precision, scores["facts"].recall) == (1.0, 1.0)
    assert scored([([], row)])["facts"].recall == 0.0


def test_it_runs_without_a_model():
    said = CliRunner().invoke(main, [])
    assert said.exit_code == 0
    assert "identities" in said.output
    assert any(built_in(row) for row in read())
