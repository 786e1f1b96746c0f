"""The server: listens, reloads changed policy files, and completes open requests before it stops."""

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
from assent.gate.question import Limits
from assent.gate.workbench_access import WorkbenchAccess
from assent.hosts.browser.pages import Pages
from assent.hosts.hook.claude import SOCKET_FILE
from assent.hosts.workbench.workbench import (
    Workbench,
    find_own_root,
    make_directory_finder,
    make_ticket_issuer,
)
from assent.surfaces.http.api.metrics import HTTP_REQUESTS_TOTAL, POLICY_RELOADS, Metrics
from assent.surfaces.http.api.service import ChatPort, LongRequestLimit, Service
from assent.surfaces.http.api.sockets import MAX_MESSAGE_CHARACTERS
from assent.surfaces.http.app import BackgroundResource, create_app, with_web_app
from assent.surfaces.http.bootstrap import (
    TOKEN_FILE,
    OwnerAccess,
    check_people_can_log_in,
    check_public_url,
    ensure_owner,
)
from assent.surfaces.http.capacity import (
    Capacity,
    LoadLimit,
    compute_capacity,
    limited_protocol_class,
    raise_open_files_limit,
)
from assent.surfaces.http.local_socket import bind_local_socket, local_protocol
from assent.surfaces.http.observer import ServerObserver
from assent.version import __version__

_log = logging.getLogger("assent.server")
POLICY_CHECK_SECONDS = 1.0
"""Seconds between two checks of the policy files."""
POD_CHECK_SECONDS = 15.0
"""Seconds between two comparisons with the other servers of the database."""
_BACKLOG_CONNECTIONS = 2048
_ACCEPTS_PER_TURN = 16
"""Connections that uvicorn accepts in one iteration of the event loop."""
_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"})
APPROVAL_LIMITS = Limits(pending=1000)
"""Limits of pending approvals; higher than the default, because all chats of a person are one agent."""
_GC_THRESHOLD = 10_000
"""New objects between two garbage collections; a request creates thousands, few of them in cycles."""
SHUTDOWN_TIMEOUT = 30
"""Seconds that open requests have to complete when the server stops."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerStartOptions:
    """The options with which a server starts."""

    where: ConfigPaths
    settings: ServerSettings
    database: str
    """An absolute path of an SQLite file, or a `postgresql://` address."""
    directory: str
    """Private directory of the server's other files."""
    owner: str
    always_link: bool = False
    """Whether a log-in link is created at every start."""
    sign_in: "MakeSignIn | None" = None
    chat: "MakeChat | None" = None
    """Opens the chat; None if the chat is not installed."""
    on_upgraded: Callable[[], Awaitable[None]] | None = None
    """Called after the start has migrated the database to a new schema."""
    on_opened: Callable[[Authenticator, OwnerAccess], Awaitable[None]] | None = None
    """Called before the server listens."""


MakeSignIn = Callable[[ServerSettings, Authenticator, bytes], SignIn]
"""Creates the sign-in with a provider, from the settings and the secret that all pods share."""
MakeChat = Callable[
    [Gate, FullStore, ConfigPaths, PolicyLoader, Pages], AbstractAsyncContextManager[ChatPort]
]
"""Loads the chat, which is slow, and keeps it open while the server runs."""
Announce = Callable[[str, OwnerAccess], None]
"""Shows the URL of the server and the owner's log-in link."""


async def run_server(plan: ServerStartOptions, files: PolicyLoader, announce: Announce) -> None:
    """Start the server, and serve until a signal stops it."""
    limit = raise_open_files_limit()
    with _bind_socket(plan.settings) as listener:
        port = listener.getsockname()[1]
        plan = replace(plan, settings=replace(plan.settings, port=port))
        capacity = compute_capacity(limit, plan.settings.connections)
        async with _open_service(plan, files, capacity) as (service, access, chat):
            with (
                bind_local_socket(plan.directory, _BACKLOG_CONNECTIONS) as local,
                _handle_signals(server := _Server(service, plan.settings, capacity, local), service),
            ):
                _freeze_current_objects()
                announce(plan.settings.url + plan.settings.base_path, access)
                async with nullcontext() if chat is None else chat.load_in_background():
                    await _serve_until_stopped(server, service, listener)


