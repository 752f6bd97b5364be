"""A store file for each user: its name, how many are open, and the commands on all of them."""

import json
import unicodedata

import anyio
import pytest
from command_line import fails, run

from concept_graph_mcp import calls, settings, user_files
from concept_graph_mcp.errors import StoreError, Unavailable
from concept_graph_mcp.hosts.per_user import IDLE_S, UserFiles
from concept_graph_mcp.session import Clock, Session
from concept_graph_mcp.worker.along import AlongEach
from conceptgraph_core.verbs import limits

NOW_MS = 1_750_000_000_000
# Ids that a file system could mistake for one another, for a path or for a device.
IDS = [
    *("ann", "Ann", "ANN", "../ann", "..", ".", "/etc/passwd", "a/b", "a\\b", "con", "nul", "-rf"),
    *("ann@example.com", "ann.", "ann ", "日本", "日本語", "Zoë", "%", "*", "a" * 200, "ä" * 200),
    *("a" * 199 + "b", "https://id.example.com/users/7", "tokens", "ann-0123456789abcdef.db"),
]


def test_each_user_has_a_file_of_a_safe_name_in_the_directory(tmp_path):
    files = [user_files.file_of(tmp_path, user) for user in IDS]
    assert len({file.name.lower() for file in files}) == len(IDS)
    for file in files:
        assert file.parent == tmp_path
        assert file.name.isascii()
        assert file.name == file.name.lower()
        assert len(file.name) <= 64
        assert file.name[0].isalnum()
        file.touch()
    (tmp_path / "tokens").touch()
    (tmp_path / "other.db").touch()
    assert user_files.files(tmp_path) == sorted(files)


@pytest.mark.parametrize(
    ("user", "readable"), [("Ann", "ann-"), ("Zoë B.", "zoe.b-"), ("a@b.org", "a@b.org-")]
)
def test_a_person_sees_whose_a_file_is(tmp_path, user, readable):
    assert user_files.file_of(tmp_path, user).name.startswith(readable)


def test_the_two_ways_to_write_an_accent_mean_one_user():
    forms = (unicodedata.normalize(form, "Zoë") for form in ("NFC", "NFD"))
    assert len({settings.read({"CONCEPT_GRAPH_USER": one}).user_id for one in forms}) == 1


class Hours:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def hours():
    return Hours()


@pytest.fixture
def files(tmp_path, portal, hours):
    made = UserFiles(tmp_path / "users", most_open=2, clock=hours)
    portal.call(made.open)
    yield made
    portal.call(made.close)


def keep(files, portal, user, text="tea"):
    return portal.call(files.call, calls.memories.create(user, text), context(user))


def kept(files, portal, user):
    rows = portal.call(files.call, calls.memories.search(user, "tea"), context(user))
    return [row["text"] for row in rows]


def context(user):
    return {"now_ms": NOW_MS, "tau_ms": limits.DEFAULT_TAU_MS, "date": "20250615", "user_id": user}


def names_open(files):
    return [file.name.partition("-")[0] for file in files._open]


def test_the_file_that_was_used_longest_ago_is_closed_for_another(files, portal):
    for user in ("ann", "bob", "ann", "eve"):
        keep(files, portal, user, f"tea of {user}")
    assert names_open(files) == ["ann", "eve"]
    assert kept(files, portal, "bob") == ["tea of bob"]


def test_the_session_chooses_the_file_and_no_argument_does(files, portal):
    keep(files, portal, "ann", "tea of ann")
    asked = calls.memories.search("ann", "tea")
    assert portal.call(files.call, asked, context("bob")) == []


def test_unused_files_are_closed(files, portal, hours):
    keep(files, portal, "ann")
    hours.now = IDLE_S - 1
    keep(files, portal, "bob")
    portal.call(files.close_idle)
    assert names_open(files) == ["ann", "bob"]
    hours.now = IDLE_S
    portal.call(files.close_idle)
    assert names_open(files) == ["bob"]
    assert kept(files, portal, "ann") == ["tea"]


def test_files_that_take_too_much_memory_are_closed(files, portal, monkeypatch):
    keep(files, portal, "ann")
    monkeypatch.setattr("concept_graph_mcp.hosts.per_user._MOST_BYTES", 1)
    keep(files, portal, "bob")
    assert names_open(files) == []


@pytest.mark.slow
def test_more_users_at_once_than_files_wait_for_one_another(files, portal):
    async def all_at_once() -> int:
        most = 0

        async def one(user: str) -> None:
            nonlocal most
            await files.call(calls.memories.create(user, "tea"), context(user))
            most = max(most, files.count_open())

        async with anyio.create_task_group() as tasks:
            for number in range(12):
                tasks.start_soon(one, f"user {number}")
        return most

    assert portal.call(all_at_once) == 2
    assert [kept(files, portal, f"user {number}") for number in range(12)] == [["tea"]] * 12


def test_a_waiting_call_that_is_ended_leaves_its_place_to_another(files, portal):
    async def ended() -> list[str]:
        async with files.using(files.directory / "a"), files.using(files.directory / "b"):
            with anyio.move_on_after(0):
                await files.call(calls.memories.create("ann", "tea"), context("ann"))
        return names_open(files)

    portal.call(ended)
    keep(files, portal, "eve")
    assert names_open(files)[-1] == "eve"


def test_a_damaged_file_stops_its_own_user_only(files, portal):
    keep(files, portal, "bob")
    user_files.file_of(files.directory, "ann").write_bytes(b"no store " * 1_000)
    for _ in range(2):
        with pytest.raises(StoreError, match="ann-"):
            keep(files, portal, "ann")
    assert kept(files, portal, "bob") == ["tea"]


