"""A running server for the browser tests, and the requests that they send to it besides clicking."""

import json
import os
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from assent.gate.ids import new_id
from chaos.server_process import find_port
from tests.serving import environment
from tests.waiting import wait_until

ROOT = Path(__file__).parents[2]
DIST = ROOT / "web" / "dist" / "index.html"
PATIENCE = 120
"""Seconds; machines that run tests are busy."""
PROVIDER = "office"
"""The provider of the tools that tests declare."""
BRIEF = "brief"
"""A preset whose questions expire after `SOON` seconds."""
PERMISSIONS = "settings/agent.permissions"
SOON = 10


class PastEntry(NamedTuple):
    """An audit entry of a decision, or of the end of a question, `ago` seconds before now."""

    ago: float
    call: str
    tool: str
    verdict: str = ""
    decision: str = ""
    rule: str = ""

    def at(self, now: float) -> int:
        """The time of the entry in microseconds."""
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
    """A server, and the token of its owner."""

    directory: Path
    url: str = ""
    token: str = ""
    _process: "subprocess.Popen[str] | None" = field(default=None, repr=False)

    # ---- the server ---------------------------------------------------------------------------

    def start(self) -> None:
        """Start the server; after a restart it has the same port."""
        port = self.url.rpartition(":")[2] or str(find_port())
        command = [str(Path(sys.executable).with_name("assent")), "serve", "--json", "--port", port]
        with (self.directory / "server.log").open("a", encoding="utf-8") as log:
            self._process = subprocess.Popen(
                [*command, "--data-dir", str(self.directory / "data")],
                stdout=subprocess.PIPE,
                stderr=log,
                cwd=self.directory,
                env=environment(self.directory),
                text=True,
            )
        assert self._process.stdout is not None
        told = json.loads(self._process.stdout.readline() or "{}")
        assert told, (self.directory / "server.log").read_text("utf-8")
        self.url, self.token = told["url"], told["owner_token"]

    def stop(self) -> None:
        """Stop the server; its data is there when it starts again."""
        if self._process is not None:
            self._process.terminate()
            self._process.communicate(timeout=PATIENCE)
            self._process = None

    # ---- its agents ---------------------------------------------------------------------------

    def api(self, method: str, path: str, body: object = None, *, token: str = "") -> Any:
        """The reply to a request, which must succeed."""
        request = urllib.request.Request(
            f"{self.url}/v1/{path}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"authorization": f"Bearer {token or self.token}", "content-type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as reply:
                text = reply.read()
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{method} {path}: {error.code} {error.read().decode()}") from None
        return json.loads(text) if text else None

    def submit(self, tool: str, args: Mapping[str, object], **more: object) -> Any:
        """Submit a call; return its outcome."""
        return self.api("POST", "calls", {"agent": "bot", "call": {"tool": tool, "args": args}, **more})

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

    def conversation(self, title: str, agent: str = "bot") -> str:
        """Start a conversation; return its id."""
        return str(self.api("POST", "conversations", {"agent": agent, "title": title})["id"])

    def declare(self, agent: str, *tools: dict[str, object]) -> None:
        """Declare tools of an agent, besides the known ones."""
        body = {"origin": "tests", "provider": PROVIDER, "tools": list(tools)}
        self.api("PUT", f"agents/{agent}/catalog", body)

    # ---- what it holds ------------------------------------------------------------------------

    def approval(self, id: str) -> Any:
        """A question in its current state."""
        return self.api("GET", f"approvals/{id}")

    def state(self, id: str) -> str:
        """The state of a question."""
        return str(self.approval(id)["state"])

    def answer(self, id: str, say: str, *, token: str = "", **more: object) -> None:
        """Answer a question through the API instead of the page."""
        body = {"digest": self.approval(id)["digest"], "answer": {"say": say, **more}}
        self.api("POST", f"approvals/{id}/answer", body, token=token)

    def wait_for_audit(self) -> None:
        """Wait until all audit entries are written: calls do not wait for them."""
        wait_until(lambda: not self._count_unwritten())

    def _count_unwritten(self) -> int:
        with urllib.request.urlopen(f"{self.url}/metrics", timeout=PATIENCE) as reply:
            lines = reply.read().decode().splitlines()
        return next(int(float(line.split()[1])) for line in lines if line.startswith("assent_audit_spooled "))

    def count(self, question: str) -> int:
        """A count in the store itself, past the server."""
        self.wait_for_audit()
        address = f"file:{self.directory}/data/assent.db?mode=ro"
        with sqlite3.connect(address, uri=True, timeout=PATIENCE) as store:
            return int(store.execute(question).fetchone()[0])

    def insert_past_entries(self, rows: Iterable[PastEntry]) -> None:
        """Put many past rows into the audit at once, as if a process that is gone had written them."""
        writer, now = new_id(), time.time()
        told = [
            one.row | {"writer": writer, "place": at, "written_at": one.at(now)}
            for at, one in enumerate(rows)
        ]
        names = list(told[0])
        with sqlite3.connect(f"{self.directory}/data/assent.db", timeout=PATIENCE) as store:
            store.executemany(f"insert into audit ({', '.join(names)}) values (:{', :'.join(names)})", told)

    def pending(self) -> list[Any]:
        """Every pending question."""
        return self.items("approvals?state=pending")

    def items(self, path: str) -> list[Any]:
        """All items of a list, from all of its pages."""
        found: list[Any] = []
        after: str | None = ""
        while after is not None:
            joint = "&" if "?" in path else "?"
            page = self.api("GET", f"{path}{joint}limit=200&after={after}")
            found += page["items"]
            after = page["next"]
        return found

    def clear(self) -> None:
        """Deny all pending questions, revoke all rules and grants, and restore the default settings."""
        # A list has no digest for a question that it clips.
        waiting = [
            {"id": one["id"], "digest": one["digest"] or self.approval(one["id"])["digest"]}
            for one in self.pending()
        ]
        for at in range(0, len(waiting), 100):
            questions = waiting[at : at + 100]
            self.api("POST", "approvals/answers", {"questions": questions, "answer": {"say": "deny"}})
        for noun in ("rules", "grants"):
            for one in self.api("GET", noun)["items"]:
                self.api("DELETE", f"{noun}/{one['id']}")
        if self.api("GET", "switch")["paused"]:
            self.api("POST", "switch", {"paused": False})
        if self.api("GET", PERMISSIONS)["mode"]:
            self.api("PATCH", PERMISSIONS, {"mode": ""})

    def login_link(self, person: str = "") -> str:
        """A new log-in link for a person; by default for the owner."""
        name = person or self.api("GET", "me")["id"]
        return f"{self.url}/login#{self.api('POST', f'people/{name}/link')['link']}"

    def new_session(self) -> dict[str, object]:
        """A session of the owner as browser state, so that not every test has to log in."""
        body = json.dumps({"link": self.login_link().partition("#")[2]}).encode()
        headers = {"content-type": "application/json", "origin": self.url}
        request = urllib.request.Request(f"{self.url}/v1/login", method="POST", data=body, headers=headers)
        with urllib.request.urlopen(request, timeout=PATIENCE) as reply:
            name, _, secret = str(reply.headers["set-cookie"]).partition(";")[0].partition("=")
        kept = {"name": name, "value": secret, "domain": "127.0.0.1", "path": "/", "httpOnly": True}
        return {"cookies": [{**kept, "secure": False, "sameSite": "Strict", "expires": -1}], "origins": []}


@contextmanager
def run_web_server(directory: Path) -> Iterator[WebServer]:
    """Run a separate server on a free port, with an empty store."""
    presets = directory / "config" / "assent" / "presets"
    presets.mkdir(parents=True)
    (presets / f"{BRIEF}.toml").write_text(
        f'purpose = "Questions that end soon"\nmodes = ["default"]\ndelivery = "wait"\nexpires_after = {SOON}\n'
        'belts = ["workbench"]\n'
        '[always]\nbecomes = "rule"\nwidth = "exact"\nscope = "user"\nlifetime = "forever"\nwidened = true\n',
        encoding="utf-8",
    )
    for path in (directory / "config").rglob("*"):
        path.chmod(path.stat().st_mode & 0o755)
    server = WebServer(directory)
    server.start()
    try:
        yield server
    finally:
        server.stop()


def is_built() -> bool:
    """Whether the web app is built."""
    return os.path.isfile(DIST)
