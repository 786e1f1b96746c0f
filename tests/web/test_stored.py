"""What the page shows is stored: replies are held back, lost or late, and nothing that was typed is lost."""

import time

import pytest
from playwright.sync_api import APIResponse, Page, Route, expect

from tests.web.conftest import Open, armed, settled
from tests.web.house import PATIENCE, House
from tests.web.test_chat import begun, run, say

LOST = ("net::ERR_FAILED",)
NOWHERE = ("status of 404",)
WRITE = '/call write_file {"path": "stored.txt", "content": "x"}'


class Held:
    """Replies that the server gave and that the page does not have yet."""

    def __init__(self, page: Page, address: str, method: str = "GET") -> None:
        self.replies: list[tuple[Route, APIResponse]] = []
        self._page = page
        self._method = method
        self._address = address
        page.route(address, self._hold)

    def _hold(self, route: Route) -> None:
        if route.request.method == self._method:
            self.replies.append((route, route.fetch()))
        else:
            route.continue_()

    def wait(self, count: int = 1) -> None:
        """Come back when so many are held."""
        deadline = time.monotonic() + PATIENCE
        while len(self.replies) < count:
            assert time.monotonic() < deadline
            self._page.wait_for_timeout(20)

    def release(self) -> None:
        """Let the page have them, the oldest first, and all that come after."""
        for route, reply in self.replies:
            route.fulfill(response=reply)
        self._page.unroute(self._address)


def conversations(house: House) -> list[str]:
    return [one["id"] for one in house.items("conversations")]


def test_a_list_that_comes_late_takes_no_thread_away(house: House, open_page: Open) -> None:
    page = open_page("#/inbox")
    settled(page)
    lists = Held(page, "**/v1/conversations?*")
    page.reload()
    lists.wait()
    page.get_by_role("link", name="Chat").first.click()
    begun(page, run("touch made-by-chat"))
    armed(page)
    lists.release()
    link = page.get_by_role("link", name="touch made-by-chat")
    expect(link.first).to_be_visible()

    expect(page.locator(".card .command")).to_have_text("ask: touch made-by-chat")
    expect(page.get_by_role("log").get_by_text(run("touch made-by-chat"))).to_be_visible()
    assert len(house.pending()) == 1


def test_the_first_message_stays_in_its_field_until_the_server_has_it(house: House, open_page: Open) -> None:
    page = open_page("#/chat")
    settled(page)
    posts = Held(page, "**/v1/conversations", "POST")
    say(page, run("touch made-by-chat"))
    posts.wait()
    text = page.get_by_label("Message", exact=True)
    expect(text).to_have_value(run("touch made-by-chat"))
    expect(text).to_have_attribute("aria-busy", "true")
    expect(page.get_by_role("log")).to_have_count(0)
    posts.release()
    page.wait_for_url("**/#/chat/*")
    armed(page)

    expect(page.get_by_label("Message", exact=True)).to_have_value("")
    assert len(house.pending()) == 1


@pytest.mark.proves("T-53")
def test_a_first_message_whose_reply_is_lost_is_sent_again_and_runs_once(
    house: House, open_page: Open
) -> None:
    before = len(conversations(house))
    page = open_page("#/chat", forgives=LOST)
    settled(page)
    lost = Held(page, "**/v1/conversations", "POST")
    say(page, run("touch made-by-chat"))
    lost.wait()
    lost.replies[0][0].abort()
    page.unroute("**/v1/conversations")
    text = page.get_by_label("Message", exact=True)
    expect(text).to_have_attribute("aria-busy", "false")
    expect(text).to_have_value(run("touch made-by-chat"))
    assert len(conversations(house)) == before + 1  # the server has it, and the page does not know
    text.press("Enter")
    page.wait_for_url("**/#/chat/*")
    armed(page)

    assert len(house.pending()) == 1
    assert len(conversations(house)) == before + 1


