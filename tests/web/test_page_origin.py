"""A plain page of another origin gives an agent tools, with the built package and a page token."""

import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.web.conftest import TIMEOUT_MILLISECONDS, OpenPage, wait_until_armed
from tests.web.server import ROOT, WebServer, run_web_server

SDK = ROOT / "web" / "sdk" / "dist"
PAGE = """<!doctype html>
<meta charset="utf-8"><title>Dial</title><link rel="icon" href="data:,">
<output id="value">0</output><p id="status"></p><p id="problem"></p><p id="reviews"></p>
<script type="module">
import { PageConnection, ToolRegistry } from "./sdk/index.js";
const wanted = new URLSearchParams(location.hash.slice(1));
const show = (id, text) => { document.getElementById(id).textContent = text; };
const value = () => document.getElementById("value").textContent;
const registry = new ToolRegistry();
registry.addWidget({ id: "dial", title: "Dial", agentTools: [
  { name: "dial.getValue", description: "Returns the value.", handler: () => ({ value: value() }) },
  { name: "dial.setValue", description: "Sets the value.",
    params: { type: "object", properties: { value: { type: "string" } }, required: ["value"] },
    sideEffect: true, specifierTemplate: "{value}",
    handler: (args) => { show("value", args.value); return { value: value() }; } },
] });
const reads = wanted.get("reads")?.split(" ");
if (reads) registry.addWidget({ id: "more", title: "More", agentTools: [
  { name: reads[0], description: reads.slice(1).join(" "), handler: () => ({ value: value() }) },
] });
const token = wanted.get("token");
const connection = new PageConnection({
  server: wanted.get("server"), conversation: wanted.get("conversation"), registry,
  ...(token ? { token: () => token } : {}),
});
connection.subscribe(() => {
  show("status", connection.state.status);
  show("problem", connection.state.problem);
  show("reviews", connection.state.reviews.map((one) => `${one.name} ${one.review}`).join(", "));
});
connection.start();
</script>"""


CONNECT_WITHOUT_TOKEN = """([server, conversation]) => new Promise((done) => {
  const socket = new WebSocket(`${server}/v1/pages`);
  socket.onopen = () => socket.send(JSON.stringify(
    { type: "page", page: "page-0000000000001", conversation, sdk: "test/1" }));
  socket.onmessage = (event) => done(JSON.parse(event.data).type);
  socket.onclose = (event) => done(event.code);
})"""
"""Connects with the cookie alone; returns the type of the first reply, or the close code."""
SERVER_GONE_MESSAGES = ("net::ERR_", "WebSocket connection", "1012", "status of 503")
"""Console messages that are expected when the server stops."""


