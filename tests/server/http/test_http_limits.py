"""A user takes no more of a server over HTTP than the limits allow; others come to their turns."""

import math
import threading
import time
from contextlib import contextmanager

import anyio
import pytest
from http_running import MODERN, OLDER, Held, running

from concept_graph_mcp import calls
from concept_graph_mcp.hosts.store import SPENT, Spent
from concept_graph_mcp.http.limits import FairQueue, Limits, Rate, TooManyWaiting, metered


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
        self.costs: dict[str, float] = {}

    async def add(self, *names: str) -> None:
        for name in names:
            self.ends[name] = anyio.Event()
            self.tasks.start_soon(self._run, name)
            await anyio.wait_all_tasks_blocked()

    async def _run(self, name):
        with anyio.CancelScope() as scope:
            self.scopes[name] = scope
            async with self.queue.turn(name[0]) as spent:
                self.begun.append(name)
                await self.ends[name].wait()
                spent.own = self.costs.get(name, 0.0)

    async def end(self, name, cost=0.0):
        """End the call *name*, which has cost so many seconds."""
        self.costs[name] = cost
        self.ends[name].set()
        await anyio.wait_all_tasks_blocked()


def queued(test, *limits, clock=time.monotonic):
    async def main():
        async with anyio.create_task_group() as tasks:
            await test(Line(tasks, FairQueue(*limits, clock)))
            tasks.cancel_scope.cancel()

    anyio.run(main)


@pytest.mark.slow
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


@pytest.mark.slow
def test_the_user_who_has_spent_least_is_next():
    async def test(line):
        await line.add("a1", "b1", "c1")
        await line.end("a1", cost=0.3)
        await line.end("b1", cost=0.2)
        await line.add("a2", "b2", "c2", "c3")
        assert line.begun == ["a1", "b1", "c1"]
        await line.end("c1", cost=0.1)
        assert line.begun[3:] == ["c2"]
        await line.end("c2", cost=0.15)
        # C has spent 0.25 now, and so more than B.
        assert line.begun[4:] == ["b2"]
        await line.end("b2", cost=0.01)
        assert line.begun[5:] == ["c3"]
        await line.end("c3")
        assert line.begun[6:] == ["a2"]

    # A clock that stands still: no call lasts, and nobody rests.
    queued(test, 1, 4, 10, clock=lambda: 0.0)


@pytest.mark.slow
def test_what_was_spent_is_forgotten_in_time():
    now = [0.0]

    async def test(line):
        await line.add("a1", "b1")
        await line.end("a1", cost=4.0)
        await line.end("b1", cost=1.0)
        now[0] = 60.0
        await line.add("c1")
        await line.end("c1", cost=0.5)
        await line.add("d1", "a2", "c2")
        await line.end("d1")
        # Of the four seconds a sixteenth of a second is left.
        assert line.begun[3:] == ["d1", "a2"]
        await line.end("a2")
        await line.end("c2")
        now[0] = 600.0
        await line.add("e1")
        await line.end("e1")
        assert {*line.queue._accounts} == {"e"}

    queued(test, 1, 4, 10, clock=lambda: now[0])


@pytest.mark.slow
def test_who_has_spent_more_than_another_rests_as_long_as_the_call_lasted():
    now = [0.0]

    async def test(line):
        await line.add("a1", "b1")
        now[0] = 0.5
        await line.end("a1", cost=0.3)
        now[0] = 0.6
        await line.end("b1", cost=0.1)
        await line.add("a2")
        # Nobody else waits, and B may call at any moment.
        assert line.begun == ["a1", "b1"]
        await line.add("b2")
        await line.end("b2")
        assert line.begun == ["a1", "b1", "b2"]
        now[0] = 1.01
        with anyio.fail_after(60):
            while len(line.begun) < 4:
                await anyio.sleep(0.01)
        assert line.begun[3] == "a2"

    queued(test, 1, 4, 10, clock=lambda: now[0])


@pytest.mark.slow
def test_who_waits_when_a_rest_begins_is_called_at_its_end():
    now = [0.0]

    async def test(line):
        await line.add("a1", "a2", "b1")
        assert line.begun == ["a1", "b1"]
        now[0] = 0.5
        await line.end("b1")
        await line.end("a1", cost=0.3)
        assert line.begun == ["a1", "b1"]
        # B is not active any more. Nobody comes or goes.
        now[0] = 1.6
        with anyio.fail_after(60):
            while len(line.begun) < 3:
                await anyio.sleep(0.01)
        assert line.begun[2] == "a2"

    queued(test, 2, 1, 10, clock=lambda: now[0])


