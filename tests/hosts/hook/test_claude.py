"""Events of Claude Code become calls, and decisions become what its hooks print; bad input is refused."""

import json

import pytest

from assent.engine.base.reason import text_reason
from assent.engine.base.tool import Call
from assent.engine.policy.modes import Mode
from assent.engine.policy.verdict import Decision, Stage, Verdict
from assent.errors import InputError
from assent.hosts.hook.claude import (
    NO_DECISION,
    HookEventKind,
    HookReply,
    decision_reply,
    event_to_call,
    failure_reply,
    is_plan_file,
    read_event,
    to_bash_call,
)

EVENT = {
    "session_id": "s1",
    "transcript_path": "/home/ana/.claude/projects/p/s1.jsonl",
    "cwd": "/project/src",
    "prompt_id": "p1",
    "permission_mode": "acceptEdits",
    "effort": {"level": "medium"},
    "hook_event_name": "PreToolUse",
    "tool_name": "Bash",
    "tool_input": {"command": "ls"},
    "tool_use_id": "toolu_1",
}


def event_data(**changes: object) -> bytes:
    return json.dumps({**EVENT, **changes}).encode()


def make_decision(
    verdict: Verdict, stage: Stage = Stage.MODE, because: str = "default mode asks"
) -> Decision:
    return Decision(verdict=verdict, stage=stage, reason=text_reason(because), steps=())


def printed_json(reply: HookReply) -> dict[str, object]:
    assert (reply.status, reply.err) == (0, "")
    found: dict[str, object] = json.loads(reply.out)["hookSpecificOutput"]
    return found


def test_an_event_becomes_a_call_of_its_session() -> None:
    assert event_to_call(read_event(event_data())) == Call(
        tool="Bash",
        args={"command": "ls"},
        id="toolu_1",
        agent="claude",
        conversation="s1",
        cwd="/project/src",
    )


def test_a_sub_agent_is_named() -> None:
    event = read_event(event_data(agent_id="a1", agent_type="Explore"))

    assert (event.agent_id, event.agent_type) == ("a1", "Explore")


@pytest.mark.parametrize(
    ("word", "mode", "attended"),
    [
        ("default", Mode.DEFAULT, True),
        ("acceptEdits", Mode.ACCEPT_EDITS, True),
        ("plan", Mode.PLAN, True),
        ("bypassPermissions", Mode.AUTO, True),
        ("auto", Mode.AUTO, True),
        ("dontAsk", Mode.DEFAULT, False),
        ("a mode of tomorrow", Mode.DEFAULT, True),
    ],
)
def test_the_clients_mode_is_read(word: str, mode: Mode, attended: bool) -> None:
    event = read_event(event_data(permission_mode=word))

    assert (event.assent_mode, event.can_client_ask) == (mode, attended)


@pytest.mark.parametrize(
    ("kind", "changes"),
    [
        (HookEventKind.PERMISSION_REQUEST, {"tool_use_id": None, "permission_suggestions": []}),
        (HookEventKind.POST_TOOL_USE, {"tool_response": {"stdout": ""}}),
        (HookEventKind.POST_TOOL_USE_FAILURE, {"error": "Exit code 1"}),
        (HookEventKind.SESSION_START, {"tool_name": None, "tool_input": None, "source": "startup"}),
        (HookEventKind.SUBAGENT_START, {"tool_name": None, "agent_id": "a1", "agent_type": "Explore"}),
        (HookEventKind.SESSION_END, {"tool_name": None, "reason": "other"}),
    ],
)
def test_every_event_of_the_client_can_be_read(kind: HookEventKind, changes: dict[str, object]) -> None:
    event = read_event(event_data(hook_event_name=kind.value, **changes))

    assert (event.kind, event.session, bool(event.tool)) == (kind, "s1", kind.has_call)


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        (b"", "the hook event is not JSON"),
        (b"hello", "the hook event is not JSON"),
        (b"[]", "the hook event must be a JSON object"),
        (b'{"a": 1, "a": 2}', "duplicate key"),
        (b'{"session_id": "\\ud800"}', "surrogate"),
        pytest.param(b" " * 10_000_001, "larger than 10000000 bytes", id="large"),
        (b"\xff", "not UTF-8"),
        (event_data(hook_event_name="BeforeLunch"), "the hook event `BeforeLunch` is unknown"),
        (event_data(hook_event_name=None), "`no event name` is unknown"),
        (event_data(hook_event_name=7), "`hook_event_name` of the hook event is not a text"),
        (event_data(cwd="src"), "not an absolute path: `src`"),
        (event_data(cwd=None), "not an absolute path"),
        (event_data(cwd="/a\0b"), "not an absolute path"),
        pytest.param(
            event_data(session_id="x" * 10_000), "`session_id` of the hook event is longer", id="session"
        ),
        pytest.param(
            event_data(tool_use_id="x" * 10_000), "`tool_use_id` of the hook event is longer", id="call"
        ),
        (event_data(session_id=""), "`session_id` of the hook event is missing"),
        (event_data(tool_use_id=None), "`tool_use_id` of the hook event is missing"),
        (event_data(tool_name="x" * 129), "it must have 1 to 128 letters"),
        (event_data(tool_name="Bash(rm)"), "the tool name `Bash(rm)` cannot be used"),
        (event_data(tool_name=""), "cannot be used"),
        (event_data(tool_name=["Bash"]), "`tool_name` of the hook event is not a text"),
        (event_data(tool_input="ls"), "`tool_input` of the hook event is not an object"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(event: bytes, sentence: str) -> None:
    with pytest.raises(InputError) as refused:
        read_event(event)

    assert sentence in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("decided", "word", "reason"),
    [
        (
            make_decision(Verdict.RUN, Stage.READ, "it only reads"),
            "allow",
            "Assent allows this: it only reads",
        ),
        (make_decision(Verdict.ASK), "ask", "Assent asks: default mode asks"),
        (
            make_decision(Verdict.DENY, Stage.PLAN, "plan mode only reads"),
            "deny",
            "Assent denies this: plan mode only reads",
        ),
        (
            make_decision(Verdict.ABSENT, Stage.BLOCKED, "it is blocked"),
            "deny",
            "Assent denies this: it is blocked",
        ),
        (
            make_decision(Verdict.ABSENT, Stage.UNKNOWN, "there is no tool"),
            "ask",
            "Assent asks: it does not know the tool `Bash`; declare it under [tools] in a policy file",
        ),
    ],
)
def test_a_decision_is_printed_in_the_clients_words(decided: Decision, word: str, reason: str) -> None:
    assert printed_json(decision_reply(read_event(event_data()), decided)) == {
        "hookEventName": "PreToolUse",
        "permissionDecision": word,
        "permissionDecisionReason": reason,
    }


