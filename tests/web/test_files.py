"""Changes of files and edited arguments in a browser: the card shows what will run."""

import os
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.web.conftest import DESKTOP_VIEWPORT, PHONE_VIEWPORT, OpenPage, wait_until_armed
from tests.web.server import WebServer

BOTH_VIEWPORTS = pytest.mark.parametrize(
    "viewport", [DESKTOP_VIEWPORT, PHONE_VIEWPORT], ids=["desk", "phone"]
)
FIVE_LINES = "one\ntwo\nthree\nfour\nfive\n"


def diff_lines(page: Page, kind: str) -> list[list[str]]:
    """The diff lines of one kind on the card: old number, new number, sign, text."""
    found = page.locator(f".card .diff-{kind}")
    found.first.wait_for()
    return [line.locator("> *").all_inner_texts() for line in found.all()]


def save_screenshot(page: Page, name: str) -> None:
    """Save a screenshot if `ASSENT_PICTURES` names a directory."""
    if directory := os.environ.get("ASSENT_PICTURES"):
        page.screenshot(path=Path(directory) / f"{name}.png", full_page=True)


@pytest.mark.proves("T-49")
@BOTH_VIEWPORTS
def test_an_overwritten_file_shows_its_removed_lines_with_numbers(
    server: WebServer, open_page: OpenPage, viewport: dict[str, int]
) -> None:
    before = "".join(f"line {n}\n" for n in range(1, 41))
    (server.directory / "long.md").write_text(before, "utf-8")
    after = before.replace("line 20\n", "line twenty\n").replace("line 39\n", "")
    id = server.ask(tool="files.write", path="long.md", content=after)
    page = open_page(f"#/inbox/{id}", viewport=viewport)

    assert diff_lines(page, "remove") == [["20", "", "−", "line 20"], ["39", "", "−", "line 39"]]
    assert diff_lines(page, "add") == [["", "20", "+", "line twenty"]]
    expect(page.locator(".card")).to_contain_text("overwrites 40 lines")
    assert page.locator(".card .diff-gap").all_inner_texts() == ["16 unchanged lines", "12 unchanged lines"]
    save_screenshot(page, f"overwrite-{viewport['width']}")


@pytest.mark.proves("T-49")
def test_an_edit_that_does_not_match_the_file_shows_no_diff(server: WebServer, open_page: OpenPage) -> None:
    (server.directory / "five.md").write_text(FIVE_LINES + FIVE_LINES, "utf-8")
    id = server.ask(tool="Edit", file_path="five.md", old_string="two", new_string="2")
    page = open_page(f"#/inbox/{id}")

    expect(page.locator(".card")).to_contain_text("the text to replace is in the file 2 times")
    expect(page.locator(".card .diff")).to_have_count(0)
    save_screenshot(page, "unfit")


@pytest.mark.proves("T-49")
@BOTH_VIEWPORTS
def test_a_file_that_changes_before_the_answer_asks_again(
    server: WebServer, open_page: OpenPage, viewport: dict[str, int]
) -> None:
    file = server.directory / "five.md"
    file.write_text(FIVE_LINES, "utf-8")
    id = server.ask(tool="files.write", path="five.md", content="a\nb\nc\n")
    page = open_page(f"#/inbox/{id}", viewport=viewport)
    assert len(diff_lines(page, "remove")) == 5
    file.write_text(FIVE_LINES + "six\n", "utf-8")
    server.answer(id, "once")
    again = server.send_request("POST", f"calls/{id}/wait", {"seconds": 0})

    assert again["outcome"] == "wait"
    expect(page.locator(".card").first).to_contain_text("The file has changed since you opened this card.")
    expect(page.locator(".card .diff-remove")).to_have_count(6)
    save_screenshot(page, f"changed-{viewport['width']}")
    wait_until_armed(page)
    page.get_by_role("button", name="Allow once").click()
    page.get_by_role("button", name="Allow once").wait_for(state="detached")
    assert server.send_request("POST", f"calls/{id}/wait", {"seconds": 0})["outcome"] == "run"


@pytest.mark.proves("T-49")
@BOTH_VIEWPORTS
def test_edited_arguments_are_shown_on_the_card_and_in_the_history(
    server: WebServer, open_page: OpenPage, viewport: dict[str, int]
) -> None:
    server.declare_tools("clerk", {"name": "mail.send", "effect": "external"})
    id = server.ask(tool="mail.send", to="all@acme.example", subject="Release 0.9 is out", agent="clerk")
    server.answer(id, "once", args={"to": "web@acme.example", "subject": "Release 0.9 is out"})
    taken = server.send_request("POST", f"calls/{id}/wait", {"seconds": 0})
    server.send_request("POST", f"calls/{id}/report", {"claim": taken["claim"]})
    page = open_page(f"#/inbox/{id}", viewport=viewport)

    card = page.locator(".card")
    expect(card.get_by_role("region", name="Asked")).to_contain_text("all@acme.example")
    expect(card.get_by_role("region", name="Ran")).to_contain_text("web@acme.example")
    expect(card).to_contain_text("1 of 2 arguments was changed.")
    expect(card.locator(".over-line")).to_contain_text("edited")
    save_screenshot(page, f"edited-{viewport['width']}")
    server.wait_for_audit()
    page.goto(f"{server.url}/#/history")
    page.locator(".decision", has_text="mail.send").first.click()
    expect(page.get_by_role("region", name="Ran")).to_contain_text("web@acme.example")
    expect(page.get_by_role("region", name="Asked")).to_contain_text("all@acme.example")
    save_screenshot(page, f"history-{viewport['width']}")


@pytest.mark.proves("T-49")
def test_a_review_of_several_shows_each_change_before_it_can_be_allowed(
    server: WebServer, open_page: OpenPage
) -> None:
    ids: list[str] = []
    for name in ("one.md", "two.md"):
        (server.directory / name).write_text(FIVE_LINES, "utf-8")
        ids.append(server.ask(tool="files.write", path=name, content="one\n"))
    page = open_page()
    page.get_by_role("button", name="Review 2 together").click()
    dialog = page.get_by_role("dialog")

    expect(dialog.locator(".diff-remove")).to_have_count(8)
    dialog.locator("li[data-seen=true]").nth(1).wait_for()
    save_screenshot(page, "review")
    dialog.get_by_role("button", name="Allow").click()
    expect(dialog).to_have_count(0)
    assert [server.state(id) for id in ids] == ["approved", "approved"]
