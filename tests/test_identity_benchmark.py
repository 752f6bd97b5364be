"""The conversations about who is who, and how many of them end right."""

import anyio
import pytest
from benchmarks.identity.__main__ import CASES, cases, wrong

TOLD = cases(CASES)


@pytest.mark.parametrize("case", TOLD, ids=lambda case: case["name"])
def test_with_labels_everybody_is_who_they_are(case, monkeypatch):
    monkeypatch.setenv("CONCEPT_GRAPH_LANGUAGES", "en,de")
    assert anyio.run(wrong, case, True) == []


@pytest.mark.slow
def test_from_text_alone_most_are_who_they_are(monkeypatch):
    monkeypatch.setenv("CONCEPT_GRAPH_LANGUAGES", "en,de")
    hold = sum(not anyio.run(wrong, case, False) for case in TOLD)
    assert hold >= len(TOLD) * 20 // 36
