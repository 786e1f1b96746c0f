"""History: every decision with its reason, and figures that are counts of what the store holds."""

import csv
import io
import json
import time
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.web.conftest import PHONE, Open
from tests.web.house import BRIEF, House, Past


def lived(house: House) -> None:
    """A day's work: some ran, some were asked about, one was denied by a rule, one ended by itself."""
    house.api("POST", "rules", {"list": "deny", "text": "terminal.exec(npm publish *)"})
    house.submit("terminal.exec", {"command": "ls -la"})
    house.submit("terminal.exec", {"command": "npm publish"})
    house.answer(house.ask("make one"), "once")
    house.answer(house.ask("make two", agent="bee"), "deny", reason="Not on a Friday.")
    house.ask("make three", agent="bee")


def opened(house: House, open_page: Open, **more: object) -> Page:
    """The page, once the audit holds all that happened."""
    house.recorded()
    return open_page("#/history", **more)


def figures(page: Page) -> dict[str, str]:
    page.get_by_text("Median time to answer").wait_for()
    cells = page.locator("main dl > div")
    return {
        cell.locator("dt").inner_text(): " ".join(cell.locator("dd").all_inner_texts())
        for cell in cells.all()
    }


def long_past(tool: str, rule: str) -> Iterator[Past]:
    """More than five thousand rows of a tool: three thousand questions, and two thousand that a rule let run."""
    for at in range(3000):
        ago = 3600 + at * 60.0
        yield Past(ago, f"{tool}{at}", tool, verdict="ask")
        if at % 10 < 8:
            yield Past(ago - 2, f"{tool}{at}", tool, decision=ENDS[at % 10])
    for at in range(2000):
        yield Past(7200 + at * 60.0, f"{tool}-{at}", tool, verdict="run", rule=rule)


ENDS = (
    "approved",
    "approved",
    "approved",
    "approved",
    "denied",
    "denied_with_reason",
    "expired",
    "withdrawn",
)
STANDS = {
    "yes": "decision = 'approved'",
    "no": "decision like 'denied%'",
    "released": "decision = 'released'",
    "expired": "decision = 'expired'",
    "withdrawn": "decision = 'withdrawn'",
}
ASKED = "select count(distinct agent_id || ' ' || conversation_id || ' ' || call_id) from audit where verdict = 'ask'"


def stands(house: House) -> str:
    """What became of the questions, by the store's own count."""
    ends = {word: house.count(f"select count(*) from audit where {which}") for word, which in STANDS.items()}
    # A question that was asked again, because its file had changed, is as open as it was.
    ends["yes"] -= house.count("select count(*) from audit where decision = 'asked_again'")
    ends["open"] = house.count(ASKED) - sum(ends.values())
    return ", ".join(f"{count:,} {word}" for word, count in ends.items() if count)


def test_every_figure_is_a_count_of_the_store_however_much_it_holds(house: House, open_page: Open) -> None:
    lived(house)
    ends = house.asked(house.submit("terminal.exec", {"command": "make four"}, preset=BRIEF))
    house.remember(long_past("press.print", "press.print"))
    while house.state(ends) != "expired":
        time.sleep(0.2)
    page = opened(house, open_page)
    shown = figures(page)

    decisions = house.count("select count(*) from audit where verdict != ''")
    unasked = house.count("select count(*) from audit where verdict = 'run'")
    refused = house.count("select count(*) from audit where verdict in ('deny', 'absent')")
    assert house.count("select count(*) from audit") > 5000
    assert shown["Decisions"] == f"{decisions:,} {refused:,} denied"
    assert shown["Ran unasked"] == f"{unasked:,} {percent(unasked / decisions)}"
    assert shown["Questions"] == f"{house.count(ASKED):,} {stands(house)}"
    assert shown["Median time to answer"].strip() == "2.0 s"  # so many took just as long
    row = page.locator("main table tbody tr").filter(has_text="press.print")
    assert [cell.inner_text() for cell in row.locator("td").all()][1:] == ["3,000", "67%", "2.0 s"]


