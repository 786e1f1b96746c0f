"""Reviewing several questions at once: only similar calls, and only calls that were shown completely."""

import pytest
from playwright.sync_api import Page, expect

from tests.web.conftest import PHONE_VIEWPORT, OpenPage
from tests.web.server import WebServer

SCRIPT_LINES = 300


def make_script(mark: str) -> str:
    return "\n".join(f"{mark} = {number}" for number in range(SCRIPT_LINES)) + f"\nlast_{mark} = True\n"


def ask_to_write(server: WebServer, mark: str) -> str:
    return server.ask(agent="writer", tool="files.write", path=f"{mark}.py", content=make_script(mark))


def scroll_to_end(page: Page, mark: str) -> None:
    """Scroll to the end of one call in the review."""
    item = page.locator(".review > li", has_text=f"{mark}.py")
    item.get_by_text(f"last_{mark} = True").scroll_into_view_if_needed()
    item.locator(".review-body").evaluate("body => body.scrollTo(0, body.scrollHeight)")
    item.locator(".review-body").evaluate("body => body.scrollIntoView({ block: 'end' })")
    expect(item.get_by_text("seen", exact=True)).to_be_visible()


@pytest.mark.proves("T-49")
@pytest.mark.parametrize("viewport", [None, PHONE_VIEWPORT], ids=["desk", "phone"])
def test_a_script_of_300_lines_is_reviewed_when_its_end_was_shown(
    server: WebServer, open_page: OpenPage, viewport: object
) -> None:
    ids = [ask_to_write(server, mark) for mark in ("alpha", "beta")]
    page = open_page() if viewport is None else open_page(viewport=PHONE_VIEWPORT)
    page.get_by_role("button", name="Review 2 together").click()
    allow = page.get_by_role("button", name="Allow 2 once")
    expect(page.get_by_text("not seen to the end")).to_have_count(2)
    expect(allow).to_be_disabled()

    scroll_to_end(page, "alpha")
    expect(page.get_by_text("not seen to the end")).to_have_count(1)
    expect(allow).to_be_disabled()
    expect(page.get_by_role("button", name="Allow the 1 I have seen")).to_be_enabled()

    scroll_to_end(page, "beta")
    allow.click()
    page.get_by_role("dialog").wait_for(state="detached")
    assert [server.state(id) for id in ids] == ["approved", "approved"]


@pytest.mark.proves("T-49")
def test_only_reviewed_calls_are_allowed_and_a_denial_needs_no_review(
    server: WebServer, open_page: OpenPage
) -> None:
    one, two, three = [ask_to_write(server, mark) for mark in ("one", "two", "three")]
    page = open_page()
    page.get_by_role("button", name="Review 3 together").click()
    scroll_to_end(page, "two")
    page.get_by_role("button", name="Allow the 1 I have seen").click()
    page.get_by_role("dialog").wait_for(state="detached")
    assert [server.state(id) for id in (one, two, three)] == ["pending", "approved", "pending"]

    page.get_by_role("button", name="Review 2 together").click()
    page.get_by_role("button", name="Deny 2").click()
    page.get_by_role("dialog").wait_for(state="detached")
    assert [server.state(id) for id in (one, three)] == ["denied", "denied"]


@pytest.mark.proves("T-49")
def test_a_review_lists_similar_calls_without_dangerous_ones(server: WebServer, open_page: OpenPage) -> None:
    for command in ("npm run a", "npm run b", "helm upgrade x", "helm upgrade y", "make z"):
        server.ask(command, agent="mixer")
    for command in ("git push --force", "git push --force origin dev", "rm -rf ~/", "npm run a; npm run b"):
        server.ask(command, agent="mixer")
    page = open_page()
    page.get_by_role("button", name="Review 4 together").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.locator(".review > li")).to_have_count(2)
    expect(dialog.get_by_label("Include npm run a")).to_be_visible()

    dialog.get_by_text("helm upgrade · 2").click()
    expect(dialog.get_by_label("Include helm upgrade y")).to_be_visible()
    expect(dialog.get_by_label("Include npm run a")).to_have_count(0)
