"""The inbox in a browser with a real server: answering questions in all ways."""

import re
from functools import partial

import pytest
from playwright.sync_api import Page, expect

from tests.web.conftest import (
    PHONE_VIEWPORT,
    OpenPage,
    allow_page_time_for_errors,
    install_clock,
    pause_clock,
    wait_for_frame,
    wait_until_armed,
)
from tests.web.server import WebServer
from tools.trace import trace_page

COUNT_NODES = "document.querySelectorAll('*').length"


def state_of(server: WebServer, id: str) -> str:
    return str(server.approval(id)["state"])


def test_a_new_question_appears_and_the_key_y_allows_it_once(server: WebServer, open_page: OpenPage) -> None:
    page = open_page()
    expect(page.get_by_text("Nothing is waiting")).to_be_visible()
    id = server.ask("make release")
    expect(page.locator(".card")).to_contain_text("make release")
    expect(page).to_have_title("(1) Inbox · Assent")
    wait_until_armed(page)
    page.keyboard.press("y")

    expect(page.get_by_text("Nothing is waiting")).to_be_visible()
    assert (state_of(server, id), server.approval(id)["answer"]["say"]) == ("approved", "once")


@pytest.mark.proves("T-13")
def test_typing_in_a_text_field_never_answers(server: WebServer, open_page: OpenPage) -> None:
    id = server.ask("make release")
    page = open_page()
    wait_until_armed(page)
    page.get_by_label("Filter by agent, tool, words").press_sequentially("release yn", delay=10)
    allow_page_time_for_errors(page)

    assert state_of(server, id) == "pending"


@pytest.mark.supports("R003-61")
def test_always_stores_the_rule_that_was_shown(server: WebServer, open_page: OpenPage) -> None:
    server.ask("helm rollback shop 0.8")
    id = server.ask("helm rollback shop 0.9")
    page = open_page(f"#/inbox/{id}")
    wait_until_armed(page)
    page.keyboard.press("a")
    page.get_by_label("Sub-command").check()
    expect(page.get_by_label("Rule", exact=True)).to_have_value("terminal.exec(helm rollback *)")
    expect(page.get_by_text("It would have answered 2 recent questions")).to_be_visible()
    page.get_by_label("Applies to").select_option("agent")
    page.get_by_label("Duration").select_option("forever")
    page.get_by_role("button", name="Allow and remember").click()
    expect(page.get_by_text("Nothing is waiting")).to_be_visible()

    rules = [(one["text"], one["agent"]) for one in server.send_request("GET", "rules")["items"]]
    assert rules == [("terminal.exec(helm rollback *)", "bot")]
    assert server.pending() == []


@pytest.mark.proves("R000-30")
def test_several_questions_wait_and_the_rest_of_the_page_stays_usable(
    server: WebServer, open_page: OpenPage
) -> None:
    ids = [server.ask(f"make {word}") for word in ("one", "two", "three")]
    page = open_page("#/rules")
    expect(page).to_have_title("(3) Rules · Assent")
    page.get_by_role("button", name="New rule").first.click()
    page.get_by_role("textbox", name="Rule", exact=True).fill("terminal.exec(echo *)")
    page.get_by_role("button", name="Save rule").click()
    page.get_by_role("button", name="terminal.exec(echo *)").wait_for()
    page.get_by_role("link", name="Inbox").first.click()
    wait_until_armed(page)
    page.keyboard.press("y")
    expect(page).to_have_title("(2) Inbox · Assent")

    assert [state_of(server, id) for id in ids] == ["approved", "pending", "pending"]


def test_a_denial_contains_its_reason(server: WebServer, open_page: OpenPage) -> None:
    id = server.ask("npm publish")
    page = open_page()
    wait_until_armed(page)
    page.get_by_role("button", name="Add a reason…").click()
    page.get_by_label("Message to the agent").fill("Wait until Friday.")
    page.keyboard.press("Control+Enter")
    page.get_by_text("You denied this").wait_for()

    answer = server.approval(id)["answer"]
    assert (answer["say"], answer["reason"]) == ("deny", "Wait until Friday.")


