"""A lived-through graph, a viewer of it as a person starts it, and a browser without a screen."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from lived import EVENING, live
from tests.conftest import IMAGES, Memory
from tests.view.browsing import Viewer, make_browser, missing_browser

from concept_graph_mcp.stores.embedded.store import EmbeddedStore


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

        def start(file: Path, *arguments: str) -> str:
            viewer = stack.enter_context(Viewer(f"--embedded={file}", "view", *arguments))
            return viewer.address()

        yield start


@pytest.fixture(scope="session")
def flight(viewers: Callable[..., str], lived_file: Path) -> str:
    """The address of a viewer of the lived-through flight, around one concept."""
    return viewers(lived_file, "oxygen tank 2", "--at", EVENING)


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


@pytest.fixture(scope="session")
def images() -> Path | None:
    """Where the documentation's screenshots go, if they are to be made again."""
    return IMAGES
