"""A running server for the browser tests, and requests that the tests send to its API."""

import json
import os
import sqlite3
import time
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any, NamedTuple

from assent.gate.ids import new_id
from chaos.server_process import find_port
from tests.serving import environment, start_process, wait_for_first_line
from tests.waiting import wait_until

ROOT = Path(__file__).parents[2]
BUILT_PAGE = ROOT / "web" / "dist" / "index.html"
MAX_WAIT_SECONDS = 120
"""Seconds to wait for the server; long, because machines that run tests are busy."""
TOOL_PROVIDER = "office"
"""The name of the provider of the tools that tests declare."""
BRIEF_PRESET = "brief"
"""A preset whose questions expire after `BRIEF_EXPIRY_SECONDS`."""
PERMISSIONS_SETTING = "settings/agent.permissions"
BRIEF_EXPIRY_SECONDS = 10


class PastEntry(NamedTuple):
    """An audit entry about a decision, or about the end of a question, `ago` seconds before now."""

    ago: float
    call: str
    tool: str
    verdict: str = ""
    decision: str = ""
    rule: str = ""

    def time_micros(self, now: float) -> int:
        """The time of the entry, in microseconds."""
        return int((now - self.ago) * 1e6)

    @property
    def row(self) -> dict[str, object]:
        """The row of the audit table, without its writer and its time."""
        empty = dict.fromkeys(("hash", "user_id", "conversation_id", "reason", "approval_id"), "")
        fixed = {
            "agent_id": "past",
            "stage": "mode",
            "mode": "default",
            "with_override": False,
            "policy_version": 1,
        }
        own = {"tool_name": self.tool, "verdict": self.verdict, "decision": self.decision, "rule": self.rule}
        return {"id": new_id(), "call_id": self.call, **empty, **fixed, **own}


