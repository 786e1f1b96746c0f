"""`assent demo` in a browser: a new user can answer a first question within a few actions."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from assent.cli.demo import EXAMPLE_FILES, WORKBENCH_TITLE
from assent.client.client import Client
from tests.serving import environment
from tests.waiting import wait_until
from tests.web.conftest import (
    DESKTOP_VIEWPORT,
    PHONE_VIEWPORT,
    TIMEOUT_MILLISECONDS,
    run_page_briefly,
    wait_until_armed,
)
from tests.web.server import MAX_WAIT_SECONDS


@pytest.fixture(scope="module")
def running_demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    home = tmp_path_factory.mktemp("demo")
    command = [Path(sys.executable).with_name("assent"), "demo", "--json", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=home, env=environment(home)) as process:
        assert process.stdout is not None
        yield json.loads(process.stdout.readline())
        process.terminate()
        assert process.wait(MAX_WAIT_SECONDS) == 0
    assert list(home.iterdir()) == []


def login_link(client: Client) -> str:
    name = client.request("GET", "/v1/me")["id"]  # type: ignore[index]
    made = client.request("POST", f"/v1/people/{name}/link", tries=1)
    return f"{client.url}/login#{made['link']}"  # type: ignore[index]


@pytest.mark.parametrize(
    ("viewport", "most"), [(DESKTOP_VIEWPORT, 2), (PHONE_VIEWPORT, 2)], ids=["desk", "phone"]
)
def test_a_new_user_answers_a_first_question_within_five_actions(
    running_demo: dict[str, Any], browser: Browser, viewport: dict[str, int], most: int
) -> None:
    with Client(running_demo["url"], running_demo["owner_token"]) as client:
        before = len(list(client.approvals()))
        page = browser.new_page(viewport=viewport)  # type: ignore[arg-type]
        page.set_default_timeout(TIMEOUT_MILLISECONDS)
        page.goto(login_link(client))
        page.get_by_text("git push origin").first.wait_for()
        # Act like a person: read the page from the top, and press the first button that continues.
        # The newest question is irreversible, so its button must be held; the next one is ordinary.
        page.get_by_text("git push origin").first.click()
        actions = 2
        wait_until_armed(page)
        page.get_by_text("Allow once").locator("visible=true").first.click()
        wait_until(lambda: len(list(client.approvals())) != before, partial(run_page_briefly, page))
        page.close()

        assert len(list(client.approvals())) == before - 1
        assert actions <= most


def test_an_allowed_call_is_claimed_by_its_agent_and_never_run(
    running_demo: dict[str, Any], browser: Browser
) -> None:
    with Client(running_demo["url"], running_demo["owner_token"]) as client:
        page = browser.new_page()
        page.set_default_timeout(TIMEOUT_MILLISECONDS)
        page.goto(login_link(client))
        page.get_by_role("heading", name="Inbox").wait_for()
        mine = next(one for one in client.approvals() if "orders" in one.call.args)
        page.goto(f"{client.url}/#/inbox/{mine.id}")
        wait_until_armed(page)
        page.keyboard.press("y")
        page.get_by_role("link", name="orders.void").wait_for(state="detached")
        page.goto(f"{client.url}/#/inbox/{mine.id}")

        expect(page.get_by_text("Done, allowed by you")).to_be_visible()
        assert client.approval(mine.id).note == "demo: nothing was run"
        page.close()


READ_README = "async () => (await (await fetch('v1/files/content?root=&path=/README.md')).json()).text"


def wait_for_held_call(page: Page, tool: str) -> None:
    """Wait until the card of a call of this tool can be answered."""
    page.locator(".dock .card[data-armed=true]", has_text=tool).wait_for()


def test_a_new_user_watches_an_agent_list_files_propose_an_edit_and_be_stopped_at_a_command(
    running_demo: dict[str, Any], browser: Browser
) -> None:
    readme = EXAMPLE_FILES["README.md"]
    with Client(running_demo["url"], running_demo["owner_token"]) as client:
        page = browser.new_page(viewport=DESKTOP_VIEWPORT)  # type: ignore[arg-type]
        page.set_default_timeout(TIMEOUT_MILLISECONDS)
        page.goto(login_link(client))
        page.get_by_role("link", name="Workbench").click()
        page.get_by_role("link", name=WORKBENCH_TITLE).click()
        expect(page.get_by_text(re.compile("^[1-9][0-9]* tools$")).first).to_be_visible()
        page.get_by_role("button", name="All three, one after the other").click()
        page.get_by_role("button", name="Send").click()

        # The list runs unasked; the edit waits, and nothing is written before the answer.
        wait_for_held_call(page, "editor.proposeEdit")
        expect(page.get_by_role("log")).to_contain_text("files.list /")
        expect(page.locator(".dock")).to_contain_text("An agent proposed this line.")
        assert page.evaluate(READ_README) == readme
        page.locator(".dock").get_by_role("button", name="Allow once").click()

        # The command is held, drawn in the terminal and not sent; denied, it never runs.
        wait_for_held_call(page, "terminal.exec")
        expect(page.locator(".held-line")).to_contain_text("mkdir -p build")
        assert page.evaluate(READ_README) == f"{readme}\nAn agent proposed this line.\n"
        page.locator(".dock").get_by_role("button", name="Deny").click()
        expect(page.get_by_role("log")).to_contain_text("You denied this")
        expect(page.get_by_role("treeitem", name="README.md")).to_be_visible()
        expect(page.get_by_role("treeitem", name="build")).to_have_count(0)
        page.close()
