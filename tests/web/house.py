"""A running server with people and agents, and what the browser tests do to it besides clicking."""

import json
import os
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.serving import environment

ROOT = Path(__file__).parents[2]
DIST = ROOT / "web" / "dist" / "index.html"
PATIENCE = 30
PROVIDER = "office"
"""Where the tools that tests declare come from."""
BRIEF = "brief"
"""A preset whose questions end after a few seconds."""


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
        port = self.url.rpartition(":")[2] or "0"
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
        """Deny whatever waits, and revoke whatever was remembered."""
        waiting = [{"id": one["id"], "digest": one["digest"]} for one in self.pending()]
        for at in range(0, len(waiting), 100):
            questions = waiting[at : at + 100]
            self.api("POST", "approvals/answers", {"questions": questions, "answer": {"say": "deny"}})
        for noun in ("rules", "grants"):
            for one in self.api("GET", noun)["items"]:
                self.api("DELETE", f"{noun}/{one['id']}")
        if self.api("GET", "switch")["paused"]:
            self.api("POST", "switch", {"paused": False})

    def link(self, person: str = "") -> str:
        """A new log-in link for somebody; the owner if nobody is named."""
        name = person or self.api("GET", "me")["id"]
        return f"{self.url}/login#{self.api('POST', f'people/{name}/link')['link']}"


@contextmanager
def running(directory: Path) -> Iterator[House]:
    """A server of its own on a free port, with an empty store."""
    presets = directory / "config" / "assent" / "presets"
    presets.mkdir(parents=True)
    (presets / f"{BRIEF}.toml").write_text(
        'purpose = "Questions that end soon"\nmodes = ["default"]\ndelivery = "wait"\nexpires_after = 4\n'
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
