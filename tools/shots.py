"""Takes screenshots of every page and card, light and dark, desktop and phone, with an overview page.

The screenshots show `assent demo`. Usage: `./dev shots [words of a name]`.
"""

import html
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Browser, Page, sync_playwright

from assent.client.client import Client
from assent.wire.fields import Fields
from tools.chromium import HEADLESS_FLAGS, find_chromium

ROOT = Path(__file__).resolve().parent.parent
SHOTS_FOLDER = ROOT / ".cache" / "shots"
VIEWPORTS = {"desk": (1440, 900), "phone": (390, 844)}
WORKBENCH_VIEWPORTS = {"wide": (1440, 900), "medium": (1024, 768), "narrow": (820, 1180)}
THEMES = ("light", "dark")
PAGES = ("inbox", "chat", "agents", "rules", "history", "settings")
CARD_WORDS = {
    "several-commands": "build-cache", "one-command": "release/0.9", "file": "CHANGELOG.md",
    "breaker": "sudo rm", "arguments": "northwind", "destructive": "Ortiz", "write": "4417",
    "hostile": "fdp.sh",
}  # fmt: skip


LIST_FILES_MESSAGE = '/call run_command {"command": "ls -la"}'
WRITE_FILE_MESSAGE = (
    '/call write_file {"path": "notes.md", "content": "# Notes\\n\\n- Asked before it is saved.\\n"}'
)
SUBTASK_MESSAGE = "/call run_subtask " + json.dumps(
    {"name": "scribe", "task": f"{LIST_FILES_MESSAGE}\nthen\n{WRITE_FILE_MESSAGE}"}
)


class View(NamedTuple):
    """A browser page, and an API client of its server."""

    page: Page
    client: Client
    is_phone: bool

    def open_route(self, route: str) -> None:
        """Open a route of the web app, and wait until it is loaded."""
        url = f"{self.client.url}/#/{route}"
        self.page.goto("about:blank")
        self.page.goto(url)
        self.page.locator("h1, .card").first.wait_for()
        self.page.wait_for_timeout(450)

    def open_card(self, words: str) -> None:
        """Open the card of the question that contains these words."""
        self.open_route(f"inbox/{self.find_question(words)}")
        self.page.locator(".card[data-armed=true]").wait_for()

    def find_question(self, words: str) -> str:
        """The id of the question whose arguments contain these words."""
        return next(one.id for one in self.client.approvals() if words in str(one.call.args))

    def press_button(self, name: str) -> None:
        """Click the first button with this name."""
        self.page.get_by_role("button", name=name).first.click()
        self.page.wait_for_timeout(500)

    def stop_run(self) -> None:
        """Stop the run of the chat, if the scene started one."""
        stop = self.page.get_by_role("button", name="Stop")
        if stop.count():
            stop.click()
            stop.wait_for(state="detached")

    def open_question_in_state(self, state: str) -> None:
        """Open a question that is in this state."""
        self.open_route(f"inbox/{next(one.id for one in self.client.approvals(state=state))}")


Scene = Callable[[View], None]


def _open_page_scene(name: str) -> Scene:
    return lambda view: view.open_route(name)


def _open_card_scene(words: str) -> Scene:
    return lambda view: view.open_card(words)


def _open_palette(view: View) -> None:
    view.open_route("inbox")
    view.page.keyboard.press("Control+k")
    view.page.wait_for_timeout(200)


def _open_key_help(view: View) -> None:
    view.open_card("release/0.9")
    view.page.keyboard.press("?")
    view.page.wait_for_timeout(200)


def _filter_without_match(view: View) -> None:
    view.open_route("inbox")
    view.page.get_by_label("Filter by agent, tool, words").fill("no such words")
    view.page.wait_for_timeout(200)


def _press_button_scene(words: str, button: str) -> Scene:
    def scene(view: View) -> None:
        view.open_card(words)
        view.press_button(button)

    return scene