@pytest.mark.proves("T-53")
def test_a_message_whose_reply_is_lost_is_sent_again_and_runs_once(house: House, open_page: Open) -> None:
    page = open_page("#/chat", forgives=LOST)
    begun(page, run("ls"))
    expect(page.locator("[data-state='output-available']")).to_have_count(1)
    id = page.url.rpartition("/")[2]
    lost = Held(page, "**/chat?sdk=7", "POST")
    say(page, run("ls -a"))
    lost.wait()
    said = page.get_by_role("log").get_by_text(run("ls -a"))
    expect(said).to_have_count(0)
    lost.replies[0][0].abort()
    page.unroute("**/chat?sdk=7")
    text = page.get_by_label("Message", exact=True)
    expect(text).to_have_attribute("aria-busy", "false")
    expect(text).to_have_value(run("ls -a"))
    expect(said).to_have_count(0)
    text.press("Enter")
    expect(page.locator("[data-state='output-available']")).to_have_count(2)

    expect(text).to_have_value("")
    expect(said).to_have_count(1)
    kept = house.api("GET", f"conversations/{id}/messages?live=true")["items"]
    assert [one["role"] for one in kept] == ["user", "assistant"] * 2


def test_a_mode_is_shown_when_it_is_stored_and_goes_with_the_message_before(
    house: House, open_page: Open
) -> None:
    page = open_page("#/chat")
    begun(page, run("ls"))
    expect(page.locator("[data-state='output-available']")).to_have_count(1)
    id = page.url.rpartition("/")[2]
    patches: list[Route] = []
    page.route(f"**/v1/conversations/{id}", lambda route: _hold_patch(route, patches))
    page.get_by_role("button", name="Mode: Default").click()
    page.get_by_role("menuitemradio", name="Plan").click()
    menu = page.get_by_role("button", name="Mode: Default")
    expect(menu).to_contain_text("→ Plan")
    expect(menu).to_have_attribute("aria-busy", "true")
    assert house.api("GET", f"conversations/{id}")["mode"] == "default"
    say(page, WRITE)
    expect(page.get_by_text("plan mode").first).to_be_visible()
    assert house.pending() == []

    patches[0].continue_()
    expect(page.get_by_role("button", name="Mode: Plan")).to_have_attribute("aria-busy", "false")
    assert house.api("GET", f"conversations/{id}")["mode"] == "plan"


def test_a_mode_that_could_not_be_stored_is_not_shown(house: House, open_page: Open) -> None:
    page = open_page("#/chat", forgives=LOST)
    begun(page, run("ls"))
    id = page.url.rpartition("/")[2]
    patches: list[Route] = []
    page.route(f"**/v1/conversations/{id}", lambda route: _hold_patch(route, patches))
    page.get_by_role("button", name="Mode: Default").click()
    page.get_by_role("menuitemradio", name="Plan").click()
    expect(page.get_by_role("button", name="Mode: Default")).to_contain_text("→ Plan")
    patches[0].abort()

    expect(page.get_by_role("button", name="Mode: Default")).not_to_contain_text("Plan")
    expect(page.locator(".toast")).to_contain_text("cannot be reached")


def test_a_switch_is_shown_as_it_was_stored_and_not_as_a_late_reply_says(
    house: House, open_page: Open
) -> None:
    page = open_page("#/inbox")
    settled(page)
    late = Held(page, "**/v1/switch")
    page.reload()
    late.wait()
    page.locator("button[aria-pressed=false]").filter(has_text="Pause").click()
    expect(page.get_by_text("Every agent is paused").first).to_be_visible()
    late.release()
    page.wait_for_timeout(300)

    expect(page.get_by_text("Every agent is paused").first).to_be_visible()
    assert house.api("GET", "switch")["paused"]


def test_what_is_typed_survives_a_reload_and_another_page(house: House, open_page: Open) -> None:
    page = open_page("#/chat")
    page.get_by_label("Message", exact=True).fill("half a thought")
    page.reload()
    expect(page.get_by_label("Message", exact=True)).to_have_value("half a thought")
    page.get_by_role("link", name="Rules").first.click()
    settled(page)
    page.get_by_role("link", name="Chat").first.click()

    expect(page.get_by_label("Message", exact=True)).to_have_value("half a thought")


def test_an_address_of_no_conversation_says_so(house: House, open_page: Open) -> None:
    page = open_page("#/chat/nowhere", forgives=NOWHERE)

    expect(page.get_by_text("There is no such conversation")).to_be_visible()


def _hold_patch(route: Route, held: list[Route]) -> None:
    if route.request.method == "PATCH":
        held.append(route)
    else:
        route.continue_()
