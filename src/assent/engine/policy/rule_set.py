"""A rule set: the three lists, compiled so that ten thousand rules cost what ten do."""

from collections.abc import Iterable, Mapping, Sequence

from assent.engine.facts import Facts
from assent.engine.model import Dialect, Effect, Tool
from assent.engine.part import Part
from assent.engine.policy.path_rules import PathRules
from assent.engine.policy.rule import Rule, RuleList, covers_tool
from assent.engine.policy.tool_rules import Asked, Hit, ToolRules


class RuleSet:
    """Deny, ask and allow rules; immutable, and cheap to copy with one allow rule more."""

    def __init__(
        self, deny: Sequence[Rule] = (), ask: Sequence[Rule] = (), allow: Sequence[Rule] = ()
    ) -> None:
        self.lists: Mapping[RuleList, tuple[Rule, ...]] = {
            RuleList.DENY: tuple(deny),
            RuleList.ASK: tuple(ask),
            RuleList.ALLOW: tuple(allow),
        }
        self._added: tuple[Rule, ...] = ()
        self._one: dict[tuple[Rule, str], ToolRules] = {}
        """Added rules by tool, each compiled when it is first met."""
        self._by_name = {kind: _Names(rules) for kind, rules in self.lists.items()}
        self._compiled: dict[tuple[str, Dialect, bool, RuleList], ToolRules] = {}
        self._files: dict[tuple[bool, RuleList], tuple[Mapping[str, Tool], PathRules]] = {}

    @property
    def allows(self) -> bool:
        """Whether there is any allow rule at all."""
        return bool(self.lists[RuleList.ALLOW])

    def adding_allow(self, rule: Rule) -> "RuleSet":
        """The same with one allow rule more, without compiling anything again."""
        more = RuleSet.__new__(RuleSet)
        more.lists = {**self.lists, RuleList.ALLOW: (*self.lists[RuleList.ALLOW], rule)}
        more._by_name, more._compiled = self._by_name, self._compiled
        more._files = {key: kept for key, kept in self._files.items() if key[1] is not RuleList.ALLOW}
        more._added = (*self._added, rule)
        more._one = {**self._one}
        return more

    def hit(self, which: RuleList, tool: Tool, parts: Sequence[Part], facts: Facts) -> Hit | None:
        """The first deny or ask rule that any part meets; a sure hit before a possible one."""
        rules = self._for(which, tool)
        if rules.bare is not None:
            return Hit(rules.bare, parts[0])
        if not rules.scoped:
            return None
        possible: Hit | None = None
        for part in parts:
            found = rules.hit(part, facts)
            if found is not None and found.surely:
                return found
            possible = possible or found
        return possible or rules.possible_hit(parts)

    def covering(
        self, tool: Tool, part: Part, facts: Facts, *, spelled_out: int = 0, fed: Sequence[str] = ()
    ) -> Rule | None:
        """The scoped allow rule that covers a part, spelling out so many of its words.

        A part that is fed more than data is covered by a rule that gives its input one of the names `fed`.
        """
        asked = Asked(part, facts, spelled_out, fed)
        rules = self._for(RuleList.ALLOW, tool)
        found = rules.cover(asked) if rules.scoped else None
        return self._covering_added(tool, asked) if found is None and self._added else found

    def allowing_tool(self, tool: Tool) -> Rule | None:
        """The allow rule that names the tool and nothing more."""
        bare = self._for(RuleList.ALLOW, tool).bare
        if bare is None and self._added:
            return next(
                (one for one in self._added if one.specifier is None and covers_tool(one.tool, tool.name)),
                None,
            )
        return bare

    def files(self, which: RuleList, tools: Mapping[str, Tool], *, read: bool) -> PathRules:
        """The path rules of every tool that reads files, or of every tool that changes them."""
        kept = self._files.get((read, which))
        # A catalog of the same tools may be another mapping each time.
        if kept is not None and (kept[0] is tools or kept[0] == tools):
            return kept[1]
        # A tool whose effect was raised, even to destructive, changes files like before.
        files = (tool for tool in tools.values() if tool.dialect is Dialect.PATH)
        named = [tool for tool in files if (tool.effect is Effect.READ) is read or (read and tool.reads)]
        rules = PathRules(
            (rule.specifier, rule)
            for rule in self.lists[which]
            if rule.specifier is not None and any(covers_tool(rule.tool, tool.name) for tool in named)
        )
        self._files[read, which] = (tools, rules)
        return rules

    def _for(self, which: RuleList, tool: Tool) -> ToolRules:
        key = (tool.name, tool.dialect, tool.template is None, which)
        compiled = self._compiled.get(key)
        if compiled is None:
            compiled = self._compiled[key] = ToolRules(self._by_name[which].naming(tool.name), tool, which)
        return compiled

    def _covering_added(self, tool: Tool, asked: Asked) -> Rule | None:
        named = [
            rule for rule in self._added if rule.specifier is not None and covers_tool(rule.tool, tool.name)
        ]
        for rule in named:
            key = (rule, tool.name)
            one = self._one.get(key)
            if one is None:
                one = self._one[key] = ToolRules([rule], tool, RuleList.ALLOW)
            if (found := one.cover(asked)) is not None:
                return found
        return None


class _Names:
    """Rules by the tool name they give, so that a tool meets only its own."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._exact: dict[str, list[Rule]] = {}
        self._patterns: list[Rule] = []
        for rule in rules:
            if "*" in rule.tool or rule.tool.startswith("mcp__"):
                self._patterns.append(rule)
            else:
                self._exact.setdefault(rule.tool, []).append(rule)

    def naming(self, tool: str) -> list[Rule]:
        matching = [rule for rule in self._patterns if covers_tool(rule.tool, tool)]
        return [*self._exact.get(tool, ()), *matching]


NO_RULES = RuleSet()
