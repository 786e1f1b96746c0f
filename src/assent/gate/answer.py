"""A person's answer to a question: the decision, its scope and its lifetime."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from assent.errors import InputError
from assent.gate.access import Principal
from assent.gate.preset import Always, Lifetime, Scope

MAX_REASON_LENGTH = 2000


class Say(StrEnum):
    """The four possible answers: allow once, allow in this conversation, always allow, or deny."""

    ONCE = "once"
    CONVERSATION = "conversation"
    ALWAYS = "always"
    DENY = "deny"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A person's answer, and the scope and lifetime that they chose."""

    say: Say
    by: str = ""
    reason: str = ""
    rules: tuple[str, ...] = ()
    """The rules that "always" writes; none means the exact call."""
    scope: Scope | None = None
    lifetime: Lifetime | None = None
    until: datetime | None = None
    uses: int | None = None
    args: Mapping[str, object] | None = None
    """Arguments that the person edited; the call is decided again with them."""
    released_by: str = ""
    """The id of the approval whose answer also covered this one."""

    @property
    def yes(self) -> bool:
        """Whether the answer allows the call."""
        return self.say is not Say.DENY

    @property
    def is_lasting(self) -> bool:
        """Whether the answer also allows later calls; a released approval adds nothing of its own."""
        return self.say in (Say.CONVERSATION, Say.ALWAYS) and not self.released_by


def check_reason(reason: str) -> None:
    """Raise `InputError` for a reason that is too long to store; the approval stays pending."""
    if len(reason) > MAX_REASON_LENGTH:
        raise InputError(f"the reason is longer than {MAX_REASON_LENGTH} characters")


class LifetimeLimits(NamedTuple):
    """The limits on the lifetime of an approval; the first limit that is reached ends it."""

    lifetime: Lifetime
    until: datetime | None = None
    uses: int | None = None


def lifetime_limits(answer: Answer, always: Always) -> LifetimeLimits:
    """The limits that the person set, together with the limit of the preset.

    INVARIANT: no limit of the answer or of the preset is dropped; contradictions raise `InputError`.
    """
    asked = {answer.lifetime, always.lifetime}
    _check_limit_fields(answer)
    if Lifetime.UNTIL in asked and answer.until is None:
        raise InputError("`until` is required: a time with a time zone")
    if Lifetime.USES in asked and answer.uses is None:
        raise InputError("`uses` is required: 1 or more")
    return LifetimeLimits(
        _lifetime_kind(answer, is_restart=Lifetime.RESTART in asked), answer.until, answer.uses
    )


def check_until_not_past(answer: Answer, *, at: datetime) -> None:
    """Raise `InputError` for an `until` in the past; `at` is the store's time."""
    if answer.yes and answer.until is not None and answer.until <= at:
        raise InputError("`until` is in the past")


def check_no_limits(answer: Answer) -> None:
    """Raise `InputError` for limits on an answer to one call: the person meant a lasting approval."""
    given = next((name for name in _LIMIT_FIELDS if getattr(answer, name) is not None), None)
    if answer.say is Say.ONCE and given is not None:
        raise InputError(f"`{given}` goes with `always`, not with `{answer.say}`")


def answer_scopes(answer: Answer, always: Always) -> tuple[Scope, ...]:
    """The scopes of a lasting approval; all of them must apply.

    The person's scope narrows the preset's scope, and replaces it only where the preset allows widening.
    """
    chosen = answer.scope
    if answer.say is Say.CONVERSATION:
        if chosen not in (None, Scope.CONVERSATION):
            raise InputError(f"`{answer.say}` is for this conversation: remove the scope `{chosen}`")
        return (Scope.CONVERSATION,)
    if always.scope is None:
        return (chosen or Scope.USER_AGENT,)
    if chosen is None:
        return (always.scope,)
    return (chosen,) if always.widened else (always.scope, chosen)


def narrowest_scope(answer: Answer, always: Always) -> Scope:
    """The narrowest scope of a lasting approval, which decides the right that it requires."""
    return min(answer_scopes(answer, always), key=_SCOPE_ORDER.index)


def narrow_scope(answer: Answer, always: Always, principal: Principal) -> Answer:
    """Narrow an agent scope to the user's own agent, unless an administrator answers."""
    is_wide = answer.say is Say.ALWAYS and always.scope is narrowest_scope(answer, always) is Scope.AGENT
    if principal.administrator or not is_wide or not always.widened:
        return answer
    return replace(answer, scope=Scope.USER_AGENT)


_LIMIT_FIELDS = ("scope", "lifetime", "until", "uses")
_SCOPE_ORDER = (Scope.CONVERSATION, Scope.USER_AGENT, Scope.USER, Scope.AGENT, Scope.EVERYONE)
"""Scopes from the narrowest to the widest."""


def _check_limit_fields(answer: Answer) -> None:
    if answer.until is not None and answer.until.tzinfo is None:
        raise InputError("`until` is required: a time with a time zone")
    if answer.uses is not None and answer.uses < 1:
        raise InputError("`uses` is required: 1 or more")
    if answer.lifetime is Lifetime.FOREVER and (answer.until is not None or answer.uses is not None):
        raise InputError("`forever` contradicts `until` and `uses`: remove one of them")


def _lifetime_kind(answer: Answer, *, is_restart: bool) -> Lifetime:
    """The kind of lifetime that these limits amount to."""
    if is_restart:
        return Lifetime.RESTART
    if answer.uses is not None:
        return Lifetime.USES
    return Lifetime.FOREVER if answer.until is None else Lifetime.UNTIL