def test_a_postponed_question_stays_pending_and_hidden(server: WebServer, open_page: OpenPage) -> None:
    id = server.ask("npm publish")
    page = open_page()
    wait_until_armed(page)
    page.keyboard.press("l")
    expect(page.get_by_text("1 set aside for later")).to_be_visible()
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page.locator(".queue-row")).to_have_count(1)

    assert state_of(server, id) == "pending"


def test_edited_arguments_are_stored_in_the_answer(server: WebServer, open_page: OpenPage) -> None:
    id = server.ask("npm pack --json")
    page = open_page()
    wait_until_armed(page)
    page.keyboard.press("e")
    page.get_by_label("Arguments as JSON").fill('{"command": "npm pack --dry-run"}')
    page.get_by_role("button", name="Allow once with these arguments").click()
    page.get_by_text("You allowed this once").wait_for()

    assert server.approval(id)["answer"]["args"] == {"command": "npm pack --dry-run"}


def test_a_dangerous_call_is_allowed_only_by_holding_the_button(
    server: WebServer, open_page: OpenPage
) -> None:
    id = server.ask("rm -rf ~/")
    page = open_page("#/settings")
    install_clock(page)
    page.goto(f"{server.url}/#/inbox")
    wait_until_armed(page)
    expect(page.get_by_role("button", name="Always…")).to_have_count(0)
    hold = page.get_by_role("button", name="Hold to allow once")
    pause_clock(page)
    hold.hover()
    for held in (0, 1100):
        page.mouse.down()
        page.clock.run_for(held)
        page.mouse.up()
    page.clock.run_for(1400)
    assert state_of(server, id) == "pending"

    page.mouse.down()
    page.clock.run_for(1400)
    page.mouse.up()
    page.clock.resume()
    page.get_by_text("You allowed this once").wait_for()
    assert state_of(server, id) == "approved"


def test_an_irreversible_call_is_confirmed_by_typing_a_word(server: WebServer, open_page: OpenPage) -> None:
    server.declare_tools("clerk", {"name": "crm.forget_contact", "effect": "destructive"})
    id = server.ask(agent="clerk", tool="crm.forget_contact", id=8841, name="Lena Ortiz")
    page = open_page()
    wait_until_armed(page)
    yes = page.get_by_role("button", name="Allow once")
    expect(yes).to_be_disabled()
    page.get_by_label("Type “ortiz” to allow").fill("ortiz")
    yes.click()
    page.get_by_text("You allowed this once").wait_for()

    assert state_of(server, id) == "approved"


def test_a_batch_answers_only_the_reviewed_questions(server: WebServer, open_page: OpenPage) -> None:
    ids = [server.ask(f"npm run part-{at}", agent="builder") for at in range(3)]
    page = open_page()
    page.get_by_role("button", name="Review 3 together").click()
    page.get_by_label("Include npm run part-1").uncheck()
    late = server.ask("npm run late", agent="builder")
    page.get_by_role("button", name="Allow 2 once").click()
    page.get_by_role("dialog").wait_for(state="detached")

    assert [state_of(server, id) for id in (*ids, late)] == ["approved", "pending", "approved", "pending"]


@pytest.mark.proves("R000-48")
def test_an_answer_in_one_tab_is_shown_in_the_other(server: WebServer, open_page: OpenPage) -> None:
    id = server.ask("make release")
    first, second = open_page(f"#/inbox/{id}"), open_page(f"#/inbox/{id}")
    wait_until_armed(first)
    wait_until_armed(second)
    first.keyboard.press("n")

    second.get_by_text("You denied this").wait_for()
    expect(second.get_by_role("button", name="Allow once")).to_have_count(0)


def test_the_first_of_two_answers_decides_and_the_second_person_sees_who_answered(
    server: WebServer, open_page: OpenPage, browser: object
) -> None:
    server.send_request("POST", "people", {"id": "jon", "administrator": True})
    id = server.ask("make release")
    mine = open_page(f"#/inbox/{id}")
    theirs = open_page("", state=None)
    theirs.goto(server.login_link("jon"))
    theirs.get_by_role("navigation", name="Pages").first.wait_for()
    theirs.goto(f"{server.url}/#/inbox/{id}")
    wait_until_armed(mine)
    wait_until_armed(theirs)
    theirs.keyboard.press("y")

    mine.get_by_text("jon allowed this once").wait_for()
    theirs.get_by_text("You allowed this once").wait_for()
    server.send_request("POST", "people/jon/disable")


