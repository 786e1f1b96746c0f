"""`/v1/hooks/claude`: each event of Claude Code gets the lines that its hook process obeys."""

import asyncio
import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from assent.engine.policy.rule import RuleList
from assent.gate.access import SubAgent
from assent.gate.approval import Approval, State
from assent.gate.preset import Delivery
from assent.gate.store import ApprovalFilter
from assent.hosts.hook.claude import TEST_SESSION
from assent.hosts.hook.gate_events import LEASE
from assent.surfaces.http.routes import hooks
from tests.gate.scene import preset_policy
from tests.surfaces.http.api_server import ApiServer
from tests.waiting import wait_for_waiting_callers

PATH = "/v1/hooks/claude"
HEADERS = {"assent-hook": "1", "assent-nonce": "n" * 32}
EVENT = {
    "session_id": "s1",
    "transcript_path": "/home/ana/.claude/projects/p/s1.jsonl",
    "cwd": "/project",
    "prompt_id": "p1",
    "permission_mode": "default",
    "hook_event_name": "PreToolUse",
    "tool_name": "Bash",
    "tool_input": {"command": "cp a b"},
    "tool_use_id": "toolu_1",
}
READ = {"tool_input": {"command": "ls"}}


async def send_hook_event(
    api: ApiServer, *, name: str = "clerk", headers: Any = HEADERS, **changes: object
) -> str:
    event = {key: value for key, value in {**EVENT, **changes}.items() if value is not None}
    reply = await api.post(name, PATH, event, headers=headers)
    assert reply.status == 200, reply
    return str(reply.json)


async def send_event_that_asks(api: ApiServer, **changes: object) -> tuple[asyncio.Task[str], str]:
    """Send an event that needs a person; return its open reply and the id of the question."""
    before = api.store.counters().waiting
    reply = asyncio.create_task(send_hook_event(api, **changes))
    await wait_for_waiting_callers(api.store, before + 1)
    pending = await api.store.approvals(ApprovalFilter(states=frozenset({State.PENDING})))
    return reply, pending.approvals[-1].id


def printed_json(lines: str) -> dict[str, Any]:
    """What a complete reply lets the hook print."""
    *_, out, end = lines.splitlines()
    assert (out[:4], end) == ("out ", "exit 0"), lines
    found: dict[str, Any] = json.loads(out[4:])["hookSpecificOutput"]
    return found


PERMISSION = {"hook_event_name": "PermissionRequest", "tool_use_id": None}


async def test_a_read_is_allowed_at_once(api: ApiServer) -> None:
    lines = await send_hook_event(api, **READ)

    assert printed_json(lines) == {
        "hookEventName": "PreToolUse",
        "permissionDecision": "allow",
        "permissionDecisionReason": "Assent allows this: it only reads",
    }
    assert "waiting" not in lines


async def test_a_denied_call_gets_its_reason(api: ApiServer) -> None:
    await api.scene.add_rule(RuleList.DENY, "Bash(touch *)")

    found = printed_json(await send_hook_event(api, tool_input={"command": "bash -c 'touch x'"}))

    assert found["permissionDecision"] == "deny"
    assert "deny rule `Bash(touch *)`" in found["permissionDecisionReason"]


async def test_a_question_streams_its_id_first_and_the_answer_last(api: ApiServer) -> None:
    reply, id = await send_event_that_asks(api)
    await api.answer(id)
    lines = await reply

    assert lines.splitlines()[0] == f"waiting {id}"
    assert printed_json(lines)["permissionDecision"] == "allow"
    assert (await api.store.approval(id)).state is State.RUNNING


async def test_a_no_carries_the_words_of_the_person(api: ApiServer) -> None:
    reply, id = await send_event_that_asks(api)
    await api.answer(id, "deny", reason="use git instead")

    assert "use git instead" in printed_json(await reply)["permissionDecisionReason"]


async def test_an_edited_call_is_sent_back_to_the_client(api: ApiServer) -> None:
    reply, id = await send_event_that_asks(api)
    await api.answer(id, args={"command": "cp a c"})

    assert printed_json(await reply)["updatedInput"] == {"command": "cp a c"}


