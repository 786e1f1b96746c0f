"""The runs of a conversation as clients see them: a stream of chunks, or complete messages."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from typing import cast

from assent.compose import FullStore
from assent.gate.approval import Approval, State
from assent.gate.conversation import ChatRun, LogKind, RunStatus
from assent.hosts.chat import chunk
from assent.hosts.chat.chunk import CARD_CHUNK_TYPE, Chunk
from assent.hosts.chat.request import Message, Part, user_message
from assent.hosts.chat.run_log import UNFINISHED_STATUSES, RunLog, chunks_from_lines

_POLL_SECONDS = 0.25
"""Maximum seconds between two reads of a log that another process writes."""
_SHOWN_LINE_KINDS = (LogKind.CHUNKS, LogKind.VOID)


class RunView:
    """Reads runs of this process from memory, and runs of other processes from the store."""

    def __init__(self, store: FullStore, logs: Mapping[str, RunLog]) -> None:
        self._store = store
        self._logs = logs

    async def follow_run(self, run: ChatRun, *, from_start: bool) -> AsyncIterator[Chunk]:
        """Yield a run's chunks until it ends or is suspended, from its start or from its last resume."""
        log = self._logs.get(run.id)
        if log is not None:
            chunks = log.follow_chunks(0 if from_start else _last_start_position(log.chunks))
        else:
            chunks = self._follow_other_process(run, from_start=from_start)
        is_first = True
        async for one in chunks:
            # A client accepts only one `start` chunk per stream.
            if one["type"] != "start" or is_first:
                yield one
            is_first = False

    async def list_messages(self, runs: Sequence[ChatRun], *, live: bool) -> list[Message]:
        """The user's and the assistant's message of each run; unfinished answers only with `live`."""
        lines = await self._store.log_lines([run.id for run in runs], kinds=_SHOWN_LINE_KINDS)
        messages: list[Message] = []
        for run in runs:
            messages.append(user_message(run))
            if run.status is not RunStatus.RUNNING or live:
                log = self._logs.get(run.id)
                own_lines = [line for line in lines if line.run == run.id]
                chunks = chunks_from_lines(own_lines) if log is None else log.chunks
                messages.append(assistant_message(run, await self._with_current_cards(run, chunks)))
        return messages

    async def _follow_other_process(self, run: ChatRun, *, from_start: bool) -> AsyncIterator[Chunk]:
        after, is_first = 0, True
        while True:
            change_count = self._store.change_count
            course = (await self._store.chat_run(run.id)).status
            lines = await self._store.log_lines([run.id], after=after, kinds=_SHOWN_LINE_KINDS)
            chunks = chunks_from_lines(lines)
            for one in chunks if from_start or not is_first else chunks[_last_start_position(chunks) :]:
                yield one
            after, is_first = max((line.number + 1 for line in lines), default=after), False
            if course is not RunStatus.RUNNING:
                return
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_POLL_SECONDS):
                    await self._store.wait_for_change(change_count)

    async def _with_current_cards(self, run: ChatRun, chunks: Sequence[Chunk]) -> Sequence[Chunk]:
        """The chunks, followed by the current card of each question that they show as open."""
        if run.status not in UNFINISHED_STATUSES:
            return chunks
        cards: list[Chunk] = []
        for id, call in pending_questions(chunks).items():
            approval = await self._store.approval(id)
            if approval.state is not State.PENDING:
                cards.append(chunk.approval_card_chunk(call, approval))
        return [*chunks, *cards]


async def waiting_chunks(run: ChatRun, questions: Sequence[Approval]) -> AsyncIterator[Chunk]:
    """The stream of a suspended run: only its open questions."""
    yield chunk.run_start_chunk(run.id)
    for approval in questions:
        yield chunk.approval_card_chunk(approval.call.id, approval)
        yield chunk.approval_request_chunk(approval.call.id, approval)
    yield chunk.stream_end_chunk()


def assistant_message(run: ChatRun, chunks: Sequence[Chunk]) -> Message:
    """The assistant's message of a run, built from the chunks shown so far."""
    metadata = {"course": run.status.value, "model": run.model}
    if run.replaced_by:
        metadata["replaced_by"] = run.replaced_by
    return {"id": run.id, "role": "assistant", "metadata": metadata, "parts": parts_from_chunks(chunks)}


