"""A thread of the chat: its cards do what the inbox's do, and the files of the workspace show it."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.web.conftest import DESK, PHONE, Open, armed
from tests.web.house import House
from tests.web.inspection import problems

SAVE = '/call write_file {"path": "%s", "content": "hello"}'


def said(page: Page, text: str) -> None:
    """Send a message, as a person does."""
    page.get_by_role("textbox", name=re.compile("^Message")).fill(text)
    page.get_by_role("button", name="Send").click()


def saved(house: House, name: str) -> bool:
    return Path(house.directory, name).exists()


@pytest.mark.proves("R000-18", "R000-29", "R004-48")
def test_a_card_shows_the_arguments_and_a_yes_runs_them(house: House, open_page: Open) -> None:
    page = open_page("#/chat")
    said(page, SAVE % "yes.txt")
    armed(page)
    card = page.locator(".card")
    expect(card).to_contain_text("yes.txt")
    expect(card).to_contain_text("hello")
    for name in ("Allow once", "Always…", "Deny", "Say why…"):
        expect(card.get_by_role("button", name=name)).to_be_visible()
    assert not saved(house, "yes.txt")
    card.get_by_role("button", name="Allow once").click()

    expect(page.locator("[data-state=output-available]")).to_contain_text("write_file")
    assert Path(house.directory, "yes.txt").read_text("utf-8") == "hello"


@pytest.mark.proves("R000-18")
def test_a_yes_for_the_conversation_is_not_asked_again(house: House, open_page: Open) -> None:
    page = open_page("#/chat")
    said(page, SAVE % "again.txt")
    armed(page)
    page.locator(".card").get_by_role("button", name=re.compile("For this conversation|This chat")).click()
    expect(page.locator("[data-state=output-available]")).to_have_count(1)
    Path(house.directory, "again.txt").unlink()
    said(page, SAVE % "again.txt")

    expect(page.locator("[data-state=output-available]")).to_have_count(2)
    assert saved(house, "again.txt")


@pytest.mark.proves("R000-48")
def test_two_tabs_both_show_the_card_and_one_answer_clears_both(house: House, open_page: Open) -> None:
    first = open_page("#/chat")
    said(first, SAVE % "tabs.txt")
    armed(first)
    second = open_page(first.url.removeprefix(f"{house.url}/"))
    armed(second)
    first.locator(".card").get_by_role("button", name="Deny").click()

    for page in (first, second):
        expect(page.get_by_role("button", name="Allow once")).to_have_count(0)
    assert not saved(house, "tabs.txt")


@pytest.mark.proves("R000-50")
def test_a_plan_is_made_and_nothing_else(house: House, open_page: Open) -> None:
    page = open_page("#/chat")
    page.get_by_role("button", name="Mode: Default").click()
    items = page.get_by_role("menuitemradio")
    expect(items.first).to_be_visible()
    assert all(len(text.split("\n")) >= 2 for text in items.all_inner_texts())  # a name, and a line about it
    items.filter(has_text="Plan").click()
    expect(page.get_by_role("button", name="Mode: Plan")).to_be_visible()
    said(page, SAVE % "planned.txt")

    expect(page.get_by_role("log")).to_contain_text("plan")
    expect(page.locator(".card")).to_have_count(0)
    assert not saved(house, "planned.txt")


def test_what_a_tool_gave_is_one_click_away(house: House, open_page: Open) -> None:
    Path(house.directory, "notes.txt").write_text("the harbour", encoding="utf-8")
    page = open_page("#/chat")
    said(page, '/call read_file {"path": "notes.txt"}')
    row = page.locator("[data-state=output-available]")
    row.get_by_role("button", name="Show").click()

    expect(row).to_contain_text("the harbour")


def test_the_tools_are_listed(open_page: Open) -> None:
    page = open_page("#/chat")
    said(page, "hello")
    page.get_by_role("button", name="/tools").click()

    expect(page.get_by_role("dialog")).to_contain_text("write_file")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [DESK, PHONE], ids=["desk", "phone"])
def test_nothing_is_wrong_with_a_thread(open_page: Open, viewport: dict[str, int], scheme: str) -> None:
    page = open_page("#/chat", viewport=viewport, color_scheme=scheme, reduced_motion="reduce")
    said(page, '/call read_file {"path": "missing.txt"}\nthen\n' + SAVE % "axe.txt")
    armed(page)
    page.wait_for_timeout(300)

    assert problems(page) == []
