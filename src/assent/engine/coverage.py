"""Whether allow rules and grants cover every part of a call."""

from collections.abc import Sequence

from assent.engine.case import Case
from assent.engine.lines.part import Part
from assent.engine.policy.path_rules import covering_path
from assent.engine.policy.rule import Rule, RuleList
from assent.engine.policy.rule_set import RuleSet


def covering_rule(case: Case, rule_sets: Sequence[RuleSet]) -> Rule | None:
    """The first rule of those that cover the whole call; None when a part is not covered."""
    for rules in rule_sets:
        if (bare := rules.tool_allow_rule(case.tool)) is not None:
            return bare
    return covering_scoped_rule(case, rule_sets, case.parsed.distinct)


def covering_scoped_rule(case: Case, rule_sets: Sequence[RuleSet], parts: Sequence[Part]) -> Rule | None:
    """The same for some parts, without rules that name only the tool."""
    used: list[Rule] = []
    for part in parts:
        if not _covered(case, rule_sets, part, used):
            return None
    return used[0] if used else None


def uncovered_parts(case: Case, rule_sets: Sequence[RuleSet]) -> tuple[Part, ...]:
    """The parts that no scoped rule covers."""
    return tuple(part for part in case.parsed.parts if not _covered(case, rule_sets, part, []))


def _covered(case: Case, rule_sets: Sequence[RuleSet], part: Part, used: list[Rule]) -> bool:
    """Whether a part is covered; covering rules are added to `used`, a part that only reads needs none."""
    if part.unreadable is not None or not case.runs_in_workspace(part):
        return False
    if _redirections_covered(case, rule_sets, part, used) and _command_covered(case, rule_sets, part, used):
        return True
    return case.only_reads(part)


def _command_covered(case: Case, rule_sets: Sequence[RuleSet], part: Part, used: list[Rule]) -> bool:
    if not part.carried:
        return (
            _matched(case, rule_sets, part, used) or case.only_reads(part) or _reads_but_redirects(case, part)
        )
    if _matched(case, rule_sets, part, used, spelled_out=_words_to_spell(part)):
        return True
    looked_through = part.passes_through or (
        part.privilege and case.snapshot.options.strip_privilege_wrappers
    )
    if not looked_through and not _matched(case, rule_sets, part, used):
        return False
    return all(_covered(case, rule_sets, inner, used) for inner in part.carried)


def _words_to_spell(part: Part) -> int:
    """How many words a rule must spell out to cover what a command carries: up to the carried program.

    If the carried program is in the input, a rule must spell out all words and name the input.
    """
    count = part.carried_at + 1
    return count if part.fed is None or not part.fed.must else min([count, *map(len, part.covers)])


def _reads_but_redirects(case: Case, part: Part) -> bool:
    """Whether a command would only read if it did not write its output to a file."""
    return bool(part.redirected) and part.reads_alone and (not part.trust or case.facts.trusted_repository)


def _matched(
    case: Case, rule_sets: Sequence[RuleSet], part: Part, used: list[Rule], *, spelled_out: int = 0
) -> bool:
    fed = case.input_names(part) if part.fed is not None else ()
    for rules in rule_sets:
        rule = rules.covering_rule(case.tool, part, case.facts, spelled_out=spelled_out, fed=fed)
        if rule is not None:
            used.append(rule)
            return True
    return False


def _redirections_covered(case: Case, rule_sets: Sequence[RuleSet], part: Part, used: list[Rule]) -> bool:
    """Whether path rules of editing tools cover the files that a part writes by redirection."""
    for use in part.redirected:
        found = (
            covering_path(rules.path_rules(RuleList.ALLOW, case.snapshot.tools, read=False), use, case.facts)
            for rules in rule_sets
        )
        rule = next((one for one in found if one is not None), None)
        if rule is None:
            return False
        used.append(rule)
    return True
