"""A case: one parsed call with the policy and facts that decide it, and the rules that cover its parts."""

from collections.abc import Iterable, Sequence

from assent.engine.base.facts import CallDirectories, EditablePath, Facts, PathUse, is_inside, normalize_path
from assent.engine.base.globs import UNKNOWN_MARK, has_glob
from assent.engine.base.library_places import is_in_library, is_plan_file, may_enter
from assent.engine.base.sensitive_paths import HARMLESS_SYSTEM_FILES, could_be_secret, is_secret
from assent.engine.base.tool import Call, Effect, Tool
from assent.engine.edits import EditedPath, find_edits, is_allowed, may_become_repository
from assent.engine.lines.part import ParsedCall, Part
from assent.engine.lines.specifier import input_names, suggested_input_name
from assent.engine.parsing import parse_call
from assent.engine.policy.modes import Mode
from assent.engine.policy.packs import PACK_SIGN
from assent.engine.policy.path_rules import covering_path_rule
from assent.engine.policy.rule import Rule, RuleList
from assent.engine.policy.rule_set import RuleSet
from assent.engine.policy.snapshot import Snapshot
from assent.engine.policy.tool_rules import AllowQuery
from assent.engine.programs.word import base_name
from assent.engine.searches import finding_in_tree, finds_nothing, is_listed_inside
from assent.engine.secret_reads import HIDDEN_FILES, find_secret_selector, reads_hidden_listing

_START_DIRECTORY = ("",)
_EFFECT_ORDER = {effect: position for position, effect in enumerate(Effect)}
"""The position of each effect, from the mildest to the strictest."""