def test_who_is_alone_never_rests():
    now = [0.0]

    async def test(line):
        await line.add("b1")
        await line.end("b1")
        now[0] = 2.0
        await line.add("a1", "a2")
        now[0] = 4.0
        await line.end("a1", cost=2.0)
        assert line.begun == ["b1", "a1", "a2"]

    queued(test, 1, 4, 10, clock=lambda: now[0])


def test_places_are_shared_among_those_who_called_lately():
    now = [0.0]

    async def test(line):
        await line.add("a1", "a2", "a3", "b1")
        assert line.begun == ["a1", "a2"]
        await line.end("a1")
        assert line.begun == ["a1", "a2", "b1"]
        await line.end("b1")
        # The other place is kept for B, who may call again.
        assert line.begun == ["a1", "a2", "b1"]
        now[0] = 2.0
        await line.add("a4")
        assert line.begun == ["a1", "a2", "b1", "a3"]

    queued(test, 2, 2, 10, clock=lambda: now[0])


def test_steps_of_a_call_are_charged_and_not_its_waiting():
    async def work():
        for _ in range(3):
            await anyio.sleep(0.1)
            sum(range(200_000))
        with pytest.raises(TimeoutError):
            with anyio.fail_after(0.01):
                await anyio.sleep(60)
        return "done"

    async def main():
        spent = Spent()
        begun = time.thread_time()
        assert await metered(work(), spent) == "done"
        assert 0 < spent.own <= time.thread_time() - begun

    anyio.run(main)


def test_a_store_file_charges_the_time_of_its_thread(embedded):
    async def main():
        spent = Spent()
        token = SPENT.set(spent)
        await embedded.call(calls.transfer.version(), {})
        SPENT.reset(token)
        await embedded.call(calls.transfer.version(), {})
        stored = spent.stored
        await embedded.close()
        assert stored == spent.stored > 0

    anyio.run(main)


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


@pytest.mark.slow
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
    assert [one for one in answers if one.get("isError")] == []


@pytest.mark.slow
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


@pytest.mark.slow
def test_too_many_calls_a_second_are_refused_with_the_time_to_wait(embedded, tokens):
    with running(embedded, tokens, limits=Limits(per_second=0.5)) as server:
        assert not server.called("search", "ann", query="x").get("isError")
        refused = told(server.called("search", "ann", query="x"))
        assert refused.startswith("too many calls: 0.5 a second are allowed; call again in")
        assert not server.called("search", "bob", query="x").get("isError")


METHODS = {
    "initialize": {
        "protocolVersion": OLDER,
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
    "ping": {},
    "tools/list": {},
    "prompts/list": {},
    "prompts/get": {"name": "use_memory"},
    "resources/list": {},
    "resources/templates/list": {},
    "resources/read": {"uri": "memory://today"},
    "completion/complete": {
        "ref": {"type": "ref/resource", "uri": "memory://about/{name}"},
        "argument": {"name": "name", "value": "A"},
    },
}


@pytest.mark.slow
def test_every_method_waits_for_its_turn(embedded, tokens):
    held = Held(embedded, "ann")
    limits = Limits(per_second=10_000, at_once=2, at_once_each=1, waiting_each=1)
    with (
        running(held, tokens, limits=limits) as server,
        asking(server, "search", "ann", times=2, query="x"),
    ):
        while "waiting 1.0" not in server.metrics():
            pass
        for method, params in METHODS.items():
            refused = server.post(method, params=params).json()["error"]["message"]
            assert refused.startswith("too many calls at once: 1 run and 1 wait"), method
            assert "error" not in server.post(method, "bob", params=params).json(), method
        counted = server.metrics()
        held.let_go()
    for method in METHODS:
        for outcome in ("busy", "ok"):
            assert f'calls_total{{outcome="{outcome}",tool="{method}"}} 1.0' in counted


@pytest.mark.slow
def test_methods_that_read_the_store_count_as_calls(embedded, tokens):
    with running(embedded, tokens, limits=Limits(per_second=0.5)) as server:
        for method in ("resources/read", "prompts/get", "completion/complete"):
            asked = {"method": method, "user": method, "params": METHODS[method]}
            assert "error" not in server.post(**asked).json()
            refused = server.post(**asked).json()["error"]["message"]
            assert refused.startswith("too many calls: 0.5 a second are allowed")


@pytest.mark.slow
def test_a_resource_that_takes_too_long_is_ended(embedded, tokens):
    held = Held(embedded, "ann")
    with running(held, tokens, limits=Limits(timeout_s=0.2)) as server:
        answer = server.post("resources/read", params=METHODS["resources/read"]).json()
        assert "was ended after 0.2 s" in answer["error"]["message"]
        held.let_go()


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


@pytest.mark.slow
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
