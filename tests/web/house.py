"""A running server with people and agents, and what the browser tests do to it besides clicking."""

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
from chaos.serving import steady_port
from tests.serving import environment

ROOT = Path(__file__).parents[2]
DIST = ROOT / "web" / "dist" / "index.html"
PATIENCE = 120
"""Seconds; machines that run tests are busy."""
PROVIDER = "office"
"""Where the tools that tests declare come from."""
BRIEF = "brief"
"""A preset whose questions end after a few seconds."""
PERMISSIONS = "settings/agent.permissions"
SOON = 10
"""The seconds after which they do."""


class Past(NamedTuple):
    """A decision, or the end of a question, some seconds ago."""

    ago: float
    call: str
    tool: str
    verdict: str = ""
    decision: str = ""
    rule: str = ""

    def at(self, now: float) -> int:
        """When it was, in microseconds."""
        return int((now - self.ago) * 1e6)

    @property
    def row(self) -> dict[str, object]:
        """As the store keeps it, but for who wrote it and when."""
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
class House:
    """A server, and the token of its owner."""

    directory: Path
    url: str = ""
    token: str = ""
    _process: "subprocess.Popen[str] | None" = field(default=None, repr=False)

    # ---- the server ---------------------------------------------------------------------------

    def start(self) -> None:
        """Let it listen, where it listened before if it did."""
        port = self.url.rpartition(":")[2] or str(steady_port())
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
        """End it; what it holds is there when it starts again."""
        if self._process is not None:
            self._process.terminate()
            self._process.communicate(timeout=PATIENCE)
            self._process = None

    # ---- its agents ---------------------------------------------------------------------------

    def api(self, method: str, path: str, body: object = None, *, token: str = "") -> Any:
        """What the server says to a request, which must succeed."""
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
        """What comes of a call."""
        return self.api("POST", "calls", {"agent": "bot", "call": {"tool": tool, "args": args}, **more})

    def ask(
        self, command: str = "", *, agent: str = "bot", tool: str = "terminal.exec", **args: object
    ) -> str:
        """The id of the question that a call becomes."""
        return self.asked(self.submit(tool, {"command": command, **args} if command else args, agent=agent))

    @staticmethod
    def asked(reply: Any) -> str:
        """The question that a call became, which it must have."""
        assert reply["outcome"] == "wait", reply
        return str(reply["approval"])

    def conversation(self, title: str, agent: str = "bot") -> str:
        """The id of a new conversation."""
        return str(self.api("POST", "conversations", {"agent": agent, "title": title})["id"])

    def declare(self, agent: str, *tools: dict[str, object]) -> None:
        """Tools that an agent has besides those that everybody knows."""
        body = {"origin": "tests", "provider": PROVIDER, "tools": list(tools)}
        self.api("PUT", f"agents/{agent}/catalog", body)

    # ---- what it holds ------------------------------------------------------------------------

    def approval(self, id: str) -> Any:
        """A question as it stands."""
        return self.api("GET", f"approvals/{id}")

    def state(self, id: str) -> str:
        """What became of a question."""
        return str(self.approval(id)["state"])

    def answer(self, id: str, say: str, *, token: str = "", **more: object) -> None:
        """Answer a question somewhere else than on the page."""
        body = {"digest": self.approval(id)["digest"], "answer": {"say": say, **more}}
        self.api("POST", f"approvals/{id}/answer", body, token=token)

    def recorded(self) -> None:
        """Wait until the audit holds whatever was decided: no call waits for it to be written."""
        deadline = time.monotonic() + PATIENCE
        while self._unwritten():
            assert time.monotonic() < deadline
            time.sleep(0.05)

    def _unwritten(self) -> int:
        with urllib.request.urlopen(f"{self.url}/metrics", timeout=PATIENCE) as reply:
            lines = reply.read().decode().splitlines()
        return next(int(float(line.split()[1])) for line in lines if line.startswith("assent_audit_spooled "))

    def count(self, question: str) -> int:
        """A count in the store itself, past the server."""
        self.recorded()
        address = f"file:{self.directory}/data/assent.db?mode=ro"
        with sqlite3.connect(address, uri=True, timeout=PATIENCE) as store:
            return int(store.execute(question).fetchone()[0])

    def remember(self, rows: Iterable[Past]) -> None:
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
        """Every question that waits."""
        return self.items("approvals?state=pending")

    def items(self, path: str) -> list[Any]:
        """Every page of a list."""
        found: list[Any] = []
        after: str | None = ""
        while after is not None:
            joint = "&" if "?" in path else "?"
            page = self.api("GET", f"{path}{joint}limit=200&after={after}")
            found += page["items"]
            after = page["next"]
        return found

    def clear(self) -> None:
        """Deny whatever waits, revoke whatever was remembered, and let conversations start as ever."""
        # A list has no digest of what it clips.
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

    def link(self, person: str = "") -> str:
        """A new log-in link for somebody; the owner if nobody is named."""
        name = person or self.api("GET", "me")["id"]
        return f"{self.url}/login#{self.api('POST', f'people/{name}/link')['link']}"

    def session(self) -> dict[str, object]:
        """The owner's own session, as a browser keeps it, so that not every test has to log in."""
        body = json.dumps({"link": self.link().partition("#")[2]}).encode()
        headers = {"content-type": "application/json", "origin": self.url}
        request = urllib.request.Request(f"{self.url}/v1/login", method="POST", data=body, headers=headers)
        with urllib.request.urlopen(request, timeout=PATIENCE) as reply:
            name, _, secret = str(reply.headers["set-cookie"]).partition(";")[0].partition("=")
        kept = {"name": name, "value": secret, "domain": "127.0.0.1", "path": "/", "httpOnly": True}
        return {"cookies": [{**kept, "secure": False, "sameSite": "Strict", "expires": -1}], "origins": []}


@contextmanager
def running(directory: Path) -> Iterator[House]:
    """A server of its own on a free port, with an empty store."""
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
    house = House(directory)
    house.start()
    try:
        yield house
    finally:
        house.stop()


def is_built() -> bool:
    """Whether there are pages to look at."""
    return os.path.isfile(DIST)