class Case:
    """All values that the stages need about one call, computed once."""

    __slots__ = (
        "call",
        "declared_effects",
        "effect",
        "facts",
        "lineage",
        "mode",
        "parsed",
        "parts",
        "reading_parts",
        "snapshot",
        "tool",
    )

    def __init__(
        self, call: Call, tool: Tool, snapshot: Snapshot, facts: Facts, parsed: ParsedCall | None = None
    ) -> None:
        self.call = call
        self.tool = tool
        self.snapshot = snapshot
        self.facts = facts
        self.parsed = parse_call(call, tool) if parsed is None else parsed
        self.parts = self.parsed.all_parts
        self.lineage = snapshot.lineage()
        self.mode: Mode | None = snapshot.narrowest_mode
        # A parent agent may have raised the effect of the tool; no agent can lower it.
        self.declared_effects = (
            {tool.effect}
            if snapshot.parent is None
            else {policy.tools[call.tool].effect for policy in self.lineage}
        )
        # Ids, because comparing large parts is slow.
        self.reading_parts = {
            id(part) for part in self.parts if part.only_reads and self._can_count_as_read(part)
        }
        self.effect = self._effective_effect()

    def only_reads(self, part: Part) -> bool:
        """Whether a part of a command line only reads, in its directory and with its repository's trust."""
        return id(part) in self.reading_parts

    def runs_in_workspace(self, part: Part) -> bool:
        """Whether a part runs in the workspace, also after `cd`."""
        if part.directories == _START_DIRECTORY and self._starts_at_root:
            return True
        return all(self._is_workspace_directory(directory) for directory in part.directories)

    @property
    def _starts_at_root(self) -> bool:
        """Whether the call starts in a root directory of the workspace."""
        return self.facts.directories.cwd in self.facts.directories.roots

    def _is_workspace_directory(self, directory: str) -> bool:
        """Whether a directory of the line is in the workspace; an empty text means the start directory."""
        return (not directory and self._starts_at_root) or self.is_in_workspace(PathUse("", directory))

    def is_in_workspace(self, use: PathUse) -> bool:
        """Whether a path is in the workspace, as written and after links are followed."""
        written = use.to_absolute_path(self.facts.directories)
        if written is None:
            return is_listed_inside(use, self.facts) and (
                use.certain or self.facts.trusted_repository or self._lists_plain_names()
            )
        real = self.facts.real.get(written)
        if not real:
            return False
        return all(is_inside(path, self.facts.directories) for path in real)

    def _lists_plain_names(self) -> bool:
        """Whether the names that the line lists are plain, and no link among them leads out."""
        found = [(part.searches.listing, part) for part in self.parts if part.searches.listing is not None]
        return bool(found) and all(finding_in_tree(*one, self.facts) == "" for one in found)

    def find_secret_in_tree(self, part: Part) -> str | None:
        """A secret in the tree that a part reads; None if there is none."""
        if all(key.startswith(PACK_SIGN) for key in self.facts.findings):
            return None  # The tree is on another machine, where nothing can be looked up.
        searches = [(part.searches.secrets, part)] if part.searches.secrets is not None else []
        if part.reads_listed_files:
            searches += [(own, one) for one in self.parts if (own := one.searches.listed_secrets) is not None]
        for search, where in searches:
            found = finding_in_tree(search, where, self.facts)
            if found is None:
                return UNKNOWN_MARK
            if found:
                return found
        return None

    def find_outside_read(self, part: Part) -> str | None:
        """The first path or variable that a part reads and that is secret or outside the workspace."""
        if part.secret_variable:
            return f"${part.secret_variable}"
        uses = part.reads if part.path is None else (part.path,) if self._is_read_tool else ()
        if not (uses or part.selectors or part.searches.secrets):
            return None
        if part.selectors and (selector := find_secret_selector(part)) is not None:
            return selector
        if part.reads_listed_files and reads_hidden_listing(part, self.parts) and not self._lists_no_secret():
            return HIDDEN_FILES
        outside = next((use for use in uses if not self.may_read_path(use)), None)
        if outside is None:
            return self.find_secret_in_tree(part)
        return (self._find_in_listings() if outside.listed else None) or outside.text

    def _find_in_listings(self) -> str | None:
        """The name or link among the listed names that may lead out; None if there is none."""
        listings = ((one.searches.listing, one) for one in self.parts)
        found = (finding_in_tree(search, one, self.facts) for search, one in listings if search is not None)
        return next(filter(None, found), None)

    def _lists_no_secret(self) -> bool:
        """Whether the searches found no secret among the names that the line lists."""
        found = [(own, one) for one in self.parts if (own := one.searches.listed_secrets) is not None]
        return bool(found) and all(finding_in_tree(*one, self.facts) == "" for one in found)

    @property
    def _is_read_tool(self) -> bool:
        """Whether the tool is declared to read, even if policy raised its effect."""
        return Effect.READ in self.declared_effects or any(
            policy.tools[self.call.tool].reads for policy in self.lineage
        )

    def input_names(self, part: Part) -> tuple[str, ...]:
        """The names by which a rule can name the input of a part; empty if no rule can."""
        if part.input is None or self.may_change_input(part):
            return ()
        return input_names(part.input, self.facts, self.snapshot.input_key)

    def suggested_input_name(self, part: Part) -> str | None:
        """The name of the input of a part in a suggested rule; None if no rule can name it."""
        if part.input is None or self.may_change_input(part):
            return None
        return suggested_input_name(part.input, self.facts, self.snapshot.input_key)

    def may_change_input(self, part: Part) -> bool:
        """Whether the line may change the file that a part reads as its input."""
        if part.input is None or part.input.file is None:
            return False
        name = base_name(part.input.file.text)
        for one in self.parts:
            if id(one) in self.reading_parts:
                continue
            if one.input is None or one.input.file != part.input.file:
                return True
            if any(
                base_name(use.text) == name or UNKNOWN_MARK in use.text
                for use in (*one.writes, *one.redirect_writes)
            ):
                return True
        return False

    def changed_paths(self) -> list[PathUse]:
        """All paths that the call may change."""
        found: list[PathUse] = []
        if self.effect is Effect.READ:
            return found
        for part in self.parts:
            if part.path is not None:
                found.append(part.path)
            elif id(part) not in self.reading_parts:
                found += (*part.writes, *part.redirect_writes)
        # An unknown path may be a path that another part of the line lists.
        names = [use for part in self.parts for use in part.listed_paths]
        if names and any(UNKNOWN_MARK in use.text or UNKNOWN_MARK in use.directory for use in found):
            found += names
        return found

    def _can_count_as_read(self, part: Part) -> bool:
        """Whether a part that only reads runs in the workspace and has the required trust."""
        code = part.needs_trust
        is_near = self.runs_in_workspace(part) or may_enter(part.directories, self.facts, only_made=code)
        return is_near and (not code or self._finds_nothing(part))

    def _finds_nothing(self, part: Part) -> bool:
        """Whether no file of the workspace makes a part do more than read."""
        return finds_nothing(part, self.parts, self.facts)

    def would_only_read(self, part: Part) -> bool:
        """Whether a command would only read without its output redirection."""
        return (
            bool(part.redirect_writes)
            and part.command_only_reads
            and (not part.searches.code or self._finds_nothing(part))
        )

    def may_read_path(self, use: PathUse) -> bool:
        """Whether a path can be read without asking: it is in the workspace and contains no secret."""
        if use.text in HARMLESS_SYSTEM_FILES or (
            use.text.startswith("/dev/fd/") and use.text[8:].isdecimal()
        ):
            return True
        written = use.to_absolute_path(self.facts.directories)
        real = () if written is None else self.facts.real.get(written, ())
        inside = self.is_in_workspace(use) or is_in_library(use, self.facts)
        if use.glob and (not real or any(has_glob(path) for path in real)):
            # The matching files are unknown, so only the pattern can be checked.
            return inside and not could_be_secret(use.text)
        known = (normalize_path(path, self.facts.directories) for path in (*real, written or ""))
        return inside and not any(map(is_secret, known))

    def _effective_effect(self) -> Effect:
        """The effect of this call, which may differ from the declared effect of its tool."""
        effect = max(self.declared_effects, key=_EFFECT_ORDER.__getitem__)
        if effect is Effect.DESTRUCTIVE:
            return effect
        if self.tool.dialect.is_shell and not self.tool.is_unreviewed:
            if len(self.reading_parts) == len(self.parts):
                return Effect.READ
            if effect is Effect.EXECUTE and self._only_edits():
                return Effect.EDIT
        if effect is not Effect.EDIT:
            return effect
        paths = (part.path for part in self.parts if part.path is not None)
        inside = (self.is_in_workspace(path) or is_plan_file(path, self.facts) for path in paths)
        return effect if all(inside) else Effect.WRITE

    def _edits_clean_repository(self, part: Part, edited: Iterable[EditedPath]) -> bool:
        """Whether Git starts nothing for an edit, in the directory of the part and not in another one."""
        paths = {PathUse("", one.use.directory).to_absolute_path(self.facts.directories) for one in edited}
        own = {PathUse("", one).to_absolute_path(self.facts.directories) for one in part.directories}
        return paths <= own and self._finds_nothing(part)

    def _only_edits(self) -> bool:
        """Whether every part of a command line only reads, or edits files as the edit tool could."""
        if not self.facts.files or not all(policy.options.shell_edits for policy in self.lineage):
            return False
        edited: list[EditedPath] = []
        for part in self.parts:
            if id(part) in self.reading_parts:
                continue
            found = find_edits(part) if self.runs_in_workspace(part) else None
            if not found or (part.searches.code and not self._edits_clean_repository(part, found)):
                return False
            edited += found
        if any(part.needs_trust for part in self.parts) and may_become_repository(edited):
            return False
        return all(self.is_in_workspace(one.use) and is_allowed(one, self.facts) for one in edited)


