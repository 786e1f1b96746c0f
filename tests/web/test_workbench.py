"""The workbench: its panes, their arrangement, and what a person does in them."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from assent.config.workspace_roots import write_proof
from tests.waiting import wait_until
from tests.web.conftest import OpenPage
from tests.web.inspection import find_page_problems
from tests.web.server import ROOT, WebServer, run_web_server

WIDE = {"width": 1440, "height": 900}
MEDIUM = {"width": 1024, "height": 768}
NARROW = {"width": 820, "height": 1180}
LAZY_PARTS = ("Workbench", "EditorPane", "TerminalPane", "FilesPane")
"""Names of the parts of the app that only the workbench needs."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    """A server that was started in a project, with its data elsewhere."""
    root = tmp_path_factory.mktemp("project") / "shop"
    root.mkdir()
    with run_web_server(tmp_path_factory.mktemp("server"), root) as found:
        yield found


@pytest.fixture(scope="module")
def session(server: WebServer) -> object:
    """The owner's session."""
    return server.new_session()


@pytest.fixture
def project(server: WebServer) -> Path:
    """The directory of the project, with one file."""
    assert server.root is not None
    for path in server.root.iterdir():
        path.unlink()
    Path(server.root, "prices.md").write_text("# Prices\n\nBread 3\n", encoding="utf-8")
    return server.root


def start_workbench(server: WebServer, title: str = "Bench") -> str:
    """Start a conversation of the workbench; return its id."""
    body = {"title": title, "preset": "workbench"}
    return str(server.send_request("POST", "conversations", body)["id"])


def open_prices(page: Page) -> None:
    """Open the file of the project in the editor, by keyboard."""
    tree = page.get_by_role("tree", name="Files")
    tree.get_by_role("treeitem", name="prices.md").focus()
    page.keyboard.press("Enter")
    page.get_by_role("textbox", name="Text of /prices.md").wait_for()


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
    page.get_by_role("textbox", name="Text of /prices.md").focus()
    page.keyboard.press("Control+End")
    # A letter that answers a card elsewhere is a letter here.
    page.keyboard.type("Honey 8")
    page.get_by_role("button", name="Save", exact=True).wait_for()
    page.keyboard.press("Control+s")

    wait_until(lambda: Path(project, "prices.md").read_text("utf-8") == "# Prices\n\nBread 3\nHoney 8")
    expect(page.get_by_role("button", name="Save", exact=True)).to_have_count(0)


def test_the_explorer_shows_what_other_programs_change(
    server: WebServer, open_page: OpenPage, project: Path
) -> None:
    page = open_page(f"#/workbench/{start_workbench(server)}")
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
    page.get_by_role("textbox", name="Text of /prices.md").focus()
    page.keyboard.type("typed ")
    Path(project, "prices.md").write_text("# Other prices\n", encoding="utf-8")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("The file on disk changed.").wait_for()

    assert Path(project, "prices.md").read_text("utf-8") == "# Other prices\n"
    page.get_by_role("button", name="Show the file on disk").click()
    expect(page.get_by_role("textbox", name="Text of /prices.md")).to_contain_text("# Other prices")


@pytest.mark.usefixtures("project")
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
        page.get_by_role("treeitem", name="prices.md").wait_for()

    assert find_page_problems(page) == []
    page.emulate_media(color_scheme="dark")
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


# ---- calls of the agent --------------------------------------------------------------------------


def send(page: Page, tool: str, args: Mapping[str, object]) -> None:
    """Let the rehearsal model make a call."""
    page.get_by_label("Message", exact=True).fill(f"/call {tool} {json.dumps(args)}")
    page.keyboard.press("Enter")


def open_connected(server: WebServer, open_page: OpenPage, **more: str) -> tuple[Page, str]:
    """Open a workbench, and wait until the server has accepted its tools."""
    body = {"title": "Bench", "preset": "workbench", **more}
    id = str(server.send_request("POST", "conversations", body)["id"])
    page = open_page(f"#/workbench/{id}")
    expect(page.get_by_text(re.compile("^[1-9][0-9]* tools$")).first).to_be_visible()
    return page, id


