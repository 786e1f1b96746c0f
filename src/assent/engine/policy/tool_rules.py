"""The rules of one list that name one tool, compiled for its dialect."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from assent.engine.facts import Facts
from assent.engine.fed import Named, named_input
from assent.engine.lines.quoting import pattern_words
from assent.engine.model import Dialect, Tool
from assent.engine.part import Part
from assent.engine.policy import powershell_patterns
from assent.engine.policy.arguments import NamedArgument, covers, hits, hits_anywhere, named_arguments
from assent.engine.policy.option_rules import Flagged
from assent.engine.policy.path_rules import PathRules, covering_path, hit_path
from assent.engine.policy.patterns import MOST_STEPS, Covers, Hits
from assent.engine.policy.rule import Rule, RuleList
from assent.engine.shell.knowledge.synonyms import spellings


class Hit(NamedTuple):
    """A rule that matched, and the part it matched."""

    rule: Rule
    part: Part
    surely: bool = True
    """False when it only could match, for some value of what we cannot know."""


class Asked(NamedTuple):
    """A part for which an allow rule is looked for."""

    part: Part
    facts: Facts
    spelled_out: int
    fed: Sequence[str]


class ToolRules:
    """What these rules say of one part of a call."""

    def __init__(self, rules: Iterable[Rule], tool: Tool, which: RuleList) -> None:
        self.tool = tool
        self._folds = tool.dialect is Dialect.POWERSHELL
        self._runs_lines = tool.dialect in (Dialect.SHELL, Dialect.POWERSHELL)
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
        self._fed: dict[str, Covers] = {}
        """Allow rules by the input that they name."""
        self._paths = PathRules(())
        self._arguments: list[tuple[tuple[NamedArgument, ...] | None, Rule]] = []
        self._compile(scoped, which)

    def hit(self, part: Part, facts: Facts) -> Hit | None:
        """The deny or ask rule that a part meets, or None."""
        if part.path is not None:
            found = hit_path(self._paths, part.path, facts)
            return None if found is None else Hit(found.rule, part, found.surely)
        if part.args is not None:
            return self._hit_arguments(part)
        for text in powershell_patterns.hit_texts(part.hits) if self._folds else part.hits:
            if (rule := self._hits.hit(text) or self._aliases.hit(text)) is not None:
                return Hit(rule, part)
        rule = None if self._flagged is None else self._flagged.hit(part)
        return None if rule is None else Hit(rule, part)

    def possible_hit(self, parts: Sequence[Part]) -> Hit | None:
        """The first part that a rule could match, for some value of what is unknown in it."""
        left = [MOST_STEPS]
        for part in parts:
            for text in powershell_patterns.hit_texts(part.possible) if self._folds else part.possible:
                if (rule := self._hits.could_hit(text, left)) is not None:
                    return Hit(rule, part, surely=False)
        return None

    def cover(self, asked: Asked) -> Rule | None:
        """The allow rule that covers a part, or None."""
        part = asked.part
        if part.path is not None:
            return covering_path(self._paths, part.path, asked.facts)
        if part.args is not None:
            found = (rule for named, rule in self._arguments if named and covers(named, part.args))
            return next(found, None)
        for written in part.covers:
            words = powershell_patterns.cover_words(written) if self._folds else written
            if (rule := self._cover_words(words, asked)) is not None:
                return rule
        return None

    def _cover_words(self, words: tuple[str, ...], asked: Asked) -> Rule | None:
        fed, spelled_out = asked.part.fed, asked.spelled_out
        named = [self._fed[name] for name in asked.fed if name in self._fed]
        found = (one.cover(words, spelled_out=spelled_out) for one in named)
        if (rule := next(filter(None, found), None)) is not None:
            return rule
        # INVARIANT: a rule that names no input never covers a part that is fed instructions.
        if fed is not None and fed.must:
            return None
        return self._covers.cover(words, spelled_out=spelled_out, open_ended=fed is not None)

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
            self._compile_covers(scoped)
        elif self._folds:
            # A rule that forbids a command with one input forbids it with any.
            self._hits = Hits(
                (powershell_patterns.hit_pattern(self._command(one)), rule) for one, rule in scoped
            )
        else:
            self._compile_hits([(self._words(self._command(one)), rule) for one, rule in scoped])

    def _compile_covers(self, scoped: list[tuple[str, Rule]]) -> None:
        words = powershell_patterns.cover_pattern if self._folds else self._words
        inputs: dict[str, list[tuple[tuple[str, ...], Rule]]] = {"": []}
        for specifier, rule in scoped:
            named = named_input(specifier) if self._runs_lines else Named(specifier, "")
            inputs.setdefault(named.input, []).append((words(named.words), rule))
        self._covers = Covers(inputs.pop(""))
        self._fed = {name: Covers(rules) for name, rules in inputs.items()}

    def _command(self, specifier: str) -> str:
        return named_input(specifier).words if self._runs_lines else specifier

    def _compile_hits(self, scoped: list[tuple[tuple[str, ...], Rule]]) -> None:
        """A rule forbids a command by all its names, and with its options in any order."""
        shell = self.tool.dialect is Dialect.SHELL
        aliases = [(other, rule) for words, rule in scoped if shell for other in spellings(words)[1:]]
        self._hits = Hits((" ".join(words), rule) for words, rule in scoped)
        self._aliases = Hits((" ".join(words), rule) for words, rule in aliases)
        self._flagged = Flagged([*scoped, *aliases]) if shell else None

    def _words(self, specifier: str) -> tuple[str, ...]:
        return pattern_words(specifier) if self.tool.dialect is Dialect.SHELL else tuple(specifier.split(" "))
