"""Running a server: it listens, reads policy again when a file changes, and drains before it ends."""

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

from assent import __version__
from assent.client.notice import Notice, leave_notice, remove_notice, without_password
from assent.compose import Shelf, gate_on, has_people, joined, open_store
from assent.config.files import make_private_directory
from assent.config.paths import ConfigPaths
from assent.config.policy_loader import PolicyLoader
from assent.config.settings import ServerSettings
from assent.door.identity import Doorkeeper
from assent.door.middleware import App, Door, Message, Receive, Scope, Send
from assent.door.premises import Premises
from assent.door.proxy import proxies_of
from assent.door.signin import SignIn
from assent.errors import AssentError, UnavailableError
from assent.gate.gate import Gate
from assent.gate.ports import Limits
from assent.surfaces.http import telemetry
from assent.surfaces.http.app import create_app
from assent.surfaces.http.descriptors import Capacity, capacity_of, raise_limit
from assent.surfaces.http.late import Late
from assent.surfaces.http.live import LARGEST
from assent.surfaces.http.owner import (
    TOKEN_FILE,
    Welcome,
    check_public_url,
    check_reachable,
    welcomed,
)
from assent.surfaces.http.pages import with_pages
from assent.surfaces.http.patient import limited
from assent.surfaces.http.service import Service
from assent.surfaces.http.shedding import Shedding
from assent.surfaces.http.talk import Talk
from assent.surfaces.http.telemetry import Metrics
from assent.surfaces.http.waiting_room import WaitingRoom
from assent.surfaces.http.watching import Watch

_log = logging.getLogger("assent.server")
LOOK = 1.0
"""Seconds between two looks at the policy files."""
COMPARE = 15.0
"""Seconds between two looks at what the other servers of the database are."""
_BACKLOG = 2048
_ACCEPTED = 16
"""Connections that are let in before those that came first are counted."""
_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"})
LIMITS = Limits(pending=1000)
"""All chats of a person are one agent: a hundred questions would be few."""
_GARBAGE = 10_000
"""New objects between two searches: a request makes thousands, and leaves hardly any in circles."""
DRAIN = 30
"""Seconds that a request may take after the server was told to stop."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a server is to be."""

    where: ConfigPaths
    settings: ServerSettings
    database: str
    """An absolute path, or an address."""
    directory: str
    """The private directory of what it keeps beside the database."""
    owner: str
    link: bool = False
    """Whether a log-in link is wanted at every start."""
    sign_in: "MakeSignIn | None" = None
    chat: "MakeChat | None" = None
    """Opens the chat, where that part is installed."""
    upgraded: Callable[[], Awaitable[None]] | None = None
    """Called once the start has brought the database to this version's schema."""


MakeSignIn = Callable[[ServerSettings, Doorkeeper, bytes], SignIn]
"""Makes what lets people in with a provider, from the settings and the secret that all pods share."""
MakeChat = Callable[[Gate, Shelf, ConfigPaths, PolicyLoader], AbstractAsyncContextManager[Talk]]
"""Loads a chat, which takes a while, and opens it for as long as the server runs."""
Announce = Callable[[str, Welcome], None]
"""Tells whoever started it where it is and how its owner comes in."""


async def run(plan: Plan, files: PolicyLoader, announce: Announce) -> None:
    """Serve until somebody ends it."""
    limit = raise_limit()
    with _listening(plan.settings) as listening:
        port = listening.getsockname()[1]
        plan = replace(plan, settings=replace(plan.settings, port=port))
        capacity = capacity_of(limit, plan.settings.connections)
        async with _serving(plan, files, capacity) as (service, welcome, chat):
            server = _Server(service, plan.settings, capacity)
            _settle()
            with _signals(server, service):
                announce(plan.settings.url + plan.settings.base_path, welcome)
                async with nullcontext() if chat is None else chat.opened():
                    await _served(server, service, listening)


async def _served(server: uvicorn.Server, service: Service, listening: socket.socket) -> None:
    beside = [
        asyncio.create_task(_watched(service), name="assent policy files"),
        asyncio.create_task(_settled(service), name="assent chat"),
        asyncio.create_task(_compared(service), name="assent pods"),
    ]
    try:
        await server.serve(sockets=[listening])
    finally:
        for task in beside:
            task.cancel()


def _settle() -> None:
    """What was loaded stays for as long as the server runs: no search for garbage looks at it again."""
    gc.freeze()
    gc.set_threshold(_GARBAGE)


async def _settled(service: Service) -> None:
    """Once all is loaded, the chat included, nothing more comes that would stay."""
    if service.chat is not None:
        with suppress(UnavailableError):
            await service.chat()
        _settle()


class _Open(NamedTuple):
    """A service, how its owner comes in, and its chat, which is still to be opened."""

    service: Service
    welcome: Welcome
    chat: Late[Talk] | None


