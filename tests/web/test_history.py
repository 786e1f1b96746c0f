"""History: every decision with its reason, and figures that are counts of what the store holds."""

import csv
import io
import json
import sqlite3
from collections import Counter

import pytest
from playwright.sync_api import Page, expect

from tests.web.conftest import PHONE, Open
from tests.web.house import BRIEF, House


def lived(house: House) -> None:
    """A day's work: some ran, some were asked about, one was denied by a rule, one ended by itself."""
    house.api("POST", "rules", {"list": "deny", "text": "terminal.exec(npm publish *)"})
    house.submit("terminal.exec", {"command": "ls -la"})
    house.submit("terminal.exec", {"command": "npm publish"})
    house.answer(house.ask("make one"), "once")
    house.answer(house.ask("make two", agent="bee"), "deny", reason="Not on a Friday.")
    house.ask("make three", agent="bee")


def counted(house: House, question: str) -> int:
    """A count in the store itself, past the server."""
    with sqlite3.connect(f"file:{house.directory}/data/assent.db?mode=ro", uri=True) as store:
        return int(store.execute(question).fetchone()[0])


def figures(page: Page) -> dict[str, str]:
    page.get_by_text("Median time to answer").wait_for()
    page.wait_for_timeout(300)
    cells = page.locator("main dl > div")
    return {
        cell.locator("dt").inner_text(): " ".join(cell.locator("dd").all_inner_texts())
        for cell in cells.all()
    }


@pytest.mark.proves("R000-30")
def test_every_figure_is_a_count_of_the_store(house: House, open_page: Open) -> None:
    lived(house)
    house.asked(house.submit("terminal.exec", {"command": "make four"}, preset=BRIEF))
    page = open_page("#/history")
    shown = figures(page)

    decisions = counted(house, "select count(*) from audit where verdict != ''")
    unasked = counted(house, "select count(*) from audit where verdict = 'run'")
    refused = counted(house, "select count(*) from audit where verdict in ('deny', 'absent')")
    questions = counted(house, "select count(*) from approvals")
    yes = counted(house, "select count(*) from audit where decision = 'approved'")
    no = counted(house, "select count(*) from audit where decision like 'denied%'")
    expired = counted(house, "select count(*) from audit where decision = 'expired'")
    assert shown["Decisions"] == f"{decisions:,} {refused:,} denied"
    assert shown["Ran unasked"].split()[0] == f"{unasked:,}"
    assert shown["Questions"] == f"{questions:,} {yes} yes, {no} no, {expired} expired"


def test_where_questions_come_from_adds_up(house: House, open_page: Open) -> None:
    lived(house)
    for at in range(6):
        house.answer(house.ask(tool="files.write", path=f"{at}.md", content="x"), "once")
    page = open_page("#/history")
    rows = page.locator("main table tbody tr")
    rows.first.wait_for()
    loads = {
        row.locator("code").first.inner_text(): row.locator("td").nth(1).inner_text() for row in rows.all()
    }

    asked = Counter(one["tool"] for one in (row["entry"] for row in house.items("audit?verdict=ask")))
    assert loads == {tool: str(count) for tool, count in asked.most_common(8)}
    expect(rows.filter(has_text="files.write").get_by_text("Rubber stamp")).to_be_visible()
    expect(rows.filter(has_text="terminal.exec").get_by_text("Rubber stamp")).to_have_count(0)


def test_decisions_are_found_by_verdict_and_words(house: House, open_page: Open) -> None:
    lived(house)
    page = open_page("#/history")
    rows = page.locator("main li button[aria-expanded]")
    rows.first.wait_for()
    page.get_by_role("button", name="Verdict: all").click()
    page.get_by_role("menuitemradio", name="deny").click()
    expect(rows.first).to_contain_text("Denied")
    denied = counted(house, "select count(*) from audit where verdict = 'deny'")
    expect(rows).to_have_count(min(denied, 100))
    assert all("Denied" in text for text in rows.all_inner_texts())

    page.get_by_label("Agent, tool, rule, person").fill("no such agent")
    expect(rows).to_have_count(0)


@pytest.mark.parametrize(("name", "form"), [("CSV", "csv"), ("JSONL", "jsonl")])
def test_an_export_holds_every_row(house: House, open_page: Open, name: str, form: str) -> None:
    lived(house)
    page = open_page("#/history")
    with page.expect_download() as downloading:
        page.get_by_role("link", name=name).click()
    text = downloading.value.path().read_text("utf-8")

    total = counted(house, "select count(*) from audit")
    found = (
        list(csv.DictReader(io.StringIO(text)))
        if form == "csv"
        else [json.loads(line) for line in text.splitlines()]
    )
    assert len(found) == total
    assert downloading.value.suggested_filename.endswith(form)


def test_an_opened_decision_tells_the_call_and_what_happened_in_order(house: House, open_page: Open) -> None:
    lived(house)
    page = open_page("#/history")
    row = page.locator("main li button[aria-expanded]", has_text="Not on a Friday.").first
    row.click()

    expect(page.locator(".command").first).to_contain_text("make two")
    timeline = page.get_by_role("list", name="Timeline").get_by_role("listitem")
    expect(timeline).to_have_count(2)
    expect(timeline.nth(0)).to_contain_text("Asks")
    expect(timeline.nth(1)).to_contain_text("Not on a Friday.")


def test_a_question_that_still_waits_shows_its_call(house: House, open_page: Open) -> None:
    house.ask("make dist")
    page = open_page("#/history")
    page.locator("main li button[aria-expanded]").first.click()

    expect(page.locator(".command").first).to_contain_text("make dist")


def test_a_past_yes_becomes_a_rule(house: House, open_page: Open) -> None:
    house.answer(house.ask("make dist"), "once")
    page = open_page("#/history")
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
    page = open_page("#/history")
    page.locator("main li button[aria-expanded]", has_text="Allowed").first.click()
    page.get_by_role("button", name="Revoke").click()
    page.get_by_text("Revoked.").first.wait_for(state="attached")

    assert house.submit("terminal.exec", {"command": "make dist"})["outcome"] == "wait"


def test_times_are_the_readers_own(house: House, open_page: Open) -> None:
    house.ask("make dist")
    shown = {}
    for zone in ("Asia/Tokyo", "America/Lima"):
        page = open_page("#/history", viewport=PHONE, timezone_id=zone)
        page.locator("main time").first.wait_for()
        shown[zone] = page.evaluate(
            """() => { const time = document.querySelector("main time");
              const own = new Date(time.dateTime).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
              return [time.textContent.startsWith(own), own]; }"""
        )

    assert [is_own for is_own, _ in shown.values()] == [True, True]
    assert len({own for _, own in shown.values()}) == 2
