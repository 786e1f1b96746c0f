"""What a file declares about a tool, and how it joins what is known of it already."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from assent.config.table import Table
from assent.engine.model import Dialect, Effect, PathKind, Tool, parse_dialect, parse_effect
from assent.errors import UnknownWordError

KEYS = ("effect", "dialect", "template", "paths", "group", "description")

_NAME = re.compile(r"[A-Za-z0-9_.:-]{1,128}")
_ORDER = {effect: position for position, effect in enumerate(Effect)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """A file's own words about one tool; what it does not mention is None."""

    table: Table
    effect: Effect | None = None
    dialect: Dialect | None = None
    template: str | None = None
    paths: PathKind | None = None
    group: str | None = None
    description: str | None = None


def read_declarations(tools: Table) -> dict[str, Declaration]:
    """Every tool that a file declares."""
    return {name: _read(name, table) for name, table in tools.tables()}


def declared(name: str, declaration: Declaration, known: Mapping[str, Tool]) -> Tool:
    """The tool after this declaration; one that is known already can only be raised, never lowered."""
    tool = known.get(name)
    if tool is None:
        return Tool(
            name=name,
            effect=declaration.effect or Effect.EXTERNAL,
            dialect=declaration.dialect or Dialect.TEXT,
            template=declaration.template,
            paths=declaration.paths or PathKind.OS,
            description=declaration.description or "",
            group=declaration.group or "",
        )
    _refuse_other_reading(declaration, tool)
    if declaration.effect is not None and _ORDER[declaration.effect] < _ORDER[tool.effect]:
        reason = f"`{name}` is `{tool.effect}`, which can be raised but not lowered to `{declaration.effect}`"
        raise declaration.table.error(reason, "effect")
    return replace(
        tool,
        effect=declaration.effect or tool.effect,
        description=declaration.description or tool.description,
        group=declaration.group or tool.group,
        reads=tool.reads or tool.effect is Effect.READ,
    )


def _read(name: str, table: Table) -> Declaration:
    table.only(*KEYS)
    if not _NAME.fullmatch(name):
        raise table.error(f"a tool cannot be called `{name}`: letters, digits and `_.:-`, at most 128")
    return Declaration(
        table=table,
        effect=table.word("effect", parse_effect),
        dialect=table.word("dialect", parse_dialect),
        template=table.text("template"),
        paths=table.word("paths", _paths_named),
        group=table.text("group"),
        description=table.text("description"),
    )


def _refuse_other_reading(declaration: Declaration, tool: Tool) -> None:
    """Rules were written for a tool as it is read; read otherwise, a deny would no longer hit."""
    for key in ("dialect", "template", "paths"):
        said = getattr(declaration, key)
        if said is not None and said != getattr(tool, key):
            reason = f"`{tool.name}` is known already and its `{key}` cannot be changed"
            raise declaration.table.error(reason, key)


def _paths_named(word: str) -> PathKind:
    try:
        return PathKind(word)
    except ValueError:
        raise UnknownWordError("kind of paths", word, tuple(PathKind)) from None
