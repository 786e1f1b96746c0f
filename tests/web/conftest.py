"""A server, a browser and a page that must behave: no error, no foreign request, nothing against the policy."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Error,
    Page,
    Request,
    expect,
    sync_playwright,
)

from tests.web.house import PATIENCE, House, is_built, running
from tools.chromium import FLAGS, chromium

PATIENT = PATIENCE * 1000
expect.set_options(timeout=PATIENT)

DESK = {"width": 1440, "height": 900}
PHONE = {"width": 390, "height": 844}
WATCH = """addEventListener("securitypolicyviolation", (event) =>
  console.error(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`));"""
EXPECTED = ("status of 401",)
"""What the door says to whoever is not in yet."""


@pytest.fixture(scope="session")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """One server for all of a process's tests: to start it takes longer than most of them."""
    if not is_built():
        pytest.fail("the web app is not built: run `./dev web build`")
    with running(tmp_path_factory.mktemp("house")) as found:
        yield found


# INVARIANT: a module's, not a session's: while Playwright runs, no other test of this process can have a loop.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=list(FLAGS), timeout=PATIENT)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def session(house: House) -> object:
    """The owner's session."""
    return house.session()


Open = Callable[..., Page]


class Pages:
    """Pages of somebody who is logged in, and whatever they did wrong."""

    def __init__(self, browser: Browser, url: str, session: object) -> None:
        self.wrong: list[str] = []
        self._browser = browser
        self._url = url
        self._session = session
        self._contexts: list[BrowserContext] = []

    def open(
        self,
        route: str = "#/inbox",
        *,
        viewport: dict[str, int] = DESK,
        state: object = True,
        forgives: tuple[str, ...] = (),
        **more: object,
    ) -> Page:
        """A page in a browser of its own; without a `state` nobody is logged in."""
        stored = self._session if state is True else state
        context = self._browser.new_context(viewport=viewport, storage_state=stored, locale="en-GB", **more)  # type: ignore[arg-type]
        self._contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENT)
        page.add_init_script(WATCH)
        self._watch(page, (*EXPECTED, *forgives))
        page.goto(f"{self._url}/{route}")
        return page

    def close(self) -> None:
        """Close them all."""
        for context in self._contexts:
            context.close()

    def _watch(self, page: Page, forgiven: tuple[str, ...]) -> None:
        ours = (self._url, self._url.replace("http", "ws"), "data:", "blob:")

        def console(message: ConsoleMessage) -> None:
            if message.type == "error" and not any(known in message.text for known in forgiven):
                self.wrong.append(f"{message.text} ({message.location['url']})")

        def request(found: Request) -> None:
            if not found.url.startswith(ours):
                self.wrong.append(f"asked another host: {found.url}")

        page.on("console", console)
        page.on("request", request)
        page.on("pageerror", lambda error: self.wrong.append(str(error)))


@pytest.fixture
def open_page(house: House, browser: Browser, session: object) -> Iterator[Open]:
    """Opens pages of the owner on a server that holds nothing; afterwards each must have behaved."""
    house.clear()
    pages = Pages(browser, house.url, session)
    yield pages.open
    pages.close()
    assert pages.wrong == []


def armed(page: Page) -> None:
    """Wait until keys and clicks count."""
    page.locator(".card[data-armed=true]").wait_for()


def stopping(page: Page) -> None:
    """Let a test have the page's clock, which goes on as before; for what the page shows from now on."""
    page.clock.install()


def stopped(page: Page) -> None:
    """Let no time pass on the page but what the test lets pass, however busy the machine is."""
    try:
        page.clock.pause_at(_soon(page))
    except Error:
        # It was later than that when the page heard of it; from then on its clock stands still.
        page.clock.pause_at(_soon(page))


def _soon(page: Page) -> datetime:
    return datetime.fromtimestamp(page.evaluate("Date.now()") / 1000 + 0.5, UTC)


def settled(page: Page) -> None:
    """Wait until a page has its head, and no longer bones."""
    page.get_by_role("heading", level=1).wait_for()
    expect(page.locator(".bone")).to_have_count(0)
