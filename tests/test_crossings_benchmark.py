"""The benchmark of crossings: nothing crosses, and it notices what does."""

import asyncio
import random

import pytest
from benchmarks import crossings
from mcp.server.auth.provider import AccessToken

from concept_graph_mcp.http.access import SCOPES
from concept_graph_mcp.http.tokens import Tokens
from concept_graph_mcp.view import api

NAMES = ("user 0", "user 1", "user 2", "user 3")


@pytest.fixture
def users():
    return crossings.Users(NAMES, random.Random(7))


@pytest.mark.slow
@pytest.mark.parametrize("over_http", [False, True])
def test_no_random_call_of_a_user_meets_anothers_texts(users, over_http):
    asyncio.run(crossings.live(users, 600, over_http=over_http))
    assert users.crossed == []
    # The page's changes are mostly refused: their ids are seldom of the right kind.
    assert users.outcomes["answered"] > 250


@pytest.mark.slow
def test_the_page_is_asked_too_and_what_it_tells_is_looked_at(users, monkeypatch):
    monkeypatch.setattr(crossings, "_tools", lambda *_: [])
    monkeypatch.setattr(api, "__version__", users.marks["user 1"])
    asyncio.run(crossings.live(users, 60, over_http=True))
    assert any(line.startswith("page/api/about told user") for line in users.crossed)


@pytest.mark.slow
def test_nothing_crosses_where_each_user_has_a_file(users):
    asyncio.run(crossings.live(users, 120, over_http=True, per_user=True))
    assert users.crossed == []
    assert users.outcomes["answered"] > 30


@pytest.mark.slow
def test_a_user_who_is_served_as_another_is_noticed(users, monkeypatch):
    as_said = crossings._tools

    def confused(store, user):
        return as_said(store, "user 0" if user == "user 1" else user)

    monkeypatch.setattr(crossings, "_tools", confused)
    asyncio.run(crossings.live(users, 300))
    assert any("told user 1 ['mark0x']" in line for line in users.crossed)
    assert any(line.startswith("stored: ") for line in users.crossed)


@pytest.mark.slow
def test_a_wrong_token_that_is_taken_is_noticed(users, monkeypatch):
    async def taken(self, token):
        return AccessToken(token=token, client_id="", scopes=[*SCOPES], subject="user 0")

    monkeypatch.setattr(Tokens, "verify_token", taken)
    asyncio.run(crossings.live(users, 100, over_http=True))
    assert any(line.startswith("200 for ") for line in users.crossed)