@dataclass
class WebServer:
    """A server process for browser tests, and the token of its owner."""

    directory: Path
    root: Path | None = None
    """The directory to start the server in; by default its own, which cannot be a workspace."""
    url: str = ""
    token: str = ""
    _process: ForkServerProcess | None = field(default=None, repr=False)

    # ---- start and stop -----------------------------------------------------------------------

    def start(self) -> None:
        """Start the server; after a restart it has the same port."""
        port = self.url.rpartition(":")[2] or str(find_port())
        words = ["serve", "--json", "--port", port, "--data-dir", str(self.directory / "data")]
        out, log = self.directory / "server.out", self.directory / "server.log"
        place = self.root or self.directory
        self._process = start_process(place, words, (out, log), environment(self.directory))
        told = json.loads(wait_for_first_line(self._process, out, log))
        self.url, self.token = told["url"], told["owner_token"]

    def stop(self) -> None:
        """Stop the server; its data stays for the next start."""
        if self._process is not None:
            self._process.terminate()
            self._process.join(MAX_WAIT_SECONDS)
            assert self._process.exitcode is not None
            self._process = None

    # ---- calls of agents ----------------------------------------------------------------------

    def send_request(self, method: str, path: str, body: object = None, *, token: str = "") -> Any:
        """Send a request that must succeed, and return the JSON of its reply."""
        request = urllib.request.Request(
            f"{self.url}/v1/{path}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"authorization": f"Bearer {token or self.token}", "content-type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=MAX_WAIT_SECONDS) as reply:
                text = reply.read()
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{method} {path}: {error.code} {error.read().decode()}") from None
        return json.loads(text) if text else None

    def submit(self, tool: str, args: Mapping[str, object], **more: object) -> Any:
        """Submit a call; return its outcome."""
        return self.send_request(
            "POST", "calls", {"agent": "bot", "call": {"tool": tool, "args": args}, **more}
        )

    def ask(
        self, command: str = "", *, agent: str = "bot", tool: str = "terminal.exec", **args: object
    ) -> str:
        """Submit a call that needs approval; return the id of its question."""
        return self.approval_id(
            self.submit(tool, {"command": command, **args} if command else args, agent=agent)
        )

    @staticmethod
    def approval_id(reply: Any) -> str:
        """The id of the question in an outcome, which must be `wait`."""
        assert reply["outcome"] == "wait", reply
        return str(reply["approval"])

    def start_conversation(self, title: str, agent: str = "bot") -> str:
        """Start a conversation; return its id."""
        return str(self.send_request("POST", "conversations", {"agent": agent, "title": title})["id"])

    def declare_tools(self, agent: str, *tools: dict[str, object]) -> None:
        """Declare additional tools of an agent."""
        body = {"origin": "tests", "provider": TOOL_PROVIDER, "tools": list(tools)}
        self.send_request("PUT", f"agents/{agent}/catalog", body)

    # ---- stored data --------------------------------------------------------------------------

    def approval(self, id: str) -> Any:
        """Fetch a question in its current state."""
        return self.send_request("GET", f"approvals/{id}")

    def state(self, id: str) -> str:
        """The current state of a question."""
        return str(self.approval(id)["state"])

    def answer(self, id: str, say: str, *, token: str = "", **more: object) -> None:
        """Answer a question through the API instead of the page."""
        body = {"digest": self.approval(id)["digest"], "answer": {"say": say, **more}}
        self.send_request("POST", f"approvals/{id}/answer", body, token=token)

    def wait_for_audit(self) -> None:
        """Wait until all audit entries are written, because calls do not wait for them."""
        wait_until(lambda: not self._count_unwritten())

    def _count_unwritten(self) -> int:
        with urllib.request.urlopen(f"{self.url}/metrics", timeout=MAX_WAIT_SECONDS) as reply:
            lines = reply.read().decode().splitlines()
        return next(int(float(line.split()[1])) for line in lines if line.startswith("assent_audit_spooled "))

    def count_in_store(self, question: str) -> int:
        """Run a counting SQL query in the database file, without the server."""
        self.wait_for_audit()
        address = f"file:{self.directory}/data/assent.db?mode=ro"
        with sqlite3.connect(address, uri=True, timeout=MAX_WAIT_SECONDS) as store:
            return int(store.execute(question).fetchone()[0])

    def insert_past_entries(self, rows: Iterable[PastEntry]) -> None:
        """Insert many past rows into the audit, as if an earlier process had written them."""
        writer, now = new_id(), time.time()
        told = [
            one.row | {"writer": writer, "place": at, "written_at": one.time_micros(now)}
            for at, one in enumerate(rows)
        ]
        names = list(told[0])
        with sqlite3.connect(f"{self.directory}/data/assent.db", timeout=MAX_WAIT_SECONDS) as store:
            store.executemany(f"insert into audit ({', '.join(names)}) values (:{', :'.join(names)})", told)

    def pending(self) -> list[Any]:
        """All pending questions."""
        return self.list_items("approvals?state=pending")

    def list_items(self, path: str) -> list[Any]:
        """Fetch all items of a list, page by page."""
        found: list[Any] = []
        after: str | None = ""
        while after is not None:
            joint = "&" if "?" in path else "?"
            page = self.send_request("GET", f"{path}{joint}limit=200&after={after}")
            found += page["items"]
            after = page["next"]
        return found

    def clear_questions_and_rules(self) -> None:
        """Deny all pending questions, revoke all rules and grants, and restore the default settings."""
        # A list contains no digest of a clipped question.
        waiting = [
            {"id": one["id"], "digest": one["digest"] or self.approval(one["id"])["digest"]}
            for one in self.pending()
        ]
        for at in range(0, len(waiting), 100):
            questions = waiting[at : at + 100]
            self.send_request(
                "POST", "approvals/answers", {"questions": questions, "answer": {"say": "deny"}}
            )
        for noun in ("rules", "grants"):
            for one in self.send_request("GET", noun)["items"]:
                self.send_request("DELETE", f"{noun}/{one['id']}")
        if self.send_request("GET", "switch")["paused"]:
            self.send_request("POST", "switch", {"paused": False})
        if self.send_request("GET", PERMISSIONS_SETTING)["mode"]:
            self.send_request("PATCH", PERMISSIONS_SETTING, {"mode": ""})

    def login_link(self, person: str = "") -> str:
        """A new log-in link for a person; by default for the owner."""
        name = person or self.send_request("GET", "me")["id"]
        return f"{self.url}/login#{self.send_request('POST', f'people/{name}/link')['link']}"

    def new_session(self) -> dict[str, object]:
        """Log in as the owner and return the browser state, so that not every test must log in."""
        body = json.dumps({"link": self.login_link().partition("#")[2]}).encode()
        headers = {"content-type": "application/json", "origin": self.url}
        request = urllib.request.Request(f"{self.url}/v1/login", method="POST", data=body, headers=headers)
        with urllib.request.urlopen(request, timeout=MAX_WAIT_SECONDS) as reply:
            name, _, secret = str(reply.headers["set-cookie"]).partition(";")[0].partition("=")
        kept = {"name": name, "value": secret, "domain": "127.0.0.1", "path": "/", "httpOnly": True}
        return {"cookies": [{**kept, "secure": False, "sameSite": "Strict", "expires": -1}], "origins": []}


@contextmanager
def run_web_server(directory: Path, root: Path | None = None) -> Iterator[WebServer]:
    """Run a separate server on a free port, with an empty store."""
    presets = directory / "config" / "assent" / "presets"
    presets.mkdir(parents=True)
    (presets / f"{BRIEF_PRESET}.toml").write_text(
        f'purpose = "Questions that end soon"\nmodes = ["default"]\ndelivery = "wait"\nexpires_after = {BRIEF_EXPIRY_SECONDS}\n'
        'belts = ["workbench"]\n'
        '[always]\nbecomes = "rule"\nwidth = "exact"\nscope = "user"\nlifetime = "forever"\nwidened = true\n',
        encoding="utf-8",
    )
    for path in (directory / "config").rglob("*"):
        path.chmod(path.stat().st_mode & 0o755)
    server = WebServer(directory, root)
    server.start()
    try:
        yield server
    finally:
        server.stop()


def is_web_app_built() -> bool:
    """Whether the web app is built."""
    return os.path.isfile(BUILT_PAGE)
