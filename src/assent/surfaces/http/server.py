"""The server: listens, reloads changed policy files, and finishes open requests before it ends."""

import asyncio
import gc
import logging
import os
import signal
import socket
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import (
    AbstractAsyncContextManager,
    asynccontextmanager,
    contextmanager,
    nullcontext,
    suppress,
)
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import uvicorn

from assent.client.local_server import LocalServer, remove_local_server, without_password, write_local_server
from assent.compose import FullStore, has_people, join_pods, open_gate_on_store, open_store
from assent.config.files import make_private_directory
from assent.config.paths import ConfigPaths
from assent.config.policy_loader import PolicyLoader
from assent.config.settings import ServerSettings
from assent.door.authentication import Authenticator, SignIn
from assent.door.middleware import App, Door, Message, Receive, Scope, Send
from assent.door.request import AllowedHosts, parse_proxies
from assent.errors import AssentError, UnavailableError
from assent.gate.gate import Gate
from assent.gate.ports import Limits
from assent.surfaces.http.api.metrics import POLICY_RELOADS, REQUESTS, Metrics
from assent.surfaces.http.api.service import ChatPort, LongRequests, Service
from assent.surfaces.http.app import create_app, with_web_app
from assent.surfaces.http.background import BackgroundResource
from assent.surfaces.http.bootstrap import (
    TOKEN_FILE,
    OwnerAccess,
    check_public_url,
    check_reachable,
    ensure_owner,
)
from assent.surfaces.http.capacity import Capacity, LoadLimit, capacity_of, protocol_class, raise_limit
from assent.surfaces.http.observer import ServerObserver
from assent.surfaces.http.routes.live import MAX_MESSAGE
from assent.version import __version__

_log = logging.getLogger("assent.server")
POLICY_CHECK = 1.0
"""Seconds between two checks of the policy files."""
POD_CHECK = 15.0
"""Seconds between two comparisons with the other servers of the database."""
_BACKLOG = 2048
_ACCEPTED = 16
"""Connections that uvicorn accepts in one turn, before it counts them."""
_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"})
LIMITS = Limits(pending=1000)
"""All chats of a person are one agent, which may have more pending questions than the default allows."""
_GC_THRESHOLD = 10_000
"""New objects between two collections: a request makes thousands, and hardly any are in cycles."""
SHUTDOWN_TIMEOUT = 30
"""Seconds that open requests have when the server stops."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerPlan:
    """How a server is to be started."""

    where: ConfigPaths
    settings: ServerSettings
    database: str
    """An absolute path, or an address."""
    directory: str
    """The private directory for files beside the database."""
    owner: str
    always_link: bool = False
    """Whether a log-in link is made at every start."""
    sign_in: "MakeSignIn | None" = None
    chat: "MakeChat | None" = None
    """Opens the chat, where that part is installed."""
    upgraded: Callable[[], Awaitable[None]] | None = None
    """Called once the start has migrated the database to this version's schema."""


MakeSignIn = Callable[[ServerSettings, Authenticator, bytes], SignIn]
"""Makes the sign-in with a provider from the settings and the secret that all pods share."""
MakeChat = Callable[[Gate, FullStore, ConfigPaths, PolicyLoader], AbstractAsyncContextManager[ChatPort]]
"""Loads the chat, which takes long, and keeps it open while the server runs."""
Announce = Callable[[str, OwnerAccess], None]
"""Reports the address of the server and how its owner gets in."""


async def run(plan: ServerPlan, files: PolicyLoader, announce: Announce) -> None:
    """Serve until a signal ends it."""
    limit = raise_limit()
    with _bind(plan.settings) as listener:
        port = listener.getsockname()[1]
        plan = replace(plan, settings=replace(plan.settings, port=port))
        capacity = capacity_of(limit, plan.settings.connections)
        async with _open(plan, files, capacity) as (service, access, chat):
            server = _Server(service, plan.settings, capacity)
            _freeze_garbage()
            with _signals(server, service):
                announce(plan.settings.url + plan.settings.base_path, access)
                async with nullcontext() if chat is None else chat.running():
                    await _serve(server, service, listener)