def test_a_file_that_is_moved_away_stops_its_own_user_until_it_is_back(files, portal, tmp_path):
    for user in ("ann", "bob"):
        keep(files, portal, user)
    file = user_files.file_of(files.directory, "ann")
    log = file.with_name(f"{file.name}-wal")
    for one in (file, log):
        one.rename(tmp_path / one.name)
    with pytest.raises(Unavailable, match="moved away"):
        keep(files, portal, "ann")
    assert kept(files, portal, "bob") == ["tea"]
    for one in (file, log):
        (tmp_path / one.name).rename(one)
    assert kept(files, portal, "ann") == ["tea"]


def test_two_servers_may_use_one_directory(files, portal):
    other = UserFiles(files.directory, most_open=2)
    for number in range(3):
        keep(files, portal, "ann", f"tea {number}")
        keep(other, portal, "ann", f"coffee {number}")
    assert len(kept(other, portal, "ann")) == 3
    portal.call(other.close)
    assert len(kept(files, portal, "ann")) == 3


@pytest.mark.slow
def test_due_jobs_run_on_each_file_when_they_are_due_and_a_damaged_one_is_left(
    files, portal, caplog
):
    for user in ("ann", "bob"):
        keep(files, portal, user)
    user_files.file_of(files.directory, "eve").write_bytes(b"no store " * 1_000)
    configured = settings.read({"TZ": "UTC"}, f"{files.directory}/")
    session = Session.of(files, configured, Clock(NOW_MS))
    along = AlongEach(session, configured, files)
    assert portal.call(along.run_due) == 3
    assert portal.call(along.run_due) == 0
    assert ["eve-" in one.getMessage() for one in caplog.records] == [True]
    session.clock.frozen_ms += 3_600_000
    assert portal.call(along.run_due) == 3
    for user in ("ann", "bob"):
        [status] = portal.call(files.call, calls.memories.worker_status(), context(user))
        assert {job["job"]: job["runs"] for job in status["jobs"]}["decay"] == 2


@pytest.fixture
def directory(tmp_path, monkeypatch):
    """A directory in which Ann and Bob have a file each."""
    users = tmp_path / "users"
    users.mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.setenv("CONCEPT_GRAPH_EMBEDDED", f"{users}/")
    for user, mark in {"ann": "annish", "bob": "bobbish"}.items():
        with monkeypatch.context() as patched:
            patched.setenv("CONCEPT_GRAPH_USER", user)
            made("remember", f"Clara has {mark} hazelnuts", "--about", "Clara")
    return users


def made(*arguments):
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_a_command_for_one_user_takes_their_file_or_asks_which(directory, monkeypatch):
    said = run("memories", "list").output
    assert f"{directory}: has a file for each user; set CONCEPT_GRAPH_USER" in said
    monkeypatch.setenv("CONCEPT_GRAPH_USER", "ann")
    assert "annish" in made("memories", "list")
    assert "bobbish" not in made("export", "-")


def test_users_are_listed_exported_and_deleted(directory, tmp_path):
    rows = json.loads(made("users", "list", "--json"))
    assert [(row["user_id"], row["memories"]) for row in rows] == [("ann", 1), ("bob", 1)]
    assert rows[0]["file"] == str(user_files.file_of(directory, "ann"))
    made("users", "export", "ann", str(tmp_path / "ann.jsonl"))
    assert "annish" in (tmp_path / "ann.jsonl").read_text(encoding="utf-8")
    said = made("users", "delete", "ann", "--yes")
    assert "Counted again: nothing is left." in said
    assert {one.name.partition("-")[0] for one in directory.iterdir()} == {"bob"}
    assert "there is no such store" in run("users", "delete", "ann", "--yes").output


def test_tokens_are_kept_with_the_files_and_go_with_their_user(directory):
    made("tokens", "add", "ann")
    made("tokens", "add", "bob")
    assert (directory / "tokens").exists()
    assert "Revoked tokens: 1" in made("users", "delete", "ann", "--yes")
    assert [one["user"] for one in json.loads(made("tokens", "list", "--json"))] == ["bob"]


def test_check_backup_and_the_worker_go_through_all_files_and_past_a_damaged_one(
    directory, monkeypatch, tmp_path
):
    assert made("check") == "Nothing is wrong.\n"
    made("worker", "--once", "decay")
    assert made("backup").count("backup/embedded/") == 2
    damaged = user_files.file_of(directory, "ann")
    damaged.write_bytes(b"no store " * 1_000)
    rows = json.loads(run("check", "--json").stdout)["problems"]
    assert [row["store"] for row in rows] == [str(damaged)]
    for command in (["users", "list"], ["backup"], ["worker", "--once", "decay"]):
        result = fails(*command)
        assert "bob" in result.stdout or command[0] == "worker"
        assert "1 of 2 stores failed" in result.output
    damaged.unlink()
    [saved] = (tmp_path / "backup/embedded" / damaged.stem).glob("*.db")
    monkeypatch.setenv("CONCEPT_GRAPH_USER", "ann")
    made("restore", str(saved), "--yes")
    assert "annish" in made("memories", "list")


@pytest.mark.usefixtures("directory")
@pytest.mark.parametrize("command", [["worker"], ["worker", "status"], ["stats"], ["doctor"]])
def test_other_commands_say_in_one_line_what_to_do(command):
    result = fails(*command)
    assert "has a file for each user" in result.output.splitlines()[-1]
