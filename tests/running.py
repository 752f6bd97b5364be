"""How a run is divided among processes, and which tests it has."""

import os
from collections.abc import Iterable
from pathlib import Path

import pytest
from tests.examples import HAS_ALL

HERE = Path(__file__).resolve().parent
# More processes spend more on importing and collecting than they save.
MOST_WORKERS = 8
# Rules that need no store, and house and words: most is told in least time.
QUICK = ("entities", "memories", "retrieval", "words", "histories")
QUICK_FILES = ("test_house.py", "test_prose.py", "test_dates.py", "test_ranks.py")


def count_workers(config: pytest.Config) -> int:
    """Return how many processes share the tests, or 0 for this one alone.

    A directory is worth dividing; named files and tests are not. A server that each process would
    empty cannot be shared.
    """
    if is_server_given() or not all(Path(argument).is_dir() for argument in config.args):
        return 0
    # Only Linux keeps a process to some of the cores.
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return min(cores or 1, MOST_WORKERS)


def refuse_shared_server(config: pytest.Config) -> None:
    """Raise UsageError if several processes would empty the server that was given."""
    if is_server_given() and config.getoption("numprocesses", None):
        raise pytest.UsageError("MEMGRAPH_TEST_URI is one server: -n 0, or MEMGRAPH_TEST_SERVER")


def is_server_given() -> bool:
    return bool(os.environ.get("MEMGRAPH_TEST_URI"))


def may_have_memgraph() -> bool:
    """Tell whether a Memgraph is given, or a Docker engine may run one."""
    if is_server_given() or os.environ.get("MEMGRAPH_TEST_SERVER"):
        return True
    scheme, _, socket = os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock").partition(":")
    return scheme != "unix" or Path(socket).exists()


def drop_some(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what a missing Memgraph would run, and slow tests unless they are asked for."""
    has_slow = HAS_ALL or config.option.markexpr or not all(Path(o).is_dir() for o in config.args)
    has_memgraph = may_have_memgraph()
    dropped = {
        item
        for item in items
        if (not has_slow and item.get_closest_marker("slow"))
        or (not has_memgraph and _needs_memgraph(item))
    }
    config.hook.pytest_deselected(items=[*dropped])
    items[:] = [item for item in items if item not in dropped]


def _needs_memgraph(item: pytest.Item) -> bool:
    if "memgraph_uri" in getattr(item, "fixturenames", ()):
        return True
    return hasattr(item, "callspec") and "memgraph" in item.callspec.params.values()


def select_quick(items: Iterable[pytest.Item]) -> None:
    """Mark the tests that tell most in a second."""
    for item in items:
        if _is_quick(item) and not item.get_closest_marker("slow"):
            item.add_marker("quick")


def _is_quick(item: pytest.Item) -> bool:
    first, *rest = item.path.relative_to(HERE).parts
    return first in (QUICK if rest else QUICK_FILES)


def is_left_out(path: Path, config: pytest.Config) -> bool:
    """Tell whether `-m quick` has nothing of *path*, which then need not even be imported."""
    if config.option.markexpr != "quick" or not path.is_relative_to(HERE) or path == HERE:
        return False
    first, *rest = path.relative_to(HERE).parts
    return first not in (QUICK if rest or path.is_dir() else QUICK_FILES)