def _open_full_trace(view: View) -> None:
    view.open_card("sudo rm")
    view.page.get_by_text("Full trace").click()
    view.page.wait_for_timeout(200)


def _open_always_editor(view: View) -> None:
    view.open_card("release/0.9")
    view.press_button("Always…")
    view.page.get_by_label("Sub-command").check()
    view.page.wait_for_timeout(600)


def _open_batch_review(view: View) -> None:
    view.open_route("inbox")
    view.page.get_by_role("button", name=re.compile("Review")).first.click()


def _fill_new_rule(view: View) -> None:
    view.open_route("rules")
    view.press_button("New rule")
    view.page.get_by_role("textbox", name="Rule", exact=True).fill("terminal.exec(git push *)")
    view.page.wait_for_timeout(600)


def _open_decision_details(view: View) -> None:
    view.open_route("history")
    row = view.page.locator("button[aria-expanded=false]", has_text="files.write").first
    row.scroll_into_view_if_needed()
    row.click()
    view.page.wait_for_timeout(300)


def _chat_scene(*lines: str) -> Scene:
    """A scene with a chat conversation that has an open question."""

    def scene(view: View) -> None:
        view.open_route("chat")
        view.page.get_by_label("Message", exact=True).fill("\n".join(lines))
        view.page.keyboard.press("Enter")
        view.page.locator(".card[data-armed=true]").first.wait_for()

    return scene


def _open_mode_menu(view: View) -> None:
    view.open_route("chat")
    view.page.get_by_role("button", name="Mode: Default").click()
    view.page.get_by_role("menuitemradio").first.wait_for()


def _open_login_page(view: View) -> None:
    view.page.context.clear_cookies()
    view.open_route("inbox")


SCENES: dict[str, Scene] = {
    **{name: _open_page_scene(name) for name in PAGES},
    **{f"card-{name}": _open_card_scene(words) for name, words in CARD_WORDS.items()},
    "card-always": _open_always_editor,
    "card-say-why": _press_button_scene("release/0.9", "Add a reason…"),
    "card-edit": _press_button_scene("release/0.9", "Edit"),
    "card-trace": _open_full_trace,
    "card-done": lambda view: view.open_question_in_state("done"),
    "card-denied": lambda view: view.open_question_in_state("denied"),
    "card-withdrawn": lambda view: view.open_question_in_state("withdrawn"),
    "inbox-nothing-found": _filter_without_match,
    "peek": _open_batch_review,
    "palette": _open_palette,
    "keys": _open_key_help,
    "rules-new": _fill_new_rule,
    "history-told": _open_decision_details,
    "chat-mode": _open_mode_menu,
    "chat-thread": _chat_scene(LIST_FILES_MESSAGE, "then", WRITE_FILE_MESSAGE),
    "chat-helper": _chat_scene(SUBTASK_MESSAGE),
    "agents-mixed": lambda view: view.open_route("agents/inbox-clerk"),
    "login": _open_login_page,
}  # fmt: skip


def _open_workbench(view: View) -> None:
    body = {"title": "Cut the 0.9 release", "preset": "workbench"}
    view.client.request("GET", "/v1/me")  # The server may have closed the idle connection.
    made = Fields(view.client.request("POST", "/v1/conversations", body, tries=1), "conversation")
    view.page.goto(f"{view.client.url}/#/workbench/{made.text('id')}")
    view.page.get_by_role("tab", name="Terminal").wait_for()
    view.page.wait_for_timeout(2500)


def _workbench_scene(*lines: str) -> Scene:
    """A scene with a workbench whose agent made calls, the last of which needs approval."""

    def scene(view: View) -> None:
        _open_workbench(view)
        _show_chat(view)
        view.page.get_by_label("Message", exact=True).fill("\n".join(lines))
        view.page.keyboard.press("Enter")
        view.page.locator(".card[data-armed=true]").first.wait_for()
        show = view.page.get_by_role("button", name="Show where")
        if show.count():
            show.first.click()
        view.page.wait_for_timeout(900)

    return scene


