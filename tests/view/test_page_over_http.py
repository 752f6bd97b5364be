"""The page over HTTP in Chromium: a user enters a token, looks, changes, and is turned out."""

import pytest
from tests.server.http.http_running import running
from tests.view.browsing import Page

from concept_graph_mcp.hosts.lazy import connect
from concept_graph_mcp.http.tokens import Tokens
from concept_graph_mcp.settings import read

NUTS = {"text": "Ann likes hazelnuts.", "about": ["hazelnut"]}
WRITER, READER = ("memory:read", "memory:write"), ("memory:read",)
WANTS_TOKEN = "return document.getElementById('entrance').open"
REFUSED = "return document.getElementById('refusal').innerText"
OPENED = "return document.body.dataset.opened"
KEPT = "return [document.cookie, localStorage.length, sessionStorage.length, location.search]"
ACTION = (
    "document.querySelector('.memory .dots').click();"
    " [...document.querySelectorAll('.memory button')]"
    ".find((one) => one.innerText === arguments[0]).click()"
)
SAYS = (
    "return document.getElementById('memories').innerText.includes(arguments[0]) === arguments[1]"
)


@pytest.fixture
def served(tmp_path):
    tokens = Tokens(tmp_path / "tokens.db")
    tokens.add("nobody", (), None)
    store = connect(read({"TZ": "UTC"}, str(tmp_path / "memory.db")), creates=True)
    with running(store, tokens, page=True) as server:
        server.called("remember", "ann", **NUTS)
        server.called("remember", "bob", text="Bob grows blueberries.", about=["blueberry"])
        yield server


@pytest.fixture
def browser(browser):
    """A browser that may complain of requests without a valid token, and of nothing else."""
    yield browser
    said = [line for line in browser.get_log("browser") if line["level"] == "SEVERE"]
    assert [line for line in said if "status of 401" not in line["message"]] == []


def enter(page: Page, token: str) -> None:
    page.until(WANTS_TOKEN)
    page.element("#token").send_keys(token)
    page.element("#entrance button").click()


@pytest.mark.slow
def test_a_user_enters_looks_changes_takes_back_and_is_turned_out(browser, served):
    browser.get(f"{served.base}/page/")
    page = Page(browser)
    enter(page, "cgm_h")
    assert "is not valid" in page.until(REFUSED)
    enter(page, served.token("ann"))
    page.until(OPENED)
    assert page.text("#where") == "ann"
    assert page.run(KEPT) == ["", 0, 0, ""]
    assert page.run(SAYS, NUTS["text"], True)
    assert "blueberries" not in page.text("body")

    page.run(ACTION, "Forget")
    page.until(SAYS, NUTS["text"], False)
    page.element("#undo").click()
    page.until(SAYS, NUTS["text"], True)
    assert served.ask("search", "ann", query="hazelnuts")["total"] == 1

    served.tokens.revoke_user("ann")
    page.element("#learned").click()
    for _ in range(2):
        # Esc does not lead back to what is seen behind the form.
        page.until("return document.activeElement.id === 'token'")
        page.element("#token").send_keys("\ue00c")
    page.until(WANTS_TOKEN)
    assert "was revoked" in page.text("#refusal")
    # Another user's token opens nothing beside what is Ann's.
    enter(page, served.token("bob"))
    page.until(f'{REFUSED}.includes("another user\'s")')
    enter(page, served.tokens.add("ann", READER, None))
    page.until("return document.getElementById('found').innerText === '1 memory'")
    assert not page.run(WANTS_TOKEN)
    assert page.run(SAYS, NUTS["text"], True)


@pytest.mark.slow
def test_a_reader_sees_no_button_that_changes_and_why(browser, served):
    browser.get(f"{served.base}/page/")
    page = Page(browser)
    enter(page, served.tokens.add("ann", READER, None))
    page.until(OPENED)
    assert page.text("#why-not") == "Nothing can be changed here: this token may only read."
    assert page.run(SAYS, NUTS["text"], True)
    assert (
        page.run("return document.querySelectorAll('.dots, .chief:not(#entrance *)').length") == 0
    )
