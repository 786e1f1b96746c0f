"""A model endpoint on loopback that answers Claude Code from a script, so that tests need no model.

A script is a list of turns; a turn is a list of tool calls, or a text that ends the conversation.
The first message of a conversation names its script as `SCRIPT:name`.
"""

import json
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self, TypedDict, cast


class ToolCall(TypedDict):
    """One tool call of a script."""

    name: str
    input: Mapping[str, object]


Turn = Sequence[ToolCall] | str
Script = Sequence[Turn]
Json = dict[str, object]

_SCRIPT = re.compile(r"SCRIPT:([a-z0-9_-]+)")
_MODEL = "scripted-model"
_USAGE = {"input_tokens": 1, "output_tokens": 1}


class ScriptedModel:
    """The endpoint; use it as a context manager."""

    def __init__(self, scripts: Mapping[str, Script]) -> None:
        self.scripts = scripts
        self.requests: list[Json] = []
        """The bodies of all requests for a message, in the order in which they came."""
        self._server = _Server(self)

    @property
    def url(self) -> str:
        """The address for ANTHROPIC_BASE_URL."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    def message(self, request: Json) -> Json:
        """The reply to a request: the next turn of its script."""
        self.requests.append(request)
        turn = self._next_turn(request)
        blocks = [{"type": "text", "text": turn}] if isinstance(turn, str) else self._tool_blocks(turn)
        return {
            "id": f"msg_{len(self.requests):06}",
            "type": "message",
            "role": "assistant",
            "model": _MODEL,
            "content": blocks,
            "stop_reason": "end_turn" if isinstance(turn, str) else "tool_use",
            "stop_sequence": None,
            "usage": _USAGE,
        }

    def _tool_blocks(self, calls: Sequence[ToolCall]) -> list[Json]:
        number = len(self.requests)
        return [
            {"type": "tool_use", "id": f"toolu_{number:06}_{index}", **call}
            for index, call in enumerate(calls)
        ]

    def _next_turn(self, request: Json) -> Turn:
        messages = cast("list[Json]", request.get("messages") or [])
        named = _SCRIPT.search(json.dumps(messages[0])) if messages else None
        if named is None or not request.get("tools"):
            return "ok"  # the client also asks for titles and summaries
        done = sum(message.get("role") == "assistant" for message in messages)
        script = self.scripts[named[1]]
        return script[done] if done < len(script) else "done"


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, model: ScriptedModel) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.model = model


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = cast("Json", json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}"))
        if self.path.split("?")[0] != "/v1/messages":
            self._send_reply("application/json", b'{"input_tokens": 1}')
            return
        message = cast("_Server", self.server).model.message(body)
        if body.get("stream"):
            self._send_reply("text/event-stream", b"".join(_event_stream_bytes(message)))
        else:
            self._send_reply("application/json", json.dumps(message).encode())

    def do_GET(self) -> None:
        self._send_reply("application/json", b"{}")

    def do_HEAD(self) -> None:
        self._send_reply("application/json", b"")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the signature is the library's
        """Print nothing."""

    def _send_reply(self, kind: str, data: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def _event_stream_bytes(message: Json) -> Iterator[bytes]:
    """The events of a streamed message."""
    yield _event_bytes("message_start", message={**message, "content": [], "stop_reason": None})
    for index, block in enumerate(cast("list[Json]", message["content"])):
        if block["type"] == "text":
            start, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            start = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield _event_bytes("content_block_start", index=index, content_block=start)
        yield _event_bytes("content_block_delta", index=index, delta=delta)
        yield _event_bytes("content_block_stop", index=index)
    ending = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield _event_bytes("message_delta", delta=ending, usage=_USAGE)
    yield _event_bytes("message_stop")


def _event_bytes(name: str, **fields: object) -> bytes:
    return f"event: {name}\ndata: {json.dumps({'type': name, **fields})}\n\n".encode()
