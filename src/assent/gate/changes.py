"""Changes: what somebody did to people, rights and policy, as rows of the audit."""

from collections.abc import Sequence
from enum import StrEnum

from assent.gate.access import Kind, Role
from assent.gate.audit import Entry
from assent.gate.grant import Grant, StoredRule
from assent.gate.mark import timed
from assent.gate.ports import Tiering
from assent.gate.register import Credential, Person

_SHOWN = 8
"""Characters of an id that tell one credential from another."""


class Change(StrEnum):
    """What was changed: the `decision` of a row that no call has to do with."""

    PAUSED = "paused"
    RESUMED = "resumed"
    PERSON_ADDED = "person_added"
    PERSON_DISABLED = "person_disabled"
    PERSON_ENABLED = "person_enabled"
    ADMINISTRATOR_MADE = "administrator_made"
    ADMINISTRATOR_ENDED = "administrator_ended"
    ROLE_GIVEN = "role_given"
    ROLE_TAKEN = "role_taken"
    TOKEN_MADE = "token_made"
    TOKEN_ENDED = "token_ended"
    LINK_MADE = "link_made"
    LINK_ENDED = "link_ended"
    SESSION_MADE = "session_made"
    SESSION_ENDED = "session_ended"
    RULE_WRITTEN = "rule_written"
    RULE_ENDED = "rule_ended"
    GRANT_GIVEN = "grant_given"
    GRANT_ENDED = "grant_ended"
    TIERS_SET = "tiers_set"
    TOOLS_DECLARED = "tools_declared"
    DEFINITION_ACCEPTED = "definition_accepted"
    SETTING_CHANGED = "setting_changed"
    MODE_CHANGED = "mode_changed"
    CHAIN_CLOSED = "chain_closed"
    """After a crash, by another process."""
    DATABASE_RESTORED = "database_restored"


CHANGES = frozenset(one.value for one in Change)
"""The decisions that a change can be."""


def change_entry(
    by: str,
    what: Change,
    about: str = "",
    *,
    agent: str = "",
    conversation: str = "",
    rule: str = "",
    mode: str = "",
) -> Entry:
    """The row of a change; `about` names what was changed, and holds neither a secret nor a rule's text."""
    return Entry(
        id=timed(),
        user=by,
        agent=agent,
        conversation=conversation,
        call="",
        tool="",
        verdict="",
        rule=rule,
        decision=what.value,
        reason=about,
        mode=mode,
    )


def person_added(person: Person, by: str) -> Entry:
    """Somebody is let in; who they are to a provider stays between them and the register."""
    as_what = f"{person.id}, administrator" if person.administrator else person.id
    return change_entry(by, Change.PERSON_ADDED, as_what)


def administrator_changed(person: str, by: str, *, administrator: bool) -> Entry:
    """Somebody becomes an administrator, or is one no longer."""
    what = Change.ADMINISTRATOR_MADE if administrator else Change.ADMINISTRATOR_ENDED
    return change_entry(by, what, person)


def role_changed(person: str, subject: str, role: Role | None, by: str) -> Entry:
    """Somebody becomes something to an agent or a conversation, or is nothing to it any more."""
    kind, _, name = subject.partition(":")
    what = Change.ROLE_TAKEN if role is None else Change.ROLE_GIVEN
    about = f"{person}, {subject}" if role is None else f"{person}, {subject}: {role.value}"
    return change_entry(
        by,
        what,
        about,
        agent=name if kind == "agent" else "",
        conversation=name if kind == "conversation" else "",
    )


def credential_made(credential: Credential) -> Entry:
    """Something to prove oneself with is made."""
    return _of_credential(credential, Change(f"{credential.purpose.value}_made"), credential.made_by)


def credential_ended(credential: Credential, by: str) -> Entry:
    """It is ended by somebody, before its time."""
    return _of_credential(credential, Change(f"{credential.purpose.value}_ended"), by)


def rule_changed(what: Change, rule: StoredRule, by: str) -> Entry:
    """A rule is written or ended: its list, its tool, and the id by which its text is found."""
    return change_entry(by, what, f"{rule.list.value} {_tool(rule.text)}", rule=rule.id, **_scope(rule))


def grant_changed(what: Change, grant: Grant, by: str) -> Entry:
    """A standing yes is given or taken back."""
    whose = f" for {grant.user}" if grant.user else ""
    return change_entry(by, what, f"{_tool(grant.pattern)}{whose}", rule=grant.id, **_scope(grant))


def ended(given: StoredRule | Grant, by: str) -> Entry:
    """A rule or a standing yes is ended."""
    if isinstance(given, StoredRule):
        return rule_changed(Change.RULE_ENDED, given, by)
    return grant_changed(Change.GRANT_ENDED, given, by)


def tiers_set(agent: str, tierings: Sequence[Tiering], by: str, *, cleared: Sequence[str] = ()) -> Entry:
    """What an administrator says of an agent's tools, all of it."""
    said = [f"{one.tool}: {one.assignment.tier.value}" for one in tierings]
    said += [f"{tool}: not set" for tool in cleared]
    return change_entry(by, Change.TIERS_SET, ", ".join(said), agent=agent)


def _tool(text: str) -> str:
    """What a rule is about, without what it asks of a call: that may be what somebody's call said."""
    return text.partition("(")[0]


def _scope(given: StoredRule | Grant) -> dict[str, str]:
    return {"agent": given.agent or "", "conversation": given.conversation or ""}


def _of_credential(credential: Credential, what: Change, by: str) -> Entry:
    kind = "" if credential.kind is Kind.PERSON else f"{credential.kind.value} "
    work = f" for {credential.on_behalf}" if credential.on_behalf else ""
    label = f", {credential.label}" if credential.label else ""
    about = f"{credential.id[:_SHOWN]}: {kind}{credential.principal_id}{work}{label}"
    agent = credential.principal_id if credential.kind is Kind.AGENT else ""
    return change_entry(by, what, about, agent=agent)
