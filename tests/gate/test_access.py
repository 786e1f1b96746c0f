"""Rights: every kind of principal in every role, against every right there is."""

from dataclasses import replace
from itertools import product

import pytest

from assent.errors import ForbiddenError, InputError, NotFoundError
from assent.gate.access import (
    Kind,
    Principal,
    Resource,
    Role,
    agent_resource,
    can_see,
    check_administrator,
    check_can_act_for,
    check_can_answer,
    check_can_call,
    check_can_see,
    check_owner,
    check_role_resource,
    check_scope,
    conversation_resource,
)
from assent.gate.preset import Scope
from tests.gate.samples import ADA, ANA, CLERK, ROBOT

SUBJECT = Resource(owner="ana", conversation="c1", agent="clerk")
ROLES = (None, *Role)
MISNAMED = [(name, Role.OWNER) for name in ("c1", "clerk", "agent:c1", "conversation:clerk")]
"""Roles for a conversation that is named like the agent, and the other way round: they count for nothing."""
EVERYBODY = [
    Principal(
        id=name,
        kind=kind,
        on_behalf=on_behalf,
        administrator=administrator,
        roles={
            where: role
            for where, role in (
                ("conversation:c1", here),
                ("agent:clerk", there),
                ("conversation:c2", Role.OWNER),
                *MISNAMED,
            )
            if role
        },
    )
    for name, kind, on_behalf, administrator, here, there in product(
        ("ana", "ben", "clerk", ""), Kind, ("", "ana", "ben"), (False, True), ROLES, ROLES
    )
]
"""864 principals: whoever they are and whatever they were given by mistake."""


def outcome_of(check: object, *given: object) -> str:
    try:
        check(*given)  # type: ignore[operator]
    except ForbiddenError:
        return "forbidden"
    except NotFoundError:
        return "not found"
    return "may"


def role_of(principal: Principal) -> Role | None:
    """The widest role of a principal, computed in the simplest way."""
    if principal.kind is Kind.AGENT:
        return None
    person = principal.id if principal.kind is Kind.PERSON else principal.on_behalf
    if principal.administrator or person == "ana":
        return Role.OWNER
    held = {principal.roles.get("conversation:c1"), principal.roles.get("agent:clerk")}
    return next((role for role in Role if role in held), None)


def should_see(principal: Principal) -> bool:
    is_the_agent = principal.kind is Kind.AGENT and (principal.id, principal.on_behalf) == ("clerk", "ana")
    return role_of(principal) is not None or is_the_agent


@pytest.mark.proves("T-5")
def test_an_agent_never_answers_whoever_it_works_for_and_whatever_it_was_given() -> None:
    agents = [one for one in EVERYBODY if one.kind is Kind.AGENT]

    assert len(agents) == 384
    assert {outcome_of(check_can_answer, one, SUBJECT) for one in agents} == {"forbidden", "not found"}
    assert {outcome_of(check_administrator, one) for one in agents} == {"forbidden"}
    assert {outcome_of(check_owner, one, SUBJECT) for one in agents} == {"not found"}


def test_a_service_never_answers_either() -> None:
    services = [one for one in EVERYBODY if one.kind is Kind.SERVICE]

    assert "may" not in {outcome_of(check_can_answer, one, SUBJECT) for one in services}


def test_a_person_answers_as_owner_or_approver_and_in_no_other_role() -> None:
    wrong = [
        one
        for one in EVERYBODY
        if (outcome_of(check_can_answer, one, SUBJECT) == "may")
        != (one.kind is Kind.PERSON and role_of(one) in (Role.OWNER, Role.APPROVER))
    ]

    assert wrong == []


@pytest.mark.proves("T-38")
def test_what_is_not_yours_does_not_exist_for_you() -> None:
    strangers = [one for one in EVERYBODY if not should_see(one)]

    assert strangers
    for check in (check_can_see, check_can_answer, check_owner):
        assert {outcome_of(check, one, SUBJECT) for one in strangers} == {"not found"}


