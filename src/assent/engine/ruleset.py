"""A rule set: the three lists, compiled so that ten thousand rules cost what ten do."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from assent.engine.arguments import NamedArgument, covers, hits, hits_anywhere, named_arguments
from assent.engine.facts import Facts
from assent.engine.flagged import Flagged
from assent.engine.matching import MOST_STEPS, Covers, Hits
from assent.engine.model import Dialect, Effect, Tool
from assent.engine.part import Part
from assent.engine.path import PathRules
from assent.engine.pathmatch import covering_path, hit_path
from assent.engine.pattern import pattern_words
from assent.engine.powershell import folding
from assent.engine.rule import Rule, RuleList, covers_tool
from assent.engine.shell.knowledge.synonyms import spellings


class Hit(NamedTuple):
    """A rule that matched, and the part it matched."""

    rule: Rule
    part: Part
    surely: bool = True
    """False when it only could match, for some value of what we cannot know."""


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
        self._one: dict[tuple[Rule, str], _ToolRules] = {}
        """Added rules by tool, each compiled when it is first met."""
        self._by_name = {kind: _Names(rules) for kind, rules in self.lists.items()}
        self._compiled: dict[tuple[str, Dialect, bool, RuleList], _ToolRules] = {}
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

    def covering(self, tool: Tool, part: Part, facts: Facts, *, spelled_out: int = 0) -> Rule | None:
        """The scoped allow rule that covers a part, spelling out so many of its words."""
        rules = self._for(RuleList.ALLOW, tool)
        found = rules.cover(part, facts, spelled_out) if rules.scoped else None
        if found is None and self._added:
            return self._covering_added(tool, part, facts, spelled_out)
        return found

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

    def _for(self, which: RuleList, tool: Tool) -> "_ToolRules":
        key = (tool.name, tool.dialect, tool.template is None, which)
        compiled = self._compiled.get(key)
        if compiled is None:
            compiled = self._compiled[key] = _ToolRules(self._by_name[which].naming(tool.name), tool, which)
        return compiled

    def _covering_added(self, tool: Tool, part: Part, facts: Facts, spelled_out: int) -> Rule | None:
        named = [
            rule for rule in self._added if rule.specifier is not None and covers_tool(rule.tool, tool.name)
        ]
        for rule in named:
            key = (rule, tool.name)
            one = self._one.get(key)
            if one is None:
                one = self._one[key] = _ToolRules([rule], tool, RuleList.ALLOW)
            if (found := one.cover(part, facts, spelled_out)) is not None:
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


class _ToolRules:
    """The rules of one list that name one tool, compiled for its dialect."""

    def __init__(self, rules: Iterable[Rule], tool: Tool, which: RuleList) -> None:
        self.tool = tool
        self._folds = tool.dialect is Dialect.POWERSHELL
        self.bare: Rule | None = None
        scoped: list[tuple[str, Rule]] = []
        for rule in rules:
            if rule.specifier is None:
                self.bare = self.bare or rule
            else:
                scoped.append((rule.specifier, rule))
        self.scoped = bool(scoped)
        self._hits = Hits(())
        self._aliases = Hits(())
        """The same rules by other names of their commands."""
        self._flagged: Flagged | None = None
        self._covers = Covers(())
        self._paths = PathRules(())
        self._arguments: list[tuple[tuple[NamedArgument, ...] | None, Rule]] = []
        self._compile(scoped, which)

    def hit(self, part: Part, facts: Facts) -> Hit | None:
        if part.path is not None:
            found = hit_path(self._paths, part.path, facts)
            return None if found is None else Hit(found.rule, part, found.surely)
        if part.args is not None:
            return self._hit_arguments(part)
        for text in folding.hit_texts(part.hits) if self._folds else part.hits:
            if (rule := self._hits.hit(text) or self._aliases.hit(text)) is not None:
                return Hit(rule, part)
        rule = None if self._flagged is None else self._flagged.hit(part)
        return None if rule is None else Hit(rule, part)

    def possible_hit(self, parts: Sequence[Part]) -> Hit | None:
        """The first part that a rule could match, for some value of what is unknown in it."""
        left = [MOST_STEPS]
        for part in parts:
            for text in folding.hit_texts(part.possible) if self._folds else part.possible:
                if (rule := self._hits.could_hit(text, left)) is not None:
                    return Hit(rule, part, surely=False)
        return None

    def cover(self, part: Part, facts: Facts, spelled_out: int) -> Rule | None:
        if part.path is not None:
            return covering_path(self._paths, part.path, facts)
        if part.args is not None:
            found = (rule for named, rule in self._arguments if named and covers(named, part.args))
            return next(found, None)
        for written in part.covers:
            words = folding.cover_words(written) if self._folds else written
            if (rule := self._covers.cover(words, spelled_out=spelled_out)) is not None:
                return rule
        return None

    def _hit_arguments(self, part: Part) -> Hit | None:
        args = part.args or {}
        for named, rule in self._arguments:
            matched = hits_anywhere(rule.specifier or "", args) if named is None else hits(named, args)
            if matched:
                return Hit(rule, part)
        return None

    def _compile(self, scoped: list[tuple[str, Rule]], which: RuleList) -> None:
        if self.tool.dialect is Dialect.PATH:
            self._paths = PathRules(scoped)
        elif self.tool.dialect is Dialect.TEXT and self.tool.template is None:
            self._arguments = [(named_arguments(specifier), rule) for specifier, rule in scoped]
        elif which is RuleList.ALLOW:
            words = folding.cover_pattern if self._folds else self._words
            self._covers = Covers((words(specifier), rule) for specifier, rule in scoped)
        elif self._folds:
            self._hits = Hits((folding.hit_pattern(specifier), rule) for specifier, rule in scoped)
        else:
            self._compile_hits([(self._words(specifier), rule) for specifier, rule in scoped])

    def _compile_hits(self, scoped: list[tuple[tuple[str, ...], Rule]]) -> None:
        """A rule forbids a command by all its names, and with its options in any order."""
        shell = self.tool.dialect is Dialect.SHELL
        aliases = [(other, rule) for words, rule in scoped if shell for other in spellings(words)[1:]]
        self._hits = Hits((" ".join(words), rule) for words, rule in scoped)
        self._aliases = Hits((" ".join(words), rule) for words, rule in aliases)
        self._flagged = Flagged([*scoped, *aliases]) if shell else None

    def _words(self, specifier: str) -> tuple[str, ...]:
        return pattern_words(specifier) if self.tool.dialect is Dialect.SHELL else tuple(specifier.split(" "))


NO_RULES = RuleSet()