async def _serve_until_stopped(server: uvicorn.Server, service: Service, listener: socket.socket) -> None:
    """Run the server and its background tasks until the server stops."""
    tasks = [
        asyncio.create_task(_reload_changed_policy(service), name="assent policy files"),
        asyncio.create_task(_freeze_objects_after_chat_loaded(service), name="assent chat"),
        asyncio.create_task(_compare_pods_regularly(service), name="assent pods"),
    ]
    try:
        await server.serve(sockets=[listener])
    finally:
        for task in tasks:
            task.cancel()


def _freeze_current_objects() -> None:
    """Exclude all current objects from garbage collection: most of them live as long as the server."""
    gc.freeze()
    gc.set_threshold(_GC_THRESHOLD)


async def _freeze_objects_after_chat_loaded(service: Service) -> None:
    """Exclude the objects of the chat as well, after it is loaded."""
    if service.open_chat is not None:
        with suppress(UnavailableError):
            await service.open_chat()
        _freeze_current_objects()


class _OpenService(NamedTuple):
    """A service, the owner's access, and the chat, which is loaded later."""

    service: Service
    access: OwnerAccess
    chat: BackgroundResource[ChatPort] | None


@asynccontextmanager
async def _open_service(
    plan: ServerStartOptions, files: PolicyLoader, capacity: Capacity
) -> AsyncGenerator[_OpenService]:
    """Open the store and the gate, and create the service; closes them at the end."""
    # Checked before the store is opened and migrated, so that a refused start changes nothing.
    check_public_url(plan.settings)
    await check_people_can_log_in(plan.settings, partial(has_people, plan.database))
    make_private_directory(plan.directory)
    metrics = Metrics()
    spool = os.path.join(plan.directory, "audit.jsonl")
    store = await open_store(plan.database, serving=True, spool=spool)
    observer = ServerObserver(metrics)
    limits = APPROVAL_LIMITS._replace(bytes=plan.settings.pending)
    async with (
        open_gate_on_store(store, files, plan.where, observer=observer, limits=limits) as gate,
        join_pods(store, files, plan.where, __version__) as pods,
    ):
        if store.upgraded_from and plan.on_upgraded is not None:
            await plan.on_upgraded()
        authenticator = Authenticator(store)
        access = await ensure_owner(authenticator, plan.directory, plan.owner, always_link=plan.always_link)
        if plan.on_opened is not None:
            await plan.on_opened(authenticator, access)
        write_local_server(plan.directory, _to_local_server(plan))
        workbench = Workbench(
            gate,
            WorkbenchAccess(store),
            find_own_root(plan.where),
            local_only=plan.settings.is_local_only,
        )
        try:
            pages = Pages(gate.page_tools)
            pages.issue_ticket = make_ticket_issuer(gate, workbench)
            pages.find_directory = make_directory_finder(workbench)
            load = plan.chat and partial(plan.chat, gate, store, plan.where, files, pages)
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
                    pages=pages,
                    workbench=workbench,
                    long_requests=LongRequestLimit(capacity.long_requests),
                ),
                access,
                chat,
            )
        finally:
            remove_local_server(plan.directory, os.getpid())
            await workbench.close()


def _to_local_server(plan: ServerStartOptions) -> LocalServer:
    settings = plan.settings
    anywhere = settings.host in ("0.0.0.0", "::")  # noqa: S104 - it is compared, not listened on
    near = replace(settings, host="127.0.0.1" if anywhere else settings.host)
    # A TLS certificate is valid for the public name only.
    url = settings.url if settings.tls_cert else near.address
    return LocalServer(
        url=url + settings.base_path,
        database=without_password(plan.database),
        token_file=os.path.join(plan.directory, TOKEN_FILE),
        pid=os.getpid(),
        socket=os.path.join(plan.directory, SOCKET_FILE),
    )


