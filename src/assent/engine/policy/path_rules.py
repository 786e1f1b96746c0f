"""Path rules: patterns in the style of gitignore, matched component by component."""

import unicodedata
from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

from assent.engine.base.facts import CallDirectories, Facts, PathUse, normalize_path
from assent.engine.base.globs import UNKNOWN_MARK, ComponentGlobs, could_match_component, has_glob
from assent.engine.policy.rule import Rule


class Anchor(StrEnum):
    """The directory from which a pattern starts."""

    ABSOLUTE = "absolute"
    HOME = "home"
    ROOT = "root"
    CWD = "cwd"


class PathPattern(NamedTuple):
    """A pattern, split into components; `**` matches any number of components."""

    anchor: Anchor
    components: tuple[str, ...]
    below_only: bool
    """True if the pattern ends in a slash.

    Then it matches the content of a directory, but not a file of that name.
    """


def parse_path_pattern(text: str) -> PathPattern:
    """Parse a path pattern: `//abs`, `~/home`, `/root`, `./cwd`, or a name at any depth below the root."""
    anchor, rest = _split_anchor(unicodedata.normalize("NFC", text))
    directory = rest.endswith("/")
    components = tuple(part for part in rest.split("/") if part not in ("", "."))
    floating = anchor is None and "/" not in rest.rstrip("/")
    if floating:
        components = ("**", *components)
    below = directory
    if components[-1:] == ("**",) and directory:
        components = (
            *components,
            "*",
        )  # `**/` means any directory below the start directory, but not the start directory itself
    elif components[-1:] == ("**",) and len(components) > 1:
        components, below = components[:-1], True
    return PathPattern(anchor or Anchor.ROOT, components or ("**",), below)


def _split_anchor(text: str) -> tuple[Anchor | None, str]:
    """Split the anchor from a pattern; None for a pattern without anchor."""
    if text.startswith("//"):
        return Anchor.ABSOLUTE, text[2:]
    if text == "~" or text.startswith("~/"):
        return Anchor.HOME, text[2:]
    if text.startswith("/"):
        return Anchor.ROOT, text[1:]
    if text.startswith("./"):
        return Anchor.CWD, text[2:]
    return None, text


_BARE_STARS = frozenset({"*", "**", "**/*"})
_EVERY_PATH = PathPattern(Anchor.ABSOLUTE, ("**",), below_only=False)
"""The pattern of a deny or ask rule that is only a star."""


def _could_be_same_name(name: str, other: str) -> bool:
    """Whether two names, each perhaps with globs, may mean the same file."""
    return could_match_component(name, other) if has_glob(name) else could_match_component(other, name)


MAX_LAST_NAMES = 64
"""The maximal number of names with which words are compared first."""
MAX_TRIE_STEPS = 8192
"""The maximal number of trie steps for the globs of a call; after that, a rule is assumed to match."""


