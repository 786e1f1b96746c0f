"""The settings of the chat's tools, from the operator's `belt.toml`; repositories have no influence."""

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import urlsplit

from assent.config.files import read_source
from assent.config.paths import ConfigPaths
from assent.config.table import Table, read_table

SETTINGS_FILE = "belt.toml"
KEYS = ("without", "web", "command", "browser", "image", "speech", "collections", "limits", "mcp")
WEB_KEYS = ("allow_private", "search")
COMMAND_KEYS = ("environment",)
BROWSER_KEYS = ("executable",)
PROVIDER_KEYS = ("endpoint", "model", "key_variable", "voice")
COLLECTIONS_KEYS = ("database",)
MCP_KEYS = ("command", "environment", "url", "key_variable", "trusted")
# `__` is not allowed, so that `mcp__server__tool` can be split in one way only.
_SERVER_NAME = re.compile(r"[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*")


class ToolLimits(NamedTuple):
    """The limits of one call."""

    characters: int = 40_000
    """Maximum length of a result for the model."""
    seconds: float = 120
    """Time limit of a tool; waiting for a person does not count."""
    file_bytes: int = 5_000_000
    """Maximum size of a file that is written or searched."""
    fetch_bytes: int = 2_000_000
    """Maximum size of a web response."""
    entries: int = 1_000
    """Maximum number of files or rows in a list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MediaProvider:
    """An endpoint with OpenAI's API, and the model to use."""

    endpoint: str
    model: str
    key: str = field(default="", repr=False)
    voice: str = "alloy"


@dataclass(frozen=True, slots=True, kw_only=True)
class McpServer:
    """An MCP server: a program to start, or an address."""

    name: str
    command: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    url: str = ""
    key: str = field(default="", repr=False)
    trusted: bool = False
    """Whether the server's hint that a tool only reads is trusted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSettings:
    """The operator's settings; a tool whose settings are missing is absent."""

    disabled_tools: frozenset[str] = frozenset()
    """Names of tools that are turned off."""
    allow_private: tuple[str, ...] = ()
    """`host:port` of private machines that the web tools may reach."""
    search: str = ""
    """The endpoint of a search service with the API of SearXNG."""
    environment: tuple[str, ...] = ()
    """Additional environment variables for commands."""
    chromium: str = ""
    image: MediaProvider | None = None
    speech: MediaProvider | None = None
    collections: str = ""
    """The database of the document collections: an SQLite file or a `postgresql://` address."""
    limits: ToolLimits = ToolLimits()
    mcp: tuple[McpServer, ...] = ()


def load_tool_settings(where: ConfigPaths, environ: Mapping[str, str] = os.environ) -> ToolSettings:
    """Read the user's file, or else the administrator's; raises `ConfigError` for an invalid file."""
    default_collections = os.path.join(where.data, "collections.db")
    for directory in (where.user, where.managed):
        path = os.path.join(directory, SETTINGS_FILE)
        if os.path.lexists(path):
            return parse_tool_settings(
                read_table(read_source(path, guarded=True)), environ, default_collections
            )
    return ToolSettings(collections=environ.get("ASSENT_COLLECTIONS") or default_collections)


def parse_tool_settings(
    table: Table, environ: Mapping[str, str], default_collections: str = ""
) -> ToolSettings:
    """Parse the settings of a file; raises `ConfigError` for an unknown key."""
    table.check_keys(*KEYS)
    web, command, browser = table.table("web"), table.table("command"), table.table("browser")
    collections = table.table("collections")
    for inner, keys in (
        (web, WEB_KEYS),
        (command, COMMAND_KEYS),
        (browser, BROWSER_KEYS),
        (collections, COLLECTIONS_KEYS),
    ):
        inner.check_keys(*keys)
    database = environ.get("ASSENT_COLLECTIONS") or collections.text("database")
    return ToolSettings(
        disabled_tools=frozenset(table.texts("without")),
        allow_private=web.texts("allow_private"),
        search=_parse_url(web, "search"),
        environment=command.texts("environment"),
        chromium=browser.text("executable") or "",
        image=_parse_media_provider(table, "image", environ),
        speech=_parse_media_provider(table, "speech", environ),
        collections=database or default_collections,
        limits=_parse_limits(table.table("limits")),
        mcp=tuple(_parse_mcp_servers(table.table("mcp"), environ)),
    )


def _parse_media_provider(table: Table, name: str, environ: Mapping[str, str]) -> MediaProvider | None:
    """Parse a provider; None if the environment variable of its key is not set."""
    if name not in table.values:
        return None
    inner = table.table(name)
    inner.check_keys(*PROVIDER_KEYS)
    endpoint, model = _parse_url(inner, "endpoint"), inner.text("model")
    if not endpoint or not model:
        raise inner.error("it needs an `endpoint` and a `model`")
    key = _key_from_environment(inner, environ)
    if key is None:
        return None
    return MediaProvider(endpoint=endpoint, model=model, key=key, voice=inner.text("voice") or "alloy")


def _key_from_environment(table: Table, environ: Mapping[str, str]) -> str | None:
    """The key in the variable that `key_variable` names; None if unset, empty without `key_variable`."""
    variable = table.text("key_variable")
    return "" if variable is None else environ.get(variable) or None


def _parse_mcp_servers(table: Table, environ: Mapping[str, str]) -> Iterator[McpServer]:
    for name, inner in table.tables():
        inner.check_keys(*MCP_KEYS)
        if not _SERVER_NAME.fullmatch(name):
            raise table.error(
                f"an MCP server cannot be called `{name}`: letters, digits, `-`, and `_` between them"
            )
        command, url = inner.texts("command"), _parse_url(inner, "url")
        if bool(command) == bool(url):
            raise inner.error("it needs either a `command` or a `url`")
        key = _key_from_environment(inner, environ)
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


def _parse_limits(table: Table) -> ToolLimits:
    table.check_keys(*ToolLimits._fields)
    given = {name: table.number(name) for name in ToolLimits._fields}
    return ToolLimits()._replace(**{name: value for name, value in given.items() if value is not None})


def _parse_url(table: Table, key: str) -> str:
    """An http or https address; empty if the key is missing."""
    text = table.text(key)
    if text is not None and (urlsplit(text).scheme not in ("http", "https") or not urlsplit(text).hostname):
        raise table.error(f"`{key}` must be an http:// or https:// address", key)
    return text or ""
