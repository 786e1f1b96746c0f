"""Tests of all rights, with every kind of principal in every role."""

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

RESOURCE = Resource(owner="ana", conversation="c1", agent="clerk")
ROLES = (None, *Role)
SIMILAR_NAMES = [(name, Role.OWNER) for name in ("c1", "clerk", "agent:c1", "conversation:clerk")]
"""Roles for other resources with similar names, which must give no rights."""
ALL_PRINCIPALS = [
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
                *SIMILAR_NAMES,
            )
            if role
        },
    )
    for name, kind, on_behalf, administrator, here, there in product(
        ("ana", "ben", "clerk", ""), Kind, ("", "ana", "ben"), (False, True), ROLES, ROLES
    )
]
"""864 principals: every combination of name, kind, user, administrator and role."""


def check_result(check: object, *given: object) -> str:
    try:
        check(*given)  # type: ignore[operator]
    except ForbiddenError:
        return "forbidden"
    except NotFoundError:
        return "not found"
    return "may"


def expected_role(principal: Principal) -> Role | None:
    """The widest role of a principal, computed in the simplest way."""
    if principal.kind is Kind.AGENT:
        return None
    person = principal.id if principal.kind is Kind.PERSON else principal.on_behalf
    if principal.administrator or person == "ana":
        return Role.OWNER
    held = {principal.roles.get("conversation:c1"), principal.roles.get("agent:clerk")}
    return next((role for role in Role if role in held), None)


def is_visible(principal: Principal) -> bool:
    is_the_agent = principal.kind is Kind.AGENT and (principal.id, principal.on_behalf) == ("clerk", "ana")
    return expected_role(principal) is not None or is_the_agent


@pytest.mark.proves("T-5")
def test_an_agent_never_answers_in_any_role_and_for_any_user() -> None:
    agents = [one for one in ALL_PRINCIPALS if one.kind is Kind.AGENT]

    assert len(agents) == 384
    assert {check_result(check_can_answer, one, RESOURCE) for one in agents} == {"forbidden", "not found"}
    assert {check_result(check_administrator, one) for one in agents} == {"forbidden"}
    assert {check_result(check_owner, one, RESOURCE) for one in agents} == {"not found"}


def test_a_service_never_answers_either() -> None:
    services = [one for one in ALL_PRINCIPALS if one.kind is Kind.SERVICE]

    assert "may" not in {check_result(check_can_answer, one, RESOURCE) for one in services}


def test_only_an_owner_or_approver_can_answer() -> None:
    wrong = [
        one
        for one in ALL_PRINCIPALS
        if (check_result(check_can_answer, one, RESOURCE) == "may")
        != (one.kind is Kind.PERSON and expected_role(one) in (Role.OWNER, Role.APPROVER))
    ]

    assert wrong == []


@pytest.mark.proves("T-38")
def test_a_resource_that_a_principal_may_not_see_is_not_found() -> None:
    strangers = [one for one in ALL_PRINCIPALS if not is_visible(one)]

    assert strangers
    for check in (check_can_see, check_can_answer, check_owner):
        assert {check_result(check, one, RESOURCE) for one in strangers} == {"not found"}


@pytest.mark.parametrize("text", ["clerk", "agent:", "conversation:", "Agent:clerk", "agents:clerk", ":", ""])
def test_a_role_resource_must_be_an_agent_or_a_conversation(text: str) -> None:
    check_role_resource(agent_resource("clerk"))
    check_role_resource(conversation_resource("c:1"))
    with pytest.raises(InputError, match="a role is for `agent:NAME` or `conversation:ID`"):
        check_role_resource(text)


def test_a_viewer_who_answers_gets_an_error_that_names_the_missing_role() -> None:
    viewer = Principal(id="vera", roles={"conversation:c1": Role.VIEWER})

    with pytest.raises(ForbiddenError) as caught:
        check_can_answer(viewer, RESOURCE)

    assert (caught.value.who, caught.value.missing) == ("vera", "answering requires the role `approver`")


def test_people_see_what_their_role_allows_and_agents_see_their_own_calls() -> None:
    assert [one for one in ALL_PRINCIPALS if can_see(one, RESOURCE) != is_visible(one)] == []


def test_only_the_owner_in_person_can_change_a_conversation() -> None:
    wrong = [
        one
        for one in ALL_PRINCIPALS
        if (check_result(check_owner, one, RESOURCE) == "may")
        != (one.kind is Kind.PERSON and expected_role(one) is Role.OWNER)
    ]

    assert wrong == []


def test_only_administrators_that_are_not_agents_can_change_policy() -> None:
    wrong = [
        one
        for one in ALL_PRINCIPALS
        if (check_result(check_administrator, one) == "may")
        != (one.administrator and one.kind is not Kind.AGENT)
    ]

    assert wrong == []


def test_only_the_owner_or_an_agent_or_service_of_the_owner_can_call() -> None:
    def can_call(one: Principal) -> bool:
        match one.kind:
            case Kind.PERSON:
                return one.id == "ana"
            case Kind.AGENT:
                return (one.id, one.on_behalf) == ("clerk", "ana")
            case Kind.SERVICE:
                return one.on_behalf == "ana"

    assert [
        one
        for one in ALL_PRINCIPALS
        if (check_result(check_can_call, one, RESOURCE) == "may") != can_call(one)
    ] == []
    assert {check_result(check_can_call, one, RESOURCE) for one in ALL_PRINCIPALS} == {"may", "not found"}


@pytest.mark.parametrize("scope", Scope)
def test_the_scope_of_a_lasting_approval_is_limited_by_the_rights_of_the_approver(scope: Scope) -> None:
    def can_use_scope(one: Principal) -> bool:
        match scope:
            case Scope.CONVERSATION:
                return True
            case Scope.USER | Scope.USER_AGENT:
                return one.administrator or one.user == "ana"
            case Scope.AGENT | Scope.EVERYONE:
                return one.administrator

    people = [one for one in ALL_PRINCIPALS if check_result(check_can_answer, one, RESOURCE) == "may"]
    assert [
        one
        for one in people
        if (check_result(check_scope, one, RESOURCE, scope) == "may") != can_use_scope(one)
    ] == []


def test_a_conversation_without_an_owner_belongs_to_no_user() -> None:
    orphaned = replace(RESOURCE, owner="")

    assert not can_see(Principal(id=""), orphaned)
    assert not can_see(Principal(id="robot", kind=Kind.SERVICE), orphaned)
    assert check_result(check_can_call, Principal(id=""), orphaned) == "not found"
    assert check_result(check_can_call, Principal(id="clerk", kind=Kind.AGENT), orphaned) == "not found"


def test_the_user_of_an_agent_is_the_person_it_works_for() -> None:
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
def test_people_act_for_themselves_and_administrators_for_all_users(
    who: Principal, user: str, may: bool
) -> None:
    if may:
        check_can_act_for(who, user)
        return
    with pytest.raises(ForbiddenError):
        check_can_act_for(who, user)
