"""Messages that share a letter or a number with a text, and ask for none."""

import pytest

from concept_graph_mcp import calls

KEPT = (
    "Night shift on Thursday 26 November, 23:00 to 7:30",
    "The user decided not to apply for the head midwife position because of the hours",
    "Bike was stolen; insurance claim number 88-1203",
)


def recalled(memory, message):
    [row] = memory.run(calls.everyday.recall("default", message))
    return " ".join(str(part) for line in row["lines"] for part in line["parts"])


# By words alone "HEAD" finds the head midwife, and 7 and 30 find 7:30. Neither should.
MISTAKEN = pytest.mark.xfail(strict=True, reason="a learned recall by words alone takes these")


@pytest.mark.parametrize(
    "message",
    [
        "what's 17*23",
        pytest.param("git rebase -i HEAD~3", marks=MISTAKEN),
        "12 times 23?",
        pytest.param("7 + 30 = ?", marks=MISTAKEN),
        "3/4 + 1/4",
    ],
)
def test_a_sum_or_a_command_finds_nothing(memory, message):
    for text in KEPT:
        memory.run(calls.everyday.remember("default", text))
    assert recalled(memory, message) == ""


def test_a_number_is_looked_up(memory):
    for text in KEPT:
        memory.run(calls.everyday.remember("default", text))
    assert "stolen" in recalled(memory, "88-1203")
    assert "stolen" in recalled(memory, "claim number 88-1203?")
