"""The web app is accessible: no problems found by axe, keyboard use, screen reader announcements."""

import pytest
from playwright.sync_api import expect

from tests.web.conftest import DESKTOP_VIEWPORT, PHONE_VIEWPORT, OpenPage, wait_until_armed, wait_until_loaded
from tests.web.inspection import find_page_problems
from tests.web.server import WebServer

ZOOMED_VIEWPORT = {"width": 640, "height": 400}
"""The viewport of a screen of 1280 pixels at a zoom of 200 %."""
ROUTES = ("#/inbox", "#/chat", "#/agents/clerk", "#/rules", "#/history", "#/settings")


def create_samples(server: WebServer) -> None:
    """Create one sample of each kind, so that every page has content."""
    server.declare_tools(
        "clerk",
        {"name": "mail.send", "effect": "external", "description": "Send a mail."},
        {"name": "crm.delete_contact", "effect": "destructive", "description": "Delete a contact."},
    )
    server.send_request(
        "POST", "rules", {"list": "allow", "text": "terminal.exec(npm run *)", "why": "reviewed"}
    )
    server.ask("cd web && npm run build && rm -rf ../../build-cache", description="Clearing the cache.")
    server.ask("rm -rf ~/")
    server.ask("cp a\u202eb /tmp/c")
    server.ask(tool="files.write", path="CHANGELOG.md", content="# Changelog\n\n- One\n")
    server.ask(agent="clerk", tool="crm.delete_contact", id=8841, name="Lena Ortiz")
    server.ask(agent="clerk", tool="mail.send", to="a@b.example", body="Hello " * 600)


@pytest.mark.parametrize(
    ("viewport", "language"),
    [(DESKTOP_VIEWPORT, "en"), (PHONE_VIEWPORT, "en"), (DESKTOP_VIEWPORT, "es"), (ZOOMED_VIEWPORT, "es")],
    ids=["desk", "phone", "desk in Spanish", "zoomed in Spanish"],
)
def test_every_page_is_accessible(
    server: WebServer, open_page: OpenPage, viewport: dict[str, int], language: str
) -> None:
    create_samples(server)
    page = open_page(viewport=viewport)
    page.evaluate("language => localStorage.setItem('assent.language', language)", language)
    page.goto("about:blank")
    for route in ROUTES:
        page.goto(f"{server.url}/{route}")
        wait_until_loaded(page)

        assert (route, find_page_problems(page)) == (route, [])


@pytest.mark.parametrize("viewport", [DESKTOP_VIEWPORT, PHONE_VIEWPORT], ids=["desk", "phone"])
def test_every_card_is_accessible(server: WebServer, open_page: OpenPage, viewport: dict[str, int]) -> None:
    create_samples(server)
    ended = server.ask("make dist")
    server.answer(ended, "deny", reason="Not now.")
    page = open_page(viewport=viewport)
    for id in (*(one["id"] for one in server.pending()), ended):
        page.goto(f"{server.url}/#/inbox/{id}")
        page.locator(".card[data-armed=true], .card-over").wait_for()

        assert (id, find_page_problems(page)) == (id, [])


@pytest.mark.parametrize(
    ("opened", "then"),
    [("Always…", ".preview"), ("Add a reason…", "textarea"), ("Edit", "textarea")],
)
def test_every_editor_is_accessible(server: WebServer, open_page: OpenPage, opened: str, then: str) -> None:
    server.ask("git push origin main")
    page = open_page()
    wait_until_armed(page)
    page.get_by_role("button", name=opened).click()
    page.locator(".card").locator(then).first.wait_for()

    assert find_page_problems(page) == []


@pytest.mark.parametrize("keys", ["?", "Control+k"])
def test_every_dialog_is_accessible(server: WebServer, open_page: OpenPage, keys: str) -> None:
    server.ask("git push origin main")
    page = open_page()
    wait_until_armed(page)
    page.keyboard.press(keys)
    page.get_by_role("dialog").wait_for()

    assert find_page_problems(page) == []


def test_a_new_question_is_announced_to_screen_readers(server: WebServer, open_page: OpenPage) -> None:
    page = open_page()
    page.get_by_text("Nothing is waiting").wait_for()
    server.ask("make release", agent="builder")

    expect(page.locator("[aria-live=polite]").first).to_have_text(
        "New question from builder: terminal.exec make release"
    )


def test_the_palette_opens_every_page_by_keyboard(server: WebServer, open_page: OpenPage) -> None:
    page = open_page()
    page.get_by_text("Nothing is waiting").wait_for()
    page.keyboard.press("Control+k")
    page.keyboard.type("hist")
    page.keyboard.press("Enter")

    expect(page.get_by_role("heading", name="History", level=1)).to_be_visible()


def test_a_question_can_be_answered_by_keyboard_alone(server: WebServer, open_page: OpenPage) -> None:
    first = server.ask("git push origin one")
    second = server.ask("git push origin two")
    page = open_page()
    wait_until_armed(page)
    page.keyboard.press("j")
    expect(page.locator(".card")).to_contain_text("origin two")
    wait_until_armed(page)
    page.keyboard.press("n")
    expect(page.locator(".card")).to_contain_text("origin one")

    assert (server.approval(first)["state"], server.approval(second)["state"]) == ("pending", "denied")


def test_the_spanish_page_stores_the_same_values(server: WebServer, open_page: OpenPage) -> None:
    server.ask("make release")
    page = open_page("#/settings")
    page.get_by_role("radio", name="Español").click()
    expect(page.get_by_role("heading", name="Ajustes")).to_be_visible()
    page.goto(f"{server.url}/#/inbox")
    wait_until_armed(page)
    page.get_by_role("button", name="Denegar").click()
    page.get_by_text("Lo denegaste").wait_for()

    assert page.evaluate("document.documentElement.lang") == "es"


def test_after_an_answer_the_next_card_has_the_focus_and_the_answer_is_announced(
    server: WebServer, open_page: OpenPage
) -> None:
    first = server.ask("git push origin one")
    server.ask("git push origin two")
    page = open_page(f"#/inbox/{first}")
    wait_until_armed(page)
    page.get_by_role("button", name="Deny").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".card")).to_contain_text("origin two")

    expect(page.locator(".card")).to_be_focused()
    expect(page.locator("[aria-live=polite]").first).to_have_text("terminal.exec: denied")


def test_an_answer_does_not_move_the_focus_from_a_text_field(server: WebServer, open_page: OpenPage) -> None:
    first = server.ask("git push origin one")
    server.ask("git push origin two")
    page = open_page(f"#/inbox/{first}")
    wait_until_armed(page)
    page.get_by_label("Filter by agent, tool, words").focus()
    server.answer(first, "deny")
    expect(page.locator(".card")).to_contain_text("origin two")

    expect(page.get_by_label("Filter by agent, tool, words")).to_be_focused()


def test_the_language_changes_without_reloading_the_page(server: WebServer, open_page: OpenPage) -> None:
    page = open_page("#/settings")
    page.evaluate("window.same = true")
    for word, title in (("Español", "Ajustes"), ("English", "Settings")):
        page.get_by_role("radio", name=word).click()
        expect(page.get_by_role("heading", name=title, level=1)).to_be_visible()
        expect(page).to_have_title(f"{title} · Assent")

    assert page.evaluate("window.same") is True
