"""`/v1/audit`: what was decided and answered, to look through and to take along."""

import io
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.responses import StreamingResponse

from assent.gate.access import Principal
from assent.gate.approval import Excerpt
from assent.gate.audit import Sought
from assent.gate.history import CallRecord, call_records
from assent.surfaces.http.models.audit import AuditAsked, AuditShown, ExportAsked, RowsAsked
from assent.surfaces.http.models.tally import TallyAsked, TallyShown
from assent.surfaces.http.paging import page, place_of
from assent.surfaces.http.reply import Json
from assent.surfaces.http.service import Service
from assent.surfaces.http.serving import Serving
from assent.surfaces.http.strict import StrictRoute
from assent.surfaces.http.who import Member
from assent.wire.audit import link_to_json, row_to_json, row_writer, tally_to_json

router = APIRouter(prefix="/v1/audit", tags=["audit"], route_class=StrictRoute)
_AT_ONCE = 500
_KINDS = {"jsonl": "application/jsonl", "csv": "text/csv; charset=utf-8"}
_CONTENT: dict[str, Any] = {"application/jsonl": {}, "text/csv": {}}


@router.get("", response_model=AuditShown)
async def find(asked: Annotated[AuditAsked, Query()], principal: Member, service: Serving) -> Json:
    """A page of the audit: for administrators all of it, for others what they owned or answered."""
    with place_of(asked.after) as place:
        found, after = await service.gate.audit(
            principal, _sought(asked), limit=asked.limit, after=place, newest_first=asked.order == "newest"
        )
    if asked.calls == "false":
        return page([link_to_json(one) for one in found], after)
    records = await call_records(partial(service.gate.excerpt, principal), found)
    called = [(one, records.get(one.entry.approval)) for one in found]
    return page([row_to_json(link, record, answers=False, calls=True) for link, record in called], after)


@router.get("/tally", response_model=TallyShown)
async def tally(asked: Annotated[TallyAsked, Query()], principal: Member, service: Serving) -> Json:
    """What the audit adds up to: for administrators all of it, for others the calls that they own."""
    said = asked.model_dump(exclude={"bucket"})
    return Json(tally_to_json(await service.gate.tally(principal, Sought(**said), span=asked.bucket)))


@router.get("/export", response_class=StreamingResponse, responses={200: {"content": _CONTENT}})
async def export(
    asked: Annotated[ExportAsked, Query()], principal: Member, service: Serving
) -> StreamingResponse:
    """Every row that is meant, oldest first, as JSON Lines or for a spreadsheet."""
    kind = asked.format
    look = partial(service.gate.excerpt, principal) if asked.calls == "true" else None
    rows = _rows(service, principal, _sought(asked), kind, look)
    # The first part before anything is sent: a store that cannot be read is a problem, not half a file.
    first = await anext(rows)
    headers = {"content-disposition": f'attachment; filename="audit.{kind}"', "cache-control": "no-store"}
    return StreamingResponse(_after(first, rows), headers=headers, media_type=_KINDS[kind])


async def _after(first: str, rows: AsyncGenerator[str]) -> AsyncGenerator[str]:
    yield first
    async for part in rows:
        yield part


async def _rows(
    service: Service,
    principal: Principal,
    sought: Sought,
    kind: str,
    look: Callable[[str], Awaitable[Excerpt]] | None,
) -> AsyncGenerator[str]:
    out = io.StringIO()
    write = row_writer(out, kind, answers=sought.answers, calls=look is not None)
    after = ""
    while True:
        links, after = await service.gate.audit(principal, sought, limit=_AT_ONCE, after=after)
        records: Mapping[str, CallRecord] = {} if look is None else await call_records(look, links)
        for link in links:
            write(link, records.get(link.entry.approval))
        yield out.getvalue()
        out.seek(0)
        out.truncate()
        if not after:
            return


def _sought(asked: RowsAsked) -> Sought:
    return Sought(
        agent=asked.agent,
        user=asked.user,
        conversation=asked.conversation,
        tool=asked.tool,
        verdict=asked.verdict,
        decision=asked.decision,
        since=asked.since,
        until=asked.until,
        answers=asked.view == "approvals",
        changes=asked.view == "changes",
    )
