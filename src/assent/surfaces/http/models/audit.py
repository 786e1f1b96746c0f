"""The audit as JSON, and which of its rows are asked for."""

from typing import Literal

from assent.surfaces.http.models.base import Args, Asked, Id, Moment, Paging, Sent, ToolName
from assent.surfaces.http.models.decision import VerdictWord


class RowsAsked(Asked):
    """Which rows are meant; `approvals` are people's answers alone, `changes` those of people and policy."""

    agent: Id | None = None
    user: Id | None = None
    conversation: Id | None = None
    tool: ToolName | None = None
    verdict: VerdictWord | None = None
    decision: Id | None = None
    since: Moment | None = None
    until: Moment | None = None
    view: Literal["entries", "approvals", "changes"] = "entries"
    calls: Literal["true", "false"] = "false"
    """Whether rows come with what was asked and what ran, as far as you may see the call."""


class AuditAsked(RowsAsked, Paging):
    """A page of them."""

    order: Literal["newest", "oldest"] = "newest"


class ExportAsked(RowsAsked):
    """All of them."""

    format: Literal["jsonl", "csv"] = "jsonl"


class EntryShown(Sent):
    """Who, what tool, and what was decided; never arguments."""

    id: str
    user: str
    agent: str
    conversation: str
    call: str
    tool: str
    verdict: str
    stage: str
    rule: str
    decision: str
    with_override: bool
    reason: str
    mode: str
    policy_version: int
    approval: str
    asked_digest: str
    """The digest of the call as it was asked about; empty in a row that no question is behind."""
    ran_digest: str
    """The digest of the call as it was allowed or ran."""


class CallRecordShown(Sent):
    """The call behind a row, as far as its approval still holds it."""

    asked: Args
    ran: Args | None
    clipped: bool
    """Too large for a list: only the beginning and the end of the values are here."""


class LinkShown(Sent):
    """An entry in its place in a writer's chain."""

    entry: EntryShown
    writer: str
    number: int
    at: str
    hash: str
    version: int
    """Which list of fields the hash covers."""
    called: CallRecordShown | None = None
    """With `calls=true`: what was asked and what ran, until it is scrubbed, for who may see it."""


class AuditShown(Sent):
    """A page of the audit."""

    items: list[LinkShown]
    next: str | None
