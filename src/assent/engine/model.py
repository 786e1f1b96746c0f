"""A tool, a call of it, and the effects and dialects that tools declare."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import cast

from assent.engine.value import Value
from assent.errors import UnknownWordError


class Effect(StrEnum):
    """What calling a tool can do, as its owner or an administrator declared it."""

    __hash__ = str.__hash__  # the hash of an enum is slow, and every decision needs many

    READ = "read"
    EDIT = "edit"
    WRITE = "write"
    EXECUTE = "execute"
    EXTERNAL = "external"
    DESTRUCTIVE = "destructive"

    @property
    def action(self) -> str:
        """What such a call does, as it follows "asks before"."""
        match self:
            case Effect.READ:
                return "reading"
            case Effect.EDIT:
                return "editing files"
            case Effect.WRITE:
                return "changing data"
            case Effect.EXECUTE:
                return "running commands"
            case Effect.EXTERNAL:
                return "calling external tools"
            case Effect.DESTRUCTIVE:
                return "destructive calls"


class Dialect(StrEnum):
    """The language of a call's specifier."""

    __hash__ = str.__hash__  # the hash of an enum is slow, and every decision needs many

    SHELL = "shell"
    POWERSHELL = "powershell"
    PATH = "path"
    TEXT = "text"

    @property
    def is_shell(self) -> bool:
        """Whether the specifier is a command line."""
        match self:
            case Dialect.SHELL | Dialect.POWERSHELL:
                return True
            case Dialect.PATH | Dialect.TEXT:
                return False


class PathKind(StrEnum):
    """Where the paths in a tool's arguments start: at the file system's root, or at the workspace root."""

    OS = "os"
    ANCHORED = "anchored"


class Tool(Value):
    """Something an agent can call; a tool without a declared effect is `external`, so it asks."""

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
    """It was declared `read` before policy raised its effect; rules about reading still apply to it."""


class Call(Value):
    """One use of a tool."""

    tool: str
    args: Mapping[str, object]
    id: str = ""
    agent: str = ""
    conversation: str = ""
    user: str = ""
    cwd: str = ""
    """The directory it runs in, if the caller names one; empty means the default directory."""


def parse_effect(word: str | None) -> Effect:
    """Parse a declared effect; no declaration means `external`."""
    if word is None:
        return Effect.EXTERNAL
    try:
        return Effect(word)
    except ValueError:
        raise UnknownWordError("effect", word, tuple(Effect)) from None


def parse_dialect(word: str) -> Dialect:
    """Parse a declared dialect."""
    try:
        return Dialect(word)
    except ValueError:
        raise UnknownWordError("dialect", word, tuple(Dialect)) from None


def as_list(value: object) -> Sequence[object] | None:
    """The items of a JSON list; None when the value is not a list."""
    return cast("Sequence[object]", value) if isinstance(value, (list, tuple)) else None


def as_object(value: object) -> Mapping[str, object] | None:
    """The members of a JSON object; None when the value is not an object."""
    return cast("Mapping[str, object]", value) if isinstance(value, Mapping) else None
