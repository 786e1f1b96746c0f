"""The file of a fleet: a lead, a pool of agents, and the tools that each may use without asking."""

import os
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from assent.config.files import Source, read_source
from assent.config.yaml_table import YamlTable, read_yaml
from assent.engine.policy.rule import parse_rule
from assent.errors import AssentError, ConfigError, RuleSyntaxError
from assent.gate.preset import Preset

FILE_NAMES = ("fleet.yaml", "arch.yaml")
"""The names under which a fleet file is found in the working directory."""
LEAD_ID = "archie"
"""The id of the lead, and its key in the file."""
SERVER_NAME = "arch"
"""The default name of the MCP server, as agents see it in the names of their tools."""
DEFAULT_MAX_AGENTS = 5
_ID = re.compile(r"[a-z0-9][a-z0-9_-]{0,47}")
_MAX_PERSONA_BYTES = 200_000
_TOP_KEYS = ("project", "archie", "agent_pool", "mcp_name", "github", "settings")
_WITHOUT_EFFECT = ("state_dir", "token_budget_usd", "require_user_approval")
_GITHUB_WITHOUT_EFFECT = ("default_branch", "labels", "issue_template")
_SETTINGS_KEYS = (
    "max_concurrent_agents",
    "mcp_port",
    "mcp_transport",
    "auto_merge",
    "answer_seconds",
    *_WITHOUT_EFFECT,
)
_MAX_PORT = 65535


class Transport(StrEnum):
    """How the MCP server of a fleet is reached."""

    HTTP = "http"
    STDIO = "stdio"


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetAgent:
    """One agent of a fleet file: the lead, or an entry of the pool."""

    id: str
    persona: str
    """The absolute path of the file with its instructions."""
    model: str = ""
    """Empty leaves the choice to Claude Code."""
    directory: str = ""
    """The absolute path of the directory that it works in; empty is a worktree of its own."""
    command: tuple[str, ...] = ()
    """The words before the program, such as those that start a container."""
    allowed_tools: tuple[str, ...] = ()
    """The tools that it may use without asking, in addition to the preset's."""
    skip_permissions: bool = False
    max_instances: int = 1
    is_lead: bool = False

    def all_allowed_tools(self, preset: Preset, server: str = SERVER_NAME) -> tuple[str, ...]:
        """All tools that it may use without asking: those of the preset, of its role, and of the file."""
        found = preset.allow_rule_texts("lead" if self.is_lead else "", self.allowed_tools)
        if server == SERVER_NAME:
            return found
        return tuple(text.replace(f"mcp__{SERVER_NAME}__", f"mcp__{server}__", 1) for text in found)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fleet:
    """The content of a fleet file."""

    path: str
    lead: FleetAgent
    pool: tuple[FleetAgent, ...] = ()
    name: str = ""
    description: str = ""
    repository: str
    """The absolute path of the directory that the agents work on."""
    server: str = SERVER_NAME
    github: str = ""
    """The repository on GitHub, as `owner/name`; empty is the one that `gh` finds."""
    max_agents: int = DEFAULT_MAX_AGENTS
    port: int = 0
    """The port of the MCP server; 0 is any free port."""
    transport: Transport = Transport.HTTP
    """How the agents reach the MCP server."""
    auto_merge: bool = False
    """Whether the lead merges without asking the person."""
    answer_seconds: int = 0
    """How long a question waits for a person before the call is denied; 0 is without limit."""
    ignored: tuple[str, ...] = ()
    """The keys of an `arch.yaml` that have no effect here."""

    @property
    def agents(self) -> tuple[FleetAgent, ...]:
        """The lead and the pool, in the order of the file."""
        return (self.lead, *self.pool)

    def find(self, id: str) -> FleetAgent | None:
        """The entry of the pool with this id."""
        return next((agent for agent in self.pool if agent.id == id), None)


def find_fleet_file(directory: str) -> str:
    """The fleet file in a directory; raises an error if there is none."""
    for name in FILE_NAMES:
        path = os.path.join(directory, name)
        if os.path.lexists(path):
            return path
    raise AssentError(f"there is no {' or '.join(FILE_NAMES)} in {directory}; name a file: assent up FILE")


def load_fleet(path: str) -> Fleet:
    """Read and check a fleet file and its persona files; the first mistake is an error with its line."""
    return read_fleet(read_source(os.path.abspath(path)))


def read_fleet(source: Source) -> Fleet:
    """Read a fleet file; relative paths start at its directory."""
    table = read_yaml(source)
    table.check_keys(*_TOP_KEYS)
    if LEAD_ID not in table.entries:
        raise table.missing_key_error(LEAD_ID)
    project, settings = table.table("project"), table.table("settings")
    project.check_keys("name", "description", "repo")
    settings.check_keys(*_SETTINGS_KEYS)
    github = table.table("github")
    github.check_keys("repo", *_GITHUB_WITHOUT_EFFECT)
    return Fleet(
        path=source.path,
        lead=_read_agent(table.table(LEAD_ID), LEAD_ID),
        pool=tuple(_read_pool(table)),
        name=project.text("name"),
        description=project.text("description"),
        repository=_read_directory(project, "repo") or os.path.dirname(source.path),
        server=_read_server_name(table),
        github=_read_github(github),
        max_agents=settings.number("max_concurrent_agents", DEFAULT_MAX_AGENTS),
        port=_read_port(settings),
        transport=_read_transport(settings),
        auto_merge=settings.flag("auto_merge"),
        answer_seconds=settings.number("answer_seconds", 0),
        ignored=(
            *(f"settings.{key}" for key in _WITHOUT_EFFECT if key in settings.entries),
            *(f"github.{key}" for key in _GITHUB_WITHOUT_EFFECT if key in github.entries),
        ),
    )


