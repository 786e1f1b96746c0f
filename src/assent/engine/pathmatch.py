"""Path rules against a path as a call spells it, with what the file system says of it."""

from typing import NamedTuple

from assent.engine.component import has_glob
from assent.engine.facts import Facts, PathUse
from assent.engine.path import MOST_TRIES, PathRules
from assent.engine.rule import Rule


class PathHit(NamedTuple):
    """A path rule that matched; not surely, when globs or holes leave it open."""

    rule: Rule
    surely: bool


def hit_path(
    rules: PathRules, use: PathUse, facts: Facts, *, whole: bool = False, left: list[int] | None = None
) -> PathHit | None:
    """Deny and ask: the path as written or any real path behind it; `whole`, all below it, too.

    `left` holds the tries that a call may still make where only globs say which path is meant.
    """
    if not rules:
        return None
    written = use.absolute(facts.place)
    if written is None:
        return PathHit(rules.any(), surely=False)
    real = facts.real.get(written, ())
    for path in (written, *real):
        if (rule := rules.match(path, facts.place, whole=whole)) is not None:
            return PathHit(rule, surely=True)
    # A glob that no disk was asked about, or that found nothing there yet, still stands for itself.
    if use.glob and has_glob(written) and all(map(has_glob, real)):
        possible = rules.could_match(written, facts.place, [MOST_TRIES] if left is None else left)
        return None if possible is None else PathHit(possible, surely=False)
    return None


def covering_path(rules: PathRules, use: PathUse, facts: Facts) -> Rule | None:
    """Allow: the path as written and every real path behind it; one without a fact is not covered."""
    written = use.absolute(facts.place)
    real = None if written is None else facts.real.get(written)
    if not rules or written is None or not real:
        return None
    found = [rules.match(path, facts.place) for path in (written, *real)]
    return found[0] if all(rule is not None for rule in found) else None
