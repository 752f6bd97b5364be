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


@pytest.mark.slow
@pytest.mark.parametrize("size", [(1440, 900), (390, 844)], ids=["desk", "phone"])
def test_the_page_a_card_a_change_its_undo_and_a_saved_poster(firefox, address, size):
    firefox.open(address, *size)
    firefox.until("document.body.dataset.opened")
    assert firefox.run("document.documentElement.scrollWidth") <= size[0]
    assert firefox.run("document.querySelectorAll('#cards > li').length") == 12
    firefox.run("document.querySelector('#cards a').click()")
    firefox.until("document.getElementById('card').open")
    assert "Spoken of since " in firefox.run("document.getElementById('card').innerText")
    firefox.run("document.querySelector('#card .close').click()")
    firefox.until("!document.getElementById('card').open")
    said = firefox.run("document.querySelector('.day .words').innerText")
    firefox.run(
        "[...document.querySelectorAll('.day .memory button')]"
        ".find((one) => one.innerText === 'Forget' || one.textContent === 'Forget').click()"
    )
    firefox.until(f"document.querySelector('.day .words').innerText !== {json.dumps(said)}")
    firefox.run("document.getElementById('undo').click()")
    firefox.until(f"document.querySelector('.day .words').innerText === {json.dumps(said)}")
    firefox.run("document.getElementById('year').scrollIntoView()")
    firefox.until("document.body.dataset.poster")
    firefox.run(
        "window.made = []; const make = URL.createObjectURL;"
        " URL.createObjectURL = (blob) => { made.push(blob.type); return make(blob); };"
        " document.querySelector('#poster button').click()"
    )
    firefox.until("made.includes('image/png')")
    assert firefox.run("document.getElementById('error').hidden")
    assert firefox.complaints == []
