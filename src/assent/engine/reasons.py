"""The reasons of the steps of a decision, for the stages whose reason depends on the call."""

from assent.engine.base.globs import UNKNOWN_MARK
from assent.engine.base.reason import Reason, ReasonCode, make_reason
from assent.engine.base.tool import UNREVIEWED_PAGE, Effect
from assent.engine.case import Case
from assent.engine.lines.part import Part
from assent.engine.policy.rule import Rule, RuleList
from assent.engine.policy.tool_rules import RuleMatch
from assent.engine.searches import find_changed_tasks, find_code_of_pack, finding

_RULE_CODES = {
    RuleList.DENY: (ReasonCode.DENY_RULE, ReasonCode.POSSIBLE_DENY_RULE),
    RuleList.ASK: (ReasonCode.ASK_RULE, ReasonCode.POSSIBLE_ASK_RULE),
}
"""The codes of rules that match, and of rules that may match."""


def tool_reason(code: ReasonCode, case: Case) -> Reason:
    """A reason about the tool of a call."""
    return make_reason(code, tool=case.tool.name)


def rule_reason(code: ReasonCode, rule: Rule) -> Reason:
    """The reason of a rule or a grant that lets a call run."""
    return make_reason(code, rule=rule.text)


def match_reason(which: RuleList, match: RuleMatch) -> Reason:
    """The reason of a deny or ask rule that matches or may match, with its source."""
    rule = match.rule
    certain_code, possible_code = _RULE_CODES[which]
    values = {"rule": rule.text, "source": rule.source or (rule.layer.value + " layer")}
    if rule.why:
        values["why"] = rule.why
    return make_reason(certain_code if match.certain else possible_code, **values)


def outside_reason(case: Case, part: Part, where: str) -> Reason:
    """The reason of a read outside the workspace or of a secret."""
    if not where.strip(UNKNOWN_MARK):
        return Reason(ReasonCode.READS_UNKNOWN_PATH)
    if part.searches.leaves_out and where == case.find_secret_in_tree(part):
        option = part.searches.leaves_out.replace("NAME", where.rpartition("/")[2])
        return make_reason(ReasonCode.READS_SECRET_IN_TREE, path=where, option=option)
    return make_reason(ReasonCode.READS_OUTSIDE, path=where)


def find_question_reason(case: Case) -> Reason | None:
    """What about a call makes its mode ask; None if only its effect does."""
    found = _find_trust_reason(case) or _find_page_reason(case) or _find_task_reason(case)
    if found is None:
        return None
    code, pairs = found
    return Reason(code, (("mode", str(case.mode)), ("effect", case.effect.value), *pairs))


def _find_trust_reason(case: Case) -> Reason | None:
    """The reason for a call that would count as a read in a trusted repository; None for other calls."""
    if case.effect in (Effect.READ, Effect.DESTRUCTIVE) or case.facts.trusted_repository:
        return None
    if not all(part.only_reads and case.runs_in_workspace(part) for part in case.parts):
        return None
    answers = (finding(part, case.facts) for part in case.parts if part.searches.code)
    found = next(filter(None, answers), "")
    if not found:
        return Reason(ReasonCode.MODE_ASKS_FOR_TRUST)
    return make_reason(ReasonCode.MODE_ASKS_FOR_FINDING, finding=found)


def _find_page_reason(case: Case) -> Reason | None:
    """The reason for a tool of a web page that nobody reviewed; None for other tools."""
    if not case.tool.is_unreviewed:
        return None
    page = case.tool.origin.removeprefix(UNREVIEWED_PAGE).partition(" ")[0]
    if page == "own":
        return Reason(ReasonCode.MODE_ASKS_FOR_OWN_PAGE)
    return make_reason(ReasonCode.MODE_ASKS_FOR_PAGE, page=page)


def _find_task_reason(case: Case) -> Reason | None:
    """The reason for a call that a pack would allow without a change of the files that define its tasks."""
    packs = case.snapshot.packs(case.call)
    if not packs:
        return None
    if found := find_code_of_pack(case.parts, packs, case.facts):
        return make_reason(ReasonCode.MODE_ASKS_FOR_FINDING, finding=found)
    changed = find_changed_tasks(case.parts, packs, case.facts)
    if changed is None:
        return None
    code = ReasonCode.TASKS_UNREAD if changed.is_unread else ReasonCode.TASKS_CHANGED
    return make_reason(code, pack=changed.pack, files=changed.files)