class _Server(uvicorn.Server):
    """uvicorn without its signal handlers, which would exit before the store is closed."""

    def __init__(
        self,
        service: Service,
        settings: ServerSettings,
        capacity: Capacity,
        local: socket.socket | None = None,
    ) -> None:
        self._local = local
        self._limited = limited_protocol_class(capacity.connections)
        super().__init__(
            uvicorn.Config(
                LoadLimit(_build_app(service, settings), service.long_requests),
                http=self._limited,
                backlog=_ACCEPTS_PER_TURN,
                log_config=None,
                access_log=False,  # No access log: paths contain ids, and `/metrics` counts requests.
                server_header=False,
                proxy_headers=False,  # The door reads these headers, from trusted proxies only.
                lifespan="off",
                ws_max_size=4 * MAX_MESSAGE_CHARACTERS,
                timeout_graceful_shutdown=SHUTDOWN_TIMEOUT,
                ssl_certfile=settings.tls_cert or None,
                ssl_keyfile=settings.tls_key or None,
            )
        )

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start listening; the queue of the socket is longer than the number of accepts per iteration."""
        await super().startup(sockets)
        for one in sockets or ():
            one.listen(_BACKLOG_CONNECTIONS)
        if self._local is not None:
            # Not with the other sockets, because those may use TLS.
            protocol = local_protocol(self._limited, self.config, self.server_state)
            loop = asyncio.get_running_loop()
            self.servers.append(await loop.create_unix_server(protocol, sock=self._local))

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Handle no signals: `_handle_signals` does."""
        yield


def _build_app(service: Service, settings: ServerSettings) -> App:
    """The complete app: routes, web app, door, limits and base path."""
    hosts = AllowedHosts(
        public_url=settings.url + settings.base_path,
        hosts=settings.hosts,
        page_origins=settings.page_origins,
    )
    proxies = parse_proxies(settings.trusted_proxies)
    below = _with_base_path(with_web_app(create_app(service)), settings.base_path)
    return _count_requests(Door(below, service.authenticator, hosts, proxies=proxies), service)


def _count_requests(app: App, service: Service) -> App:
    """Wrap an app to count its responses in the metrics."""

    async def serve_request(scope: Scope, receive: Receive, send: Send) -> None:
        async def send_and_count(message: Message) -> None:
            if message["type"] == "http.response.start":
                method, status = scope["method"], str(message["status"])
                known = method if method in _METHODS else "other"
                service.metrics.increment_counter(HTTP_REQUESTS_TOTAL, method=known, status=status)
            await send(message)

        await app(scope, receive, send_and_count)

    return serve_request


def _with_base_path(app: App, base: str) -> App:
    """Wrap an app to accept paths with or without the base path, which a proxy may remove."""

    async def serve_request(scope: Scope, receive: Receive, send: Send) -> None:
        is_below = base and scope.get("path", "").startswith(f"{base}/")
        await app({**scope, "root_path": base} if is_below else scope, receive, send)

    return serve_request


@contextmanager
def _bind_socket(settings: ServerSettings) -> Generator[socket.socket]:
    """Open a listening socket early, so that clients that connect during the start wait."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    # The protocol is required: asyncio sets TCP_NODELAY only on sockets whose protocol is TCP.
    found = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((settings.host, settings.port))
        found.listen(_BACKLOG_CONNECTIONS)
    except OSError as error:
        found.close()
        reason = os.strerror(error.errno).lower() if error.errno else str(error)
        raise AssentError(
            f"cannot listen on {settings.host}:{settings.port}: {reason}; choose another with --port"
        ) from None
    with found:
        yield found


@contextmanager
def _handle_signals(server: uvicorn.Server, service: Service) -> Generator[None]:
    """Handle SIGTERM and SIGINT: stop gracefully, a second one immediately. SIGHUP reloads policy files."""
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


async def _reload_changed_policy(service: Service) -> None:
    """Reload policy files when they change; errors are logged and never stop the server."""
    while True:
        await asyncio.sleep(POLICY_CHECK_SECONDS)
        with suppress(OSError):
            if await asyncio.to_thread(service.policy.has_changed):
                await _reload_policy(service)


async def _compare_pods_regularly(service: Service) -> None:
    """Compare this server with the other pods regularly; errors are logged and never stop the server."""
    while service.pods is not None:
        await asyncio.sleep(POD_CHECK_SECONDS)
        await service.pods.compare()


async def _reload_policy(service: Service) -> None:
    changed = await asyncio.to_thread(service.policy.reload)
    outcome = "failed" if service.policy.error else "changed" if changed else "same"
    service.metrics.increment_counter(POLICY_RELOADS, outcome=outcome)
