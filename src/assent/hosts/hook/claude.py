"""The hook events of Claude Code as values, and the replies that its hooks print; pure functions only.

Measured with client 2.1.325: a `PreToolUse` hook blocks a call only by a valid `deny` or by exit status 2.
Every other failure of a hook lets the call go on, so each failure here is a reply with status 2.
"""

import json
import posixpath
from collections.abc import Mapping
from enum import StrEnum
from typing import cast

from assent.config.strictjson import read_object
from assent.engine.base.characters import to_visible
from assent.engine.base.tool import Call
from assent.engine.base.value import Value, replace
from assent.engine.policy.modes import Mode, mode_from_wire
from assent.engine.policy.verdict import Decision, Stage, Verdict
from assent.errors import InputError

AGENT = "claude"
"""The agent name of calls that come from Claude Code."""
BLOCKED = 2
"""The only exit status that stops a call."""

_NAME_CHARACTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.:-")
_MAX_NAME_LENGTH = 128
_MAX_ID_LENGTH = 256
_MAX_PATH_LENGTH = 4096
_MAX_REASON_LENGTH = 2000
_NEVER_ASKS = "dontAsk"
"""The client's mode in which every question is a denial."""
_FILE_TOOLS = frozenset({"Write", "Edit", "MultiEdit"})


class EventKind(StrEnum):
    """The events that we handle, by the client's names."""

    PRE_TOOL_USE = "PreToolUse"
    PERMISSION_REQUEST = "PermissionRequest"
    POST_TOOL_USE = "PostToolUse"
    POST_TOOL_USE_FAILURE = "PostToolUseFailure"
    SESSION_START = "SessionStart"
    SUBAGENT_START = "SubagentStart"
    SESSION_END = "SessionEnd"

    @property
    def has_call(self) -> bool:
        """Whether the event is about one tool call."""
        match self:
            case (
                EventKind.PRE_TOOL_USE
                | EventKind.PERMISSION_REQUEST
                | EventKind.POST_TOOL_USE
                | EventKind.POST_TOOL_USE_FAILURE
            ):
                return True
            case EventKind.SESSION_START | EventKind.SUBAGENT_START | EventKind.SESSION_END:
                return False


class HookEvent(Value):
    """One event, checked; a field that this kind of event does not have is empty."""

    kind: EventKind
    session: str
    cwd: str
    """The directory that the model changed to; the project may be another one."""
    permission_mode: str = ""
    """The client's own mode, as the client writes it."""
    prompt_id: str = ""
    tool: str = ""
    args: Mapping[str, object] = dict[str, object]()
    call_id: str = ""
    """Empty in `PermissionRequest`, which names no call."""
    agent_id: str = ""
    """The sub-agent that makes the call; empty for the main agent."""
    agent_type: str = ""
    error: str = ""
    """Why a call failed."""

    @property
    def mode(self) -> Mode:
        """The client's mode as ours; an unknown one is `default`."""
        return mode_from_wire(self.permission_mode)

    @property
    def is_attended(self) -> bool:
        """Whether the client's mode lets it ask; without a person, the client denies by itself."""
        return self.permission_mode != _NEVER_ASKS


class HookReply(Value):
    """What the hook process prints, and the status that it ends with."""

    status: int = 0
    out: str = ""
    err: str = ""


NO_DECISION = HookReply()
"""The client goes on by its own rules."""


def read_event(data: bytes) -> HookEvent:
    """Read an event as the client sends it; raises `InputError` for everything that we cannot hold."""
    fields = read_object(data, "the hook event")
    kind = _read_kind(fields)
    event = HookEvent(
        kind=kind,
        session=_read_id(fields, "session_id", required=True),
        cwd=_read_directory(fields),
        permission_mode=_read_id(fields, "permission_mode"),
        prompt_id=_read_id(fields, "prompt_id"),
        agent_id=_read_id(fields, "agent_id", required=kind is EventKind.SUBAGENT_START),
        agent_type=_read_id(fields, "agent_type"),
        error=_read_text(fields, "error")[:_MAX_REASON_LENGTH],
    )
    return _with_call(event, fields) if kind.has_call else event


def to_call(event: HookEvent) -> Call:
    """The call of an event; the session is its conversation."""
    return Call(
        tool=event.tool,
        args=event.args,
        id=event.call_id,
        agent=AGENT,
        conversation=event.session,
        cwd=event.cwd,
    )


def to_shell_call(call: Call) -> Call | None:
    """The call of `Bash` that does the same; rules for `Bash` also apply to it. None for other calls."""
    command = call.args.get("command")
    if call.tool != "Monitor" or not isinstance(command, str):
        return None
    return replace(call, tool="Bash", args={"command": command})


def is_plan_file(event: HookEvent, home: str) -> bool:
    """Whether a call in plan mode writes to the directory where the client keeps its plans.

    The client lets the model write one file there, and denies the others by itself.
    """
    path = event.args.get("file_path")
    return (
        event.mode is Mode.PLAN
        and event.tool in _FILE_TOOLS
        and isinstance(path, str)
        and posixpath.dirname(path) == posixpath.join(home, ".claude", "plans")
        and posixpath.basename(path).endswith(".md")
    )


