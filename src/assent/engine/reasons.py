"""The reasons of the steps of a decision, for the stages whose reason depends on the call."""

from assent.engine.base.facts import PathUse
from assent.engine.base.globs import UNKNOWN_MARK
from assent.engine.base.reason import Reason, ReasonCode, make_reason
from assent.engine.base.sensitive_paths import could_be_secret, is_secret
from assent.engine.base.tool import UNREVIEWED_PAGE, Effect, Tool, render_specifier
from assent.engine.case import Case
from assent.engine.lines.part import Part
from assent.engine.part_reasons import (
    changes_files,
    directory_change,
    find_asking_part,
    mode_of_edits,
    part_reason,
    program_name,
    redirect_operator,
    shorten,
    shown_command,
    shown_path,
    value_of,
)
from assent.engine.policy.rule import Rule, RuleList
from assent.engine.policy.tool_rules import RuleMatch
from assent.engine.searches import find_changed_tasks
from assent.engine.secret_reads import HIDDEN_FILES

_RULE_CODES = {
    RuleList.DENY: (ReasonCode.DENY_RULE, ReasonCode.POSSIBLE_DENY_RULE),
    RuleList.ASK: (ReasonCode.ASK_RULE, ReasonCode.POSSIBLE_ASK_RULE),
}
"""The codes of rules that match, and of rules that may match."""
_MAX_PART_LENGTH = 200
_OWN_ORIGIN = Tool(name="").origin
"""The origin of tools that this program or an administrator declares."""


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
    program = program_name(part) if part.path is None else case.tool.name
    if part.secret_variable:
        return make_reason(ReasonCode.READS_SECRET_VARIABLE, value=where)
    if where == HIDDEN_FILES:
        return make_reason(ReasonCode.READS_HIDDEN_FILES, program=program)
    if not where.strip(UNKNOWN_MARK):
        return make_reason(ReasonCode.READS_UNKNOWN_PATH, program=program, **value_of(part))
    path = where.replace(UNKNOWN_MARK, "…")
    if part.searches.leaves_out and where == case.find_secret_in_tree(part):
        option = part.searches.leaves_out.replace("NAME", where.rpartition("/")[2])
        return make_reason(ReasonCode.READS_SECRET_IN_TREE, program=program, path=path, option=option)
    use = next((use for use in part.reads if use.text == where), part.path or PathUse(where))
    is_outside = not case.is_in_workspace(use)
    written = use.to_absolute_path(case.facts.directories)
    known = (written or where, *case.facts.real.get(written or "", ()))
    may_be_secret = any(map(is_secret, known)) or (use.glob and could_be_secret(where))
    if is_outside:
        code = ReasonCode.READS_SECRET_OUTSIDE if may_be_secret else ReasonCode.READS_OUTSIDE
    else:
        code = ReasonCode.READS_SECRET
    values = directory_change(case, part) if is_outside else {}
    return make_reason(code, program=program, path=shown_path(case, use), **values)


def protected_reason(case: Case, path: str) -> Reason:
    """The reason of a call that changes a protected path, or that may change it."""
    use = PathUse(path)
    for part in case.parts:
        if part.path is not None or case.only_reads(part):
            continue
        own = next((one for one in (*part.writes, *part.redirect_writes) if one.text == path), None)
        if own is None:
            continue
        shown = shown_path(case, own)
        if own in part.redirect_writes:
            return make_reason(ReasonCode.PROTECTED_PATH, program=redirect_operator(part, own), path=shown)
        command = shown_command(part)
        if changes_files(part):
            return make_reason(ReasonCode.PROTECTED_PATH, program=command, path=shown)
        return make_reason(ReasonCode.USES_PROTECTED_PATH, part=command, path=shown)
    return make_reason(ReasonCode.PROTECTED_PATH, program=case.tool.name, path=shown_path(case, use))


def question_reason(case: Case) -> tuple[Reason, str]:
    """What about a call makes its mode or its preset ask, and the text of the part that it is about."""
    found = _find_page_reason(case) or _find_task_reason(case)
    if found is not None:
        return found, ""
    if case.effect is Effect.DESTRUCTIVE:
        return tool_reason(ReasonCode.DESTRUCTIVE_TOOL, case), ""
    part = find_asking_part(case) if case.tool.dialect.is_shell else None
    if part is None:
        return _tool_reason(case), ""
    # A part that is the whole line, or most of it, is not repeated: questions have a budget of bytes.
    is_named = len(case.parsed.parts) > 1 and len(part.text) <= _MAX_PART_LENGTH
    return part_reason(case, part), part.text if is_named else ""


def _tool_reason(case: Case) -> Reason:
    """The reason of a call that is no command line."""
    use = case.parts[0].path
    if use is not None and case.effect in (Effect.EDIT, Effect.WRITE):
        is_inside = case.is_in_workspace(use)
        code = ReasonCode.CHANGES_FILE if is_inside else ReasonCode.CHANGES_OUTSIDE
        mode = mode_of_edits(case) if is_inside else {}
        return make_reason(code, program=case.tool.name, path=shown_path(case, use), **mode)
    subject = shorten(render_specifier(case.tool, case.call.args) or "")
    values = {"tool": case.tool.name}
    if subject:
        values["subject"] = subject
    if case.tool.description and case.tool.origin == _OWN_ORIGIN:
        # The description of another origin is a claim that nobody checked.
        values["description"] = case.tool.description.rstrip(".")
    match case.effect:
        case Effect.READ | Effect.EDIT | Effect.WRITE | Effect.DESTRUCTIVE:
            return make_reason(ReasonCode.TOOL_CHANGES_DATA, **values)
        case Effect.EXECUTE:
            return make_reason(ReasonCode.TOOL_RUNS_CODE, **values)
        case Effect.EXTERNAL:
            return make_reason(ReasonCode.TOOL_ACTS_OUTSIDE, **values)


def _find_page_reason(case: Case) -> Reason | None:
    """The reason for a tool of a web page that nobody reviewed; None for other tools."""
    if not case.tool.is_unreviewed:
        return None
    page = case.tool.origin.removeprefix(UNREVIEWED_PAGE).partition(" ")[0]
    if page == "own":
        return make_reason(ReasonCode.UNREVIEWED_OWN_TOOL, tool=case.tool.name)
    return make_reason(ReasonCode.UNREVIEWED_TOOL, tool=case.tool.name, page=page)


def _find_task_reason(case: Case) -> Reason | None:
    """The reason for a call that a pack would allow without a change of the files that define its tasks."""
    packs = case.snapshot.packs(case.call)
    if not packs:
        return None
    changed = find_changed_tasks(case.parts, packs, case.facts)
    if changed is None:
        return None
    code = ReasonCode.TASKS_UNREAD if changed.is_unread else ReasonCode.TASKS_CHANGED
    return make_reason(code, pack=changed.pack, files=changed.files)


def unreadable_reason(case: Case, problem: str) -> Reason:
    """The reason of a call that cannot be fully read, and the part of it that cannot."""
    part = next((one for one in case.parts if one.unreadable == problem and one.text != "…"), None)
    if part is None or len(case.parsed.parts) < 2:
        return make_reason(ReasonCode.UNREADABLE, problem=problem)
    return make_reason(ReasonCode.UNREADABLE_PART, part=shown_command(part), problem=problem)
