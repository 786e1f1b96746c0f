"""The rules page: rules are created, tried and revoked."""

import pytest
from playwright.sync_api import Page, Route, expect

from tests.web.conftest import OpenPage, wait_until_armed
from tests.web.server import WebServer
from tests.web.test_stored import DelayedReplies

COUNT_DECISIONS_SQL = "select count(*) from audit where verdict != ''"
"""Counts decisions only: on a slow machine, questions of earlier tests expire meanwhile."""


def fill_new_rule(page: Page, text: str, verdict: str = "Allow") -> None:
    """Fill in the form for a new rule."""
    page.get_by_role("button", name="New rule").click()
    page.get_by_role("textbox", name="Rule", exact=True).fill(text)
    page.get_by_label("Verdict").select_option(verdict)


def stored_rules(server: WebServer) -> list[tuple[str, str]]:
    return [(one["list"], one["text"]) for one in server.send_request("GET", "rules")["items"]]


@pytest.mark.proves("R003-69")
@pytest.mark.parametrize(("verdict", "outcome"), [("Allow", "run"), ("Ask", "wait"), ("Deny", "refuse")])
def test_a_rule_is_created_takes_effect_immediately_and_is_revoked(
    server: WebServer, open_page: OpenPage, verdict: str, outcome: str
) -> None:
    call = ("terminal.exec", {"command": "make dist"})
    page = open_page("#/rules")
    fill_new_rule(page, "terminal.exec(make *)", verdict)
    page.get_by_label("Why").fill("It is ours.")
    page.get_by_role("button", name="Save rule").click()
    row = page.get_by_role("button", name="terminal.exec(make *)")
    row.wait_for()
    assert stored_rules(server) == [(verdict.lower(), "terminal.exec(make *)")]
    assert server.submit(*call)["outcome"] == outcome

    row.click()
    page.get_by_role("button", name="Revoke").click()
    expect(row).to_have_count(0)
    assert stored_rules(server) == []


@pytest.mark.proves("T-48")
@pytest.mark.parametrize(
    ("label", "text", "field"),
    [
        ("Why", "It is ours.", "why"),
        ("Rule", "terminal.exec(make dist)", "text"),
        ("Applies to", "", "agent"),
    ],
)
def test_saving_one_field_keeps_the_rest_of_the_rule(
    server: WebServer, open_page: OpenPage, label: str, text: str, field: str
) -> None:
    scope = {"user": "ana", "agent": "bot", "conversation": "c1"}
    before = server.send_request("POST", "rules", {"list": "allow", "text": "terminal.exec(make *)", **scope})
    page = open_page("#/rules")
    sent: list[str] = []
    page.on("request", lambda one: sent.append(one.method) if "/v1/rules" in one.url else None)
    page.get_by_role("button", name="terminal.exec(make *)").click()
    expect(page.get_by_text("Only for: ana, c1")).to_be_visible()
    form = page.get_by_role("form", name="Rule", exact=True)
    form.get_by_role("textbox", name=label, exact=True).fill(text)
    form.get_by_role("button", name="Save rule").click()
    expect(form).to_have_count(0)

    (after,) = server.send_request("GET", "rules")["items"]
    assert {name for name in before if before[name] != after[name] and name != "at"} == {"id", field}
    assert after[field] == (text or None)
    assert (sent.count("PATCH"), sent.count("DELETE")) == (1, 0)


@pytest.mark.proves("T-48")
def test_a_rule_that_is_saved_while_the_list_loads_is_shown(open_page: OpenPage) -> None:
    page = open_page()
    held: list[Route] = []
    page.route("**/v1/rules", lambda route: delay_first_list(route, held))
    page.get_by_role("link", name="Rules").first.click()
    fill_new_rule(page, "terminal.exec(make *)")
    page.get_by_role("button", name="Save rule").click()
    expect(page.get_by_role("form", name="Rule", exact=True)).to_have_count(0)
    held[0].fulfill(json={"items": []})

    page.get_by_role("button", name="terminal.exec(make *)").wait_for()


def delay_first_list(route: Route, held: list[Route]) -> None:
    """Hold the first request for the list of rules; let all others through."""
    if route.request.method == "GET" and not held:
        held.append(route)
    else:
        route.continue_()


def test_an_invalid_rule_is_refused_with_a_reason(server: WebServer, open_page: OpenPage) -> None:
    page = open_page("#/rules", forgives=("status of 422", "status of 400"))
    fill_new_rule(page, "terminal.exec(make")
    page.get_by_role("button", name="Save rule").click()

    expect(page.get_by_text("expected").first).to_be_visible()
    assert stored_rules(server) == []


def test_a_new_rule_shows_which_questions_it_would_have_answered(
    server: WebServer, open_page: OpenPage
) -> None:
    server.answer(server.ask("ferry out"), "once")
    server.answer(server.ask("ferry home"), "deny")
    server.wait_for_audit()
    page = open_page("#/rules")
    fill_new_rule(page, "terminal.exec(ferry *)")
    preview = page.locator(".preview")
    expect(preview).to_contain_text("denied")

    expect(preview.get_by_text("ferry home")).to_be_visible()


