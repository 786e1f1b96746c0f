"""The hook and the prompt tool of a fleet: one question for both, and no failure that allows a call."""

import asyncio
import json
import os
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import cast

import httpx2
import pytest

from assent.client.client import Outcome, OutcomeKind
from assent.errors import AssentError, InputError
from assent.gate.access import SubAgent
from assent.gate.answer import Answer, Say
from assent.gate.approval import State
from assent.hosts.claude.agent_calls import answer_plan, answer_questions, read_plan, read_questions
from tests.hosts.claude.running_fleet import RunningFleet, run_fleet
from tests.serving import RunningServer
from tests.waiting import wait_until_async

PROMPT = "handle_permission_request"


@pytest.fixture
def fleet(
    fleet_server: RunningServer, repository: Path, tmp_path: Path
) -> AbstractAsyncContextManager[RunningFleet]:
    return run_fleet(fleet_server, repository, tmp_path)


def hook_event(fleet: RunningFleet, command: str, id: str, **changes: object) -> dict[str, object]:
    return {
        "session_id": "s",
        "cwd": str(fleet.root / ".worktrees" / "archie"),
        "permission_mode": "acceptEdits",
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": command},
        "tool_use_id": id,
        **changes,
    }


async def send_hook_event(fleet: RunningFleet, content: object, agent: str = "archie") -> tuple[int, str]:
    """Send an event as the hook does; returns the status, and the decision or the text."""
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    headers = {"Authorization": f"Bearer {fleet.secret(agent)}"}
    async with httpx2.AsyncClient(headers=headers, timeout=180) as http:
        reply = await http.post(f"http://{fleet.host.server.address}/hook", content=data)
    if reply.status_code != 200:
        return reply.status_code, reply.text
    return 200, json.loads(reply.text)["hookSpecificOutput"]["permissionDecision"]


async def call_prompt_tool(
    fleet: RunningFleet, command: str, id: str, agent: str = "archie"
) -> dict[str, object]:
    failed, text = await fleet.call_tool(
        agent, PROMPT, tool_name="Bash", input={"command": command}, tool_use_id=id
    )
    assert not failed, text
    return json.loads(text)


@pytest.mark.proves("R002-12", "R002-13", "R002-14", "R002-15", "R002-39")
async def test_hook_and_prompt_tool_see_one_question_which_waits_for_a_person(fleet: RunningFleet) -> None:
    assert await send_hook_event(fleet, hook_event(fleet, "make one", "call-1")) == (200, "ask")
    asked = await fleet.wait_for_question("Bash")
    waiting = asyncio.create_task(call_prompt_tool(fleet, "make one", "call-1"))
    other = asyncio.create_task(call_prompt_tool(fleet, "make two", "call-2", agent="archie"))
    await fleet.answer_question("Bash", Answer(say=Say.ONCE))
    assert await waiting == {"behavior": "allow", "updatedInput": {"command": "make one"}}
    second = await fleet.answer_question("Bash", Answer(say=Say.DENY, reason="use a file"))
    assert await other == {"behavior": "deny", "message": "a person denied this call: use a file"}
    assert (asked.call.agent, asked.call.id, second.call.id) == ("archie", "call-1", "call-2")
    # The same command again is another call, so it asks again.
    assert await send_hook_event(fleet, hook_event(fleet, "make one", "call-3")) == (200, "ask")


@pytest.mark.proves("R002-5")
async def test_what_lists_allow_runs_and_what_a_rule_denies_does_not(fleet: RunningFleet) -> None:
    await fleet.host.spawn("qa", "test", "", skip=False)
    assert await send_hook_event(fleet, hook_event(fleet, "git status", "a")) == (200, "allow")
    assert await send_hook_event(fleet, hook_event(fleet, "git add . && make x", "b")) == (200, "ask")
    assert await send_hook_event(fleet, hook_event(fleet, "cp a.txt b.txt", "c"), "qa") == (200, "allow")
    assert await send_hook_event(fleet, hook_event(fleet, "cp a.txt b.txt", "d")) == (200, "allow")
    assert await send_hook_event(fleet, hook_event(fleet, "touch x", "e")) == (200, "deny")
    assert await send_hook_event(fleet, hook_event(fleet, "cp a.txt b.txt && eval 'touch x'", "f"), "qa") == (
        200,
        "deny",
    )
    spawn = hook_event(fleet, "", "g", tool_name="mcp__arch__spawn_agent", tool_input={})
    assert await send_hook_event(fleet, spawn) == (200, "allow")
    assert await send_hook_event(fleet, spawn, "qa") == (200, "ask")
    denied = await call_prompt_tool(fleet, "touch x", "h")
    assert denied["behavior"] == "deny"
    assert "Bash(touch *)" in str(denied["message"])


