"""The audit as JSON, and which of its rows are asked for."""

from typing import Literal

from assent.surfaces.http.models.base import Asked, Id, Moment, Paging, Sent, ToolName
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


class LinkShown(Sent):
    """An entry in its place in a writer's chain."""

    entry: EntryShown
    writer: str
    number: int
    at: str
    hash: str


class AuditShown(Sent):
    """A page of the audit."""

    items: list[LinkShown]
    next: str | None
