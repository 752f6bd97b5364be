"""A user takes no more of a server over HTTP than the limits allow; others come to their turns."""

import math
import threading
from contextlib import contextmanager

import anyio
import pytest
from http_running import MODERN, OLDER, Held, running

from concept_graph_mcp.http.limits import FairQueue, Limits, Rate, TooManyWaiting


def test_a_rate_admits_a_second_at_once_and_then_its_rate():
    now = [0.0]
    rate = Rate(10, lambda: now[0])
    assert [rate.wait("ann") for _ in range(10)] == [0.0] * 10
    assert math.isclose(rate.wait("ann"), 0.1, abs_tol=1e-3)
    # Refused calls cost nothing, and other users wait for none of them.
    assert math.isclose(rate.wait("ann"), 0.1, abs_tol=1e-3)
    assert rate.wait("bob") == 0.0
    now[0] = 0.1
    assert rate.wait("ann") == 0.0
    assert rate.wait("ann") > 0.0


def test_a_rate_below_one_admits_one():
    now = [0.0]
    rate = Rate(0.1, lambda: now[0])
    assert rate.wait("ann") == 0.0
    assert math.isclose(rate.wait("ann"), 10, abs_tol=1e-3)
    now[0] = 10.0
    assert rate.wait("ann") == 0.0


def test_a_rate_forgets_users_who_are_gone():
    now = [0.0]
    rate = Rate(10, lambda: now[0])
    for user in range(1_000):
        rate.wait(str(user))
    now[0] = 100.0
    rate.wait("ann")
    assert list(rate._over) == ["ann"]


class Line:
    """Calls in a queue, each of which ends when it is told to."""

    def __init__(self, tasks, queue):
        self.tasks, self.queue = tasks, queue
        self.begun: list[str] = []
        self.ends: dict[str, anyio.Event] = {}
        self.scopes: dict[str, anyio.CancelScope] = {}

    async def add(self, *names: str) -> None:
        for name in names:
            self.ends[name] = anyio.Event()
            self.tasks.start_soon(self._run, name)
            await anyio.wait_all_tasks_blocked()

    async def _run(self, name):
        with anyio.CancelScope() as scope:
            self.scopes[name] = scope
            async with self.queue.turn(name[0]):
                self.begun.append(name)
                await self.ends[name].wait()

    async def end(self, name):
        self.ends[name].set()
        await anyio.wait_all_tasks_blocked()


def queued(test, *limits):
    async def main():
        async with anyio.create_task_group() as tasks:
            await test(Line(tasks, FairQueue(*limits)))
            tasks.cancel_scope.cancel()

    anyio.run(main)


def test_users_take_turns_however_many_calls_one_of_them_has():
    async def test(line):
        await line.add("a1", "a2", "a3", "a4", "b1", "c1")
        assert line.begun == ["a1"]
        for name in ("a1", "a2", "b1", "c1"):
            await line.end(name)
        assert line.begun == ["a1", "a2", "b1", "c1", "a3"]

    queued(test, 1, 4, 10)


def test_one_user_never_takes_all_places():
    async def test(line):
        await line.add("a1", "a2", "a3", "a4")
        assert line.begun == ["a1", "a2"]
        await line.add("b1")
        assert line.begun == ["a1", "a2", "b1"]
        await line.end("a1")
        assert line.begun == ["a1", "a2", "b1", "a3"]
        assert (line.queue.running, line.queue.waiting) == (3, 1)

    queued(test, 4, 2, 10)


def test_a_call_that_is_ended_leaves_its_place_to_another():
    async def test(line):
        await line.add("a1", "a2", "b1")
        for name in ("a2", "a1"):
            line.scopes[name].cancel()
            await anyio.wait_all_tasks_blocked()
        assert line.begun == ["a1", "b1"]
        await line.end("b1")
        assert (line.queue.running, line.queue.waiting) == (0, 0)
        assert not line.queue._waiting
        assert not line.queue._running

    queued(test, 1, 1, 10)


def test_a_user_has_so_many_waiting_calls_and_no_more():
    async def test(line):
        await line.add("a1", "a2", "a3")
        with pytest.raises(TooManyWaiting):
            async with line.queue.turn("a"):
                pytest.fail("it has no turn")
        await line.add("b1")
        await line.end("a1")
        assert line.begun == ["a1", "a2"]

    queued(test, 1, 4, 2)


