"""A client of a running server: small, typed, and with nothing but the standard library."""

import http.client
import json
import os
import ssl
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from typing import Self, cast
from urllib.parse import quote, urlencode, urlsplit

from assent.client.failure import Failure, failure_of
from assent.client.outcome import Outcome, What, outcome_of
from assent.errors import AssentError
from assent.gate.approval import Answer, Approval
from assent.gate.definitions import ChangedDefinition
from assent.gate.excerpt import Excerpt
from assent.gate.grant import Grant, StoredRule
from assent.gate.mark import fresh
from assent.wire.answer import FROM_A_PERSON, answer_to_json
from assent.wire.approval import approval_from_json
from assent.wire.definition import definition_from_json
from assent.wire.excerpt import excerpt_from_json
from assent.wire.fields import Fields
from assent.wire.grant import grant_from_json
from assent.wire.rule import rule_from_json

PATIENCE = 30.0
"""Seconds for a reply, besides what a long poll waits."""
TRIES = 5
OVER_LIMIT = 429
_PAUSE = 0.1
_BROKEN = (http.client.HTTPException, OSError)


class Client:
    """One connection to a server, in the name of whoever the token is."""

    def __init__(self, url: str, token: str, *, patience: float = PATIENCE, tries: int = TRIES) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise AssentError(f"`{url}` is no address of a server")
        self.url = url.rstrip("/")
        self._host = parts.hostname
        self._port = parts.port
        self._base = parts.path.rstrip("/")
        self._context = ssl.create_default_context() if parts.scheme == "https" else None
        self._token = token
        self._patience = patience
        self._tries = tries
        self._connection: http.client.HTTPConnection | None = None
        # INVARIANT: a nonce is forgotten with the outcome of its call, so that a claim is given once.
        self._nonces: dict[tuple[str, ...], str] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let the connection go."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    # ---- for people -----------------------------------------------------------------------------

    def excerpts(self, **which: str) -> Iterator[Excerpt]:
        """Approvals as lists show them: those that wait, or those that the filters of the API mean."""
        query = urlencode(which or {"state": "pending"})
        yield from map(excerpt_from_json, self._items(f"/v1/approvals?{query}"))

    def approvals(self, **which: str) -> Iterator[Approval]:
        """The same, each whole: a large one costs a request of its own."""
        for excerpt in self.excerpts(**which):
            yield self.approval(excerpt.approval.id) if excerpt.clipped else excerpt.approval

    def approval(self, id: str) -> Approval:
        """One approval."""
        return approval_from_json(self._get(f"/v1/approvals/{quote(id, safe='')}"))

    def answer(self, id: str, digest: str, answer: Answer) -> Approval:
        """Answer a question as it was shown."""
        said = answer_to_json(answer)
        given = {name: said[name] for name in FROM_A_PERSON if said[name] not in (None, "", [])}
        body = {"digest": digest, "answer": given}
        return approval_from_json(self._post(f"/v1/approvals/{quote(id, safe='')}/answer", body))

    def put_off(self, id: str) -> Approval:
        """Say "later"."""
        return approval_from_json(self._post(f"/v1/approvals/{quote(id, safe='')}/later", {}))

    def grants(self) -> list[Grant]:
        """What was said yes to for longer."""
        return [grant_from_json(one) for one in self._items("/v1/grants")]

    def rules(self) -> list[StoredRule]:
        """The rules that the store holds."""
        return [rule_from_json(one) for one in self._items("/v1/rules")]

    def changed_definitions(self) -> list[ChangedDefinition]:
        """The tools that ask because their definition changed."""
        return [definition_from_json(one) for one in self._items("/v1/definitions")]

    def accept(self, changed: ChangedDefinition) -> None:
        """Accept a definition as it was shown."""
        body = {"origin": changed.origin, "tool": changed.tool, "digest": changed.digest}
        self._post("/v1/definitions/accept", body)

    def revoke(self, id: str) -> None:
        """End a grant or a rule."""
        kinds = ("grants", "rules")
        for kind in kinds:
            try:
                self.request("DELETE", f"/v1/{kind}/{quote(id, safe='')}")
            except Failure as failure:
                if failure.status != 404 or kind == kinds[-1]:
                    raise
            else:
                return

    def turn_switch(self, *, paused: bool) -> None:
        """Stop every agent on every pod, or let them go on."""
        self._post("/v1/switch", {"paused": paused})

    # ---- for agents -----------------------------------------------------------------------------

    def submit(
        self, tool: str, args: Mapping[str, object], *, id: str, conversation: str = "", **more: object
    ) -> Outcome:
        """Have a call decided; sent again with the same id it is the same call."""
        call = {"tool": tool, "args": dict(args), "id": id}
        key = (conversation, str(more.get("agent", "")), id)
        nonce = str(more.get("nonce") or self._nonces.setdefault(key, fresh()))
        body = {"call": call, "conversation": conversation, **more, "nonce": nonce}
        try:
            outcome = outcome_of(self._post("/v1/calls", body))
        except Failure as failure:
            if failure.status != OVER_LIMIT or not failure.code:
                raise
            outcome = Outcome(what=What.REFUSE, code=failure.code, message=str(failure))
        self._nonces.pop(key, None)
        if outcome.what is What.WAIT:
            self._nonces[outcome.approval,] = nonce
        return outcome

    def wait(self, approval: str, seconds: float = 30.0, *, nonce: str = "") -> Outcome:
        """Wait for an answer, and take the call if it is a yes.

        A reply that is lost on the way costs nothing: the request is sent again with the same nonce, by
        this method and by a program that calls it again after an error. A program that may be restarted
        meanwhile keeps a nonce of its own.
        """
        path = f"/v1/calls/{quote(approval, safe='')}/wait"
        body = {"seconds": seconds, "nonce": nonce or self._nonces.setdefault((approval,), fresh())}
        outcome = outcome_of(self._post(path, body, longer=seconds))
        if outcome.what is not What.WAIT:
            self._nonces.pop((approval,), None)
        return outcome

    def report(self, approval: str, claim: str, *, failed: bool = False, note: str = "") -> None:
        """Say what came of a call that was taken."""
        body = {"claim": claim, "failed": failed, "note": note}
        self._post(f"/v1/calls/{quote(approval, safe='')}/report", body)

    def withdraw(self, approval: str) -> None:
        """Take a call back."""
        self._post(f"/v1/calls/{quote(approval, safe='')}/withdraw", {})

    # ---- what happens ---------------------------------------------------------------------------

    def events(self, after: str | None = None) -> Iterator[dict[str, object]]:
        """What happens, for ever: when the stream breaks it is taken up again where it was."""
        while True:
            try:
                for message in self._stream(after):
                    after = str(message.get("cursor") or after or "") or None
                    yield message
            except _BROKEN:
                pass
            time.sleep(_PAUSE)

    def is_there(self) -> bool:
        """Whether a server answers, and knows whose token this is."""
        with suppress(AssentError):
            self.request("GET", "/v1/me", tries=1)
            return True
        return False

    def _stream(self, after: str | None) -> Iterator[dict[str, object]]:
        with closing(self._connected(self._patience)) as connection:
            more = {"Last-Event-ID": after} if after else {}
            connection.request("GET", f"{self._base}/v1/events", headers=self._headers(more))
            reply = connection.getresponse()
            if reply.status != 200:
                raise failure_of(reply.status, reply.read())
            for line in reply:
                if line.startswith(b"data: "):
                    yield cast("dict[str, object]", json.loads(line[len(b"data: ") :]))

    # ---- requests -------------------------------------------------------------------------------

    def _items(self, path: str) -> Iterator[object]:
        after: str | None = ""
        while after is not None:
            joint = "&" if "?" in path else "?"
            page = Fields(self._get(f"{path}{joint}{urlencode({'after': after})}" if after else path), "page")
            yield from page.items("items")
            after = page.maybe_text("next")

    def _get(self, path: str) -> object:
        return self.request("GET", path)

    def _post(self, path: str, body: Mapping[str, object], *, longer: float = 0.0) -> object:
        return self.request("POST", path, body, longer=longer)

    def request(
        self, method: str, path: str, body: object = None, *, longer: float = 0.0, tries: int | None = None
    ) -> object:
        """Send any request of the API; one that was cut off is sent again.

        INVARIANT: whatever this class sends may be sent twice; whoever sends something else says `tries=1`.
        """
        data = None if body is None else json.dumps(body, allow_nan=False).encode()
        for pause in _pauses(tries or self._tries):
            try:
                return self._reply(method, path, data, longer)
            except Failure as failure:
                self.close()
                if pause is None or not failure.is_passing:
                    raise
            except _BROKEN as error:
                self.close()
                if pause is None:
                    raise AssentError(f"{self.url} does not answer: {_reason(error)}") from None
            time.sleep(pause)
        raise AssertionError(tries)

    def _reply(self, method: str, path: str, body: bytes | None, longer: float) -> object:
        connection = self._connection or self._connected(self._patience)
        self._connection = connection
        if connection.sock is not None:
            connection.sock.settimeout(self._patience + longer)
        connection.timeout = self._patience + longer
        kind = {"Content-Type": "application/json"} if body is not None else {}
        connection.request(method, self._base + path, body, self._headers(kind))
        reply = connection.getresponse()
        data = reply.read()
        if reply.status >= 400:
            raise failure_of(reply.status, data)
        return json.loads(data) if data else None

    def _connected(self, patience: float) -> http.client.HTTPConnection:
        if self._context is not None:
            return http.client.HTTPSConnection(
                self._host, self._port, timeout=patience, context=self._context
            )
        return http.client.HTTPConnection(self._host, self._port, timeout=patience)

    def _headers(self, more: Mapping[str, str]) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._token}", "Accept": "application/json", **more}


def _pauses(tries: int) -> Iterator[float | None]:
    """How long to wait after each try that failed; None after the last one."""
    yield from (_PAUSE * 2**number for number in range(tries - 1))
    yield None


def _reason(error: BaseException) -> str:
    known: Callable[[int], str] = os.strerror
    number = getattr(error, "errno", None)
    return known(number).lower() if isinstance(number, int) else type(error).__name__
