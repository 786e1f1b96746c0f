"""The list of open questions: search, filter, groups, and questions that end while they are shown."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.web.conftest import (
    PHONE_VIEWPORT,
    OpenPage,
    allow_page_time_for_errors,
    install_clock,
    pause_clock,
    wait_for_frame,
    wait_until_armed,
)
from tests.web.server import BRIEF_PRESET, WebServer


def listed_questions(page: Page) -> Locator:
    """The rows of the question list, from the top."""
    return page.locator(".queue-row .queue-what")


def filter_list(page: Page, words: str) -> None:
    page.get_by_label("Filter by agent, tool, words").fill(words)


@pytest.mark.supports("R003-68")
def test_the_questions_of_all_agents_are_in_one_list_oldest_first(
    server: WebServer, open_page: OpenPage
) -> None:
    server.ask("make one", agent="ant")
    server.ask("make two", agent="bee")
    server.ask("make three", agent="ant")
    page = open_page()
    wait_until_armed(page)

    expect(listed_questions(page)).to_have_text(["make one", "make three", "make two"])
    expect(page).to_have_title("(3) Inbox · Assent")
    expect(page.get_by_text("3 waiting, 2 agents")).to_be_visible()
    page.get_by_role("radio", name="By time").click()
    expect(page.locator(".queue-row").nth(1)).to_contain_text("make two")
    expect(listed_questions(page)).to_have_text(["make one", "make two", "make three"])


def test_the_filter_finds_agents_tools_and_arguments(server: WebServer, open_page: OpenPage) -> None:
    server.ask("make release", agent="ant")
    server.ask("git push origin main", agent="bee")
    server.ask(tool="files.write", agent="bee", path="notes.md", content="about the harbour")
    page = open_page()
    wait_until_armed(page)
    for words, found in (
        ("release", ["make release"]),
        ("bee", ["git push origin main", "notes.md"]),
        ("files.write", ["notes.md"]),
        ("harbour", ["notes.md"]),
        ("bee push", ["git push origin main"]),
    ):
        filter_list(page, words)
        expect(listed_questions(page)).to_have_text(found)

    filter_list(page, "nowhere")
    expect(page.get_by_text("No question matches")).to_be_visible()
    page.get_by_role("button", name="Show all questions").click()
    expect(page.locator(".queue-row")).to_have_count(3)


def test_questions_can_be_filtered_by_effect(server: WebServer, open_page: OpenPage) -> None:
    server.ask("make release")
    server.ask(tool="files.write", path="notes.md", content="x")
    page = open_page()
    wait_until_armed(page)
    page.get_by_role("button", name="Effects").click()
    page.get_by_role("menuitemradio", name="Edit").click()

    expect(page.locator(".queue-row")).to_have_count(1)
    expect(listed_questions(page)).to_have_text(["notes.md"])


def test_questions_of_the_same_rule_are_grouped(server: WebServer, open_page: OpenPage) -> None:
    server.send_request("POST", "rules", {"list": "ask", "text": "terminal.exec(git push *)"})
    server.ask("git push origin one")
    server.ask("make release")
    server.ask("git push origin two")
    page = open_page()
    wait_until_armed(page)
    page.get_by_role("radio", name="By rule").click()

    expect(page.get_by_text("terminal.exec(git push *)").first).to_be_visible()
    expect(listed_questions(page)).to_have_text(
        ["git push origin one", "git push origin two", "make release"]
    )


@pytest.mark.proves("R003-60")
def test_after_an_answer_for_once_the_next_call_asks_again(server: WebServer, open_page: OpenPage) -> None:
    server.ask("make release")
    page = open_page()
    wait_until_armed(page)
    page.get_by_role("button", name="Allow once").click()
    page.get_by_text("You allowed this once").wait_for()

    assert server.submit("terminal.exec", {"command": "make release"})["outcome"] == "wait"


@pytest.mark.proves("R000-18")
def test_an_answer_for_the_conversation_applies_only_there(server: WebServer, open_page: OpenPage) -> None:
    here, there = server.start_conversation("Here"), server.start_conversation("There")
    call = ("terminal.exec", {"command": "make release"})
    server.approval_id(server.submit(*call, conversation=here))
    page = open_page()
    wait_until_armed(page)
    expect(page.locator(".card").get_by_role("link", name="Here", exact=True)).to_be_visible()
    page.get_by_role("button", name="For this conversation").click()
    page.get_by_text("You allowed this for the conversation").wait_for()

    assert server.submit(*call, conversation=here)["outcome"] == "run"
    assert server.submit(*call, conversation=there)["outcome"] == "wait"


@pytest.mark.proves("R000-38", "R004-50", "R-7")
def test_open_questions_are_shown_again_after_the_page_was_closed(
    server: WebServer, open_page: OpenPage
) -> None:
    server.ask("make release")
    first = open_page()
    wait_until_armed(first)
    first.close()
    server.ask("make later")
    again = open_page()
    wait_until_armed(again)
    again.reload()
    wait_until_armed(again)

    expect(listed_questions(again)).to_have_text(["make release", "make later"])
    assert [server.state(one["id"]) for one in server.pending()] == ["pending", "pending"]


def test_a_question_that_expires_while_it_is_open_stays_visible(
    server: WebServer, open_page: OpenPage
) -> None:
    page = open_page()
    page.get_by_text("Nothing is waiting").wait_for()
    id = server.approval_id(server.submit("terminal.exec", {"command": "make dist"}, preset=BRIEF_PRESET))
    expect(page.locator(".card").get_by_text(re.compile("expires in 0:"))).to_be_visible()

    expect(page.get_by_text("Expired without an answer")).to_be_visible()
    expect(page.get_by_role("button", name="Allow once")).to_have_count(0)
    assert server.state(id) == "expired"


def test_a_withdrawn_question_is_marked(server: WebServer, open_page: OpenPage) -> None:
    id = server.ask("make dist")
    page = open_page(f"#/inbox/{id}")
    wait_until_armed(page)
    server.send_request("POST", f"calls/{id}/withdraw", {})

    expect(page.get_by_text("Withdrawn. The call will not run.")).to_be_visible()
    page.keyboard.press("y")
    assert server.state(id) == "withdrawn"


@pytest.mark.proves("T-13")
def test_a_new_question_moves_nothing_and_takes_no_focus(server: WebServer, open_page: OpenPage) -> None:
    server.ask("make one")
    page = open_page()
    wait_until_armed(page)
    field = page.get_by_label("Filter by agent, tool, words")
    field.focus()
    before = page.locator(".card").bounding_box()
    for at in range(5):
        server.ask(f"make more-{at}", agent="ant")
    expect(page).to_have_title("(6) Inbox · Assent")

    expect(field).to_be_focused()
    expect(page.locator(".card")).to_contain_text("make one")
    assert page.locator(".card").bounding_box() == before
    expect(listed_questions(page).first).to_have_text("make one")


@pytest.mark.proves("T-13")
def test_a_key_that_is_held_down_answers_only_the_first_question(
    server: WebServer, open_page: OpenPage
) -> None:
    ids = [server.ask(f"make {word}") for word in ("one", "two", "three")]
    page = open_page()
    wait_until_armed(page)
    for _ in range(15):  # A second key-down without a key-up is a repetition.
        page.keyboard.down("y")
        wait_for_frame(page)
    page.keyboard.up("y")
    expect(page).to_have_title("(2) Inbox · Assent")
    allow_page_time_for_errors(page)

    assert [server.state(id) for id in ids] == ["approved", "pending", "pending"]


@pytest.mark.parametrize("words", ["yes do it, and delete nothing", "nnnn", "aaay"])
@pytest.mark.proves("T-13")
def test_fast_typing_never_answers_a_question(server: WebServer, open_page: OpenPage, words: str) -> None:
    page = open_page("#/settings")
    install_clock(page)
    page.goto(f"{server.url}/#/inbox")
    page.get_by_text("Nothing is waiting").wait_for()
    pause_clock(page)
    ids = [server.ask("make one"), server.ask("make two")]
    while not page.locator(".card").count():
        page.keyboard.type(words)
        page.clock.run_for(20)
    for _ in range(20):  # All keys are pressed before the card accepts keys, within half a second.
        page.keyboard.type(words)
        page.clock.run_for(20)

    assert [server.state(id) for id in ids] == ["pending", "pending"]


def test_a_phone_shows_the_list_first_and_then_one_question(server: WebServer, open_page: OpenPage) -> None:
    server.ask("make one")
    server.ask("make two")
    page = open_page(viewport=PHONE_VIEWPORT, is_mobile=True, has_touch=True)
    page.get_by_role("link", name=re.compile("make two")).tap()
    wait_until_armed(page)

    expect(page.locator(".queue-row")).to_have_count(0)
    for name in ("Deny", "Allow once"):
        box = page.get_by_role("button", name=name).bounding_box()
        assert box is not None
        assert box["height"] >= 44
        assert box["y"] + box["height"] <= PHONE_VIEWPORT["height"]
