"""`/v1/audit`: list, count and export the audit rows."""

import io
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from functools import partial
from typing import Annotated, Literal, TypedDict, cast

from pydantic import Field
from starlette.responses import Response, StreamingResponse

from assent.gate.access import Principal
from assent.gate.approval import Excerpt
from assent.gate.audit import BucketSize
from assent.gate.changes import CallRecord, call_records
from assent.gate.store import AuditFilter
from assent.surfaces.http.api.access import Member
from assent.surfaces.http.api.bodies import decode_cursor, encode_next_cursor
from assent.surfaces.http.api.fields import Id, Moment, Paging, StrictQuery, ToolName
from assent.surfaces.http.api.routing import Router
from assent.surfaces.http.api.service import Service
from assent.wire import shapes
from assent.wire.audit import TallyJson, link_to_json, row_to_json, row_writer, tally_to_json

router = Router("/v1/audit", "audit")
_EXPORT_BATCH_ROWS = 500
"""Number of rows that an export reads at a time."""
_EXPORT_MEDIA_TYPES = {"jsonl": "application/jsonl", "csv": "text/csv; charset=utf-8"}
_EXPORT_RESPONSES: Mapping[int, Mapping[str, object]] = {
    200: {"content": {"application/jsonl": {}, "text/csv": {}}}
}


class AuditRowQuery(StrictQuery):
    """Filters; the view `approvals` has people's answers, `changes` has changes of rights and policy."""

    agent: Id | None = None
    user: Id | None = None
    conversation: Id | None = None
    tool: ToolName | None = None
    verdict: Literal["run", "ask", "deny", "absent"] | None = None
    decision: Id | None = None
    since: Moment | None = None
    until: Moment | None = None
    view: Literal["entries", "approvals", "changes"] = "entries"
    calls: Literal["true", "false"] = "false"
    """Whether rows include the call, as asked and as run, if you may see it."""


class AuditQuery(AuditRowQuery, Paging):
    """Filters and paging."""

    order: Literal["newest", "oldest"] = "newest"


class ExportQuery(AuditRowQuery):
    """Filters and format."""

    format: Literal["jsonl", "csv"] = "jsonl"


class TallyQuery(StrictQuery):
    """Filters of the counted decisions and questions; answers count even if they came later."""

    since: Moment | None = None
    until: Moment | None = None
    agent: Id | None = None
    user: Id | None = None
    conversation: Id | None = None
    tool: ToolName | None = None
    bucket: Annotated[BucketSize, Field(strict=False)] = BucketSize.HOUR


class AuditShown(TypedDict):
    """A page of the audit."""

    items: list[shapes.LinkJson]
    next: str | None


@router.get(name="find")
async def list_audit_rows(query: AuditQuery, principal: Member, service: Service) -> AuditShown:
    """List audit rows: administrators see all, others the rows that they own or answered."""
    with decode_cursor(query.after) as cursor:
        found, after = await service.gate.audit(
            principal,
            _to_audit_filter(query),
            limit=query.limit,
            after=cursor,
            newest_first=query.order == "newest",
        )
    if query.calls == "false":
        return {"items": [link_to_json(one) for one in found], "next": encode_next_cursor(after)}
    records = await call_records(partial(service.gate.excerpt, principal), found)
    rows = [row_to_json(one, records.get(one.entry.approval), answers=False, calls=True) for one in found]
    return {"items": [cast("shapes.LinkJson", row) for row in rows], "next": encode_next_cursor(after)}


@router.get("/tally", name="tally")
async def count_decisions(query: TallyQuery, principal: Member, service: Service) -> TallyJson:
    """Count decisions and questions: administrators see all, others those of their own calls."""
    audit_filter = AuditFilter(**query.model_dump(exclude={"bucket"}))
    return tally_to_json(await service.gate.tally(principal, audit_filter, span=query.bucket))


@router.get("/export", responses=_EXPORT_RESPONSES, name="export")
async def export_audit_rows(query: ExportQuery, principal: Member, service: Service) -> Response:
    """Export the rows, oldest first, as JSON Lines or CSV."""
    kind = query.format
    look = partial(service.gate.excerpt, principal) if query.calls == "true" else None
    rows = _export_rows(service, principal, _to_audit_filter(query), kind, look)
    # Read the first rows before the reply starts, so that a store error becomes a problem.
    first = await anext(rows)
    headers = {"content-disposition": f'attachment; filename="audit.{kind}"', "cache-control": "no-store"}
    return StreamingResponse(
        _prepend_to_rows(first, rows), headers=headers, media_type=_EXPORT_MEDIA_TYPES[kind]
    )


async def _prepend_to_rows(first: str, rows: AsyncGenerator[str]) -> AsyncGenerator[str]:
    yield first
    async for part in rows:
        yield part


async def _export_rows(
    service: Service,
    principal: Principal,
    audit_filter: AuditFilter,
    kind: str,
    look: Callable[[str], Awaitable[Excerpt]] | None,
) -> AsyncGenerator[str]:
    out = io.StringIO()
    write = row_writer(out, kind, answers=audit_filter.answers, calls=look is not None)
    after = ""
    while True:
        links, after = await service.gate.audit(
            principal, audit_filter, limit=_EXPORT_BATCH_ROWS, after=after
        )
        records: Mapping[str, CallRecord] = {} if look is None else await call_records(look, links)
        for link in links:
            write(link, records.get(link.entry.approval))
        yield out.getvalue()
        out.seek(0)
        out.truncate()
        if not after:
            return


def _to_audit_filter(query: AuditRowQuery) -> AuditFilter:
    return AuditFilter(
        agent=query.agent,
        user=query.user,
        conversation=query.conversation,
        tool=query.tool,
        verdict=query.verdict,
        decision=query.decision,
        since=query.since,
        until=query.until,
        answers=query.view == "approvals",
        changes=query.view == "changes",
    )