def monitor_event(fleet: RunningFleet, command: str, id: str) -> dict[str, object]:
    args = {"command": command, "description": "watch", "timeout_ms": 1000}
    return hook_event(fleet, "", id, tool_name="Monitor", tool_input=args)


async def test_rules_for_the_shell_also_apply_to_the_command_of_another_tool(fleet: RunningFleet) -> None:
    for text in ("Monitor", "Bash(cp a.txt b.txt)"):
        body = {"list": "allow", "text": text, "agent": "archie"}
        await asyncio.to_thread(fleet.owner.request, "POST", "/v1/rules", body)
    args = {"command": "make one", "description": "watch", "timeout_ms": 1000}

    assert await send_hook_event(fleet, monitor_event(fleet, "cp a.txt b.txt", "m-1")) == (200, "allow")
    assert await send_hook_event(fleet, monitor_event(fleet, "touch x", "m-2")) == (200, "deny")
    assert await send_hook_event(fleet, monitor_event(fleet, "make one", "m-3")) == (200, "ask")
    waiting = asyncio.create_task(
        fleet.call_tool("archie", PROMPT, tool_name="Monitor", input=args, tool_use_id="m-3")
    )
    asked = await fleet.answer_question("Bash", Answer(say=Say.ONCE, args={"command": "make two"}))
    _, reply = await waiting
    _, denied = await fleet.call_tool(
        "archie", PROMPT, tool_name="Monitor", input={**args, "command": "touch x"}, tool_use_id="m-4"
    )

    assert asked.call.args == {"command": "make one"}
    assert json.loads(reply) == {"behavior": "allow", "updatedInput": {**args, "command": "make two"}}
    assert json.loads(denied)["behavior"] == "deny"


@pytest.mark.proves("R002-20", "R002-21", "R002-23")
async def test_always_holds_for_this_agent_until_the_fleet_starts_again(
    fleet_server: RunningServer, repository: Path, tmp_path: Path
) -> None:
    always = Answer(say=Say.ALWAYS, rules=("Bash(make one)",))

    async with run_fleet(fleet_server, repository, tmp_path) as fleet:
        await fleet.host.spawn("qa", "test", "", skip=False)
        waiting = asyncio.create_task(call_prompt_tool(fleet, "make one", "call-1"))
        await fleet.answer_question("Bash", always)
        assert (await waiting)["updatedPermissions"] == [
            {
                "type": "addRules",
                "rules": [{"toolName": "Bash", "ruleContent": "make one"}],
                "behavior": "allow",
                "destination": "session",
            }
        ]
        assert await send_hook_event(fleet, hook_event(fleet, "make one", "call-2")) == (200, "allow")
        assert await send_hook_event(fleet, hook_event(fleet, "make two", "call-3")) == (200, "ask")
        assert await send_hook_event(fleet, hook_event(fleet, "make one", "call-4"), "qa") == (200, "ask")
    async with run_fleet(fleet_server, repository, tmp_path) as fleet:
        assert await send_hook_event(fleet, hook_event(fleet, "make one", "call-5")) == (200, "ask")


async def test_an_edited_call_is_decided_again(fleet: RunningFleet) -> None:
    waiting = asyncio.create_task(call_prompt_tool(fleet, "make one", "call-1"))
    await fleet.answer_question("Bash", Answer(say=Say.ONCE, args={"command": "make two"}))
    assert await waiting == {"behavior": "allow", "updatedInput": {"command": "make two"}}
    waiting = asyncio.create_task(call_prompt_tool(fleet, "make one", "call-2"))
    await fleet.answer_question("Bash", Answer(say=Say.ONCE, args={"command": "touch two"}))
    assert (await waiting)["behavior"] == "deny"


