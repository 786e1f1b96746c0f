"""Helpers in the thread: each under the call that sent it, with its own calls, verdicts and cards."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.web.conftest import DESK, PHONE, Open, armed
from tests.web.house import House
from tests.web.inspection import problems


def sent(page: Page, name: str, *calls: str, **more: str) -> Locator:
    """Send a helper that makes these calls; where it is shown."""
    args = json.dumps({"name": name, "task": "\n".join(calls), **more})
    page.get_by_role("textbox", name=re.compile("^Message")).fill(f"/call run_subtask {args}")
    page.keyboard.press("Enter")
    return page.locator(f"[data-subtask={name}]")


def save(path: str) -> str:
    return f"/call write_file {json.dumps({'path': path, 'content': 'hello'})}"


LOOK = '/call run_command {"command": "ls"}'


@pytest.mark.proves("R000-29")
def test_a_helpers_calls_and_cards_stand_under_its_name(house: House, open_page: Open) -> None:
    page = open_page("#/chat")
    helper = sent(page, "scribe", LOOK, save("helped.txt"))
    armed(page)
    expect(helper.locator("[data-state=output-available]")).to_contain_text("run_command ls")
    expect(helper.locator(".card")).to_contain_text("helped.txt")
    expect(page.locator(".card")).to_have_count(1)
    head = helper.get_by_role("button", expanded=True).first
    expect(head).to_contain_text("1 asks")
    helper.get_by_role("button", name="Allow once").click()

    expect(head).to_have_count(0)  # what is done and went well is folded
    expect(helper).to_contain_text("Ran")
    expect(helper).to_contain_text("2 calls")
    assert Path(house.directory, "helped.txt").read_text("utf-8") == "hello"


def test_a_helper_is_folded_and_opened_by_keyboard_and_found_again_after_a_reload(
    house: House, open_page: Open
) -> None:
    page = open_page("#/chat")
    helper = sent(page, "scout", LOOK)
    expect(helper).to_contain_text("Ran")
    page.wait_for_url("**/#/chat/*")
    page.reload()
    expect(helper.locator("[data-state]")).to_have_count(0)
    helper.get_by_role("button", expanded=False).focus()
    page.keyboard.press("Enter")
    row = helper.locator("[data-state=output-available]")

    expect(row).to_contain_text("run_command ls")
    expect(row).to_contain_text("read")  # why it ran
    expect(helper).to_contain_text("This was a rehearsal")
    page.keyboard.press("Enter")
    expect(row).to_have_count(0)


def test_two_helpers_at_once_are_told_apart(house: House, open_page: Open) -> None:
    page = open_page("#/chat")
    calls = [
        f"/call run_subtask {json.dumps({'name': name, 'task': save(f'{name}.txt')})}"
        for name in ("ant", "bee")
    ]
    page.get_by_role("textbox", name=re.compile("^Message")).fill("\n".join(calls))
    page.keyboard.press("Enter")
    for name in ("ant", "bee"):
        expect(page.locator(f"[data-subtask={name}] .card")).to_contain_text(f"{name}.txt")
    bee = page.locator("[data-subtask=bee]")
    bee.locator(".card[data-armed=true]").wait_for()
    bee.get_by_role("button", name="Deny").click()

    expect(bee.locator(".card").get_by_role("button", name="Allow once")).to_have_count(0)
    expect(page.locator("[data-subtask=ant] .card")).to_be_visible()
    assert not Path(house.directory, "bee.txt").exists()


def test_a_helper_says_in_which_mode_it_works(house: House, open_page: Open) -> None:
    page = open_page("#/chat")
    helper = sent(page, "planner", save("planned.txt"), mode="plan")

    expect(helper).to_contain_text("Plan")
    helper.get_by_role("button", expanded=False).click()
    expect(helper.locator("[data-state=output-error], [data-state=output-denied]")).to_be_visible()
    expect(page.locator(".card")).to_have_count(0)
    assert house.pending() == []


@pytest.mark.parametrize("viewport", [DESK, PHONE], ids=["desk", "phone"])
def test_nothing_is_wrong_with_a_helper(house: House, open_page: Open, viewport: dict[str, int]) -> None:
    page = open_page("#/chat", viewport=viewport, reduced_motion="reduce")
    sent(page, "scribe", LOOK, save("axe-helped.txt"))
    armed(page)

    assert problems(page) == []