class PathRules:
    """The path patterns of one list, as one trie of components per anchor."""

    def __init__(self, patterns: Iterable[tuple[str, Rule]], *, strict: bool = False) -> None:
        """Compile the patterns; with `strict`, a bare star also means paths outside the workspace."""
        self._patterns = [
            (_EVERY_PATH if strict and text in _BARE_STARS else parse_path_pattern(text), rule)
            for text, rule in patterns
        ]
        last = [pattern.components[-1].casefold() for pattern, _ in self._patterns]
        is_listed = len(last) <= MAX_LAST_NAMES and not any(map(has_glob, last))
        self.last_names: tuple[str, ...] | None = tuple(dict.fromkeys(last)) if is_listed else None
        """The last names of all patterns, which each matching path contains; None if there are globs."""
        self._every_path = next((rule for pattern, rule in self._patterns if pattern is _EVERY_PATH), None)
        self._tries: dict[bool, dict[Anchor, _TrieNode]] = {}
        """With and without letter case, each built on first use."""
        self._last: tuple[CallDirectories, list[tuple[_TrieNode, str]]] | None = None

    def __bool__(self) -> bool:
        """Whether there are any patterns."""
        return bool(self._patterns)

    def first_rule(self) -> Rule:
        """The first rule, which stands for all rules if a path is unknown."""
        if not self._patterns:
            raise LookupError("there is no path rule")
        return self._patterns[0][1]

    @property
    def rule_for_every_path(self) -> Rule | None:
        """The deny or ask rule that means every path, known or not."""
        return self._every_path

    def match_selector(
        self, names: Iterable[str], base: str, directories: CallDirectories
    ) -> "PathMatch | None":
        """The rule about files that a pattern of names selects at any depth below a directory."""
        possible: PathMatch | None = None
        for name in names:
            parts = [part for part in name.casefold().split("/") if part not in ("", ".", "**")]
            literal = parts[: next((at for at, part in enumerate(parts) if has_glob(part)), len(parts))]
            if literal and (
                rule := self.match("/".join((base.rstrip("/"), *literal)), directories, whole=True)
            ):
                return PathMatch(rule, certain=True)
            if not parts:
                continue
            for pattern, rule in self._patterns:
                last = pattern.components[-1].casefold()
                if last == "**" or not _could_be_same_name(parts[-1], last):
                    continue
                if parts[-1][0] not in "*?[":
                    return PathMatch(rule, certain=True)
                possible = possible or PathMatch(rule, certain=False)
        return possible

    def match_below(self, path: str, directories: CallDirectories) -> Rule | None:
        """A rule about some path below a directory."""
        for trie, below in self._tries_for_path(path, directories):
            if (rule := trie.find_rule_below(below)) is not None:
                return rule
        base = normalize_path(path, directories).rstrip("/") + "/"
        inside = (trie for trie, start in self._tries_in(directories) if start.startswith(base))
        return next((rule for trie in inside if (rule := trie.first_rule()) is not None), None)

    def match(self, path: str, directories: CallDirectories, *, whole: bool = False) -> Rule | None:
        """The rule that matches an absolute path; with `whole`, also a rule about everything below it."""
        for trie, below in self._tries_for_path(path, directories):
            if (rule := trie.find_rule(below, whole=whole)) is not None:
                return rule
        return None

    def could_match(self, path: str, directories: CallDirectories, steps_left: list[int]) -> Rule | None:
        """A rule that may match a path with globs or unknown names; any rule if no steps are left."""
        for trie, below in self._tries_for_path(path, directories):
            rule = trie.find_possible_rule(below, steps_left)
            if rule is not None or steps_left[0] < 0:
                return rule or self.first_rule()
        return None

    def _tries_for_path(self, path: str, directories: CallDirectories) -> "list[tuple[_TrieNode, list[str]]]":
        """The tries that may match the path, each with the components below its start directory."""
        path = normalize_path(path, directories)
        return [
            (trie, path[len(base) :].split("/") if path != base[:-1] else [])
            for trie, base in self._tries_in(directories)
            if path.startswith(base) or path == base[:-1]
        ]

    def _tries_in(self, directories: CallDirectories) -> "list[tuple[_TrieNode, str]]":
        """The tries with their start directories; cached, because most calls run in the same directories."""
        if self._last is None or self._last[0] is not directories:
            folded = not directories.case_sensitive
            tries = self._tries.get(folded)
            if tries is None:
                tries = self._tries[folded] = _build_tries(self._patterns, folded=folded)
            bases = [
                (trie, base)
                for anchor, trie in tries.items()
                for base in _base_directories(anchor, directories)
            ]
            self._last = (
                directories,
                [(trie, normalize_path(base, directories).rstrip("/") + "/") for trie, base in bases],
            )
        return self._last[1]


def _build_tries(patterns: Iterable[tuple[PathPattern, Rule]], *, folded: bool) -> "dict[Anchor, _TrieNode]":
    """Build one trie per anchor; `folded` tries ignore the letter case."""
    found: dict[Anchor, _TrieNode] = {}
    for pattern, rule in patterns:
        found.setdefault(pattern.anchor, _TrieNode()).add_pattern(pattern, rule, folded=folded)
    return found


def _base_directories(anchor: Anchor, directories: CallDirectories) -> tuple[str, ...]:
    """The directories from which an anchor starts."""
    match anchor:
        case Anchor.ABSOLUTE:
            return ("/",)
        case Anchor.HOME:
            return (directories.home,) if directories.home else ()
        case Anchor.ROOT:
            return directories.roots
        case Anchor.CWD:
            return (directories.cwd,)


