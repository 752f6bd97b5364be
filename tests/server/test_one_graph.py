"""Several processes on one store see one graph, whatever becomes of it and in whatever order."""

from pathlib import Path
from random import Random
from typing import Any

import pytest
import race
from embedded_files import assert_sound
from server_processes import Worker, workers
from tests.examples import spread_examples

NAMES = [*(f"name {number}" for number in range(6)), "20250615/name 0", "20250615/name 1-2"]
KINDS = ["is-a", "part-of", "evokes"]


@pytest.fixture(params=["embedded", "memgraph"])
def location(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where an empty graph is that any number of processes may open, on each host."""
    if request.param == "embedded":
        return str(tmp_path / "memory.db")
    return str(request.getfixturevalue("empty_memgraph"))


def backup_file(directory: Path, location: str, number: int) -> Path:
    return directory / f"{number}{'.jsonl.gz' if '://' in location else '.db'}"


def seen(worker: Worker) -> list[Any]:
    """Everything that *worker* sees of the graph, from both ends of all relations."""
    return [
        race.in_order(worker.rows("records")),
        *(race.in_order(worker.rows("peek", [name], 1)) for name in NAMES),
        *(worker.rows("concept_search", [name], 10) for name in NAMES),
    ]


def random_call(random: Random) -> list[Any]:
    first, second = random.sample(NAMES, 2)
    kind = random.choice(KINDS)
    imported = {"kind": "relation", "from": first, "to": second, "type": kind, "weight": 0.5}
    return random.choice(
        [
            ["update_affect", first, random.choice([-0.5, 0.25, 1])],
            ["relation_add", first, second, kind],
            ["episode_add", "It rained", [first, second], "20250615"],
            ["recall", [first], 2],
            ["rename", first, second, False],
            ["remove", first, False],
            ["remove_relation", first, second, kind, False],
            ["import_rows", [imported] * 2],
        ]
    )


def replace(worker: Worker, random: Random, files: list[Path]) -> None:
    """Have *worker* replace the graph by one of *files*, or by nothing."""
    chosen = random.choice([None, *files])
    assert worker.ask("restore", None if chosen is None else str(chosen)) == {"rows": []}


@pytest.mark.slow
@pytest.mark.parametrize("seed", spread_examples(range(5), 1))
def test_every_process_sees_one_graph_whatever_is_restored_cleaned_imported_and_recalled(
    tmp_path, location, seed
):
    random = Random(seed)
    files: list[Path] = []
    with workers(location, 3) as started:
        for round_number in range(12):
            for _ in range(random.randrange(6)):
                random.choice(started).ask(*random_call(random))
            if random.random() < 0.4:
                files.append(backup_file(tmp_path, location, round_number))
                assert random.choice(started).ask("backup", str(files[-1])) == {"rows": []}
            if random.random() < 0.5:
                replace(random.choice(started), random, files)
            with workers(location, 1) as (new,):
                expected = seen(new)
            for worker in started:
                assert seen(worker) == expected
    if "://" not in location:
        assert_sound(Path(location))


@pytest.mark.slow
def test_a_recall_after_a_restore_writes_nothing_of_what_was_discarded(tmp_path, location):
    file = backup_file(tmp_path, location, 0)
    with workers(location, 3) as (server, other, owner):
        owner.rows("relation_add", "apple", "fruit", "is-a")
        assert owner.ask("backup", str(file)) == {"rows": []}
        # The server remembers the same node under another name.
        server.rows("rename", "apple", "pear", False)
        server.rows("peek", ["pear"], 1)
        # A change that the server has not taken over yet lies before the one that replaces all.
        other.rows("concept_upsert", "plum")
        assert owner.ask("restore", str(file)) == {"rows": []}
        assert [row["text"] for row in server.rows("recall", ["fruit"], 1)] == ["apple is-a fruit"]
        names = {record["name"] for record in other.rows("records") if "name" in record}
        assert names == {"apple", "fruit"}
        assert server.rows("check") == []
    if "://" not in location:
        assert_sound(Path(location))
