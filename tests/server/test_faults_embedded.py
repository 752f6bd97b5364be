"""The embedded store when processes die, race, run out of disk or meet files not theirs."""

import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest
import race
from embedded_files import assert_sound
from server_processes import HERE, Worker, all_at_once, workers
from tests.examples import spread_examples
from tests.watched_writes import Watch

from concept_graph_mcp import calls
from concept_graph_mcp.errors import Misdeployed, StoreError, Unavailable
from concept_graph_mcp.hosts.sqlite import procedure_host
from concept_graph_mcp.hosts.sqlite.opening import APPLICATION_ID
from concept_graph_mcp.hosts.sqlite.procedure_host import Host
from concept_graph_mcp.hosts.sqlite.tables import FORMAT
from concept_graph_mcp.hosts.sqlite.transaction import UniqueViolation
from conceptgraph_core.concepts import procedures
from conceptgraph_core.transfer import procedures as transfer
from conceptgraph_core.verbs.errors import ConceptGraphError

REFUSALS = (StoreError, ConceptGraphError)
NOW_MS = 1_750_000_000_000
CONTEXT = {"now_ms": NOW_MS, "tau_ms": 86_400_000, "date": "20250615"}
KILL_AFTER = (0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 120, 40, 7, 1)


@contextmanager
def opened(path: Path, **options: Any) -> Iterator[Host]:
    with closing(Host(path, **options)) as host:
        yield host


def run(host: Host, call: calls.Call) -> list[dict[str, Any]]:
    return host.call(call.procedure.name, [*call.arguments, CONTEXT], call.procedure.fields)


def records(host: Host) -> list[dict[str, Any]]:
    return [record for batch in host.export(1_000) for record in batch]


def assert_one_line(error: pytest.ExceptionInfo[StoreError]) -> None:
    text = str(error.value)
    assert text
    assert "\n" not in text
    assert "Traceback" not in text


def assert_clear(answer: dict[str, Any], path: Path) -> None:
    """Assert that a worker's answer is one line about the file."""
    assert str(path) in answer["error"]
    assert "\n" not in answer["error"]
    assert "Traceback" not in answer["error"]
    assert "internal error" not in answer["error"]


# Killed in the middle


def writes_of_round(number: int, count: int) -> list[list[Any]]:
    return [
        ["episode_add", f"{number}/{index}", [f"left {number}/{index}", f"right {number}/{index}"],
         "20250615"]
        for index in range(count)
    ]  # fmt: skip


def killed_after(path: Path, tmp_path: Path, number: int, acknowledged: int) -> set[str]:
    """Kill a writing process after so many acknowledged writes; return all acknowledged ones."""
    lines = tmp_path / "calls"
    writes = writes_of_round(number, acknowledged + 200)
    lines.write_text("".join(f"{json.dumps(call)}\n" for call in writes))
    with lines.open("rb") as stdin, Worker(path, stdin=stdin) as worker:
        assert worker.answer() == {"rows": []}
        answers = [worker.answer() for _ in range(acknowledged)]
        worker.kill()
        while line := worker.line():
            answers.append(json.loads(line))
        assert len(answers) < len(writes), "it was not killed while it wrote"
    assert all("rows" in answer for answer in answers)
    return {writes[index][1] for index in range(len(answers))}


@pytest.mark.slow
def test_whatever_a_killed_process_had_acknowledged_is_there_and_nothing_is_half_written(tmp_path):
    path = tmp_path / "memory.db"
    acknowledged: set[str] = set()
    for number, count in enumerate(spread_examples(KILL_AFTER, 4)):
        acknowledged |= killed_after(path, tmp_path, number, count)
        with opened(path) as host:
            found = records(host)
            run(host, calls.concepts.concept_upsert(f"after {number}"))
        assert_sound(path)
        summaries = {r["name"]: r["summary"] for r in found if r["kind"] == "episode"}
        assert acknowledged <= set(summaries.values())
        # At most the one write that was under way when each process died was not acknowledged.
        assert len(summaries) <= len(acknowledged) + number + 1
        links = {(r["from"], summaries[r["to"]]) for r in found if r["kind"] == "relation"}
        texts = summaries.values()
        whole = {(f"{end} {text}", text) for text in texts for end in ("left", "right")}
        assert links == whole
        concepts = {r["name"] for r in found if r["kind"] == "concept"}
        assert {name for name in concepts if not name.startswith("after")} == {a for a, _ in whole}