def _open_tools_of_workbench(view: View) -> None:
    _open_workbench(view)
    _show_chat(view)
    view.press_button("/tools")
    view.page.get_by_text("files.rename").wait_for()


def _watch_agent_in_workbench(view: View) -> None:
    """Let the agent do all examples, allow the edit, and stop at the command."""
    _open_workbench(view)
    _show_chat(view)
    view.page.get_by_role("button", name="All three").click()
    view.page.keyboard.press("Enter")
    for tool in ("editor.proposeEdit", "terminal.exec"):
        card = view.page.locator(".card[data-armed=true]", has_text=tool)
        card.wait_for()
        if tool != "terminal.exec":
            card.get_by_role("button", name="Allow once").click()
    view.page.wait_for_timeout(2500)


def _show_chat(view: View) -> None:
    if not view.page.get_by_label("Message", exact=True).is_visible():
        view.page.get_by_role("button", name="Chat", exact=True).click()


OPEN_FILE_MESSAGE = '/call open_pane {"kind": "editor", "resource": "/README.md"}'
PROPOSE_EDIT_MESSAGE = "/call editor.proposeEdit " + json.dumps(
    {"path": "/README.md", "old_string": "bread, milk", "new_string": "bread, honey, milk"}
)
DELETE_MESSAGE = '/call files.delete {"path": "/docs"}'
WORKBENCH_SCENES: dict[str, Scene] = {
    "workbench-start": lambda view: view.open_route("workbench"),
    "workbench": _open_workbench,
    "workbench-tools": _open_tools_of_workbench,
    "workbench-watch": _watch_agent_in_workbench,
    "workbench-edit": _workbench_scene(OPEN_FILE_MESSAGE, "then", PROPOSE_EDIT_MESSAGE),
    "workbench-delete": _workbench_scene(OPEN_FILE_MESSAGE, "then", DELETE_MESSAGE),
}


def main(words: list[str]) -> int:
    """Take the screenshots whose names contain all the words, and write the overview page."""
    SHOTS_FOLDER.mkdir(parents=True, exist_ok=True)
    wrong: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=list(HEADLESS_FLAGS))
        with run_demo() as (client, link):
            _add_missing_states(client)
            state = _sign_in(browser, link)
            for size in VIEWPORTS:
                for theme in THEMES:
                    wrong += _take_pictures(browser, client, state, (size, theme), words, SCENES)
            for size in WORKBENCH_VIEWPORTS:
                for theme in THEMES:
                    wrong += _take_pictures(browser, client, state, (size, theme), words, WORKBENCH_SCENES)
            _take_last_pictures(browser, client, state, words)
        _write_overview_page()
        browser.close()
    print(
        "\n".join(
            [
                *wrong,
                f"{len(list(SHOTS_FOLDER.glob('*-*.png')))} pictures, all on {SHOTS_FOLDER / 'sheet.html'}",
            ]
        )
    )
    return 1 if wrong else 0


@contextmanager
def run_demo() -> Iterator[tuple[Client, str]]:
    """Run `assent demo`; yield a client and a log-in link."""
    command = [str(Path(sys.executable).parent / "assent"), "demo", "--json", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            told = json.loads(process.stdout.readline())
            with Client(told["url"], told["owner_token"]) as client:
                yield client, told["login_url"]
        finally:
            process.terminate()


def _add_missing_states(client: Client) -> None:
    """Add states that the demo lacks: a withdrawn call, and a group of tools with different tiers."""
    gone = client.submit("terminal.exec", {"command": "make dist"}, id="gone", agent="release-bot")
    client.withdraw(gone.approval)
    tiers = {"mail.send": "needs_approval", "mail.find": "always_allow", "crm.delete_contact": "blocked"}
    tools = [{"toolName": tool, "providerKey": "operations", "status": tier} for tool, tier in tiers.items()]
    client.request("PUT", "/v1/agents/inbox-clerk/tools", {"tools": tools}, tries=1)


def _sign_in(browser: Browser, link: str) -> object:
    context = browser.new_context()
    page = context.new_page()
    page.goto(link)
    page.get_by_role("heading", name="Inbox").wait_for()
    state = context.storage_state()
    context.close()
    return state


@contextmanager
def _open_view(browser: Browser, client: Client, state: object, size: str, theme: str) -> Iterator[View]:
    width, height = (VIEWPORTS | WORKBENCH_VIEWPORTS)[size]
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme=theme,  # type: ignore[arg-type]
        storage_state=state,  # type: ignore[arg-type]
        locale="en-GB",
        reduced_motion="reduce",
        is_mobile=size == "phone",
        has_touch=size == "phone",
    )
    page = context.new_page()
    page.set_default_timeout(60_000)
    yield View(page, client, size == "phone")
    context.close()


