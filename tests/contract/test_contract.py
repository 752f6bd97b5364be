"""The contract cases, on both hosts, by the tools that agents call."""

from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import yaml
from mcp.client.client import Client
from tests.contract.cases import BEGIN_MS, Case, find_breach, read_cases

from concept_graph_mcp.serving import build
from concept_graph_mcp.session import Clock, Session
from conceptgraph_core.verbs import limits

TOOLSETS = ("concept", "memory", "everyday")
CASES = read_cases()


class Here:
    """Both hosts' memory in this process: a server for each user of one store."""

    def __init__(self, store: Any, stack: AsyncExitStack) -> None:
        zone = ZoneInfo("UTC")
        self._clock = Clock(BEGIN_MS)
        self._session = Session(store, limits.DEFAULT_TAU_MS, zone, self._clock, concepts="own")
        self._clients: dict[str, Client] = {}
        self._stack = stack

    async def call(self, user: str, tool: str, arguments: dict[str, Any]) -> tuple[Any, bool]:
        if user not in self._clients:
            server = build(replace(self._session, user_id=user), toolsets=TOOLSETS)
            self._clients[user] = await self._stack.enter_async_context(Client(server))
        # A call later is a moment later.
        await self.wait(1)
        result = await self._clients[user].call_tool(tool, arguments)
        if result.is_error:
            return result.content[0].text, True
        return result.structured_content, False

    async def wait(self, milliseconds: int) -> None:
        self._clock.set(self._clock.now_ms() + milliseconds)


async def breach_of(case: Case, store: Any) -> str | None:
    async with AsyncExitStack() as stack:
        return await find_breach(case, Here(store, stack))


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_keeps_the_contract(case, store, portal):
    if breach := portal.call(breach_of, case, store):
        pytest.fail(breach, pytrace=False)


@pytest.mark.slow
@pytest.mark.parametrize(
    "wrong",
    [
        {"gives": {"created": False}},
        {"gives": {"created": 1}},
        {"gives": {"concepts": []}},
        {"says": "banana"},
        {"lacks": "apple"},
        {"refuses": "concept"},
        {"keep": {"id": "nosuch"}},
    ],
    ids=str,
)
@pytest.mark.parametrize("store", ["embedded"], indirect=True)
def test_a_case_that_is_not_kept_fails(wrong, store, portal, tmp_path):
    steps = [{"concept_upsert": {"concept": "apple"}} | wrong]
    steps.append({"concept_upsert": {"concept": "pear"}, "lacks": "apple"})
    (tmp_path / "wrong.yaml").write_text(yaml.safe_dump([{"case": "wrong", "steps": steps}]))
    [case] = read_cases(tmp_path)
    breach = portal.call(breach_of, case, store)
    assert breach.startswith("wrong: wrong: step 1, concept_upsert")


def test_a_case_that_expects_nothing_is_refused(tmp_path):
    steps = [{"concept_upsert": {"concept": "apple"}}]
    (tmp_path / "none.yaml").write_text(yaml.safe_dump([{"case": "idle", "steps": steps}]))
    with pytest.raises(ValueError, match="none: idle: expects nothing"):
        read_cases(tmp_path)
