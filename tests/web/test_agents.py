"""The agents page sets what each agent may do with each tool, or with a group of tools."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.web.conftest import PHONE_VIEWPORT, OpenPage, PageOpener, wait_until_armed
from tests.web.server import WebServer, run_web_server

MAIL_TOOLS = ("post.find", "post.send", "post.archive")


@pytest.fixture
def mail_agent_route(server: WebServer) -> str:
    """Declare an agent whose tools have no tiers; returns the route of its page."""
    effects = {"post.find": "read", "post.send": "external", "post.archive": "write"}
    server.declare_tools(
        "mailroom",
        *({"name": tool, "effect": effects[tool], "description": f"Does {tool}."} for tool in MAIL_TOOLS),
    )
    server.send_request("PUT", "agents/mailroom/tools", {"tools": []})
    return "#/agents/mailroom"


def choose_tier(page: Page, tool: str, name: str) -> None:
    chosen = page.get_by_role("radiogroup", name=tool, exact=True).get_by_role("radio", name=name)
    chosen.click()
    page.get_by_text("Saved.").first.wait_for(state="attached")
    expect(chosen).to_be_checked()  # The message about an earlier change may still be visible.


def tool_tiers(server: WebServer) -> dict[str, str]:
    return {
        one["toolName"]: one["status"] for one in server.send_request("GET", "agents/mailroom/tools")["tools"]
    }


def test_a_changed_definition_is_shown_and_accepted(
    server: WebServer, open_page: OpenPage, mail_agent_route: str
) -> None:
    server.declare_tools("mailroom", {"name": "post.find", "effect": "write", "description": "Finds more."})
    page = open_page(mail_agent_route)
    changed = page.get_by_role("region", name="Definitions to review")
    expect(changed).to_contain_text("Finds more.")
    expect(changed).to_contain_text("Does post.find.")
    changed.get_by_role("button", name="Accept: post.find").click()
    expect(changed).to_have_count(0)

    assert server.send_request("GET", "definitions")["items"] == []


@pytest.mark.proves("R004-45")
def test_each_tool_can_be_set_to_three_tiers_that_take_effect(
    server: WebServer, open_page: OpenPage, mail_agent_route: str
) -> None:
    page = open_page(mail_agent_route)
    choose_tier(page, "post.send", "Always allow")
    assert tool_tiers(server) == {"post.send": "always_allow"}
    assert server.submit("post.send", {"to": "a"}, agent="mailroom")["outcome"] == "run"

    choose_tier(page, "post.send", "Blocked")
    expect(
        page.get_by_role("radiogroup", name="post.send").get_by_role("radio", name="Blocked")
    ).to_be_checked()
    assert tool_tiers(server) == {"post.send": "blocked"}
    assert server.submit("post.send", {"to": "a"}, agent="mailroom")["outcome"] == "refuse"


@pytest.mark.proves("R004-45", "R004-46")
def test_a_group_with_different_tiers_is_mixed_until_it_is_set(
    server: WebServer, open_page: OpenPage, mail_agent_route: str
) -> None:
    page = open_page(mail_agent_route)
    group = page.get_by_role("radiogroup", name="The whole group: office")
    group.wait_for()
    expect(page.get_by_text("Mixed")).to_have_count(0)
    choose_tier(page, "post.send", "Needs approval")
    expect(page.get_by_text("Mixed", exact=True)).to_be_visible()
    expect(group.get_by_role("radio", checked=True)).to_have_count(0)

    choose_tier(page, "The whole group: office", "Blocked")
    expect(page.get_by_text("Mixed")).to_have_count(0)
    expect(group.get_by_role("radio", name="Blocked")).to_be_checked()
    assert tool_tiers(server) == dict.fromkeys(MAIL_TOOLS, "blocked")


def test_arrow_keys_choose_a_state(server: WebServer, open_page: OpenPage, mail_agent_route: str) -> None:
    page = open_page(mail_agent_route)
    choose_tier(page, "post.send", "Always allow")
    chosen = page.get_by_role("radiogroup", name="post.send").get_by_role("radio", name="Always allow")
    expect(chosen).to_be_checked()
    expect(chosen).to_be_enabled()
    chosen.focus()
    page.keyboard.press("ArrowRight", delay=100)  # as long as a finger does
    expect(
        page.get_by_role("radiogroup", name="post.send").get_by_role("radio", name="Needs approval")
    ).to_be_checked()

    assert tool_tiers(server) == {"post.send": "needs_approval"}


def test_tools_are_found_by_name_and_description(open_page: OpenPage, mail_agent_route: str) -> None:
    page = open_page(mail_agent_route)
    page.get_by_label("Find a tool").fill("archive")

    expect(page.get_by_role("radiogroup", name="post.archive")).to_be_visible()
    expect(page.get_by_role("radiogroup", name="post.send")).to_have_count(0)


@pytest.mark.proves("R004-47")
def test_labels_are_translated_and_stored_values_are_not(
    server: WebServer, open_page: OpenPage, mail_agent_route: str
) -> None:
    page = open_page("#/settings")
    page.get_by_role("radio", name="Español").click()
    page.goto(f"{server.url}/{mail_agent_route}")
    group = page.get_by_role("radiogroup", name="post.send", exact=True)
    expect(group.get_by_role("radio")).to_have_count(3)
    labels = [one.inner_text() for one in group.get_by_role("radio").all()]
    group.get_by_role("radio").nth(2).click()
    page.get_by_text("Guardado.").first.wait_for(state="attached")

    assert not {"Always allow", "Needs approval", "Blocked"} & set(labels)
    assert tool_tiers(server) == {"post.send": "blocked"}


@pytest.mark.proves("R004-45")
def test_an_agent_without_a_catalog_is_listed_with_the_tools_it_called(
    server: WebServer, open_page: OpenPage
) -> None:
    server.ask("make dist", agent="stranger")
    page = open_page("#/agents")
    page.get_by_role("navigation", name="Agents").get_by_role("link", name="stranger").click()
    page.get_by_role("heading", name="Seen in calls").wait_for()
    choose_tier(page, "terminal.exec", "Blocked")

    said = server.send_request("GET", "agents/stranger/tools")["tools"]
    assert [(one["toolName"], one["status"]) for one in said] == [("terminal.exec", "blocked")]
    reply = server.submit("terminal.exec", {"command": "make dist"}, agent="stranger")
    assert reply["outcome"] == "refuse"


def test_the_agents_page_works_on_a_phone(open_page: OpenPage, mail_agent_route: str) -> None:
    page = open_page("#/settings", viewport=PHONE_VIEWPORT)
    page.get_by_role("main").get_by_role("link", name="Agents").click()

    expect(page.get_by_role("heading", name="Agents", level=1)).to_be_visible()


def test_a_tool_without_a_tier_shows_what_applies_instead(open_page: OpenPage, mail_agent_route: str) -> None:
    page = open_page(mail_agent_route)
    groups = {tool: page.get_by_role("radiogroup", name=tool, exact=True) for tool in MAIL_TOOLS}

    expect(groups["post.find"]).to_have_accessible_description("Not set: Default allows it")
    expect(groups["post.send"]).to_have_accessible_description("Not set: Default asks")
    expect(page.get_by_role("radio", checked=True)).to_have_count(0)


def test_a_tier_can_be_removed_so_that_the_mode_decides(
    server: WebServer, open_page: OpenPage, mail_agent_route: str
) -> None:
    page = open_page(mail_agent_route)
    choose_tier(page, "post.send", "Blocked")
    choose_tier(page, "post.find", "Always allow")
    page.get_by_role("button", name="Let the mode decide for post.send").click()

    group = page.get_by_role("radiogroup", name="post.send", exact=True)
    expect(group).to_have_accessible_description("Not set: Default asks")
    assert tool_tiers(server) == {"post.find": "always_allow"}


def test_without_agents_the_page_says_when_they_appear(browser: Browser, tmp_path: Path) -> None:
    with run_web_server(tmp_path) as empty:
        pages = PageOpener(browser, empty.url, empty.new_session())
        page = pages.open("#/agents")
        expect(page.get_by_role("heading", name="No agent yet")).to_be_visible()
        empty.ask("make dist", agent="first")
        page.reload()

        expect(page.get_by_role("link", name="first", exact=True)).to_be_visible()
        pages.close()
    assert pages.wrong == []


def test_the_inbox_never_requests_an_approval_by_the_id_of_another_page(
    server: WebServer, open_page: OpenPage, mail_agent_route: str
) -> None:
    server.ask("make one")
    page = open_page("#/inbox")
    wait_until_armed(page)
    requested: list[str] = []
    page.on("request", lambda request: requested.append(request.url))
    # The address changes before the browser sends the event; the inbox must not use it in between.
    page.evaluate(f"history.replaceState(null, '', '{mail_agent_route}')")
    page.get_by_role("searchbox").fill("make")
    page.evaluate("dispatchEvent(new HashChangeEvent('hashchange'))")
    page.get_by_role("radiogroup", name="post.send").wait_for()

    assert [url for url in requested if url.endswith("/approvals/mailroom")] == []
