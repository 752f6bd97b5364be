"""A graph on a Memgraph that is killed: its clients, and kills at a moment that is chosen."""

import contextlib
import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import neo4j
from memgraph_process import MemgraphProcess
from tests.conftest import Memory

from concept_graph_mcp.errors import StoreError
from concept_graph_mcp.hosts.memgraph.store import BoltStore

# So many times as many kills as are wanted are tried, because some come after the work.
_TRIES = 6
# Nobody can say when between two statements a kill comes; a statement lasts no less than this.
_LEAST_S = 0.001


class Life:
    """The graph of one *server*, of which clients come and go."""

    def __init__(self, server: MemgraphProcess, portal: Any) -> None:
        self.server, self._portal = server, portal
        self.connect()

    def connect(self) -> None:
        async def connected() -> BoltStore:
            store = BoltStore(self.server.uri, "", "")
            await store.open()
            return store

        self.store = self._portal.call(connected)
        self.memory = Memory(self.store, self._portal)

    def disconnect(self) -> None:
        with contextlib.suppress(StoreError):
            self._portal.call(self.store.close)

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        return self._portal.call(function, *arguments)

    def kept(self) -> list[str]:
        return sorted(json.dumps(one, sort_keys=True) for one in self.memory.records())


class _Statements:
    """What the driver sends meanwhile: each statement, when, and the commits."""

    def __init__(self, killed: MemgraphProcess | None = None, at: int = 0, after_s: float = 0.0):
        self.sent: list[tuple[str, float]] = []
        # Which statement was not answered yet when the server was killed.
        self.unanswered: str | None = None
        self._killed, self._at, self._after_s = killed, at, after_s
        self._timer: threading.Timer | None = None

    @contextlib.contextmanager
    def watched(self) -> Iterator[None]:
        session, transaction = neo4j.AsyncSession, neo4j.AsyncTransaction
        true = session.run, transaction.run, transaction.commit
        session.run, transaction.run, transaction.commit = map(self._noted, true)  # type: ignore[method-assign,assignment]
        try:
            yield
        finally:
            session.run, transaction.run, transaction.commit = true  # type: ignore[method-assign]
            if self._timer is not None:
                self._timer.join()

    def _noted(self, function: Callable[..., Any]) -> Callable[..., Any]:
        async def noted(one: Any, *arguments: Any, **named: Any) -> Any:
            text = str(getattr(arguments[0], "text", arguments[0])) if arguments else "COMMIT"
            self.sent.append((text, time.monotonic()))
            if self._killed is not None and len(self.sent) - 1 == self._at:
                self._timer = threading.Timer(self._after_s, self._kill)
                self._timer.start()
            return await function(one, *arguments, **named)

        return noted

    def _kill(self) -> None:
        assert self._killed is not None
        self.unanswered = self.sent[-1][0]
        self._killed.kill()


class Kills:
    """Kills of a server in the middle of one work: while a statement that `is_part` is under way.

    `left` says how many of *wanted* there are to come. A kill before or after the work counts for
    nothing.
    """

    def __init__(self, wanted: int, is_part: Callable[[str], object]) -> None:
        self.fell: Counter[str] = Counter()
        self.parts: Counter[str] = Counter()
        self._wanted, self._is_part = wanted, is_part
        self._random = Random(wanted)
        # The place among the statements of each that is part of the work, and how long it took.
        self._moments: list[tuple[int, float]] = []

    @property
    def left(self) -> int:
        assert self.fell.total() < _TRIES * self._wanted + 1, f"not in the middle: {self.fell}"
        return self._wanted - self.fell["in the middle"]

    def measure(self, work: Callable[[], Any]) -> None:
        """Do *work* whole, to know its moments."""
        whole = _Statements()
        with whole.watched():
            work()
        ends = [at for _, at in whole.sent[1:]] + [time.monotonic()]
        self._moments = [
            (place, max(_LEAST_S, end - begun))
            for place, ((text, begun), end) in enumerate(zip(whole.sent, ends, strict=True))
            if self._is_part(text)
        ]

    def kill_during(self, server: MemgraphProcess, work: Callable[[], Any]) -> bool:
        """Kill *server* at the next moment of *work* and start it; tell whether it was done."""
        place, took_s = self._moments[self.fell.total() % len(self._moments)]
        statements = _Statements(server, place, self._random.random() * took_s)
        is_done = True
        with statements.watched():
            try:
                work()
            except StoreError:
                is_done = False
        self._note(is_done, statements.unanswered)
        server.restart()
        return is_done

    def _note(self, is_done: bool, unanswered: str | None) -> None:
        if is_done:
            self.fell["after it"] += 1
        elif unanswered is None or not self._is_part(unanswered):
            self.fell["before it"] += 1
        else:
            self.fell["in the middle"] += 1
            self.parts[" ".join(unanswered.split()[:3])] += 1
