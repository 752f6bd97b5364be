"""Stores with something in them, a viewer as a person starts it, a browser without a screen."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from asgi import PORT, TOKEN, Asked
from known import DAY_MS, NOW_MS
from lived import live
from tests.conftest import IMAGES, Memory
from tests.view.browsing import Page, Viewer, make_browser, missing_browser

from concept_graph_mcp.hosts.sqlite.store import EmbeddedStore
from concept_graph_mcp.session import Clock, Session
from concept_graph_mcp.view.serving import build


@pytest.fixture(scope="session")
def lived_file(tmp_path_factory: pytest.TempPathFactory, portal: Any) -> Path:
    """The sample's flight in a file, as it was on the evening of the splashdown."""
    file = tmp_path_factory.mktemp("lived") / "apollo13.db"
    store = EmbeddedStore(file)
    portal.call(store.open)
    live(Memory(store, portal))
    portal.call(store.close)
    return file


@pytest.fixture(scope="session")
def viewers() -> Iterator[Callable[..., str]]:
    """A function that starts a viewer of a file and returns its address; all end with the tests."""
    with ExitStack() as stack:

        def start(file: Path, *arguments: str, **environment: str) -> str:
            command = f"--embedded={file}", "view", *arguments
            viewer = stack.enter_context(Viewer(*command, **environment))
            return viewer.address()

        yield start


@pytest.fixture(scope="session")
def shared_browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    if reason := missing_browser():
        pytest.skip(reason)
    browser = make_browser(tmp_path_factory.mktemp("profile"))
    yield browser
    browser.quit()


@pytest.fixture
def browser(shared_browser: Any) -> Iterator[Any]:
    """A browser on an empty page, which must not have complained when the test is over."""
    shared_browser.get("about:blank")
    shared_browser.get_log("browser")
    yield shared_browser
    shared_browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    shared_browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    complaints = [line for line in shared_browser.get_log("browser") if line["level"] == "SEVERE"]
    assert complaints == []


@pytest.fixture
def session(memory: Memory) -> Session:
    """A session on the store of *memory*, at the time when all has been said."""
    return Session(memory.store, DAY_MS, ZoneInfo("UTC"), Clock(NOW_MS))


@pytest.fixture
def asked(ids: Any, session: Session, portal: Any) -> Asked:
    """The page's server on that session, after what the test's *ids* live through."""
    return Asked(build(session, None, TOKEN, PORT), portal)


@pytest.fixture
def seen(
    browser: Any, viewers: Callable[..., str], portal: Any, tmp_path: Path
) -> Callable[..., Page]:
    """A function that lets live(memory, now in ms) fill a new file, and opens its page."""

    def opened(live: Callable[[Memory, int], object], *arguments: str) -> Page:
        file = tmp_path / "memory.db"
        store = EmbeddedStore(file)
        portal.call(store.open)
        live(Memory(store, portal), Clock().now_ms())
        portal.call(store.close)
        return Page.at(browser, viewers(file, *arguments))

    return opened


@pytest.fixture(scope="session")
def images() -> Path | None:
    """Where the documentation's screenshots go, if they are to be made again."""
    return IMAGES
