"""Who calls, and who may see, answer, call and administer; without I/O."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple, cast

from assent.errors import ForbiddenError, InputError, NotFoundError
from assent.gate.ids import check_id
from assent.gate.preset import Scope

_RESOURCE_PREFIXES = _CONVERSATION_PREFIX, _AGENT_PREFIX = "conversation:", "agent:"
MAX_SUB_AGENTS = 8
"""The maximum depth of sub-agents that a call can name."""


class Kind(StrEnum):
    """The kind of a principal."""

    PERSON = "person"
    AGENT = "agent"
    SERVICE = "service"


class Role(StrEnum):
    """The role of a person for a conversation or an agent."""

    OWNER = "owner"
    APPROVER = "approver"
    VIEWER = "viewer"


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """The authenticated caller of a request: a person, an agent, or a service."""

    id: str
    kind: Kind = Kind.PERSON
    on_behalf: str = ""
    """The person that an agent or a service works for."""
    administrator: bool = False
    roles: Mapping[str, Role] = field(default_factory=dict[str, Role])
    """Roles by resource (`conversation_resource`, `agent_resource`), besides what the person owns."""

    @property
    def user(self) -> str:
        """The person that this principal is or works for."""
        match self.kind:
            case Kind.PERSON:
                return self.id
            case Kind.AGENT | Kind.SERVICE:
                return self.on_behalf


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """The object of a right: an owner's conversation with an agent."""

    owner: str
    conversation: str
    agent: str


class SubAgent(NamedTuple):
    """A sub-agent that a remote caller names with its call: an id for this run, and the kind of agent.

    The kind may be empty. The policy of a sub-agent can only narrow the policy of its agent.
    """

    id: str
    kind: str = ""

    @property
    def name(self) -> str:
        """The kind, which is the same in every run; else the id."""
        return self.kind or self.id

    def policy_name(self, agent: str) -> str:
        """The name under which rules and tiers for such sub-agents of an agent are stored."""
        return f"{agent}/{self.name}"


def agent_resource(name: str) -> str:
    """The resource of a role for all conversations with an agent."""
    return f"{_AGENT_PREFIX}{name}"


def conversation_resource(id: str) -> str:
    """The resource of a role for one conversation.

    The prefix differs from an agent's: a conversation with an agent's name must not give that agent's
    approvers access.
    """
    return f"{_CONVERSATION_PREFIX}{id}"


def role_resources(conversation: str, agent: str) -> tuple[str, str]:
    """The two resources whose roles apply to a call: its conversation and its agent."""
    return conversation_resource(conversation), agent_resource(agent)


def split_role_resources(subjects: Iterable[str]) -> tuple[list[str], list[str]]:
    """The conversation ids and the agent names in some resources, each list sorted."""
    named = sorted(subjects)
    talks, agents = (
        [one.removeprefix(kind) for one in named if one.startswith(kind)] for kind in _RESOURCE_PREFIXES
    )
    return talks, agents


def check_role_resource(text: str) -> None:
    """Raise `InputError` for a resource that is neither an agent nor a conversation."""
    kind, _, name = text.partition(":")
    if f"{kind}:" not in _RESOURCE_PREFIXES or not name:
        raise InputError(
            f"a role is for `{agent_resource('NAME')}` or `{conversation_resource('ID')}`, not for `{text}`"
        )


def check_can_answer(principal: Principal, resource: Resource) -> None:
    """Check that the principal is a person who is the owner, an approver or an administrator."""
    check_can_see(principal, resource)
    if principal.kind is not Kind.PERSON:
        raise ForbiddenError(
            principal.id, f"only a person can answer, and this is a token of kind `{principal.kind}`"
        )
    if _find_role(principal, resource) not in (Role.OWNER, Role.APPROVER):
        raise ForbiddenError(principal.id, "answering requires the role `approver`")


def check_can_see(principal: Principal, resource: Resource) -> None:
    """Raise `NotFoundError` if the principal may not see the resource, as if it did not exist."""
    if not can_see(principal, resource):
        raise NotFoundError("conversation", resource.conversation)


def can_see(principal: Principal, resource: Resource) -> bool:
    """Whether a principal may see a resource; an agent sees only its own calls."""
    if principal.kind is Kind.AGENT:
        # Two people may each have an agent of the same name.
        return principal.id == resource.agent and principal.on_behalf == resource.owner
    return _find_role(principal, resource) is not None


def check_scope(principal: Principal, resource: Resource, scope: Scope) -> None:
    """Check that a lasting approval has no wider scope than the rights of the person who gives it."""
    match scope:
        case Scope.CONVERSATION:
            return
        case Scope.USER | Scope.USER_AGENT:
            if not principal.administrator and principal.user != resource.owner:
                raise ForbiddenError(principal.id, "only the owner can approve beyond this conversation")
        case Scope.AGENT | Scope.EVERYONE:
            if not principal.administrator:
                raise ForbiddenError(principal.id, "an approval for other people requires an administrator")


def check_administrator(principal: Principal) -> None:
    """Check that the principal is an administrator and not an agent."""
    if principal.kind is Kind.AGENT or not principal.administrator:
        raise ForbiddenError(principal.id, "changing policy requires an administrator")


def check_can_act_for(principal: Principal, user: str) -> None:
    """Check that the principal is this user, or a person who is an administrator."""
    if principal.kind is not Kind.PERSON or (principal.id != user and not principal.administrator):
        raise ForbiddenError(principal.id, "acting for other people requires an administrator")


def check_can_call(principal: Principal, resource: Resource) -> None:
    """Check that the principal is the owner, or an agent or service that works for the owner."""
    acts = principal.kind is not Kind.AGENT or principal.id == resource.agent
    if not principal.user or principal.user != resource.owner or not acts:
        raise NotFoundError("conversation", resource.conversation)


def check_owner(principal: Principal, resource: Resource) -> None:
    """Check that the principal is the owner of the conversation, in person."""
    if principal.kind is not Kind.PERSON or _find_role(principal, resource) is not Role.OWNER:
        raise NotFoundError("conversation", resource.conversation)


def check_sub_agents(named: Sequence[SubAgent]) -> None:
    """Raise `InputError` for too many sub-agents, or for one without a usable id."""
    if len(named) > MAX_SUB_AGENTS:
        raise InputError(f"a call names at most {MAX_SUB_AGENTS} sub-agents, not {len(named)}")
    for one in named:
        if not one.id:
            raise InputError("a sub-agent needs an id")
        check_id("sub-agent", one.id)
        check_id("kind of the sub-agent", one.kind)


def sub_agents_to_text(named: Iterable[SubAgent]) -> str:
    """The sub-agents as compact JSON for a column; empty if there are none."""
    rows = [list(one) for one in named]
    return json.dumps(rows, separators=(",", ":")) if rows else ""


def sub_agents_from_text(text: str) -> tuple[SubAgent, ...]:
    """The sub-agents of such a column."""
    rows = cast("list[list[str]]", json.loads(text) if text else [])
    return tuple(SubAgent(*row) for row in rows)


def _find_role(principal: Principal, resource: Resource) -> Role | None:
    if principal.kind is Kind.AGENT:
        return None
    if principal.administrator or (resource.owner and principal.user == resource.owner):
        return Role.OWNER
    found = [principal.roles.get(one) for one in role_resources(resource.conversation, resource.agent)]
    held = [role for role in found if role is not None]
    return min(held, key=list(Role).index) if held else None
