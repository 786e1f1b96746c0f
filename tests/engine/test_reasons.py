"""The reasons of steps name what about the call gives the verdict."""

from dataclasses import replace

import pytest

from assent.engine.base.reason import ReasonCode, make_reason
from assent.engine.policy.rule import parse_rule
from assent.engine.policy.rule_set import RuleSet
from tests.engine import given


@pytest.mark.parametrize(("why", "more"), [("", {}), ("use trash", {"why": "use trash"})])
def test_a_deny_rule_is_named_with_its_source_and_its_reason(why: str, more: dict[str, str]) -> None:
    rule = parse_rule("terminal.exec(rm *)", source="assent.toml, line 3", why=why)
    snapshot = replace(given.make_snapshot(), rules=RuleSet(deny=[rule]))

    assert given.decide_call(given.shell_call("rm x"), snapshot).reason == make_reason(
        ReasonCode.DENY_RULE, rule="terminal.exec(rm *)", source="assent.toml, line 3", **more
    )


def test_a_rule_without_a_source_is_named_with_its_layer() -> None:
    snapshot = given.make_snapshot(ask=["terminal.exec(ls *)"])

    assert given.decide_call(given.shell_call("ls src"), snapshot).reason.values["source"] == "user layer"
