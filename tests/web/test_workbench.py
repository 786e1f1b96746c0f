"""The workbench: its panes, their arrangement, and what a person does in them."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.waiting import wait_until
from tests.web.conftest import OpenPage
from tests.web.inspection import find_page_problems
from tests.web.server import WebServer

WIDE = {"width": 1440, "height": 900}
MEDIUM = {"width": 1024, "height": 768}
NARROW = {"width": 820, "height": 1180}
LAZY_PARTS = ("Workbench", "EditorPane", "TerminalPane", "FilesPane")
"""Names of the parts of the app that only the workbench needs."""


@pytest.fixture
def project(server: WebServer) -> Iterator[Path]:
    """A directory in the root of the server, with a file."""
    directory = Path(server.directory, "shop")
    directory.mkdir(exist_ok=True)
    Path(directory, "prices.md").write_text("# Prices\n\nBread 3\n", encoding="utf-8")
    yield directory
    for path in directory.iterdir():
        path.unlink()


def start_workbench(server: WebServer, title: str = "Bench") -> str:
    """Start a conversation of the workbench; return its id."""
    body = {"title": title, "preset": "workbench"}
    return str(server.send_request("POST", "conversations", body)["id"])


def open_prices(page: Page) -> None:
    """Open the file of the project in the editor, by keyboard."""
    tree = page.get_by_role("tree", name="Files")
    tree.get_by_role("treeitem", name="shop").focus()
    page.keyboard.press("ArrowRight")
    tree.get_by_role("treeitem", name="prices.md").wait_for()
    tree.get_by_role("treeitem", name="prices.md").focus()
    page.keyboard.press("Enter")
    page.get_by_role("textbox", name="Text of /shop/prices.md").wait_for()


def test_a_person_starts_a_workbench_and_finds_it_again(server: WebServer, open_page: OpenPage) -> None:
    page = open_page("#/workbench")
    page.get_by_role("button", name="New workbench").click()
    page.wait_for_url("**/#/workbench/*")
    for name in ("Files", "Editor", "Terminal", "Calls", "Status"):
        expect(page.get_by_role("tab", name=name)).to_be_visible()
    opened = page.url.rpartition("/")[2]

    page.goto(f"{server.url}/#/workbench")
    links = page.get_by_role("list", name="Earlier").get_by_role("link")
    assert f"#/workbench/{opened}" in [link.get_attribute("href") for link in links.all()]


def test_panes_are_arranged_by_menu_and_the_arrangement_is_kept(
    server: WebServer, open_page: OpenPage
) -> None:
    page = open_page(f"#/workbench/{start_workbench(server)}")
    page.get_by_role("button", name="Open a pane").click()
    page.get_by_role("menuitem", name="Clubhouse").click()
    expect(page.get_by_role("tab", name="Clubhouse")).to_be_visible()
    page.get_by_role("button", name="Actions for Calls").press("Enter")
    page.get_by_role("menuitem", name="Close the pane").press("Enter")
    expect(page.get_by_role("tab", name="Calls")).to_have_count(0)
    page.reload()
    expect(page.get_by_role("tab", name="Clubhouse")).to_be_visible()
    expect(page.get_by_role("tab", name="Calls")).to_have_count(0)

    page.get_by_role("button", name="Layout: Code").click()
    page.get_by_role("menuitemradio", name="Monitor").click()
    expect(page.get_by_role("tab", name="Calls")).to_be_visible()
    expect(page.get_by_role("tab", name="Terminal")).to_have_count(0)


def test_panes_are_resized_by_keyboard(server: WebServer, open_page: OpenPage) -> None:
    page = open_page(f"#/workbench/{start_workbench(server)}")
    grip = page.get_by_role("separator", name="Resize the panes").first
    before = grip.bounding_box()
    grip.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")

    assert grip.bounding_box() != before


def test_a_file_is_opened_edited_and_saved_by_keyboard(
    server: WebServer, open_page: OpenPage, project: Path
) -> None:
    page = open_page(f"#/workbench/{start_workbench(server)}")
    open_prices(page)
    page.get_by_role("textbox", name="Text of /shop/prices.md").focus()
    page.keyboard.press("Control+End")
    # A letter that answers a card elsewhere is a letter here.
    page.keyboard.type("Honey 8")
    page.get_by_role("button", name="Save").wait_for()
    page.keyboard.press("Control+s")

    wait_until(lambda: Path(project, "prices.md").read_text("utf-8") == "# Prices\n\nBread 3\nHoney 8")
    expect(page.get_by_role("button", name="Save")).to_have_count(0)


def test_the_explorer_shows_what_other_programs_change(
    server: WebServer, open_page: OpenPage, project: Path
) -> None:
    page = open_page(f"#/workbench/{start_workbench(server)}")
    page.get_by_role("treeitem", name="shop").click()
    page.get_by_role("treeitem", name="prices.md").wait_for()
    Path(project, "stock.md").write_text("Bread 12\n", encoding="utf-8")
    page.get_by_role("treeitem", name="stock.md").wait_for()

    Path(project, "stock.md").unlink()
    expect(page.get_by_role("treeitem", name="stock.md")).to_have_count(0)


def test_a_change_on_disk_does_not_overwrite_what_is_typed(
    server: WebServer, open_page: OpenPage, project: Path
) -> None:
    # The server replies 409 to the save.
    page = open_page(f"#/workbench/{start_workbench(server)}", forgives=("status of 409",))
    open_prices(page)
    page.get_by_role("textbox", name="Text of /shop/prices.md").focus()
    page.keyboard.type("typed ")
    Path(project, "prices.md").write_text("# Other prices\n", encoding="utf-8")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("The file on disk changed.").wait_for()

    assert Path(project, "prices.md").read_text("utf-8") == "# Other prices\n"
    page.get_by_role("button", name="Show the file on disk").click()
    expect(page.get_by_role("textbox", name="Text of /shop/prices.md")).to_contain_text("# Other prices")


def test_the_terminal_is_a_shell_of_the_person(server: WebServer, open_page: OpenPage) -> None:
    page = open_page(f"#/workbench/{start_workbench(server)}")
    page.get_by_role("textbox", name=re.compile("^Terminal;")).focus()
    page.keyboard.type("echo sum $((40+2))\n")

    expect(page.locator(".xterm-rows")).to_contain_text("sum 42")
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    expect(page.get_by_role("checkbox", name="Agents may read the whole terminal")).to_be_focused()


@pytest.mark.parametrize("viewport", [WIDE, MEDIUM, NARROW], ids=["1440", "1024", "820"])
def test_the_workbench_has_no_accessibility_problems(
    server: WebServer, open_page: OpenPage, project: Path, viewport: dict[str, int]
) -> None:
    assert project.exists()
    conversation = start_workbench(server, "Cut the 0.9 release")
    server.send_request(
        "POST",
        "calls",
        {
            "agent": "bot",
            "conversation": conversation,
            "call": {"tool": "terminal.exec", "args": {"command": "git push"}},
        },
    )
    page = open_page(f"#/workbench/{conversation}", viewport=viewport)
    page.locator(".card[data-armed=true]").wait_for()
    if viewport is WIDE:
        open_prices(page)
    else:
        page.get_by_role("button", name="Files", exact=True).click()
        page.get_by_role("treeitem", name="shop").wait_for()

    assert find_page_problems(page) == []


def test_the_inbox_loads_nothing_of_the_workbench(server: WebServer, open_page: OpenPage) -> None:
    loaded: list[str] = []
    page = open_page("#/settings")
    page.on("request", lambda request: loaded.append(request.url))
    server.ask("touch inbox")
    page.goto(f"{server.url}/#/inbox")
    page.reload()
    page.locator(".card[data-armed=true]").wait_for()

    assert any(url.endswith(".js") for url in loaded)
    assert [url for url in loaded if any(part in url for part in LAZY_PARTS)] == []


@pytest.mark.proves("R003-69")
def test_administrators_edit_the_three_lists_of_rules(server: WebServer, open_page: OpenPage) -> None:
    page = open_page("#/settings")
    for _ in range(2):  # A rule that is already there is not added twice.
        page.get_by_label("New rule: Deny").fill("terminal.exec(rm *)")
        page.get_by_label("New rule: Deny").press("Enter")
        expect(page.get_by_label("New rule: Deny")).to_have_value("")
    stored = server.send_request("GET", "settings/agent.permissions")
    assert stored["deny"] == ["terminal.exec(rm *)"]

    page.get_by_role("button", name="Remove terminal.exec(rm *)").click()
    expect(page.get_by_role("button", name="Remove terminal.exec(rm *)")).to_have_count(0)
    assert server.send_request("GET", "settings/agent.permissions")["deny"] == []