def percent(share: float) -> str:
    """As a reader of English is told it, with one decimal where there is one."""
    return f"{share * 100:.1f}".removesuffix(".0") + "%"


def test_a_rules_hits_are_a_count_of_the_store_however_much_it_holds(house: House, open_page: Open) -> None:
    rule = house.api("POST", "rules", {"list": "allow", "text": "terminal.exec(fax send *)"})["id"]
    house.remember(Past(60.0 + at, f"fax-{at}", "terminal.exec", "run", rule=rule) for at in range(5200))
    assert house.submit("terminal.exec", {"command": "fax send home"})["outcome"] == "run"
    house.recorded()
    page = open_page("#/rules")
    row = page.get_by_role("button", name="terminal.exec(fax send *)")

    expect(row).to_contain_text("5,201 hits")
    decided = house.count("select count(*) from audit where verdict != ''")
    expect(page.get_by_text(f"hits in {decided:,} decisions")).to_be_visible()


def test_where_questions_come_from_adds_up(house: House, open_page: Open) -> None:
    lived(house)
    house.declare("presser", {"name": "press.stamp", "effect": "external"})
    for at in range(6):
        house.answer(house.ask(tool="press.stamp", agent="presser", page=at), "once")
    page = opened(house, open_page)
    rows = page.locator("main table tbody tr")
    rows.first.wait_for()
    loads = [
        (row.locator("code").first.inner_text(), row.locator("td").nth(1).inner_text()) for row in rows.all()
    ]

    names = {one["entry"]["tool"] for one in house.items("audit?verdict=ask")}
    asked = {tool: house.count(f"{ASKED} and tool_name = '{tool}'") for tool in names}
    most = sorted(asked.items(), key=lambda one: (-one[1], one[0]))[:8]
    assert loads == [(tool, f"{count:,}") for tool, count in most]
    expect(rows.filter(has_text="press.stamp").get_by_text("Rubber stamp")).to_be_visible()
    expect(rows.filter(has_text="terminal.exec").get_by_text("Rubber stamp")).to_have_count(0)


def test_decisions_are_found_by_verdict_and_words(house: House, open_page: Open) -> None:
    lived(house)
    page = opened(house, open_page)
    rows = page.locator("main li button[aria-expanded]")
    rows.first.wait_for()
    page.get_by_role("button", name="Verdict: all").click()
    page.get_by_role("menuitemradio", name="deny").click()
    expect(rows.first).to_contain_text("Denied")
    denied = house.count("select count(*) from audit where verdict = 'deny'")
    expect(rows).to_have_count(min(denied, 100))
    assert all("Denied" in text for text in rows.all_inner_texts())

    page.get_by_label("Agent, tool, rule, person").fill("no such agent")
    expect(rows).to_have_count(0)


@pytest.mark.parametrize(("name", "form"), [("CSV", "csv"), ("JSONL", "jsonl")])
def test_an_export_holds_every_row(house: House, open_page: Open, name: str, form: str) -> None:
    lived(house)
    page = opened(house, open_page)
    with page.expect_download() as downloading:
        page.get_by_role("link", name=name).click()
    text = downloading.value.path().read_text("utf-8")

    total = house.count("select count(*) from audit")
    found = (
        list(csv.DictReader(io.StringIO(text)))
        if form == "csv"
        else [json.loads(line) for line in text.splitlines()]
    )
    assert len(found) == total
    assert downloading.value.suggested_filename.endswith(form)


def test_an_opened_decision_tells_the_call_and_what_happened_in_order(house: House, open_page: Open) -> None:
    lived(house)
    page = opened(house, open_page)
    row = page.locator("main li button[aria-expanded]", has_text="Not on a Friday.").first
    row.click()

    expect(page.locator(".command").first).to_contain_text("make two")
    timeline = page.get_by_role("list", name="Timeline").get_by_role("listitem")
    expect(timeline).to_have_count(2)
    expect(timeline.nth(0)).to_contain_text("Asks")
    expect(timeline.nth(1)).to_contain_text("Not on a Friday.")


