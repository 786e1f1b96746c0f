"""A page that loses and regains the focus."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Playwright

from tests.web.conftest import OpenPage, install_clock, launch_browser, pause_clock, wait_until_armed
from tests.web.server import WebServer
from tools.chromium import find_chromium


@pytest.fixture(scope="module")
def browser(playwright: Playwright) -> Iterator[Browser]:
    """The complete Chromium: each page of its headless shell always has the focus."""
    with launch_browser(playwright, find_chromium()) as browser:
        yield browser


@pytest.mark.proves("T-13")
def test_the_click_that_activates_the_window_answers_nothing(server: WebServer, open_page: OpenPage) -> None:
    id = server.ask("make release")
    page = open_page("#/settings")
    install_clock(page)
    page.goto(f"{server.url}/#/inbox/{id}")
    wait_until_armed(page)
    other = page.context.new_page()
    for one in (page, other):  # Playwright makes every page believe that it is visible.
        page.context.new_cdp_session(one).send("Emulation.setFocusEmulationEnabled", {"enabled": False})
    other.bring_to_front()
    page.wait_for_function("!document.hasFocus()")
    pause_clock(page)
    page.bring_to_front()
    page.wait_for_function("document.hasFocus()")
    page.get_by_role("button", name="Allow once").click()
    page.clock.run_for(100)
    page.get_by_text("That click only focused the window").first.wait_for(state="attached")
    assert server.state(id) == "pending"

    page.get_by_role("button", name="Allow once").click()
    page.clock.resume()
    page.get_by_text("You allowed this once").wait_for()
    assert server.state(id) == "approved"
