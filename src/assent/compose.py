"""Composition: the only module that combines a store, the policy files and a gate."""

import getpass
import os
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, nullcontext
from datetime import timedelta
from typing import Protocol

from assent.config.paths import ConfigPaths, find_config_paths
from assent.config.policy_loader import PolicyLoader
from assent.config.projects import DiskWorkspace
from assent.errors import AssentError
from assent.gate.access import Principal
from assent.gate.calls import NO_OBSERVER, Observer
from assent.gate.conversation import Transcript
from assent.gate.events import Pod, PodComparison
from assent.gate.gate import DEFAULT_LIMITS, Gate
from assent.gate.people import IdentityStore
from assent.gate.ports import Authorizer
from assent.gate.question import Limits
from assent.gate.store import Store

_POSTGRES_SCHEMES = ("postgresql://", "postgres://")


class FullStore(Store, IdentityStore, Transcript, Protocol):
    """The interface of every store: approvals and policy, people, and transcripts of conversations."""

    @property
    def upgraded_from(self) -> str:
        """The earlier schema version, if opening the store upgraded it; empty if there was no upgrade."""
        ...


@asynccontextmanager
async def open_gate(
    address: str,
    *,
    cwd: str | None = None,
    preset: str | None = None,
    environ: Mapping[str, str] = os.environ,
    authorizer: Authorizer | None = None,
    joins_as: str = "",
) -> AsyncGenerator[Gate]:
    """Open a gate on the database at an address, with the policy of a directory.

    `joins_as` is the version of this process if it is a pod: it is then compared with the other pods of a
    PostgreSQL database. Commands are not pods, so they leave it empty.
    """
    where = find_config_paths(cwd or os.getcwd(), environ)
    # An unreadable policy fails here, before the store is opened.
    files = PolicyLoader(where, environ, preset=preset)
    store = await open_store(address)
    async with open_gate_on_store(store, files, where, authorizer=authorizer) as gate:
        # Programs that share an SQLite file may run in different projects; only pods need equal policies.
        is_pod = joins_as and address.startswith(_POSTGRES_SCHEMES)
        async with join_pods(store, files, where, joins_as) if is_pod else nullcontext():
            yield gate


@asynccontextmanager
async def open_gate_on_store(
    store: Store,
    files: PolicyLoader,
    where: ConfigPaths,
    *,
    authorizer: Authorizer | None = None,
    observer: Observer = NO_OBSERVER,
    limits: Limits = DEFAULT_LIMITS,
) -> AsyncGenerator[Gate]:
    """Open a gate on an open store; the store is closed at the end of the context."""
    workspace = DiskWorkspace(where, files)
    keep = timedelta(days=files.policy.keep_arguments_days)
    gate = Gate(store, files, workspace, authorizer=authorizer, limits=limits, keep=keep, observer=observer)
    async with gate:
        yield gate


async def open_store(address: str, *, serving: bool = False, spool: str = "") -> FullStore:
    """Open the store at an address: a `postgresql://` URL, `:memory:`, or the path of an SQLite file.

    A server sets `serving`, because an SQLite file can have only one server at a time. `spool` is the file
    for audit entries that could not be written to PostgreSQL; for SQLite that file is beside the database.
    """
    if address == ":memory:":
        from assent.stores.memory.store import MemoryStore

        return MemoryStore()
    try:
        if address.startswith(_POSTGRES_SCHEMES):
            from assent.stores.postgres.database import open_postgres

            return await open_postgres(address, spool=spool)
        from assent.stores.sqlite.database import open_sqlite
    except ImportError as error:
        extra = "postgres" if address.startswith("postgres") else "gate"
        raise AssentError(f"{error.name} is not installed: pip install 'assent[{extra}]'") from None
    return await open_sqlite(address, exclusive=serving)


async def has_people(address: str) -> bool:
    """Whether the database at an address contains people; reads it without an upgrade or other changes."""
    if address == ":memory:":
        return False
    from assent.stores.admin import connections as peek

    return await peek.has_people(address)


def local_person() -> Principal:
    """The operating system's user as a principal; on their own machine they are an administrator."""
    return Principal(id=getpass.getuser(), administrator=True)


@asynccontextmanager
async def join_pods(
    store: Store, files: PolicyLoader, where: ConfigPaths, version: str
) -> AsyncGenerator[PodComparison]:
    """Register this process among the pods of a store until the context ends."""
    workspace = os.path.realpath(where.cwd)

    def describe_this_pod() -> Pod:
        return Pod(workspace=workspace, policy_digest=files.digest, version=version)

    comparison = PodComparison(store, describe_this_pod)
    await comparison.compare()
    try:
        yield comparison
    finally:
        await comparison.leave()
