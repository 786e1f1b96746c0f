"""Deny and ask rules about files that a command may read by one of its words."""

import pytest

from assent.engine.policy.verdict import Stage, Verdict
from tests.engine import given


@pytest.mark.parametrize(
    ("line", "verdict"),
    [
        ("foo k", Verdict.DENY),
        ("foo --in=k", Verdict.DENY),
        ("foo other", Verdict.ASK),
        ("grep -r a . --include=k", Verdict.DENY),
        ("grep -r a . --include='k*'", Verdict.DENY),
        ("find . -name k -exec cat {} +", Verdict.DENY),
        ("grep -r a . --include='*.py'", Verdict.RUN),
    ],
)
def test_a_denial_of_reading_meets_the_words_of_a_command(line: str, verdict: Verdict) -> None:
    policy = given.make_snapshot(deny=["files.read(k)"])

    assert given.decide_call(given.shell_call(line), policy, trusted=True).verdict is verdict


@pytest.mark.parametrize("line", ["rg -uu a", "grep -r a . --include='*'"])
def test_what_may_match_asks(line: str) -> None:
    policy = given.make_snapshot(deny=["files.read(k)"])

    decision = given.decide_call(given.shell_call(line), policy, trusted=True)

    assert (decision.verdict, decision.stage) == (Verdict.ASK, Stage.UNRESOLVED)