async def test_a_hook_that_waits_passes_the_edited_call_on_and_never_the_first_one(
    fleet: RunningFleet,
) -> None:
    calling = fleet.host._find_agent("archie").calling

    async def wait_with(content: dict[str, object], answer: Answer) -> dict[str, object]:
        data = json.dumps(content).encode()
        waiting = asyncio.create_task(fleet.host._calls.answer_hook(calling, data, waits=True))
        await fleet.answer_question(str(content["tool_name"]), answer)
        return cast("dict[str, dict[str, object]]", json.loads(await waiting))["hookSpecificOutput"]

    allowed = await wait_with(
        hook_event(fleet, "make one", "w-1"), Answer(say=Say.ONCE, args={"command": "make two"})
    )
    denied = await wait_with(
        hook_event(fleet, "make one", "w-2"), Answer(say=Say.ONCE, args={"command": "touch two"})
    )
    same = await wait_with(hook_event(fleet, "make one", "w-3"), Answer(say=Say.ONCE))

    assert (allowed["permissionDecision"], allowed["updatedInput"]) == ("allow", {"command": "make two"})
    assert (denied["permissionDecision"], "updatedInput" in denied) == ("deny", False)
    assert (same["permissionDecision"], "updatedInput" in same) == ("allow", False)


async def test_the_yes_of_a_person_passes_the_check_of_the_client_once(fleet: RunningFleet) -> None:
    calling = fleet.host._find_agent("archie").calling

    async def send(command: str, kind: str) -> str:
        sent = hook_event(
            fleet, command, "" if kind == "PermissionRequest" else command, hook_event_name=kind
        )
        return await fleet.host._calls.answer_hook(calling, json.dumps(sent).encode(), waits=True)

    waiting = asyncio.create_task(send("make one", "PreToolUse"))
    await fleet.answer_question("Bash", Answer(say=Say.ONCE))
    await waiting
    await send("git status", "PreToolUse")

    allowed = (
        '{"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": {"behavior": "allow"}}}\n'
    )
    assert await send("make two", "PermissionRequest") == ""
    assert await send("git status", "PermissionRequest") == ""
    assert await send("make one", "PermissionRequest") == allowed
    assert await send("make one", "PermissionRequest") == ""


async def test_a_question_of_the_model_is_never_edited_through_the_hook(fleet: RunningFleet) -> None:
    await fleet.host.spawn("qa", "test", "", skip=False)
    rule = {"list": "ask", "text": "AskUserQuestion", "agent": "qa"}
    await asyncio.to_thread(fleet.owner.request, "POST", "/v1/rules", rule)
    asked = hook_event(fleet, "", "w-4", tool_name="AskUserQuestion", tool_input={"questions": []})
    calling = fleet.host._find_agent("qa").calling
    waiting = asyncio.create_task(
        fleet.host._calls.answer_hook(calling, json.dumps(asked).encode(), waits=True)
    )
    await fleet.answer_question(
        "AskUserQuestion", Answer(say=Say.ONCE, args={"questions": [], "answers": {"a": "b"}})
    )

    assert json.loads(await waiting)["hookSpecificOutput"]["permissionDecision"] == "deny"


@pytest.mark.proves("R002-31")
async def test_a_model_that_calls_the_prompt_tool_gains_nothing(fleet: RunningFleet) -> None:
    own = "mcp__arch__handle_permission_request"

    async with fleet.connect_mcp("archie") as client:
        assert PROMPT in {tool.name for tool in (await client.list_tools()).tools}
        arguments = {"tool_name": "Bash", "input": {"command": "make x"}, "tool_use_id": "made-up"}
        meta = {"claudecode/toolUseId": "toolu_real"}
        result = await client.call_tool(PROMPT, arguments, meta=meta)
    assert json.loads(str(getattr(result.content[0], "text", ""))) == {
        "behavior": "deny",
        "message": "only Claude Code itself may call this tool",
    }
    asked = hook_event(fleet, "", "a", tool_name=own, tool_input={"tool_name": "Bash"})
    assert await send_hook_event(fleet, asked) == (200, "deny")
    assert list(fleet.owner.approvals(state="pending", agent="archie")) == []