async def test_a_hook_that_lost_its_connection_attaches_by_id_and_gets_the_same_claim(api: ApiServer) -> None:
    reply, id = await send_event_that_asks(api)
    reply.cancel()
    await asyncio.gather(reply, return_exceptions=True)
    await api.answer(id)
    first = await api.post("clerk", f"{PATH}/{id}/wait", headers=HEADERS)
    again = await api.post("clerk", f"{PATH}/{id}/wait", headers=HEADERS)
    other = await api.post("clerk", f"{PATH}/{id}/wait", headers={"assent-nonce": "o" * 32})

    assert printed_json(first.json)["permissionDecision"] == "allow"
    assert again.json == first.json
    assert printed_json(other.json)["permissionDecision"] == "deny"


async def test_a_persons_yes_is_carried_through_to_the_same_call_once(api: ApiServer) -> None:
    reply, id = await send_event_that_asks(api)
    await api.answer(id)
    await reply
    carried = await send_hook_event(api, **PERMISSION)
    second, question = await send_event_that_asks(api, **PERMISSION)
    await api.answer(question, "deny")

    assert printed_json(carried)["decision"] == {"behavior": "allow"}
    assert printed_json(await second)["decision"]["behavior"] == "deny"


QUESTIONS = [{"question": "Which color?", "options": [{"label": "red"}]}]
MODEL_ASKS = {**PERMISSION, "tool_name": "AskUserQuestion", "tool_input": {"questions": QUESTIONS}}


async def test_words_of_a_person_answer_the_question_of_the_model(api: ApiServer) -> None:
    read = printed_json(
        await send_hook_event(api, **{**MODEL_ASKS, "hook_event_name": "PreToolUse", "tool_use_id": "q1"})
    )
    reply, id = await send_event_that_asks(api, **MODEL_ASKS)
    await api.answer(id, "deny", reason="green")
    said = printed_json(await reply)["decision"]
    edited, other = await send_event_that_asks(api, **MODEL_ASKS)
    await api.answer(other, args={"questions": QUESTIONS, "answers": {"Which color?": "red"}})

    assert read["permissionDecision"] == "allow"
    assert said == {
        "behavior": "allow",
        "updatedInput": {"questions": QUESTIONS, "answers": {"Which color?": "green"}},
    }
    assert printed_json(await edited)["decision"]["updatedInput"]["answers"] == {"Which color?": "red"}


async def test_only_a_persons_yes_starts_the_plan_of_the_model(api: ApiServer) -> None:
    plan = {**PERMISSION, "tool_name": "ExitPlanMode", "tool_input": {}, "permission_mode": "plan"}
    read = printed_json(
        await send_hook_event(api, **{**plan, "hook_event_name": "PreToolUse", "tool_use_id": "q1"})
    )
    reply, id = await send_event_that_asks(api, **plan)
    await api.answer(id)

    assert (read["permissionDecision"], "updatedInput" in read) == ("allow", False)
    assert printed_json(await reply)["decision"] == {"behavior": "allow", "updatedInput": {}}


async def test_an_answer_without_words_answers_no_question(api: ApiServer) -> None:
    yes, id = await send_event_that_asks(api, **MODEL_ASKS)
    await api.answer(id)
    lines = await yes
    no, other = await send_event_that_asks(api, **MODEL_ASKS)
    await api.answer(other, "deny")
    denied = printed_json(await no)["decision"]
    two = {"questions": [*QUESTIONS, {"question": "Which size?"}]}
    several, last = await send_event_that_asks(api, **{**MODEL_ASKS, "tool_input": two})
    await api.answer(last, "deny", reason="green")

    assert (lines.splitlines()[-1], "out " in lines) == ("exit 0", False)
    assert denied["behavior"] == "deny"
    assert "green" in printed_json(await several)["decision"]["message"]


async def test_a_yes_to_another_call_is_not_carried_through(api: ApiServer) -> None:
    reply, id = await send_event_that_asks(api)
    await api.answer(id)
    await reply
    for different in (
        {"tool_input": {"command": "cp a c"}},
        {"session_id": "s2"},
        {"cwd": "/elsewhere"},
        {"agent_id": "a1", "agent_type": "helper"},
    ):
        asked, question = await send_event_that_asks(api, **PERMISSION, **different)
        await api.answer(question, "deny")

        assert printed_json(await asked)["decision"]["behavior"] == "deny"


