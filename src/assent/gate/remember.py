"""Remembering: what a yes writes down, and which other questions it answers, too."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import NamedTuple

from assent.engine.decide import decide
from assent.engine.modes import Mode
from assent.engine.policy.rule import Layer, RuleList, parse_rule
from assent.engine.policy.rule_set import RuleSet
from assent.engine.policy.snapshot import Snapshot, build_snapshot
from assent.engine.policy.tiers import Tier, TierSetting
from assent.engine.suggestions import Suggestion, Width, suggestions
from assent.engine.verdict import Stage, Verdict
from assent.errors import ConflictError, InputError, RuleSyntaxError
from assent.gate.approval import Answer, Approval, Say, State
from assent.gate.grant import Grant, StoredRule
from assent.gate.lasting import Term, scopes_of, term_of
from assent.gate.ports import Which
from assent.gate.preset import Always, Becomes, Delivery, FirstOffer, Lifetime, Preset, Scope


class Remembered(NamedTuple):
    """What an answer adds to the policy."""

    grants: tuple[Grant, ...] = ()
    rules: tuple[StoredRule, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.grants or self.rules)

    @property
    def patterns(self) -> tuple[str, ...]:
        """What is covered, as rules spell it."""
        return (*(one.pattern for one in self.grants), *(one.text for one in self.rules))

    @property
    def durable(self) -> "Remembered":
        """The part that the store keeps; what ends with a process lives in that process."""
        return Remembered(
            tuple(one for one in self.grants if one.lifetime is not Lifetime.RESTART), self.rules
        )

    @property
    def uncounted(self) -> "Remembered":
        """The part that may answer any number of other questions."""
        return Remembered(tuple(one for one in self.grants if one.uses is None), self.rules)


NOTHING = Remembered()


def remembered(approval: Approval, answer: Answer, preset: Preset, key: bytes = b"") -> Remembered:
    """What this answer writes down; refused when it would not have answered the question itself.

    `key` is the store's, by which rules name what is fed to a command.
    """
    if answer.say in (Say.ONCE, Say.DENY) or answer.released_by:
        return NOTHING
    _check_offered(approval, answer, preset.always)
    found = _written(approval, answer, _chosen(answer, preset.always), key)
    if not covers(found, approval, key):
        texts = ", ".join(f"`{one}`" for one in found.patterns)
        raise InputError(f"{texts} would not have let this call run; write a rule that covers it")
    return found


def others_of(found: Remembered) -> Which:
    """The pending questions that something remembered could be about."""
    first = found.grants[0] if found.grants else found.rules[0]
    return Which(states=frozenset({State.PENDING}), conversation=first.conversation, agent=first.agent)


def releases(found: Remembered, approval: Approval, key: bytes) -> bool:
    """Whether what is remembered answers another question, too."""
    # A proposal is applied by its token, or not at all.
    return approval.delivery is not Delivery.PROPOSE and covers(found, approval, key)


def covers(found: Remembered, approval: Approval, key: bytes = b"") -> bool:
    """Whether what was remembered answers a question, too: nothing locked, and every part covered."""
    return approval.decision.always_offered and _decided(approval, found, key) is Verdict.RUN


def hits(rules: Sequence[StoredRule], approval: Approval) -> bool:
    """Whether deny or ask rules meet a call that was asked about."""
    reaching = [rule for rule in rules if _reaches(rule, approval)]
    strict = {
        kind: [parse_rule(rule.text, layer=Layer.STORE) for rule in reaching if rule.list is kind]
        for kind in (RuleList.DENY, RuleList.ASK)
    }
    bare = replace(
        _bare(approval, NOTHING), rules=RuleSet(deny=strict[RuleList.DENY], ask=strict[RuleList.ASK])
    )
    steps = decide(approval.call, bare, approval.facts).steps
    return any(step.stage in (Stage.DENY_RULE, Stage.ASK_RULE, Stage.UNRESOLVED) for step in steps)


def offered(approval: Approval, key: bytes = b"") -> tuple[Suggestion, ...]:
    """The rules that "always" could write for this question, the narrowest first."""
    if not approval.decision.always_offered:
        return ()
    return suggestions(approval.call, _bare(approval, NOTHING, key), approval.facts)


def reach(approval: Approval, preset: Preset, key: bytes = b"") -> tuple[str, ...]:
    """What a yes for its conversation would cover from then on; nothing where there is no such yes."""
    try:
        return remembered(approval, Answer(say=Say.CONVERSATION), preset, key).patterns
    except (ConflictError, InputError, RuleSyntaxError):
        return ()


def objection(rules: Sequence[str], approval: Approval, preset: Preset, key: bytes = b"") -> str:
    """Why a yes that writes these rules would not be taken; empty if it would."""
    # For whom and how long is not asked here: whatever a lifetime needs is given.
    answer = Answer(say=Say.ALWAYS, rules=tuple(rules), until=datetime.max.replace(tzinfo=UTC), uses=1)
    try:
        remembered(approval, answer, preset, key)
    except (ConflictError, InputError) as refused:
        return str(refused)
    return ""


class _Choice(NamedTuple):
    """What "always" means for this answer, with nothing left open."""

    becomes: Becomes
    width: FirstOffer
    scopes: tuple[Scope, ...]
    term: Term
    widened: bool


def _check_offered(approval: Approval, answer: Answer, always: Always) -> None:
    if always.becomes is Becomes.NOTHING:
        raise ConflictError("a yes is for one call here: `always` is not offered")
    if not approval.decision.always_offered:
        raise ConflictError(f"this is asked each time: {approval.decision.because}")
    if answer.args is not None:
        # What was asked is not what would run: a yes that lasts would be about the wrong call.
        raise InputError("a yes to other arguments is for this call only: say `once`")


def _chosen(answer: Answer, always: Always) -> _Choice:
    """The preset's choice, or the person's where the preset leaves one."""
    term, becomes = term_of(answer, always), always.becomes
    if answer.say is Say.CONVERSATION:
        becomes = Becomes.GRANT
    if term.lifetime is not Lifetime.FOREVER and becomes is Becomes.RULE:
        becomes = Becomes.GRANT
    return _Choice(becomes, always.width, scopes_of(answer, always), term, always.widened)


def _written(approval: Approval, answer: Answer, choice: _Choice, key: bytes) -> Remembered:
    """The grants or rules of an answer, as rules where they may be and grants where only those help."""
    texts = _patterns(approval, answer, choice, offered(approval, key))
    if choice.becomes is Becomes.RULE:
        rules = Remembered(rules=tuple(_rule(approval, answer, choice, *one) for one in enumerate(texts)))
        if covers(rules, approval, key):
            return rules
    return Remembered(grants=tuple(_grant(approval, answer, choice, *one) for one in enumerate(texts)))


def _patterns(
    approval: Approval, answer: Answer, choice: _Choice, suggested: Sequence[Suggestion]
) -> tuple[str, ...]:
    """The person's own rules, or those of the preset's width; what cannot be read is the exact call."""
    written = tuple(text for text in answer.rules if _is_about(text, approval.call.tool))
    by_width = {one.width: tuple(rule.text for rule in one.rules) for one in suggested}
    narrow = by_width.get(Width.EXACT)
    if written and (choice.widened or choice.width is FirstOffer.TOOL or written == narrow):
        return written
    if written:
        raise InputError("a yes is not widened here: leave the rule out")
    # Whoever wrote a rule wanted one: what cannot be read of it is no wish for all that the preset offers.
    width = FirstOffer.EXACT if answer.rules else choice.width
    for wide in _WIDTHS[width]:
        if wide in by_width:
            return by_width[wide]
    if width is FirstOffer.TOOL:
        return (approval.call.tool,)
    raise ConflictError(f"there is no rule that is safe to remember for this call of `{approval.call.tool}`")


_WIDTHS = {
    FirstOffer.EXACT: (Width.EXACT, Width.TOOL),
    FirstOffer.COMMAND: (Width.SUB_COMMAND, Width.PROGRAM, Width.EXACT, Width.TOOL),
    FirstOffer.TOOL: (Width.TOOL,),
}
"""What each width of a preset stands for, the first that there is."""


def _is_about(text: str, tool: str) -> bool:
    """Whether a rule can be read; one for another tool than the one that was asked about is refused."""
    try:
        rule = parse_rule(text)
    except RuleSyntaxError:
        return False
    if rule.tool != tool:
        raise InputError(f"the rule `{text}` is not about `{tool}`")
    return True


def _grant(approval: Approval, answer: Answer, choice: _Choice, number: int, pattern: str) -> Grant:
    conversation, agent, user = _scoped(approval, choice.scopes)
    return Grant(
        id=f"{approval.id}-{number}",
        pattern=pattern,
        conversation=conversation,
        agent=agent,
        user=user,
        lifetime=choice.term.lifetime,
        until=choice.term.until,
        uses=choice.term.uses,
        by=answer.by,
        approval=approval.id,
        override=choice.becomes is Becomes.OVERRIDE,
    )


def _rule(approval: Approval, answer: Answer, choice: _Choice, number: int, text: str) -> StoredRule:
    conversation, agent, user = _scoped(approval, choice.scopes)
    return StoredRule(
        id=f"{approval.id}-{number}",
        list=RuleList.ALLOW,
        text=text,
        conversation=conversation,
        agent=agent,
        user=user,
        by=answer.by,
        approval=approval.id,
    )


_Named = tuple[str | None, str | None, str | None]
"""A conversation, an agent and a user; None is any."""


def _scoped(approval: Approval, scopes: Sequence[Scope]) -> _Named:
    """The conversation, agent and user that scopes name together."""
    conversations, agents, users = zip(*(_named(approval, scope) for scope in scopes), strict=True)
    return _first(conversations), _first(agents), _first(users)


def _first(names: Sequence[str | None]) -> str | None:
    # All of them are the call's own, so that those that name one at all name the same.
    return next((name for name in names if name is not None), None)


def _named(approval: Approval, scope: Scope) -> _Named:
    call = approval.call
    match scope:
        case Scope.CONVERSATION if not call.conversation:
            raise InputError("this call belongs to no conversation that a yes could be kept for")
        case Scope.CONVERSATION:
            # All its calls are its owner's anyway; named, they can see and end it whoever gave it.
            return call.conversation, None, call.user
        case Scope.AGENT:
            return None, call.agent, None
        case Scope.USER_AGENT:
            return None, call.agent, call.user
        case Scope.USER:
            return None, None, call.user
        case Scope.EVERYONE:
            return None, None, None


def _decided(approval: Approval, found: Remembered, key: bytes) -> Verdict:
    return decide(approval.call, _bare(approval, found, key), approval.facts).verdict


def _bare(approval: Approval, found: Remembered, key: bytes = b"") -> Snapshot:
    """A policy that asks about everything but reads, and knows nothing but what was remembered.

    It stands in for whatever asked: an answer must lift the question by itself, on any machine.
    """
    allow = [parse_rule(rule.text, layer=Layer.STORE) for rule in found.rules if _reaches(rule, approval)]
    tiers = {}
    if any(step.stage is Stage.TIER and step.verdict is Verdict.ASK for step in approval.decision.steps):
        tiers = {(approval.call.agent, approval.call.tool): TierSetting(Tier.NEEDS_APPROVAL)}
    return build_snapshot(
        {approval.call.tool: approval.tool},
        rules={RuleList.ALLOW: allow},
        grants=[one.as_engine_takes_it() for one in found.grants],
        tiers=tiers,
        mode=Mode.DEFAULT,
        input_key=key,
    )


def _reaches(rule: StoredRule, approval: Approval) -> bool:
    """Whether a rule's scope takes in a question."""
    call = approval.call
    return (
        rule.conversation in (None, call.conversation)
        and rule.agent in (None, call.agent)
        and rule.user in (None, call.user)
    )
