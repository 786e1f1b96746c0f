"""Idempotency keys: a repeated request with the same key creates nothing new."""

import hashlib
import json
from collections.abc import Awaitable, Callable
from typing import Annotated, TypeVar, cast

from pydantic import StringConstraints

from assent.gate.access import Principal
from assent.gate.people import StoredReply
from assent.surfaces.http.api.bodies import StrictRequest, to_ascii_json
from assent.surfaces.http.api.routing import Header
from assent.surfaces.http.api.service import Service

T = TypeVar("T")
_CREATED = 201
KeyText = Annotated[str, StringConstraints(pattern=r"^[!-~]{1,128}$")]
IdempotencyKey = Annotated[KeyText | None, Header("Idempotency-Key")]


async def run_once(
    service: Service,
    principal: Principal,
    request: StrictRequest,
    key: str | None,
    create: Callable[[], Awaitable[T]],
) -> T:
    """Run `create` once per key; a repeated request gets the first reply. A failed request can be retried."""
    if key is None:
        return await create()
    requests, sender = service.authenticator.people.requests, f"{principal.kind} {principal.id}"
    stored = await requests.begin_request(sender, key, await _request_digest(request))
    if stored is not None:
        return cast("T", json.loads(stored.body))
    try:
        reply = await create()
    except BaseException:
        await requests.save_reply(sender, key, None)
        raise
    await requests.save_reply(sender, key, StoredReply(_CREATED, to_ascii_json(reply)))
    return reply


async def _request_digest(request: StrictRequest) -> str:
    words = (request.method, request.url.path, await request.body())
    return hashlib.sha256(repr(words).encode()).hexdigest()