async def test_a_call_that_a_rule_allows_is_a_question_when_the_client_itself_asks(api: ApiServer) -> None:
    await api.scene.add_rule(RuleList.ALLOW, "Bash(cp *)")
    eased = await send_hook_event(api)
    reply, id = await send_event_that_asks(api, **PERMISSION)
    asked = await api.store.approval(id)
    await api.answer(id)

    assert printed_json(eased)["permissionDecision"] == "allow"
    assert (asked.decision.because, asked.decision.always_offered) == (
        "Claude Code itself asks before this call, and only a person can answer it",
        False,
    )
    assert printed_json(await reply)["decision"] == {"behavior": "allow"}


async def test_a_result_is_reported_by_the_call_id(api: ApiServer) -> None:
    reply, id = await send_event_that_asks(api)
    await api.answer(id)
    await reply
    done = await send_hook_event(api, hook_event_name="PostToolUse")
    failing, second = await send_event_that_asks(api, tool_use_id="toolu_2")
    await api.answer(second)
    await failing
    await send_hook_event(
        api, hook_event_name="PostToolUseFailure", tool_use_id="toolu_2", error="no such file"
    )

    assert done == "exit 0\n"
    assert (await api.store.approval(id)).state is State.DONE
    failed = await api.store.approval(second)
    assert (failed.state, failed.note) == (State.FAILED, "no such file")


async def test_the_result_closes_the_question_that_the_person_answered_in_the_client(api: ApiServer) -> None:
    await api.scene.add_rule(RuleList.ALLOW, "Bash(cp *)")
    reply, id = await send_event_that_asks(api, **PERMISSION)
    await send_hook_event(api, hook_event_name="PostToolUse")

    assert (await api.store.approval(id)).state is State.WITHDRAWN
    assert printed_json(await reply)["decision"]["behavior"] == "deny"


async def test_the_end_of_a_session_withdraws_its_questions_only(api: ApiServer) -> None:
    reply, id = await send_event_that_asks(api)
    other, stays = await send_event_that_asks(api, session_id="s2", tool_use_id="toolu_2")
    ended = await send_hook_event(api, hook_event_name="SessionEnd")

    assert ended == "exit 0\n"
    assert (await api.store.approval(id)).state is State.WITHDRAWN
    assert (await api.store.approval(stays)).state is State.PENDING
    assert "session of Claude Code ended" in printed_json(await reply)["permissionDecisionReason"]
    await api.answer(stays, "deny")
    await other


def transcript_of_one_message(path: Path, *calls: str) -> str:
    """A transcript whose last message has these calls."""
    blocks = [{"type": "tool_use", "id": one} for one in calls]
    message = {"id": "m1", "stop_reason": "tool_use", "content": blocks}
    path.write_text(json.dumps({"type": "assistant", "message": message}) + "\n", "utf-8")
    return str(path)


DEFERS = {**HEADERS, "assent-defer": "1"}


async def test_a_deferred_question_outlives_its_session_and_is_claimed_once(
    api: ApiServer, tmp_path: Path
) -> None:
    changes: dict[str, Any] = {
        "headers": DEFERS,
        "transcript_path": transcript_of_one_message(tmp_path / "t", "toolu_1"),
    }
    first = printed_json(await send_hook_event(api, **changes))
    await send_hook_event(api, hook_event_name="SessionEnd")
    again = printed_json(await send_hook_event(api, **changes, prompt_id=None))
    (asked,) = (await api.store.approvals(ApprovalFilter(states=frozenset({State.PENDING})))).approvals
    await api.answer(asked.id)
    resumed = printed_json(await send_hook_event(api, **changes, prompt_id=None))
    repeated = printed_json(
        await send_hook_event(api, **{**changes, "headers": {**DEFERS, "assent-nonce": "o" * 32}})
    )

    assert (asked.delivery, asked.lease) == (Delivery.SUSPEND, None)
    assert (first["permissionDecision"], again["permissionDecision"]) == ("defer", "defer")
    assert asked.id in first["permissionDecisionReason"]
    assert (resumed["permissionDecision"], repeated["permissionDecision"]) == ("allow", "deny")
    assert (await api.store.approval(asked.id)).state is State.RUNNING


