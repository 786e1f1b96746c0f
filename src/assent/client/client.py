"""A client of the HTTP API: small, typed, and without dependencies."""

import http.client
import json
import os
import ssl
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Self, cast
from urllib.parse import quote, urlencode, urlsplit

from assent.errors import AssentError
from assent.gate.answer import Answer
from assent.gate.approval import Approval, Excerpt
from assent.gate.calls import RememberedRule
from assent.gate.definitions import DefinitionToReview, MovedRules
from assent.gate.ids import new_id
from assent.gate.policy import StoredGrant, StoredRule
from assent.gate.workspaces import ALL_AGENTS, RegisteredWorkspace, WantedRoot
from assent.wire.approval import PERSON_FIELDS, answer_to_json, approval_from_json, remembered_from_json
from assent.wire.excerpt import excerpt_from_json
from assent.wire.fields import Fields
from assent.wire.policy import (
    definition_from_json,
    grant_from_json,
    rule_from_json,
    wanted_root_to_json,
    workspace_from_json,
)

REPLY_TIMEOUT = 30.0
"""Seconds to wait for a reply, in addition to the waiting time of a long poll."""
MAX_TRIES = 5
STATUS_OVER_LIMIT = 429
_FIRST_RETRY_DELAY = 0.1
_CONNECTION_ERRORS = (http.client.HTTPException, OSError)
_CUT_EVENT_ERRORS = (json.JSONDecodeError, UnicodeDecodeError)
TEMPORARY_STATUSES = frozenset({502, 503, 504})
"""HTTP statuses of a proxy, or of a server that starts or stops; a retry may succeed."""


class RequestFailed(AssentError):
    """The server refused or failed to process a request."""

    def __init__(self, status: int, detail: str, code: str = "") -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        """The reason code of a refused call; empty for other requests."""

    @property
    def is_temporary(self) -> bool:
        """Whether the same request may succeed later."""
        return self.status in TEMPORARY_STATUSES


class OutcomeKind(StrEnum):
    """The kind of an outcome, which says what the caller must do next."""

    RUN = "run"
    WAIT = "wait"
    REFUSE = "refuse"
    APPLIED = "applied"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The outcome of a submitted call; fields that do not apply to its kind are empty."""

    kind: OutcomeKind
    turn: str = ""
    approval: str = ""
    claim: str = ""
    """The secret that `report` must repeat, as proof that the same program claimed the call."""
    args: Mapping[str, object] = field(default_factory=dict[str, object])
    """The arguments to run the call with; a person may have changed them."""
    code: str = ""
    message: str = ""
    reason: str = ""
    """What the person who denied the call wrote to the agent."""
    remembered: tuple[RememberedRule, ...] = ()
    """The rules that the person's answer wrote for later calls."""


