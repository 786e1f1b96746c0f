"""Every verdict and answer is an audit row, and no row contains arguments of a call."""

import json
import logging
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from assent.config.preset import load_preset
from assent.engine.base.tool import Call
from assent.engine.policy.rule import RuleList
from assent.engine.policy.snapshot import Tier
from assent.errors import AssentError
from assent.gate.answer import Answer, Say
from assent.gate.approval import State
from assent.gate.calls import Run, Wait
from assent.gate.changes import answer_entry, ending_entry
from assent.gate.policy import StoredRule
from tests.gate.samples import ADA, ANA, BEN, approval_in_state, sample_approval
from tests.gate.scene import (
    ALWAYS,
    DENY,
    ONCE,
    PUBLISH,
    PUT,
    READ,
    REMOVE_ROOT,
    SEND,
    GateHarness,
    ask_person,
)
from tests.gate.test_proposals import NotesHarness, open_notes_harness

CANARY = "canary-7f3a9c"
CALLS = (
    Call(tool="sh", args={"command": f"make {CANARY}"}),
    Call(tool="sh", args={"command": f"cat /etc/{CANARY}"}),
    Call(tool="sh", args={"command": f"rm -rf / {CANARY}"}),
    Call(tool="sh", args={"command": f"denied {CANARY}"}),
    Call(tool="sh", args={"command": f"asked {CANARY}"}),
    Call(tool="sh", args={"command": f"allowed {CANARY}"}),
    Call(tool="note.read", args={CANARY: CANARY}),
    Call(tool="note.save", args={"path": f".git/{CANARY}"}),
    Call(tool="note.put", args={"key": CANARY, "value": [CANARY]}),
    Call(tool="note.drop", args={"key": CANARY}),
    Call(tool="mail.send", args={"to": CANARY}),
    Call(tool="nobody.knows", args={"x": CANARY}),
)
ANSWERS = (
    Answer(say=Say.ONCE),
    Answer(say=Say.ALWAYS),
    Answer(say=Say.CONVERSATION),
    Answer(say=Say.DENY),
    Answer(say=Say.ONCE, args={"command": f"make -n {CANARY}", "key": CANARY}),
)


async def _use_every_path(notes_harness: NotesHarness) -> None:
    """Submit and answer calls with a secret text on every path through the gate."""
    for kind, text in ((RuleList.DENY, "denied"), (RuleList.ASK, "asked"), (RuleList.ALLOW, "allowed")):
        rule = StoredRule(id=f"rule-{kind}", list=kind, text=f"sh({text} {CANARY})", by="")
        await notes_harness.gate.policy.add_rule(ADA, rule)
    await notes_harness.gate.policy.set_tiers(ADA, "clerk", {"mail.send": Tier.NEEDS_APPROVAL})
    await _release_and_refuse(notes_harness)
    for preset in ("assent", "chat", "fleet", "workbench", "tiers", "propose"):
        for mode in (None, *load_preset(preset).modes):
            for number, answer in enumerate(ANSWERS):
                await _submit_all(notes_harness, preset, mode, f"{preset}-{mode}-{number}", answer)


async def _release_and_refuse(notes_harness: NotesHarness) -> None:
    turn = await notes_harness.turn(conversation="others")
    build = Call(tool="sh", args={"command": f"build {CANARY}"}, id="first")
    first = await ask_person(turn, build)
    await ask_person(turn, replace(build, id="second"))
    await notes_harness.answer(first, ALWAYS)
    late = await ask_person(turn, Call(tool="sh", args={"command": f"late {CANARY}"}, id="late"))
    await notes_harness.answer(late, ONCE)
    await notes_harness.gate.policy.add_rule(
        ADA, StoredRule(id="late", list=RuleList.DENY, text=f"sh(late {CANARY})", by="")
    )
    await turn.resume(late.id)


async def _submit_all(
    notes_harness: NotesHarness, preset: str, mode: str | None, conversation: str, answer: Answer
) -> None:
    turn = await notes_harness.turn(preset, mode=mode, conversation=conversation)
    for number, call in enumerate(CALLS):
        outcome = await turn.submit(replace(call, id=f"call-{number}"))
        if not isinstance(outcome, Wait):
            continue
        try:
            if outcome.token and answer.yes:
                await notes_harness.gate.apply_proposal(ANA, outcome.token)
            else:
                await notes_harness.answer(outcome.approval, answer)
                taken = await turn.resume(outcome.approval.id)
                if isinstance(taken, Run):
                    await notes_harness.gate.report(taken.approval, taken.claim, failed=True, note=CANARY)
        except AssentError:
            continue
    await turn.end(f"stopped at {CANARY}")


@pytest.mark.proves("T-39", "R004-32", "R001-32")
@pytest.mark.supports("R001-33")
async def test_arguments_never_appear_in_the_audit_or_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    async with open_notes_harness("memory", tmp_path) as notes_harness:
        await _use_every_path(notes_harness)
        links, _ = await notes_harness.store.audit(limit=100_000)

    rows = [json.dumps(asdict(link.entry)) for link in links]
    decisions = {link.entry.decision for link in links}
    assert len(rows) > 1000
    assert decisions >= {
        "",
        "automatic",
        "approved",
        "denied",
        "released",
        "executed",
        "failed",
        "withdrawn",
        "refused",
    }
    assert [row for row in rows if CANARY in row] == []
    assert CANARY not in caplog.text
    answers = [link.entry for link in links if link.entry.decision in ("approved", "denied")]
    assert answers
    assert all(entry.asked_digest for entry in answers)


