"""Reads preset files: those that are shipped, the user's and the administrator's."""

import os
from enum import StrEnum
from typing import TypeVar

from assent.config.files import Source, read_source
from assent.config.policy_file import (
    apply_declaration,
    parse_fallback,
    read_budget,
    read_declarations,
    read_rules,
)
from assent.config.table import Table, did_you_mean, read_table
from assent.config.tools import TOOLS_BY_BELT
from assent.engine.base.tool import Tool
from assent.engine.policy.modes import parse_mode
from assent.engine.policy.rule import Layer, Rule, RuleList
from assent.engine.policy.verdict import Verdict
from assent.errors import AssentError, UnknownWordError
from assent.gate.preset import CHOICE, Always, Becomes, Delivery, FirstOffer, Lifetime, Preset, Scope

SHIPPED_DIRECTORY = os.path.join(os.path.dirname(__file__), "presets")
PRESET_KEYS = (
    "purpose", "modes", "fallback", "delivery", "durable", "expires_after",
    "belts", "shell_edits", "always", "budget", "deny", "ask", "allow", "roles", "tools",
)  # fmt: skip
Member = TypeVar("Member", bound=StrEnum)


def preset_names(*directories: str) -> list[str]:
    """The names of the shipped presets and of the presets in the given directories."""
    found = [name for directory in (SHIPPED_DIRECTORY, *directories) for name in _list_directory(directory)]
    return sorted({name.removesuffix(".toml") for name in found if name.endswith(".toml")})


def load_preset(name: str, *directories: str) -> Preset:
    """Load a preset by name; a shipped preset cannot be replaced by a file of the same name."""
    known = preset_names(*directories)
    if name not in known:
        raise AssentError(
            f"unknown preset `{name}`: expected one of {', '.join(known)}{did_you_mean(name, known)}"
        )
    for directory in (SHIPPED_DIRECTORY, *directories):
        path = os.path.join(directory, f"{name}.toml")
        if os.path.lexists(path):
            return read_preset(read_source(path, guarded=directory != SHIPPED_DIRECTORY), name)
    raise AssertionError(name)


def read_preset(source: Source, name: str) -> Preset:
    """Read a preset from its file; raises an error for any mistake."""
    table = read_table(source)
    table.check_keys(*PRESET_KEYS)
    for mode in table.texts("modes"):
        _check_mode(table, mode)
    roles = table.table("roles")
    fallback = table.word("fallback", parse_fallback)
    return Preset(
        name=name,
        purpose=table.text("purpose") or "",
        modes=table.texts("modes"),
        fallback=Verdict.ASK if fallback is None else fallback,
        delivery=_read_member(table, "delivery", Delivery) or Delivery.WAIT,
        durable=table.flag("durable") or False,
        expires_after=table.number("expires_after"),
        always=_read_always(table.table("always")),
        shell_edits=table.flag("shell_edits") is not False,
        budget=read_budget(table.table("budget")),
        tools=_read_tools(table),
        rules={kind: tuple(read_rules(table, kind, Layer.SHIPPED)) for kind in RuleList},
        roles={role: _read_role(inner) for role, inner in roles.tables()},
    )


def _list_directory(directory: str) -> list[str]:
    try:
        return os.listdir(directory)
    except OSError:
        return []


def _check_mode(table: Table, word: str) -> None:
    try:
        parse_mode(word)
    except UnknownWordError as error:
        raise table.error(str(error), "modes", word) from None


def _read_member(table: Table, key: str, members: type[Member]) -> Member | None:
    def parse_member(word: str) -> Member:
        try:
            return members(word)
        except ValueError:
            raise UnknownWordError(key, word, tuple(members)) from None

    return table.word(key, parse_member)


def _read_always(table: Table) -> Always:
    table.check_keys("becomes", "width", "scope", "lifetime", "widened")
    return Always(
        becomes=_read_member(table, "becomes", Becomes) or Becomes.RULE,
        width=_read_member(table, "width", FirstOffer) or FirstOffer.EXACT,
        scope=_read_member_or_choice(table, "scope", Scope),
        lifetime=_read_member_or_choice(table, "lifetime", Lifetime),
        widened=table.flag("widened") or False,
    )


def _read_member_or_choice(table: Table, key: str, members: type[Member]) -> Member | None:
    """Read an enum member by its word; None if the person who answers chooses the value."""

    def parse_member(word: str) -> Member | None:
        if word == CHOICE:
            return None
        try:
            return members(word)
        except ValueError:
            raise UnknownWordError(key, word, (*members, CHOICE)) from None

    return table.word(key, parse_member)


def _read_tools(table: Table) -> dict[str, Tool]:
    """Read the tools of a preset: those of the belts that it names, and those that it declares itself."""
    tools: dict[str, Tool] = {}
    for belt in table.texts("belts"):
        if belt not in TOOLS_BY_BELT:
            raise table.error(
                f"unknown belt `{belt}`: expected one of {', '.join(TOOLS_BY_BELT)}", "belts", belt
            )
        tools.update(TOOLS_BY_BELT[belt])
    for name, declaration in read_declarations(table.table("tools")).items():
        tools[name] = apply_declaration(name, declaration, tools)
    return tools


def _read_role(table: Table) -> tuple[Rule, ...]:
    table.check_keys("allow")
    return tuple(read_rules(table, RuleList.ALLOW, Layer.SHIPPED))