PROPOSAL = {"path": "/prices.md", "old_string": "Bread 3", "new_string": "Bread 4"}


@pytest.mark.proves("R003-68", "R003-75")
@pytest.mark.parametrize("button", ["Accept", "Decline"])
def test_a_proposed_edit_is_one_question_which_the_editor_answers(
    server: WebServer, open_page: OpenPage, project: Path, button: str
) -> None:
    page, _ = open_connected(server, open_page)
    send(page, "editor.proposeEdit", PROPOSAL)
    page.get_by_role("button", name="Show where").click()
    expect(page.get_by_role("textbox", name="Text of /prices.md")).to_contain_text("Bread 4")
    assert Path(project, "prices.md").read_text("utf-8") == "# Prices\n\nBread 3\n"
    expect(page.get_by_text("held call 1")).not_to_have_count(0)
    page.locator(".editor-bar[data-armed=true]").wait_for()
    page.get_by_role("button", name=button, exact=True).click()
    expect(page.locator(".dock")).to_have_count(0)

    expected = "Bread 4" if button == "Accept" else "Bread 3"
    wait_until(lambda: expected in Path(project, "prices.md").read_text("utf-8"))
    assert server.pending() == []
    expect(page.get_by_role("textbox", name="Text of /prices.md")).to_contain_text(expected)


def test_an_edit_that_runs_unasked_waits_in_the_editor(
    server: WebServer, open_page: OpenPage, project: Path
) -> None:
    page, _ = open_connected(server, open_page, mode="accept_edits")
    send(page, "editor.proposeEdit", PROPOSAL)
    page.get_by_text("Proposed edit.").wait_for()
    assert "Bread 3" in Path(project, "prices.md").read_text("utf-8")
    page.get_by_role("button", name="Accept", exact=True).click()

    wait_until(lambda: "Bread 4" in Path(project, "prices.md").read_text("utf-8"))
    assert server.pending() == []


@pytest.mark.usefixtures("project")
def test_a_held_command_has_one_number_everywhere_and_then_runs_in_the_terminal(
    server: WebServer, open_page: OpenPage
) -> None:
    page, _ = open_connected(server, open_page)
    page.get_by_role("textbox", name=re.compile("^Terminal;")).wait_for()
    terminal = wait_until_terminal(page)
    send(page, "terminal.exec", {"command": "touch made && echo done-by-agent", "terminal": terminal})
    page.locator(".card[data-armed=true]").wait_for()
    page.get_by_text("held, not sent").wait_for()
    assert {number.inner_text() for number in page.locator(".held-number > [aria-hidden]").all()} == {"1"}
    expect(page.locator(".xterm-rows")).not_to_contain_text("done-by-agent")
    page.get_by_role("button", name="Allow once").click()

    expect(page.locator(".xterm-rows")).to_contain_text("done-by-agent")
    assert server.root is not None
    assert Path(server.root, "made").exists()


def wait_until_terminal(page: Page) -> str:
    """The id of the terminal that the page shows."""
    read = "JSON.parse(localStorage['assent.workbench']).arrangements.code.panes['terminal-3'].resource"
    page.wait_for_function(f"{read} !== ''")
    return str(page.evaluate(read))


@pytest.mark.supports("R003-72")
@pytest.mark.usefixtures("project")
def test_the_agent_arranges_panes_and_reads_what_they_show(server: WebServer, open_page: OpenPage) -> None:
    page, _ = open_connected(server, open_page)
    send(page, "open_pane", {"kind": "editor", "resource": "/prices.md"})
    page.get_by_role("textbox", name="Text of /prices.md").wait_for()
    send(page, "get_pane_context", {"instanceId": "editor-2"})
    expect(page.get_by_role("log")).to_contain_text("# Prices")
    send(page, "split_pane", {"instanceId": "editor-2", "direction": "vertical", "kind": "clubhouse"})
    page.get_by_role("tab", name="Clubhouse").wait_for()
    send(page, "switch_workspace", {"workspace": "monitor"})

    expect(page.get_by_role("button", name="Layout: Monitor")).to_be_visible()
    assert server.pending() == []