class Client:
    """A client with one connection to a server; it has the rights of its token."""

    def __init__(
        self, url: str, token: str, *, timeout: float = REPLY_TIMEOUT, tries: int = MAX_TRIES
    ) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise AssentError(f"`{url}` is not the address of a server")
        self.url = url.rstrip("/")
        self._host = parts.hostname
        self._port = parts.port
        self._base = parts.path.rstrip("/")
        self._context = ssl.create_default_context() if parts.scheme == "https" else None
        self._token = token
        self._timeout = timeout
        self._tries = tries
        self._connection: http.client.HTTPConnection | None = None
        # INVARIANT: a nonce is removed when its call has an outcome, so that no later call reuses a claim.
        self._nonces: dict[tuple[str, ...], str] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    # ---- for people -----------------------------------------------------------------------------

    def excerpts(self, **which: str) -> Iterator[Excerpt]:
        """Excerpts of the approvals that match the filters of the API; by default, all pending approvals."""
        query = urlencode(which or {"state": "pending"})
        yield from map(excerpt_from_json, self._read_list_items(f"/v1/approvals?{query}"))

    def approvals(self, **which: str) -> Iterator[Approval]:
        """The same approvals as `excerpts`, complete; each clipped approval costs another request."""
        for excerpt in self.excerpts(**which):
            yield self.approval(excerpt.approval.id) if excerpt.clipped else excerpt.approval

    def approval(self, id: str) -> Approval:
        """Fetch an approval by its id."""
        return approval_from_json(self._send_get(f"/v1/approvals/{quote(id, safe='')}"))

    def answer(self, id: str, digest: str, answer: Answer) -> Approval:
        """Answer an approval; `digest` is the digest of the call that the person saw."""
        fields: Mapping[str, object] = answer_to_json(answer)
        given = {name: fields[name] for name in PERSON_FIELDS if fields[name] not in (None, "", [])}
        body = {"digest": digest, "answer": given}
        return approval_from_json(self._send_post(f"/v1/approvals/{quote(id, safe='')}/answer", body))

    def postpone(self, id: str) -> Approval:
        """Postpone an approval; it stays open."""
        return approval_from_json(self._send_post(f"/v1/approvals/{quote(id, safe='')}/later", {}))

    def grants(self) -> list[StoredGrant]:
        """Fetch all standing approvals."""
        return [grant_from_json(one) for one in self._read_list_items("/v1/grants")]

    def rules(self) -> list[StoredRule]:
        """Fetch all rules that are stored in the database."""
        return [rule_from_json(one) for one in self._read_list_items("/v1/rules")]

    def definitions_to_review(self) -> list[DefinitionToReview]:
        """Fetch the tools whose definition nobody accepted."""
        return [definition_from_json(one) for one in self._read_list_items("/v1/definitions")]

    def accept_definition(self, shown: DefinitionToReview) -> None:
        """Accept the definition of a tool, as it was shown to the person."""
        body = {"origin": shown.origin, "tool": shown.tool, "digest": shown.digest}
        self._send_post("/v1/definitions/accept", body)

    def move_rules(self, tool: str, to: str) -> MovedRules:
        """Move the rules and tiers of a renamed tool to its new name."""
        fields = Fields(self._send_post("/v1/rules/move", {"tool": tool, "to": to}), "reply")
        return MovedRules(fields.integer("rules"), fields.integer("tiers"))

    def workspaces(self) -> list[RegisteredWorkspace]:
        """Fetch the registered workspaces of all agents."""
        return [workspace_from_json(one) for one in self._read_list_items("/v1/workspaces")]

    def replace_workspaces(
        self, agent: str, wanted: Iterable[WantedRoot], known: Iterable[str]
    ) -> list[RegisteredWorkspace]:
        """Replace the workspaces of an agent (empty: all agents), if they still have the ids `known`."""
        body = {"workspaces": [wanted_root_to_json(one) for one in wanted], "known": sorted(known)}
        reply = self.request("PUT", f"/v1/agents/{quote(agent or ALL_AGENTS, safe='')}/workspaces", body)
        return [workspace_from_json(one) for one in Fields(reply, "reply").items("items")]

    def revoke(self, id: str) -> None:
        """Revoke the grant or the rule with this id."""
        kinds = ("grants", "rules")
        for kind in kinds:
            try:
                self.request("DELETE", f"/v1/{kind}/{quote(id, safe='')}")
            except RequestFailed as failure:
                if failure.status != 404 or kind == kinds[-1]:
                    raise
            else:
                return

    def set_paused(self, *, paused: bool) -> None:
        """Pause every agent on every pod, or resume them."""
        self._send_post("/v1/switch", {"paused": paused})

    # ---- for agents -----------------------------------------------------------------------------

    def submit(
        self,
        tool: str,
        args: Mapping[str, object],
        *,
        id: str,
        conversation: str = "",
        cwd: str = "",
        **more: object,
    ) -> Outcome:
        """Submit a call; a repeated id means the same call, so that a retry is safe.

        `more` has the other fields of the request, such as `lease` and `lineage`.
        """
        call = {"tool": tool, "args": dict(args), "id": id, **({"cwd": cwd} if cwd else {})}
        key = (conversation, str(more.get("agent", "")), id)
        nonce = str(more.get("nonce") or self._nonces.setdefault(key, new_id()))
        body = {"call": call, "conversation": conversation, **more, "nonce": nonce}
        try:
            outcome = outcome_from_json(self._send_post("/v1/calls", body))
        except RequestFailed as failure:
            if failure.status != STATUS_OVER_LIMIT or not failure.code:
                raise
            outcome = Outcome(kind=OutcomeKind.REFUSE, code=failure.code, message=str(failure))
        self._nonces.pop(key, None)
        if outcome.kind is OutcomeKind.WAIT:
            self._nonces[outcome.approval,] = nonce
        return outcome

    def wait(self, approval: str, seconds: float = 30.0, *, nonce: str = "") -> Outcome:
        """Wait for the answer to an approval, and claim the call if it is allowed.

        After a lost reply the request is repeated with the same nonce, so that the claim is not lost: by this
        method, or by a second call of it. A program that may restart in between must store its own nonce.
        """
        path = f"/v1/calls/{quote(approval, safe='')}/wait"
        body = {"seconds": seconds, "nonce": nonce or self._nonces.setdefault((approval,), new_id())}
        outcome = outcome_from_json(self._send_post(path, body, longer=seconds))
        if outcome.kind is not OutcomeKind.WAIT:
            self._nonces.pop((approval,), None)
        return outcome

    def report(self, approval: str, claim: str, *, failed: bool = False, note: str = "") -> None:
        """Report the result of a call that this client claimed."""
        body = {"claim": claim, "failed": failed, "note": note}
        self._send_post(f"/v1/calls/{quote(approval, safe='')}/report", body)

    def report_call(
        self, call: str, *, conversation: str = "", agent: str = "", failed: bool = False, note: str = ""
    ) -> None:
        """Report the result of a call by its own id, where another process of the same agent claimed it."""
        body = {"call": call, "conversation": conversation, "agent": agent, "failed": failed, "note": note}
        self._send_post("/v1/calls/report", body)

    def withdraw(self, approval: str) -> None:
        """Withdraw a call that waits for approval."""
        self._send_post(f"/v1/calls/{quote(approval, safe='')}/withdraw", {})

    # ---- events ---------------------------------------------------------------------------------

    def events(self, after: str | None = None) -> Iterator[dict[str, object]]:
        """Yield events forever; after a broken connection, continue after the last event."""
        while True:
            with suppress(*_CONNECTION_ERRORS, *_CUT_EVENT_ERRORS):
                for message in self._read_event_stream(after):
                    after = str(message.get("cursor") or after or "") or None
                    yield message
            time.sleep(_FIRST_RETRY_DELAY)

    def stream_events(self, after: str | None = None) -> Iterator[dict[str, object]]:
        """Yield the events of one connection until it ends; a connection that breaks raises `AssentError`."""
        try:
            yield from self._read_event_stream(after)
        except _CONNECTION_ERRORS as error:
            raise AssentError(f"{self.url} does not answer: {_error_reason(error)}") from None
        except _CUT_EVENT_ERRORS:
            raise AssentError(f"{self.url} sent an event that is not complete") from None

    def is_reachable(self) -> bool:
        """Whether the server replies and accepts the token."""
        with suppress(AssentError):
            self.request("GET", "/v1/me", tries=1)
            return True
        return False

    def _read_event_stream(self, after: str | None) -> Iterator[dict[str, object]]:
        with closing(self._open_connection(self._timeout)) as connection:
            more = {"Last-Event-ID": after} if after else {}
            connection.request("GET", f"{self._base}/v1/events", headers=self._request_headers(more))
            reply = connection.getresponse()
            if reply.status != 200:
                raise failure_from_reply(reply.status, reply.read())
            for line in reply:
                if line.startswith(b"data: "):
                    yield cast("dict[str, object]", json.loads(line[len(b"data: ") :]))

    # ---- requests -------------------------------------------------------------------------------

    def _read_list_items(self, path: str) -> Iterator[object]:
        after: str | None = ""
        while after is not None:
            joint = "&" if "?" in path else "?"
            page = Fields(
                self._send_get(f"{path}{joint}{urlencode({'after': after})}" if after else path), "page"
            )
            yield from page.items("items")
            after = page.maybe_text("next")

    def _send_get(self, path: str) -> object:
        return self.request("GET", path)

    def _send_post(self, path: str, body: Mapping[str, object], *, longer: float = 0.0) -> object:
        return self.request("POST", path, body, longer=longer)

    def request(
        self, method: str, path: str, body: object = None, *, longer: float = 0.0, tries: int | None = None
    ) -> object:
        """Send a request to the API and return the JSON of the reply; repeat the request if it fails.

        INVARIANT: every request of this class may be sent twice; use `tries=1` for requests that may not.
        """
        data = None if body is None else json.dumps(body, allow_nan=False).encode()
        for pause in _retry_delays(tries or self._tries):
            try:
                return self._send_once(method, path, data, longer)
            except RequestFailed as failure:
                self.close()
                if pause is None or not failure.is_temporary:
                    raise
            except _CONNECTION_ERRORS as error:
                self.close()
                if pause is None:
                    raise AssentError(f"{self.url} does not answer: {_error_reason(error)}") from None
            time.sleep(pause)
        raise AssertionError(tries)

    def _send_once(self, method: str, path: str, body: bytes | None, longer: float) -> object:
        connection = self._connection or self._open_connection(self._timeout)
        self._connection = connection
        if connection.sock is not None:
            connection.sock.settimeout(self._timeout + longer)
        connection.timeout = self._timeout + longer
        kind = {"Content-Type": "application/json"} if body is not None else {}
        connection.request(method, self._base + path, body, self._request_headers(kind))
        reply = connection.getresponse()
        data = reply.read()
        if reply.status >= 400:
            raise failure_from_reply(reply.status, data)
        return json.loads(data) if data else None

    def _open_connection(self, timeout: float) -> http.client.HTTPConnection:
        if self._context is not None:
            return http.client.HTTPSConnection(self._host, self._port, timeout=timeout, context=self._context)
        return http.client.HTTPConnection(self._host, self._port, timeout=timeout)

    def _request_headers(self, more: Mapping[str, str]) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._token}", "Accept": "application/json", **more}


