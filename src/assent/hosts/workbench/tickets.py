"""One-time tickets: each lets a page carry out one call that the gate let run."""

import hashlib
import secrets
from collections.abc import Callable, Mapping
from time import monotonic
from typing import NamedTuple

from assent.engine.base.tool import Call
from assent.errors import InputError
from assent.gate.ids import canonical_json
from assent.hosts.workbench.refusal import Reason, WorkbenchError

LIFETIME_SECONDS = 60.0
MAX_TICKETS = 1000
"""The maximum number of open tickets of one person; the oldest are forgotten first."""
_TICKET_BYTES = 32


class Ticket(NamedTuple):
    """What a ticket is valid for; the ticket itself is stored as a hash."""

    user: str
    call: str
    tool: str
    args_digest: str
    root: str
    """The root for which the gate decided the call: the real path of a directory."""
    directory: str
    """The directory in which the gate decided the call."""
    file_digest: str | None
    """The digest of the file that a person saw; `absent` for a new file, None if nobody saw a file."""
    expires_at: float


class Tickets:
    """Issues tickets, and takes each of them back once; known to this process only."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._by_user: dict[str, dict[str, Ticket]] = {}

    def issue(self, user: str, call: Call, *, root: str, file_digest: str | None = None) -> str:
        """Issue a ticket for a call that the gate let run in a root."""
        now = self._clock()
        mine = self._by_user.setdefault(user, {})
        for digest in [digest for digest, one in mine.items() if one.expires_at <= now]:
            del mine[digest]
        while len(mine) >= MAX_TICKETS:
            del mine[next(iter(mine))]
        secret = secrets.token_urlsafe(_TICKET_BYTES)
        mine[_hash(secret)] = Ticket(
            user=user,
            call=call.id,
            tool=call.tool,
            args_digest=_digest_of_arguments(call.args),
            root=root,
            directory=call.cwd or root,
            file_digest=file_digest,
            expires_at=now + LIFETIME_SECONDS,
        )
        return secret

    def redeem(self, user: str, secret: str, tool: str, args: Mapping[str, object]) -> Ticket:
        """Use a ticket up; raises `WorkbenchError` unless it is for exactly this call."""
        # Removed first: a ticket that does not fit is used up, so that nobody can try arguments with it.
        ticket = self._by_user.get(user, {}).pop(_hash(secret), None)
        if ticket is None:
            raise WorkbenchError(Reason.TICKET, "the ticket is unknown or used: ask the gate again")
        if self._clock() >= ticket.expires_at:
            raise WorkbenchError(Reason.TICKET, "the ticket is too old: ask the gate again")
        try:
            fits = ticket.tool == tool and ticket.args_digest == _digest_of_arguments(args)
        except InputError:
            fits = False
        if not fits:
            raise WorkbenchError(Reason.TICKET, "the ticket is for another call")
        return ticket


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def _digest_of_arguments(args: Mapping[str, object]) -> str:
    return hashlib.sha256(canonical_json(dict(args)).encode()).hexdigest()