@pytest.mark.supports("R003-72", "R003-73")
@pytest.mark.usefixtures("project")
def test_an_agent_reads_what_each_kind_of_pane_shows_and_asks_before_it_clears_the_list_of_calls(
    server: WebServer, open_page: OpenPage
) -> None:
    page, _ = open_connected(server, open_page)
    page.get_by_role("treeitem", name="prices.md").click()
    wait_until_terminal(page)
    send(page, "open_pane", {"kind": "clubhouse"})
    page.get_by_role("tab", name="Clubhouse").wait_for()
    panes = page.evaluate(
        "Object.values(JSON.parse(localStorage['assent.workbench']).arrangements.code.panes)"
    )
    ids = {one["kind"]: one["id"] for one in panes}
    shown = {
        "files": '"selected": "/prices.md"',
        "terminal": '"shared": false',
        "status": '"server": "reachable"',
        "clubhouse": '"connected": true',
        "calls": '"errors": 0',
    }
    log = page.get_by_role("log")
    for kind, words in shown.items():
        send(page, "get_pane_context", {"instanceId": ids[kind]})
        expect(log).to_contain_text(words)
    assert server.pending() == []

    send(page, "observability.clear", {})
    page.locator(".dock .card[data-armed=true]", has_text="observability.clear").wait_for()
    page.locator(".dock").get_by_role("button", name="Deny").click()
    expect(page.locator(".dock")).to_have_count(0)


def test_the_example_module_is_not_in_the_built_app() -> None:
    built = [path.read_text("utf-8") for path in Path(ROOT, "web", "dist", "assets").glob("*.js")]

    assert any("clubhouse.listRooms" in text for text in built)
    assert [text for text in built if "stub.setValue" in text] == []


@pytest.mark.usefixtures("project")
def test_a_pane_shows_an_agent_no_file_that_it_may_not_read(server: WebServer, open_page: OpenPage) -> None:
    assert server.root is not None
    Path(server.root, ".env").write_text("TOKEN=hunter2\n", encoding="utf-8")
    page, _ = open_connected(server, open_page)
    send(page, "open_pane", {"kind": "editor", "resource": "/.env"})
    page.get_by_role("textbox", name="Text of /.env").wait_for()
    send(page, "get_pane_context", {"instanceId": "editor-2"})
    log = page.get_by_role("log")
    expect(log).to_contain_text("call `files.read`")

    assert "hunter2" not in log.inner_text()
    assert server.pending() == []


def test_an_agent_shows_a_line_of_an_open_file_and_loses_the_tool_with_it(
    server: WebServer, open_page: OpenPage, project: Path
) -> None:
    Path(project, "prices.md").write_text("".join(f"line {number}\n" for number in range(300)), "utf-8")
    page, _ = open_connected(server, open_page)
    open_prices(page)
    send(page, "editor.showLine", {"path": "/prices.md", "line": 250})
    expect(page.get_by_text("line 249", exact=True)).to_be_visible()
    send(page, "close_pane", {"instanceId": "editor-2"})
    expect(page.get_by_role("textbox", name="Text of /prices.md")).to_have_count(0)
    send(page, "editor.showLine", {"path": "/prices.md", "line": 2})

    expect(page.get_by_role("log")).to_contain_text("editor.showLine")
    expect(page.get_by_role("log").locator("[data-state=output-error]")).to_have_count(1)


@pytest.mark.proves("R003-7")
def test_an_agent_cannot_run_a_command_that_is_not_declared_for_agents(
    server: WebServer, open_page: OpenPage
) -> None:
    page, _ = open_connected(server, open_page, mode="auto")
    page.get_by_role("button", name="Actions for Calls").press("Enter")
    page.get_by_role("menuitem", name="Close the pane").press("Enter")
    expect(page.get_by_role("tab", name="Calls")).to_have_count(0)
    # The page has a command of this name, which would bring the pane back.
    log = page.get_by_role("log")
    send(page, "layout.reset", {})
    expect(log.locator("[data-state=output-error]")).to_have_count(1)

    expect(page.get_by_role("tab", name="Calls")).to_have_count(0)


