"""A server, a browser and pages; a page fails its test on errors, foreign requests and policy violations."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Error,
    Page,
    Playwright,
    Request,
    expect,
    sync_playwright,
)

from tests.web.server import MAX_WAIT_SECONDS, WebServer, is_web_app_built, run_web_server
from tools.chromium import HEADLESS_FLAGS, find_headless_chromium

TIMEOUT_MILLISECONDS = MAX_WAIT_SECONDS * 1000
expect.set_options(timeout=TIMEOUT_MILLISECONDS)

DESKTOP_VIEWPORT = {"width": 1440, "height": 900}
PHONE_VIEWPORT = {"width": 390, "height": 844}
REPORT_POLICY_VIOLATIONS = """addEventListener("securitypolicyviolation", (event) =>
  console.error(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`));"""
EXPECTED_CONSOLE_MESSAGES = ("status of 401",)
"""Console messages that every page may have: the reply to a visitor without a session."""


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    """One server for all tests of a process: its start takes longer than most tests."""
    if not is_web_app_built():
        pytest.fail("the web app is not built: run `./dev web build`")
    with run_web_server(tmp_path_factory.mktemp("server")) as found:
        yield found


@pytest.fixture(scope="session")
def shared_playwright() -> Iterator[Playwright]:
    """The process that controls the browsers of all modules."""
    with sync_playwright() as playwright:
        yield playwright
        mark_loop_of(playwright, running=True)


@pytest.fixture(scope="session")
def shared_browser(shared_playwright: Playwright) -> Iterator[Browser]:
    """The browser of all modules: its start takes longer than most tests."""
    mark_loop_of(shared_playwright, running=True)
    with launch_browser(shared_playwright, find_headless_chromium()) as browser:
        yield browser
        mark_loop_of(shared_playwright, running=True)


@pytest.fixture(scope="module")
def playwright(shared_playwright: Playwright) -> Iterator[Playwright]:
    """The process that controls the browsers, ready for the tests of a module."""
    mark_loop_of(shared_playwright, running=True)
    yield shared_playwright
    mark_loop_of(shared_playwright, running=False)


@pytest.fixture(scope="module")
def browser(playwright: Playwright, shared_browser: Browser) -> Browser:
    """The browser, ready for the tests of a module."""
    return shared_browser


def mark_loop_of(playwright: Playwright, *, running: bool) -> None:
    """Mark Playwright's event loop as the running loop of this thread, or no loop.

    Playwright leaves its loop marked as running between its calls.
    """
    # INVARIANT: no loop is marked while tests of other modules run, or they cannot run their own loop.
    asyncio._set_running_loop(playwright._loop if running else None)


@contextmanager
def launch_browser(playwright: Playwright, program: str) -> Iterator[Browser]:
    """Start a browser for the block."""
    browser = playwright.chromium.launch(
        executable_path=program, args=list(HEADLESS_FLAGS), timeout=TIMEOUT_MILLISECONDS
    )
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def session(server: WebServer) -> object:
    """The owner's session."""
    return server.new_session()


OpenPage = Callable[..., Page]


class PageOpener:
    """Pages of a person who is logged in, and the errors of these pages."""

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
        viewport: dict[str, int] = DESKTOP_VIEWPORT,
        state: object = True,
        forgives: tuple[str, ...] = (),
        reduced_motion: str = "reduce",
        **more: object,
    ) -> Page:
        """Open a page in a new browser context; without `state` nobody is logged in.

        Without animations a page that waits paints nothing, and needs no CPU time.
        """
        stored = self._session if state is True else state
        context = self._browser.new_context(
            viewport=viewport,  # type: ignore[arg-type]
            storage_state=stored,  # type: ignore[arg-type]
            locale="en-GB",
            reduced_motion=reduced_motion,  # type: ignore[arg-type]
            **more,  # type: ignore[arg-type]
        )
        self._contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(TIMEOUT_MILLISECONDS)
        page.add_init_script(REPORT_POLICY_VIOLATIONS)
        self._collect_errors(page, (*EXPECTED_CONSOLE_MESSAGES, *forgives))
        page.goto(f"{self._url}/{route}")
        return page

    def close(self) -> None:
        """Close all pages."""
        for context in self._contexts:
            context.close()

    def _collect_errors(self, page: Page, forgiven: tuple[str, ...]) -> None:
        ours = (self._url, self._url.replace("http", "ws"), "data:", "blob:")

        def record_console_error(message: ConsoleMessage) -> None:
            if message.type == "error" and not any(known in message.text for known in forgiven):
                self.wrong.append(f"{message.text} ({message.location['url']})")

        def record_failed_request(found: Request) -> None:
            if not found.url.startswith(ours):
                self.wrong.append(f"asked another host: {found.url}")

        page.on("console", record_console_error)
        page.on("request", record_failed_request)
        page.on("pageerror", lambda error: self.wrong.append(str(error)))


@pytest.fixture
def open_page(server: WebServer, browser: Browser, session: object) -> Iterator[OpenPage]:
    """Opens pages of the owner on an empty server; fails if one of them had errors."""
    server.clear_questions_and_rules()
    pages = PageOpener(browser, server.url, session)
    yield pages.open
    pages.close()
    assert pages.wrong == []


def wait_until_armed(page: Page) -> None:
    """Wait until the card accepts keys and clicks."""
    page.locator(".card[data-armed=true]").wait_for()


def run_page_briefly(page: Page) -> None:
    """Let the page run for a moment, with the requests that a test intercepts: `time.sleep` would block them."""
    page.wait_for_timeout(20)


def wait_for_frame(page: Page) -> None:
    """Wait until the page has painted what happened before."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def allow_page_time_for_errors(page: Page) -> None:
    """Give a wrong page time to go wrong, where no state shows that a correct one does nothing."""
    page.wait_for_timeout(300)


def install_clock(page: Page) -> None:
    """Let the test control the page's clock, which continues to run; needed before the page shows its timers."""
    page.clock.install()


def pause_clock(page: Page) -> None:
    """Stop the page's clock: time passes on the page only when the test advances it."""
    try:
        page.clock.pause_at(_half_second_later(page))
    except Error:
        # The page was already later than that; after the failure its clock stands still.
        page.clock.pause_at(_half_second_later(page))


def _half_second_later(page: Page) -> datetime:
    return datetime.fromtimestamp(page.evaluate("Date.now()") / 1000 + 0.5, UTC)


def wait_until_loaded(page: Page) -> None:
    """Wait until a page has its heading and no placeholders."""
    page.get_by_role("heading", level=1).wait_for()
    expect(page.locator(".bone")).to_have_count(0)