def test_a_question_that_still_waits_shows_its_call(house: House, open_page: Open) -> None:
    house.ask("make dist")
    page = opened(house, open_page)
    page.locator("main li button[aria-expanded]").first.click()

    expect(page.locator(".command").first).to_contain_text("make dist")


def test_a_past_yes_becomes_a_rule(house: House, open_page: Open) -> None:
    house.answer(house.ask("make dist"), "once")
    page = opened(house, open_page)
    page.locator("main li button[aria-expanded]", has_text="Allowed").first.click()
    page.get_by_role("link", name="Make this a rule").click()
    expect(page.get_by_role("textbox", name="Rule", exact=True)).to_have_value("terminal.exec(make dist)")
    page.get_by_role("button", name="Save rule").click()
    page.get_by_text("Saved.").first.wait_for(state="attached")

    assert [one["text"] for one in house.api("GET", "rules")["items"]] == ["terminal.exec(make dist)"]
    assert house.submit("terminal.exec", {"command": "make dist"})["outcome"] == "run"


def test_what_an_answer_left_behind_is_revoked_from_its_row(house: House, open_page: Open) -> None:
    id = house.ask("make dist")
    house.answer(id, "always", rules=["terminal.exec(make dist)"], scope="everyone", lifetime="forever")
    page = opened(house, open_page)
    page.locator("main li button[aria-expanded]", has_text="Allowed").first.click()
    page.get_by_role("button", name="Revoke").click()
    page.get_by_text("Revoked.").first.wait_for(state="attached")

    assert house.submit("terminal.exec", {"command": "make dist"})["outcome"] == "wait"


def test_times_are_the_readers_own(house: House, open_page: Open) -> None:
    house.ask("make dist")
    shown = {}
    for zone in ("Asia/Tokyo", "America/Lima"):
        page = opened(house, open_page, viewport=PHONE, timezone_id=zone)
        page.locator("main time").first.wait_for()
        shown[zone] = page.evaluate(
            """() => { const time = document.querySelector("main time");
              const own = new Date(time.dateTime).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
              return [time.textContent.startsWith(own), own]; }"""
        )

    assert [is_own for is_own, _ in shown.values()] == [True, True]
    assert len({own for _, own in shown.values()}) == 2


def test_a_stage_is_told_in_words_and_its_name_is_one_press_away(house: House, open_page: Open) -> None:
    house.ask("rm -rf ~/", agent="mole")
    page = opened(house, open_page)
    row = page.locator("main li", has_text="mole").first
    expect(row).to_contain_text("Circuit breaker")
    expect(row).not_to_contain_text("breaker breaker")
    row.get_by_role("button").first.click()

    expect(page.get_by_role("list", name="Timeline").get_by_text("breaker", exact=True)).to_be_visible()


def test_changes_of_people_and_rules_stand_apart_from_decisions(house: House, open_page: Open) -> None:
    lived(house)
    page = opened(house, open_page)
    expect(page.get_by_role("radio", name="Decisions")).to_be_checked()
    page.locator("main li button[aria-expanded]").first.wait_for()
    expect(page.get_by_text("Rule written")).to_have_count(0)
    page.get_by_role("radio", name="Changes").click()

    expect(page.get_by_text("Rule written").first).to_be_visible()
    expect(page.locator("main li button[aria-expanded]")).to_have_count(0)
    with page.expect_download() as downloading:
        page.get_by_role("link", name="Export: JSONL").click()
    rows = [json.loads(line) for line in downloading.value.path().read_text("utf-8").splitlines()]
    assert rows
    assert not any(one["entry"]["tool"] for one in rows)
