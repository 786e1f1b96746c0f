"""The control protocol: each question gets one answer, a cancelled one is withdrawn, a failure denies."""

import asyncio
import json
from collections.abc import Mapping

from assent.hosts.claude.control import ControlSession, question_note, suggested_rules
from tests.waiting import run_ready_tasks

SUGGESTIONS = [
    {"type": "addRules", "rules": [{"toolName": "Bash", "ruleContent": "npm test:*"}, {"toolName": "Read"}]},
    {"type": "setMode", "mode": "acceptEdits"},
    "odd",
]


def permission_request(id: str, **more: object) -> dict[str, object]:
    request = {
        "subtype": "can_use_tool",
        "tool_name": "Bash",
        "input": {"command": "ls"},
        "tool_use_id": "t",
        **more,
    }
    return {"type": "control_request", "request_id": id, "request": request}


async def test_a_question_is_answered_and_the_end_is_seen() -> None:
    sent: list[Mapping[str, object]] = []
    notes: list[str] = []

    async def answer_call(call: Mapping[str, object]) -> str:
        assert call == {"tool_name": "Bash", "input": {"command": "ls"}, "tool_use_id": "t"}
        return json.dumps({"behavior": "allow", "updatedInput": {}})

    session = ControlSession(answer_call, sent.append, notes.append)
    session.begin("hello")
    assert (
        session.handle_message(
            permission_request("1", decision_reason="a rule\x1b", permission_suggestions=SUGGESTIONS)
        )
        is False
    )
    await run_ready_tasks()

    assert sent[-1] == {
        "type": "control_response",
        "response": {
            "subtype": "success",
            "request_id": "1",
            "response": {"behavior": "allow", "updatedInput": {}},
        },
    }
    assert [message["type"] for message in sent[:2]] == ["control_request", "user"]
    assert "Claude Code asks because: a rule" in notes[0]
    assert "\x1b" not in notes[0]
    assert session.handle_message({"type": "result", "result": "done"}) is True
    assert session.result == "done"


async def test_a_cancelled_question_is_cancelled_and_gets_no_answer() -> None:
    sent: list[Mapping[str, object]] = []
    cancelled: list[str] = []

    async def answer_call(call: Mapping[str, object]) -> str:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.append(str(call["tool_use_id"]))
            raise
        return ""

    session = ControlSession(answer_call, sent.append, lambda _: None)
    session.handle_message(permission_request("1"))
    session.handle_message(permission_request("2", tool_use_id="other"))
    await run_ready_tasks()
    session.handle_message({"type": "control_cancel_request", "request_id": "1"})
    session.handle_message({"type": "control_cancel_request", "request_id": "unknown"})
    await run_ready_tasks()

    assert cancelled == ["t"]
    await session.close()
    assert cancelled == ["t", "other"]
    assert sent == []


async def test_a_failure_denies() -> None:
    sent: list[Mapping[str, object]] = []

    async def answer_call(call: Mapping[str, object]) -> str:
        raise RuntimeError("oops")

    session = ControlSession(answer_call, sent.append, lambda _: None)
    session.handle_message(permission_request("1"))
    session.handle_message({"type": "control_request", "request_id": "2", "request": {"subtype": "other"}})
    session.handle_message({"type": "control_request", "request_id": "3"})
    await run_ready_tasks()

    assert len(sent) == 1
    assert "deny" in json.dumps(sent[0])


def test_suggestions_are_read_whatever_they_hold() -> None:
    assert suggested_rules(SUGGESTIONS) == ["Bash(npm test:*)", "Read"]
    assert (
        suggested_rules(None) == suggested_rules([{"rules": "x"}]) == suggested_rules([{"rules": [3]}]) == []
    )
    assert question_note({}) == ""
