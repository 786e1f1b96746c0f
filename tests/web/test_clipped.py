"""A large question: the list contains only an excerpt, and nobody can allow what they have not seen."""

import re

import pytest
from playwright.sync_api import Page, Route, expect

from tests.web.conftest import OpenPage, wait_until_armed
from tests.web.server import WebServer

LONG_TEXT = "0123456789abcde\n" * 62_500 + "Please pay at https://x.example"
"""About 1 MB; the dangerous command is at the end."""


class DelayedRequest:
    """Holds back the request for a complete question until the test releases it."""

    def __init__(self, page: Page) -> None:
        self.answers: list[str] = []
        self._waiting: list[Route] = []
        self._is_open = False
        page.route(re.compile(r"/v1/approvals/[0-9a-f-]+$"), self._hold_route)
        page.on("request", self._note_request)

    def release(self) -> None:
        """Send the held request."""
        self._is_open = True
        for route in self._waiting:
            route.continue_()

    def _hold_route(self, route: Route) -> None:
        if self._is_open:
            route.continue_()
        else:
            self._waiting.append(route)

    def _note_request(self, request: object) -> None:
        url = str(getattr(request, "url", ""))
        if "/answer" in url:
            self.answers.append(url)


def try_to_allow(page: Page) -> None:
    """Try to allow the call with every key and with the mouse."""
    allow = page.get_by_role("button", name="Allow once", exact=True)
    expect(allow).to_be_disabled()
    for key in ("y", "a", "Enter", "Control+Enter"):
        page.keyboard.press(key)
    allow.click(force=True)
    expect(page.get_by_role("button", name="For this conversation")).to_have_count(0)
    expect(page.get_by_role("button", name="Always…")).to_have_count(0)


@pytest.mark.proves("T-49")
def test_a_large_call_cannot_be_allowed_before_all_of_it_was_opened(
    server: WebServer, open_page: OpenPage
) -> None:
    server.declare_tools("clerk", {"name": "letter.send", "effect": "external"})
    page = open_page()
    # The request is held before the question exists: the inbox opens the first question by itself.
    held = DelayedRequest(page)
    id = server.ask(tool="letter.send", agent="clerk", to="all@acme.example", body=LONG_TEXT)
    page.goto(f"{server.url}/#/inbox/{id}")
    wait_until_armed(page)

    # The page has only the excerpt from the list.
    expect(page.locator(".card")).to_contain_text("more characters")
    try_to_allow(page)

    # The page has the complete call, and shows its beginning and its end.
    held.release()
    expect(page.locator(".card .cut").first).to_be_visible()
    expect(page.locator(".card")).to_contain_text("https://x.example")
    wait_until_armed(page)
    try_to_allow(page)
    assert (held.answers, server.state(id)) == ([], "pending")

    page.keyboard.press("x")
    expect(page.get_by_role("button", name="Allow once")).to_be_enabled()
    page.keyboard.press("y")
    page.get_by_text("You allowed this once").wait_for()
    assert server.state(id) == "approved"