@contextmanager
def asking(server, *arguments, times=1, **named):
    """Ask the server in threads meanwhile; yield the list that their answers come to."""
    answers = []

    def ask():
        answers.append(server.called(*arguments, **named))

    threads = [threading.Thread(target=ask) for _ in range(times)]
    for one in threads:
        one.start()
    yield answers
    for one in threads:
        one.join()


def told(result):
    assert result["isError"]
    return result["content"][0]["text"]


def test_a_user_who_waits_does_not_hold_up_another(embedded, tokens):
    held = Held(embedded, "ann")
    limits = Limits(at_once=3, at_once_each=2, waiting_each=2)
    with (
        running(held, tokens, limits=limits) as server,
        asking(server, "search", "ann", times=4, query="x") as answers,
    ):
        for _ in range(2):
            assert held.begun.acquire(timeout=60)
        assert not server.called("search", "bob", query="x").get("isError")
        while "waiting 2.0" not in server.metrics():
            pass
        refused = told(server.called("search", "ann", query="x"))
        assert refused.startswith("too many calls at once: 2 run and 2 wait")
        held.let_go()
    assert len(answers) == 4
    assert not any(answer.get("isError") for answer in answers)


def test_a_call_that_takes_too_long_is_ended(embedded, tokens):
    held = Held(embedded, "ann")
    with running(held, tokens, limits=Limits(timeout_s=0.2)) as server:
        refused = told(server.called("remember", "ann", text="This takes too long."))
        assert "was ended after 0.2 s" in refused
        held.let_go()
        counted = server.metrics()
        assert 'calls_total{outcome="timeout",tool="remember"} 1.0' in counted
    # A slow machine may take longer to search, too.
    with running(embedded, tokens) as server:
        assert server.called("search", "ann", query="long")["structuredContent"]["found"] == []


@pytest.mark.parametrize("version", [OLDER, MODERN])
def test_a_call_whose_client_has_gone_is_ended(embedded, tokens, version):
    held = Held(embedded, "ann")
    with running(held, tokens) as server:
        with server.connected() as connection:
            connection.sendall(server.whole("search", "ann", version, query="x"))
            assert held.begun.acquire(timeout=60)
        while "running 0.0" not in server.metrics():
            pass
        assert 'calls_total{outcome="ended",tool="search"} 1.0' in server.metrics()
        held.let_go()


def test_too_many_calls_a_second_are_refused_with_the_time_to_wait(embedded, tokens):
    with running(embedded, tokens, limits=Limits(per_second=0.5)) as server:
        assert not server.called("search", "ann", query="x").get("isError")
        refused = told(server.called("search", "ann", query="x"))
        assert refused.startswith("too many calls: 0.5 a second are allowed; call again in")
        assert not server.called("search", "bob", query="x").get("isError")


def test_too_many_requests_a_second_are_refused_with_429(embedded, tokens):
    with running(embedded, tokens, limits=Limits(per_second=0.2)) as server:
        assert server.post().status_code == 200
        answer = server.post()
        assert answer.status_code == 429
        wait = answer.headers["retry-after"]
        assert int(wait) >= 1
        line = answer.json()["error"]["message"]
        assert line == f"too many requests; wait {wait} s"
        assert server.post(user="bob").status_code == 200


def test_a_user_keeps_so_many_records_and_no_more(each_store, tokens):
    with running(each_store, tokens, limits=Limits(records=2)) as server:
        kept = server.called("remember", text="Ann likes hazelnuts.")["structuredContent"]["id"]
        server.called("remember", text="The bakery opens at nine.")
        refused = told(server.called("remember", text="The cellar is flooded."))
        assert refused.startswith("you keep 2 memories and entities, and 2 are allowed")
        assert not server.called("recall", message="hazelnuts?").get("isError")
        assert not server.called("remember", "bob", text="Bob is here.").get("isError")
        server.called("forget", id=kept, reason="no longer needed")
        assert not server.called("remember", text="The cellar is dry.").get("isError")
        assert 'calls_total{outcome="full",tool="remember"} 1.0' in server.metrics()
