"""The page shows only stored data, and loses no typed text when replies are late or lost."""

from functools import partial

import pytest
from playwright.sync_api import APIResponse, Page, Route, expect

from tests.waiting import wait_until
from tests.web.conftest import (
    OpenPage,
    allow_page_time_for_errors,
    run_page_briefly,
    wait_until_armed,
    wait_until_loaded,
)
from tests.web.server import WebServer
from tests.web.test_chat import command_message, send_message, start_conversation

LOST_REPLY_MESSAGES = ("net::ERR_FAILED",)
NOT_FOUND_MESSAGES = ("status of 404",)
WRITE_FILE_MESSAGE = '/call write_file {"path": "stored.txt", "content": "x"}'


class DelayedReplies:
    """Holds back replies of the server until the test releases them."""

    def __init__(self, page: Page, address: str, method: str = "GET") -> None:
        self.replies: list[tuple[Route, APIResponse]] = []
        self._page = page
        self._method = method
        self._address = address
        page.route(address, self._hold_route)

    def _hold_route(self, route: Route) -> None:
        if route.request.method == self._method:
            self.replies.append((route, route.fetch()))
        else:
            route.continue_()

    def wait_for_held(self, count: int = 1) -> None:
        """Wait until `count` replies are held back."""
        wait_until(lambda: len(self.replies) >= count, partial(run_page_briefly, self._page))

    def release(self) -> None:
        """Deliver the held replies to the page, oldest first, and stop holding."""
        for route, reply in self.replies:
            route.fulfill(response=reply)
        self._page.unroute(self._address)


def conversation_ids(server: WebServer) -> list[str]:
    return [one["id"] for one in server.list_items("conversations")]


def test_a_late_list_of_conversations_does_not_close_the_thread(
    server: WebServer, open_page: OpenPage
) -> None:
    page = open_page("#/inbox")
    wait_until_loaded(page)
    lists = DelayedReplies(page, "**/v1/conversations?*")
    page.reload()
    lists.wait_for_held()
    page.get_by_role("link", name="Chat").first.click()
    start_conversation(page, command_message("touch made-by-chat"))
    wait_until_armed(page)
    lists.release()
    link = page.get_by_role("link", name="touch made-by-chat")
    expect(link.first).to_be_visible()

    expect(page.locator(".card .command")).to_have_text("ask: touch made-by-chat")
    expect(page.get_by_role("log").get_by_text(command_message("touch made-by-chat"))).to_be_visible()
    assert len(server.pending()) == 1


def test_the_first_message_stays_in_the_field_until_the_server_has_stored_it(
    server: WebServer, open_page: OpenPage
) -> None:
    page = open_page("#/chat")
    wait_until_loaded(page)
    posts = DelayedReplies(page, "**/v1/conversations", "POST")
    send_message(page, command_message("touch made-by-chat"))
    posts.wait_for_held()
    text = page.get_by_label("Message", exact=True)
    expect(text).to_have_value(command_message("touch made-by-chat"))
    expect(text).to_have_attribute("aria-busy", "true")
    expect(page.get_by_role("log")).to_have_count(0)
    posts.release()
    page.wait_for_url("**/#/chat/*")
    wait_until_armed(page)

    expect(page.get_by_label("Message", exact=True)).to_have_value("")
    assert len(server.pending()) == 1


@pytest.mark.proves("T-53")
def test_a_first_message_whose_reply_is_lost_is_sent_again_and_runs_once(
    server: WebServer, open_page: OpenPage
) -> None:
    before = len(conversation_ids(server))
    page = open_page("#/chat", forgives=LOST_REPLY_MESSAGES)
    wait_until_loaded(page)
    lost = DelayedReplies(page, "**/v1/conversations", "POST")
    send_message(page, command_message("touch made-by-chat"))
    lost.wait_for_held()
    lost.replies[0][0].abort()
    page.unroute("**/v1/conversations")
    text = page.get_by_label("Message", exact=True)
    expect(text).to_have_attribute("aria-busy", "false")
    expect(text).to_have_value(command_message("touch made-by-chat"))
    assert (
        len(conversation_ids(server)) == before + 1
    )  # The server has stored it, and the page does not know.
    text.press("Enter")
    page.wait_for_url("**/#/chat/*")
    wait_until_armed(page)

    assert len(server.pending()) == 1
    assert len(conversation_ids(server)) == before + 1