@pytest.mark.parametrize("text", ["clerk", "agent:", "conversation:", "Agent:clerk", "agents:clerk", ":", ""])
def test_a_role_is_for_an_agent_or_for_a_conversation(text: str) -> None:
    check_role_resource(agent_resource("clerk"))
    check_role_resource(conversation_resource("c:1"))
    with pytest.raises(InputError, match="a role is for `agent:NAME` or `conversation:ID`"):
        check_role_resource(text)


def test_who_knows_of_it_and_may_not_answer_is_told_what_is_missing() -> None:
    viewer = Principal(id="vera", roles={"conversation:c1": Role.VIEWER})

    with pytest.raises(ForbiddenError) as caught:
        check_can_answer(viewer, SUBJECT)

    assert (caught.value.who, caught.value.missing) == ("vera", "answering requires the role `approver`")


def test_everybody_sees_what_their_role_lets_them_and_an_agent_sees_its_own_calls() -> None:
    assert [one for one in EVERYBODY if can_see(one, SUBJECT) != should_see(one)] == []


def test_a_conversation_is_changed_by_its_owner_in_person() -> None:
    wrong = [
        one
        for one in EVERYBODY
        if (outcome_of(check_owner, one, SUBJECT) == "may")
        != (one.kind is Kind.PERSON and role_of(one) is Role.OWNER)
    ]

    assert wrong == []


def test_policy_is_changed_by_administrators_who_are_no_agents() -> None:
    wrong = [
        one
        for one in EVERYBODY
        if (outcome_of(check_administrator, one) == "may")
        != (one.administrator and one.kind is not Kind.AGENT)
    ]

    assert wrong == []


def test_calls_are_made_for_the_owner_by_the_owner_or_by_what_works_for_them() -> None:
    def begins(one: Principal) -> bool:
        match one.kind:
            case Kind.PERSON:
                return one.id == "ana"
            case Kind.AGENT:
                return (one.id, one.on_behalf) == ("clerk", "ana")
            case Kind.SERVICE:
                return one.on_behalf == "ana"

    assert [
        one for one in EVERYBODY if (outcome_of(check_can_call, one, SUBJECT) == "may") != begins(one)
    ] == []
    assert {outcome_of(check_can_call, one, SUBJECT) for one in EVERYBODY} == {"may", "not found"}


@pytest.mark.parametrize("scope", Scope)
def test_a_yes_that_lasts_reaches_no_further_than_the_right_of_whoever_gives_it(scope: Scope) -> None:
    def reaches(one: Principal) -> bool:
        match scope:
            case Scope.CONVERSATION:
                return True
            case Scope.USER | Scope.USER_AGENT:
                return one.administrator or one.user == "ana"
            case Scope.AGENT | Scope.EVERYONE:
                return one.administrator

    people = [one for one in EVERYBODY if outcome_of(check_can_answer, one, SUBJECT) == "may"]
    assert [
        one for one in people if (outcome_of(check_scope, one, SUBJECT, scope) == "may") != reaches(one)
    ] == []


def test_a_conversation_without_an_owner_is_nobodys() -> None:
    orphaned = replace(SUBJECT, owner="")

    assert not can_see(Principal(id=""), orphaned)
    assert not can_see(Principal(id="robot", kind=Kind.SERVICE), orphaned)
    assert outcome_of(check_can_call, Principal(id=""), orphaned) == "not found"
    assert outcome_of(check_can_call, Principal(id="clerk", kind=Kind.AGENT), orphaned) == "not found"


def test_the_person_behind_an_agent_is_the_one_it_works_for() -> None:
    assert Principal(id="ana").user == "ana"
    assert Principal(id="clerk", kind=Kind.AGENT, on_behalf="ana").user == "ana"
    assert Principal(id="robot", kind=Kind.SERVICE).user == ""


@pytest.mark.parametrize(
    ("who", "user", "may"),
    [
        (ANA, "ana", True),
        (ANA, "ben", False),
        (ADA, "ben", True),
        (CLERK, "ana", False),
        (ROBOT, "ana", False),
    ],
)
def test_a_person_speaks_for_themselves_and_an_administrator_for_anybody(
    who: Principal, user: str, may: bool
) -> None:
    if may:
        check_can_act_for(who, user)
        return
    with pytest.raises(ForbiddenError):
        check_can_act_for(who, user)
