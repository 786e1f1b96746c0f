"""If a part of the app cannot load, the page shows an error, or reloads once after a server upgrade."""

import re
from collections.abc import Callable

from playwright.sync_api import Page, Response, Route, expect

from tests.web.conftest import OpenPage, wait_until_loaded

MISSING_FILE_MESSAGES = (
    "status of 404",
    "Failed to fetch dynamically imported module",
    "error occurred in the",
    "LOCAL_NETWORK_ACCESS",
)
"""Console messages that are expected when files are missing or the page is replaced."""
ENTRY_SCRIPT = re.compile(r"/assets/index-[\w-]+\.js")


def reply_not_found(route: Route) -> None:
    route.fulfill(status=404, body="")


class UpgradedServer:
    """Imitates an upgraded server: the script has a new name, and old files may be missing."""

    def __init__(self, page: Page, *, chunk: str, mended: bool) -> None:
        self.loads = 0
        self._is_new = False
        self._mended = mended
        page.route("**/", self._serve_page)
        page.route(f"**/assets/{chunk}-*.js", self._serve_chunk)

    def _serve_page(self, route: Route) -> None:
        body = ENTRY_SCRIPT.sub(lambda found: f"{found[0]}?new", route.fetch().text())
        if route.request.is_navigation_request():
            self.loads += 1
            self._is_new = True
        route.fulfill(status=200, content_type="text/html; charset=utf-8", body=body)

    def _serve_chunk(self, route: Route) -> None:
        if self._is_new and self._mended:
            route.continue_()
        else:
            reply_not_found(route)


def test_a_page_that_cannot_load_says_so_and_can_be_tried_again(open_page: OpenPage) -> None:
    page = open_page("#/inbox", forgives=MISSING_FILE_MESSAGES)
    wait_until_loaded(page)
    page.route("**/assets/Rules-*.js", reply_not_found)
    page.get_by_role("link", name="Rules").first.click()
    expect(page.get_by_role("alert")).to_contain_text("This page could not be shown")
    page.get_by_role("link", name="Inbox").first.click()
    wait_until_loaded(page)
    page.get_by_role("link", name="Rules").first.click()
    expect(page.get_by_role("button", name="Reload the page")).to_be_visible()
    page.unroute("**/assets/Rules-*.js")
    page.get_by_role("button", name="Try again").click()

    expect(page.get_by_role("heading", level=1, name="Rules")).to_be_visible()


def test_after_an_upgrade_the_page_loads_itself_once_and_keeps_what_was_typed(open_page: OpenPage) -> None:
    page = open_page("#/chat", forgives=MISSING_FILE_MESSAGES)
    page.get_by_label("Message", exact=True).fill("half a thought")
    upgrade = UpgradedServer(page, chunk="Rules", mended=True)
    page.get_by_role("link", name="Rules").first.click()
    expect(page.get_by_role("heading", level=1, name="Rules")).to_be_visible()
    page.get_by_role("link", name="Chat").first.click()

    expect(page.get_by_label("Message", exact=True)).to_have_value("half a thought")
    assert upgrade.loads == 1


def test_the_page_does_not_reload_forever_if_files_are_missing(open_page: OpenPage) -> None:
    page = open_page("#/inbox", forgives=MISSING_FILE_MESSAGES)
    wait_until_loaded(page)
    upgrade = UpgradedServer(page, chunk="Rules", mended=False)
    page.get_by_role("link", name="Rules").first.click()
    expect(page.get_by_role("alert")).to_contain_text("This page could not be shown")
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("alert")).to_contain_text("This page could not be shown")

    assert upgrade.loads == 1


def test_an_app_that_cannot_load_shows_an_error(open_page: OpenPage) -> None:
    page = open_page("#/inbox", forgives=MISSING_FILE_MESSAGES)
    wait_until_loaded(page)
    loads: list[str] = []
    page.on("response", _record_page_loads(loads))
    page.route("**/assets/index-*.js", reply_not_found)
    page.reload()
    expect(page.get_by_text("Assent could not be loaded")).to_be_visible()
    assert len(loads) == 2
    page.unroute("**/assets/index-*.js")
    page.get_by_role("link", name="Load it again").click()

    wait_until_loaded(page)


def _record_page_loads(loads: list[str]) -> Callable[[Response], None]:
    def record_load(response: Response) -> None:
        if response.request.resource_type == "document":
            loads.append(response.url)

    return record_load