@pytest.mark.proves("T-53")
def test_a_message_whose_reply_is_lost_is_sent_again_and_runs_once(
    server: WebServer, open_page: OpenPage
) -> None:
    page = open_page("#/chat", forgives=LOST_REPLY_MESSAGES)
    start_conversation(page, command_message("ls"))
    expect(page.locator("[data-state='output-available']")).to_have_count(1)
    id = page.url.rpartition("/")[2]
    lost = DelayedReplies(page, "**/chat?sdk=7", "POST")
    send_message(page, command_message("ls -a"))
    lost.wait_for_held()
    said = page.get_by_role("log").get_by_text(command_message("ls -a"))
    expect(said).to_have_count(0)
    lost.replies[0][0].abort()
    page.unroute("**/chat?sdk=7")
    text = page.get_by_label("Message", exact=True)
    expect(text).to_have_attribute("aria-busy", "false")
    expect(text).to_have_value(command_message("ls -a"))
    expect(said).to_have_count(0)
    text.press("Enter")
    expect(page.locator("[data-state='output-available']")).to_have_count(2)

    expect(text).to_have_value("")
    expect(said).to_have_count(1)
    kept = server.send_request("GET", f"conversations/{id}/messages?live=true")["items"]
    assert [one["role"] for one in kept] == ["user", "assistant"] * 2


def test_a_mode_is_shown_only_after_it_is_stored(server: WebServer, open_page: OpenPage) -> None:
    page = open_page("#/chat")
    start_conversation(page, command_message("ls"))
    expect(page.locator("[data-state='output-available']")).to_have_count(1)
    id = page.url.rpartition("/")[2]
    patches: list[Route] = []
    page.route(f"**/v1/conversations/{id}", lambda route: _delay_patch_request(route, patches))
    page.get_by_role("button", name="Mode: Default").click()
    page.get_by_role("menuitemradio", name="Plan").click()
    menu = page.get_by_role("button", name="Mode: Default")
    expect(menu).to_contain_text("→ Plan")
    expect(menu).to_have_attribute("aria-busy", "true")
    assert server.send_request("GET", f"conversations/{id}")["mode"] == "default"
    send_message(page, WRITE_FILE_MESSAGE)
    expect(page.get_by_text("plan mode").first).to_be_visible()
    assert server.pending() == []

    patches[0].continue_()
    expect(page.get_by_role("button", name="Mode: Plan")).to_have_attribute("aria-busy", "false")
    assert server.send_request("GET", f"conversations/{id}")["mode"] == "plan"


def test_a_mode_that_could_not_be_stored_is_not_shown(server: WebServer, open_page: OpenPage) -> None:
    page = open_page("#/chat", forgives=LOST_REPLY_MESSAGES)
    start_conversation(page, command_message("ls"))
    id = page.url.rpartition("/")[2]
    patches: list[Route] = []
    page.route(f"**/v1/conversations/{id}", lambda route: _delay_patch_request(route, patches))
    page.get_by_role("button", name="Mode: Default").click()
    page.get_by_role("menuitemradio", name="Plan").click()
    expect(page.get_by_role("button", name="Mode: Default")).to_contain_text("→ Plan")
    patches[0].abort()

    expect(page.get_by_role("button", name="Mode: Default")).not_to_contain_text("Plan")
    expect(page.locator(".toast")).to_contain_text("cannot be reached")


def test_a_late_reply_does_not_change_the_shown_switch(server: WebServer, open_page: OpenPage) -> None:
    page = open_page("#/inbox")
    wait_until_loaded(page)
    late = DelayedReplies(page, "**/v1/switch")
    page.reload()
    late.wait_for_held()
    page.locator("button[aria-pressed=false]").filter(has_text="Pause").click()
    expect(page.get_by_text("All agents are paused").first).to_be_visible()
    late.release()
    allow_page_time_for_errors(page)

    expect(page.get_by_text("All agents are paused").first).to_be_visible()
    assert server.send_request("GET", "switch")["paused"]


def test_typed_text_survives_a_reload_and_a_page_change(server: WebServer, open_page: OpenPage) -> None:
    page = open_page("#/chat")
    page.get_by_label("Message", exact=True).fill("half a thought")
    page.reload()
    expect(page.get_by_label("Message", exact=True)).to_have_value("half a thought")
    page.get_by_role("link", name="Rules").first.click()
    wait_until_loaded(page)
    page.get_by_role("link", name="Chat").first.click()

    expect(page.get_by_label("Message", exact=True)).to_have_value("half a thought")


def test_the_address_of_an_unknown_conversation_is_an_error(server: WebServer, open_page: OpenPage) -> None:
    page = open_page("#/chat/nowhere", forgives=NOT_FOUND_MESSAGES)

    expect(page.get_by_text("This conversation does not exist")).to_be_visible()


def _delay_patch_request(route: Route, held: list[Route]) -> None:
    if route.request.method == "PATCH":
        held.append(route)
    else:
        route.continue_()
