"""Path rules: gitignore-style patterns, anchored, matched component by component."""

import unicodedata
from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

from assent.engine.component import ComponentGlobs, could_be, has_glob
from assent.engine.facts import Place, spelled
from assent.engine.glob import HOLE
from assent.engine.rule import Rule


class Anchor(StrEnum):
    """What a pattern is measured from."""

    ABSOLUTE = "absolute"
    HOME = "home"
    ROOT = "root"
    CWD = "cwd"


class PathPattern(NamedTuple):
    """A pattern as components; `**` stands for any number of them."""

    anchor: Anchor
    components: tuple[str, ...]
    below_only: bool
    """A trailing slash: it means what is in a directory, not a file of that name."""


def parse_path(text: str) -> PathPattern:
    """Read a path pattern: `//abs`, `~/home`, `/root`, `./cwd`, or from the root, at any depth."""
    anchor, rest = _anchored(unicodedata.normalize("NFC", text))
    directory = rest.endswith("/")
    components = tuple(part for part in rest.split("/") if part not in ("", "."))
    floating = anchor is None and "/" not in rest.rstrip("/")
    if floating:
        components = ("**", *components)
    below = directory
    if components[-1:] == ("**",) and directory:
        components = (*components, "*")  # `**/` is any directory below, but not the one we start from
    elif components[-1:] == ("**",) and len(components) > 1:
        components, below = components[:-1], True
    return PathPattern(anchor or Anchor.ROOT, components or ("**",), below)


def _anchored(text: str) -> tuple[Anchor | None, str]:
    if text.startswith("//"):
        return Anchor.ABSOLUTE, text[2:]
    if text == "~" or text.startswith("~/"):
        return Anchor.HOME, text[2:]
    if text.startswith("/"):
        return Anchor.ROOT, text[1:]
    if text.startswith("./"):
        return Anchor.CWD, text[2:]
    return None, text


class PathRules:
    """Path patterns of one list, filed by anchor in tries of components."""

    def __init__(self, patterns: Iterable[tuple[str, Rule]]) -> None:
        self._tries: dict[Anchor, _Node] = {}
        self._first: Rule | None = None
        for text, rule in patterns:
            self._first = self._first or rule
            pattern = parse_path(text)
            self._tries.setdefault(pattern.anchor, _Node()).add(pattern, rule)

    def __bool__(self) -> bool:
        return bool(self._tries)

    def any(self) -> Rule:
        """Some rule, for a path of which nothing is known."""
        if self._first is None:
            raise LookupError("there is no path rule")
        return self._first

    def match(self, path: str, place: Place, *, possibly: bool = False, whole: bool = False) -> Rule | None:
        """The rule that matches an absolute path.

        `possibly`, for some value of its globs and holes; `whole`, also one about all that is below it.
        """
        path = spelled(path, place)
        for anchor, trie in self._tries.items():
            for base in _bases(anchor, place):
                below = _relative(path, spelled(base, place))
                if below is None:
                    continue
                rule = trie.find(below, folded=not place.case_sensitive, possibly=possibly, whole=whole)
                if rule is not None:
                    return rule
        return None


def _bases(anchor: Anchor, place: Place) -> tuple[str, ...]:
    match anchor:
        case Anchor.ABSOLUTE:
            return ("/",)
        case Anchor.HOME:
            return (place.home,) if place.home else ()
        case Anchor.ROOT:
            return place.roots
        case Anchor.CWD:
            return (place.cwd,)


def _relative(path: str, base: str) -> list[str] | None:
    """The components of a path below a base; none at all for the base itself."""
    if path == base:
        return []
    base = base if base.endswith("/") else base + "/"
    return path[len(base) :].split("/") if path.startswith(base) else None


class _Node:
    """One step of a trie; reaching a node with a rule means everything below matches, too."""

    __slots__ = ("anywhere", "exact", "globs", "loops", "rule", "rule_below")

    def __init__(self, *, loops: bool = False) -> None:
        self.loops = loops
        """Reached by `**`, so any component leads here again."""
        self.exact: dict[str, _Node] = {}
        self.globs = ComponentGlobs[_Node]()
        self.anywhere: _Node | None = None
        self.rule: Rule | None = None
        self.rule_below: Rule | None = None

    def add(self, pattern: PathPattern, rule: Rule) -> None:
        node = self
        for component in pattern.components:
            node = node._step(component)
        if pattern.below_only:
            node.rule_below = node.rule_below or rule
        else:
            node.rule = node.rule or rule

    def find(self, components: list[str], *, folded: bool, possibly: bool, whole: bool) -> Rule | None:
        """Follow every way the components could take at once."""
        states = _reach([self])
        for component in components:
            for node in states:
                if node.rule is not None or node.rule_below is not None:
                    return node.rule or node.rule_below
            states = _reach(_next(states, component, folded=folded, possibly=possibly))
            if not states:
                return None
        found = (node.rule or (node.rule_below if whole else None) for node in states)
        return next((rule for rule in found if rule is not None), None)

    def _step(self, component: str) -> "_Node":
        if component == "**":
            self.anywhere = self.anywhere or _Node(loops=True)
            return self.anywhere
        if has_glob(component):
            return self.globs.setdefault(component, _Node())
        return self.exact.setdefault(component, _Node())


def _reach(states: list[_Node]) -> list[_Node]:
    """`**` stands for no component at all, too."""
    found = list(states)
    for node in found:
        if node.anywhere is not None and node.anywhere not in found:
            found.append(node.anywhere)
    return found


def _next(states: list[_Node], component: str, *, folded: bool, possibly: bool) -> list[_Node]:
    found: dict[_Node, None] = {}
    wild = possibly and (HOLE in component or has_glob(component))
    for node in states:
        if node.loops:
            found[node] = None
        if wild:
            found.update((after, None) for name, after in node.exact.items() if could_be(component, name))
            found.update((after, None) for after in node.globs.values())
            continue
        after = node.exact.get(component)
        if after is None and folded:
            after = next((one for name, one in node.exact.items() if name.casefold() == component), None)
        if after is not None:
            found[after] = None
        found.update((one, None) for one in node.globs.matching(component, folded=folded))
    return list(found)
