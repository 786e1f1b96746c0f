"""Eases one by one: what spares a question, and that the loosest of them counts."""

from dataclasses import replace

import pytest

from assent.engine.model import Effect
from assent.engine.modes import Mode
from assent.engine.policy.tiers import Tier, TierSetting
from assent.engine.verdict import Stage, Verdict
from tests.engine import given

ALWAYS = {("clerk", "mail.send"): TierSetting(Tier.ALWAYS_ALLOW)}
MAIL = replace(given.mail(to="ana"), agent="clerk")


@pytest.mark.parametrize(
    ("more", "verdict", "stage", "because"),
    [
        ({}, Verdict.ASK, Stage.MODE, "default mode asks before calling external tools"),
        ({"mode": Mode.AUTO}, Verdict.RUN, Stage.MODE, "auto mode allows calling external tools"),
        (
            {"mode": None},
            Verdict.ASK,
            Stage.FALLBACK,
            "this agent has no mode, and its preset asks by default",
        ),
        (
            {"mode": None, "fallback": Verdict.RUN},
            Verdict.RUN,
            Stage.FALLBACK,
            "this agent has no mode, and its preset allows calls by default",
        ),
        ({"allow": ["mail.send"]}, Verdict.RUN, Stage.ALLOW_RULE, "allow rule `mail.send`"),
        ({"grants": ["mail.*"]}, Verdict.RUN, Stage.GRANT, "granted before: `mail.*`"),
        ({"tiers": ALWAYS}, Verdict.RUN, Stage.TIER, "`mail.send` is always allowed for this agent"),
    ],
    ids=str,
)
def test_each_ease_says_what_it_is(
    more: dict[str, object], verdict: Verdict, stage: Stage, because: str
) -> None:
    decision = given.decided(MAIL, given.policy(**more))

    assert (decision.verdict, decision.stage, decision.because) == (verdict, stage, because)


def test_among_eases_the_first_of_the_table_decides() -> None:
    everything = given.policy(tiers=ALWAYS, grants=["mail.send"], allow=["mail.send"], mode=Mode.AUTO)

    decision = given.decided(MAIL, everything)

    assert decision.stage is Stage.TIER
    assert [step.stage for step in decision.steps] == [Stage.TIER, Stage.GRANT, Stage.ALLOW_RULE, Stage.MODE]


def test_an_ease_that_only_asks_is_silent_when_another_runs() -> None:
    decision = given.decided(MAIL, given.policy(allow=["mail.send"]))

    assert [step.stage for step in decision.steps] == [Stage.ALLOW_RULE]


@pytest.mark.parametrize("mode", [*Mode, None])
@pytest.mark.proves("R000-2", "R001-3")
@pytest.mark.supports("R003-1")
def test_a_read_runs_in_every_mode_and_without_one(mode: Mode | None) -> None:
    call = given.on_path(given.READ_FILE, "a")

    assert given.decided(call, given.policy(mode=mode)).stage is Stage.READ


@pytest.mark.proves("T-32", "D-8")
def test_the_question_about_a_repository_says_what_trust_would_change() -> None:
    call = given.run("git status")

    assert given.decided(call, given.policy(), trusted=False).because.endswith(
        "in a trusted repository it would count as reading"
    )
    assert "trusted" not in given.decided(given.run("frob"), given.policy(), trusted=False).because


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("git status | wc -l", True),
        ("cd src && git log -3", True),
        ("git status && make", False),
        ("git push", False),
        ("cd /tmp && git status", False),
    ],
)
@pytest.mark.proves("D-8")
def test_trust_is_offered_only_where_it_would_spare_the_question(line: str, told: bool) -> None:
    untrusted = given.decided(given.run(line), given.policy(), trusted=False)
    trusted = given.decided(given.run(line), given.policy(), trusted=True)

    assert untrusted.verdict is Verdict.ASK
    assert ("in a trusted repository" in untrusted.because) is told
    assert (trusted.verdict is Verdict.RUN) is told


def test_trust_is_not_offered_for_what_asks_anyway() -> None:
    shell = replace(given.SHELL, effect=Effect.DESTRUCTIVE)

    decision = given.decided(given.run("git status"), given.policy(shell), trusted=False)

    assert not any("trusted" in step.reason for step in decision.steps)
