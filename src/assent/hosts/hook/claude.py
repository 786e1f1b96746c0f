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
from assent.engine.base.sentences import to_model_message
from assent.engine.base.tool import Call
from assent.engine.base.value import Value, replace
from assent.engine.policy.modes import Mode, mode_from_wire
from assent.engine.policy.verdict import Decision, Stage, Verdict
from assent.errors import InputError

AGENT = "claude"
"""The agent name of calls that come from Claude Code."""
BLOCKED = 2
"""The only exit status that stops a call."""
TEST_SESSION = "assent-test"
"""The session of the event with which `install` and `status` test the hook; nothing is asked or recorded."""

SOCKET_FILE = "assent.sock"
"""The server's socket in the data directory; it is there while the server runs."""
TOKEN_FILE = "hook/claude.token"
"""The token of the hook in the data directory."""

ASK_TOOL = "AskUserQuestion"
"""The client's tool with which the model asks the person something."""
PLAN_TOOL = "ExitPlanMode"
"""The client's tool with which the model shows its plan; a yes needs `updatedInput`."""

_NAME_CHARACTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.:-")
_MAX_NAME_LENGTH = 128
_MAX_ID_LENGTH = 256
_MAX_PATH_LENGTH = 4096
_MAX_REASON_LENGTH = 2000
_NEVER_ASKS = "dontAsk"
"""The client's mode in which every question is a denial."""
_FILE_TOOLS = frozenset({"Write", "Edit", "MultiEdit"})


class HookEventKind(StrEnum):
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
                HookEventKind.PRE_TOOL_USE
                | HookEventKind.PERMISSION_REQUEST
                | HookEventKind.POST_TOOL_USE
                | HookEventKind.POST_TOOL_USE_FAILURE
            ):
                return True
            case HookEventKind.SESSION_START | HookEventKind.SUBAGENT_START | HookEventKind.SESSION_END:
                return False


class HookEvent(Value):
    """One event, checked; a field that this kind of event does not have is empty."""

    kind: HookEventKind
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
    is_new_session: bool = False
    """Whether `SessionStart` begins a session in the directory where the client was started."""
    transcript: str = ""
    """The file in which the client writes the session."""

    @property
    def assent_mode(self) -> Mode:
        """The mode of Assent for the client's mode; an unknown mode becomes `default`."""
        return mode_from_wire(self.permission_mode)

    @property
    def can_client_ask(self) -> bool:
        """Whether the client can ask a person in its mode; otherwise the client denies the call."""
        return self.permission_mode != _NEVER_ASKS


class HookReply(Value):
    """What the hook process prints, and the status that it ends with."""

    status: int = 0
    out: str = ""
    err: str = ""

    def to_lines(self) -> str:
        """The reply as the hook process reads it; the last line shows that the reply is complete."""
        out = "".join(f"out {line}\n" for line in self.out.splitlines())
        err = "".join(f"err {line}\n" for line in self.err.splitlines())
        return f"{out}{err}exit {self.status}\n"


NO_DECISION = HookReply()
"""The client goes on by its own rules."""


def read_event(data: bytes) -> HookEvent:
    """Parse an event from the client; raises `InputError` if the event is invalid."""
    fields = read_object(data, "the hook event")
    kind = _read_event_kind(fields)
    event = HookEvent(
        kind=kind,
        session=_read_id_field(fields, "session_id", required=True),
        cwd=_read_directory(fields),
        permission_mode=_read_id_field(fields, "permission_mode"),
        prompt_id=_read_id_field(fields, "prompt_id"),
        agent_id=_read_id_field(fields, "agent_id", required=kind is HookEventKind.SUBAGENT_START),
        agent_type=_read_id_field(fields, "agent_type"),
        error=_read_text_field(fields, "error")[:_MAX_REASON_LENGTH],
        is_new_session=_read_text_field(fields, "source") == "startup",
        transcript=_read_text_field(fields, "transcript_path"),
    )
    return _event_with_call(event, fields) if kind.has_call else event