def _retry_delays(tries: int) -> Iterator[float | None]:
    """Yield the seconds to wait after each failed try; None after the last try."""
    yield from (_FIRST_RETRY_DELAY * 2**number for number in range(tries - 1))
    yield None


def _error_reason(error: BaseException) -> str:
    known: Callable[[int], str] = os.strerror
    number = getattr(error, "errno", None)
    return known(number).lower() if isinstance(number, int) else type(error).__name__


def failure_from_reply(status: int, body: bytes) -> RequestFailed:
    """Build the error for a failed response; its text is the problem's `detail`, or else the HTTP status."""
    detail = code = ""
    try:
        content: object = json.loads(body)
        if isinstance(content, dict):
            problem = cast("dict[str, object]", content)
            detail, code = str(problem.get("detail", "")), str(problem.get("code", ""))
    except ValueError:
        pass
    return RequestFailed(status, detail or f"the server answered with status {status}", code)


def outcome_from_json(data: object) -> Outcome:
    """Parse the outcome in a server's reply; raises an error for an unknown kind."""
    fields = Fields(data, "outcome")
    what = fields.word("outcome", OutcomeKind)
    call = Fields(fields.raw("call"), "outcome.call") if fields.has("call") else None
    return Outcome(
        kind=what,
        turn=fields.text("turn", ""),
        approval=fields.text("approval", ""),
        claim=fields.text("claim", ""),
        args={} if call is None else call.table("args"),
        code=fields.text("code", ""),
        message=fields.text("message", ""),
        reason=fields.text("reason", ""),
        remembered=tuple(map(remembered_from_json, fields.items("remembered", ()))),
    )
