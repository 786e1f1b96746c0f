"""Reads the settings of the server (table `[server]`) and of its chat (table `[chat]`)."""

import ipaddress
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NoReturn
from urllib.parse import urlsplit

from assent.config.files import Source, read_source
from assent.config.paths import ConfigPaths
from assent.config.table import Table, read_table
from assent.errors import ConfigError
from assent.gate.question import DEFAULT_PENDING_BYTES, PendingBytes

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8722
MAX_PORT = 65535
MAX_CONNECTIONS = 10_000
SERVER_KEYS = (
    "host", "port", "public_url", "base_path", "hosts", "trusted_proxies", "tls_cert", "tls_key", "oidc",
    "page_origins", "connections", "pending_mb", "pending_mb_per_user", "pending_mb_per_agent",
)  # fmt: skip
_BYTES_PER_MEGABYTE = 1_000_000
OIDC_KEYS = (
    "issuer", "client_id", "client_secret_file", "scopes", "groups_claim", "administrator_groups",
    "add_people",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class OidcSettings:
    """The OpenID Connect provider that people sign in with."""

    issuer: str
    client_id: str
    client_secret: str = ""
    """Empty for a public client, which authenticates with PKCE only."""
    scopes: tuple[str, ...] = ("openid", "profile")
    groups_claim: str = "groups"
    administrator_groups: tuple[str, ...] = ()
    """Members of one of these groups are administrators."""
    add_people: bool = False
    """Whether an unknown person is created at the first sign-in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    """The settings of a server, without its policy."""

    host: str = DEFAULT_HOST
    port: int = DEFAULT_PORT
    public_url: str = ""
    """The public URL, such as `https://assent.example.org`; empty if only this machine uses the server."""
    base_path: str = ""
    hosts: tuple[str, ...] = ()
    """Additional host names that requests may use, for agents and health checks."""
    page_origins: tuple[str, ...] = ()
    """Origins of other sites whose pages may give tools to conversations, such as `https://crm.example`."""
    trusted_proxies: tuple[str, ...] = ()
    """Addresses or networks of proxies whose forwarded headers are trusted."""
    tls_cert: str = ""
    tls_key: str = ""
    oidc: OidcSettings | None = None
    connections: int = MAX_CONNECTIONS
    """Maximum number of connections; the limit of open files may reduce it."""
    pending: PendingBytes = DEFAULT_PENDING_BYTES
    """Limits for the total size of open questions."""

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach the server."""
        return self.host == "localhost" or _is_loopback_address(self.host)

    @property
    def is_local_only(self) -> bool:
        """Whether, by these settings, no other machine can reach the server, also through no proxy."""
        said = self.public_url or self.hosts or self.trusted_proxies
        return self.is_loopback and not said

    @property
    def address(self) -> str:
        """The URL of the address on which the server listens."""
        scheme = "https" if self.tls_cert else "http"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{scheme}://{host}:{self.port}"

    @property
    def url(self) -> str:
        """The URL that people open, without the base path."""
        return self.public_url or self.address


def load_server_settings(
    where: ConfigPaths, environ: Mapping[str, str], *, host: str | None = None, port: int | None = None
) -> ServerSettings:
    """Load the settings of a server; flags override the environment, which overrides files.

    INVARIANT: repository files are not read, because a cloned repository must not expose the server.
    """
    said: dict[str, object] = {}
    for path in (where.managed_file, where.user_file):
        if os.path.lexists(path):
            said |= _read_file_settings(read_source(path, guarded=True))
    said |= _read_environment(environ)
    said |= {key: value for key, value in (("host", host), ("port", port)) if value is not None}
    settings = ServerSettings(**said)  # type: ignore[arg-type]
    _check_settings(settings)
    return settings


CHAT_KEYS = ("model", "base_url", "key_variable", "prompt", "models")
MODEL_KEYS = ("model", "base_url", "key_variable")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSettings:
    """A model, its endpoint and its API key."""

    model: str
    """The name, such as `openai:gpt-5` or `anthropic:claude-sonnet-5`, or any name of your own endpoint."""
    base_url: str = ""
    """The URL of an endpoint that implements the API of OpenAI."""
    key: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatSettings:
    """The settings of the chat; if no model is set, the chat uses a scripted model."""

    default_model: str = ""
    models: Mapping[str, ModelSettings] = field(default_factory=dict[str, ModelSettings])
    prompt: str = ""
    """The system prompt for every model."""


def load_chat_settings(where: ConfigPaths, environ: Mapping[str, str] = os.environ) -> ChatSettings:
    """Load the settings of the chat; the user's file overrides the administrator's.

    INVARIANT: repository files are not read, because a cloned repository must not redirect conversations.
    """
    found = ChatSettings()
    for path in (where.managed_file, where.user_file):
        if os.path.lexists(path):
            table = read_table(read_source(path, guarded=True))
            if "chat" in table.values:
                found = read_chat_table(table.table("chat"), environ)
    return found


def read_chat_table(table: Table, environ: Mapping[str, str]) -> ChatSettings:
    """Read the `[chat]` table; raises an error for an unknown key."""
    table.check_keys(*CHAT_KEYS)
    models = dict(_read_models(table.table("models"), environ)) if "models" in table.values else {}
    usual = table.text("model") or ""
    if usual and usual not in models:
        models = {usual: _read_model(table, environ), **models}
    return ChatSettings(default_model=usual, models=models, prompt=table.text("prompt") or "")


def _is_loopback_address(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _read_file_settings(source: Source) -> dict[str, object]:
    table = read_table(source).table("server")
    table.check_keys(*SERVER_KEYS)
    found: dict[str, object] = {
        "host": table.text("host"),
        "port": table.number("port"),
        "public_url": table.text("public_url"),
        "base_path": table.text("base_path"),
        "hosts": table.texts("hosts") or None,
        "page_origins": table.texts("page_origins") or None,
        "trusted_proxies": table.texts("trusted_proxies") or None,
        "tls_cert": table.text("tls_cert"),
        "tls_key": table.text("tls_key"),
        "oidc": _read_oidc(table.table("oidc")) if "oidc" in table.values else None,
        "connections": table.number("connections"),
        "pending": _read_pending_bytes(table),
    }
    return {key: value for key, value in found.items() if value is not None}


def _read_oidc(table: Table) -> OidcSettings:
    table.check_keys(*OIDC_KEYS)
    issuer, client_id = table.text("issuer"), table.text("client_id")
    if not issuer or not client_id:
        raise table.error("`server.oidc` needs an `issuer` and a `client_id`", "oidc")
    secret = table.text("client_secret_file")
    usual = OidcSettings(issuer=issuer, client_id=client_id)
    return OidcSettings(
        issuer=issuer,
        client_id=client_id,
        client_secret=_read_secret(secret) if secret else "",
        scopes=table.texts("scopes") or usual.scopes,
        groups_claim=table.text("groups_claim") or usual.groups_claim,
        administrator_groups=table.texts("administrator_groups"),
        add_people=table.flag("add_people") or False,
    )


def _read_secret(path: str) -> str:
    """Read a secret from a separate file, so that the policy file contains no secrets."""
    return read_source(path, guarded=True).text.strip()


def _read_pending_bytes(table: Table) -> PendingBytes | None:
    said = {
        "server": table.number("pending_mb"),
        "user": table.number("pending_mb_per_user"),
        "agent": table.number("pending_mb_per_agent"),
    }
    given = {name: size * _BYTES_PER_MEGABYTE for name, size in said.items() if size is not None}
    return DEFAULT_PENDING_BYTES._replace(**given) if given else None


def _read_environment(environ: Mapping[str, str]) -> dict[str, object]:
    names = ("host", "public_url", "base_path", "tls_cert", "tls_key")
    said: dict[str, object] = {
        name: environ[f"ASSENT_{name.upper()}"] for name in names if environ.get(f"ASSENT_{name.upper()}")
    }
    if port := environ.get("ASSENT_PORT"):
        if not port.isdecimal():
            _raise_invalid("ASSENT_PORT", "it must be a number")
        said["port"] = int(port)
    for name in ("hosts", "page_origins", "trusted_proxies"):
        if words := environ.get(f"ASSENT_{name.upper()}"):
            said[name] = tuple(one.strip() for one in words.split(",") if one.strip())
    return said


def _raise_invalid(key: str, reason: str) -> NoReturn:
    raise ConfigError(f"`{key}`", reason)


def _check_settings(settings: ServerSettings) -> None:
    """Raise an error for settings that are invalid or contradict each other."""
    if settings.port > MAX_PORT:
        _raise_invalid("port", f"it must be at most {MAX_PORT}")
    if bool(settings.tls_cert) != bool(settings.tls_key):
        _raise_invalid("tls_cert", "`tls_cert` and `tls_key` require each other")
    if settings.base_path and (not settings.base_path.startswith("/") or settings.base_path.endswith("/")):
        _raise_invalid("base_path", "it must start with a slash and must not end with one")
    if settings.public_url:
        _check_url(settings.public_url)
    for proxy in settings.trusted_proxies:
        try:
            ipaddress.ip_network(proxy)
        except ValueError:
            _raise_invalid("trusted_proxies", f"`{proxy}` is neither an address nor a network")


def _check_url(url: str) -> None:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.password:
        _raise_invalid(
            "public_url", "it must be an http or https address such as `https://assent.example.org`"
        )
    if parts.path or parts.query or parts.fragment:
        _raise_invalid("public_url", "it must end with the host or the port; put a path into `base_path`")


def _read_models(table: Table, environ: Mapping[str, str]) -> Iterator[tuple[str, ModelSettings]]:
    for name, inner in table.tables():
        inner.check_keys(*MODEL_KEYS)
        if not inner.text("model"):
            raise inner.error("`model` is required")
        yield name, _read_model(inner, environ)


def _read_model(table: Table, environ: Mapping[str, str]) -> ModelSettings:
    variable = table.text("key_variable")
    return ModelSettings(
        model=table.text("model") or "",
        base_url=table.text("base_url") or "",
        key=environ.get(variable, "") if variable else "",
    )
