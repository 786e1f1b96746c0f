"""Lasting approvals: the grants and rules that an answer adds, and the other approvals they cover."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import NamedTuple

from assent.engine.base.value import replace as replace_value
from assent.engine.decide import decide
from assent.engine.policy.modes import Mode
from assent.engine.policy.rule import Layer, RuleList, parse_rule
from assent.engine.policy.rule_set import RuleSet
from assent.engine.policy.snapshot import Snapshot, Tier, TierSetting, build_snapshot
from assent.engine.policy.task_files import ASSUMED_PINS
from assent.engine.policy.verdict import Stage, Verdict
from assent.engine.suggestions import RuleWidth, Suggestion, suggestions
from assent.errors import ConflictError, InputError, RuleSyntaxError
from assent.gate.answer import Answer, LifetimeLimits, Say, answer_scopes, lifetime_limits
from assent.gate.approval import Approval, State
from assent.gate.policy import StoredGrant, StoredRule
from assent.gate.preset import Always, Becomes, FirstOffer, Lifetime, Preset, Scope
from assent.gate.store import ApprovalFilter


class PolicyAdditions(NamedTuple):
    """The grants and rules that an answer adds to the policy."""

    grants: tuple[StoredGrant, ...] = ()
    rules: tuple[StoredRule, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.grants or self.rules)

    @property
    def patterns(self) -> tuple[str, ...]:
        """The patterns of the grants and rules."""
        return (*(one.pattern for one in self.grants), *(one.text for one in self.rules))

    @property
    def stored_additions(self) -> "PolicyAdditions":
        """The grants and rules that the store keeps; until-restart grants stay in this process."""
        return PolicyAdditions(
            tuple(one for one in self.grants if one.lifetime is not Lifetime.RESTART), self.rules
        )

    @property
    def without_counted_grants(self) -> "PolicyAdditions":
        """The rules, and the grants that have no limited number of uses."""
        return PolicyAdditions(tuple(one for one in self.grants if one.uses is None), self.rules)


NO_ADDITIONS = PolicyAdditions()


def policy_additions(approval: Approval, answer: Answer, preset: Preset, key: bytes = b"") -> PolicyAdditions:
    """The grants or rules that an answer adds; `InputError` if they would not allow the call itself.

    `key` is the store's secret; with it, rules identify the input of a command.
    """
    if not answer.is_lasting:
        return NO_ADDITIONS
    _check_always_offered(approval, answer, preset.always)
    additions = _build_additions(approval, answer, _resolve_choice(answer, preset.always), key)
    if not covers(additions, approval, key):
        texts = ", ".join(f"`{one}`" for one in additions.patterns)
        raise InputError(f"{texts} would not allow this call; write a rule that covers it")
    return additions


def affected_approval_filter(additions: PolicyAdditions) -> ApprovalFilter:
    """A filter for the pending approvals that new grants or rules could cover."""
    first = additions.grants[0] if additions.grants else additions.rules[0]
    return ApprovalFilter(
        states=frozenset({State.PENDING}), conversation=first.conversation, agent=first.agent
    )


def can_release(additions: PolicyAdditions, approval: Approval, key: bytes) -> bool:
    """Whether new grants or rules also approve another pending approval."""
    # A proposal runs only by its token.
    return not approval.delivery.is_run_by_gate and covers(additions, approval, key)


def covers(additions: PolicyAdditions, approval: Approval, key: bytes = b"") -> bool:
    """Whether these grants and rules alone allow the whole call of an approval."""
    return (
        approval.decision.always_offered and _verdict_with_additions(approval, additions, key) is Verdict.RUN
    )


def has_matching_rule(rules: Sequence[StoredRule], approval: Approval) -> bool:
    """Whether one of these deny or ask rules matches the call of an approval."""
    reaching = [rule for rule in rules if _is_in_scope(rule, approval)]
    strict = {
        kind: [parse_rule(rule.text, layer=Layer.STORE) for rule in reaching if rule.list is kind]
        for kind in (RuleList.DENY, RuleList.ASK)
    }
    bare = replace(
        _minimal_snapshot(approval, NO_ADDITIONS),
        rules=RuleSet(deny=strict[RuleList.DENY], ask=strict[RuleList.ASK]),
    )
    steps = decide(approval.call, bare, approval.facts).steps
    return any(step.stage in (Stage.DENY_RULE, Stage.ASK_RULE, Stage.UNRESOLVED) for step in steps)


def rule_suggestions(approval: Approval, key: bytes = b"") -> tuple[Suggestion, ...]:
    """The rules that "always" could write for an approval, narrowest first."""
    if not approval.decision.always_offered:
        return ()
    return suggestions(approval.call, _minimal_snapshot(approval, NO_ADDITIONS, key), approval.facts)


def conversation_patterns(approval: Approval, preset: Preset, key: bytes = b"") -> tuple[str, ...]:
    """The patterns that "for this conversation" would allow; empty where it is not offered."""
    try:
        return policy_additions(approval, Answer(say=Say.CONVERSATION), preset, key).patterns
    except (ConflictError, InputError, RuleSyntaxError):
        return ()


def rules_refusal_reason(rules: Sequence[str], approval: Approval, preset: Preset, key: bytes = b"") -> str:
    """Why an "always" that writes these rules would be refused; empty if it would be accepted."""
    # Scope and lifetime are not checked here, so every lifetime gets the value that it requires.
    answer = Answer(say=Say.ALWAYS, rules=tuple(rules), until=datetime.max.replace(tzinfo=UTC), uses=1)
    try:
        policy_additions(approval, answer, preset, key)
    except (ConflictError, InputError) as refused:
        return str(refused)
    return ""


class _AlwaysChoice(NamedTuple):
    """The meaning of "always" for one answer."""

    becomes: Becomes
    width: FirstOffer
    scopes: tuple[Scope, ...]
    term: LifetimeLimits
    widened: bool


_WIDTHS = {
    FirstOffer.EXACT: (RuleWidth.EXACT, RuleWidth.TOOL),
    FirstOffer.COMMAND: (RuleWidth.SUB_COMMAND, RuleWidth.PROGRAM, RuleWidth.EXACT, RuleWidth.TOOL),
    FirstOffer.TOOL: (RuleWidth.TOOL,),
}
"""The suggestion widths for each width of a preset, in order of preference."""
_ScopeNames = tuple[str | None, str | None, str | None]
"""A conversation, an agent and a user; None includes all of that kind."""
MAX_PREVIEWED_CALLS = 200
"""The number of recent calls that a preview of rules checks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RulePreview:
    """The recent calls that new rules would have affected."""

    looked_at: int
    covered: tuple[Approval, ...]
    """Calls that the rules would have allowed or, for deny and ask rules, matched."""
    newly_allowed: tuple[Approval, ...] = ()
    """The covered calls that a person denied and that would run from now on."""


