"""Store files some bytes of which became others: told as damaged, or really intact."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pytest
import race
from click.testing import CliRunner
from embedded_files import opened, run
from tests.examples import spread_examples

from concept_graph_mcp import calls
from concept_graph_mcp.__main__ import main
from concept_graph_mcp.errors import StoreError, Unavailable
from concept_graph_mcp.hosts.sqlite.procedure_host import Host

PAGE = 4_096
WORDS = ["apple", "pear", "plum", "quince", "medlar", "crème", "りんご", "fruit tree"]


def name(number: int) -> str:
    return f"{WORDS[number % len(WORDS)]} {number}"


READS = [
    *(calls.concepts.peek([name(number)], 2) for number in range(0, 60, 7)),
    *(calls.concepts.concept_search([word], 20) for word in [*WORDS, "le 1", "7"]),
    calls.concepts.concept_search([], 20),
    calls.transfer.stats(),
    calls.transfer.check(),
]
WRITES = [
    calls.concepts.concept_upsert("new"),
    calls.concepts.recall([name(1)], 2),
    calls.concepts.relation_add(name(2), name(3), "is-a"),
    calls.concepts.episode_add("It rained", [name(4), "new"]),
    calls.concepts.rename(name(5), "renamed", False),
    calls.concepts.remove(name(6), False),
]


def seen(host: Host) -> list[Any]:
    """Everything that can be seen of the graph, however it is come by."""
    records = [record for batch in host.export(1_000) for record in batch]
    return [race.in_order(records), *(run(host, call) for call in READS)]


@dataclass(frozen=True)
class Original:
    content: bytes
    seen: list[Any]

    @property
    def pages(self) -> int:
        return len(self.content) // PAGE


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Original:
    """A store that has been lived with: pages of every kind, some of them free again."""
    path = tmp_path_factory.mktemp("original") / "memory.db"
    with opened(path) as host:
        for number in range(80):
            other = number * 7 % 60
            if number == other:
                run(host, calls.concepts.concept_upsert(name(number)))
            else:
                run(host, calls.concepts.relation_add(name(number), name(other), "evokes"))
        for number in range(40):
            # Some of them longer than a page.
            summary = f"Ate {name(number)} " + "and so on " * (number * 40)
            run(
                host,
                calls.concepts.episode_add(summary, [name(number), name(number + 1)]),
            )
        for number in range(60, 80):
            run(host, calls.concepts.remove(name(number), False))
        run(host, calls.concepts.remove("20250615/apple 32", False))
        run(host, calls.concepts.recall([name(1)], 3))
        assert host.problems() == []
        expected = seen(host)
    return Original(path.read_bytes(), expected)


Damage = Callable[[bytearray, int, Random], None]


def zeros(content: bytearray, page: int, random: Random) -> None:
    content[page * PAGE : (page + 1) * PAGE] = bytes(PAGE)


def noise(content: bytearray, page: int, random: Random) -> None:
    content[page * PAGE : (page + 1) * PAGE] = random.randbytes(PAGE)


def another_page(content: bytearray, page: int, random: Random) -> None:
    other = random.randrange(len(content) // PAGE)
    content[page * PAGE : (page + 1) * PAGE] = content[other * PAGE : (other + 1) * PAGE]


def some_bytes(content: bytearray, page: int, random: Random) -> None:
    at = page * PAGE + random.randrange(PAGE - 16)
    content[at : at + 16] = random.randbytes(16)


def one_bit(content: bytearray, page: int, random: Random) -> None:
    content[page * PAGE + random.randrange(PAGE)] ^= 1 << random.randrange(8)


def one_letter(content: bytearray, page: int, random: Random) -> None:
    """Make another letter of a letter: a text that is formed as well as before."""
    letters = [
        at
        for at in range(page * PAGE, (page + 1) * PAGE)
        if chr(content[at]).isalpha() and content[at] < 128
    ]
    if letters:
        content[random.choice(letters)] = ord(random.choice("abcxyz"))


def header(content: bytearray, page: int, random: Random) -> None:
    """Change a bit of what the file says of itself."""
    content[random.randrange(100)] ^= 1 << random.randrange(8)


def cut_off(content: bytearray, page: int, random: Random) -> None:
    del content[page * PAGE + random.randrange(PAGE) :]


# SQLite notices these; it has no checksum that would tell a letter from another, or one page of a
# table from a second one.
TOLD = [zeros, noise, header, cut_off]
DAMAGES = [*TOLD, another_page, some_bytes, one_bit, one_letter]


def told(path: Path) -> bool:
    """Tell whether the file is said to be damaged, either at once or when it is looked at."""
    try:
        with opened(path) as host:
            return bool(host.problems())
    except StoreError as error:
        assert_line(error)
        return True


def assert_line(error: StoreError) -> None:
    assert str(error)
    assert "\n" not in str(error)


def attempt(path: Path, call: calls.Call) -> None:
    """Make a call, which may fail only with a line."""
    try:
        with opened(path) as host:
            run(host, call)
    except StoreError as error:
        assert_line(error)


def remove_what_belongs_to(path: Path) -> None:
    for file in path.parent.glob(f"{path.name}-*"):
        file.unlink()
    for file in path.parent.glob(f"{path.name}.format-*"):
        file.unlink()


@pytest.mark.slow
@pytest.mark.parametrize("damage", TOLD)
def test_a_damaged_file_is_told_or_is_really_intact(tmp_path, original, damage):
    random = Random(damage.__name__)
    path = tmp_path / "memory.db"
    reported = 0
    for page in spread_examples(range(original.pages)):
        content = bytearray(original.content)
        damage(content, page, random)
        path.write_bytes(content)
        if told(path):
            reported += 1
        else:
            with opened(path) as host:
                assert seen(host) == original.seen, f"page {page}"
        remove_what_belongs_to(path)
    assert reported > 0


@pytest.mark.slow
@pytest.mark.parametrize("damage", DAMAGES)
def test_every_call_on_a_damaged_file_does_its_work_or_fails_in_one_line(
    tmp_path, original, damage
):
    random = Random(damage.__name__)
    path = tmp_path / "memory.db"
    for page in spread_examples(range(0, original.pages, 3)):
        content = bytearray(original.content)
        damage(content, page, random)
        for call in random.sample([*READS, *WRITES], 3):
            path.write_bytes(content)
            attempt(path, call)
            remove_what_belongs_to(path)


# What the owner sees


def cli(path: Path, *arguments: str) -> tuple[int, str]:
    result = CliRunner(env={"TZ": "UTC"}).invoke(main, [f"--embedded={path}", *arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.exit_code, result.output


@pytest.mark.slow
@pytest.mark.parametrize("command", ["doctor", "check"])
def test_a_row_that_is_no_longer_one_is_told_with_what_to_do(tmp_path, original, command):
    path = tmp_path / "memory.db"
    path.write_bytes(original.content)
    assert cli(path, command)[0] == 0
    # In the properties of the node, not in its indexes, and as long as before.
    content = original.content.replace(b'"name":"pear 1","', b'"name":"pear 1";"')
    assert content != original.content
    path.write_bytes(content)
    status, output = cli(path, command, "--json")
    assert status == 1
    for part in ("damaged", "is not as it is stored", "restore a backup"):
        assert part in output
    with opened(path) as host:
        for call in (
            calls.concepts.recall([name(1)], 1),
            calls.concepts.update_affect(name(1), 0.5),
        ):
            with pytest.raises(Unavailable, match=r"is damaged: .*; nothing was written"):
                run(host, call)
        # What has nothing to do with it goes on.
        assert run(host, calls.concepts.concept_upsert("new"))[0]["created"] is True
    assert told(path)


def test_rows_that_a_hand_changed_are_read(tmp_path, original):
    path = tmp_path / "memory.db"
    path.write_bytes(original.content)
    with closing(sqlite3.connect(path, isolation_level=None)) as hand:
        hand.execute("UPDATE vertex SET properties = json_set(properties, '$.valence', 0.5)")
        hand.execute("UPDATE edge SET properties = json_set(properties, '$.weight', 0.5)")
    with opened(path) as host:
        assert host.problems() == []
        assert {row["valence"] for row in run(host, calls.concepts.peek([name(1)], 1))} == {0.5}


@pytest.mark.slow
def test_relations_to_nothing_and_texts_in_no_index_are_told(tmp_path, original):
    path = tmp_path / "memory.db"
    for statement in (
        "UPDATE \"text Concept(name)\" SET folded = 'peer 1' WHERE folded = 'pear 1'",
        "INSERT INTO \"trigrams Concept(name)\" (rowid, folded) VALUES (9999, 'pear')",
        "UPDATE edge SET target = 9999 WHERE id = 3",
    ):
        path.write_bytes(original.content)
        with closing(sqlite3.connect(path, isolation_level=None)) as hand:
            hand.execute(statement)
        with opened(path) as host:
            assert host.problems() != [], statement


def test_a_row_that_cannot_be_read_names_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with opened(path) as host:
        run(host, calls.concepts.concept_upsert("apple"))
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE vertex SET properties = '{'")
    result = CliRunner().invoke(main, ["--embedded", str(path), "stats"])
    assert result.exit_code == 1
    [line] = result.stderr.splitlines()
    assert "concept-graph-mcp check names the rows; restore a backup" in line


def test_a_file_of_no_bytes_is_not_told_as_one_that_is_still_to_come(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    path.touch()
    for command in ("stats", "doctor"):
        result = CliRunner().invoke(main, ["--embedded", str(path), command])
        assert result.exit_code == 1
        told = " ".join(result.output.replace("│", " ").split())
        assert "0 bytes; restore a backup" in told
