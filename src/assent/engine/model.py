"""A tool, a call of it, and the words for what calling it can do."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import cast

from assent.engine.value import Value
from assent.errors import UnknownWordError


class Effect(StrEnum):
    """What calling a tool can do, as its owner or an administrator declared it."""

    __hash__ = str.__hash__  # an enum's own is slow, and every decision asks for many

    READ = "read"
    EDIT = "edit"
    WRITE = "write"
    EXECUTE = "execute"
    EXTERNAL = "external"
    DESTRUCTIVE = "destructive"


class Dialect(StrEnum):
    """How a call's specifier is read."""

    __hash__ = str.__hash__  # an enum's own is slow, and every decision asks for many

    SHELL = "shell"
    POWERSHELL = "powershell"
    PATH = "path"
    TEXT = "text"


class PathKind(StrEnum):
    """Whose paths a tool's arguments are: the operating system's, or the workspace's own."""

    OS = "os"
    ANCHORED = "anchored"


class Tool(Value):
    """Something an agent can call; one that declares no effect is `external`, so it asks."""

    name: str
    effect: Effect = Effect.EXTERNAL
    dialect: Dialect = Dialect.TEXT
    template: str | None = None
    paths: PathKind = PathKind.OS
    description: str = ""
    parameters: Mapping[str, object] = dict[str, object]()
    origin: str = "server"
    group: str = ""
    reads: bool = False
    """It was declared to read, before policy raised its effect: what holds for reading still holds."""


class Call(Value):
    """One use of a tool."""

    tool: str
    args: Mapping[str, object]
    id: str = ""
    agent: str = ""
    conversation: str = ""
    user: str = ""
    cwd: str = ""
    """Where it would run, if its caller says so; empty is wherever calls happen here."""


def effect_named(word: str | None) -> Effect:
    """The effect a declaration names; none declared is `external`."""
    if word is None:
        return Effect.EXTERNAL
    try:
        return Effect(word)
    except ValueError:
        raise UnknownWordError("effect", word, tuple(Effect)) from None


def dialect_named(word: str) -> Dialect:
    """The dialect a declaration names."""
    try:
        return Dialect(word)
    except ValueError:
        raise UnknownWordError("dialect", word, tuple(Dialect)) from None


def as_list(value: object) -> Sequence[object] | None:
    """The items of a list, or None when the value is none."""
    return cast("Sequence[object]", value) if isinstance(value, (list, tuple)) else None


def as_object(value: object) -> Mapping[str, object] | None:
    """The members of an object, or None when the value is none."""
    return cast("Mapping[str, object]", value) if isinstance(value, Mapping) else None