def test_a_phone_shows_either_the_list_or_the_card(server: WebServer, open_page: OpenPage) -> None:
    id = server.ask("make release")
    page = open_page(viewport=PHONE_VIEWPORT)
    expect(page.locator(".card")).to_have_count(0)
    page.get_by_role("link", name=re.compile("make release")).click()
    wait_until_armed(page)
    page.get_by_role("button", name="Deny").click()
    page.get_by_text("You denied this").wait_for()
    page.get_by_role("link", name="Back to the inbox").click()
    expect(page.get_by_text("Nothing is waiting")).to_be_visible()

    assert state_of(server, id) == "denied"


def test_one_switch_pauses_every_agent(server: WebServer, open_page: OpenPage) -> None:
    page = open_page()
    page.get_by_role("button", name="Pause all agents").click()
    expect(page.get_by_text("All agents are paused.")).to_be_visible()
    assert server.send_request("GET", "switch")["paused"] is True

    page.get_by_role("button", name="Resume all agents").click()
    expect(page.get_by_text("All agents are paused.")).to_have_count(0)
    assert server.send_request("GET", "switch")["paused"] is False


def test_a_list_of_a_thousand_questions_scrolls_smoothly(server: WebServer, open_page: OpenPage) -> None:
    for at in range(1000):
        server.ask(f"make part-{at}", agent=f"agent-{at % 10}")
    page = open_page()
    expect(page).to_have_title("(1000) Inbox · Assent")
    wait_until_armed(page)
    assert page.evaluate(COUNT_NODES) < 1500
    page.get_by_role("list", name="Waiting questions").hover()
    # The CPU time of the best of three runs: the cost of the page is in every run, the load of a busy
    # machine is not.
    scrolls = [trace_page(page, partial(scroll_list, page, step)) for step in (1500, -1500, 1500)]

    assert page.evaluate(COUNT_NODES) < 1500
    assert 0 < min(max(one.cpu_milliseconds) for one in scrolls) < 50


def scroll_list(page: Page, step: int) -> None:
    for _ in range(20):
        page.mouse.wheel(0, step)
        wait_for_frame(page)


def test_the_editor_says_at_once_if_a_rule_does_not_cover_the_call(
    server: WebServer, open_page: OpenPage
) -> None:
    id = server.ask("git push origin main")
    page = open_page(forgives=("status of 422",))
    wait_until_armed(page)
    page.keyboard.press("a")
    rule = page.get_by_label("Rule", exact=True)
    remember = page.get_by_role("button", name="Allow and remember")
    expect(page.get_by_text("covers this call", exact=True)).to_be_visible()
    rule.fill("terminal.exec(git pull *)")
    expect(page.get_by_text("does not cover this call")).to_be_visible()
    expect(rule).to_have_accessible_description(re.compile("would not allow this call"))
    expect(remember).to_be_disabled()
    rule.fill("terminal.exec(git push *")
    expect(rule).to_have_accessible_description(re.compile("invalid rule"))
    assert state_of(server, id) == "pending"

    rule.fill("terminal.exec(git push * main)")
    expect(page.get_by_text("covers this call", exact=True)).to_be_visible()
    remember.click()
    page.get_by_text("You allowed this and wrote a rule").wait_for()
    assert server.approval(id)["answer"]["rules"] == ["terminal.exec(git push * main)"]


def test_the_answer_for_the_conversation_shows_what_it_covers(server: WebServer, open_page: OpenPage) -> None:
    call = {"tool": "files.write", "args": {"path": "notes.md", "content": "One."}}
    body = {"agent": "bot", "conversation": server.start_conversation("Notes"), "call": call}
    id = server.approval_id(server.send_request("POST", "calls", body))
    page = open_page(f"#/inbox/{id}")
    wait_until_armed(page)
    expect(page.get_by_text("also allows files.write(/notes.md) without asking")).to_be_visible()
    page.get_by_role("button", name="For this conversation").click()
    page.get_by_text("You allowed this for the conversation").wait_for()

    assert [one["pattern"] for one in server.send_request("GET", "grants")["items"]] == [
        "files.write(/notes.md)"
    ]
