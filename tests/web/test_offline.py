"""Without a server the page shows that it is offline, and continues when the server is back."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.web.conftest import PageOpener, wait_until_armed
from tests.web.server import WebServer, run_web_server

SERVER_GONE_MESSAGES = ("net::ERR_", "WebSocket connection", "1012", "status of 503")
"""Console messages that are expected when the server stops."""


@pytest.fixture(scope="module")
def own_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    """A server that a test may stop and start again."""
    with run_web_server(tmp_path_factory.mktemp("own")) as server:
        yield server


@pytest.fixture
def page(own_server: WebServer, browser: Browser) -> Iterator[Page]:
    """The inbox on that server; console messages about the stopped server are allowed."""
    own_server.clear_questions_and_rules()
    pages = PageOpener(browser, own_server.url, own_server.new_session())
    yield pages.open(forgives=SERVER_GONE_MESSAGES)
    pages.close()
    assert pages.wrong == []


def ask_and_leave(server: WebServer, command: str) -> str:
    """Ask a question that stays open without its caller, however long the server is away."""
    return server.approval_id(server.submit("terminal.exec", {"command": command}, delivery="suspend"))


@pytest.mark.proves("R-7")
def test_nothing_is_lost_when_the_server_restarts(own_server: WebServer, page: Page) -> None:
    first = ask_and_leave(own_server, "make one")
    wait_until_armed(page)
    own_server.stop()
    expect(page.get_by_text("Not connected.")).to_be_visible()
    expect(page.get_by_role("button", name="Allow once")).to_be_disabled()
    expect(page.get_by_role("button", name="Deny")).to_be_disabled()
    page.keyboard.press("y")
    expect(page.locator(".card")).to_contain_text("make one")

    own_server.start()
    second = ask_and_leave(own_server, "make two")
    expect(page.get_by_text("Not connected.")).to_have_count(0)
    expect(page).to_have_title("(2) Inbox · Assent")
    assert [own_server.state(id) for id in (first, second)] == ["pending", "pending"]
    wait_until_armed(page)
    page.keyboard.press("y")
    expect(page).to_have_title("(1) Inbox · Assent")
    assert [own_server.state(id) for id in (first, second)] == ["approved", "pending"]


@pytest.mark.proves("R003-61")
def test_an_edited_always_rule_is_stored_and_applies_after_a_restart(
    own_server: WebServer, page: Page
) -> None:
    own_server.ask("helm upgrade shop 1.0")
    wait_until_armed(page)
    page.keyboard.press("a")
    rule = page.get_by_label("Rule", exact=True)
    expect(rule).to_have_value("terminal.exec(helm upgrade shop 1.0)")
    rule.fill("terminal.exec(helm upgrade shop *)")
    page.get_by_label("Duration").select_option("forever")
    page.get_by_role("button", name="Allow and remember").click()
    expect(page.get_by_text("Nothing is waiting")).to_be_visible()
    own_server.stop()
    own_server.start()

    upgrade = [
        own_server.submit("terminal.exec", {"command": f"helm upgrade {name} 2.0"})
        for name in ("shop", "blog")
    ]
    assert [reply["outcome"] for reply in upgrade] == ["run", "wait"]


def test_a_browser_without_a_network_shows_it_immediately(own_server: WebServer, page: Page) -> None:
    id = own_server.ask("make one")
    wait_until_armed(page)
    page.context.set_offline(True)

    expect(page.get_by_text("Not connected.")).to_be_visible()
    expect(page.get_by_role("button", name="Allow once")).to_be_disabled()
    page.context.set_offline(False)
    expect(page.get_by_text("Not connected.")).to_have_count(0)
    assert own_server.state(id) == "pending"


def test_events_during_a_lost_connection_are_shown_afterwards(own_server: WebServer, page: Page) -> None:
    answered, waiting = (ask_and_leave(own_server, f"make {word}") for word in ("one", "two"))
    wait_until_armed(page)
    page.context.set_offline(True)
    own_server.stop()  # All open connections of the page are closed.
    own_server.start()
    own_server.answer(answered, "deny")
    new = ask_and_leave(own_server, "make three")
    page.context.set_offline(False)
    page.evaluate("dispatchEvent(new Event('online'))")

    expect(page).to_have_title("(2) Inbox · Assent")
    expect(page.get_by_text("You denied this")).to_be_visible()
    expect(page.get_by_role("link", name="make three").first).to_be_visible()
    assert [own_server.state(id) for id in (answered, waiting, new)] == ["denied", "pending", "pending"]


@pytest.mark.proves("R004-45")
def test_a_failed_request_for_tools_is_shown_and_repeated(own_server: WebServer, page: Page) -> None:
    own_server.declare_tools("clerk", {"name": "mail.send", "effect": "external"})
    own_server.declare_tools("porter", {"name": "door.open", "effect": "external"})
    page.goto(f"{own_server.url}/#/agents/porter")
    page.reload()
    page.get_by_role("radiogroup", name="door.open").wait_for()
    own_server.stop()
    page.get_by_role("link", name="clerk").click()
    again = page.get_by_role("button", name="Try again")
    again.wait_for()
    expect(page.get_by_text("No call was allowed")).to_be_visible()
    own_server.start()
    again.click()

    expect(page.get_by_role("radiogroup", name="mail.send")).to_be_visible()
