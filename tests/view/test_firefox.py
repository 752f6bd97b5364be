"""The main states of the page in Firefox, over WebDriver BiDi, which needs no driver."""

import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import half_year
import pytest
from tests.conftest import Memory

from concept_graph_mcp.hosts.sqlite.store import EmbeddedStore
from concept_graph_mcp.session import Clock

BROWSER = shutil.which("firefox-esr") or shutil.which("firefox")
DEADLINE_MS = 60_000
OVERLAPS = """
[...document.querySelectorAll('#groups text, #groups circle')]
  .map((one) => one.getBoundingClientRect())
  .filter((p, i, all) => all.some((q, j) => j < i
    && !(p.right <= q.left || q.right <= p.left || p.bottom <= q.top || q.bottom <= p.top))).length
"""


class Firefox:
    """One tab of a Firefox without a screen; `complaints` has what its console was told."""

    def __init__(self, address: str) -> None:
        websocket = pytest.importorskip("websocket")
        self._socket = websocket.create_connection(address, timeout=90, suppress_origin=True)
        self._count = 0
        self.complaints: list[str] = []
        self._send("session.new", capabilities={})
        self._send("session.subscribe", events=["log.entryAdded"])
        self._tab = self._send("browsingContext.getTree")["contexts"][0]["context"]

    def open(self, address: str, width: int, height: int) -> None:
        size = {"width": width, "height": height}
        self._send("browsingContext.setViewport", context=self._tab, viewport=size)
        self._send("browsingContext.navigate", context=self._tab, url=address, wait="complete")

    def run(self, script: str) -> Any:
        """Return the value of the expression *script*, awaited."""
        given = {"expression": script, "awaitPromise": True, "target": {"context": self._tab}}
        return self._send("script.evaluate", **given)["result"].get("value")

    def until(self, condition: str) -> None:
        """Wait until the expression *condition* is true."""
        script = (
            "new Promise((done) => { const end = Date.now() + %d; const look = () =>"
            " ((%s) || Date.now() > end ? done(Boolean(%s)) : setTimeout(look, 50)); look(); })"
        )
        assert self.run(script % (DEADLINE_MS, condition, condition)), condition

    def close(self) -> None:
        self._socket.close()

    def _send(self, method: str, **parameters: Any) -> Any:
        self._count += 1
        command = {"id": self._count, "method": method, "params": parameters}
        self._socket.send(json.dumps(command))
        while True:
            heard = json.loads(self._socket.recv())
            if heard.get("method") == "log.entryAdded" and heard["params"]["level"] == "error":
                self.complaints.append(heard["params"]["text"])
            if heard.get("id") == self._count:
                assert heard["type"] == "success", heard
                return heard["result"]


@pytest.fixture(scope="module")
def firefox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Firefox]:
    if BROWSER is None:
        pytest.skip("needs Firefox (Debian: firefox-esr)")
    profile: Path = tmp_path_factory.mktemp("firefox")
    flags = "--headless", "--no-remote", "--remote-debugging-port", "0", "--profile", str(profile)
    environment = {**os.environ, "HOME": str(profile)}
    # A file, because nobody reads on after the address.
    log = profile / "log"
    with log.open("w") as stderr:
        process = subprocess.Popen([BROWSER, *flags], stderr=stderr, env=environment)
    try:
        with closing(Firefox(f"{_find_address(log)}/session")) as browser:
            yield browser
    finally:
        process.kill()
        process.wait()


def _find_address(log: Path) -> str:
    end = time.monotonic() + DEADLINE_MS / 1000
    while time.monotonic() < end:
        if found := re.search(r"BiDi listening on (\S+)\n", log.read_text()):
            return found[1]
        time.sleep(0.1)
    raise AssertionError(log.read_text())


@pytest.fixture(scope="module")
def address(viewers, portal, tmp_path_factory):
    file = tmp_path_factory.mktemp("half") / "half.db"
    store = EmbeddedStore(file)
    portal.call(store.open)
    half_year.live(Memory(store, portal), Clock().now_ms())
    portal.call(store.close)
    return viewers(file)


@pytest.mark.parametrize("size", [(1440, 900), (390, 844)], ids=["desk", "phone"])
def test_the_opening_a_card_and_a_saved_picture(firefox, address, size):
    firefox.open(address, *size)
    firefox.until("document.body.dataset.opened > 0")
    assert firefox.run(OVERLAPS) == 0
    assert firefox.run("document.getElementById('sentence').textContent").startswith("You and I: ")
    firefox.run(
        "document.querySelector('#groups [data-id]').dispatchEvent("
        "new MouseEvent('click', { bubbles: true }))"
    )
    firefox.until("document.body.dataset.person")
    assert "Spoken of since " in firefox.run("document.getElementById('person').innerText")
    firefox.run(
        "window.made = []; const make = URL.createObjectURL;"
        " URL.createObjectURL = (blob) => { made.push(blob.type); return make(blob); };"
        " const save = document.getElementById('save'); save.value = 'card-png';"
        " save.dispatchEvent(new Event('change', { bubbles: true }))"
    )
    firefox.until("made.includes('image/png')")
    assert firefox.run("document.getElementById('error').hidden")
    assert firefox.complaints == []