UNREADABLE_EVENTS: list[tuple[object, str]] = [
    (b"", "hook event"),
    (b"[]", "hook event"),
    ({"hook_event_name": "Nothing"}, "hook event `Nothing` is unknown"),
    ({"cwd": "src"}, "not an absolute path"),
    ({"tool_name": "a b"}, "tool name"),
    ({"tool_use_id": "x" * 10_000}, "longer than"),
    ({"hook_event_name": "PermissionRequest"}, "takes only PreToolUse"),
    (b"x" * 10_000_001, "too large"),
]


async def test_what_cannot_be_read_is_no_answer_and_a_denial(fleet: RunningFleet) -> None:
    for content, reason in UNREADABLE_EVENTS:
        sent = {**hook_event(fleet, "ls", "a"), **content} if isinstance(content, dict) else content
        status, text = await send_hook_event(fleet, sent)
        assert (status in (400, 413), reason in text) == (True, True), text
    for arguments in ({}, {"tool_name": "Bash"}, {"tool_name": 1, "input": {}, "tool_use_id": "a"}):
        _, text = await fleet.call_tool("archie", PROMPT, **arguments)
        assert json.loads(text)["behavior"] == "deny"


@pytest.mark.proves("R002-28")
async def test_questions_are_withdrawn_when_the_process_of_the_agent_ends(
    fleet_server: RunningServer, repository: Path, tmp_path: Path
) -> None:
    async with run_fleet(fleet_server, repository, tmp_path) as fleet:
        assert await send_hook_event(fleet, hook_event(fleet, "make one", "call-1")) == (200, "ask")
        asked = await fleet.wait_for_question("Bash")
        fleet.stay.unlink()
        await fleet.host.done.wait()
    after = await asyncio.to_thread(fleet.owner.approval, asked.id)
    assert after.state is State.WITHDRAWN


