"""A tool, a call, and the specifier with which rules match the call."""

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import cast

from assent.engine.base.globs import UNKNOWN_MARK
from assent.engine.base.lazy import regex
from assent.engine.base.value import Value
from assent.errors import UnknownWordError


class Effect(StrEnum):
    """What a call of a tool can do, as its owner or an administrator declared it."""

    __hash__ = str.__hash__  # the hash of an enum is slow, and every decision needs many

    READ = "read"
    EDIT = "edit"
    WRITE = "write"
    EXECUTE = "execute"
    EXTERNAL = "external"
    DESTRUCTIVE = "destructive"

    @property
    def action_text(self) -> str:
        """What such a call does, in the words after "asks before"."""
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
    """How the specifier of a call is read."""

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
    """Where the paths in the arguments of a tool start: at the file system root or the workspace root."""

    OS = "os"
    ANCHORED = "anchored"


UNREVIEWED_PAGE = "unreviewed page "
"""The start of the origin of a web page's tool that nobody reviewed; the page's origin follows."""
SHARED_NAME = " shared-name"
"""The end of the origin of such a tool if a tool of another origin has the same name."""
UNDECLARED_ORIGIN = "undeclared/"
"""The start of the origin of a tool that nobody declared; the gate knows such a tool from calls only."""


class Tool(Value):
    """A tool that an agent can call; a tool without a declared effect is `external`, so it asks."""

    name: str
    effect: Effect = Effect.EXTERNAL
    dialect: Dialect = Dialect.TEXT
    template: str | None = None
    """The text of the specifier with placeholders for arguments; None means the default argument."""
    paths: PathKind = PathKind.OS
    description: str = ""
    parameters: Mapping[str, object] = dict[str, object]()
    origin: str = "server"
    """The component that provides the tool."""
    group: str = ""
    reads: bool = False
    """True if the tool was declared `read` before policy raised its effect.

    Rules about reading still apply to it.
    """

    @property
    def is_unreviewed(self) -> bool:
        """Whether it is the tool of a web page that nobody reviewed.

        INVARIANT: nobody knows what such a page does with a command, so that none of its calls is a read.
        """
        return self.origin.startswith(UNREVIEWED_PAGE)

    @property
    def is_remembered(self) -> bool:
        """Whether an allow rule or a grant can mean this tool: an unreviewed tool needs a name of its own."""
        return not (self.is_unreviewed and self.origin.endswith(SHARED_NAME))


class Call(Value):
    """One use of a tool."""

    tool: str
    args: Mapping[str, object]
    id: str = ""
    agent: str = ""
    conversation: str = ""
    user: str = ""
    cwd: str = ""
    """The directory in which the call runs, if the caller names one; empty means the default directory."""


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
    """The items of a JSON list; None if the value is not a list."""
    return cast("Sequence[object]", value) if isinstance(value, (list, tuple)) else None


def as_object(value: object) -> Mapping[str, object] | None:
    """The members of a JSON object; None if the value is not an object."""
    return cast("Mapping[str, object]", value) if isinstance(value, Mapping) else None


PLACEHOLDER = regex(r"\{([A-Za-z_]\w*)(:host)?(?:=([^{}]*))?\}")
"""A placeholder `{name}`, `{name=default}`, or `{name:host}` for the host of a web address."""

_HOST = regex(r"[A-Za-z][A-Za-z0-9+.-]*://(?:[^/?#@\\]*@)?([A-Za-z0-9._-]+)(?::\d*)?(?:[/?#].*)?", re.DOTALL)
_DEFAULT_ARGUMENTS = {
    Dialect.SHELL: ("command",),
    Dialect.POWERSHELL: ("command",),
    Dialect.PATH: ("path", "file_path"),
    Dialect.TEXT: (),
}


def specifier_values(tool: Tool, args: Mapping[str, object]) -> tuple[object, ...]:
    """The arguments that form the specifier; a missing argument is None."""
    if tool.template is not None:
        return tuple(_placeholder_value(found, args) for found in PLACEHOLDER.finditer(tool.template))
    return (_default_argument(tool, args),)


def render_specifier(tool: Tool, args: Mapping[str, object]) -> str | None:
    """The specifier as text; None if an argument is missing or is not text."""
    if tool.template is None:
        given = _default_argument(tool, args)
        return given if isinstance(given, str) else None
    if any(not isinstance(value, (str, int, float)) for value in specifier_values(tool, args)):
        return None
    return PLACEHOLDER.sub(lambda found: str(_placeholder_value(found, args)), tool.template)


def render_partial_specifier(tool: Tool, args: Mapping[str, object]) -> str:
    """The specifier as text, with missing arguments left empty; for deny and ask rules only."""
    return PLACEHOLDER.sub(lambda found: str(args.get(found[1], "")), tool.template or "")


def _default_argument(tool: Tool, args: Mapping[str, object]) -> object:
    """The argument that tools of this dialect have by default."""
    for name in _DEFAULT_ARGUMENTS[tool.dialect]:
        if name in args:
            return args[name]
    return None


def _placeholder_value(found: re.Match[str], args: Mapping[str, object]) -> object:
    """The value of a placeholder in a template."""
    value = args.get(found[1])
    if value is None:
        return found[3]
    return value if found[2] is None else _web_host(value)


def _web_host(value: object) -> str:
    """The host of a web address in lower case; unknown if programs may disagree about it."""
    address = _HOST.fullmatch(value) if isinstance(value, str) else None
    return UNKNOWN_MARK if address is None else address[1].lower().rstrip(".")