class _TrieNode:
    """A node of a trie; a rule at a node also matches everything below it."""

    __slots__ = ("after_double_star", "exact", "globs", "loops", "rule", "rule_below")

    def __init__(self, *, loops: bool = False) -> None:
        self.loops = loops
        """Reached by `**`, so every component leads here again."""
        self.exact: dict[str, _TrieNode] = {}
        self.globs: ComponentGlobs[_TrieNode] | None = None
        self.after_double_star: _TrieNode | None = None
        self.rule: Rule | None = None
        self.rule_below: Rule | None = None

    def add_pattern(self, pattern: PathPattern, rule: Rule, *, folded: bool) -> None:
        """Add a pattern below this node."""
        node = self
        for component in pattern.components:
            node = node._child_for(component.casefold() if folded else component)
        if pattern.below_only:
            node.rule_below = node.rule_below or rule
        else:
            node.rule = node.rule or rule

    def find_rule(self, components: list[str], *, whole: bool) -> Rule | None:
        """The rule that matches the components; all possible paths through the trie are followed together."""
        states = _with_nodes_after_double_star([self])
        for component in components:
            for node in states:
                if node.rule is not None or node.rule_below is not None:
                    return node.rule or node.rule_below
            states = _with_nodes_after_double_star(_next_nodes(states, component))
            if not states:
                return None
        found = (node.rule or (node.rule_below if whole else None) for node in states)
        return next((rule for rule in found if rule is not None), None)

    def find_rule_below(self, components: list[str]) -> Rule | None:
        """A rule about something below a directory that no rule matches itself."""
        states = _with_nodes_after_double_star([self])
        for component in components:
            states = _with_nodes_after_double_star(_next_nodes(states, component))
        return next((rule for node in states if (rule := node.first_rule()) is not None), None)

    def first_rule(self) -> Rule | None:
        """The first rule at this node or below it."""
        if self.rule is not None or self.rule_below is not None:
            return self.rule or self.rule_below
        globs = () if self.globs is None else self.globs.values()
        after = () if self.after_double_star is None else (self.after_double_star,)
        below = (*self.exact.values(), *globs, *after)
        return next((rule for node in below if (rule := node.first_rule()) is not None), None)

    def find_possible_rule(self, components: list[str], steps_left: list[int]) -> Rule | None:
        """The rule that may match components with globs or unknown names; also None if no steps are left."""
        states = _with_nodes_after_double_star([self])
        for component in components:
            for node in states:
                if node.rule is not None or node.rule_below is not None:
                    return node.rule or node.rule_below
            steps_left[0] -= len(states)
            wild = UNKNOWN_MARK in component or has_glob(component)
            states = _with_nodes_after_double_star(
                _possible_next_nodes(states, component, steps_left)
                if wild
                else _next_nodes(states, component)
            )
        return next((node.rule for node in states if node.rule is not None), None)

    def _child_for(self, component: str) -> "_TrieNode":
        """Return the child node for a component of a pattern, and create it if necessary."""
        if component == "**":
            self.after_double_star = self.after_double_star or _TrieNode(loops=True)
            return self.after_double_star
        if has_glob(component):
            self.globs = self.globs or ComponentGlobs[_TrieNode]()
            return self.globs.setdefault(component, _TrieNode())
        return self.exact.setdefault(component, _TrieNode())


def _with_nodes_after_double_star(states: list[_TrieNode]) -> list[_TrieNode]:
    """Add the nodes after `**`, which may also match no component."""
    for node in states:
        if node.after_double_star is not None and node.after_double_star not in states:
            states.append(node.after_double_star)
    return states


def _next_nodes(states: list[_TrieNode], component: str) -> list[_TrieNode]:
    """The nodes that are reached by one component."""
    found: dict[_TrieNode, None] = {}
    for node in states:
        if node.loops:
            found[node] = None
        if (after := node.exact.get(component)) is not None:
            found[after] = None
        if node.globs is not None:
            found.update(dict.fromkeys(node.globs.find_matching(component)))
    return list(found)


def _possible_next_nodes(states: list[_TrieNode], component: str, steps_left: list[int]) -> list[_TrieNode]:
    """The nodes that a component with a glob may reach; empty if there are too many to try."""
    found: dict[_TrieNode, None] = {}
    for node in states:
        globs = () if node.globs is None else node.globs.values()
        steps_left[0] -= len(node.exact) + len(globs)
        if steps_left[0] < 0:
            return []
        if node.loops:
            found[node] = None
        found.update(
            (after, None) for name, after in node.exact.items() if could_match_component(component, name)
        )
        found.update(dict.fromkeys(globs))
    return list(found)


class PathMatch(NamedTuple):
    """A path rule that matches. The match is not certain if it depends on globs or unknown names."""

    rule: Rule
    certain: bool


def match_path_rule(
    rules: PathRules, use: PathUse, facts: Facts, *, whole: bool = False, steps_left: list[int] | None = None
) -> PathMatch | None:
    """The deny or ask rule that matches a path as written or one of its real paths.

    With `whole`, a rule about paths below it also matches. `steps_left` holds the remaining trie
    steps of the call.
    """
    if not rules:
        return None
    if rules.rule_for_every_path is not None:
        return PathMatch(rules.rule_for_every_path, certain=True)
    written = use.to_absolute_path(facts.directories)
    if written is None:
        return PathMatch(rules.first_rule(), certain=False)
    real = facts.real.get(written, ())
    for path in (written, *real):
        if (rule := rules.match(path, facts.directories, whole=whole)) is not None:
            return PathMatch(rule, certain=True)
    # A glob that matches no existing file is compared as a pattern.
    if use.glob and has_glob(written) and all(map(has_glob, real)):
        possible = rules.could_match(
            written, facts.directories, [MAX_TRIE_STEPS] if steps_left is None else steps_left
        )
        return None if possible is None else PathMatch(possible, certain=False)
    return None


def covering_path_rule(rules: PathRules, use: PathUse, facts: Facts) -> Rule | None:
    """The allow rule that covers a path as written and all its real paths; None for a path without facts."""
    written = use.to_absolute_path(facts.directories)
    real = None if written is None else facts.real.get(written)
    if not rules or written is None or not real:
        return None
    found = [rules.match(path, facts.directories) for path in (written, *real)]
    return found[0] if all(rule is not None for rule in found) else None
