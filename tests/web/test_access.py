"""Everybody can use it: nothing for axe to find, no sideways scrolling, everything by keyboard, questions said aloud."""

import pytest
from playwright.sync_api import expect

from tests.web.conftest import DESK, PHONE, Open, armed, settled
from tests.web.house import House
from tests.web.inspection import problems

ZOOMED = {"width": 640, "height": 400}
"""What a desk of 1280 pixels has at 200 %."""
ROUTES = ("#/inbox", "#/chat", "#/agents/clerk", "#/rules", "#/history", "#/settings")


def furnish(house: House) -> None:
    """One of each kind, so that every page has something to show."""
    house.declare(
        "clerk",
        {"name": "mail.send", "effect": "external", "description": "Send a mail."},
        {"name": "crm.delete_contact", "effect": "destructive", "description": "Delete a contact."},
    )
    house.api("POST", "rules", {"list": "allow", "text": "terminal.exec(npm run *)", "why": "reviewed"})
    house.ask("cd web && npm run build && rm -rf ../../build-cache", description="Clearing the cache.")
    house.ask("rm -rf ~/")
    house.ask("cp a\u202eb /tmp/c")
    house.ask(tool="files.write", path="CHANGELOG.md", content="# Changelog\n\n- One\n")
    house.ask(agent="clerk", tool="crm.delete_contact", id=8841, name="Lena Ortiz")
    house.ask(agent="clerk", tool="mail.send", to="a@b.example", body="Hello " * 600)


@pytest.mark.parametrize(
    ("viewport", "language"),
    [(DESK, "en"), (PHONE, "en"), (DESK, "es"), (ZOOMED, "es")],
    ids=["desk", "phone", "desk in Spanish", "zoomed in Spanish"],
)
def test_nothing_is_wrong_with_any_page(
    house: House, open_page: Open, viewport: dict[str, int], language: str
) -> None:
    furnish(house)
    page = open_page(viewport=viewport, reduced_motion="reduce")
    page.evaluate("language => localStorage.setItem('assent.language', language)", language)
    page.goto("about:blank")
    for route in ROUTES:
        page.goto(f"{house.url}/{route}")
        settled(page)

        assert (route, problems(page)) == (route, [])


@pytest.mark.parametrize("viewport", [DESK, PHONE], ids=["desk", "phone"])
def test_nothing_is_wrong_with_any_card(house: House, open_page: Open, viewport: dict[str, int]) -> None:
    furnish(house)
    ended = house.ask("make dist")
    house.answer(ended, "deny", reason="Not now.")
    page = open_page(viewport=viewport, reduced_motion="reduce")
    for id in (*(one["id"] for one in house.pending()), ended):
        page.goto(f"{house.url}/#/inbox/{id}")
        page.locator(".card[data-armed=true], .card-over").wait_for()

        assert (id, problems(page)) == (id, [])


@pytest.mark.parametrize(
    ("opened", "then"),
    [("Always…", ".preview"), ("Say why…", "textarea"), ("Edit", "textarea")],
)
def test_nothing_is_wrong_with_the_editors(house: House, open_page: Open, opened: str, then: str) -> None:
    house.ask("git push origin main")
    page = open_page(reduced_motion="reduce")
    armed(page)
    page.get_by_role("button", name=opened).click()
    page.locator(".card").locator(then).first.wait_for()

    assert problems(page) == []


@pytest.mark.parametrize("keys", ["?", "Control+k"])
def test_nothing_is_wrong_with_the_dialogs(house: House, open_page: Open, keys: str) -> None:
    house.ask("git push origin main")
    page = open_page(reduced_motion="reduce")
    armed(page)
    page.keyboard.press(keys)
    page.get_by_role("dialog").wait_for()

    assert problems(page) == []


def test_a_question_is_said_aloud(house: House, open_page: Open) -> None:
    page = open_page()
    page.get_by_text("Nothing is waiting").wait_for()
    house.ask("make release", agent="builder")

    expect(page.locator("[aria-live=polite]").first).to_have_text(
        "New question from builder: terminal.exec make release"
    )


def test_the_palette_goes_anywhere_by_keyboard(house: House, open_page: Open) -> None:
    page = open_page()
    page.get_by_text("Nothing is waiting").wait_for()
    page.keyboard.press("Control+k")
    page.keyboard.type("hist")
    page.keyboard.press("Enter")

    expect(page.get_by_role("heading", name="History", level=1)).to_be_visible()


def test_a_whole_answer_by_keyboard_alone(house: House, open_page: Open) -> None:
    first = house.ask("git push origin one")
    second = house.ask("git push origin two")
    page = open_page()
    armed(page)
    page.keyboard.press("j")
    expect(page.locator(".card")).to_contain_text("origin two")
    armed(page)
    page.keyboard.press("n")
    expect(page.locator(".card")).to_contain_text("origin one")

    assert (house.approval(first)["state"], house.approval(second)["state"]) == ("pending", "denied")


def test_it_speaks_spanish_and_stores_what_it_always_stored(house: House, open_page: Open) -> None:
    house.ask("make release")
    page = open_page("#/settings")
    page.get_by_role("radio", name="Español").click()
    expect(page.get_by_role("heading", name="Ajustes")).to_be_visible()
    page.goto(f"{house.url}/#/inbox")
    armed(page)
    page.get_by_role("button", name="Denegar").click()
    page.get_by_text("Lo denegaste").wait_for()

    assert page.evaluate("document.documentElement.lang") == "es"


def test_the_next_card_has_the_focus_after_an_answer_and_the_answer_is_said_aloud(
    house: House, open_page: Open
) -> None:
    first = house.ask("git push origin one")
    house.ask("git push origin two")
    page = open_page(f"#/inbox/{first}")
    armed(page)
    page.get_by_role("button", name="Deny").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".card")).to_contain_text("origin two")

    expect(page.locator(".card")).to_be_focused()
    expect(page.locator("[aria-live=polite]").first).to_have_text("terminal.exec: denied")


def test_an_answer_leaves_the_focus_where_somebody_types(house: House, open_page: Open) -> None:
    first = house.ask("git push origin one")
    house.ask("git push origin two")
    page = open_page(f"#/inbox/{first}")
    armed(page)
    page.get_by_label("Filter by agent, tool, words").focus()
    house.answer(first, "deny")
    expect(page.locator(".card")).to_contain_text("origin two")

    expect(page.get_by_label("Filter by agent, tool, words")).to_be_focused()


def test_a_language_is_changed_without_loading_anything_anew(house: House, open_page: Open) -> None:
    page = open_page("#/settings")
    page.evaluate("window.same = true")
    for word, title in (("Español", "Ajustes"), ("English", "Settings")):
        page.get_by_role("radio", name=word).click()
        expect(page.get_by_role("heading", name=title, level=1)).to_be_visible()
        expect(page).to_have_title(f"{title} · Assent")

    assert page.evaluate("window.same") is True