def test_a_reason_is_one_short_line() -> None:
    reason = "a\nb\x1b[2J" + "x" * 5_000
    said = str(
        printed_json(decision_reply(read_event(event_data()), make_decision(Verdict.ASK, because=reason)))[
            "permissionDecisionReason"
        ]
    )

    assert said.startswith("Assent asks: a\\nb\\u001b[2Jxxx")
    assert (len(said) < 2_100, said.endswith("…")) == (True, True)


def test_only_a_persons_yes_passes_the_clients_own_checks() -> None:
    event = read_event(event_data(hook_event_name="PermissionRequest", tool_use_id=None))
    run = make_decision(Verdict.RUN, Stage.ALLOW_RULE)

    assert decision_reply(event, run) == NO_DECISION
    assert decision_reply(event, make_decision(Verdict.ASK)) == NO_DECISION
    assert printed_json(decision_reply(event, run, approved=True))["decision"] == {"behavior": "allow"}


def test_a_yes_does_not_pass_a_denial() -> None:
    event = read_event(event_data(hook_event_name="PermissionRequest", tool_use_id=None))

    reply = decision_reply(event, make_decision(Verdict.DENY, because="deny rule"), approved=True)

    assert printed_json(reply)["decision"] == {"behavior": "deny", "message": "Assent denies this: deny rule"}


def test_events_that_only_report_get_no_decision() -> None:
    event = read_event(event_data(hook_event_name="PostToolUse"))

    assert decision_reply(event, make_decision(Verdict.DENY)) == NO_DECISION


def test_a_failure_blocks_and_says_why_on_one_line() -> None:
    assert failure_reply("no\nluck") == HookReply(status=2, err="assent: this call is blocked: no\\nluck\n")


def test_a_monitor_is_also_a_command_of_the_shell() -> None:
    watch = Call(tool="Monitor", args={"command": "touch a", "description": "x"}, cwd="/project")

    assert to_bash_call(watch) == Call(tool="Bash", args={"command": "touch a"}, cwd="/project")
    assert to_bash_call(Call(tool="Monitor", args={"ws": {"url": "ws://x"}})) is None
    assert to_bash_call(Call(tool="Bash", args={"command": "ls"})) is None


@pytest.mark.parametrize(
    ("tool", "path", "mode", "expected"),
    [
        ("Write", "/home/ana/.claude/plans/calm-fox.md", "plan", True),
        ("Edit", "/home/ana/.claude/plans/calm-fox.md", "plan", True),
        ("Write", "/home/ana/.claude/plans/calm-fox.md", "default", False),
        ("Write", "/home/ana/.claude/plans/../settings.md", "plan", False),
        ("Write", "/home/ana/.claude/plans/deep/x.md", "plan", False),
        ("Write", "/home/ana/.claude/settings.json", "plan", False),
        ("Bash", "/home/ana/.claude/plans/calm-fox.md", "plan", False),
    ],
)
def test_only_a_plan_in_the_clients_own_directory_is_left_to_it(
    tool: str, path: str, mode: str, expected: bool
) -> None:
    event = read_event(event_data(tool_name=tool, tool_input={"file_path": path}, permission_mode=mode))

    assert is_plan_file(event, "/home/ana") is expected