async def test_a_denied_deferred_call_gets_the_words_of_the_person(api: ApiServer, tmp_path: Path) -> None:
    changes: dict[str, Any] = {
        "headers": DEFERS,
        "transcript_path": transcript_of_one_message(tmp_path / "t", "toolu_1"),
    }
    await send_hook_event(api, **changes)
    (asked,) = (await api.store.approvals(ApprovalFilter(states=frozenset({State.PENDING})))).approvals
    await api.answer(asked.id, "deny", reason="not today")

    resumed = printed_json(await send_hook_event(api, **changes))

    assert resumed["permissionDecision"] == "deny"
    assert "not today" in resumed["permissionDecisionReason"]


@pytest.mark.parametrize(
    ("headers", "changes"),
    [
        (HEADERS, {}),
        (DEFERS, {"tool_use_id": "toolu_2"}),
        (DEFERS, {"agent_id": "a1", "agent_type": "Explore"}),
        (DEFERS, PERMISSION),
    ],
    ids=["not wanted", "one of two calls", "sub-agent", "permission"],
)
async def test_every_other_question_waits_for_its_answer(
    api: ApiServer, tmp_path: Path, headers: Any, changes: dict[str, Any]
) -> None:
    calls = ("toolu_1", "toolu_2") if "tool_use_id" in changes else ("toolu_1",)
    path = transcript_of_one_message(tmp_path / "t", *calls)

    reply, id = await send_event_that_asks(api, transcript_path=path, headers=headers, **changes)
    await api.answer(id)

    assert (await reply).startswith(f"waiting {id}\n")


async def test_a_call_that_needs_nobody_is_never_deferred(api: ApiServer, tmp_path: Path) -> None:
    path = transcript_of_one_message(tmp_path / "t", "toolu_1")

    read = printed_json(await send_hook_event(api, headers=DEFERS, transcript_path=path, **READ))

    assert read["permissionDecision"] == "allow"


async def test_the_end_of_a_session_closes_the_reads_whose_results_are_not_reported(api: ApiServer) -> None:
    await api.scene.add_rule(RuleList.ASK, "Read")
    read = {"tool_name": "Read", "tool_input": {"file_path": "/etc/hosts"}}
    reply, id = await send_event_that_asks(api, **read)
    await api.answer(id)
    await reply
    command, runs = await send_event_that_asks(api, tool_use_id="toolu_2")
    await api.answer(runs)
    await command
    await send_hook_event(api, hook_event_name="SessionEnd")

    closed = await api.store.approval(id)
    assert (closed.state, closed.note) == (State.DONE, "Claude Code reports no result")
    assert (await api.store.approval(runs)).state is State.RUNNING


async def test_the_start_of_a_session_opens_its_conversation(api: ApiServer) -> None:
    lines = await send_hook_event(api, hook_event_name="SessionStart", session_id="new")

    assert lines == "exit 0\n"
    assert (await api.store.conversation("new")) is not None


START = {
    "hook_event_name": "SessionStart",
    "source": "startup",
    "cwd": "/srv/shop/src",
    "tool_name": None,
    "tool_input": None,
}