def _read_pool(table: YamlTable) -> Iterator[FleetAgent]:
    lines = {LEAD_ID: table.entries[LEAD_ID][0]}
    for entry in table.tables("agent_pool"):
        id_ = entry.text("id")
        if not id_:
            raise entry.missing_key_error("id")
        if not _ID.fullmatch(id_):
            raise entry.error(
                f"`{entry.path}.id` is `{id_}`: an id has at most 48 small letters, digits, `-` and `_`", "id"
            )
        if id_ in lines:
            raise entry.error(f"`{entry.path}.id` is `{id_}`, which line {lines[id_]} has already", "id")
        lines[id_] = entry.entries["id"][0]
        yield _read_agent(entry, id_)


def _read_agent(table: YamlTable, id: str) -> FleetAgent:
    is_lead = id == LEAD_ID
    own = () if is_lead else ("id", "max_instances", "sandbox")
    table.check_keys(*own, "persona", "model", "directory", "command", "permissions")
    permissions = table.table("permissions")
    permissions.check_keys("allowed_tools", "skip_permissions")
    sandbox = table.table("sandbox")
    if sandbox.flag("enabled"):
        raise sandbox.error(
            f"`{table.path}.sandbox` is not supported; write the words that start the container as "
            f"`command`, such as `command: docker run --rm -i IMAGE`",
            "enabled",
        )
    return FleetAgent(
        id=id,
        persona=_read_persona(table),
        model=table.text("model"),
        directory=_read_directory(table, "directory"),
        command=_read_command(table),
        allowed_tools=_read_allowed_tools(permissions),
        skip_permissions=permissions.flag("skip_permissions"),
        max_instances=table.number("max_instances", 1),
        is_lead=is_lead,
    )


def _read_persona(table: YamlTable) -> str:
    persona = table.text("persona")
    if not persona:
        raise table.missing_key_error("persona")
    path = _absolute_path(table, persona)
    try:
        readable = os.path.isfile(path) and os.path.getsize(path) <= _MAX_PERSONA_BYTES
    except OSError:
        readable = False
    if not readable:
        raise table.error(
            f"`{table.path}.persona` names `{persona}`, which is no file, or larger than "
            f"{_MAX_PERSONA_BYTES} bytes",
            "persona",
        )
    return path


def _read_directory(table: YamlTable, key: str) -> str:
    text = table.text(key)
    if not text:
        return ""
    path = _absolute_path(table, text)
    if not os.path.isdir(path):
        raise table.error(f"`{table.path}.{key}` names `{text}`, which is no directory", key)
    return path


def _read_command(table: YamlTable) -> tuple[str, ...]:
    text = table.text("command")
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        reason = str(error).lower()
        raise table.error(f"`{table.path}.command` cannot be split into words: {reason}", "command") from None


def _read_allowed_tools(permissions: YamlTable) -> tuple[str, ...]:
    found = permissions.texts("allowed_tools")
    for line, text in found:
        try:
            parse_rule(text)
        except RuleSyntaxError as error:
            reason = f"`{permissions.path}.allowed_tools`: {error}"
            raise ConfigError(permissions.source.path, reason, line=line) from None
    return tuple(dict.fromkeys(text for _, text in found))


def _read_server_name(table: YamlTable) -> str:
    name = table.text("mcp_name", SERVER_NAME)
    if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,31}", name):
        raise table.error(
            f"`mcp_name` is `{name}`: a name has at most 32 small letters, digits and `-`", "mcp_name"
        )
    return name


def _read_port(table: YamlTable) -> int:
    if "mcp_port" not in table.entries:
        return 0
    port = table.number("mcp_port", 1)
    if port > _MAX_PORT:
        raise table.error(f"`settings.mcp_port` must be at most {_MAX_PORT}, not {port}", "mcp_port")
    return port


def _read_transport(table: YamlTable) -> Transport:
    word = table.text("mcp_transport", Transport.HTTP.value)
    if word not in tuple(Transport):
        raise table.error(
            f"`settings.mcp_transport` is `{word}`: expected {' or '.join(Transport)}", "mcp_transport"
        )
    return Transport(word)


def _read_github(table: YamlTable) -> str:
    name = table.text("repo")
    if name and not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9-]{0,38}/[A-Za-z0-9._][A-Za-z0-9._-]{0,99}", name):
        raise table.error(f"`github.repo` is `{name}`: write it as `owner/name`", "repo")
    return name


def _absolute_path(table: YamlTable, path: str) -> str:
    if "\0" in path:
        raise table.error("a path contains a NUL character")
    base = os.path.dirname(os.path.abspath(table.source.path))
    return os.path.normpath(os.path.join(base, os.path.expanduser(path)))
