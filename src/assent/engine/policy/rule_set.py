"""The three lists of rules, compiled so that a lookup takes the same time for ten and ten thousand rules."""

from collections.abc import Iterable, Mapping, Sequence

from assent.engine.base.facts import Facts
from assent.engine.base.tool import Dialect, Effect, Tool
from assent.engine.lines.part import Part
from assent.engine.policy.packs import PACK_SIGN
from assent.engine.policy.path_rules import PathRules
from assent.engine.policy.rule import Rule, RuleList, covers_tool
from assent.engine.policy.tool_rules import AllowQuery, RuleMatch, ToolRules


class RuleSet:
    """Deny, ask and allow rules. A rule set is immutable, and a copy with one more allow rule is cheap."""

    def __init__(
        self, deny: Sequence[Rule] = (), ask: Sequence[Rule] = (), allow: Sequence[Rule] = ()
    ) -> None:
        self.lists: Mapping[RuleList, tuple[Rule, ...]] = {
            RuleList.DENY: tuple(deny),
            RuleList.ASK: tuple(ask),
            RuleList.ALLOW: tuple(allow),
        }
        self._added: tuple[Rule, ...] = ()
        self._added_compiled: dict[tuple[Rule, str], ToolRules] = {}
        """Added rules by tool, each compiled on first use."""
        self._by_tool = {kind: _RulesByTool(rules) for kind, rules in self.lists.items()}
        self._compiled: dict[tuple[str, Dialect, bool, RuleList, bool, bool], ToolRules] = {}
        self._files: dict[tuple[bool, RuleList], tuple[Mapping[str, Tool], PathRules]] = {}

    @property
    def has_allow_rules(self) -> bool:
        """Whether there is any allow rule."""
        return bool(self.lists[RuleList.ALLOW])

    def with_allow_rule(self, rule: Rule) -> "RuleSet":
        """Return a copy with one more allow rule; the other rules are not compiled again."""
        more = RuleSet.__new__(RuleSet)
        more.lists = {**self.lists, RuleList.ALLOW: (*self.lists[RuleList.ALLOW], rule)}
        more._by_tool, more._compiled = self._by_tool, self._compiled
        more._files = {key: kept for key, kept in self._files.items() if key[1] is not RuleList.ALLOW}
        more._added = (*self._added, rule)
        more._added_compiled = {**self._added_compiled}
        return more

    def match(self, which: RuleList, tool: Tool, parts: Sequence[Part], facts: Facts) -> RuleMatch | None:
        """The first deny or ask rule that matches a part.

        A certain match takes precedence over a possible match.
        """
        rules = self._compiled_rules(which, tool)
        if rules.bare is not None:
            return RuleMatch(rules.bare, parts[0])
        if not rules.scoped:
            return None
        possible: RuleMatch | None = None
        for part in parts:
            found = rules.match(part, facts)
            if found is not None and found.certain:
                return found
            possible = possible or found
        return possible or rules.possible_match(parts)

    def covering_rule(self, tool: Tool, query: AllowQuery) -> Rule | None:
        """The scoped allow rule that covers the part of a query, under its conditions."""
        rules = self._compiled_rules(RuleList.ALLOW, tool)
        found = rules.covering_rule(query) if rules.scoped else None
        return self._find_covering_added_rule(tool, query) if found is None and self._added else found

    def packs(self, tool: Tool) -> tuple[str, ...]:
        """The names of the packs that allow rules for a tool name."""
        compiled = self._compiled_rules(RuleList.ALLOW, tool).packs
        if not self._added:
            return compiled
        added = [rule.specifier for rule in self._added if rule.specifier and _can_cover(rule, tool)]
        more = [one.removeprefix(PACK_SIGN) for one in added if one.startswith(PACK_SIGN)]
        return tuple(dict.fromkeys((*compiled, *more)))

    def tool_allow_rule(self, tool: Tool) -> Rule | None:
        """The allow rule that names only the tool."""
        bare = self._compiled_rules(RuleList.ALLOW, tool).bare
        if bare is None and self._added:
            return next(
                (one for one in self._added if one.specifier is None and _can_cover(one, tool)),
                None,
            )
        return bare

    def path_rules(self, which: RuleList, tools: Mapping[str, Tool], *, read: bool) -> PathRules:
        """The path rules of all tools that read files, or of all tools that change files."""
        kept = self._files.get((read, which))
        # Each call may bring another mapping with the same tools.
        if kept is not None and (kept[0] is tools or kept[0] == tools):
            return kept[1]
        # A tool that changes files may have a higher effect, even `destructive`.
        files = (tool for tool in tools.values() if tool.dialect is Dialect.PATH)
        named = [tool for tool in files if (tool.effect is Effect.READ) is read or (read and tool.reads)]
        rules = PathRules(
            (
                (rule.specifier, rule)
                for rule in self.lists[which]
                if rule.specifier is not None and any(covers_tool(rule.tool, tool.name) for tool in named)
            ),
            strict=which is not RuleList.ALLOW,
        )
        self._files[read, which] = (tools, rules)
        return rules

    def _compiled_rules(self, which: RuleList, tool: Tool) -> ToolRules:
        """The rules of one list about a tool, compiled on first use."""
        is_limited = which is RuleList.ALLOW and tool.is_unreviewed
        is_excluded = is_limited and not tool.is_remembered
        key = (tool.name, tool.dialect, tool.template is None, which, is_limited, is_excluded)
        compiled = self._compiled.get(key)
        if compiled is None:
            rules = self._by_tool[which].rules_for_tool(tool.name)
            named = [rule for rule in rules if _can_cover(rule, tool)] if is_limited else rules
            compiled = self._compiled[key] = ToolRules(named, tool, which)
        return compiled

    def _find_covering_added_rule(self, tool: Tool, query: AllowQuery) -> Rule | None:
        """The allow rule among those added by `with_allow_rule` that covers a part."""
        named = [rule for rule in self._added if rule.specifier is not None and _can_cover(rule, tool)]
        for rule in named:
            key = (rule, tool.name)
            one = self._added_compiled.get(key)
            if one is None:
                one = self._added_compiled[key] = ToolRules([rule], tool, RuleList.ALLOW)
            if (found := one.covering_rule(query)) is not None:
                return found
        return None


class _RulesByTool:
    """Rules by tool name, so that only the rules about a tool are compiled for it."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._exact: dict[str, list[Rule]] = {}
        self._patterns: list[Rule] = []
        for rule in rules:
            if "*" in rule.tool or rule.tool.startswith("mcp__"):
                self._patterns.append(rule)
            else:
                self._exact.setdefault(rule.tool, []).append(rule)

    def rules_for_tool(self, tool: str) -> list[Rule]:
        """The rules whose tool name means this tool."""
        matching = [rule for rule in self._patterns if covers_tool(rule.tool, tool)]
        return [*self._exact.get(tool, ()), *matching]


def _can_cover(rule: Rule, tool: Tool) -> bool:
    """Whether the tool name of an allow rule means a tool.

    INVARIANT: a pattern never means a tool of a page that nobody reviewed, because the page chose its name;
    and a name that several origins use means none of their unreviewed tools.
    """
    if tool.is_unreviewed:
        return rule.tool == tool.name and tool.is_remembered
    return covers_tool(rule.tool, tool.name)


NO_RULES = RuleSet()
