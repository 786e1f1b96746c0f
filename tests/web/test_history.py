"""The history page shows every decision with its reason, and figures that equal counts in the store."""

import csv
import io
import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.waiting import wait_until
from tests.web.conftest import PHONE_VIEWPORT, OpenPage
from tests.web.server import BRIEF_PRESET, PastEntry, WebServer


def make_sample_calls(server: WebServer) -> None:
    """Make sample calls: some run, some need approval, one is denied by a rule, one expires."""
    server.send_request("POST", "rules", {"list": "deny", "text": "terminal.exec(npm publish *)"})
    server.submit("terminal.exec", {"command": "ls -la"})
    server.submit("terminal.exec", {"command": "npm publish"})
    server.answer(server.ask("make one"), "once")
    server.answer(server.ask("make two", agent="bee"), "deny", reason="Not on a Friday.")
    server.ask("make three", agent="bee")


def open_history(server: WebServer, open_page: OpenPage, **more: object) -> Page:
    """Open the history after all audit entries are written."""
    server.wait_for_audit()
    return open_page("#/history", **more)


def shown_figures(page: Page) -> dict[str, str]:
    page.get_by_text("Median time to answer").wait_for()
    cells = page.locator("main dl > div")
    return {
        cell.locator("dt").inner_text(): " ".join(cell.locator("dd").all_inner_texts())
        for cell in cells.all()
    }


def many_past_entries(tool: str, rule: str) -> Iterator[PastEntry]:
    """5,000 past entries of a tool: 3,000 questions, and 2,000 runs because of a rule."""
    for at in range(3000):
        ago = 3600 + at * 60.0
        yield PastEntry(ago, f"{tool}{at}", tool, verdict="ask")
        if at % 10 < 8:
            yield PastEntry(ago - 2, f"{tool}{at}", tool, decision=ENDS_IN_TURN[at % 10])
    for at in range(2000):
        yield PastEntry(7200 + at * 60.0, f"{tool}-{at}", tool, verdict="run", rule=rule)


ENDS_IN_TURN = (
    "approved",
    "approved",
    "approved",
    "approved",
    "denied",
    "denied_with_reason",
    "expired",
    "withdrawn",
)
SQL_CONDITIONS = {
    "yes": "decision = 'approved'",
    "no": "decision like 'denied%'",
    "released": "decision = 'released'",
    "expired": "decision = 'expired'",
    "withdrawn": "decision = 'withdrawn'",
}
COUNT_ASKED_SQL = "select count(distinct agent_id || ' ' || conversation_id || ' ' || call_id) from audit where verdict = 'ask'"


def count_by_end(server: WebServer) -> str:
    """The number of questions by their end, counted in the store."""
    ends = {
        word: server.count_in_store(f"select count(*) from audit where {which}")
        for word, which in SQL_CONDITIONS.items()
    }
    # A question that was asked again, because its file changed, counts as open.
    ends["yes"] -= server.count_in_store("select count(*) from audit where decision = 'asked_again'")
    ends["open"] = server.count_in_store(COUNT_ASKED_SQL) - sum(ends.values())
    return ", ".join(f"{count:,} {word}" for word, count in ends.items() if count)


def test_every_figure_equals_the_count_in_the_store(server: WebServer, open_page: OpenPage) -> None:
    make_sample_calls(server)
    ends = server.approval_id(server.submit("terminal.exec", {"command": "make four"}, preset=BRIEF_PRESET))
    server.insert_past_entries(many_past_entries("press.print", "press.print"))
    wait_until(lambda: server.state(ends) == "expired")
    page = open_history(server, open_page)
    shown = shown_figures(page)

    decisions = server.count_in_store("select count(*) from audit where verdict != ''")
    unasked = server.count_in_store("select count(*) from audit where verdict = 'run'")
    refused = server.count_in_store("select count(*) from audit where verdict in ('deny', 'absent')")
    assert server.count_in_store("select count(*) from audit") > 5000
    assert shown["Decisions"] == f"{decisions:,} {refused:,} denied"
    assert shown["Ran without asking"] == f"{unasked:,} {percent_text(unasked / decisions)}"
    assert shown["Questions"] == f"{server.count_in_store(COUNT_ASKED_SQL):,} {count_by_end(server)}"
    assert shown["Median time to answer"].strip() == "2.0 s"  # Several durations are equal.
    row = page.locator("main table tbody tr").filter(has_text="press.print")
    assert [cell.inner_text() for cell in row.locator("td").all()][1:] == ["3,000", "67%", "2.0 s"]