@pytest.mark.proves("T-39", "R002-44")
async def test_a_verdict_row_names_its_rule_by_id_and_never_by_text(harness: GateHarness) -> None:
    for kind, text in ((RuleList.DENY, "denied"), (RuleList.ASK, "asked"), (RuleList.ALLOW, "allowed")):
        rule = StoredRule(id=f"rule-{kind}", list=kind, text=f"sh({text} {CANARY})", by="")
        await harness.gate.policy.add_rule(ADA, rule)
    turn = await harness.turn()
    for word in ("denied", "asked", "allowed"):
        await turn.submit(Call(tool="sh", args={"command": f"{word} {CANARY}"}))
    question = await ask_person(turn, PUBLISH)
    await harness.answer(question, replace(ALWAYS, rules=("sh(make *)",)))
    await turn.submit(replace(PUBLISH, id=""))

    await harness.store.flush_audit()
    links, _ = await harness.store.audit()

    named = [link.entry.rule for link in links if link.entry.verdict]
    assert named == ["rule-deny", "rule-ask", "rule-allow", "", f"{question.id}-0"]


@pytest.mark.proves("R002-44", "T-39")
async def test_a_call_that_a_process_grant_allows_is_recorded_as_automatic_with_the_grant(
    harness: GateHarness,
) -> None:
    turn = await harness.turn("fleet")
    question = await ask_person(turn, PUBLISH)
    await harness.answer(question, ALWAYS)
    await turn.resume(question.id)

    await turn.submit(replace(PUBLISH, id=""))

    await harness.store.flush_audit()
    links, _ = await harness.store.audit()
    entry = links[-1].entry
    assert (entry.decision, entry.stage, entry.rule) == ("automatic", "grant", f"{question.id}-0")


async def test_a_rule_of_a_parent_agent_is_also_named(harness: GateHarness) -> None:
    await harness.add_rule(RuleList.DENY, "sh", agent="lead")
    above = await harness.turn(mode="auto", agent="lead")
    below = await harness.turn(mode="auto", agent="worker", parent=above)

    await below.submit(PUBLISH)

    await harness.store.flush_audit()
    links, _ = await harness.store.audit()
    assert links[-1].entry.rule == "deny-sh"


EXPECTED_ROWS = {
    "once": (Answer(say=Say.ONCE), "approved", False, ""),
    "for this conversation": (Answer(say=Say.CONVERSATION), "approved", False, ""),
    "always": (Answer(say=Say.ALWAYS), "approved", True, ""),
    "no": (Answer(say=Say.DENY), "denied", False, ""),
    "no, because": (Answer(say=Say.DENY, reason="not today"), "denied_with_reason", False, "not today"),
    "yes, because": (Answer(say=Say.ONCE, reason="fine"), "approved", False, ""),
    "by another's answer": (Answer(say=Say.ONCE, released_by="q0"), "released", False, ""),
}


@pytest.mark.proves("R004-31")
@pytest.mark.supports("R004-36")
@pytest.mark.parametrize("said", EXPECTED_ROWS)
def test_each_answer_is_recorded_with_its_decision_word(said: str) -> None:
    answer, decision, with_override, reason = EXPECTED_ROWS[said]

    entry = answer_entry(sample_approval(), replace(answer, by="ana"))

    assert (entry.decision, entry.with_override, entry.reason) == (decision, with_override, reason)
    who = (entry.user, entry.agent, entry.conversation, entry.call, entry.tool, entry.approval)
    assert who == ("ana", "clerk", "c1", "call-1", "terminal.exec", "q1")


@pytest.mark.proves("R001-31")
@pytest.mark.parametrize(
    ("state", "decision"),
    [
        (State.EXPIRED, "expired"),
        (State.WITHDRAWN, "withdrawn"),
        (State.LAPSED, "lapsed"),
        (State.REFUSED, "refused"),
        (State.DONE, "executed"),
        (State.FAILED, "failed"),
        (State.UNKNOWN, "unknown"),
    ],
)
def test_each_final_state_is_recorded_with_its_decision_word(state: State, decision: str) -> None:
    assert ending_entry(approval_in_state(state, note=CANARY)).decision == decision


@pytest.mark.proves("R004-23")
async def test_each_answer_in_a_turn_is_one_audit_row(harness: GateHarness) -> None:
    turn = await harness.turn()
    questions = [await ask_person(turn, call) for call in (PUT, SEND, PUBLISH)]
    for question, answer in zip(questions, (ONCE, DENY, ALWAYS), strict=True):
        await harness.answer(question, answer)

    assert [one["decision"] for one in await harness.entries()] == [""] * 3 + [
        "approved",
        "denied",
        "approved",
    ]


@pytest.mark.proves("R004-38")
async def test_an_answer_without_effect_writes_no_audit_row(harness: GateHarness) -> None:
    question = await ask_person(await harness.turn(), PUT)

    for who, digest in ((BEN, question.digest), (ANA, "0" * 64)):
        with pytest.raises(AssentError):
            await harness.answer(question, ONCE, who, digest=digest)

    assert len(await harness.entries()) == 1


async def test_every_verdict_is_an_audit_row_with_its_stage(harness: GateHarness) -> None:
    turn = await harness.turn()
    for call in (READ, PUT, REMOVE_ROOT, Call(tool="nobody.knows", args={})):
        await turn.submit(call)

    assert [(one["verdict"], one["decision"], one["stage"]) for one in await harness.entries()] == [
        ("run", "automatic", "read"),
        ("ask", "", "mode"),
        ("ask", "", "breaker"),
        ("absent", "", "unknown"),
    ]