class SiteHandler(BaseHTTPRequestHandler):
    """Serves the page, and the files of the built package."""

    def do_GET(self) -> None:
        name = self.path.removeprefix("/sdk/")
        if name == "/":
            self._reply("text/html", PAGE.encode())
        elif name in {path.name for path in SDK.glob("*.js")}:
            self._reply("text/javascript", Path(SDK, name).read_bytes())
        else:
            self.send_error(404)

    def _reply(self, kind: str, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Log nothing."""


def run_site() -> Iterator[str]:
    """Serve the page on a free port; yields its origin."""
    with ThreadingHTTPServer(("127.0.0.1", 0), SiteHandler) as site:
        thread = threading.Thread(target=site.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{site.server_port}"
        site.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def listed_origin() -> Iterator[str]:
    """The origin that the administrator listed."""
    if not (SDK / "index.js").is_file():
        pytest.fail("the package of web/sdk is not built: run `./dev web build`")
    yield from run_site()


@pytest.fixture(scope="module")
def unlisted_origin() -> Iterator[str]:
    """An origin that nobody listed."""
    yield from run_site()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, listed_origin: str) -> Iterator[WebServer]:
    directory = tmp_path_factory.mktemp("server")
    config = directory / "config" / "assent" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(f'[server]\npage_origins = ["{listed_origin}"]\n', encoding="utf-8")
    with run_web_server(directory) as found:
        yield found


@pytest.fixture(scope="module")
def session(server: WebServer) -> object:
    """The owner's session."""
    return server.new_session()


@pytest.fixture
def visitor(browser: Browser, session: object) -> Iterator[BrowserContext]:
    """A browser in which the owner is signed in to the server; its cookies go to every port of the host."""
    context = browser.new_context(storage_state=session, locale="en-GB")  # type: ignore[arg-type]
    context.set_default_timeout(TIMEOUT_MILLISECONDS)
    yield context
    context.close()


def start_conversation(server: WebServer) -> str:
    return str(server.send_request("POST", "conversations", {"preset": "workbench", "title": "Dial"})["id"])


def open_dial(
    visitor: BrowserContext,
    server: WebServer,
    origin: str,
    conversation: str,
    *,
    token_origin: str = "",
    reads: str = "",
) -> Page:
    """Open the page of a site, with a page token for an origin, and with a further tool."""
    wanted = {"server": server.url, "conversation": conversation}
    if reads:
        wanted["reads"] = reads
    if token_origin:
        scope = {"conversation": conversation, "origins": [token_origin]}
        wanted["token"] = str(server.send_request("POST", "page-tokens", scope)["secret"])
    page = visitor.new_page()
    page.goto(f"{origin}/#{urlencode(wanted)}")
    return page


def say(page: Page, tool: str, **args: str) -> None:
    """Let the rehearsal model make a call."""
    page.get_by_label("Message", exact=True).fill(f"/call {tool} {json.dumps(args)}")
    page.keyboard.press("Enter")


def choose_mode(page: Page, mode: str) -> None:
    page.get_by_role("button", name=re.compile("^Mode: ")).click()
    page.get_by_role("menuitemradio", name=re.compile(f"^{mode}")).click()
    expect(page.get_by_role("menu")).to_have_count(0)


def wait_until_idle(page: Page) -> None:
    """Wait until the run has ended."""
    expect(page.get_by_role("button", name="Stop")).to_have_count(0)


def wait_for_value(dial: Page, value: str) -> None:
    expect(dial.locator("#value")).to_have_text(value)


@pytest.mark.supports("R003-3")
def test_an_agent_calls_a_tool_of_a_listed_page_after_a_person_allowed_it(
    server: WebServer, open_page: OpenPage, visitor: BrowserContext, listed_origin: str
) -> None:
    conversation = start_conversation(server)
    dial = open_dial(visitor, server, listed_origin, conversation, token_origin=listed_origin)
    expect(dial.locator("#reviews")).to_have_text("dial.getValue new, dial.setValue new")
    chat = open_page(f"#/chat/{conversation}")
    say(chat, "dial.setValue", value="7")
    wait_until_armed(chat)
    wait_for_value(dial, "0")
    chat.get_by_role("button", name="Allow once").click()

    wait_for_value(dial, "7")
    assert server.pending() == []


@pytest.mark.proves("T-15")
def test_a_page_of_an_origin_that_nobody_listed_cannot_connect(
    server: WebServer, visitor: BrowserContext, listed_origin: str, unlisted_origin: str
) -> None:
    conversation = start_conversation(server)
    page = open_dial(visitor, server, unlisted_origin, conversation, token_origin=unlisted_origin)
    expect(page.locator("#status")).to_have_text("waiting")

    # The same page and a token of the same kind are accepted from the listed origin.
    other = open_dial(visitor, server, listed_origin, conversation, token_origin=listed_origin)
    expect(other.locator("#reviews")).to_contain_text("dial.setValue new")
    expect(page.locator("#reviews")).to_be_empty()


@pytest.mark.proves("T-15")
def test_a_cookie_counts_for_pages_of_the_server_only(
    server: WebServer, visitor: BrowserContext, listed_origin: str
) -> None:
    conversation = start_conversation(server)
    addresses = [server.url.replace("http", "ws"), conversation]
    own, other = visitor.new_page(), visitor.new_page()
    own.goto(f"{server.url}/#/inbox")
    other.goto(f"{listed_origin}/sdk/index.js")

    # The browser sends the cookie to both: another port of the host is the same site.
    assert own.evaluate(CONNECT_WITHOUT_TOKEN, addresses) == "ready"
    assert other.evaluate(CONNECT_WITHOUT_TOKEN, addresses) == 4400


def test_a_token_for_another_origin_is_refused(
    server: WebServer, visitor: BrowserContext, listed_origin: str, unlisted_origin: str
) -> None:
    page = open_dial(visitor, server, listed_origin, start_conversation(server), token_origin=unlisted_origin)
    expect(page.locator("#status")).to_have_text("closed")

    expect(page.locator("#problem")).to_contain_text("another origin")
    expect(page.locator("#reviews")).to_be_empty()


def accept_definition(server: WebServer, origin: str, tool: str) -> None:
    """Accept a page's tool as an administrator, as the list of definitions shows it."""
    items = server.send_request("GET", "definitions")["items"]
    (found,) = [one for one in items if (one["origin"], one["tool"]) == (f"page {origin}", tool)]
    shown = {name: found[name] for name in ("origin", "tool", "digest")}
    server.send_request("POST", "definitions/accept", shown)


def read_value(chat: Page, tool: str = "dial.getValue", *, done: int) -> None:
    """Let the agent read the value; it runs unasked, as the call number `done` of those that ran."""
    say(chat, tool)
    expect(chat.locator("[data-state='output-available']")).to_have_count(done)
    wait_until_idle(chat)


def allow_broadened(page: Page, rule: str) -> None:
    """Answer the card with "Always", and a wider rule than the one for the exact call."""
    wait_until_armed(page)
    page.get_by_role("button", name="Always…").click()
    page.get_by_label("Rule", exact=True).fill(rule)
    page.get_by_label("Duration").select_option("forever")
    page.get_by_role("button", name="Allow and remember").click()


@pytest.mark.proves("T-7")
@pytest.mark.supports("R003-1")
def test_an_administrator_reviews_a_new_tool_of_a_page_and_each_change_of_it(
    server: WebServer, open_page: OpenPage, visitor: BrowserContext, listed_origin: str
) -> None:
    conversation, scope = (
        start_conversation(server),
        {"token_origin": listed_origin, "reads": "dial.look Reads a dial."},
    )
    dial = open_dial(visitor, server, listed_origin, conversation, **scope)
    expect(dial.locator("#reviews")).to_contain_text("dial.look")
    agents = open_page("#/agents")
    item = agents.get_by_role("region", name="Definitions to review").get_by_role(
        "listitem", name="dial.look"
    )
    expect(item).to_contain_text("New: nobody reviewed this tool")
    expect(item).to_contain_text(f"page {listed_origin}")
    expect(item).to_contain_text("Reads a dial.")

    # The claim to only read counts for nothing before the review, and counts after it.
    chat = open_page(f"#/chat/{conversation}")
    say(chat, "dial.look")
    wait_until_armed(chat)
    chat.get_by_role("button", name="Allow once").click()
    expect(chat.locator("[data-state='output-available']")).to_have_count(1)
    wait_until_idle(chat)
    item.get_by_role("button", name="Accept: dial.look").click()
    expect(item).to_have_count(0)
    read_value(chat, "dial.look", done=2)

    # A changed definition asks again, and the list shows what changed.
    dial.evaluate("location.hash = location.hash.replace('a+dial', 'all+dials')")
    dial.reload()
    expect(dial.locator("#reviews")).to_contain_text("dial.look changed")
    agents.reload()
    expect(item).to_contain_text("Changed since it was accepted")
    expect(item).to_contain_text("Reads a dial.")
    expect(item).to_contain_text("Reads all dials.")
    say(chat, "dial.look")
    wait_until_armed(chat)
    chat.get_by_text("The tool has changed since it was allowed.").wait_for()
    chat.get_by_role("button", name="Deny").click()
    wait_until_idle(chat)
    item.get_by_role("button", name="Accept: dial.look").click()
    expect(item).to_have_count(0)
    read_value(chat, "dial.look", done=3)
    assert server.pending() == []


@pytest.mark.proves("R003-76", "R003-61", "R003-62")
def test_one_reading_and_one_gated_tool_behave_as_described_in_all_modes(
    server: WebServer, open_page: OpenPage, visitor: BrowserContext, listed_origin: str
) -> None:
    conversation = start_conversation(server)
    dial = open_dial(visitor, server, listed_origin, conversation, token_origin=listed_origin)
    expect(dial.locator("#reviews")).to_contain_text("dial.getValue new")
    accept_definition(server, listed_origin, "dial.getValue")
    dial.reload()
    expect(dial.locator("#reviews")).to_have_text("dial.getValue reviewed, dial.setValue new")
    chat = open_page(f"#/chat/{conversation}", forgives=SERVER_GONE_MESSAGES)

    # default reads; it asks before a change: allowed once, it is relayed; a denial blocks it.
    read_value(chat, done=1)
    say(chat, "dial.setValue", value="1")
    wait_until_armed(chat)
    wait_for_value(dial, "0")
    chat.get_by_role("button", name="Allow once").click()
    wait_for_value(dial, "1")
    wait_until_idle(chat)
    say(chat, "dial.setValue", value="2")
    wait_until_armed(chat)
    chat.get_by_role("button", name="Deny").click()
    chat.get_by_text("You denied this").wait_for()
    wait_until_idle(chat)
    wait_for_value(dial, "1")

    # plan denies a change without a question, and reads.
    choose_mode(chat, "Plan")
    say(chat, "dial.setValue", value="3")
    expect(chat.locator("[data-state='output-error']")).to_have_count(1)
    wait_until_idle(chat)
    wait_for_value(dial, "1")
    read_value(chat, done=3)
    assert server.pending() == []

    # autonomous relays without a question.
    choose_mode(chat, "Auto")
    say(chat, "dial.setValue", value="4")
    wait_for_value(dial, "4")
    wait_until_idle(chat)
    read_value(chat, done=5)

    # accept_edits asks, because the tool is no edit; the broadened rule holds for the next call ...
    choose_mode(chat, "Accept edits")
    say(chat, "dial.setValue", value="5")
    allow_broadened(chat, "dial.setValue(*)")
    wait_for_value(dial, "5")
    wait_until_idle(chat)
    say(chat, "dial.setValue", value="6")
    wait_for_value(dial, "6")
    wait_until_idle(chat)
    read_value(chat, done=8)

    # ... and after a restart.
    server.stop()
    expect(dial.locator("#status")).not_to_have_text("ready")
    server.start()
    expect(dial.locator("#reviews")).to_contain_text("dial.setValue")
    expect(chat.get_by_text("Not connected.")).to_have_count(0)
    choose_mode(chat, "Default")
    say(chat, "dial.setValue", value="7")
    wait_for_value(dial, "7")
    assert server.pending() == []
