"""Rules that cover a program only while nothing is fed to it, and what is said about them."""

import os
from collections.abc import Iterable
from contextlib import suppress

from assent.cli.database import run
from assent.config.tools import KNOWN
from assent.engine.model import Dialect
from assent.engine.policy.rule import parse_rule
from assent.engine.suggestions import needs_empty_input
from assent.errors import AssentError

WHAT_IT_MEANS = "covers this program only while nothing is fed to it: a rule must name what is fed"


def open_rules(texts: Iterable[str]) -> list[str]:
    """Those of the rules that name a program which acts on its input, and say nothing of the input."""
    return [text for text in texts if _is_open(text)]


def open_rules_in(address: str) -> list[str]:
    """The same for what a database holds; nothing where it cannot be read, which others report."""
    return run(open_rules_at(address))


async def open_rules_at(address: str) -> list[str]:
    """The same for whoever is in a loop already."""
    from assent.stores.admin.connections import read
    from assent.stores.sql.policy import read_allowed_patterns

    if "://" not in address and not os.path.exists(address):
        return []
    with suppress(AssentError):
        return open_rules(await read(address, read_allowed_patterns))
    return []


def sentences(texts: Iterable[str]) -> list[str]:
    """One sentence for each of them."""
    return [f"`{text}` {WHAT_IT_MEANS}" for text in texts]


def _is_open(text: str) -> bool:
    with suppress(AssentError):
        rule = parse_rule(text)
        tool = KNOWN.get(rule.tool)
        # A tool that is not known here may run lines, too.
        return needs_empty_input(rule, Dialect.SHELL if tool is None else tool.dialect)
    return False