def percent_text(share: float) -> str:
    """A percentage with at most one decimal."""
    return f"{share * 100:.1f}".removesuffix(".0") + "%"


def test_the_hits_of_a_rule_equal_the_count_in_the_store(server: WebServer, open_page: OpenPage) -> None:
    rule = server.send_request("POST", "rules", {"list": "allow", "text": "terminal.exec(fax send *)"})["id"]
    server.insert_past_entries(
        PastEntry(60.0 + at, f"fax-{at}", "terminal.exec", "run", rule=rule) for at in range(5200)
    )
    assert server.submit("terminal.exec", {"command": "fax send home"})["outcome"] == "run"
    server.wait_for_audit()
    page = open_page("#/rules")
    row = page.get_by_role("button", name="terminal.exec(fax send *)")

    expect(row).to_contain_text("5,201 hits")
    decided = server.count_in_store("select count(*) from audit where verdict != ''")
    expect(page.get_by_text(f"hits in {decided:,} decisions")).to_be_visible()


def test_the_sources_of_questions_add_up_to_all_questions(server: WebServer, open_page: OpenPage) -> None:
    make_sample_calls(server)
    server.declare_tools("presser", {"name": "press.stamp", "effect": "external"})
    for at in range(6):
        server.answer(server.ask(tool="press.stamp", agent="presser", page=at), "once")
    page = open_history(server, open_page)
    rows = page.locator("main table tbody tr")
    rows.first.wait_for()
    loads = [
        (row.locator("code").first.inner_text(), row.locator("td").nth(1).inner_text()) for row in rows.all()
    ]

    names = {one["entry"]["tool"] for one in server.list_items("audit?verdict=ask")}
    asked = {tool: server.count_in_store(f"{COUNT_ASKED_SQL} and tool_name = '{tool}'") for tool in names}
    most = sorted(asked.items(), key=lambda one: (-one[1], one[0]))[:8]
    assert loads == [(tool, f"{count:,}") for tool, count in most]
    expect(rows.filter(has_text="press.stamp").get_by_text("Rubber stamp")).to_be_visible()
    expect(rows.filter(has_text="terminal.exec").get_by_text("Rubber stamp")).to_have_count(0)


def test_decisions_are_found_by_verdict_and_words(server: WebServer, open_page: OpenPage) -> None:
    make_sample_calls(server)
    page = open_history(server, open_page)
    rows = page.locator("main li button[aria-expanded]")
    rows.first.wait_for()
    page.get_by_role("button", name="Verdict: all").click()
    page.get_by_role("menuitemradio", name="deny").click()
    expect(rows.first).to_contain_text("Denied")
    denied = server.count_in_store("select count(*) from audit where verdict = 'deny'")
    expect(rows).to_have_count(min(denied, 100))
    assert all("Denied" in text for text in rows.all_inner_texts())

    page.get_by_label("Agent, tool, rule, person").fill("no such agent")
    expect(rows).to_have_count(0)


@pytest.mark.parametrize(("name", "form"), [("CSV", "csv"), ("JSONL", "jsonl")])
def test_an_export_contains_every_row(server: WebServer, open_page: OpenPage, name: str, form: str) -> None:
    make_sample_calls(server)
    page = open_history(server, open_page)
    with page.expect_download() as downloading:
        page.get_by_role("link", name=name).click()
    text = downloading.value.path().read_text("utf-8")

    total = server.count_in_store("select count(*) from audit")
    found = (
        list(csv.DictReader(io.StringIO(text)))
        if form == "csv"
        else [json.loads(line) for line in text.splitlines()]
    )
    assert len(found) == total
    assert downloading.value.suggested_filename.endswith(form)


