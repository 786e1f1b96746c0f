"""Pictures of every page and every state of a card, light and dark, desk and phone, and a sheet of them all.

They are taken of `assent demo`, so that they show what anybody would see: `./dev shots [words of a name]`.
"""

import html
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Browser, Page, sync_playwright

from assent.client.client import Client
from tools.chromium import FLAGS, chromium

ROOT = Path(__file__).resolve().parent.parent
SHOTS = ROOT / ".cache" / "shots"
SIZES = {"desk": (1440, 900), "phone": (390, 844)}
THEMES = ("light", "dark")
PAGES = ("inbox", "chat", "agents", "rules", "history", "settings")
CARDS = {
    "several-commands": "build-cache", "one-command": "release/0.9", "file": "CHANGELOG.md",
    "breaker": "sudo rm", "arguments": "northwind", "destructive": "Ortiz", "write": "4417",
    "hostile": "fdp.sh",
}  # fmt: skip


LIST = '/call run_command {"command": "ls -la"}'
SAVE = '/call write_file {"path": "notes.md", "content": "# Notes\\n\\n- Asked before it is saved.\\n"}'
HELP = "/call run_subtask " + json.dumps({"name": "scribe", "task": f"{LIST}\nthen\n{SAVE}"})


class Look(NamedTuple):
    """A page as somebody looks at it, and the server behind it."""

    page: Page
    client: Client
    is_phone: bool

    def go(self, route: str) -> None:
        """Open a route, and let it settle."""
        url = f"{self.client.url}/#/{route}"
        self.page.goto("about:blank")
        self.page.goto(url)
        self.page.locator("h1, .card").first.wait_for()
        self.page.wait_for_timeout(450)

    def card(self, words: str) -> None:
        """Open the question that holds these words."""
        self.go(f"inbox/{self.question(words)}")
        self.page.locator(".card[data-armed=true]").wait_for()

    def question(self, words: str) -> str:
        """The question that holds these words."""
        return next(one.id for one in self.client.approvals() if words in str(one.call.args))

    def press(self, name: str) -> None:
        """Press the button of this name."""
        self.page.get_by_role("button", name=name).first.click()
        self.page.wait_for_timeout(500)

    def leave(self) -> None:
        """Let nothing that a scene began go on."""
        stop = self.page.get_by_role("button", name="Stop")
        if stop.count():
            stop.click()
            stop.wait_for(state="detached")

    def ended(self, state: str) -> None:
        """Open a question that ended so."""
        self.go(f"inbox/{next(one.id for one in self.client.approvals(state=state))}")


Scene = Callable[[Look], None]


def _page(name: str) -> Scene:
    return lambda look: look.go(name)


def _card(words: str) -> Scene:
    return lambda look: look.card(words)


def _palette(look: Look) -> None:
    look.go("inbox")
    look.page.keyboard.press("Control+k")
    look.page.wait_for_timeout(200)


def _keys(look: Look) -> None:
    look.card("release/0.9")
    look.page.keyboard.press("?")
    look.page.wait_for_timeout(200)


def _nothing_found(look: Look) -> None:
    look.go("inbox")
    look.page.get_by_label("Filter by agent, tool, words").fill("no such words")
    look.page.wait_for_timeout(200)


def _on_card(words: str, button: str) -> Scene:
    def scene(look: Look) -> None:
        look.card(words)
        look.press(button)

    return scene


def _trace(look: Look) -> None:
    look.card("sudo rm")
    look.page.get_by_text("The whole trace").click()
    look.page.wait_for_timeout(200)


def _always(look: Look) -> None:
    look.card("release/0.9")
    look.press("Always…")
    look.page.get_by_label("Sub-command").check()
    look.page.wait_for_timeout(600)


def _peek(look: Look) -> None:
    look.go("inbox")
    look.press("Peek at all")


def _new_rule(look: Look) -> None:
    look.go("rules")
    look.press("New rule")
    look.page.get_by_role("textbox", name="Rule", exact=True).fill("terminal.exec(git push *)")
    look.page.wait_for_timeout(600)


def _told(look: Look) -> None:
    look.go("history")
    row = look.page.locator("button[aria-expanded=false]", has_text="files.write").first
    row.scroll_into_view_if_needed()
    row.click()
    look.page.wait_for_timeout(300)


def _said(*lines: str) -> Scene:
    """A conversation that has come to a question."""

    def scene(look: Look) -> None:
        look.go("chat")
        look.page.get_by_label("Message", exact=True).fill("\n".join(lines))
        look.page.keyboard.press("Enter")
        look.page.locator(".card[data-armed=true]").first.wait_for()

    return scene


def _mode_menu(look: Look) -> None:
    look.go("chat")
    look.page.get_by_role("button", name="Mode: Default").click()
    look.page.get_by_role("menuitemradio").first.wait_for()


def _login(look: Look) -> None:
    look.page.context.clear_cookies()
    look.go("inbox")


