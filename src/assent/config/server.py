"""How a server listens and how people reach it: `[server]`, the environment, and flags."""

import ipaddress
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NoReturn
from urllib.parse import urlsplit

from assent.config.source import Source, read_source
from assent.config.table import Table, read_table
from assent.config.whereabouts import Whereabouts
from assent.errors import ConfigError
from assent.gate.ports import DEFAULT_PENDING_BYTES, PendingBytes

HOST = "127.0.0.1"
PORT = 8722
MOST_PORT = 65535
MOST_CONNECTIONS = 10_000
KEYS = (
    "host", "port", "public_url", "base_path", "hosts", "trusted_proxies", "tls_cert", "tls_key", "oidc",
    "connections", "pending_mb", "pending_mb_per_user", "pending_mb_per_agent",
)  # fmt: skip
_MEGA = 1_000_000
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
    """Empty for a public client, which proves itself by PKCE alone."""
    scopes: tuple[str, ...] = ("openid", "profile")
    groups_claim: str = "groups"
    administrator_groups: tuple[str, ...] = ()
    """Whoever is in one of these is an administrator."""
    add_people: bool = False
    """Whether somebody who is not known yet is added at their first sign-in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    """Everything about a server that is not policy."""

    host: str = HOST
    port: int = PORT
    public_url: str = ""
    """Where people reach it, such as `https://assent.example.org`; empty for this machine alone."""
    base_path: str = ""
    hosts: tuple[str, ...] = ()
    """Further names that it answers to, for agents and probes."""
    trusted_proxies: tuple[str, ...] = ()
    """Addresses or networks whose word about the client is taken."""
    tls_cert: str = ""
    tls_key: str = ""
    oidc: OidcSettings | None = None
    connections: int = MOST_CONNECTIONS
    """Connections at a time, as far as the limit of open files allows."""
    pending: PendingBytes = DEFAULT_PENDING_BYTES
    """Bytes of questions that wait for an answer."""

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach it."""
        return self.host == "localhost" or _is_loopback(self.host)

    @property
    def address(self) -> str:
        """Where it listens, as a URL."""
        scheme = "https" if self.tls_cert else "http"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{scheme}://{host}:{self.port}"

    @property
    def url(self) -> str:
        """Where people reach it, the base path left out."""
        return self.public_url or self.address


def load_server(
    where: Whereabouts, environ: Mapping[str, str], *, host: str | None = None, port: int | None = None
) -> ServerSettings:
    """The settings of a server; flags count more than the environment, and that more than files.

    INVARIANT: a repository's own file says nothing here, or cloning one could open the server.
    """
    said: dict[str, object] = {}
    for path in (where.managed_file, where.user_file):
        if os.path.lexists(path):
            said |= _from_file(read_source(path, guarded=True))
    said |= _from_environment(environ)
    said |= {key: value for key, value in (("host", host), ("port", port)) if value is not None}
    settings = ServerSettings(**said)  # type: ignore[arg-type]
    _check(settings)
    return settings


def _from_file(source: Source) -> dict[str, object]:
    table = read_table(source).table("server")
    table.only(*KEYS)
    found: dict[str, object] = {
        "host": table.text("host"),
        "port": table.number("port"),
        "public_url": table.text("public_url"),
        "base_path": table.text("base_path"),
        "hosts": table.texts("hosts") or None,
        "trusted_proxies": table.texts("trusted_proxies") or None,
        "tls_cert": table.text("tls_cert"),
        "tls_key": table.text("tls_key"),
        "oidc": _oidc(table.table("oidc")) if "oidc" in table.values else None,
        "connections": table.number("connections"),
        "pending": _pending(table),
    }
    return {key: value for key, value in found.items() if value is not None}


def _pending(table: Table) -> PendingBytes | None:
    said = {
        "server": table.number("pending_mb"),
        "user": table.number("pending_mb_per_user"),
        "agent": table.number("pending_mb_per_agent"),
    }
    given = {name: size * _MEGA for name, size in said.items() if size is not None}
    return DEFAULT_PENDING_BYTES._replace(**given) if given else None


def _oidc(table: Table) -> OidcSettings:
    table.only(*OIDC_KEYS)
    issuer, client_id = table.text("issuer"), table.text("client_id")
    if not issuer or not client_id:
        raise table.error("`server.oidc` needs an `issuer` and a `client_id`", "oidc")
    secret = table.text("client_secret_file")
    usual = OidcSettings(issuer=issuer, client_id=client_id)
    return OidcSettings(
        issuer=issuer,
        client_id=client_id,
        client_secret=_secret(secret) if secret else "",
        scopes=table.texts("scopes") or usual.scopes,
        groups_claim=table.text("groups_claim") or usual.groups_claim,
        administrator_groups=table.texts("administrator_groups"),
        add_people=table.flag("add_people") or False,
    )


def _secret(path: str) -> str:
    """A secret that has a file of its own, so that the policy can be shown and shared."""
    return read_source(path, guarded=True).text.strip()


def _from_environment(environ: Mapping[str, str]) -> dict[str, object]:
    names = ("host", "public_url", "base_path", "tls_cert", "tls_key")
    said: dict[str, object] = {
        name: environ[f"ASSENT_{name.upper()}"] for name in names if environ.get(f"ASSENT_{name.upper()}")
    }
    if port := environ.get("ASSENT_PORT"):
        if not port.isdecimal():
            _wrong("ASSENT_PORT", "it must be a number")
        said["port"] = int(port)
    for name in ("hosts", "trusted_proxies"):
        if words := environ.get(f"ASSENT_{name.upper()}"):
            said[name] = tuple(one.strip() for one in words.split(",") if one.strip())
    return said


def _check(settings: ServerSettings) -> None:
    """Refuse what could not work, or would work otherwise than it reads."""
    if settings.port > MOST_PORT:
        _wrong("port", f"it must be at most {MOST_PORT}")
    if bool(settings.tls_cert) != bool(settings.tls_key):
        _wrong("tls_cert", "a certificate needs its key, and a key its certificate")
    if settings.base_path and (not settings.base_path.startswith("/") or settings.base_path.endswith("/")):
        _wrong("base_path", "it begins with a slash and does not end with one")
    if settings.public_url:
        _check_url(settings.public_url)
    for proxy in settings.trusted_proxies:
        try:
            ipaddress.ip_network(proxy)
        except ValueError:
            _wrong("trusted_proxies", f"`{proxy}` is neither an address nor a network")


def _check_url(url: str) -> None:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.password:
        _wrong("public_url", "it must be an http or https address such as `https://assent.example.org`")
    if parts.path or parts.query or parts.fragment:
        _wrong("public_url", "it ends with the host or the port; a path goes into `base_path`")


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _wrong(key: str, reason: str) -> NoReturn:
    raise ConfigError(f"`{key}`", reason)
