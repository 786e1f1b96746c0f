"""Replies that the real client accepts: the whole input on allow, always a message on deny."""

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from assent.client.client import Outcome, OutcomeKind
from assent.gate.calls import RememberedRule
from assent.gate.preset import Lifetime, Scope
from assent.hosts.claude.permission_reply import deny_reply, hook_reply, prompt_reply, refusal_text

RUN = Outcome(kind=OutcomeKind.RUN, args={"command": "ls -l"}, approval="a")
INPUT = {"command": "ls"}


@pytest.mark.proves("R002-14")
def test_allow_carries_the_input_and_an_edited_one_only_after_a_question() -> None:
    assert json.loads(prompt_reply(RUN, INPUT)) == {"behavior": "allow", "updatedInput": INPUT}
    assert json.loads(prompt_reply(RUN, INPUT, asked=True))["updatedInput"] == {"command": "ls -l"}


@pytest.mark.proves("R002-14", "R002-19")
@pytest.mark.parametrize(
    ("outcome", "message"),
    [
        (Outcome(kind=OutcomeKind.REFUSE, message="no"), "no"),
        (
            Outcome(kind=OutcomeKind.REFUSE, message="no", reason="use make"),
            "a person denied this call: use make",
        ),
        (Outcome(kind=OutcomeKind.REFUSE), "the call was not decided"),
        (Outcome(kind=OutcomeKind.WAIT), "nobody has answered yet"),
        (Outcome(kind=OutcomeKind.APPLIED), "the call was not decided"),
    ],
)
def test_everything_else_is_a_denial_with_a_message(outcome: Outcome, message: str) -> None:
    assert json.loads(prompt_reply(outcome, INPUT)) == {"behavior": "deny", "message": message}
    assert refusal_text(outcome) == message


def test_a_denial_never_lacks_its_message() -> None:
    assert json.loads(deny_reply("")) == {"behavior": "deny", "message": "the call was not decided"}


@pytest.mark.parametrize(
    ("rule", "pushed"),
    [
        ("Bash(npm test)", {"toolName": "Bash", "ruleContent": "npm test"}),
        ("Bash(npm run *)", {"toolName": "Bash", "ruleContent": "npm run *"}),
        ("Bash", {"toolName": "Bash"}),
        ("mcp__ci__run", {"toolName": "mcp__ci__run"}),
        ("Edit(src/**)", None),
        ("WebFetch(domain:example.org)", None),
        ("Bash(npm:*)", None),
        ("Bash(", None),
    ],
)
def test_always_pushes_only_rules_that_mean_the_same_to_the_client(
    rule: str, pushed: dict[str, str] | None
) -> None:
    remembered = RememberedRule(rule, Scope.AGENT, Lifetime.RESTART)
    reply = json.loads(prompt_reply(replace(RUN, remembered=(remembered,)), INPUT))

    expected = {"type": "addRules", "rules": [pushed], "behavior": "allow", "destination": "session"}
    assert reply.get("updatedPermissions") == (None if pushed is None else [expected])


def test_a_rule_with_an_end_or_a_number_of_uses_is_not_pushed() -> None:
    rule = RememberedRule("Bash(npm test)", Scope.AGENT, Lifetime.RESTART)
    limited = (rule._replace(uses=3), rule._replace(until=datetime(2030, 1, 1, tzinfo=UTC)))

    assert "updatedPermissions" not in json.loads(prompt_reply(replace(RUN, remembered=limited), INPUT))


def test_the_hook_prints_one_decision() -> None:
    assert json.loads(hook_reply("ask", "why"))["hookSpecificOutput"] == {
        "hookEventName": "PreToolUse",
        "permissionDecision": "ask",
        "permissionDecisionReason": "why",
    }