SCENES: dict[str, Scene] = {
    **{name: _page(name) for name in PAGES},
    **{f"card-{name}": _card(words) for name, words in CARDS.items()},
    "card-always": _always,
    "card-say-why": _on_card("release/0.9", "Say why…"),
    "card-edit": _on_card("release/0.9", "Edit"),
    "card-trace": _trace,
    "card-done": lambda look: look.ended("done"),
    "card-denied": lambda look: look.ended("denied"),
    "card-withdrawn": lambda look: look.ended("withdrawn"),
    "inbox-nothing-found": _nothing_found,
    "peek": _peek,
    "palette": _palette,
    "keys": _keys,
    "rules-new": _new_rule,
    "history-told": _told,
    "chat-mode": _mode_menu,
    "chat-thread": _said(LIST, "then", SAVE),
    "chat-helper": _said(HELP),
    "agents-mixed": lambda look: look.go("agents/inbox-clerk"),
    "login": _login,
}  # fmt: skip


def main(words: list[str]) -> int:
    """Take the pictures whose names hold all the words, and put them on one sheet."""
    SHOTS.mkdir(parents=True, exist_ok=True)
    wrong: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=list(FLAGS))
        with demo() as (client, link):
            _prepare(client)
            state = _signed_in(browser, link)
            for size in SIZES:
                for theme in THEMES:
                    wrong += _taken(browser, client, state, (size, theme), words)
            _last(browser, client, state, words)
        _sheet()
        browser.close()
    print("\n".join([*wrong, f"{len(list(SHOTS.glob('*-*.png')))} pictures, all on {SHOTS / 'sheet.html'}"]))
    return 1 if wrong else 0


@contextmanager
def demo() -> Iterator[tuple[Client, str]]:
    """The example, and its owner's way in."""
    command = [str(Path(sys.executable).parent / "assent"), "demo", "--json", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            told = json.loads(process.stdout.readline())
            with Client(told["url"], told["owner_token"]) as client:
                yield client, told["login_url"]
        finally:
            process.terminate()


def _prepare(client: Client) -> None:
    """What the example leaves out: a call that was taken back, and a group of two minds."""
    gone = client.submit("terminal.exec", {"command": "make dist"}, id="gone", agent="release-bot")
    client.withdraw(gone.approval)
    tiers = {"mail.send": "needs_approval", "mail.find": "always_allow", "crm.delete_contact": "blocked"}
    tools = [{"toolName": tool, "providerKey": "operations", "status": tier} for tool, tier in tiers.items()]
    client.request("PUT", "/v1/agents/inbox-clerk/tools", {"tools": tools}, tries=1)


def _signed_in(browser: Browser, link: str) -> object:
    context = browser.new_context()
    page = context.new_page()
    page.goto(link)
    page.get_by_role("heading", name="Inbox").wait_for()
    state = context.storage_state()
    context.close()
    return state


@contextmanager
def _looking(browser: Browser, client: Client, state: object, size: str, theme: str) -> Iterator[Look]:
    width, height = SIZES[size]
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
    yield Look(page, client, size == "phone")
    context.close()


def _taken(
    browser: Browser, client: Client, state: object, how: tuple[str, str], words: list[str]
) -> Iterator[str]:
    for name, scene in SCENES.items():
        full = "-".join((name, *how))
        if not all(word in full for word in words):
            continue
        with _looking(browser, client, state, *how) as look:
            try:
                scene(look)
            except Exception as error:  # noqa: BLE001 - one picture that fails must not cost the others
                yield f"{full}: {str(error).splitlines()[0]}"
            look.page.screenshot(path=SHOTS / f"{full}.png")
            look.leave()


def _last(browser: Browser, client: Client, state: object, words: list[str]) -> None:
    """Paused, then without a server, then with everything answered, each seen in every way."""
    hows = [(size, theme) for size in SIZES for theme in THEMES]

    def all_of(name: str, scene: Scene) -> None:
        for how in hows:
            full = "-".join((name, *how))
            if all(word in full for word in words):
                with _looking(browser, client, state, *how) as look:
                    scene(look)
                    look.page.screenshot(path=SHOTS / f"{full}.png")

    client.request("POST", "/v1/switch", {"paused": True})
    all_of("inbox-paused", lambda look: look.go("inbox"))
    client.request("POST", "/v1/switch", {"paused": False})
    all_of("card-offline", _offline)
    questions = [{"id": one.id, "digest": one.digest} for one in client.approvals()]
    client.request("POST", "/v1/approvals/answers", {"questions": questions, "answer": {"say": "deny"}})
    all_of("inbox-empty", lambda look: look.go("inbox"))


def _offline(look: Look) -> None:
    look.card("release/0.9")
    look.page.context.set_offline(True)
    look.page.wait_for_timeout(1500)


def _sheet() -> None:
    """Every picture on one page, the same scene side by side."""
    ends = [f"{size}-{theme}" for size in SIZES for theme in THEMES]
    names = sorted(
        {path.name.removesuffix(f"-{end}.png") for end in ends for path in SHOTS.glob(f"*-{end}.png")}
    )
    rows = "".join(
        f"<h2>{html.escape(name)}</h2><p>"
        + "".join(
            f'<a href="{name}-{end}.png"><img src="{name}-{end}.png" alt="{name}, {end}"></a>'
            for end in ends
            if (SHOTS / f"{name}-{end}.png").exists()
        )
        + "</p>"
        for name in names
    )
    style = (
        "body{font:14px system-ui;margin:16px;width:1500px}img{height:330px;margin:4px;border:1px solid #999}"
    )
    sheet = SHOTS / "sheet.html"
    sheet.write_text(f"<!doctype html><title>Shots</title><style>{style}</style>{rows}", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
