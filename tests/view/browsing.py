"""The viewer as a process, and Chromium as the one who looks at it."""

import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.server.server_processes import LineProcess, server_environment

# Only for what hangs; nothing waits as long as this where all is well.
DEADLINE_S = 60.0
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--force-color-profile=srgb",
    "--force-prefers-reduced-motion",
    "--hide-scrollbars",
    "--window-size=1360,900",
)


class Viewer(LineProcess):
    """`concept-graph-mcp … view`, which opens no browser of its own."""

    def __init__(self, *arguments: str, **environment: str) -> None:
        command = [sys.executable, "-m", "concept_graph_mcp", *arguments, "--no-open"]
        changes = {"TZ": "America/Chicago", **environment}
        super().__init__(command, env=server_environment(changes), stdin=None)

    def address(self) -> str:
        line = self.line()
        assert line is not None, "the viewer has ended"
        return line.decode().strip()

    def interrupt(self) -> int:
        """Press Ctrl-C and return the exit code."""
        self.process.send_signal(signal.SIGINT)
        return self.finish()


def missing_browser() -> str | None:
    """Return why no browser can be driven here, or None."""
    try:
        import selenium  # noqa: F401
    except ImportError:
        return "needs selenium"
    if not (_chromium() and shutil.which("chromedriver")):
        return "needs Chromium and its driver (Debian: chromium, chromium-driver)"
    return None


def make_browser(profile: Path) -> Any:
    """Start Chromium without a screen, with *profile*, an empty directory, as all that it knows."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = _chromium() or ""
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options, webdriver.ChromeService(shutil.which("chromedriver")))


def _chromium() -> str | None:
    return shutil.which("chromium") or shutil.which("chromium-browser")


class Page:
    """The viewer's page in a browser, in the words of the tests."""

    def __init__(self, browser: Any) -> None:
        self.browser = browser

    @classmethod
    def at(cls, browser: Any, address: str) -> "Page":
        """Open the viewer at *address* and wait until the opening is drawn."""
        browser.get(address)
        page = cls(browser)
        page.until("return document.body.dataset.opened")
        return page

    def seen_from(self, width: int, height: int, dark: bool = False) -> None:
        """Look through a window of that size, in the light or in the dark."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 700}
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        features = {
            "prefers-color-scheme": "dark" if dark else "light",
            "prefers-reduced-motion": "reduce",
        }
        media = [{"name": name, "value": value} for name, value in features.items()]
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": media})

    def run(self, script: str, *arguments: Any) -> Any:
        return self.browser.execute_script(script, *arguments)

    def until(self, condition: str, *arguments: Any) -> Any:
        """Wait until the script *condition* returns something true; return that."""
        return self.wait(lambda: self.run(condition, *arguments))

    def wait(self, condition: Callable[[], Any]) -> Any:
        from selenium.webdriver.support.ui import WebDriverWait

        return WebDriverWait(self.browser, DEADLINE_S, 0.05).until(lambda _: condition())

    def element(self, selector: str) -> Any:
        return self.browser.find_element("css selector", selector)

    def text(self, selector: str) -> str:
        # In one step: an element found first may be gone when it is read.
        return str(self.run("return document.querySelector(arguments[0])?.innerText", selector))

    def press(self, *keys: str) -> None:
        """Press *keys* where the focus is."""
        for key in keys:
            self.browser.switch_to.active_element.send_keys(key)

    def shoot(self, images: Path | None, name: str) -> None:
        """Keep a screenshot for the documentation, if they are being made."""
        if images is not None:
            images.mkdir(parents=True, exist_ok=True)
            self.browser.save_screenshot(str(images / f"{name}.png"))