async def _serve(server: uvicorn.Server, service: Service, listener: socket.socket) -> None:
    tasks = [
        asyncio.create_task(_watch_policy(service), name="assent policy files"),
        asyncio.create_task(_freeze_after_chat(service), name="assent chat"),
        asyncio.create_task(_compare_pods(service), name="assent pods"),
    ]
    try:
        await server.serve(sockets=[listener])
    finally:
        for task in tasks:
            task.cancel()


def _freeze_garbage() -> None:
    """Exclude everything that is loaded from garbage collection: it stays while the server runs."""
    gc.freeze()
    gc.set_threshold(_GC_THRESHOLD)


async def _freeze_after_chat(service: Service) -> None:
    """Freeze again when the chat is loaded, which is the last of what stays."""
    if service.open_chat is not None:
        with suppress(UnavailableError):
            await service.open_chat()
        _freeze_garbage()


class _OpenService(NamedTuple):
    """A service, how its owner gets in, and its chat, which is not loaded yet."""

    service: Service
    access: OwnerAccess
    chat: BackgroundResource[ChatPort] | None


@asynccontextmanager
async def _open(plan: ServerPlan, files: PolicyLoader, capacity: Capacity) -> AsyncGenerator[_OpenService]:
    # Before a directory is made and a store is opened and migrated: a start that is refused changes nothing.
    check_public_url(plan.settings)
    await check_reachable(plan.settings, partial(has_people, plan.database))
    make_private_directory(plan.directory)
    metrics = Metrics()
    spool = os.path.join(plan.directory, "audit.jsonl")
    store = await open_store(plan.database, serving=True, spool=spool)
    observer = ServerObserver(metrics)
    limits = LIMITS._replace(bytes=plan.settings.pending)
    async with (
        open_gate_on_store(store, files, plan.where, observer=observer, limits=limits) as gate,
        join_pods(store, files, plan.where, __version__) as pods,
    ):
        if store.upgraded_from and plan.upgraded is not None:
            await plan.upgraded()
        authenticator = Authenticator(store)
        access = await ensure_owner(authenticator, plan.directory, plan.owner, always_link=plan.always_link)
        write_local_server(plan.directory, _to_local_server(plan))
        try:
            load = plan.chat and partial(plan.chat, gate, store, plan.where, files)
            chat = None if load is None else BackgroundResource(load)
            yield _OpenService(
                Service(
                    gate=gate,
                    store=store,
                    authenticator=authenticator,
                    policy=files,
                    metrics=metrics,
                    public_url=plan.settings.url,
                    base_path=plan.settings.base_path,
                    sign_in=plan.sign_in and plan.sign_in(plan.settings, authenticator, store.secret),
                    open_chat=None if chat is None else chat.get,
                    pods=pods,
                    long_requests=LongRequests(capacity.long_requests),
                ),
                access,
                chat,
            )
        finally:
            remove_local_server(plan.directory, os.getpid())


def _to_local_server(plan: ServerPlan) -> LocalServer:
    settings = plan.settings
    anywhere = settings.host in ("0.0.0.0", "::")  # noqa: S104 - it is compared, not listened on
    near = replace(settings, host="127.0.0.1" if anywhere else settings.host)
    # A certificate is made out to the public name.
    url = settings.url if settings.tls_cert else near.address
    return LocalServer(
        url=url + settings.base_path,
        database=without_password(plan.database),
        token_file=os.path.join(plan.directory, TOKEN_FILE),
        pid=os.getpid(),
    )