def decision_reply(event: HookEvent, decision: Decision, *, approved: bool = False) -> HookReply:
    """The reply to an event for a decision about its call.

    `approved` states that a person said yes to exactly this call. Only then may `PermissionRequest` pass
    the client's own check of protected paths; a call that rules or a mode allow becomes the client's prompt.
    """
    match event.kind:
        case EventKind.PRE_TOOL_USE:
            return _pre_tool_use(event, decision)
        case EventKind.PERMISSION_REQUEST:
            return _permission_request(event, decision, approved=approved)
        case (
            EventKind.POST_TOOL_USE
            | EventKind.POST_TOOL_USE_FAILURE
            | EventKind.SESSION_START
            | EventKind.SUBAGENT_START
            | EventKind.SESSION_END
        ):
            return NO_DECISION


def failure_reply(sentence: str) -> HookReply:
    """The reply when nothing could be decided: the call is blocked, and the sentence says why."""
    return HookReply(status=BLOCKED, err=f"assent: this call is blocked: {_shorten(sentence)}\n")


def verdict_for_client(decision: Decision) -> Verdict:
    """The verdict as the client gets it: a tool that nobody declared is a question for the person."""
    match decision.verdict:
        case Verdict.RUN | Verdict.ASK | Verdict.DENY:
            return decision.verdict
        case Verdict.ABSENT:
            return Verdict.ASK if decision.stage is Stage.UNKNOWN else Verdict.DENY


_CLIENT_WORDS = {Verdict.RUN: "allow", Verdict.ASK: "ask", Verdict.DENY: "deny"}


def _pre_tool_use(event: HookEvent, decision: Decision) -> HookReply:
    verdict = verdict_for_client(decision)
    output = {
        "hookEventName": EventKind.PRE_TOOL_USE.value,
        "permissionDecision": _CLIENT_WORDS[verdict],
        "permissionDecisionReason": _reason(event, decision, verdict),
    }
    return _to_reply({"hookSpecificOutput": output})


def _permission_request(event: HookEvent, decision: Decision, *, approved: bool) -> HookReply:
    verdict = verdict_for_client(decision)
    if verdict is Verdict.DENY:
        answer = {"behavior": "deny", "message": _reason(event, decision, verdict)}
    elif approved:
        answer = {"behavior": "allow"}
    else:
        return NO_DECISION
    output = {"hookEventName": EventKind.PERMISSION_REQUEST.value, "decision": answer}
    return _to_reply({"hookSpecificOutput": output})


def _to_reply(reply: Mapping[str, object]) -> HookReply:
    return HookReply(out=json.dumps(reply) + "\n")


def _reason(event: HookEvent, decision: Decision, verdict: Verdict) -> str:
    """Our reason as the person or the model reads it."""
    because = _shorten(decision.because)
    if decision.stage is Stage.UNKNOWN:
        because = f"it does not know the tool `{event.tool}`; declare it under [tools] in a policy file"
    match verdict:
        case Verdict.RUN:
            return f"Assent allows this: {because}"
        case Verdict.ASK:
            return f"Assent asks: {because}"
        case Verdict.DENY | Verdict.ABSENT:
            return f"Assent denies this: {because}"


def _shorten(text: str) -> str:
    shown = to_visible(text)
    return shown if len(shown) <= _MAX_REASON_LENGTH else shown[:_MAX_REASON_LENGTH] + "…"


def _with_call(event: HookEvent, fields: Mapping[str, object]) -> HookEvent:
    has_id = event.kind is not EventKind.PERMISSION_REQUEST
    return replace(
        event,
        tool=_read_tool_name(fields),
        args=_read_arguments(fields),
        call_id=_read_id(fields, "tool_use_id", required=has_id),
    )


def _read_kind(fields: Mapping[str, object]) -> EventKind:
    name = _read_text(fields, "hook_event_name")
    try:
        return EventKind(name)
    except ValueError:
        shown = _shorten(name)[:_MAX_NAME_LENGTH] or "no event name"
        raise InputError(
            f"the hook event `{shown}` is unknown; Assent knows {', '.join(EventKind)}"
        ) from None


def _read_text(fields: Mapping[str, object], name: str) -> str:
    value = fields.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise InputError(f"`{name}` of the hook event is not a text")
    return value


def _read_id(fields: Mapping[str, object], name: str, *, required: bool = False) -> str:
    value = _read_text(fields, name)
    if len(value) > _MAX_ID_LENGTH:
        raise InputError(f"`{name}` of the hook event is longer than {_MAX_ID_LENGTH} characters")
    if required and not value:
        raise InputError(f"`{name}` of the hook event is missing")
    return value


def _read_directory(fields: Mapping[str, object]) -> str:
    directory = _read_text(fields, "cwd")
    if not directory.startswith("/") or "\0" in directory or len(directory) > _MAX_PATH_LENGTH:
        shown = _shorten(directory)[:_MAX_NAME_LENGTH]
        raise InputError(f"`cwd` of the hook event is not an absolute path: `{shown}`")
    return directory


def _read_tool_name(fields: Mapping[str, object]) -> str:
    name = _read_text(fields, "tool_name")
    if not name or len(name) > _MAX_NAME_LENGTH or not _NAME_CHARACTERS.issuperset(name):
        shown = _shorten(name)[:_MAX_NAME_LENGTH]
        raise InputError(
            f"the tool name `{shown}` cannot be used: "
            f"it must have 1 to {_MAX_NAME_LENGTH} letters, digits, `_`, `.`, `:` or `-`"
        )
    return name


def _read_arguments(fields: Mapping[str, object]) -> Mapping[str, object]:
    value = fields.get("tool_input")
    if not isinstance(value, dict):
        raise InputError("`tool_input` of the hook event is not an object")
    return cast("dict[str, object]", value)