@pytest.fixture
def same_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every hook see the file system of the server."""
    monkeypatch.setattr(hooks, "shares_files", lambda _: True)


async def asked_projects(api: ApiServer) -> list[Approval]:
    """The open questions about projects."""
    page = await api.store.approvals(ApprovalFilter(states=frozenset({State.PENDING})))
    return [one for one in page.approvals if one.call.tool == "workspace.register"]


@pytest.mark.usefixtures("same_disk")
async def test_a_session_in_an_unregistered_project_offers_a_person_to_register_it(api: ApiServer) -> None:
    replies = [await send_hook_event(api, **START, session_id=one) for one in ("s1", "s2")]
    (asked,) = await asked_projects(api)
    refused = await api.answer(asked.id)
    by_agent = await api.answer(asked.id, name="clerk")
    elsewhere = await api.answer(asked.id, name="ada", args={"agent": "clerk", "root": "/srv"})
    answered = await api.answer(asked.id, name="ada")
    await send_hook_event(api, **START, session_id="s3")

    assert replies == ["exit 0\n"] * 2
    assert asked.call.args == {"agent": "clerk", "root": "/srv/shop"}
    assert not asked.decision.always_offered
    assert [one.status for one in (refused, by_agent, elsewhere, answered)] == [403, 403, 422, 200]
    assert (answered.json["state"], await asked_projects(api)) == ("done", [])
    (found,) = (await api.get("ada", "/v1/workspaces")).json["items"]
    assert (found["agent"], found["root"], found["remote"], found["by"]) == (
        "clerk",
        "/srv/shop",
        False,
        "ada",
    )


@pytest.mark.usefixtures("same_disk")
async def test_a_no_is_the_answer_for_all_later_sessions(api: ApiServer) -> None:
    await send_hook_event(api, **START)
    (asked,) = await asked_projects(api)
    await api.answer(asked.id, "deny")
    await send_hook_event(api, **START, session_id="s2")

    assert await asked_projects(api) == []
    assert (await api.get("ada", "/v1/workspaces")).json["items"] == []


@pytest.mark.usefixtures("same_disk")
@pytest.mark.parametrize(
    "changes",
    [{"source": "compact"}, {"source": "resume"}, {"cwd": "/home/ana"}, {"session_id": TEST_SESSION}],
)
async def test_nobody_is_asked_about_other_directories(api: ApiServer, changes: dict[str, Any]) -> None:
    await send_hook_event(api, **{**START, **changes})

    assert await asked_projects(api) == []


async def test_nobody_is_asked_where_the_disk_is_not_shared(api: ApiServer) -> None:
    await send_hook_event(api, **START)

    assert await asked_projects(api) == []


@pytest.mark.usefixtures("same_disk")
async def test_an_agent_that_asks_by_itself_registers_nothing(api: ApiServer) -> None:
    await send_hook_event(api, **START)
    (asked,) = await asked_projects(api)
    call = {
        "tool": "workspace.register",
        "args": {"agent": "clerk", "root": "/srv/other"},
        "id": asked.call.id,
    }
    made = (await api.ask(call), await api.ask({**call, "id": "mine"}))
    for id in made:
        await api.answer(id, name="ada")

    assert (await api.get("ada", "/v1/workspaces")).json["items"] == []


async def test_the_clients_mode_narrows_and_never_widens(api: ApiServer) -> None:
    wide = await send_event_that_asks(api, permission_mode="bypassPermissions")
    planned = printed_json(await send_hook_event(api, permission_mode="plan", tool_use_id="toolu_2"))
    alone = printed_json(await send_hook_event(api, permission_mode="dontAsk", tool_use_id="toolu_3"))
    await api.answer(wide[1], "deny")
    await wide[0]

    assert "plan mode only reads" in planned["permissionDecisionReason"]
    assert alone["permissionDecision"] == "deny"


async def test_the_files_of_the_events_workspace_choose_the_mode(api: ApiServer) -> None:
    usual = preset_policy("")
    for root, mode in (("/srv/planned", "plan"), ("/srv/edited", "accept_edits")):
        policy = replace(usual, preset=replace(usual.preset, modes=(mode,)))
        api.scene.workspace.policies[root] = lambda _, policy=policy: policy  # type: ignore[misc]
    roots = {"workspaces": [{"root": root} for root in api.scene.workspace.policies]}
    await api.send("ada", "PUT", "/v1/agents/clerk/workspaces", roots)
    write = {"tool_name": "Write", "tool_input": {"file_path": "a.txt", "content": "x"}}

    planned = printed_json(await send_hook_event(api, cwd="/srv/planned/src"))
    edited = await send_hook_event(
        api, cwd="/srv/edited", permission_mode="acceptEdits", session_id="s2", **write
    )

    assert "plan mode only reads" in planned["permissionDecisionReason"]
    assert printed_json(edited)["permissionDecision"] == "allow"


async def test_rules_for_the_shell_apply_to_the_command_of_another_tool(api: ApiServer) -> None:
    await api.scene.add_rule(RuleList.DENY, "Bash(touch *)")
    await api.scene.add_rule(RuleList.ALLOW, "Monitor")
    denied = printed_json(await send_hook_event(api, tool_name="Monitor", tool_input={"command": "touch x"}))
    reply, id = await send_event_that_asks(
        api, tool_name="Monitor", tool_input={"command": "cp a b"}, tool_use_id="toolu_2"
    )
    await api.answer(id)

    assert "deny rule `Bash(touch *)`" in denied["permissionDecisionReason"]
    assert printed_json(await reply)["permissionDecision"] == "allow"


async def test_a_test_event_is_answered_and_leaves_nothing_behind(api: ApiServer) -> None:
    before = await api.stored_state()
    found = printed_json(await send_hook_event(api, session_id=TEST_SESSION))

    assert found["permissionDecision"] == "ask"
    assert await api.stored_state() == before


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"hook_event_name": "Later"}, "hook event `Later` is unknown"),
        ({"hook_event_name": 1}, "`hook_event_name` of the hook event is not a text"),
        ({"cwd": "src"}, "not an absolute path"),
        ({"session_id": "s" * 10_000}, "longer than 256"),
        ({"tool_use_id": "t" * 10_000}, "longer than 256"),
        ({"tool_use_id": None}, "`tool_use_id` of the hook event is missing"),
        ({"tool_name": "a b"}, "tool name `a b` cannot be used"),
        ({"tool_name": "a" * 129}, "cannot be used"),
        ({"tool_input": []}, "not an object"),
        ({"tool_input": {"command": "\ud800"}}, "surrogate"),
        ({"session_id": "a\nb"}, "printable"),
    ],
)
async def test_an_event_that_cannot_be_read_blocks_with_a_sentence(
    in_memory: ApiServer, changes: dict[str, object], words: str
) -> None:
    lines = (await send_hook_event(in_memory, **changes)).splitlines()

    assert lines[-1] == "exit 2"
    assert lines[0].startswith("err assent: this call is blocked: ")
    assert words in lines[0]


@pytest.mark.parametrize("body", [b"{", b"\xff\xfe", b"[]", b'{"a": 1, "a": 2}', b"[" * 100_000])
async def test_a_body_that_is_no_event_blocks_with_a_sentence(in_memory: ApiServer, body: bytes) -> None:
    reply = await in_memory.post("clerk", PATH, body, headers=HEADERS)

    assert reply.status == 200
    assert reply.json.splitlines()[-1] == "exit 2"
    assert reply.json.startswith("err assent: this call is blocked: ")


@pytest.mark.parametrize("version", [None, "2", "\x7f", "x" * 1000])
async def test_another_version_of_the_hook_is_told_to_install_again(
    in_memory: ApiServer, version: str | None
) -> None:
    headers = {} if version is None else {"assent-hook": version}

    lines = (await send_hook_event(in_memory, headers=headers)).splitlines()

    assert (lines[-1], "assent hook install" in lines[0]) == ("exit 2", True)


async def test_an_event_above_the_limit_is_refused(in_memory: ApiServer) -> None:
    reply = await in_memory.post("clerk", PATH, {**EVENT, "tool_input": {"command": "x" * 10_000_000}})

    assert reply.status == 413


async def test_only_an_agent_has_a_hook(in_memory: ApiServer) -> None:
    lines = await send_hook_event(in_memory, name="ana")
    nobody = await in_memory.post(None, PATH, EVENT, headers={**HEADERS, "authorization": "Bearer x"})

    assert "a hook needs the token of an agent" in lines
    assert nobody.status == 401


async def test_a_question_of_another_agent_cannot_be_attached(in_memory: ApiServer) -> None:
    reply, id = await send_event_that_asks(in_memory)
    other = await in_memory.post("bens-clerk", f"{PATH}/{id}/wait", headers=HEADERS)
    await in_memory.answer(id, "deny")
    await reply

    assert other.status == 404


async def test_the_question_of_a_hook_that_is_gone_is_withdrawn_and_a_late_yes_grants_nothing(
    api: ApiServer,
) -> None:
    reply, id = await send_event_that_asks(api)
    reply.cancel()
    await asyncio.gather(reply, return_exceptions=True)
    api.scene.clock.advance(LEASE + timedelta(seconds=1))
    late = await api.answer(id)
    back = await api.post("clerk", f"{PATH}/{id}/wait", headers=HEADERS)

    assert late.status == 409
    assert printed_json(back.json)["permissionDecision"] == "deny"


async def test_the_sub_agent_of_a_call_is_named_on_its_card(api: ApiServer) -> None:
    await send_hook_event(api, hook_event_name="SubagentStart", agent_id="a1", agent_type="reviewer")
    reply, id = await send_event_that_asks(api, agent_id="a1", agent_type="reviewer")
    asked = await api.store.approval(id)
    await api.answer(id)

    assert asked.sub_agents == (SubAgent("a1", "reviewer"),)
    assert printed_json(await reply)["permissionDecision"] == "allow"