@asynccontextmanager
async def _serving(plan: Plan, files: PolicyLoader, capacity: Capacity) -> AsyncGenerator[_Open]:
    # Before a directory is made and a store is opened and upgraded: a start that is refused changes nothing.
    check_public_url(plan.settings)
    await check_reachable(plan.settings, partial(has_people, plan.database))
    make_private_directory(plan.directory)
    metrics = Metrics()
    spool = os.path.join(plan.directory, "audit.jsonl")
    store = await open_store(plan.database, serving=True, spool=spool)
    observer = Watch(metrics)
    limits = LIMITS._replace(bytes=plan.settings.pending)
    async with (
        gate_on(store, files, plan.where, observer=observer, limits=limits) as gate,
        joined(store, files, plan.where, __version__) as pods,
    ):
        if store.upgraded_from and plan.upgraded is not None:
            await plan.upgraded()
        keeper = Doorkeeper(store)
        welcome = await welcomed(keeper, plan.directory, plan.owner, link=plan.link)
        leave_notice(plan.directory, _notice(plan))
        try:
            load = plan.chat and partial(plan.chat, gate, store, plan.where, files)
            chat = None if load is None else Late(load)
            yield _Open(
                Service(
                    gate=gate,
                    store=store,
                    keeper=keeper,
                    grounds=files,
                    metrics=metrics,
                    public_url=plan.settings.url,
                    base_path=plan.settings.base_path,
                    sign_in=plan.sign_in and plan.sign_in(plan.settings, keeper, store.secret),
                    chat=None if chat is None else chat.ready,
                    pods=pods,
                    waiting=WaitingRoom(capacity.waiting),
                ),
                welcome,
                chat,
            )
        finally:
            remove_notice(plan.directory, os.getpid())


def _notice(plan: Plan) -> Notice:
    settings = plan.settings
    anywhere = settings.host in ("0.0.0.0", "::")  # noqa: S104 - it is compared, not listened on
    near = replace(settings, host="127.0.0.1" if anywhere else settings.host)
    # A certificate is made out to the public name.
    url = settings.url if settings.tls_cert else near.address
    return Notice(
        url=url + settings.base_path,
        database=without_password(plan.database),
        token_file=os.path.join(plan.directory, TOKEN_FILE),
        pid=os.getpid(),
    )


class _Server(uvicorn.Server):
    """uvicorn, but for its signals: it would end the process before the store is closed."""

    def __init__(self, service: Service, settings: ServerSettings, capacity: Capacity) -> None:
        super().__init__(
            uvicorn.Config(
                Shedding(_app(service, settings), service.waiting),
                http=limited(capacity.connections),
                backlog=_ACCEPTED,
                log_config=None,
                access_log=False,  # Addresses say more than a log should hold; `/metrics` counts them.
                server_header=False,
                proxy_headers=False,  # The door reads them, from whom we trust.
                lifespan="off",
                ws_max_size=4 * LARGEST,
                timeout_graceful_shutdown=DRAIN,
                ssl_certfile=settings.tls_cert or None,
                ssl_keyfile=settings.tls_key or None,
            )
        )

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen; more may wait in line than are let in at a time."""
        await super().startup(sockets)
        for one in sockets or ():
            one.listen(_BACKLOG)

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Leave signals to whoever runs the server."""
        yield


def _app(service: Service, settings: ServerSettings) -> App:
    """The routes behind the door, wherever a proxy hangs them in."""
    premises = Premises(public_url=settings.url + settings.base_path, hosts=settings.hosts)
    proxies = proxies_of(settings.trusted_proxies)
    below = _based(with_pages(create_app(service)), settings.base_path)
    return _counted(Door(below, service.keeper, premises, proxies=proxies), service)


def _counted(app: App, service: Service) -> App:
    """The same app; each of its replies is counted."""

    async def counted(scope: Scope, receive: Receive, send: Send) -> None:
        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                method, status = scope["method"], str(message["status"])
                known = method if method in _METHODS else "other"
                service.metrics.count(telemetry.REQUESTS, method=known, status=status)
            await send(message)

        await app(scope, receive, sending)

    return counted


def _based(app: App, base: str) -> App:
    """The same app, below a path that a proxy may or may not have taken off."""

    async def based(scope: Scope, receive: Receive, send: Send) -> None:
        is_below = base and scope.get("path", "").startswith(f"{base}/")
        await app({**scope, "root_path": base} if is_below else scope, receive, send)

    return based


@contextmanager
def _listening(settings: ServerSettings) -> Generator[socket.socket]:
    """A socket that listens already: who connects while the rest starts waits, and is not refused."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    # By its name: asyncio sends replies without delay only on sockets that say they are TCP.
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
    """SIGTERM and SIGINT drain, a second one ends at once; SIGHUP reads the policy files again."""
    loop = asyncio.get_running_loop()

    def stop() -> None:
        if service.stopping.is_set():
            server.force_exit = True
        _log.info("draining: pending questions stay")
        service.stopping.set()
        server.should_exit = True

    reloads: set[asyncio.Task[None]] = set()

    def reload() -> None:
        task = asyncio.create_task(_reloaded(service))
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


async def _watched(service: Service) -> None:
    """Look at the policy files now and then; nothing here ends the server."""
    while True:
        await asyncio.sleep(LOOK)
        with suppress(OSError):
            if await asyncio.to_thread(service.grounds.has_changed):
                await _reloaded(service)


async def _compared(service: Service) -> None:
    """Compare this server with those that joined later, now and then; nothing here ends the server."""
    while service.pods is not None:
        await asyncio.sleep(COMPARE)
        await service.pods.compare()


async def _reloaded(service: Service) -> None:
    changed = await asyncio.to_thread(service.grounds.reload)
    outcome = "failed" if service.grounds.error else "changed" if changed else "same"
    service.metrics.count(telemetry.POLICY_RELOADS, outcome=outcome)
