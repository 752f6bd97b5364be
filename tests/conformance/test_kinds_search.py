"""A question finds texts by the kinds of entities and by facts, in words that no text has."""

from typing import Any

import pytest

from concept_graph_mcp import calls
from conceptgraph_core.entities.narration.named import MOST_SHARING
from conceptgraph_core.texts.dates import DAY_MS
from memories import node

UKULELE = {"name": "ukulele", "kind": "instrument"}


def remember(memory: Any, text: str, *about: Any, user: str = "default") -> str:
    memory.now_ms += 60_000
    [row] = memory.run(calls.everyday.remember(user, text, about), user_id=user)
    return str(row["id"])


def fact(memory: Any, name: str, *given: Any, user: str = "default", **more: Any) -> str:
    memory.now_ms += 60_000
    observation = {"label": name, "type": "entity"}
    call = calls.entities.observe("s", name, "user", name, [observation])
    [row] = memory.run(call, user_id=user)
    [one] = row["entities"]
    [row] = memory.run(calls.entities.fact(one["entity_id"], *given, **more), user_id=user)
    return str(row["fact_id"])


def search(memory: Any, query: str, user: str = "default") -> list[tuple[list[str], list[str]]]:
    """Return what was matched, and why, of each memory found."""
    call = calls.memories.search(user, query, explained=True)
    return [
        (list(row["matched"]), [word.get("why", "") for word in row["words"]])
        for row in memory.run(call, user_id=user)
    ]


def recall(memory: Any, message: str, user: str = "default") -> list[str]:
    """Return the ids of the memories that a recall brings."""
    [row] = memory.run(calls.everyday.recall(user, message), user_id=user)
    return [one["id"] for one in row["sources"] if one["kind"] == "memory"]


@pytest.fixture
def kept(memory: Any) -> Any:
    """A ukulele, which is an instrument, in a memory that does not say so."""
    remember(memory, "There is a ukulele in the hall", UKULELE)
    memory.import_rows([node("mia", content="Mia practises the ukulele on Mondays")])
    return memory


def test_a_kind_leads_to_the_names_of_that_kind(kept):
    found = search(kept, "Which instruments does Mia like?")
    assert (["mia", "instruments → ukulele"], ["", "ukulele (instrument)"]) in found
    [row] = kept.run(calls.memories.context("default", "Which instruments does Mia like?"))
    assert "mia" in row["memory_ids"]
    assert "mia" in recall(kept, "Which instruments does Mia like?")
    assert search(kept, "Which instruments does Mia like?", "ann") == []


def test_kinds_of_kin_are_known_in_both_languages(memory):
    remember(memory, "Dr Weber has moved", {"name": "Weber", "kind": "dentist"})
    memory.import_rows([node("bill", content="The bill from Weber is paid")])
    assert search(memory, "Which Zahnarzt was paid?") == [
        (["paid", "zahnarzt → Weber"], ["", "Weber (dentist)"]),
        (["zahnarzt → Weber"], ["Weber (dentist)"]),
    ]


@pytest.mark.parametrize("predicate", ["capital", "favourite_town"])
@pytest.mark.parametrize("is_over", [False, True])
def test_a_fact_leads_to_its_value_as_long_as_it_holds(memory, predicate, is_over):
    began, ended = (memory.now_ms - days * DAY_MS for days in (9, 1))
    until = {"valid_until": ended} if is_over else {}
    fact(memory, "Germany", predicate, "Berlin", valid_from=began, **until)
    memory.import_rows([node("trip", content="Ben flies to Berlin")])
    said = predicate.replace("_", " ")
    [(matched, why)] = search(memory, f"Who flies to the {said}?")
    assert (f"{said.rpartition(' ')[2]} → Berlin" in matched) == (not is_over)
    assert (f"{said}: Berlin" in why) == (not is_over)


@pytest.mark.slow
def test_a_kind_that_many_share_leads_nowhere(memory):
    for number in range(MOST_SHARING + 1):
        remember(memory, f"Note {number}", {"name": f"thing{number}", "kind": "gadget"})
    memory.import_rows([node("broken", content="thing0 is broken")])
    assert ["gadget → thing0"] not in [matched for matched, _ in search(memory, "Which gadget?")]


@pytest.mark.parametrize(
    "message", ["What is the capital of France?", "Which instrument is easiest?", "A good gadget?"]
)
def test_what_a_kind_or_a_fact_leads_to_answers_no_question_alone(kept, message):
    fact(kept, "Germany", "capital", "Berlin")
    kept.import_rows([node("trip", content="Ben flies to Berlin")])
    assert "trip" not in recall(kept, message)
    assert "mia" not in recall(kept, message)


def test_what_a_concept_leads_to_answers_alone(memory):
    memory.import_rows([node("mia", content="Mia practises the ukulele on Mondays")])
    assert recall(memory, "What about an instrument?") == []
    memory.run(calls.everyday.relate("default", "ukulele", "instrument", "is-a"))
    assert recall(memory, "What about an instrument?") == ["mia"]