def preview_rules(rules: Sequence[StoredRule], recent: Iterable[Approval], key: bytes = b"") -> RulePreview:
    """Check which recent calls would be affected by new rules, all of the same list."""
    lists = {rule.list for rule in rules}
    if len(lists) != 1:
        raise InputError("at least one rule is required, and all rules must be of one list")
    is_allow = lists == {RuleList.ALLOW}
    additions = PolicyAdditions(rules=tuple(rules))
    looked = tuple(recent)
    covered = tuple(
        one
        for one in looked
        if (covers(additions, _with_approved_tasks(one), key) if is_allow else has_matching_rule(rules, one))
    )
    freed = tuple(one for one in covered if is_allow and one.state is State.DENIED)
    return RulePreview(looked_at=len(looked), covered=covered, newly_allowed=freed)


def _with_approved_tasks(approval: Approval) -> Approval:
    """The approval with facts of unchanged task files, so that a preview shows what a pack allows."""
    return replace(
        approval, facts=replace_value(approval.facts, findings={**approval.facts.findings, **ASSUMED_PINS})
    )


def _check_always_offered(approval: Approval, answer: Answer, always: Always) -> None:
    if always.becomes is Becomes.NOTHING:
        raise ConflictError("this preset approves single calls only: `always` is not offered")
    if not approval.decision.always_offered:
        raise ConflictError(f"this call asks every time: {approval.decision.because}")
    if answer.args is not None:
        # The edited call differs from the asked call, so a lasting approval would be about the wrong call.
        raise InputError("edited arguments are approved for this call only: answer `once`")


def _build_additions(
    approval: Approval, answer: Answer, choice: _AlwaysChoice, key: bytes
) -> PolicyAdditions:
    """Rules if the preset writes rules and they cover the call, otherwise grants."""
    texts = _chosen_patterns(approval, answer, choice, rule_suggestions(approval, key))
    if choice.becomes is Becomes.RULE:
        rules = PolicyAdditions(
            rules=tuple(_build_rule(approval, answer, choice, *one) for one in enumerate(texts))
        )
        if covers(rules, approval, key):
            return rules
    return PolicyAdditions(
        grants=tuple(_build_grant(approval, answer, choice, *one) for one in enumerate(texts))
    )