def event_to_call(event: HookEvent) -> Call:
    """The call of an event; the session is its conversation."""
    return Call(
        tool=event.tool,
        args=event.args,
        id=event.call_id,
        agent=AGENT,
        conversation=event.session,
        cwd=event.cwd,
    )


def to_bash_call(call: Call) -> Call | None:
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
        event.assent_mode is Mode.PLAN
        and event.tool in _FILE_TOOLS
        and isinstance(path, str)
        and posixpath.dirname(path) == posixpath.join(home, ".claude", "plans")
        and posixpath.basename(path).endswith(".md")
    )


def args_with_answer(args: Mapping[str, object], words: str) -> Mapping[str, object] | None:
    """The arguments of a question of the model with a person's words as its answer.

    None if there is not exactly one question, because the words cannot be given to one of several.
    """
    questions = args.get("questions")
    items = cast("list[object]", questions) if isinstance(questions, list) else []
    if len(items) != 1 or not isinstance(items[0], dict):
        return None
    text = cast("Mapping[str, object]", items[0]).get("question")
    return {**args, "answers": {text: words}} if isinstance(text, str) and text else None


def decision_reply(event: HookEvent, decision: Decision, *, approved: bool = False) -> HookReply:
    """The reply to an event for a decision about its call.

    `approved` states that a person said yes to exactly this call. Only then may `PermissionRequest` pass
    the client's own check of protected paths; a call that rules or a mode allow becomes the client's prompt.
    """
    match event.kind:
        case HookEventKind.PRE_TOOL_USE:
            return _pre_tool_use_reply(event, decision)
        case HookEventKind.PERMISSION_REQUEST:
            return _permission_request_reply(event, decision, approved=approved)
        case (
            HookEventKind.POST_TOOL_USE
            | HookEventKind.POST_TOOL_USE_FAILURE
            | HookEventKind.SESSION_START
            | HookEventKind.SUBAGENT_START
            | HookEventKind.SESSION_END
        ):
            return NO_DECISION


def allowing_reply(
    kind: HookEventKind, because: str = "", *, edited: Mapping[str, object] | None = None
) -> HookReply:
    """The reply that lets a call run; `edited` are the arguments that a person changed."""
    changed = {} if edited is None else {"updatedInput": dict(edited)}
    if kind is HookEventKind.PERMISSION_REQUEST:
        return _json_reply(_output(kind, decision={"behavior": "allow", **changed}))
    reason = f"Assent allows this: {_shorten_text(because)}"
    return _json_reply(_output(kind, permissionDecision="allow", permissionDecisionReason=reason, **changed))


def denying_reply(kind: HookEventKind, because: str) -> HookReply:
    """The reply that denies a call, with the reason for the model."""
    reason = f"Assent denies this: {_shorten_text(because)}"
    if kind is HookEventKind.PERMISSION_REQUEST:
        return _json_reply(_output(kind, decision={"behavior": "deny", "message": reason}))
    return _json_reply(_output(kind, permissionDecision="deny", permissionDecisionReason=reason))


def asking_reply(kind: HookEventKind, because: str) -> HookReply:
    """The reply with which the client asks the person itself."""
    reason = f"Assent asks: {_shorten_text(because)}"
    return _json_reply(_output(kind, permissionDecision="ask", permissionDecisionReason=reason))


def deferring_reply(approval: str) -> HookReply:
    """The reply that ends the client's process; the resumed session makes the same call again."""
    reason = f"Assent asks a person (approval {approval}); resume this session after the answer"
    return _json_reply(
        _output(HookEventKind.PRE_TOOL_USE, permissionDecision="defer", permissionDecisionReason=reason)
    )


def failure_reply(sentence: str) -> HookReply:
    """The reply if no decision was possible: it blocks the call and gives the reason."""
    return HookReply(status=BLOCKED, err=f"assent: this call is blocked: {_shorten_text(sentence)}\n")


def verdict_for_client(decision: Decision) -> Verdict:
    """The verdict for the client; a call of an undeclared tool asks the person."""
    match decision.verdict:
        case Verdict.RUN | Verdict.ASK | Verdict.DENY:
            return decision.verdict
        case Verdict.ABSENT:
            return Verdict.ASK if decision.stage is Stage.UNKNOWN else Verdict.DENY


