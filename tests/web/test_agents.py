"""The agents page: what each agent may do with each tool, one by one or a group at once."""

import pytest
from playwright.sync_api import Page, expect

from tests.web.conftest import PHONE, Open
from tests.web.house import House

TOOLS = ("mail.find", "mail.send", "mail.archive")


@pytest.fixture
def clerk(house: House) -> str:
    """An agent whose tools nothing has been said of yet."""
    effects = {"mail.find": "read", "mail.send": "external", "mail.archive": "write"}
    house.declare(
        "clerk", *({"name": tool, "effect": effects[tool], "description": f"Does {tool}."} for tool in TOOLS)
    )
    house.api("PUT", "agents/clerk/tools", {"tools": []})
    return "#/agents/clerk"


def tier(page: Page, tool: str, name: str) -> None:
    page.get_by_role("radiogroup", name=tool, exact=True).get_by_role("radio", name=name).click()
    page.get_by_text("Saved.").first.wait_for(state="attached")


def said(house: House) -> dict[str, str]:
    return {one["toolName"]: one["status"] for one in house.api("GET", "agents/clerk/tools")["tools"]}


@pytest.mark.proves("R004-45")
def test_each_tool_has_three_states_and_they_count(house: House, open_page: Open, clerk: str) -> None:
    page = open_page(clerk)
    tier(page, "mail.send", "Always allow")
    assert said(house) == {"mail.send": "always_allow"}
    assert house.submit("mail.send", {"to": "a"}, agent="clerk")["outcome"] == "run"

    tier(page, "mail.send", "Blocked")
    expect(
        page.get_by_role("radiogroup", name="mail.send").get_by_role("radio", name="Blocked")
    ).to_be_checked()
    assert said(house) == {"mail.send": "blocked"}
    assert house.submit("mail.send", {"to": "a"}, agent="clerk")["outcome"] == "refuse"


@pytest.mark.proves("R004-45", "R004-46")
def test_a_group_of_two_minds_is_mixed_until_it_is_set_as_one(
    house: House, open_page: Open, clerk: str
) -> None:
    page = open_page(clerk)
    group = page.get_by_role("radiogroup", name="The whole group: office")
    group.wait_for()
    expect(page.get_by_text("Mixed")).to_have_count(0)
    tier(page, "mail.send", "Needs approval")
    expect(page.get_by_text("Mixed", exact=True)).to_be_visible()
    expect(group.get_by_role("radio", checked=True)).to_have_count(0)

    tier(page, "The whole group: office", "Blocked")
    expect(page.get_by_text("Mixed")).to_have_count(0)
    expect(group.get_by_role("radio", name="Blocked")).to_be_checked()
    assert said(house) == dict.fromkeys(TOOLS, "blocked")


def test_arrow_keys_choose_a_state(house: House, open_page: Open, clerk: str) -> None:
    page = open_page(clerk)
    tier(page, "mail.send", "Always allow")
    chosen = page.get_by_role("radiogroup", name="mail.send").get_by_role("radio", name="Always allow")
    expect(chosen).to_be_checked()
    expect(chosen).to_be_enabled()
    chosen.focus()
    page.keyboard.press("ArrowRight", delay=100)  # as long as a finger does
    expect(
        page.get_by_role("radiogroup", name="mail.send").get_by_role("radio", name="Needs approval")
    ).to_be_checked()

    assert said(house) == {"mail.send": "needs_approval"}


def test_tools_are_found_by_name_and_by_what_they_do(open_page: Open, clerk: str) -> None:
    page = open_page(clerk)
    page.get_by_label("Find a tool").fill("archive")

    expect(page.get_by_role("radiogroup", name="mail.archive")).to_be_visible()
    expect(page.get_by_role("radiogroup", name="mail.send")).to_have_count(0)


@pytest.mark.proves("R004-47")
def test_labels_are_translated_and_what_is_stored_is_not(house: House, open_page: Open, clerk: str) -> None:
    page = open_page("#/settings")
    page.get_by_role("radio", name="Español").click()
    page.goto(f"{house.url}/{clerk}")
    group = page.get_by_role("radiogroup", name="mail.send", exact=True)
    labels = [one.inner_text() for one in group.get_by_role("radio").all()]
    group.get_by_role("radio").nth(2).click()
    page.wait_for_timeout(500)

    assert not {"Always allow", "Needs approval", "Blocked"} & set(labels)
    assert said(house) == {"mail.send": "blocked"}


def test_a_phone_reaches_the_agents_too(open_page: Open, clerk: str) -> None:
    page = open_page("#/settings", viewport=PHONE)
    page.get_by_role("main").get_by_role("link", name="Agents").click()

    expect(page.get_by_role("heading", name="Agents", level=1)).to_be_visible()
