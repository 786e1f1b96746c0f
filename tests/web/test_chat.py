"""The chat in a browser, with a scripted model: calls that need approval ask in the thread."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.web.conftest import OpenPage, allow_page_time_for_errors, wait_until_armed
from tests.web.server import WebServer


def send_message(page: Page, *lines: str) -> None:
    page.get_by_label("Message", exact=True).fill("\n".join(lines))
    page.keyboard.press("Enter")


def command_message(command: str) -> str:
    return f'/call run_command {{"command": "{command}"}}'


def only_question(server: WebServer) -> str:
    (one,) = server.pending()
    return str(one["id"])


def start_conversation(page: Page, *lines: str) -> None:
    """Start a conversation by sending its first message."""
    send_message(page, *lines)
    page.wait_for_url("**/#/chat/*")


def test_an_empty_chat_explains_the_scripted_model_and_offers_examples(
    server: WebServer, open_page: OpenPage
) -> None:
    page = open_page("#/chat")
    expect(page.get_by_text("this is a rehearsal")).to_be_visible()
    examples = page.get_by_role("list", name="Try one of these").get_by_role("button")
    expect(examples).to_have_count(3)
    examples.filter(has_text="Save a file").click()
    field = page.get_by_label("Message", exact=True)
    expect(field).to_be_focused()
    expect(field).to_have_value(re.compile("^/call write_file "))
    assert server.pending() == []  # Nothing is sent until the person sends it.
    page.keyboard.press("Enter")
    wait_until_armed(page)

    expect(page.locator(".card")).to_contain_text("hello.txt")


@pytest.mark.proves("R000-18", "R000-29")
def test_a_read_runs_and_a_write_asks_in_the_thread(server: WebServer, open_page: OpenPage) -> None:
    page = open_page("#/chat")
    start_conversation(page, command_message("ls"), command_message("touch made-by-chat"))
    row = page.locator("[data-state='output-available']")
    expect(row).to_contain_text("run_command ls")
    expect(row).to_contain_text("Ran")
    expect(page.locator(".card .command")).to_have_text("ask: touch made-by-chat")
    for name in ("Allow once", "This chat", "Deny"):
        expect(page.get_by_role("button", name=name)).to_be_visible()
    wait_until_armed(page)
    page.get_by_role("button", name="Deny").click()
    page.get_by_text("You denied this").wait_for()

    expect(page.get_by_text("This was a rehearsal")).to_be_visible()


def test_an_allowed_call_runs_and_shows_who_allowed_it(server: WebServer, open_page: OpenPage) -> None:
    page = open_page("#/chat")
    start_conversation(page, '/call write_file {"path": "chat-notes.txt", "content": "one\\ntwo\\n"}')
    wait_until_armed(page)
    expect(page.locator(".card .diff-add")).to_have_count(2)
    page.get_by_role("button", name="Allow once").click()
    row = page.locator("[data-state='output-available']")

    expect(row).to_contain_text("allowed by")
    expect(row.locator(".diff-add")).to_have_count(2)


@pytest.mark.proves("T-13")
def test_typing_a_message_never_answers_the_card(server: WebServer, open_page: OpenPage) -> None:
    page = open_page("#/chat")
    start_conversation(page, command_message("touch made-by-chat"))
    wait_until_armed(page)
    page.get_by_label("Message", exact=True).press_sequentially("yes, any day now", delay=10)
    allow_page_time_for_errors(page)

    assert server.approval(only_question(server))["state"] == "pending"


@pytest.mark.proves("R000-38")
def test_after_a_reload_the_messages_and_the_open_card_are_shown(
    server: WebServer, open_page: OpenPage
) -> None:
    page = open_page("#/chat")
    start_conversation(page, command_message("touch made-by-chat"))
    wait_until_armed(page)
    page.reload()
    wait_until_armed(page)
    expect(page.get_by_role("log").get_by_text(command_message("touch made-by-chat"))).to_be_visible()
    page.get_by_role("button", name="Deny").click()

    page.get_by_text("You denied this").wait_for()


@pytest.mark.proves("R000-45")
def test_stop_withdraws_the_question(server: WebServer, open_page: OpenPage) -> None:
    page = open_page("#/chat")
    start_conversation(page, command_message("touch made-by-chat"))
    wait_until_armed(page)
    id = only_question(server)
    page.get_by_role("button", name="Stop").click()
    page.get_by_text("Withdrawn. The call will not run.").wait_for()

    assert server.approval(id)["state"] == "withdrawn"
    expect(page.get_by_role("button", name="Allow once")).to_have_count(0)


@pytest.mark.proves("R000-49")
def test_a_new_message_replaces_the_running_turn(server: WebServer, open_page: OpenPage) -> None:
    page = open_page("#/chat")
    start_conversation(page, command_message("touch made-by-chat"))
    wait_until_armed(page)
    id = only_question(server)
    send_message(page, "never mind")
    page.get_by_text("Withdrawn. The call will not run.").wait_for()

    assert server.approval(id)["state"] == "withdrawn"
    expect(page.get_by_text("This is a rehearsal", exact=False).last).to_be_visible()


@pytest.mark.proves("R000-48")
def test_an_answer_in_the_inbox_is_shown_in_the_thread(server: WebServer, open_page: OpenPage) -> None:
    page = open_page("#/chat")
    start_conversation(page, command_message("touch made-by-chat"))
    wait_until_armed(page)
    other = open_page(f"#/inbox/{only_question(server)}")
    wait_until_armed(other)
    other.keyboard.press("n")

    page.get_by_text("You denied this").wait_for()


@pytest.mark.proves("R000-50", "R000-35")
def test_the_mode_of_a_conversation_is_chosen_by_keyboard(server: WebServer, open_page: OpenPage) -> None:
    page = open_page("#/chat")
    start_conversation(page, "hello")
    page.get_by_text("This is a rehearsal", exact=False).first.wait_for()
    chooser = page.get_by_role("button", name="Mode: Default")
    chooser.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("menuitemradio", name="Default")).to_have_attribute("aria-checked", "true")
    page.get_by_role("menuitemradio", name="Plan").press("Enter")
    expect(page.get_by_role("button", name="Mode: Plan")).to_be_visible()
    id = page.url.rsplit("/", 1)[-1]
    assert server.send_request("GET", f"conversations/{id}")["mode"] == "plan"
    send_message(page, command_message("touch made-by-chat"))
    expect(page.locator("[data-state='output-error'], [data-state='output-denied']")).to_be_visible()
    assert server.pending() == []

    page.get_by_role("button", name="New conversation").click()
    expect(page.get_by_role("button", name="Mode: Default")).to_be_visible()


@pytest.mark.proves("T-11")
def test_the_reply_of_a_model_is_shown_as_plain_text(server: WebServer, open_page: OpenPage) -> None:
    page = open_page("#/chat")
    start_conversation(page, "<img src=x onerror='window.hit = 1'> [go](https://evil.example)")
    page.get_by_text("This is a rehearsal", exact=False).first.wait_for()

    assert page.evaluate("window.hit") is None
    assert page.locator("[role=log] img, [role=log] a").count() == 0