def test_no_button_moves_when_the_preview_of_a_new_rule_arrives(
    server: WebServer, open_page: OpenPage
) -> None:
    server.answer(server.ask("coach home"), "deny")
    server.wait_for_audit()
    page = open_page("#/rules")
    previews = DelayedReplies(page, "**/v1/rules/preview", "POST")
    fill_new_rule(page, "terminal.exec(coach *)")
    save = page.get_by_role("button", name="Save rule")
    previews.wait_for_held()
    before = save.bounding_box()
    previews.release()
    expect(page.locator(".preview").get_by_text("coach home")).to_be_visible()

    assert save.bounding_box() == before


def test_no_button_moves_while_the_server_checks_the_rule_of_an_answer(
    server: WebServer, open_page: OpenPage
) -> None:
    server.ask("ferry out")
    page = open_page()
    wait_until_armed(page)
    previews = DelayedReplies(page, "**/v1/rules/preview", "POST")
    page.get_by_role("button", name="Always…").click()
    remember = page.get_by_role("button", name="Remember")
    previews.wait_for_held()
    before = remember.bounding_box()
    previews.release()
    page.locator(".preview").wait_for()
    after_preview = remember.bounding_box()
    page.get_by_label("Rule", exact=True).fill("terminal.exec(train *)")
    expect(page.get_by_label("Rule", exact=True)).to_have_attribute("aria-invalid", "true")

    assert (after_preview, remember.bounding_box()) == (before, before)


@pytest.mark.parametrize(
    ("mode", "word", "stage"),
    [("plan", "Denied", "Plan mode"), ("default", "Asks", "Mode"), ("auto", "Ran", "Mode")],
)
def test_a_call_can_be_tried_in_every_mode_without_running(
    server: WebServer, open_page: OpenPage, mode: str, word: str, stage: str
) -> None:
    before = server.count_in_store(COUNT_DECISIONS_SQL)
    page = open_page("#/rules")
    trying = page.get_by_role("region", name="Try a call")
    trying.get_by_label("Call", exact=True).fill("make dist")
    trying.get_by_label("Mode").select_option(mode)

    expect(trying.get_by_role("status")).to_contain_text(word)
    expect(trying.get_by_text(f"{stage} decides")).to_be_visible()
    assert server.count_in_store(COUNT_DECISIONS_SQL) == before
    assert server.pending() == []


def test_standing_approvals_are_listed_and_revoked(server: WebServer, open_page: OpenPage) -> None:
    conversation = server.start_conversation("Here")
    call = ("terminal.exec", {"command": "make dist"})
    server.answer(server.approval_id(server.submit(*call, conversation=conversation)), "conversation")
    assert server.submit(*call, conversation=conversation)["outcome"] == "run"
    page = open_page("#/rules")
    page.get_by_role("button", name="Revoke").click()
    expect(page.get_by_text("Remembered approvals")).to_have_count(0)

    assert server.submit(*call, conversation=conversation)["outcome"] == "wait"


def test_the_table_of_modes_equals_that_of_the_engine(server: WebServer, open_page: OpenPage) -> None:
    page = open_page("#/rules")
    table = page.get_by_role("table")
    table.wait_for()
    rows = [row.locator("td, th").all_inner_texts() for row in table.locator("tbody tr").all()]

    for effect, tool in (("Read", "files.read"), ("Edit", "files.write"), ("Execute", "terminal.exec")):
        cells = next(row[1:] for row in rows if row[0].strip() == effect)
        for mode, cell in zip(("plan", "default", "accept_edits", "auto"), cells, strict=True):
            args = {"command": "make"} if effect == "Execute" else {"path": "a.txt", "content": "x"}
            decided = server.send_request("POST", "decide", {"tool": tool, "args": args, "mode": mode})
            assert cell.strip() == decided["verdict"]


def test_the_mode_of_new_conversations_is_set_for_everybody(server: WebServer, open_page: OpenPage) -> None:
    page = open_page("#/settings")
    page.get_by_role("radio", name="Accept edits").click()
    expect(page.get_by_role("radio", name="Accept edits")).to_be_checked()
    assert server.send_request("GET", "settings/agent.permissions")["mode"] == "accept_edits"

    page.get_by_role("radio", name="Default").click()
    expect(page.get_by_role("radio", name="Default")).to_be_checked()
    assert server.send_request("GET", "settings/agent.permissions")["mode"] == "default"


def test_a_pack_is_turned_on_and_off_with_one_click(server: WebServer, open_page: OpenPage) -> None:
    page = open_page("#/rules")
    switch = page.get_by_role("switch", name="Pack go")
    expect(page.get_by_text("run code that it may just have edited, with your rights")).to_be_visible()
    expect(switch).not_to_be_checked()
    switch.click()
    expect(switch).to_be_checked()
    assert ("allow", "terminal.exec(@go)") in stored_rules(server)

    switch.click()
    expect(switch).not_to_be_checked()
    assert stored_rules(server) == []
