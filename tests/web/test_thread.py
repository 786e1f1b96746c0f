"""A thread of the chat: its cards work like those of the inbox, and change the files of the workspace."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.web.conftest import DESKTOP_VIEWPORT, PHONE_VIEWPORT, OpenPage, wait_until_armed
from tests.web.inspection import find_page_problems
from tests.web.server import WebServer

SAVE_FILE_MESSAGE = '/call write_file {"path": "%s", "content": "hello"}'


def send_message(page: Page, text: str) -> None:
    """Type a message in the form and send it."""
    page.get_by_role("textbox", name=re.compile("^Message")).fill(text)
    page.get_by_role("button", name="Send", exact=True).click()


def file_exists(server: WebServer, name: str) -> bool:
    return Path(server.directory, name).exists()


@pytest.mark.proves("R000-18", "R000-29", "R004-48")
def test_a_card_shows_the_arguments_and_a_yes_runs_them(server: WebServer, open_page: OpenPage) -> None:
    page = open_page("#/chat")
    send_message(page, SAVE_FILE_MESSAGE % "yes.txt")
    wait_until_armed(page)
    card = page.locator(".card")
    expect(card).to_contain_text("yes.txt")
    expect(card).to_contain_text("hello")
    for name in ("Allow once", "Always…", "Deny", "Add a reason…"):
        expect(card.get_by_role("button", name=name)).to_be_visible()
    assert not file_exists(server, "yes.txt")
    card.get_by_role("button", name="Allow once").click()

    expect(page.locator("[data-state=output-available]")).to_contain_text("write_file")
    assert Path(server.directory, "yes.txt").read_text("utf-8") == "hello"


@pytest.mark.proves("R000-18")
def test_after_an_answer_for_the_conversation_the_call_does_not_ask_again(
    server: WebServer, open_page: OpenPage
) -> None:
    page = open_page("#/chat")
    send_message(page, SAVE_FILE_MESSAGE % "again.txt")
    wait_until_armed(page)
    page.locator(".card").get_by_role("button", name=re.compile("For this conversation|This chat")).click()
    expect(page.locator("[data-state=output-available]")).to_have_count(1)
    Path(server.directory, "again.txt").unlink()
    send_message(page, SAVE_FILE_MESSAGE % "again.txt")

    expect(page.locator("[data-state=output-available]")).to_have_count(2)
    assert file_exists(server, "again.txt")


@pytest.mark.proves("R000-48")
def test_an_answer_in_one_tab_removes_the_card_in_both(server: WebServer, open_page: OpenPage) -> None:
    first = open_page("#/chat")
    send_message(first, SAVE_FILE_MESSAGE % "tabs.txt")
    wait_until_armed(first)
    second = open_page(first.url.removeprefix(f"{server.url}/"))
    wait_until_armed(second)
    first.locator(".card").get_by_role("button", name="Deny").click()

    for page in (first, second):
        expect(page.get_by_role("button", name="Allow once")).to_have_count(0)
    assert not file_exists(server, "tabs.txt")


@pytest.mark.supports("R000-50")
def test_in_plan_mode_nothing_is_changed(server: WebServer, open_page: OpenPage) -> None:
    page = open_page("#/chat")
    page.get_by_role("button", name="Mode: Default").click()
    items = page.get_by_role("menuitemradio")
    expect(items.first).to_be_visible()
    items.filter(has_text="Plan").click()
    expect(page.get_by_role("button", name="Mode: Plan")).to_be_visible()
    send_message(page, SAVE_FILE_MESSAGE % "planned.txt")

    expect(page.get_by_role("log")).to_contain_text("plan")
    expect(page.locator(".card")).to_have_count(0)
    assert not file_exists(server, "planned.txt")


@pytest.mark.proves("R000-50", "R000-15")
@pytest.mark.parametrize("preset", ["assent", "chat", "propose"])
def test_one_menu_offers_the_modes_of_the_preset(server: WebServer, open_page: OpenPage, preset: str) -> None:
    made = server.send_request("POST", "conversations", {"preset": preset, "title": "Modes"})
    page = open_page(f"#/chat/{made['id']}")
    page.get_by_role("button", name=re.compile("^Mode: ")).click()
    items = page.get_by_role("menuitemradio")
    expect(items.first).to_be_visible()

    offered = next(one for one in server.send_request("GET", "presets")["items"] if one["name"] == preset)[
        "modes"
    ]
    told = {tuple(text.split("\n")) for text in items.all_inner_texts()}
    assert told == {(MODE_LABELS[one["mode"]], one["does"]) for one in offered}
    starts = next(one["mode"] for one in offered if one["shown"] == made["mode"])
    page.keyboard.press("Escape")
    composer = page.locator("main form")
    assert [" ".join(text.split()) for text in composer.get_by_role("button").all_inner_texts()] == [
        f"Mode: {MODE_LABELS[starts]}", "Model: rehearsal", "/tools", "",
    ]  # fmt: skip
    assert composer.locator("select, input, [role=combobox], [role=listbox]").count() == 0


MODE_LABELS = {"plan": "Plan", "default": "Default", "accept_edits": "Accept edits", "auto": "Auto"}


@pytest.mark.proves("R000-39")
def test_each_conversation_has_its_own_mode_answers_and_questions(
    server: WebServer, open_page: OpenPage
) -> None:
    one, other = server.start_conversation("One", agent=""), server.start_conversation("Other", agent="")
    page = open_page(f"#/chat/{one}")
    send_message(page, SAVE_FILE_MESSAGE % "kept.txt")
    wait_until_armed(page)
    page.locator(".card").get_by_role("button", name=re.compile("For this conversation|This chat")).click()
    expect(page.locator("[data-state=output-available]")).to_have_count(1)
    send_message(page, SAVE_FILE_MESSAGE % "kept-too.txt")
    wait_until_armed(page)
    page.get_by_role("button", name="Mode: Default").click()
    page.get_by_role("menuitemradio", name="Plan").click()
    expect(page.get_by_role("button", name="Mode: Plan")).to_be_visible()
    beside = page.get_by_role("complementary", name="This conversation")
    expect(beside).to_contain_text("kept.txt")
    page.get_by_role("link", name="Other").first.click()
    page.get_by_role("heading", name="Other", level=1).wait_for()

    expect(page.get_by_role("button", name="Mode: Default")).to_be_visible()
    expect(beside).not_to_contain_text("kept.txt")
    expect(page.locator(".card")).to_have_count(0)
    assert page.url.endswith(other)
    page.go_back()
    expect(page.get_by_role("button", name="Mode: Plan")).to_be_visible()
    expect(page.locator(".card")).to_contain_text("kept-too.txt")
    expect(beside).to_contain_text("kept.txt")


def test_a_new_conversation_starts_in_the_default_mode_of_the_server(
    server: WebServer, open_page: OpenPage
) -> None:
    server.send_request("PATCH", "settings/agent.permissions", {"mode": "plan"})
    try:
        page = open_page("#/chat")
        expect(page.get_by_role("button", name="Mode: Plan")).to_be_visible()
        send_message(page, "hello")
        page.wait_for_url("**/#/chat/*")
        assert server.send_request("GET", f"conversations/{page.url.rsplit('/', 1)[-1]}")["mode"] == "plan"
    finally:
        server.send_request("PATCH", "settings/agent.permissions", {"mode": "default"})


@pytest.mark.parametrize("viewport", [DESKTOP_VIEWPORT, PHONE_VIEWPORT], ids=["desk", "phone"])
def test_the_stop_button_stays_visible_beside_a_long_title(
    server: WebServer, open_page: OpenPage, viewport: dict[str, int]
) -> None:
    id = server.start_conversation("A very long title that goes on and on " * 6, agent="")
    page = open_page(f"#/chat/{id}", viewport=viewport)
    send_message(page, SAVE_FILE_MESSAGE % "long.txt")
    wait_until_armed(page)  # The run waits for an answer.
    stop = page.get_by_role("button", name="Stop").bounding_box()
    title = page.get_by_role("heading", level=1).bounding_box()

    assert stop is not None
    assert title is not None
    assert title["x"] + title["width"] <= stop["x"]
    assert abs((stop["y"] + stop["height"] / 2) - (title["y"] + title["height"] / 2)) < 6
    assert stop["x"] + stop["width"] <= viewport["width"]


@pytest.mark.parametrize("viewport", [DESKTOP_VIEWPORT, PHONE_VIEWPORT], ids=["desk", "phone"])
def test_only_the_thread_scrolls_and_not_the_page(open_page: OpenPage, viewport: dict[str, int]) -> None:
    page = open_page("#/chat", viewport=viewport)
    send_message(page, "a line\n" * 100 + SAVE_FILE_MESSAGE % "far.txt")
    wait_until_armed(page)

    assert page.evaluate("document.documentElement.scrollHeight") == viewport["height"]


def test_the_result_of_a_tool_is_shown_on_click(server: WebServer, open_page: OpenPage) -> None:
    Path(server.directory, "notes.txt").write_text("the harbour", encoding="utf-8")
    page = open_page("#/chat")
    send_message(page, '/call read_file {"path": "notes.txt"}')
    row = page.locator("[data-state=output-available]")
    row.get_by_role("button", name="Show").click()

    expect(row).to_contain_text("the harbour")


def test_the_shown_number_of_calls_equals_the_count_in_the_store(
    server: WebServer, open_page: OpenPage
) -> None:
    page = open_page("#/chat")
    send_message(
        page,
        'text\n/call read_file {"path": "missing.txt"}\n/call list_files {}\nthen\n'
        + SAVE_FILE_MESSAGE % "count.txt",
    )
    wait_until_armed(page)
    page.wait_for_url("**/#/chat/*")
    here = f"conversation_id = '{page.url.rsplit('/', 1)[-1]}'"
    beside = page.get_by_role("complementary", name="This conversation").locator("dl").nth(1)
    expect(beside).to_contain_text(re.compile(r"Asked\s*1"))

    for word, verdicts in (
        ("Ran without asking", "('run')"),
        ("Asked", "('ask')"),
        ("Denied without asking", "('deny', 'absent')"),
    ):
        counted = server.count_in_store(f"select count(*) from audit where {here} and verdict in {verdicts}")
        expect(beside).to_contain_text(re.compile(rf"{word}\s*{counted}"))


def test_the_tools_of_the_chat_are_listed(open_page: OpenPage) -> None:
    page = open_page("#/chat")
    send_message(page, "hello")
    page.get_by_role("button", name="/tools").click()

    expect(page.get_by_role("dialog")).to_contain_text("write_file")


@pytest.mark.parametrize("viewport", [DESKTOP_VIEWPORT, PHONE_VIEWPORT], ids=["desk", "phone"])
def test_a_thread_is_accessible(open_page: OpenPage, viewport: dict[str, int]) -> None:
    page = open_page("#/chat", viewport=viewport)
    send_message(page, '/call read_file {"path": "missing.txt"}\nthen\n' + SAVE_FILE_MESSAGE % "axe.txt")
    wait_until_armed(page)

    assert find_page_problems(page) == []


@pytest.mark.proves("R001-4")
def test_a_proposal_is_applied_in_its_conversation_and_only_there(
    server: WebServer, open_page: OpenPage
) -> None:
    made = server.send_request("POST", "conversations", {"preset": "propose", "title": "Proposals"})
    page = open_page(f"#/chat/{made['id']}")
    send_message(page, SAVE_FILE_MESSAGE % "proposed.txt")
    wait_until_armed(page)
    beside = open_page("#/inbox")
    wait_until_armed(beside)
    expect(beside.get_by_role("button", name="Apply")).to_be_disabled()
    expect(beside.get_by_text("This is a proposal.")).to_be_visible()
    assert not file_exists(server, "proposed.txt")
    page.locator(".card").get_by_role("button", name="Apply").click()

    expect(page.locator(".card")).to_contain_text("Done")
    assert Path(server.directory, "proposed.txt").read_text("utf-8") == "hello"


def test_a_proposal_is_declined_like_any_question(server: WebServer, open_page: OpenPage) -> None:
    made = server.send_request("POST", "conversations", {"preset": "propose", "title": "Declined"})
    page = open_page(f"#/chat/{made['id']}")
    send_message(page, SAVE_FILE_MESSAGE % "declined.txt")
    wait_until_armed(page)
    page.locator(".card").get_by_role("button", name="Deny").click()

    expect(page.locator(".card")).to_contain_text("You denied this")
    assert not file_exists(server, "declined.txt")
