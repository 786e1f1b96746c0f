"""Who may do what: rights as pure functions, checked where the change is made."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from assent.errors import ForbiddenError, InputError, NotFoundError
from assent.gate.preset import Scope

_KINDS = _CONVERSATION, _AGENT = "conversation:", "agent:"


class Kind(StrEnum):
    """What sort of somebody a principal is."""

    PERSON = "person"
    AGENT = "agent"
    SERVICE = "service"


class Role(StrEnum):
    """What a person is to a conversation or an agent."""

    OWNER = "owner"
    APPROVER = "approver"
    VIEWER = "viewer"


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """Somebody who acts: a person, an agent's process, or a service."""

    id: str
    kind: Kind = Kind.PERSON
    on_behalf: str = ""
    """The person an agent or a service works for."""
    administrator: bool = False
    roles: Mapping[str, Role] = field(default_factory=dict[str, Role])
    """Roles by conversation or agent (`of_conversation`, `of_agent`), besides what somebody owns."""

    @property
    def user(self) -> str:
        """The person behind whatever this principal does."""
        return self.id if self.kind is Kind.PERSON else self.on_behalf


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What a right is about: somebody's conversation with an agent."""

    owner: str
    conversation: str
    agent: str


def of_agent(name: str) -> str:
    """What a role is about that holds for every conversation with an agent."""
    return f"{_AGENT}{name}"


def of_conversation(id: str) -> str:
    """What a role is about that holds for one conversation.

    It is told from an agent's by its first word: whoever names a conversation after an agent must not
    thereby let that agent's approvers in.
    """
    return f"{_CONVERSATION}{id}"


def role_subjects(conversation: str, agent: str) -> tuple[str, str]:
    """The two that a role for a call may be about."""
    return of_conversation(conversation), of_agent(agent)


def role_names(subjects: Iterable[str]) -> tuple[list[str], list[str]]:
    """The conversations and the agents that these are, in order."""
    named = sorted(subjects)
    talks, agents = ([one.removeprefix(kind) for one in named if one.startswith(kind)] for kind in _KINDS)
    return talks, agents


def check_role_subject(text: str) -> None:
    """Refuse what is neither an agent nor a conversation."""
    kind, _, name = text.partition(":")
    if f"{kind}:" not in _KINDS or not name:
        raise InputError(f"a role is for `{of_agent('NAME')}` or `{of_conversation('ID')}`, not for `{text}`")


def check_answer(principal: Principal, subject: Subject) -> None:
    """Only a person answers: the owner, an approver, or an administrator."""
    check_see(principal, subject)
    if principal.kind is not Kind.PERSON:
        raise ForbiddenError(principal.id, f"a question is answered by a person, not by a {principal.kind}")
    if _role(principal, subject) not in (Role.OWNER, Role.APPROVER):
        raise ForbiddenError(principal.id, "answering needs the role `approver`")


def check_see(principal: Principal, subject: Subject) -> None:
    """What is not yours does not exist for you."""
    if not sees(principal, subject):
        raise NotFoundError("conversation", subject.conversation)


def sees(principal: Principal, subject: Subject) -> bool:
    """Whether somebody may know of this at all; an agent knows of its own calls only."""
    if principal.kind is Kind.AGENT:
        # Two people may each have an agent of the same name.
        return principal.id == subject.agent and principal.on_behalf == subject.owner
    return _role(principal, subject) is not None


def check_reach(principal: Principal, subject: Subject, scope: Scope) -> None:
    """A yes that lasts reaches no further than the right of whoever gives it."""
    match scope:
        case Scope.CONVERSATION:
            return
        case Scope.USER | Scope.USER_AGENT:
            if not principal.administrator and principal.user != subject.owner:
                raise ForbiddenError(principal.id, "only its owner says yes beyond this conversation")
        case Scope.AGENT | Scope.EVERYONE:
            if not principal.administrator:
                raise ForbiddenError(principal.id, "a yes for other people needs an administrator")


def check_administer(principal: Principal) -> None:
    """Policy is changed by administrators: never by an agent, whatever it was given."""
    if principal.kind is Kind.AGENT or not principal.administrator:
        raise ForbiddenError(principal.id, "changing policy needs an administrator")


def check_speak_for(principal: Principal, user: str) -> None:
    """A person acts for themselves; for somebody else an administrator does."""
    if principal.kind is not Kind.PERSON or (principal.id != user and not principal.administrator):
        raise ForbiddenError(principal.id, "doing this for somebody else needs an administrator")


def check_begin(principal: Principal, subject: Subject) -> None:
    """Calls are made for the owner: by the owner, or by the agent or service that works for them."""
    acts = principal.kind is not Kind.AGENT or principal.id == subject.agent
    if not principal.user or principal.user != subject.owner or not acts:
        raise NotFoundError("conversation", subject.conversation)


def check_own(principal: Principal, subject: Subject) -> None:
    """A conversation is changed by its owner."""
    if principal.kind is not Kind.PERSON or _role(principal, subject) is not Role.OWNER:
        raise NotFoundError("conversation", subject.conversation)


def _role(principal: Principal, subject: Subject) -> Role | None:
    if principal.kind is Kind.AGENT:
        return None
    if principal.administrator or (subject.owner and principal.user == subject.owner):
        return Role.OWNER
    found = [principal.roles.get(one) for one in role_subjects(subject.conversation, subject.agent)]
    held = [role for role in found if role is not None]
    return min(held, key=list(Role).index) if held else None
