"""A model endpoint on loopback with OpenAI's API, which follows a script and records all requests."""

import json
import threading
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Call = tuple[str, Mapping[str, object]]
Script = Callable[[list[dict[str, Any]]], "str | list[Call]"]
"""Returns the model's answer to these messages: a text, or calls."""


class Endpoint:
    """The requests that the model endpoint received."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.requests: list[dict[str, Any]] = []
        self.url = ""
        self._calls = 0

    def config(self) -> str:
        return f'[chat]\nmodel = "openai:scripted"\nbase_url = "{self.url}"\n'

    def reply_to(self, body: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """The pieces of an answer, each as it is streamed."""
        self.requests.append(body)
        said = self.script(body["messages"])
        yield {"role": "assistant", "content": ""}
        if isinstance(said, str):
            for word in said.split(" "):
                yield {"content": f"{word} "}
            return
        for index, (tool, args) in enumerate(said):
            self._calls += 1
            text = json.dumps(args)
            named = {"name": tool, "arguments": text[:3]}
            yield {"tool_calls": [_tool_call_delta(index, named, id=f"call_{self._calls}", type="function")]}
            yield {"tool_calls": [_tool_call_delta(index, {"arguments": text[3:]})]}


def _tool_call_delta(index: int, function: dict[str, str], **more: str) -> dict[str, object]:
    return {"index": index, **more, "function": function}


@contextmanager
def run_endpoint(script: Script) -> Generator[Endpoint]:
    """Run an endpoint during a test."""
    endpoint = Endpoint(script)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.end_headers()
            calls = False
            for delta in endpoint.reply_to(body):
                calls = calls or "tool_calls" in delta
                self._send_event({"delta": delta, "finish_reason": None})
            self._send_event({"delta": {}, "finish_reason": "tool_calls" if calls else "stop"})
            self.wfile.write(b"data: [DONE]\n\n")

        def _send_event(self, choice: dict[str, object]) -> None:
            data = {
                "id": "c1",
                "object": "chat.completion.chunk",
                "created": 1,
                "model": "scripted",
                "choices": [{"index": 0, **choice}],
            }
            self.wfile.write(f"data: {json.dumps(data)}\n\n".encode())
            self.wfile.flush()

        def log_message(self, *args: object) -> None:
            """Logs nothing, because the requests are recorded."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    endpoint.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield endpoint
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def tool_results(messages: list[dict[str, Any]]) -> list[str]:
    """The results of calls that the model got since the last user message."""
    last = max(index for index, one in enumerate(messages) if one["role"] == "user")
    return [str(one["content"]) for one in messages[last:] if one["role"] == "tool"]
