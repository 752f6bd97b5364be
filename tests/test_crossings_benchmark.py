"""The benchmark of crossings: nothing crosses, and it notices what does."""

import asyncio
import random

import pytest
from benchmarks import crossings

NAMES = ("user 0", "user 1", "user 2", "user 3")


@pytest.fixture
def users():
    return crossings.Users(NAMES, random.Random(7))


def test_no_random_call_of_a_user_meets_anothers_texts(users):
    asyncio.run(crossings.live(users, 600))
    assert users.crossed == []
    assert users.outcomes["answered"] > 300


def test_a_user_who_is_served_as_another_is_noticed(users, monkeypatch):
    as_said = crossings._tools

    def confused(store, user):
        return as_said(store, "user 0" if user == "user 1" else user)

    monkeypatch.setattr(crossings, "_tools", confused)
    asyncio.run(crossings.live(users, 300))
    assert any("told user 1 ['mark0x']" in line for line in users.crossed)
    assert any(line.startswith("stored: ") for line in users.crossed)