def test_an_opened_decision_shows_the_call_and_its_events_in_order(
    server: WebServer, open_page: OpenPage
) -> None:
    make_sample_calls(server)
    page = open_history(server, open_page)
    row = page.locator("main li button[aria-expanded]", has_text="Not on a Friday.").first
    row.click()

    expect(page.locator(".command").first).to_contain_text("make two")
    timeline = page.get_by_role("list", name="Timeline").get_by_role("listitem")
    expect(timeline).to_have_count(2)
    expect(timeline.nth(0)).to_contain_text("Asks")
    expect(timeline.nth(1)).to_contain_text("Not on a Friday.")


def test_an_open_question_shows_its_call(server: WebServer, open_page: OpenPage) -> None:
    server.ask("make dist")
    page = open_history(server, open_page)
    page.locator("main li button[aria-expanded]").first.click()

    expect(page.locator(".command").first).to_contain_text("make dist")


def test_a_rule_can_be_created_from_a_past_approval(server: WebServer, open_page: OpenPage) -> None:
    server.answer(server.ask("make dist"), "once")
    page = open_history(server, open_page)
    page.locator("main li button[aria-expanded]", has_text="Allowed").first.click()
    page.get_by_role("link", name="Make this a rule").click()
    expect(page.get_by_role("textbox", name="Rule", exact=True)).to_have_value("terminal.exec(make dist)")
    page.get_by_role("button", name="Save rule").click()
    page.get_by_text("Saved.").first.wait_for(state="attached")

    assert [one["text"] for one in server.send_request("GET", "rules")["items"]] == [
        "terminal.exec(make dist)"
    ]
    assert server.submit("terminal.exec", {"command": "make dist"})["outcome"] == "run"


def test_the_rule_of_an_answer_can_be_revoked_from_its_row(server: WebServer, open_page: OpenPage) -> None:
    id = server.ask("make dist")
    server.answer(id, "always", rules=["terminal.exec(make dist)"], scope="everyone", lifetime="forever")
    page = open_history(server, open_page)
    page.locator("main li button[aria-expanded]", has_text="Allowed").first.click()
    page.get_by_role("button", name="Revoke").click()
    page.get_by_text("Revoked.").first.wait_for(state="attached")

    assert server.submit("terminal.exec", {"command": "make dist"})["outcome"] == "wait"


def test_times_are_shown_in_the_readers_time_zone(server: WebServer, open_page: OpenPage) -> None:
    server.ask("make dist")
    shown = {}
    for zone in ("Asia/Tokyo", "America/Lima"):
        page = open_history(server, open_page, viewport=PHONE_VIEWPORT, timezone_id=zone)
        page.locator("main time").first.wait_for()
        shown[zone] = page.evaluate(
            """() => { const time = document.querySelector("main time");
              const own = new Date(time.dateTime).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
              return [time.textContent.startsWith(own), own]; }"""
        )

    assert [is_own for is_own, _ in shown.values()] == [True, True]
    assert len({own for _, own in shown.values()}) == 2


def test_a_stage_is_described_in_words_and_its_name_is_shown_on_request(
    server: WebServer, open_page: OpenPage
) -> None:
    server.ask("rm -rf ~/", agent="mole")
    page = open_history(server, open_page)
    row = page.locator("main li", has_text="mole").first
    expect(row).to_contain_text("Circuit breaker")
    expect(row).not_to_contain_text("breaker breaker")
    row.get_by_role("button").first.click()

    expect(page.get_by_role("list", name="Timeline").get_by_text("breaker", exact=True)).to_be_visible()


def test_changes_of_people_and_rules_are_listed_separately(server: WebServer, open_page: OpenPage) -> None:
    make_sample_calls(server)
    page = open_history(server, open_page)
    expect(page.get_by_role("radio", name="Decisions")).to_be_checked()
    page.locator("main li button[aria-expanded]").first.wait_for()
    expect(page.get_by_text("Rule saved")).to_have_count(0)
    page.get_by_role("radio", name="Changes").click()

    expect(page.get_by_text("Rule saved").first).to_be_visible()
    expect(page.locator("main li button[aria-expanded]")).to_have_count(0)
    with page.expect_download() as downloading:
        page.get_by_role("link", name="Export: JSONL").click()
    rows = [json.loads(line) for line in downloading.value.path().read_text("utf-8").splitlines()]
    assert rows
    assert not any(one["entry"]["tool"] for one in rows)