def _chosen_patterns(
    approval: Approval, answer: Answer, choice: _AlwaysChoice, suggested: Sequence[Suggestion]
) -> tuple[str, ...]:
    """The rules that the person wrote, or the preset's; the exact call if a rule is invalid."""
    written = tuple(text for text in answer.rules if _is_valid_rule(text, approval.call.tool))
    by_width = {one.width: tuple(rule.text for rule in one.rules) for one in suggested}
    narrow = by_width.get(RuleWidth.EXACT)
    if written and (choice.widened or choice.width is FirstOffer.TOOL or written == narrow):
        return written
    if written:
        raise InputError("this preset does not allow wider rules: remove the rule")
    # A person who wrote an invalid rule did not ask for everything that the preset offers.
    width = FirstOffer.EXACT if answer.rules else choice.width
    for wide in _WIDTHS[width]:
        if wide in by_width:
            return by_width[wide]
    if width is FirstOffer.TOOL:
        return (approval.call.tool,)
    raise ConflictError(f"no rule would be safe to write for this call of `{approval.call.tool}`")


def _is_valid_rule(text: str, tool: str) -> bool:
    """Whether a rule has valid syntax; raises `InputError` for a rule about another tool."""
    try:
        rule = parse_rule(text)
    except RuleSyntaxError:
        return False
    if rule.tool != tool:
        raise InputError(f"the rule `{text}` is not about `{tool}`")
    return True


def _build_rule(
    approval: Approval, answer: Answer, choice: _AlwaysChoice, number: int, text: str
) -> StoredRule:
    conversation, agent, user = _combined_scope_names(approval, choice.scopes)
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


def _combined_scope_names(approval: Approval, scopes: Sequence[Scope]) -> _ScopeNames:
    """The conversation, agent and user that several scopes require together."""
    conversations, agents, users = zip(*(_scope_names(approval, scope) for scope in scopes), strict=True)
    return _first_scope_name(conversations), _first_scope_name(agents), _first_scope_name(users)


def _scope_names(approval: Approval, scope: Scope) -> _ScopeNames:
    call = approval.call
    match scope:
        case Scope.CONVERSATION if not call.conversation:
            raise InputError("this call has no conversation")
        case Scope.CONVERSATION:
            # The user is named as well, so that the owner can see and revoke a grant of another person.
            return call.conversation, None, call.user
        case Scope.AGENT:
            return None, call.agent, None
        case Scope.USER_AGENT:
            return None, call.agent, call.user
        case Scope.USER:
            return None, None, call.user
        case Scope.EVERYONE:
            return None, None, None


def _first_scope_name(names: Sequence[str | None]) -> str | None:
    # All scopes use the names of the same call, so two of them never differ.
    return next((name for name in names if name is not None), None)


def _build_grant(
    approval: Approval, answer: Answer, choice: _AlwaysChoice, number: int, pattern: str
) -> StoredGrant:
    conversation, agent, user = _combined_scope_names(approval, choice.scopes)
    return StoredGrant(
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


def _resolve_choice(answer: Answer, always: Always) -> _AlwaysChoice:
    """The choice of the preset, or of the person where the preset allows it."""
    term, becomes = lifetime_limits(answer, always), always.becomes
    if answer.say is Say.CONVERSATION:
        becomes = Becomes.GRANT
    if term.lifetime is not Lifetime.FOREVER and becomes is Becomes.RULE:
        becomes = Becomes.GRANT
    return _AlwaysChoice(becomes, always.width, answer_scopes(answer, always), term, always.widened)


def _verdict_with_additions(approval: Approval, additions: PolicyAdditions, key: bytes) -> Verdict:
    return decide(approval.call, _minimal_snapshot(approval, additions, key), approval.facts).verdict


def _minimal_snapshot(approval: Approval, additions: PolicyAdditions, key: bytes = b"") -> Snapshot:
    """A policy that asks about everything except reads and contains only the given grants and rules.

    It replaces the real policy, because an answer must allow the call by itself on any machine.
    """
    allow = [
        parse_rule(rule.text, layer=Layer.STORE) for rule in additions.rules if _is_in_scope(rule, approval)
    ]
    tiers = {}
    if any(step.stage is Stage.TIER and step.verdict is Verdict.ASK for step in approval.decision.steps):
        tiers = {(approval.call.agent, approval.call.tool): TierSetting(Tier.NEEDS_APPROVAL)}
    return build_snapshot(
        {approval.call.tool: approval.tool},
        rules={RuleList.ALLOW: allow},
        grants=[one.to_engine() for one in additions.grants],
        tiers=tiers,
        mode=Mode.DEFAULT,
        input_key=key,
    )


def _is_in_scope(rule: StoredRule, approval: Approval) -> bool:
    """Whether the scope of a rule includes an approval."""
    call = approval.call
    return (
        rule.conversation in (None, call.conversation)
        and rule.agent in (None, call.agent)
        and rule.user in (None, call.user)
    )
