"""Deny and ask rules about files that a command reads or writes, or may read by one of its words."""

from collections.abc import Iterable, Iterator
from itertools import chain

from assent.engine.base.facts import PathUse
from assent.engine.base.tool import Effect
from assent.engine.case import Case
from assent.engine.lines.part import Part
from assent.engine.mentions import mentioned_files, searched_files, searched_trees
from assent.engine.policy.path_rules import MAX_TRIE_STEPS, PathRules, match_path_rule
from assent.engine.policy.rule import RuleList
from assent.engine.policy.snapshot import Snapshot
from assent.engine.policy.tool_rules import RuleMatch
from assent.engine.secret_reads import selected_names


def find_file_match(
    case: Case, policy: Snapshot, which: RuleList, found: RuleMatch | None
) -> RuleMatch | None:
    """The path rule that matches a file that a command reads or writes; otherwise `found`."""
    reading = policy.rules.path_rules(which, policy.tools, read=True)
    changing = policy.rules.path_rules(which, policy.tools, read=False)
    if not reading and not changing:
        return found
    steps_left = [MAX_TRIE_STEPS]
    files = chain(_iterate_files(case.parts, reading, changing), _iterate_moved_files(case, reading))
    for part, rules, use in files:
        met = match_path_rule(rules, use, case.facts, whole=True, steps_left=steps_left)
        if met is not None and met.certain:
            return RuleMatch(met.rule, part)
        if met is not None and not use.listed:
            found = found or RuleMatch(met.rule, part, certain=False)
    return _find_unnamed_file_match(case, reading, found) if reading else found


def _find_unnamed_file_match(case: Case, reading: PathRules, found: RuleMatch | None) -> RuleMatch | None:
    """The rule about reading that matches a pattern of names, a word of a command, or a whole tree."""
    directories = case.facts.directories
    for part in case.parts:
        for use in (*part.selectors, *searched_files(part)):
            base = PathUse("", use.directory).to_absolute_path(directories)
            names = selected_names(use.text)
            met = None if base is None else reading.match_selector(names, base, directories)
            if met is not None and met.certain:
                return RuleMatch(met.rule, part)
            found = found or (None if met is None else RuleMatch(met.rule, part, certain=False))
        for use in mentioned_files(part, reading.last_names):
            met = match_path_rule(reading, use, case.facts)
            if met is not None and (met.certain or use.glob):
                return RuleMatch(met.rule, part)
        for use in searched_trees(part):
            written = use.to_absolute_path(directories)
            rule = reading.first_rule() if written is None else reading.match_below(written, directories)
            found = found or (None if rule is None else RuleMatch(rule, part, certain=False))
    return found


def _iterate_files(
    parts: Iterable[Part], reading: PathRules, changing: PathRules
) -> Iterator[tuple[Part, PathRules, PathUse]]:
    """Yield each file that the parts read or change, once, with the path rules that apply to it."""
    read: set[PathUse] = set()
    changed: set[PathUse] = set()
    for part in parts:
        for use in part.reads if reading else ():
            if use not in read:
                read.add(use)
                yield part, reading, use
        for use in (*part.writes, *part.redirect_writes) if changing else ():
            if use not in changed:
                changed.add(use)
                yield part, changing, use


def _iterate_moved_files(case: Case, reading: PathRules) -> Iterator[tuple[Part, PathRules, PathUse]]:
    """Yield the paths of a tool that moves a file, with the rules about reading.

    INVARIANT: a file that may not be read is not moved to a path where it may be.
    """
    found = [(part, part.path) for part in case.parts if part.path is not None]
    if reading and len(found) > 1 and case.effect is not Effect.READ:
        yield from ((part, reading, use) for part, use in found)
