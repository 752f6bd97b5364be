"""What a store file's host keeps of what it read: never what another host has changed since."""

import random
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from concept_graph_mcp import calls
from concept_graph_mcp.calls import Call
from concept_graph_mcp.hosts.sqlite.procedure_host import Host

NOW_MS = 1_750_000_000_000
DAY_MS = 86_400_000
USER = "default"
QUESTION = "zulu tango lima"
WORDS = (*QUESTION.split(), "kilo", "oscar")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture
def host(file: Path) -> Iterator[Host]:
    with closing(Host(file)) as host:
        yield host


def run(host: Host, call: Call, now_ms: int = NOW_MS) -> list[dict[str, Any]]:
    arguments = [*call.arguments, {"now_ms": now_ms, "date": "20250615", **call.context}]
    return host.call(call.procedure.name, arguments, call.procedure.fields)


def asked(host: Host, question: str = QUESTION) -> list[dict[str, Any]]:
    return run(host, calls.memories.search(USER, question, 100, explained=True))


def keep(host: Host, number: int, text: str) -> None:
    row = {"kind": "memory", "id": f"{number:02}", "user_id": USER, "content": text}
    row |= {"said_at": NOW_MS - number * DAY_MS, "thread": "t", "position": number}
    run(host, calls.transfer.import_rows([row]))


def change(host: Host, number: int, text: str) -> None:
    run(host, calls.memories.update(USER, f"{number:02}", content=text))


def summarise(host: Host, number: int, text: str) -> None:
    run(host, calls.memories.update(USER, f"{number:02}", summary=text))


def keep_anew(host: Host, number: int, text: str) -> None:
    run(host, calls.memories.forget(f"{number:02}"))
    [purged] = run(host, calls.memories.purge(1, [f"{number:02}"]), NOW_MS + DAY_MS)
    assert purged["memory_id"] == f"{number:02}"
    keep(host, number, text)


def put_into_a_context(host: Host, *_: Any) -> None:
    run(host, calls.memories.context(USER, QUESTION))


CHANGES: tuple[Callable[..., None], ...] = (keep, change, summarise, keep_anew, put_into_a_context)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_whoever_changed_what_is_found_is_what_a_host_finds_that_has_kept_nothing(
    file: Path, host: Host, seed: int
) -> None:
    chance = random.Random(seed)
    with closing(Host(file)) as another:
        for number in range(12):
            keep(host, number, " ".join(chance.choices(WORDS, k=4)))
        for _ in range(10):
            made = chance.choice(CHANGES)
            who = chance.choice((host, another))
            made(who, chance.randrange(12), " ".join(chance.choices(WORDS, k=4)))
            with closing(Host(file)) as fresh:
                assert asked(host) == asked(another) == asked(fresh) != []


def test_what_is_put_back_from_a_backup_is_what_is_found(file: Path, host: Host) -> None:
    keep(host, 0, "zulu tango")
    backup = file.with_name("backup.db")
    backup.touch()
    host.backup(backup)
    found = asked(host)
    keep(host, 1, "zulu lima")
    assert len(asked(host)) == 2
    host.restore(backup)
    assert asked(host) == found