_CLIENT_WORDS = {Verdict.RUN: "allow", Verdict.ASK: "ask", Verdict.DENY: "deny"}


def _pre_tool_use_reply(event: HookEvent, decision: Decision) -> HookReply:
    verdict = verdict_for_client(decision)
    reason = _reason_text(event, decision, verdict)
    word = _CLIENT_WORDS[verdict]
    return _json_reply(_output(event.kind, permissionDecision=word, permissionDecisionReason=reason))


def _permission_request_reply(event: HookEvent, decision: Decision, *, approved: bool) -> HookReply:
    verdict = verdict_for_client(decision)
    if verdict is Verdict.DENY:
        return denying_reply(event.kind, to_model_message(decision.reason))
    return allowing_reply(event.kind) if approved else NO_DECISION


def _output(kind: HookEventKind, **fields: object) -> Mapping[str, object]:
    return {"hookSpecificOutput": {"hookEventName": kind.value, **fields}}


def _json_reply(reply: Mapping[str, object]) -> HookReply:
    return HookReply(out=json.dumps(reply) + "\n")


def _reason_text(event: HookEvent, decision: Decision, verdict: Verdict) -> str:
    """The reason of the decision, as a sentence for the person or the model."""
    denies = verdict in (Verdict.DENY, Verdict.ABSENT)
    because = _shorten_text(to_model_message(decision.reason) if denies else decision.because)
    if decision.stage is Stage.UNKNOWN:
        because = f"it does not know the tool `{event.tool}`; declare it under [tools] in a policy file"
    match verdict:
        case Verdict.RUN:
            return f"Assent allows this: {because}"
        case Verdict.ASK:
            return f"Assent asks: {because}"
        case Verdict.DENY | Verdict.ABSENT:
            return f"Assent denies this: {because}"


def _shorten_text(text: str) -> str:
    shown = to_visible(text)
    return shown if len(shown) <= _MAX_REASON_LENGTH else shown[:_MAX_REASON_LENGTH] + "…"


def _event_with_call(event: HookEvent, fields: Mapping[str, object]) -> HookEvent:
    has_id = event.kind is not HookEventKind.PERMISSION_REQUEST
    return replace(
        event,
        tool=_read_tool_name(fields),
        args=_read_arguments(fields),
        call_id=_read_id_field(fields, "tool_use_id", required=has_id),
    )


def _read_event_kind(fields: Mapping[str, object]) -> HookEventKind:
    name = _read_text_field(fields, "hook_event_name")
    try:
        return HookEventKind(name)
    except ValueError:
        shown = _shorten_text(name)[:_MAX_NAME_LENGTH] or "no event name"
        raise InputError(
            f"the hook event `{shown}` is unknown; Assent knows {', '.join(HookEventKind)}"
        ) from None


def _read_text_field(fields: Mapping[str, object], name: str) -> str:
    value = fields.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise InputError(f"`{name}` of the hook event is not a text")
    return value


def _read_id_field(fields: Mapping[str, object], name: str, *, required: bool = False) -> str:
    value = _read_text_field(fields, name)
    if len(value) > _MAX_ID_LENGTH:
        raise InputError(f"`{name}` of the hook event is longer than {_MAX_ID_LENGTH} characters")
    if required and not value:
        raise InputError(f"`{name}` of the hook event is missing")
    return value


def _read_directory(fields: Mapping[str, object]) -> str:
    directory = _read_text_field(fields, "cwd")
    if not directory.startswith("/") or "\0" in directory or len(directory) > _MAX_PATH_LENGTH:
        shown = _shorten_text(directory)[:_MAX_NAME_LENGTH]
        raise InputError(f"`cwd` of the hook event is not an absolute path: `{shown}`")
    return directory


def _read_tool_name(fields: Mapping[str, object]) -> str:
    name = _read_text_field(fields, "tool_name")
    if not name or len(name) > _MAX_NAME_LENGTH or not _NAME_CHARACTERS.issuperset(name):
        shown = _shorten_text(name)[:_MAX_NAME_LENGTH]
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
