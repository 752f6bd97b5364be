"""A process is killed at any statement of what it does: all it acknowledged is there, and starts.

    python tests/server/test_killed_statements.py 20

kills it so many times a kind and prints what was acknowledged.
"""

import json
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest

HERE = Path(__file__).parent
if __name__ == "__main__":
    sys.path[:0] = [str(HERE), str(HERE.parents[1])]

from embedded_files import assert_sound  # noqa: E402
from server_processes import LineProcess  # noqa: E402

from concept_graph_mcp import calls  # noqa: E402
from concept_graph_mcp.hosts.sqlite.procedure_host import Host  # noqa: E402

OPERATIONS = ("worker", "embed", "observe", "restore")
LATER = {"now_ms": 1_850_000_000_000, "tau_ms": 86_400_000}


class Killing:
    """A store in *folder*, whose writers are killed one after the other."""

    def __init__(self, folder: Path, operation: str) -> None:
        self.file, self.operation = folder / "memory.db", operation
        self.acknowledged: dict[str, set[str]] = {"text": set(), "entity": set(), "embedded": set()}
        self.writes = 0
        self._number = 0
        self._begin()
        self.statements = self._die(0)["statements"]

    def _begin(self) -> None:
        if self.operation == "restore" and not self._number:
            with closing(Host(self.file)) as host:
                call(host, calls.memories.create("default", "kept in the backup"))
                host.backup(Path(f"{self.file}.backup"))

    def kill(self, at: int) -> None:
        """Kill a writer at its statement number *at*; check what it leaves."""
        while True:
            self._begin()
            ended = self._die(at)
            self._check()
            if "statements" not in ended:
                return
            # This one had less to do than the first, which made the file.
            at = at % ended["statements"] + 1

    def _die(self, at: int) -> dict[str, Any]:
        self._number += 1
        given = (str(self.file), str(at), self.operation, str(self._number))
        told: dict[str, Any] = {}
        with LineProcess([sys.executable, "-B", str(HERE / "dying_process.py"), *given]) as process:
            while line := process.line():
                said = json.loads(line)
                told |= said
                self._note(said)
            assert process.finish() == (0 if "statements" in told else -signal.SIGKILL)
        return told

    def _note(self, said: dict[str, Any]) -> None:
        for what, value in said.items():
            if what == "restored":
                self.acknowledged = {one: set() for one in self.acknowledged}
                self.acknowledged["text"] = {"kept in the backup"}
            elif what in self.acknowledged:
                self.acknowledged[what].add(value)
                self.writes += 1

    def _check(self) -> None:
        with closing(Host(self.file)) as host:
            found = [record for batch in host.export(1_000) for record in batch]
            assert host.problems() == []
            assert call(host, calls.transfer.check()) == []
        assert_sound(self.file)
        texts = {one["content"] for one in found if one["kind"] == "memory"}
        if self.operation == "restore" and not self.acknowledged["text"] <= texts:
            # It was committed before its end was told: then nothing but the backup is there.
            assert texts == {"kept in the backup"}
            self.acknowledged["text"] = texts
        assert self.acknowledged["text"] <= texts
        vectored = {one["id"] for one in found if one.get("embedding")}
        assert self.acknowledged["embedded"] <= vectored
        labels = {one["node_label"] for one in found if one["kind"] == "entity"}
        assert self.acknowledged["entity"] <= labels


def call(host: Host, made: calls.Call) -> list[dict[str, Any]]:
    given = [*made.arguments, {**LATER, **made.context}]
    return host.call(made.procedure.name, given, made.procedure.fields)


def moments(statements: int, count: int) -> Iterator[int]:
    """Iterate over *count* places among *statements*, spread evenly, each at random in its part."""
    random = Random(count)
    for number in range(count):
        low, high = (statements * place // count for place in (number, number + 1))
        yield random.randint(low + 1, max(low + 1, high))


@pytest.mark.slow
@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_writer_killed_at_any_statement_loses_nothing(tmp_path, operation):
    killing = Killing(tmp_path, operation)
    for at in moments(killing.statements, 2):
        killing.kill(at)
    assert killing.writes


def by_hand(count: int) -> None:
    kills: Counter[str] = Counter()
    for operation in OPERATIONS:
        with tempfile.TemporaryDirectory() as folder:
            killing = Killing(Path(folder), operation)
            for at in moments(killing.statements, count):
                killing.kill(at)
                kills[operation] += 1
        print(operation, f"{killing.statements:,} statements,", f"{killing.writes:,} acknowledged")  # noqa: T201
    print(f"{kills.total()} kills, nothing lost")  # noqa: T201


if __name__ == "__main__":
    by_hand(int(sys.argv[1]))
