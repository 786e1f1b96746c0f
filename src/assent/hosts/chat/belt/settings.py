"""The belt's settings: an operator's `belt.toml`, never a repository's file."""

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from assent.config.source import read_source
from assent.config.table import Table, read_table
from assent.config.whereabouts import Whereabouts
from assent.hosts.chat.belt.context import Limits
from assent.hosts.chat.belt.media import Provider

FILE = "belt.toml"
KEYS = ("without", "web", "command", "browser", "image", "speech", "collections", "limits", "mcp")
WEB_KEYS = ("allow_private", "search")
COMMAND_KEYS = ("environment",)
BROWSER_KEYS = ("executable",)
PROVIDER_KEYS = ("endpoint", "model", "key_variable", "voice")
COLLECTIONS_KEYS = ("database",)
# No `__` in it, so that `mcp__server__tool` can be read in one way only.
_SERVER = re.compile(r"[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*")
MCP_KEYS = ("command", "environment", "url", "key_variable", "trusted")


@dataclass(frozen=True, slots=True, kw_only=True)
class McpServer:
    """An MCP server: a program that is started, or an address."""

    name: str
    command: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    url: str = ""
    key: str = field(default="", repr=False)
    trusted: bool = False
    """Its hints that a tool only reads are believed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What an operator says about the belt; what is not mentioned is absent, or as usual."""

    without: frozenset[str] = frozenset()
    """Tools that are not offered."""
    allow_private: tuple[str, ...] = ()
    """`host:port` of private machines that the web tools may reach."""
    search: str = ""
    """The endpoint of a search service that answers as SearXNG does."""
    environment: tuple[str, ...] = ()
    """Variables that commands get besides the usual ones."""
    chromium: str = ""
    image: Provider | None = None
    speech: Provider | None = None
    collections: str = ""
    """Where the collections are: an SQLite file or a `postgresql://` address."""
    limits: Limits = Limits()
    mcp: tuple[McpServer, ...] = ()


def load_settings(where: Whereabouts, environ: Mapping[str, str] = os.environ) -> Settings:
    """The person's own file, or else the administrator's; a file that cannot be used is an error."""
    usual = os.path.join(where.data, "collections.db")
    for directory in (where.user, where.managed):
        path = os.path.join(directory, FILE)
        if os.path.lexists(path):
            return read_settings(read_table(read_source(path, guarded=True)), environ, usual)
    return Settings(collections=environ.get("ASSENT_COLLECTIONS") or usual)


def read_settings(table: Table, environ: Mapping[str, str], collections: str = "") -> Settings:
    """What a file says; a key that nobody would look at is an error."""
    table.only(*KEYS)
    web, command, browser = table.table("web"), table.table("command"), table.table("browser")
    shelf = table.table("collections")
    for inner, keys in (
        (web, WEB_KEYS),
        (command, COMMAND_KEYS),
        (browser, BROWSER_KEYS),
        (shelf, COLLECTIONS_KEYS),
    ):
        inner.only(*keys)
    return Settings(
        without=frozenset(table.texts("without")),
        allow_private=web.texts("allow_private"),
        search=_address(web, "search"),
        environment=command.texts("environment"),
        chromium=browser.text("executable") or "",
        image=_provider(table, "image", environ),
        speech=_provider(table, "speech", environ),
        collections=environ.get("ASSENT_COLLECTIONS") or shelf.text("database") or collections,
        limits=_limits(table.table("limits")),
        mcp=tuple(_servers(table.table("mcp"), environ)),
    )


def _provider(table: Table, name: str, environ: Mapping[str, str]) -> Provider | None:
    """A provider; one whose key is not in the environment is absent, so that its tool is, too."""
    if name not in table.values:
        return None
    inner = table.table(name)
    inner.only(*PROVIDER_KEYS)
    endpoint, model = _address(inner, "endpoint"), inner.text("model")
    if not endpoint or not model:
        raise inner.error("it needs an `endpoint` and a `model`")
    key = _key(inner, environ)
    if key is None:
        return None
    return Provider(endpoint=endpoint, model=model, key=key, voice=inner.text("voice") or "alloy")


def _key(table: Table, environ: Mapping[str, str]) -> str | None:
    """A key by the name of its variable; None when the variable is not set, empty when none is named."""
    variable = table.text("key_variable")
    return "" if variable is None else environ.get(variable) or None


def _servers(table: Table, environ: Mapping[str, str]) -> Iterator[McpServer]:
    for name, inner in table.tables():
        inner.only(*MCP_KEYS)
        if not _SERVER.fullmatch(name):
            raise table.error(
                f"an MCP server cannot be called `{name}`: letters, digits, `-`, and `_` between them"
            )
        command, url = inner.texts("command"), _address(inner, "url")
        if bool(command) == bool(url):
            raise inner.error("it needs either a `command` or a `url`")
        key = _key(inner, environ)
        if key is None:
            continue
        yield McpServer(
            name=name,
            command=command,
            environment={one: environ[one] for one in inner.texts("environment") if one in environ},
            url=url,
            key=key,
            trusted=inner.flag("trusted") or False,
        )


def _limits(table: Table) -> Limits:
    table.only(*Limits._fields)
    given = {name: table.number(name) for name in Limits._fields}
    return Limits()._replace(**{name: value for name, value in given.items() if value is not None})


def _address(table: Table, key: str) -> str:
    text = table.text(key)
    if text is not None and (urlsplit(text).scheme not in ("http", "https") or not urlsplit(text).hostname):
        raise table.error(f"`{key}` must be an http:// or https:// address", key)
    return text or ""