def covering_rule(case: Case, rule_sets: Sequence[RuleSet]) -> Rule | None:
    """The first of the rules that together cover the whole call; None if a part is not covered."""
    for rules in rule_sets:
        if (bare := rules.tool_allow_rule(case.tool)) is not None:
            return bare
    return covering_scoped_rule(case, rule_sets, case.parsed.distinct_parts)


def covering_scoped_rule(case: Case, rule_sets: Sequence[RuleSet], parts: Sequence[Part]) -> Rule | None:
    """The first of the scoped rules that together cover these parts; rules for the whole tool are ignored."""
    used: list[Rule] = []
    for part in parts:
        if not _is_part_covered(case, rule_sets, part, used):
            return None
    return used[0] if used else None


def uncovered_parts(case: Case, rule_sets: Sequence[RuleSet]) -> tuple[Part, ...]:
    """The parts that no scoped rule covers."""
    return tuple(part for part in case.parsed.parts if not _is_part_covered(case, rule_sets, part, []))


def input_file_paths(parts: Iterable[Part], directories: CallDirectories) -> tuple[str, ...]:
    """The absolute paths of files that commands read as their input and may act on."""
    fed = (part.input.file for part in parts if part.input is not None and part.input.file is not None)
    found = (use.to_absolute_path(directories) for use in fed)
    return tuple(dict.fromkeys(written for written in found if written is not None))


