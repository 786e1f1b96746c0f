"""`/v1/hooks`: answer the hook events of other programs with what their hook process prints.

A reply has one line per thing to do: `out` and `err` are printed, and `exit` ends the process with the
status 0 or 2. Only a reply with an `exit` line is complete. While a person is asked, the first line is
`waiting` with the id of the question, and `alive` follows regularly.
"""

import asyncio
import itertools
import os
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import replace
from typing import Annotated

from pydantic import StringConstraints
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from assent.config.paths import find_home
from assent.errors import AssentError, InputError, StoreError
from assent.gate.access import Principal
from assent.hosts.hook.claude import HookEvent, HookReply, failure_reply, read_event
from assent.hosts.hook.gate_events import HookCaller, HookEvents, HookQuestion
from assent.surfaces.http.api.access import Caller, check_still_authenticated
from assent.surfaces.http.api.bodies import LARGE_BODY_BYTES, StrictRequest
from assent.surfaces.http.api.fields import GeneratedId
from assent.surfaces.http.api.problems import ProblemError
from assent.surfaces.http.api.routing import Header, Router
from assent.surfaces.http.api.service import OVERLOAD_HEADERS, OVERLOAD_MESSAGE, Service

ALIVE_SECONDS = 10.0
"""Seconds between two signs of life while a person is asked."""
ALIVE_LINE = "alive a person is asked and has not answered yet\n"
"""A sign of life; long enough that curl does not take the connection for a stalled one."""
RENEWAL_SIGNS = 3
"""Signs of life between two renewals of the question's lease."""
SEND_TIMEOUT = 10.0
"""Seconds in which a hook must accept a line; a slower hook is disconnected and can attach again."""
HOOK_VERSION = "1"
"""The version of the lines between hook process and server."""
_HEADERS = {"cache-control": "no-store", "x-accel-buffering": "no"}
_TEXT_RESPONSES: Mapping[int, Mapping[str, object]] = {200: {"content": {"text/plain": {}}}}

router = Router("/v1/hooks", "hooks")

HookVersion = Annotated[str | None, Header("Assent-Hook")]
HookDefers = Annotated[str | None, Header("Assent-Defer")]
HookNonce = Annotated[
    Annotated[str, StringConstraints(pattern=r"^[!-~]{16,128}$")] | None, Header("Assent-Nonce")
]


@router.post("/claude", responses=_TEXT_RESPONSES, name="claude")
async def answer_event(
    request: StrictRequest,
    principal: Caller,
    service: Service,
    version: HookVersion,
    nonce: HookNonce,
    defers: HookDefers,
) -> Response:
    """Answer an event of Claude Code; if a person is asked, the reply is a stream that ends later."""
    try:
        _check_version(version)
        event = await _read_event(request)
        caller = replace(
            _hook_caller(request, principal, nonce),
            defers=defers == "1",
            shares_files=event.is_new_session and shares_files(getattr(request.state, "peer", 0)),
        )
        found = await _hook_events(service).answer(caller, event)
    except (AssentError, ClientDisconnect) as error:
        return _to_response(_failure_reply(error))
    if isinstance(found, HookReply):
        return _to_response(found)
    return _stream_response(service, request, found)


@router.post("/claude/{id:generated}/wait", responses=_TEXT_RESPONSES, name="attach")
async def attach_to_question(
    id: GeneratedId, request: StrictRequest, principal: Caller, service: Service, nonce: HookNonce
) -> Response:
    """Wait again for a question of a hook whose connection was lost; the reply is the same stream."""
    question = await _hook_events(service).attach(_hook_caller(request, principal, nonce), id)
    return _stream_response(service, request, question)


