"""Subtasks in the thread: each is shown under the call that started it, with its own calls and cards."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.web.conftest import DESKTOP_VIEWPORT, PHONE_VIEWPORT, OpenPage, wait_until_armed
from tests.web.inspection import find_page_problems
from tests.web.server import WebServer


def send_subtask(page: Page, name: str, *calls: str, **more: str) -> Locator:
    """Start a subtask that makes these calls; return its element."""
    args = json.dumps({"name": name, "task": "\n".join(calls), **more})
    page.get_by_role("textbox", name=re.compile("^Message")).fill(f"/call run_subtask {args}")
    page.keyboard.press("Enter")
    return page.locator(f"[data-subtask={name}]")


def write_file_message(path: str) -> str:
    return f"/call write_file {json.dumps({'path': path, 'content': 'hello'})}"


LIST_FILES_MESSAGE = '/call run_command {"command": "ls"}'


@pytest.mark.proves("R000-29")
def test_the_calls_and_cards_of_a_subtask_are_shown_under_its_name(
    server: WebServer, open_page: OpenPage
) -> None:
    page = open_page("#/chat")
    subtask = send_subtask(page, "scribe", LIST_FILES_MESSAGE, write_file_message("helped.txt"))
    wait_until_armed(page)
    expect(subtask.locator("[data-state=output-available]")).to_contain_text("run_command ls")
    expect(subtask.locator(".card")).to_contain_text("helped.txt")
    expect(page.locator(".card")).to_have_count(1)
    head = subtask.get_by_role("button", expanded=True).first
    expect(head).to_contain_text("1 needs approval")
    subtask.get_by_role("button", name="Allow once").click()

    expect(head).to_have_count(0)  # A subtask that ended without errors is folded.
    expect(subtask).to_contain_text("Ran")
    expect(subtask).to_contain_text("2 calls")
    assert Path(server.directory, "helped.txt").read_text("utf-8") == "hello"


def test_a_subtask_is_folded_by_keyboard_and_shown_again_after_a_reload(
    server: WebServer, open_page: OpenPage
) -> None:
    page = open_page("#/chat")
    subtask = send_subtask(page, "scout", LIST_FILES_MESSAGE)
    expect(subtask).to_contain_text("Ran")
    page.wait_for_url("**/#/chat/*")
    page.reload()
    expect(subtask.locator("[data-state]")).to_have_count(0)
    subtask.get_by_role("button", expanded=False).focus()
    page.keyboard.press("Enter")
    row = subtask.locator("[data-state=output-available]")

    expect(row).to_contain_text("run_command ls")
    expect(row).to_contain_text("Read-only")  # the reason of the verdict
    expect(subtask).to_contain_text("This was a rehearsal")
    page.keyboard.press("Enter")
    expect(row).to_have_count(0)


def test_two_concurrent_subtasks_are_shown_separately(server: WebServer, open_page: OpenPage) -> None:
    page = open_page("#/chat")
    calls = [
        f"/call run_subtask {json.dumps({'name': name, 'task': write_file_message(f'{name}.txt')})}"
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
    assert not Path(server.directory, "bee.txt").exists()


def test_a_subtask_shows_its_mode(server: WebServer, open_page: OpenPage) -> None:
    page = open_page("#/chat")
    subtask = send_subtask(page, "planner", write_file_message("planned.txt"), mode="plan")

    expect(subtask).to_contain_text("Plan")
    subtask.get_by_role("button", expanded=False).click()
    expect(subtask.locator("[data-state=output-error], [data-state=output-denied]")).to_be_visible()
    expect(page.locator(".card")).to_have_count(0)
    assert server.pending() == []


@pytest.mark.parametrize("viewport", [DESKTOP_VIEWPORT, PHONE_VIEWPORT], ids=["desk", "phone"])
def test_a_subtask_is_accessible(server: WebServer, open_page: OpenPage, viewport: dict[str, int]) -> None:
    page = open_page("#/chat", viewport=viewport)
    send_subtask(page, "scribe", LIST_FILES_MESSAGE, write_file_message("axe-helped.txt"))
    wait_until_armed(page)

    assert find_page_problems(page) == []