def _take_pictures(
    browser: Browser,
    client: Client,
    state: object,
    how: tuple[str, str],
    words: list[str],
    scenes: Mapping[str, Scene],
) -> Iterator[str]:
    for name, scene in scenes.items():
        full = "-".join((name, *how))
        if not all(word in full for word in words):
            continue
        with _open_view(browser, client, state, *how) as view:
            try:
                scene(view)
            except Exception as error:  # noqa: BLE001 - one failed screenshot must not stop the others
                yield f"{full}: {str(error).splitlines()[0]}"
            view.page.screenshot(path=SHOTS_FOLDER / f"{full}.png")
            view.stop_run()


def _take_last_pictures(browser: Browser, client: Client, state: object, words: list[str]) -> None:
    """Take the screenshots that change the server: paused, offline, and with all questions answered."""
    hows = [(size, theme) for size in VIEWPORTS for theme in THEMES]

    def take_in_all_sizes(name: str, scene: Scene) -> None:
        for how in hows:
            full = "-".join((name, *how))
            if all(word in full for word in words):
                with _open_view(browser, client, state, *how) as view:
                    scene(view)
                    view.page.screenshot(path=SHOTS_FOLDER / f"{full}.png")

    client.request("POST", "/v1/switch", {"paused": True})
    take_in_all_sizes("inbox-paused", lambda view: view.open_route("inbox"))
    client.request("POST", "/v1/switch", {"paused": False})
    take_in_all_sizes("card-offline", _open_card_offline)
    questions = [{"id": one.id, "digest": one.digest} for one in client.approvals()]
    client.request("POST", "/v1/approvals/answers", {"questions": questions, "answer": {"say": "deny"}})
    take_in_all_sizes("inbox-empty", lambda view: view.open_route("inbox"))


def _open_card_offline(view: View) -> None:
    view.open_card("release/0.9")
    view.page.context.set_offline(True)
    view.page.wait_for_timeout(1500)


def _write_overview_page() -> None:
    """Write the overview page, with the screenshots of one scene side by side."""
    ends = [f"{size}-{theme}" for size in (*VIEWPORTS, *WORKBENCH_VIEWPORTS) for theme in THEMES]
    names = sorted(
        {path.name.removesuffix(f"-{end}.png") for end in ends for path in SHOTS_FOLDER.glob(f"*-{end}.png")}
    )
    rows = "".join(
        f"<h2>{html.escape(name)}</h2><p>"
        + "".join(
            f'<a href="{name}-{end}.png"><img src="{name}-{end}.png" alt="{name}, {end}"></a>'
            for end in ends
            if (SHOTS_FOLDER / f"{name}-{end}.png").exists()
        )
        + "</p>"
        for name in names
    )
    style = (
        "body{font:14px system-ui;margin:16px;width:1500px}img{height:330px;margin:4px;border:1px solid #999}"
    )
    sheet = SHOTS_FOLDER / "sheet.html"
    sheet.write_text(f"<!doctype html><title>Shots</title><style>{style}</style>{rows}", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