class QuestionStream(Response):
    """The lines of a question, until its answer, or until the hook or the server leaves."""

    media_type = "text/plain"

    def __init__(self, service: Service, request: StrictRequest, question: HookQuestion) -> None:
        super().__init__(headers=_HEADERS)
        self._service = service
        self._request = request
        self._question = question
        del self.headers["content-length"]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - ASGI's shape
        """Send lines until the stream is over; a stream without `exit` lets the hook attach again."""
        start = {"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers}
        await send(start)
        sending = asyncio.create_task(self._send_lines(send))
        leaving = asyncio.create_task(_wait_for_disconnect(receive))
        with self._service.long_requests.count_open_request():
            try:
                await asyncio.wait((sending, leaving), return_when=asyncio.FIRST_COMPLETED)
            finally:
                for task in (sending, leaving):
                    task.cancel()
                await asyncio.gather(sending, leaving, return_exceptions=True)

    async def _send_lines(self, send: Send) -> None:
        async with aclosing(self._reply_lines()) as lines:
            async for line in lines:
                async with asyncio.timeout(SEND_TIMEOUT):
                    await send({"type": "http.response.body", "body": line.encode(), "more_body": True})
        await send({"type": "http.response.body", "body": b""})

    async def _reply_lines(self) -> AsyncGenerator[str]:
        yield f"waiting {self._question.id}\n"
        for count in itertools.count():
            try:
                if count % RENEWAL_SIGNS == 0:
                    await self._question.renew()
                await self._watch_question()
                if self._service.stopping.is_set():
                    return
                await check_still_authenticated(self._service, self._request)
                reply = await self._question.reply()
            except StoreError:
                return  # The hook attaches again, and the store may work then.
            except (AssentError, ProblemError) as error:
                reply = _failure_reply(error)
            if reply is not None:
                yield reply.to_lines()
                return
            yield ALIVE_LINE

    async def _watch_question(self) -> None:
        """Wait until the question may be answered, a sign of life is due, or the server stops."""
        stopping = asyncio.ensure_future(self._service.stopping.wait())
        answered = asyncio.ensure_future(self._question.watch(ALIVE_SECONDS))
        try:
            await asyncio.wait({stopping, answered}, return_when=asyncio.FIRST_COMPLETED)
            if answered.done():
                answered.result()
        finally:
            stopping.cancel()
            answered.cancel()


def _hook_events(service: Service) -> HookEvents:
    return HookEvents(service.gate, service.carried_answers)


def _hook_caller(request: StrictRequest, principal: Principal, nonce: str | None) -> HookCaller:
    token = request.state.credential.id
    return HookCaller(principal=principal, token=token, nonce=nonce or "", home=find_home())


def _check_version(version: str | None) -> None:
    if version != HOOK_VERSION:
        shown = ascii(version or "")[1:33]
        raise InputError(
            f"the hook has version `{shown}`, the server {HOOK_VERSION}; run `assent hook install` again"
        )


async def _read_event(request: StrictRequest) -> HookEvent:
    data = await request.body()
    return await asyncio.to_thread(read_event, data) if len(data) > LARGE_BODY_BYTES else read_event(data)


def _failure_reply(error: Exception) -> HookReply:
    is_internal = isinstance(error, StoreError)
    return failure_reply("the server cannot decide it now; try again later" if is_internal else str(error))


def _to_response(reply: HookReply) -> Response:
    return Response(reply.to_lines(), headers={"cache-control": "no-store"}, media_type="text/plain")


def _stream_response(service: Service, request: StrictRequest, question: HookQuestion) -> Response:
    if not service.long_requests.can_start_request:
        raise ProblemError(503, OVERLOAD_MESSAGE, headers=OVERLOAD_HEADERS)
    return QuestionStream(service, request, question)


async def _wait_for_disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def shares_files(process: int) -> bool:
    """Whether a running process sees the same file system as this one: the same mounts and the same root."""
    try:
        same_mounts = os.readlink(f"/proc/{process}/ns/mnt") == os.readlink("/proc/self/ns/mnt")
        return same_mounts and os.path.samestat(os.stat(f"/proc/{process}/root"), os.stat("/proc/self/root"))
    except OSError:
        return False
