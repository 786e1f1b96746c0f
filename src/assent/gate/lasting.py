"""How long a yes lasts and whom it reaches: what follows from the fields of an answer and from the preset."""

from datetime import datetime
from typing import NamedTuple

from assent.errors import InputError
from assent.gate.approval import Answer, Say
from assent.gate.preset import Always, Lifetime, Scope


class Term(NamedTuple):
    """How long a yes lasts; every limit that is set holds, and the first one that is reached ends it."""

    lifetime: Lifetime
    until: datetime | None = None
    uses: int | None = None


def term_of(answer: Answer, always: Always) -> Term:
    """The term of a yes: the limits that the person names, together with the one that the preset fixes.

    INVARIANT: no limit of the answer or of the preset is dropped; what contradicts itself is refused.
    """
    asked = {answer.lifetime, always.lifetime}
    _check_fields(answer)
    if Lifetime.UNTIL in asked and answer.until is None:
        raise InputError("say until when: `until` must be a time with its zone")
    if Lifetime.USES in asked and answer.uses is None:
        raise InputError("say how many times: `uses` must be 1 or more")
    return Term(_lifetime(answer, is_restart=Lifetime.RESTART in asked), answer.until, answer.uses)


def check_until(answer: Answer, *, at: datetime) -> None:
    """Refuse a yes until a time that is over; `at` is the store's own time."""
    if answer.yes and answer.until is not None and answer.until <= at:
        raise InputError("`until` is over already")


def check_once(answer: Answer) -> None:
    """Refuse limits on a yes to one call: the person meant a yes that lasts."""
    given = next((name for name in _LIMITS if getattr(answer, name) is not None), None)
    if answer.say is Say.ONCE and given is not None:
        raise InputError(f"`{given}` goes with `always`, not with `{answer.say}`")


def scopes_of(answer: Answer, always: Always) -> tuple[Scope, ...]:
    """For whom a yes counts: only where all of these apply.

    A scope that the preset fixes is narrowed by the person's, and replaced only where it may be widened.
    """
    chosen = answer.scope
    if answer.say is Say.CONVERSATION:
        if chosen not in (None, Scope.CONVERSATION):
            raise InputError(f"`{answer.say}` is for this conversation: leave the scope `{chosen}` out")
        return (Scope.CONVERSATION,)
    if always.scope is None:
        return (chosen or Scope.USER_AGENT,)
    if chosen is None:
        return (always.scope,)
    return (chosen,) if always.widened else (always.scope, chosen)


def scope_of(answer: Answer, always: Always) -> Scope:
    """The narrowest scope of a yes: the one that the right to give it is measured by."""
    return min(scopes_of(answer, always), key=_REACH.index)


_LIMITS = ("scope", "lifetime", "until", "uses")
_REACH = (Scope.CONVERSATION, Scope.USER_AGENT, Scope.USER, Scope.AGENT, Scope.EVERYONE)
"""Scopes by the right that they need, the least first."""


def _check_fields(answer: Answer) -> None:
    if answer.until is not None and answer.until.tzinfo is None:
        raise InputError("say until when: `until` must be a time with its zone")
    if answer.uses is not None and answer.uses < 1:
        raise InputError("say how many times: `uses` must be 1 or more")
    if answer.lifetime is Lifetime.FOREVER and (answer.until is not None or answer.uses is not None):
        raise InputError("`forever` contradicts `until` and `uses`: leave one of them out")


def _lifetime(answer: Answer, *, is_restart: bool) -> Lifetime:
    """The word for a term: the limit that ends it soonest in most cases comes first."""
    if is_restart:
        return Lifetime.RESTART
    if answer.uses is not None:
        return Lifetime.USES
    return Lifetime.FOREVER if answer.until is None else Lifetime.UNTIL
