"""Tests of the rules and grants that an approval adds under each preset, and of other approvals that they cover."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from assent.config.preset import load_preset
from assent.engine.base.reason import text_reason
from assent.engine.base.tool import Tool
from assent.engine.policy.rule import RuleList
from assent.engine.policy.verdict import Decision, Stage, Step, Verdict
from assent.errors import ConflictError, InputError
from assent.gate.always import (
    NO_ADDITIONS,
    PolicyAdditions,
    conversation_patterns,
    covers,
    policy_additions,
    rule_suggestions,
    rules_refusal_reason,
)
from assent.gate.answer import Answer, Say, narrowest_scope
from assent.gate.approval import Approval
from assent.gate.policy import StoredGrant, StoredRule
from assent.gate.preset import Always, Becomes, FirstOffer, Lifetime, Preset, Scope
from tests.gate.samples import CALL, NOW, TOOL, sample_approval

SHELL = replace(TOOL, template="{command}")
PUBLISH = sample_approval(tool=SHELL, args={"command": "make publish"})
MAIL = sample_approval(
    tool=Tool(name="mail.send"), call=replace(CALL, tool="mail.send", args={"to": "eve"}), id="mail"
)
ALWAYS = Answer(say=Say.ALWAYS, by="ana")
FOR_CHAT = Answer(say=Say.CONVERSATION, by="ana")


def sample_grant(approval: Approval, pattern: str, lifetime: Lifetime, **scope: object) -> StoredGrant:
    grant = StoredGrant(
        id=f"{approval.id}-0", pattern=pattern, lifetime=lifetime, by="ana", approval=approval.id
    )
    return replace(grant, **scope)  # type: ignore[arg-type]


def sample_rule(approval: Approval, text: str, **scope: str) -> StoredRule:
    return StoredRule(
        id=f"{approval.id}-0", list=RuleList.ALLOW, text=text, by="ana", approval=approval.id, **scope
    )  # type: ignore[arg-type]


def with_locked_step(approval: Approval, stage: Stage = Stage.BREAKER) -> Approval:
    step = Step(stage, Verdict.ASK, text_reason("circuit breaker: it removes everything"))
    decision = Decision(verdict=Verdict.ASK, stage=stage, reason=step.reason, steps=(step,))
    return replace(approval, decision=decision)


def with_tier_step(approval: Approval) -> Approval:
    step = Step(Stage.TIER, Verdict.ASK, text_reason("`mail.send` needs approval for this agent"))
    decision = approval.decision._replace(stage=Stage.TIER, reason=step.reason, steps=(step,))
    return replace(approval, decision=decision)


# ---- the six presets ------------------------------------------------------------------------


EXPECTED_ADDITIONS = {
    "assent": PolicyAdditions(
        rules=(sample_rule(PUBLISH, "terminal.exec(make publish)", agent="clerk", user="ana"),)
    ),
    "chat": PolicyAdditions(
        grants=(sample_grant(PUBLISH, "terminal.exec", Lifetime.RESTART, conversation="c1", user="ana"),),
    ),
    "fleet": PolicyAdditions(
        grants=(sample_grant(PUBLISH, "terminal.exec(make publish)", Lifetime.RESTART, agent="clerk"),),
    ),
    "workbench": PolicyAdditions(rules=(sample_rule(PUBLISH, "terminal.exec(make publish)", user="ana"),)),
    "tiers": PolicyAdditions(
        grants=(
            sample_grant(
                PUBLISH, "terminal.exec", Lifetime.FOREVER, agent="clerk", user="ana", override=True
            ),
        ),
    ),
}


@pytest.mark.proves("R000-20", "R000-26", "R002-21", "R004-10", "T-9", "T-30")
@pytest.mark.parametrize("preset", EXPECTED_ADDITIONS)
def test_always_adds_exactly_what_the_preset_defines(preset: str) -> None:
    assert policy_additions(PUBLISH, ALWAYS, load_preset(preset)) == EXPECTED_ADDITIONS[preset]


def test_under_propose_an_approval_is_for_one_call() -> None:
    for answer in (ALWAYS, FOR_CHAT):
        with pytest.raises(ConflictError, match="`always` is not offered"):
            policy_additions(PUBLISH, answer, load_preset("propose"))


@pytest.mark.proves("R000-19", "R002-18")
@pytest.mark.parametrize("preset", ["assent", "chat", "fleet", "propose", "tiers", "workbench"])
@pytest.mark.parametrize("say", [Say.ONCE, Say.DENY])
def test_once_and_deny_add_no_rule_or_grant(preset: str, say: Say) -> None:
    assert policy_additions(PUBLISH, Answer(say=say, by="ana"), load_preset(preset)) == NO_ADDITIONS


@pytest.mark.parametrize("preset", ["assent", "fleet", "workbench"])
def test_for_this_conversation_adds_a_grant_for_that_conversation_only(preset: str) -> None:
    found = policy_additions(PUBLISH, FOR_CHAT, load_preset(preset))

    assert found.rules == ()
    assert [(one.conversation, one.agent, one.user) for one in found.grants] == [("c1", None, "ana")]


def test_a_call_without_a_conversation_cannot_be_approved_for_the_conversation() -> None:
    alone = replace(PUBLISH, call=replace(PUBLISH.call, conversation=""))

    for preset, answer in (("assent", FOR_CHAT), ("chat", ALWAYS)):
        with pytest.raises(InputError, match="has no conversation"):
            policy_additions(alone, answer, load_preset(preset))


# ---- what a person may choose ---------------------------------------------------------------


EXPECTED_NAMES = {
    Scope.CONVERSATION: ("c1", None, "ana"),
    Scope.AGENT: (None, "clerk", None),
    Scope.USER_AGENT: (None, "clerk", "ana"),
    Scope.USER: (None, None, "ana"),
    Scope.EVERYONE: (None, None, None),
}


@pytest.mark.proves("T-9")
@pytest.mark.parametrize("scope", Scope)
def test_a_chosen_scope_sets_the_conversation_agent_and_user(scope: Scope) -> None:
    (rule,) = policy_additions(PUBLISH, replace(ALWAYS, scope=scope), load_preset("assent")).rules

    assert (rule.conversation, rule.agent, rule.user) == EXPECTED_NAMES[scope]


def test_a_preset_without_a_choice_ignores_the_choice_of_the_person() -> None:
    wide = replace(ALWAYS, scope=Scope.EVERYONE, lifetime=Lifetime.FOREVER)

    assert policy_additions(PUBLISH, wide, load_preset("chat")) == EXPECTED_ADDITIONS["chat"]
    assert policy_additions(PUBLISH, wide, load_preset("tiers")) == EXPECTED_ADDITIONS["tiers"]


@pytest.mark.proves("R002-22")
def test_under_fleet_the_scope_everyone_must_be_chosen_explicitly() -> None:
    fleet = load_preset("fleet")

    assert narrowest_scope(ALWAYS, fleet.always) is Scope.AGENT
    assert narrowest_scope(replace(ALWAYS, scope=Scope.EVERYONE), fleet.always) is Scope.EVERYONE


def test_an_approval_with_a_limited_lifetime_becomes_a_grant_instead_of_a_rule() -> None:
    until = NOW + timedelta(hours=2)
    soon = policy_additions(
        PUBLISH, replace(ALWAYS, lifetime=Lifetime.UNTIL, until=until), load_preset("assent")
    )
    thrice = policy_additions(PUBLISH, replace(ALWAYS, lifetime=Lifetime.USES, uses=3), load_preset("assent"))
    now = policy_additions(PUBLISH, replace(ALWAYS, lifetime=Lifetime.RESTART), load_preset("assent"))

    pattern, scope = "terminal.exec(make publish)", {"agent": "clerk", "user": "ana"}
    assert soon == PolicyAdditions(
        grants=(sample_grant(PUBLISH, pattern, Lifetime.UNTIL, until=until, **scope),)
    )
    assert thrice == PolicyAdditions(grants=(sample_grant(PUBLISH, pattern, Lifetime.USES, uses=3, **scope),))
    assert now == PolicyAdditions(grants=(sample_grant(PUBLISH, pattern, Lifetime.RESTART, **scope),))


@pytest.mark.parametrize(
    "wrong",
    [
        replace(ALWAYS, lifetime=Lifetime.UNTIL),
        replace(ALWAYS, lifetime=Lifetime.UNTIL, until=datetime(2099, 1, 1)),  # noqa: DTZ001 - that is the point
        replace(ALWAYS, lifetime=Lifetime.USES),
        replace(ALWAYS, lifetime=Lifetime.USES, uses=0),
        replace(ALWAYS, lifetime=Lifetime.USES, uses=-1),
    ],
)
def test_an_invalid_lifetime_is_refused(wrong: Answer) -> None:
    with pytest.raises(InputError):
        policy_additions(PUBLISH, wrong, load_preset("assent"))


@pytest.mark.proves("R000-25")
def test_until_restart_grants_are_not_stored() -> None:
    found = policy_additions(PUBLISH, ALWAYS, load_preset("chat"))

    assert found
    assert not found.stored_additions


# ---- rules that a person writes -------------------------------------------------------------


def test_a_rule_that_the_person_wrote_is_stored_unchanged() -> None:
    found = policy_additions(
        PUBLISH, replace(ALWAYS, rules=("terminal.exec(make *)",)), load_preset("assent")
    )

    assert [rule.text for rule in found.rules] == ["terminal.exec(make *)"]


@pytest.mark.proves("R003-65")
@pytest.mark.parametrize("text", ["mail.send", "terminal.*", "*", "mail.send(to=eve)"])
def test_a_rule_about_another_tool_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"is not about `terminal\.exec`"):
        policy_additions(PUBLISH, replace(ALWAYS, rules=(text,)), load_preset("assent"))


@pytest.mark.parametrize("text", ["terminal.exec(make", "", "terminal exec", "terminal.exec(make))("])
def test_an_invalid_rule_is_replaced_by_the_exact_call(text: str) -> None:
    found = policy_additions(PUBLISH, replace(ALWAYS, rules=(text,)), load_preset("assent"))

    assert [rule.text for rule in found.rules] == ["terminal.exec(make publish)"]


@pytest.mark.proves("T-30")
@pytest.mark.parametrize("preset", ["chat", "tiers", "fleet"])
def test_an_invalid_rule_never_becomes_wider_than_the_exact_call(preset: str) -> None:
    found = policy_additions(PUBLISH, replace(ALWAYS, rules=("terminal.exec(make",)), load_preset(preset))

    assert [grant.pattern for grant in found.grants] == ["terminal.exec(make publish)"]


@pytest.mark.proves("R003-65")
def test_a_rule_that_does_not_match_the_call_is_refused() -> None:
    with pytest.raises(InputError, match="would not allow this call"):
        policy_additions(PUBLISH, replace(ALWAYS, rules=("terminal.exec(npm *)",)), load_preset("assent"))


@pytest.mark.proves("R003-65")
def test_a_rule_that_covers_only_part_of_a_command_line_is_refused() -> None:
    two = replace(PUBLISH, call=replace(PUBLISH.call, args={"command": "make publish && make clean"}))

    with pytest.raises(InputError, match="would not allow this call"):
        policy_additions(two, replace(ALWAYS, rules=("terminal.exec(make publish)",)), load_preset("assent"))
    assert [rule.text for rule in policy_additions(two, ALWAYS, load_preset("assent")).rules] == [
        "terminal.exec(make publish)",
        "terminal.exec(make clean)",
    ]


def test_no_rule_is_written_if_none_is_safe() -> None:
    redirected = replace(PUBLISH, call=replace(PUBLISH.call, args={"command": "make publish > out.txt"}))

    with pytest.raises(ConflictError, match="no rule would be safe"):
        policy_additions(redirected, ALWAYS, load_preset("assent"))


def test_edited_arguments_can_be_approved_only_once() -> None:
    edited = replace(ALWAYS, args={"command": "make -n publish"})

    with pytest.raises(InputError, match="for this call only"):
        policy_additions(PUBLISH, edited, load_preset("assent"))


# ---- locked calls ---------------------------------------------------------------------------


@pytest.mark.parametrize("preset", EXPECTED_ADDITIONS)
def test_a_locked_call_does_not_offer_always(preset: str) -> None:
    for answer in (ALWAYS, FOR_CHAT, replace(ALWAYS, rules=("terminal.exec",))):
        with pytest.raises(ConflictError, match="this call asks every time: circuit breaker"):
            policy_additions(with_locked_step(PUBLISH), answer, load_preset(preset))
    assert rule_suggestions(with_locked_step(PUBLISH)) == ()


def test_a_grant_never_covers_a_locked_call() -> None:
    everything = PolicyAdditions(grants=(sample_grant(PUBLISH, "terminal.exec", Lifetime.FOREVER),))

    assert covers(everything, PUBLISH)
    assert not covers(everything, with_locked_step(PUBLISH))


@pytest.mark.proves("R004-10", "R004-11")
def test_a_grant_but_not_a_rule_lifts_a_tier_that_asks() -> None:
    asked = with_tier_step(MAIL)

    assert not covers(PolicyAdditions(rules=(sample_rule(asked, "mail.send"),)), asked)
    assert covers(PolicyAdditions(grants=(sample_grant(asked, "mail.send", Lifetime.FOREVER),)), asked)
    (grant,) = policy_additions(asked, ALWAYS, load_preset("assent")).grants
    assert grant.pattern == "mail.send(to=eve)"


# ---- the scope of an approval ---------------------------------------------------------------


@pytest.mark.proves("T-9", "R000-26", "R002-21", "R004-11")
@pytest.mark.parametrize(
    ("scope", "other"),
    [
        ({"conversation": "c1"}, {"conversation": "c2"}),
        ({"agent": "clerk"}, {"agent": "cook"}),
        ({"user": "ana"}, {"user": "ben"}),
        ({"agent": "clerk", "user": "ana"}, {"agent": "cook"}),
        ({"agent": "clerk", "user": "ana"}, {"user": "ben"}),
    ],
)
def test_a_grant_applies_only_to_the_scope_that_it_names(
    scope: dict[str, str], other: dict[str, str]
) -> None:
    elsewhere = replace(PUBLISH, call=replace(PUBLISH.call, **other))  # type: ignore[arg-type]
    granted = PolicyAdditions(grants=(sample_grant(PUBLISH, "terminal.exec", Lifetime.FOREVER, **scope),))
    ruled = PolicyAdditions(rules=(sample_rule(PUBLISH, "terminal.exec", **scope),))

    assert [covers(found, PUBLISH) for found in (granted, ruled)] == [True, True]
    assert [covers(found, elsewhere) for found in (granted, ruled)] == [False, False]


STRICT = Preset(
    name="strict",
    always=Always(
        becomes=Becomes.GRANT, width=FirstOffer.EXACT, scope=Scope.CONVERSATION, lifetime=Lifetime.FOREVER
    ),
)


@pytest.mark.parametrize("rules", [(), ("mail.send(to=eve)",)])
def test_a_custom_preset_with_exact_width_writes_the_exact_call(rules: tuple[str, ...]) -> None:
    (grant,) = policy_additions(MAIL, replace(ALWAYS, rules=rules), STRICT).grants

    assert (grant.pattern, grant.conversation) == ("mail.send(to=eve)", "c1")


@pytest.mark.parametrize("rule", ["mail.send", "mail.send(to=*)"])
def test_a_wider_rule_is_refused_if_the_preset_does_not_allow_widening(rule: str) -> None:
    with pytest.raises(InputError, match="does not allow wider rules"):
        policy_additions(MAIL, replace(ALWAYS, rules=(rule,)), STRICT)


@pytest.mark.parametrize("name", ["assent", "chat", "fleet", "workbench", "tiers", "propose"])
def test_the_patterns_shown_for_the_conversation_are_those_that_are_added(name: str) -> None:
    preset = load_preset(name)
    told = conversation_patterns(PUBLISH, preset)

    if preset.always.becomes is Becomes.NOTHING:
        assert told == ()
    else:
        assert told == tuple(one.pattern for one in policy_additions(PUBLISH, FOR_CHAT, preset).grants) != ()
    assert conversation_patterns(with_locked_step(PUBLISH), preset) == ()


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("terminal.exec(make *)", ""),
        ("terminal.exec(make publish)", ""),
        ("terminal.exec(make dist)", "would not allow this call"),
        ("files.read", "is not about `terminal.exec`"),
    ],
)
def test_the_objection_has_the_same_text_as_the_refusal(rule: str, said: str) -> None:
    preset = load_preset("assent")
    told = rules_refusal_reason([rule], PUBLISH, preset)

    assert said in told
    assert bool(told) is bool(said)
    if said:
        with pytest.raises(InputError) as refused:
            policy_additions(PUBLISH, replace(ALWAYS, rules=(rule,)), preset)
        assert str(refused.value) == told