@pytest.mark.supports("R002-28")
async def test_a_question_of_a_fleet_that_was_killed_is_withdrawn_and_a_late_always_grants_nothing(
    fleet: RunningFleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assent.hosts.claude.fleet_gate.LEASE_SECONDS", 3.0)
    monkeypatch.setattr("assent.hosts.claude.fleet_gate.RENEWAL_SECONDS", 0.5)
    assert await send_hook_event(fleet, hook_event(fleet, "make dead", "dead")) == (200, "ask")
    dead = await fleet.wait_for_question("Bash")
    # Nobody renews the question any more, as if the process of the fleet were gone.
    fleet.host._agents["archie"].calling.forget_calls()
    assert await send_hook_event(fleet, hook_event(fleet, "make alive", "alive")) == (200, "ask")

    async def is_withdrawn() -> bool:
        return (await asyncio.to_thread(fleet.owner.approval, dead.id)).state is State.WITHDRAWN

    await wait_until_async(is_withdrawn)
    always = Answer(say=Say.ALWAYS, rules=("Bash(make dead)",))
    with pytest.raises(AssentError):
        await asyncio.to_thread(fleet.owner.answer, dead.id, dead.digest, always)
    assert list(fleet.owner.grants()) == []
    # The hook of the other call has ended, too, but the fleet keeps its question open for the prompt tool.
    waiting = asyncio.create_task(call_prompt_tool(fleet, "make alive", "alive"))
    asked = await fleet.answer_question("Bash", Answer(say=Say.ONCE))
    assert asked.call.id == "alive"
    assert (await waiting)["behavior"] == "allow"


async def test_an_answer_that_came_before_the_prompt_tool_is_used_by_it(
    fleet: RunningFleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assent.hosts.claude.fleet_gate.RENEWAL_SECONDS", 0.0)
    assert await send_hook_event(fleet, hook_event(fleet, "make one", "early")) == (200, "ask")
    asked = await fleet.answer_question("Bash", Answer(say=Say.ONCE))

    async def is_claimed() -> bool:
        return (await asyncio.to_thread(fleet.owner.approval, asked.id)).state is State.RUNNING

    await wait_until_async(is_claimed)
    assert (await call_prompt_tool(fleet, "make one", "early"))["behavior"] == "allow"
    # The same id from elsewhere has another nonce.
    fleet.host._agents["archie"].calling.forget_calls()
    assert (await call_prompt_tool(fleet, "make one", "early"))["behavior"] == "deny"


async def test_a_sub_agent_is_named_on_the_question_of_hook_and_prompt_tool(fleet: RunningFleet) -> None:
    sub = {"agent_id": "a1b2", "agent_type": "Explore"}
    assert await send_hook_event(fleet, hook_event(fleet, "make one", "sub", **sub)) == (200, "ask")
    asked = await fleet.wait_for_question("Bash")
    waiting = asyncio.create_task(call_prompt_tool(fleet, "make one", "sub"))
    await fleet.answer_question("Bash", Answer(say=Say.ONCE))

    assert (asked.call.agent, asked.sub_agents) == ("archie", (SubAgent("a1b2", "Explore"),))
    assert (await waiting)["behavior"] == "allow"


async def test_a_server_that_is_gone_denies(fleet: RunningFleet) -> None:
    right, fleet.gate.url = fleet.gate.url, "http://127.0.0.1:1"
    status, text = await send_hook_event(fleet, hook_event(fleet, "ls", "a"))
    assert (status, "does not answer" in text) == (400, True)
    denied = await call_prompt_tool(fleet, "ls", "b")
    assert (denied["behavior"], "could not decide" in str(denied["message"])) == ("deny", True)
    fleet.gate.url = right


async def test_a_question_of_the_model_is_answered_in_words(fleet: RunningFleet) -> None:
    question = {"question": "Which color?", "options": [{"label": "red"}, {"label": "blue"}]}
    waiting = asyncio.create_task(
        fleet.call_tool(
            "archie",
            PROMPT,
            tool_name="AskUserQuestion",
            input={"questions": [question]},
            tool_use_id="ask-1",
        )
    )
    asked = await fleet.answer_question("fleet.question", Answer(say=Say.DENY, reason="green"))
    _, reply = await waiting

    assert asked.call.args == {"question": "Which color?", "options": ["red", "blue"], "answer": ""}
    assert json.loads(reply) == {
        "behavior": "allow",
        "updatedInput": {"questions": [question], "answers": {"Which color?": "green"}},
    }


async def test_a_plan_is_shown_and_starts_after_a_yes(
    fleet: RunningFleet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = Path(os.path.realpath(tmp_path))
    monkeypatch.setenv("HOME", str(home))
    file = home / ".claude" / "plans" / "one.md"
    file.parent.mkdir(parents=True)
    file.write_text("# Plan")
    written = hook_event(
        fleet,
        "",
        "write-1",
        permission_mode="plan",
        tool_name="Write",
        tool_input={"file_path": str(file), "content": "# Plan"},
    )
    headers = {"Authorization": f"Bearer {fleet.secret('archie')}"}
    async with httpx2.AsyncClient(headers=headers, timeout=180) as http:
        reply = await http.post(f"http://{fleet.host.server.address}/hook", content=json.dumps(written))
    waiting = asyncio.create_task(
        fleet.call_tool("archie", PROMPT, tool_name="ExitPlanMode", input={}, tool_use_id="plan-1")
    )
    asked = await fleet.answer_question("fleet.question", Answer(say=Say.ONCE))
    _, answer = await waiting

    assert (reply.status_code, reply.text) == (204, "")
    assert asked.call.args["question"] == "Start the work with this plan?\n\n# Plan"
    assert json.loads(answer) == {"behavior": "allow", "updatedInput": {}}


COLOR = {
    "question": "Which color?",
    "header": "Color",
    "options": [{"label": "red", "description": "x"}, {"label": "blue", "description": "y"}],
    "multiSelect": False,
}
SIZE = {**COLOR, "question": "Which size?", "options": [{"label": "big"}, "odd"]}
DENIED = Outcome(kind=OutcomeKind.REFUSE, approval="a")


def allowed_outcome(answer: str) -> Outcome:
    return Outcome(kind=OutcomeKind.RUN, approval="a", args={"answer": answer})


class Person:
    """Answers each question with the next outcome."""

    def __init__(self, *outcomes: Outcome) -> None:
        self.outcomes = list(outcomes)
        self.asked: list[Mapping[str, object]] = []

    async def ask(self, arguments: Mapping[str, object]) -> Outcome:
        self.asked.append(arguments)
        return self.outcomes.pop(0)


async def test_each_question_is_asked_and_its_words_go_back() -> None:
    said = Outcome(kind=OutcomeKind.REFUSE, approval="b", reason="small, please")
    person = Person(allowed_outcome("blue"), said)

    reply = await answer_questions({"questions": [COLOR, SIZE]}, person.ask)

    assert person.asked == [
        {"question": "Which color?", "options": ["red", "blue"], "answer": ""},
        {"question": "Which size?", "options": ["big"], "answer": ""},
    ]
    assert json.loads(reply) == {
        "behavior": "allow",
        "updatedInput": {
            "questions": [COLOR, SIZE],
            "answers": {"Which color?": "blue", "Which size?": "small, please"},
        },
    }


@pytest.mark.parametrize(
    "outcome", [DENIED, Outcome(kind=OutcomeKind.RUN, args={"answer": "blue"})], ids=["no", "nobody asked"]
)
async def test_without_words_of_a_person_the_call_is_denied(outcome: Outcome) -> None:
    reply = await answer_questions({"questions": [COLOR]}, Person(outcome).ask)

    assert json.loads(reply) == {"behavior": "deny", "message": "the person did not answer the question"}


@pytest.mark.parametrize(
    "questions",
    [None, [], [COLOR] * 5, [COLOR, COLOR], ["x"], [{"question": " "}], [{"question": 3}]],
)
def test_questions_that_cannot_be_shown_are_an_error(questions: object) -> None:
    with pytest.raises(InputError, match="AskUserQuestion"):
        read_questions({"questions": questions})


@pytest.mark.parametrize(
    ("outcome", "behavior", "message"),
    [
        (allowed_outcome(""), "allow", None),
        (allowed_outcome("Yes"), "allow", None),
        (allowed_outcome("first the tests"), "deny", "the person does not accept the plan: first the tests"),
        (DENIED, "deny", "the person does not accept the plan"),
        (
            Outcome(kind=OutcomeKind.REFUSE, approval="a", reason="too long"),
            "deny",
            "the person does not accept the plan: too long",
        ),
        (Outcome(kind=OutcomeKind.RUN), "deny", "the person does not accept the plan"),
    ],
    ids=["yes", "typed yes", "words", "no", "no with words", "nobody asked"],
)
async def test_only_a_yes_starts_the_plan(outcome: Outcome, behavior: str, message: str | None) -> None:
    person = Person(outcome)

    reply = json.loads(await answer_plan({}, "# Plan\n1. mkdir", person.ask))

    assert (reply["behavior"], reply.get("message")) == (behavior, message)
    assert person.asked[0]["question"] == "Start the work with this plan?\n\n# Plan\n1. mkdir"


async def test_a_plan_that_is_unknown_is_asked_about_all_the_same() -> None:
    person = Person(DENIED)
    await answer_plan({}, "", person.ask)

    assert person.asked[0]["question"] == "Leave plan mode and start the work?"


def test_a_plan_file_is_read_up_to_a_limit_and_never_through_a_link(tmp_path: Path) -> None:
    directory = Path(os.path.realpath(tmp_path))
    plan, long = directory / "plan.md", directory / "long.md"
    plan.write_text("# Plan")
    long.write_text("x" * 60_000)
    (directory / "link.md").symlink_to(plan)

    assert read_plan(str(plan)) == "# Plan"
    assert read_plan(str(long)).endswith("x\n… (the rest of the plan is not shown)")
    assert read_plan(str(directory / "link.md")) == read_plan("") == ""