def editable_paths(parts: Sequence[Part], directories: CallDirectories) -> tuple[EditablePath, ...]:
    """The absolute paths whose file state is required, if every part only reads or edits."""
    uses: dict[PathUse, None] = {}
    for part in parts:
        if part.only_reads:
            continue
        found = find_edits(part)
        if not found:
            return ()
        uses.update((one.use, None) for one in found)
    paths = (use.to_absolute_path(directories) for use in uses)
    return tuple(dict.fromkeys(EditablePath(path) for path in paths if path is not None))


def paths_in_parts(parts: Iterable[Part], directories: CallDirectories) -> tuple[str, ...]:
    """The absolute paths whose real paths are required for a decision about these parts."""
    uses: dict[PathUse, None] = {}
    for part in parts:
        dangers = [danger.use for danger in part.endangered_paths]
        uses.update(dict.fromkeys((*part.reads, *part.writes, *part.redirect_writes, *dangers)))
        if part.path is not None:
            uses[part.path] = None
        if part.directories != _START_DIRECTORY:
            uses.update((PathUse("", directory), None) for directory in part.directories if directory)
    if directories.cwd not in directories.roots:
        uses[PathUse("")] = None
    found = (use.to_absolute_path(directories) for use in uses)
    return tuple(dict.fromkeys(written for written in found if written is not None))


def _is_part_covered(case: Case, rule_sets: Sequence[RuleSet], part: Part, used: list[Rule]) -> bool:
    """Whether a part is covered or only reads; the covering rules are added to `used`."""
    if part.unreadable is not None or not case.runs_in_workspace(part):
        return False
    if _are_redirections_covered(case, rule_sets, part, used) and _is_command_covered(
        case, rule_sets, part, used
    ):
        return True
    return case.only_reads(part)


def _is_command_covered(case: Case, rule_sets: Sequence[RuleSet], part: Part, used: list[Rule]) -> bool:
    """Whether the command of a part and its nested parts are covered."""
    if not part.nested:
        return (
            _add_covering_rule(case, rule_sets, part, used)
            or case.only_reads(part)
            or case.would_only_read(part)
        )
    if _add_covering_rule(case, rule_sets, part, used, spelled_out=_count_required_words(part)):
        return True
    looked_through = part.is_covered_by_nested or (
        part.privilege and case.snapshot.options.strip_privilege_wrappers
    )
    if not looked_through and not _add_covering_rule(case, rule_sets, part, used):
        return False
    return all(_is_part_covered(case, rule_sets, inner, used) for inner in part.nested)


def _count_required_words(part: Part) -> int:
    """How many words a rule must contain literally to cover a nested command: up to its program.

    If the nested program is in the input, a rule must contain all words literally and name the input.
    """
    count = part.nested_at + 1
    return (
        count
        if part.input is None or not part.input.must_be_named
        else min([count, *map(len, part.written_forms)])
    )


def _add_covering_rule(
    case: Case, rule_sets: Sequence[RuleSet], part: Part, used: list[Rule], *, spelled_out: int = 0
) -> bool:
    """Add the first rule that covers a part to `used`; return whether there is one."""
    query = AllowQuery(part, case.facts, spelled_out, case.input_names(part), case.parts)
    for rules in rule_sets:
        if (rule := rules.covering_rule(case.tool, query)) is not None:
            used.append(rule)
            return True
    return False


def _are_redirections_covered(case: Case, rule_sets: Sequence[RuleSet], part: Part, used: list[Rule]) -> bool:
    """Whether path rules of editing tools cover the files that a part writes by redirection."""
    for use in part.redirect_writes:
        found = (
            covering_path_rule(
                rules.path_rules(RuleList.ALLOW, case.snapshot.tools, read=False), use, case.facts
            )
            for rules in rule_sets
        )
        rule = next((one for one in found if one is not None), None)
        if rule is None:
            return False
        used.append(rule)
    return True