@pytest.mark.slow
def test_a_process_killed_while_it_makes_the_file_leaves_one_that_opens(tmp_path):
    for number in range(6):
        path = tmp_path / f"{number}.db"
        made = subprocess.Popen(
            [sys.executable, "-B", str(HERE / "store_worker.py"), str(path)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        # Killed when the file, then its log, is there: the rest is done or not.
        wanted = path if number % 2 else path.with_name(path.name + "-wal")
        while made.poll() is None and not wanted.exists():
            pass
        made.kill()
        made.wait()
        with opened(path) as host:
            run(host, calls.concepts.concept_upsert("apple"))
        assert_sound(path)


# Racing


@pytest.mark.slow
def test_eight_processes_that_write_the_same_come_to_what_one_after_the_other_would(tmp_path):
    path = tmp_path / "memory.db"
    with workers(path, 8) as started:
        answers = all_at_once(started, race.WRITES)
    with opened(path) as host, opened(tmp_path / "one.db") as one:
        for name, *arguments in race.WRITES * 8:
            run(one, getattr(calls.concepts, name)(*arguments))
        race.assert_as_if_one_after_the_other(answers, records(host), records(one))
        assert run(host, calls.transfer.check()) == []
    assert_sound(path)


# Seeing one another


@pytest.mark.slow
def test_each_of_two_processes_sees_what_the_other_wrote(tmp_path):
    path = tmp_path / "memory.db"
    with opened(path) as host, workers(path, 1) as (other,):
        for number in range(10):
            run(host, calls.concepts.relation_add("apple", f"mine {number}", "evokes"))
            other.rows("relation_add", "apple", f"other {number}", "evokes")
            texts = {row["text"] for row in run(host, calls.concepts.peek(["apple"], 1))}
            assert texts == {
                f"apple evokes {who} {i}" for who in ("mine", "other") for i in range(number + 1)
            }
            assert texts == {row["text"] for row in other.rows("peek", ["apple"], 1)}
        run(host, calls.concepts.update_affect("other 3", -0.5))
        assert {"text": "apple evokes other 3", "valence": -0.5}.items() <= next(
            row for row in other.rows("peek", ["apple"], 1) if row["text"].endswith("other 3")
        ).items()
        other.rows("rename", "mine 4", "ours", False)
        other.rows("remove", "mine 5", False)
        other.rows("remove_relation", "apple", "mine 6", "evokes", False)
        texts = {row["text"] for row in run(host, calls.concepts.peek(["apple"], 1))}
        assert "apple evokes ours" in texts
        assert not texts & {f"apple evokes mine {number}" for number in (4, 5, 6)}
        assert race.in_order(other.rows("records")) == race.in_order(records(host))


def star(leaves: int) -> list[dict[str, Any]]:
    """Records of a hub with that many leaves, each with one of its own."""
    return [
        {"kind": "relation", "from": source, "to": target, "type": "is-a"}
        for number in range(leaves)
        for source, target in (("hub", f"leaf {number}"), (f"leaf {number}", f"twig {number}"))
    ]


def statements_of(host: Host, call: calls.Call) -> list[str]:
    """Return the SQL that *call* makes, with what was bound to it."""
    traced: list[str] = []
    connection = host._database._connection
    connection.set_trace_callback(traced.append)
    try:
        run(host, call)
    finally:
        connection.set_trace_callback(None)
    return traced


def row_reads(statements: list[str]) -> list[str]:
    return [s for s in statements if "FROM vertex" in s or "FROM edge" in s or "JOIN vertex" in s]


@pytest.mark.slow
def test_a_warm_recall_reads_no_row_of_the_graph(tmp_path):
    with opened(tmp_path / "memory.db") as host:
        run(host, calls.transfer.import_rows(star(300)))
        run(host, calls.concepts.recall(["hub"], 2))
        statements = statements_of(host, calls.concepts.recall(["hub"], 2))
        assert statements
        assert row_reads(statements) == []


@pytest.mark.slow
def test_a_small_write_of_another_process_is_seen(tmp_path):
    path = tmp_path / "memory.db"
    with opened(path) as host, workers(path, 1) as (other,):
        run(host, calls.transfer.import_rows(star(300)))
        run(host, calls.concepts.recall(["hub"], 2))
        other.rows("update_affect", "leaf 7", 0.5)
        other.rows("relation_add", "hub", "new leaf", "is-a")
        other.rows("relation_add", "hub", "leaf 8", "is-a")
        texts = {row["text"] for row in run(host, calls.concepts.peek(["hub"], 2))}
        assert len(texts) == 601
        assert "hub is-a new leaf" in texts


def test_a_process_that_fell_far_behind_reads_everything_again(tmp_path, monkeypatch):
    monkeypatch.setattr("concept_graph_mcp.hosts.sqlite.database.KEPT", 3)
    monkeypatch.setattr("concept_graph_mcp.hosts.sqlite.database.REMOVED_EVERY", 1)
    path = tmp_path / "memory.db"
    with opened(path) as behind, opened(path) as ahead:
        run(behind, calls.concepts.relation_add("apple", "fruit", "is-a"))
        for number in range(5):
            run(ahead, calls.concepts.relation_add("apple", f"thing {number}", "evokes"))
        run(ahead, calls.concepts.remove("fruit", False))
        assert race.in_order(run(behind, calls.concepts.peek(["apple"], 1))) == race.in_order(
            run(ahead, calls.concepts.peek(["apple"], 1))
        )


def test_the_log_of_changes_does_not_grow_without_end(tmp_path, monkeypatch):
    monkeypatch.setattr("concept_graph_mcp.hosts.sqlite.database.KEPT", 3)
    monkeypatch.setattr("concept_graph_mcp.hosts.sqlite.database.REMOVED_EVERY", 4)
    with opened(tmp_path / "memory.db") as host:
        for number in range(20):
            run(host, calls.concepts.concept_upsert(f"thing {number}"))
            [[kept]] = host._database.execute("SELECT count(*) FROM change")
            assert min(number + 1, 3) <= kept < 3 + 4


def random_call(random: Random) -> calls.Call:
    """Return any call on a few names, also one that will be refused."""
    names = [*(f"name {number}" for number in range(6)), "20250615/name 0", "20250615/name 1-2"]
    first, second = random.choice(names), random.choice(names)
    kind = random.choice(["is-a", "part-of", "evokes"])
    made: list[Callable[[], calls.Call]] = [
        lambda: calls.concepts.concept_upsert(first),
        lambda: calls.concepts.update_affect(first, random.choice([-0.5, 0.25, 1])),
        lambda: calls.concepts.relation_add(first, second, kind),
        lambda: calls.concepts.relation_add(second, first, kind),
        lambda: calls.concepts.episode_add("It rained", [first, second]),
        lambda: calls.concepts.recall([first], 2),
        lambda: calls.concepts.rename(first, second, False),
        lambda: calls.concepts.remove(first, False),
        lambda: calls.concepts.remove_relation(first, second, kind, False),
        lambda: calls.transfer.import_rows(
            [{"kind": "relation", "from": first, "to": second, "type": kind, "weight": 0.5}] * 2
        ),
    ]
    return random.choice(made)()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_whatever_three_processes_do_in_turn_each_sees_what_a_new_one_would(tmp_path, seed):
    path = tmp_path / "memory.db"
    random = Random(seed)
    with opened(path) as one, opened(path) as two, opened(path) as three:
        for _ in range(25):
            for _ in range(6):
                with contextlib.suppress(*REFUSALS):
                    run(random.choice([one, two, three]), random_call(random))
            with opened(path) as new:
                expected = everything_seen(new)
            for host in (one, two, three):
                assert everything_seen(host) == expected
    assert_sound(path)


def everything_seen(host: Host) -> list[Any]:
    """Everything that can be seen of the graph of the random calls, from both ends of all edges."""
    found = race.in_order(records(host))
    names = [record["name"] for record in found if record["kind"] != "relation"]
    return [found, *(run(host, calls.concepts.peek([name], 1)) for name in names)]


# A disk that is full


def filling(number: int, size: int) -> calls.Call:
    names = [f"{end} {number} " + "y" * (size // 10) for end in ("first", "second")]
    return calls.concepts.episode_add(f"{number} " + "x" * size, names)


def write_until_full(host: Host, size: int) -> tuple[int, StoreError]:
    """Write until the store is full; return how many writes were acknowledged, and the error."""
    written = 0
    try:
        while written < 1_000:
            run(host, filling(written, size))
            written += 1
    except StoreError as error:
        return written, error
    raise AssertionError("the store never became full")


# Of several sizes, so that the end comes at any of the statements that a write consists of.
@pytest.mark.slow
@pytest.mark.parametrize("size", [10, 800, 3_000])
@pytest.mark.parametrize("pages", range(1, 21))
def test_a_full_disk_is_one_clear_line_and_nothing_is_lost(tmp_path, pages, size):
    path = tmp_path / "memory.db"
    with opened(path) as host:
        run(host, calls.concepts.relation_add("apple", "fruit", "is-a"))
        (used,) = host._database.execute("PRAGMA page_count").fetchone()
        host._database.execute(f"PRAGMA max_page_count = {used + pages}")
        written, error = write_until_full(host, size)
        assert isinstance(error, Unavailable)
        assert_clear({"error": str(error)}, path)
        assert "full" in str(error)
        # Reading goes on, and what failed is not in what is read.
        assert len(run(host, calls.concepts.peek(["apple"], 1))) == 1
        assert len([r for r in records(host) if r["kind"] == "episode"]) == written

        host._database.execute("PRAGMA max_page_count = 1000000")
        assert run(host, calls.concepts.update_affect("apple", 0.5))[0]["valence"] == 0.5
        assert_sound(path)
        assert run(host, calls.concepts.concept_upsert("plum")) == [
            {"concept_id": "plum", "created": True}
        ]
        run(host, filling(written, size))
        found = race.in_order(records(host))
    assert len([r for r in found if r["kind"] == "episode"]) == written + 1
    assert_sound(path)
    with opened(path) as host:
        assert race.in_order(records(host)) == found


@pytest.mark.slow
@pytest.mark.parametrize("room", [1, 4_096, 10_000, 40_000, 100_000])
def test_a_write_that_the_system_refuses_is_one_clear_line_and_nothing_is_lost(tmp_path, room):
    path = tmp_path / "memory.db"
    log = path.with_name(path.name + "-wal")
    with workers(path, 1) as (worker,):
        worker.rows("relation_add", "apple", "fruit", "is-a")
        worker.rows("limit_file_size", log.stat().st_size + room)
        written = 0
        while "rows" in (answer := worker.ask("concept_upsert", f"{written} " + "x" * 900)):
            written += 1
            assert written < 1_000
        assert_clear(answer, path)
        assert len(worker.rows("records")) == written + 3
        worker.rows("limit_file_size", -1)
        assert worker.rows("concept_upsert", f"{written} " + "x" * 900)[0]["created"] is True
        assert len(worker.rows("records")) == written + 4
        assert worker.finish() == 0
    assert_sound(path)


# Files that cannot be used


@pytest.fixture
def open_to_all(watch: Watch) -> Iterator[Path]:
    """A directory that another user can reach, which pytest's own are not."""
    with watch.elsewhere() as directory:
        yield directory


@pytest.fixture
def nobody(tmp_path: Path) -> Iterator[Worker]:
    """A worker that can turn into a user whom permissions bind; it has loaded what it needs."""
    if os.geteuid() != 0:
        pytest.skip("only root can become somebody else")
    with workers(tmp_path / "own.db", 1) as (worker,):
        worker.rows("concept_upsert", "apple")
        yield worker


def test_a_directory_that_cannot_be_written_is_one_clear_line(nobody, open_to_all):
    path = open_to_all / "memory.db"
    assert_clear(nobody.ask("open_as_nobody", str(path)), path)
    assert list(open_to_all.iterdir()) == []


def test_a_directory_that_cannot_be_made_is_one_clear_line(nobody, open_to_all):
    path = open_to_all / "below" / "memory.db"
    assert_clear(nobody.ask("open_as_nobody", str(path)), path)
    assert list(open_to_all.iterdir()) == []


@pytest.mark.parametrize("directory_mode", [0o755, 0o777])
def test_a_file_that_cannot_be_written_is_one_clear_line_and_stays_as_it_is(
    nobody, open_to_all, directory_mode
):
    path = open_to_all / "memory.db"
    with opened(path) as host:
        run(host, calls.concepts.relation_add("apple", "fruit", "is-a"))
    before = path.read_bytes()
    path.chmod(0o444)
    open_to_all.chmod(directory_mode)
    answer = nobody.ask("open_as_nobody", str(path))
    if "rows" in answer:
        answer = nobody.ask("concept_upsert", "pear")
    assert_clear(answer, path)
    assert path.read_bytes() == before


def test_a_file_that_cannot_be_read_is_one_clear_line(nobody, open_to_all):
    path = open_to_all / "memory.db"
    with opened(path) as host:
        run(host, calls.concepts.concept_upsert("apple"))
    path.chmod(0o000)
    assert_clear(nobody.ask("open_as_nobody", str(path)), path)


def refused(path: Path) -> pytest.ExceptionInfo[StoreError]:
    """Assert that the file is refused in one line that names it, and not touched."""
    before = path.read_bytes() if path.is_file() else None
    siblings = sorted(path.parent.iterdir())
    with pytest.raises(StoreError) as failure:
        Host(path)
    assert_one_line(failure)
    assert str(path) in str(failure.value)
    assert (path.read_bytes() if path.is_file() else None) == before
    assert sorted(path.parent.iterdir()) == siblings
    return failure


def test_a_path_that_is_a_directory_is_refused(tmp_path):
    path = tmp_path / "memory.db"
    path.mkdir()
    failure = refused(path)
    assert failure.type is Unavailable
    assert str(failure.value).endswith("is a directory; name a file in it")


def test_a_path_below_a_file_is_refused(tmp_path):
    (tmp_path / "file").write_text("text")
    with pytest.raises(Unavailable) as failure:
        Host(tmp_path / "file" / "memory.db")
    assert_one_line(failure)
    assert (tmp_path / "file").read_text() == "text"


@pytest.mark.parametrize(
    "content", [b"no database\n" * 500, b"\0" * 8_192, b"xy"], ids=["text", "zeros", "short"]
)
def test_a_file_that_is_no_database_is_refused_and_untouched(tmp_path, content):
    path = tmp_path / "memory.db"
    path.write_bytes(content)
    failure = refused(path)
    assert failure.type is Misdeployed
    assert "is not a concept graph store" in str(failure.value)


def test_a_database_of_another_kind_is_refused_and_untouched(tmp_path):
    path = tmp_path / "memory.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE vertex (id INTEGER PRIMARY KEY)")
    failure = refused(path)
    assert failure.type is Misdeployed
    assert "another kind" in str(failure.value)


def test_a_database_of_another_kind_without_tables_is_refused_and_untouched(tmp_path):
    path = tmp_path / "memory.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA application_id = 1234")
        connection.execute("PRAGMA user_version = 7")
    assert refused(path).type is Misdeployed


def test_a_store_of_a_newer_format_is_refused_and_untouched(tmp_path):
    path = tmp_path / "memory.db"
    with opened(path) as host:
        run(host, calls.concepts.concept_upsert("apple"))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {FORMAT + 1}")
        connection.execute("PRAGMA journal_mode = DELETE")
    failure = refused(path)
    assert failure.type is Misdeployed
    assert f"format {FORMAT + 1}" in str(failure.value)
    assert "install a newer" in str(failure.value)


def test_a_damaged_store_is_one_clear_line(tmp_path):
    path = tmp_path / "memory.db"
    with opened(path) as host:
        run(host, calls.transfer.import_rows(star(300)))
    content = bytearray(path.read_bytes())
    content[8_192:] = b"\x5a" * len(content[8_192:])
    path.write_bytes(content)
    # Where the description of the tables is damaged too, it cannot even be opened.
    with pytest.raises(StoreError) as failure, opened(path) as host:
        records(host)
    assert_one_line(failure)
    assert str(path) in str(failure.value)


def test_a_text_that_cannot_be_decoded_is_in_no_error(tmp_path):
    path = tmp_path / "memory.db"
    with opened(path) as host:
        run(host, calls.memories.create("default", "the key lies in the attic"))
    with closing(sqlite3.connect(path)) as connection, connection:
        [(key, stored)] = connection.execute(
            "SELECT id, CAST(properties AS BLOB) FROM vertex WHERE properties LIKE '%attic%'"
            " AND properties LIKE '%content%'"
        )
        broken = stored.replace(b"attic", b"att\xffc")
        assert broken != stored
        connection.execute(
            "UPDATE vertex SET properties = CAST(? AS TEXT) WHERE id = ?", [broken, key]
        )
    with pytest.raises(StoreError) as failure, opened(path) as host:
        run(host, calls.memories.search("default", "attic"))
    assert_one_line(failure)
    assert "lies" not in str(failure.value)
    assert "decode" in str(failure.value)


def test_a_file_moved_away_and_back_between_two_processes_is_still_the_same_store(tmp_path):
    path, moved = tmp_path / "memory.db", tmp_path / "moved" / "memory.db"
    with opened(path) as host:
        run(host, calls.concepts.relation_add("apple", "fruit", "is-a"))
    moved.parent.mkdir()
    shutil.move(path, moved)
    with opened(moved) as host:
        assert [row["text"] for row in run(host, calls.concepts.peek(["apple"], 1))] == [
            "apple is-a fruit"
        ]
    with closing(sqlite3.connect(moved)) as connection:
        assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)


# Procedures that fail


@pytest.fixture(scope="module")
def callbacks() -> dict[str, Any]:
    """The procedures, and with them those that fail."""
    failing = procedure_host.load_module("faulty_procedures").procedures.values()
    return dict(procedure_host.load_modules()) | {callback.name: callback for callback in failing}


@pytest.fixture
def faulty(tmp_path: Path, callbacks: dict[str, Any]) -> Iterator[Host]:
    """A host on a small graph."""
    with opened(tmp_path / "memory.db", callbacks=callbacks) as host:
        run(host, calls.concepts.relation_add("apple", "fruit", "is-a"))
        run(host, calls.concepts.relation_add("pip", "apple", "part-of"))
        run(
            host,
            calls.concepts.episode_add(
                "Bought apples at the market", ["apple", "fruit"], "20250615"
            ),
        )
        yield host


def state(host: Host) -> list[Any]:
    """Everything that can be seen of the graph, from every side of every edge."""
    seen = [
        race.in_order(records(host)),
        run(host, calls.transfer.stats()),
        run(host, calls.transfer.check()),
    ]
    for name in ("apple", "fruit", "pip", "pear", "plum", "quince", "20250615/apple"):
        seen.append(run(host, calls.concepts.peek([name], 3)))
        seen.append(run(host, calls.concepts.concept_search([name], 10)))
    return seen


@pytest.mark.parametrize("warm", [True, False], ids=["warm", "cold"])
@pytest.mark.parametrize(
    ("procedure", "error"),
    [
        ("create", RuntimeError),
        ("delete", RuntimeError),
        ("change", RuntimeError),
        ("mix", RuntimeError),
        ("interrupt", KeyboardInterrupt),
        ("unstorable", ValueError),
        ("same_name", (StoreError, UniqueViolation)),
    ],
)
def test_a_procedure_that_fails_leaves_no_trace(faulty, tmp_path, procedure, error, warm):
    before = state(faulty)
    if not warm:
        faulty._cache.clear()
    for _ in range(2):
        with pytest.raises(error):
            faulty.call(f"faulty_procedures.{procedure}", [])
    assert state(faulty) == before
    with opened(tmp_path / "memory.db") as other:
        assert state(other) == before
    # And the next write is as it would have been.
    (added,) = run(faulty, calls.concepts.relation_add("apple", "fruit", "is-a"))
    assert added["weight"] == pytest.approx(0.4)
    run(faulty, calls.concepts.concept_upsert("plum"))
    with opened(tmp_path / "memory.db") as other:
        assert state(faulty) == state(other)
    assert_sound(tmp_path / "memory.db")


@pytest.mark.parametrize(
    ("call", "refusal"),
    [
        (calls.Call(procedures.RELATION_ADD, ("new", "20250615/apple", "is-a")), "only evokes"),
        (
            calls.Call(procedures.EPISODE_ADD, ("Ate it", ["new", "20250615/apple"])),
            "is an episode",
        ),
        (
            calls.Call(
                transfer.IMPORT_ROWS,
                (
                    [
                        {"kind": "relation", "from": "new", "to": "apple", "type": "is-a"},
                        {"kind": "relation", "from": "pip", "to": "apple", "type": "part-of",
                         "weight": 0.875},
                        {"kind": "concept", "name": ""},
                    ],
                ),
            ),
            "row 2",
        ),
    ],
)  # fmt: skip
def test_a_refusal_half_way_leaves_no_trace(faulty, tmp_path, call, refusal):
    before = state(faulty)
    with pytest.raises(Exception, match=refusal):
        run(faulty, call)
    assert state(faulty) == before
    with opened(tmp_path / "memory.db") as other:
        assert state(other) == before


def test_a_call_whose_first_read_fails_leaves_the_store_usable(tmp_path, monkeypatch):
    with opened(tmp_path / "memory.db") as host:
        run(host, calls.concepts.concept_upsert("apple"))

        def failing() -> int:
            # As Python's own layer raises it: without a code of SQLite's.
            raise sqlite3.OperationalError("disk I/O error")

        with monkeypatch.context() as patched:
            patched.setattr(host._database, "position", failing)
            with pytest.raises(Unavailable, match="disk I/O error"):
                run(host, calls.concepts.concept_upsert("pear"))
        assert run(host, calls.concepts.concept_upsert("apple"))[0]["created"] is False
        assert run(host, calls.concepts.concept_upsert("pear"))[0]["created"] is True


def test_a_call_after_the_store_was_closed_is_one_clear_line(tmp_path):
    host = Host(tmp_path / "memory.db")
    host.close()
    with pytest.raises(StoreError, match="closed database"):
        run(host, calls.concepts.concept_upsert("apple"))