class _Server(uvicorn.Server):
    """uvicorn without its signal handlers, which would end the process before the store is closed."""

    def __init__(self, service: Service, settings: ServerSettings, capacity: Capacity) -> None:
        super().__init__(
            uvicorn.Config(
                LoadLimit(_app(service, settings), service.long_requests),
                http=protocol_class(capacity.connections),
                backlog=_ACCEPTED,
                log_config=None,
                access_log=False,  # Paths contain ids that a log should not have; `/metrics` counts requests.
                server_header=False,
                proxy_headers=False,  # The door reads them, from trusted proxies only.
                lifespan="off",
                ws_max_size=4 * MAX_MESSAGE,
                timeout_graceful_shutdown=SHUTDOWN_TIMEOUT,
                ssl_certfile=settings.tls_cert or None,
                ssl_keyfile=settings.tls_key or None,
            )
        )

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen with a longer queue than the number of connections that are accepted in one turn."""
        await super().startup(sockets)
        for one in sockets or ():
            one.listen(_BACKLOG)

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Leave signals to `_signals`."""
        yield


def _app(service: Service, settings: ServerSettings) -> App:
    """The routes behind the door, under the base path."""
    hosts = AllowedHosts(public_url=settings.url + settings.base_path, hosts=settings.hosts)
    proxies = parse_proxies(settings.trusted_proxies)
    below = _with_base_path(with_web_app(create_app(service)), settings.base_path)
    return _count_requests(Door(below, service.authenticator, hosts, proxies=proxies), service)


def _count_requests(app: App, service: Service) -> App:
    """The same app, with a count of its replies."""

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        async def counted_send(message: Message) -> None:
            if message["type"] == "http.response.start":
                method, status = scope["method"], str(message["status"])
                known = method if method in _METHODS else "other"
                service.metrics.count(REQUESTS, method=known, status=status)
            await send(message)

        await app(scope, receive, counted_send)

    return serve


def _with_base_path(app: App, base: str) -> App:
    """The same app under a path that a proxy may or may not have removed."""

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        is_below = base and scope.get("path", "").startswith(f"{base}/")
        await app({**scope, "root_path": base} if is_below else scope, receive, send)

    return serve


@contextmanager
def _bind(settings: ServerSettings) -> Generator[socket.socket]:
    """A socket that listens already: a client that connects during the start waits and is not refused."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    # With the protocol: asyncio sets TCP_NODELAY only on sockets whose protocol is TCP.
    found = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((settings.host, settings.port))
        found.listen(_BACKLOG)
    except OSError as error:
        found.close()
        reason = os.strerror(error.errno).lower() if error.errno else str(error)
        raise AssentError(
            f"cannot listen on {settings.host}:{settings.port}: {reason}; choose another with --port"
        ) from None
    with found:
        yield found


@contextmanager
def _signals(server: uvicorn.Server, service: Service) -> Generator[None]:
    """SIGTERM and SIGINT finish open requests, a second one ends at once; SIGHUP reloads the policy files."""
    loop = asyncio.get_running_loop()

    def stop() -> None:
        if service.stopping.is_set():
            server.force_exit = True
        _log.info("stopping: pending approvals stay")
        service.stopping.set()
        server.should_exit = True

    reloads: set[asyncio.Task[None]] = set()

    def reload() -> None:
        task = asyncio.create_task(_reload_policy(service))
        reloads.add(task)
        task.add_done_callback(reloads.discard)

    handlers = {signal.SIGTERM: stop, signal.SIGINT: stop, signal.SIGHUP: reload}
    for number, handler in handlers.items():
        loop.add_signal_handler(number, handler)
    try:
        yield
    finally:
        for number in handlers:
            loop.remove_signal_handler(number)


async def _watch_policy(service: Service) -> None:
    """Reload changed policy files; an error here never ends the server."""
    while True:
        await asyncio.sleep(POLICY_CHECK)
        with suppress(OSError):
            if await asyncio.to_thread(service.policy.has_changed):
                await _reload_policy(service)


async def _compare_pods(service: Service) -> None:
    """Compare this server with servers that started later; an error here never ends the server."""
    while service.pods is not None:
        await asyncio.sleep(POD_CHECK)
        await service.pods.compare()


async def _reload_policy(service: Service) -> None:
    changed = await asyncio.to_thread(service.policy.reload)
    outcome = "failed" if service.policy.error else "changed" if changed else "same"
    service.metrics.count(POLICY_RELOADS, outcome=outcome)
