"""The control protocol of Claude Code: answers its questions, and withdraws those that it cancels."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import cast

from assent.engine.base.characters import to_visible
from assent.hosts.claude.permission_reply import deny_reply

Json = Mapping[str, object]
Ask = Callable[[Json], Awaitable[str]]
"""Answers `{tool_name, input, tool_use_id}` with the JSON text of the prompt tool's reply."""


class ControlSession:
    """A conversation with a client; `send` writes one message, and `report` prints a line for the person."""

    def __init__(self, ask: Ask, send: Callable[[Json], None], report: Callable[[str], None]) -> None:
        self._ask = ask
        self._send = send
        self._report = report
        self._open: dict[str, asyncio.Task[None]] = {}
        self.result = ""
        """The client's last text."""

    def begin(self, prompt: str) -> None:
        """Send the first messages."""
        self._send(
            {
                "type": "control_request",
                "request_id": "start",
                "request": {"subtype": "initialize", "hooks": None},
            }
        )
        message = {"role": "user", "content": prompt}
        self._send({"type": "user", "message": message, "parent_tool_use_id": None, "session_id": ""})

    def handle_message(self, message: Json) -> bool:
        """Handle one message of the client; return whether it was the last one."""
        match message.get("type"):
            case "control_request":
                self._handle_request(message)
            case "control_cancel_request":
                task = self._open.pop(str(message.get("request_id")), None)
                if task is not None:
                    task.cancel()
            case "result":
                self.result = str(message.get("result") or "")
                return True
            case _:
                pass
        return False

    async def close(self) -> None:
        """Cancel the open questions, which withdraws them."""
        tasks = list(self._open.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _handle_request(self, message: Json) -> None:
        request = message.get("request")
        id_ = str(message.get("request_id"))
        if not isinstance(request, dict) or cast("Json", request).get("subtype") != "can_use_tool":
            return
        asked = cast("Json", request)
        if note := question_note(asked):
            self._report(note)
        self._open[id_] = asyncio.create_task(self._answer_request(id_, asked), name=f"assent question {id_}")

    async def _answer_request(self, id: str, asked: Json) -> None:
        call = {name: asked.get(name) for name in ("tool_name", "input", "tool_use_id")}
        try:
            reply = await self._ask(call)
        except Exception as error:  # noqa: BLE001 - the edge: a failure is a denial
            reply = deny_reply(f"Assent could not decide this call ({type(error).__name__})")
        with suppress(KeyError):
            del self._open[id]
        response = {"subtype": "success", "request_id": id, "response": json.loads(reply)}
        self._send({"type": "control_response", "response": response})


def question_note(asked: Json) -> str:
    """Why the client asks and which rules it suggests, in one line; empty if it gives neither."""
    reason = str(asked.get("decision_reason") or "")
    rules = suggested_rules(asked.get("permission_suggestions"))
    parts = [
        *([f"Claude Code asks because: {reason}"] if reason else []),
        *([f"it suggests for always: {', '.join(rules)}"] if rules else []),
    ]
    return to_visible("; ".join(parts))


def suggested_rules(suggestions: object) -> list[str]:
    """The allow rules that the client suggests, as `Tool` or `Tool(specifier)`."""
    found: list[str] = []
    for update in cast("list[object]", suggestions) if isinstance(suggestions, list) else []:
        rules = cast("Json", update).get("rules") if isinstance(update, dict) else None
        for rule in cast("list[object]", rules) if isinstance(rules, list) else []:
            fields = cast("Json", rule) if isinstance(rule, dict) else dict[str, object]()
            tool, content = fields.get("toolName"), fields.get("ruleContent")
            if isinstance(tool, str):
                found.append(f"{tool}({content})" if content else tool)
    return found