def parts_from_chunks(chunks: Iterable[Chunk]) -> list[Part]:
    """Build the parts of a message; each part has the state of its last chunk."""
    builder = _MessageBuilder()
    for one in chunks:
        builder.add_chunk(one)
    return builder.parts


def pending_questions(chunks: Iterable[Chunk]) -> Mapping[str, str]:
    """Maps the id of each question that is shown as open to the id of its call."""
    shown: dict[str, str] = {}
    for one in chunks:
        if one["type"] == CARD_CHUNK_TYPE:
            data = cast("Part", one["data"])
            shown[str(one["id"])] = str(data["toolCallId"]) if data["state"] == State.PENDING else ""
    return {id: call for id, call in shown.items() if call}


def _last_start_position(chunks: Sequence[Chunk]) -> int:
    starts = [position for position, one in enumerate(chunks) if one["type"] == "start"]
    return starts[-1] if starts else 0


class _MessageBuilder:
    """Builds the parts of a message the way the AI SDK's client does."""

    def __init__(self) -> None:
        self.parts: list[Part] = []
        self._texts: dict[str, Part] = {}
        self._calls: dict[str, Part] = {}
        self._cards: dict[str, Part] = {}

    def add_chunk(self, chunk: Chunk) -> None:
        kind = str(chunk["type"])
        if kind == "start-step":
            self.parts.append({"type": "step-start"})
        elif kind.startswith(("text-", "reasoning-")):
            self._add_text(kind, chunk)
        elif kind == "tool-approval-response":
            self._add_approval_answer(chunk)
        elif kind.startswith("tool-"):
            self._add_call(kind, chunk)
        elif kind == CARD_CHUNK_TYPE:
            self._add_approval_card(chunk)

    def _add_text(self, chunk_type: str, chunk: Chunk) -> None:
        kind, _, event = chunk_type.partition("-")
        id = f"{kind} {chunk['id']}"
        if event == "start":
            self._texts[id] = self._append_part({"type": kind, "text": "", "state": "streaming"})
        elif event == "delta":
            self._texts[id]["text"] = f"{self._texts[id]['text']}{chunk['delta']}"
        else:
            self._texts[id]["state"] = "done"

    def _add_call(self, kind: str, chunk: Chunk) -> None:
        id = str(chunk["toolCallId"])
        if id not in self._calls:
            added: Part = {
                "type": f"tool-{chunk.get('toolName', '')}",
                "toolCallId": id,
                "state": "input-streaming",
            }
            self._calls[id] = self._append_part(added)
        part = self._calls[id]
        match kind:
            case "tool-input-available":
                title = {"title": chunk["title"]} if "title" in chunk else {}
                part |= {"state": "input-available", "input": chunk["input"], **title}
            case "tool-input-error":
                part |= {"state": "output-error", "input": chunk["input"], "errorText": chunk["errorText"]}
            case "tool-approval-request":
                part |= {"state": "approval-requested", "approval": {"id": chunk["approvalId"]}}
            case "tool-output-available":
                part |= {"state": "output-available", "output": chunk["output"]}
            case "tool-output-error":
                part |= {"state": "output-error", "errorText": chunk["errorText"]}
            case "tool-output-denied":
                part |= {"state": "output-denied"}
            case _:
                pass

    def _add_approval_answer(self, chunk: Chunk) -> None:
        answer = {name: chunk[name] for name in ("approved", "reason") if name in chunk}
        for part in self._calls.values():
            question = cast("Part", part.get("approval", {"id": None}))
            if question["id"] == chunk["approvalId"]:
                part["state"] = "approval-responded"
                part["approval"] = question | answer

    def _add_approval_card(self, chunk: Chunk) -> None:
        id = str(chunk["id"])
        if id not in self._cards:
            self._cards[id] = self._append_part({"type": CARD_CHUNK_TYPE, "id": id})
        self._cards[id]["data"] = chunk["data"]

    def _append_part(self, part: Part) -> Part:
        self.parts.append(part)
        return part