@pytest.fixture
def docs(server: WebServer, project: Path) -> Iterator[Path]:
    """A second root, with a file of the same path as in the project."""
    directory = project.parent / "docs"
    directory.mkdir(exist_ok=True)
    Path(directory, "prices.md").write_text("# Prices of the docs\n", encoding="utf-8")
    with write_proof(str(directory)) as proof:
        wanted = {"root": str(directory), "proof": proof._asdict()}
        server.send_request("PUT", "agents/*/workspaces", {"workspaces": [wanted]})
    yield directory
    server.send_request("PUT", "agents/*/workspaces", {"workspaces": []})


def test_several_roots_are_told_apart_by_name(
    server: WebServer, open_page: OpenPage, project: Path, docs: Path
) -> None:
    page, _ = open_connected(server, open_page)
    open_prices(page)
    page.get_by_role("button", name="Workspace root: shop").press("Enter")
    page.get_by_role("menuitemradio", name="docs").press("Enter")
    page.get_by_role("treeitem", name="prices.md").wait_for()
    page.get_by_role("treeitem", name="prices.md").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("textbox", name="Text of docs:/prices.md")).to_contain_text("of the docs")

    # The agent changes the file of the root that it names, and no other.
    edit = {"path": "/prices.md", "root": "docs", "old_string": "docs", "new_string": "guides"}
    send(page, "editor.proposeEdit", edit)
    page.locator(".dock .card[data-armed=true]").wait_for()
    expect(page.locator(".dock")).to_contain_text("docs")
    page.locator(".dock").get_by_role("button", name="Allow once").click()
    wait_until(lambda: Path(docs, "prices.md").read_text("utf-8") == "# Prices of the guides\n")
    assert Path(project, "prices.md").read_text("utf-8") == "# Prices\n\nBread 3\n"


@pytest.mark.usefixtures("project")
def test_a_command_runs_in_a_terminal_of_another_root(
    server: WebServer, open_page: OpenPage, docs: Path
) -> None:
    page, _ = open_connected(server, open_page)
    send(page, "open_pane", {"kind": "terminal", "resource": "docs"})
    found: list[str] = []
    wait_until(lambda: found.extend(read_terminals(page, docs.name)) or found)
    send(page, "terminal.exec", {"command": "touch made-here", "terminal": found[0]})
    page.locator(".dock .card[data-armed=true]").wait_for()
    page.locator(".dock").get_by_role("button", name="Allow once").click()

    wait_until(Path(docs, "made-here").exists)


def read_terminals(page: Page, root: str) -> list[str]:
    """The ids of the person's terminals in a root."""
    read = "async () => (await (await fetch('/v1/terminals')).json()).items"
    return [one["id"] for one in page.evaluate(read) if one["root"] == root]


def test_each_turn_ends_in_a_line_that_hides_and_shows_its_calls(
    server: WebServer, open_page: OpenPage, project: Path
) -> None:
    assert project.exists()
    page, _ = open_connected(server, open_page, mode="plan")
    send(page, "files.list", {"path": "/"})
    line = page.get_by_role("button", name="Calls of this turn: read 1")
    line.wait_for()
    rows = page.get_by_role("log").locator("[data-state]")
    expect(rows).to_have_count(1)
    line.click()
    expect(rows).to_have_count(0)

    # The calls of the last turn are shown, those of earlier turns are not.
    line.click()
    send(page, "files.delete", {"path": "/prices.md"})
    page.get_by_role("button", name="Calls of this turn: denied 1").wait_for()
    expect(rows).to_have_count(2)
    page.reload()
    page.get_by_role("button", name="Calls of this turn: denied 1").wait_for()
    expect(rows).to_have_count(1)


def test_a_question_of_another_conversation_takes_one_line_until_it_is_opened(
    server: WebServer, open_page: OpenPage
) -> None:
    server.ask("touch elsewhere")
    page, _ = open_connected(server, open_page)
    dock = page.get_by_role("region", name="Calls that wait for you")
    expect(dock).to_contain_text("terminal.exec touch elsewhere")
    expect(dock.locator(".card")).to_have_count(0)
    dock.get_by_role("button", name="Show", exact=True).click()
    dock.locator(".card[data-armed=true]").wait_for()
    dock.get_by_role("button", name="Deny").click()
    expect(dock).to_have_count(0)

    assert server.pending() == []
