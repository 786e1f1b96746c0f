"""Presets: named ways to run a conversation or an agent, each a file of data."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeVar

from assent.config.declaration import declared, read_declarations
from assent.config.file import fallback_named, read_rules
from assent.config.source import Source, read_source
from assent.config.table import Table, did_you_mean, read_table
from assent.config.tools import BELTS
from assent.engine.model import Tool
from assent.engine.modes import Mode, mode_named
from assent.engine.rule import Layer, Rule, RuleList
from assent.engine.verdict import Verdict
from assent.errors import AssentError, UnknownWordError

SHIPPED = os.path.join(os.path.dirname(__file__), "presets")
KEYS = (
    "purpose", "modes", "fallback", "delivery", "durable", "expires_after",
    "belts", "always", "deny", "ask", "allow", "roles", "tools",
)  # fmt: skip

Member = TypeVar("Member", bound=StrEnum)


class Delivery(StrEnum):
    """How the answer to a question reaches the call that waits for it."""

    WAIT = "wait"
    SUSPEND = "suspend"
    PROPOSE = "propose"


class Becomes(StrEnum):
    """What "always" writes down."""

    RULE = "rule"
    GRANT = "grant"
    OVERRIDE = "override"
    NOTHING = "nothing"


class Width(StrEnum):
    """How much the first offer of "always" covers."""

    EXACT = "exact"
    COMMAND = "command"
    TOOL = "tool"


class Scope(StrEnum):
    """For whom "always" counts."""

    CONVERSATION = "conversation"
    AGENT = "agent"
    USER_AGENT = "user_agent"
    USER = "user"
    CHOICE = "choice"


class Lifetime(StrEnum):
    """How long "always" lasts."""

    RESTART = "restart"
    FOREVER = "forever"
    CHOICE = "choice"


@dataclass(frozen=True, slots=True, kw_only=True)
class Always:
    """What becomes of a yes that is meant to last."""

    becomes: Becomes = Becomes.RULE
    width: Width = Width.EXACT
    scope: Scope = Scope.CHOICE
    lifetime: Lifetime = Lifetime.CHOICE
    widened: bool = False
    """The person may widen it when answering."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """A way to run; its first mode is the one a conversation starts in."""

    name: str
    purpose: str = ""
    modes: tuple[str, ...] = ()
    """The modes on offer, as they are shown; none means that the agent has no mode."""
    fallback: Verdict = Verdict.ASK
    delivery: Delivery = Delivery.WAIT
    durable: bool = False
    """A question that waits outlives the process that asked it."""
    expires_after: int | None = None
    """Seconds until a question counts as denied; None is never."""
    always: Always = Always()
    tools: Mapping[str, Tool] = field(default_factory=dict[str, Tool])
    rules: Mapping[RuleList, tuple[Rule, ...]] = field(default_factory=dict[RuleList, tuple[Rule, ...]])
    roles: Mapping[str, tuple[Rule, ...]] = field(default_factory=dict[str, tuple[Rule, ...]])
    """Allow rules that an agent of this role has besides."""

    @property
    def mode(self) -> Mode | None:
        """The mode that a conversation starts in."""
        return mode_named(self.modes[0]) if self.modes else None

    def allowed(self, role: str = "", extra: Iterable[str] = ()) -> tuple[str, ...]:
        """The allow rules of an agent: everyone's, its role's, its own; each once, in this order."""
        rules = (*self.rules.get(RuleList.ALLOW, ()), *self.roles.get(role, ()))
        return tuple(dict.fromkeys((*(rule.text for rule in rules), *extra)))


def preset_names(*directories: str) -> list[str]:
    """Every preset there is: the shipped ones and those in the directories given."""
    found = [name for directory in (SHIPPED, *directories) for name in _listed(directory)]
    return sorted({name.removesuffix(".toml") for name in found if name.endswith(".toml")})


def load_preset(name: str, *directories: str) -> Preset:
    """The preset of a name; a shipped one cannot be replaced by a file elsewhere."""
    known = preset_names(*directories)
    if name not in known:
        raise AssentError(
            f"unknown preset `{name}`: expected one of {', '.join(known)}{did_you_mean(name, known)}"
        )
    for directory in (SHIPPED, *directories):
        path = os.path.join(directory, f"{name}.toml")
        if os.path.lexists(path):
            return read_preset(read_source(path, guarded=directory != SHIPPED), name)
    raise AssertionError(name)


def read_preset(source: Source, name: str) -> Preset:
    """Read a preset's file as strictly as any policy."""
    table = read_table(source)
    table.only(*KEYS)
    for mode in table.texts("modes"):
        _check_mode(table, mode)
    roles = table.table("roles")
    fallback = table.word("fallback", fallback_named)
    return Preset(
        name=name,
        purpose=table.text("purpose") or "",
        modes=table.texts("modes"),
        fallback=Verdict.ASK if fallback is None else fallback,
        delivery=_member(table, "delivery", Delivery) or Delivery.WAIT,
        durable=table.flag("durable") or False,
        expires_after=table.number("expires_after"),
        always=_read_always(table.table("always")),
        tools=_read_tools(table),
        rules={kind: tuple(read_rules(table, kind, Layer.SHIPPED)) for kind in RuleList},
        roles={role: _read_role(inner) for role, inner in roles.tables()},
    )


def _listed(directory: str) -> list[str]:
    try:
        return os.listdir(directory)
    except OSError:
        return []


def _check_mode(table: Table, word: str) -> None:
    try:
        mode_named(word)
    except UnknownWordError as error:
        raise table.error(str(error), "modes", word) from None


def _read_always(table: Table) -> Always:
    table.only("becomes", "width", "scope", "lifetime", "widened")
    return Always(
        becomes=_member(table, "becomes", Becomes) or Becomes.RULE,
        width=_member(table, "width", Width) or Width.EXACT,
        scope=_member(table, "scope", Scope) or Scope.CHOICE,
        lifetime=_member(table, "lifetime", Lifetime) or Lifetime.CHOICE,
        widened=table.flag("widened") or False,
    )


def _read_tools(table: Table) -> dict[str, Tool]:
    """The tools of the belts it takes, and those it declares itself."""
    tools: dict[str, Tool] = {}
    for belt in table.texts("belts"):
        if belt not in BELTS:
            raise table.error(f"unknown belt `{belt}`: expected one of {', '.join(BELTS)}", "belts", belt)
        tools.update(BELTS[belt])
    for name, declaration in read_declarations(table.table("tools")).items():
        tools[name] = declared(name, declaration, tools)
    return tools


def _read_role(table: Table) -> tuple[Rule, ...]:
    table.only("allow")
    return tuple(read_rules(table, RuleList.ALLOW, Layer.SHIPPED))


def _member(table: Table, key: str, members: type[Member]) -> Member | None:
    def named(word: str) -> Member:
        try:
            return members(word)
        except ValueError:
            raise UnknownWordError(key, word, tuple(members)) from None

    return table.word(key, named)
