"""Composing a gate: the only place that knows a store, the policy files and the gate together."""

import asyncio
import getpass
import logging
import os
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext, suppress
from datetime import timedelta
from typing import Protocol

from assent.config.content import read_content
from assent.config.paths import ConfigPaths, find_config_paths
from assent.config.policy_loader import PolicyLoader
from assent.config.workspace import gather_facts, real_place
from assent.engine.facts import Facts, Place
from assent.engine.model import Call
from assent.engine.value import replace
from assent.errors import AssentError, StoreError
from assent.gate.access import Principal
from assent.gate.filepreview import Content
from assent.gate.gate import DEFAULT_LIMITS, Gate
from assent.gate.observer import NOBODY, Observer
from assent.gate.pods import Difference, Pod, differences
from assent.gate.ports import Authorizer, Limits, Store
from assent.gate.register import Register
from assent.gate.transcript import Transcript

_log = logging.getLogger("assent.pods")
_POSTGRES = ("postgresql://", "postgres://")


class Shelf(Store, Register, Transcript, Protocol):
    """What every store of ours is: it keeps questions and policy, who may come in, and what was said."""

    @property
    def upgraded_from(self) -> str:
        """The schema that opening it brought to this version's; empty where there was nothing to do."""
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
    """A gate on the database at an address, under the policy that holds in a directory.

    With `joins_as`, its version, this process is compared with the other pods of a PostgreSQL database; a
    command that somebody types anywhere is none of them.
    """
    where = find_config_paths(cwd or os.getcwd(), environ)
    # A policy that cannot be read stops here, before anything is open.
    files = PolicyLoader(where, environ, preset=preset)
    store = await open_store(address)
    async with gate_on(store, files, where, authorizer=authorizer) as gate:
        # A file has its programs on one machine, often in several projects; pods are meant to be alike.
        is_pod = joins_as and address.startswith(_POSTGRES)
        async with joined(store, files, where, joins_as) if is_pod else nullcontext():
            yield gate


@asynccontextmanager
async def gate_on(
    store: Store,
    files: PolicyLoader,
    where: ConfigPaths,
    *,
    authorizer: Authorizer | None = None,
    observer: Observer = NOBODY,
    limits: Limits = DEFAULT_LIMITS,
) -> AsyncGenerator[Gate]:
    """A gate on a store that is open, under policy files that may be read again; it closes the store."""
    workspace = DiskWorkspace(where, files)
    keep = timedelta(days=files.policy.keep_arguments_days)
    gate = Gate(store, files, workspace, authorizer=authorizer, limits=limits, keep=keep, observer=observer)
    async with gate:
        yield gate


async def open_store(address: str, *, serving: bool = False, spool: str = "") -> Shelf:
    """The store at an address: a `postgresql://` URL, `:memory:`, or the path of an SQLite file.

    `serving` is for a server: a file has one at a time. `spool` names a file for audit entries that a
    PostgreSQL database could not be given before the end; an SQLite file has its own beside it.
    """
    if address == ":memory:":
        from assent.stores.memory.store import MemoryStore

        return MemoryStore()
    try:
        if address.startswith(_POSTGRES):
            from assent.stores.postgres.database import open_postgres

            return await open_postgres(address, spool=spool)
        from assent.stores.sqlite.database import open_sqlite
    except ImportError as error:
        extra = "postgres" if address.startswith("postgres") else "gate"
        raise AssentError(f"{error.name} is not installed: pip install 'assent[{extra}]'") from None
    return await open_sqlite(address, exclusive=serving)


async def has_people(address: str) -> bool:
    """Whether the store at an address knows anybody; told without opening it, so that nothing changes."""
    if address == ":memory:":
        return False
    from assent.stores.admin import peek

    return await peek.has_people(address)


def local_person() -> Principal:
    """Whoever runs this process on their own machine: they own what it does."""
    return Principal(id=getpass.getuser(), administrator=True)


class PodComparison:
    """Compares this process with the others on its store."""

    def __init__(self, store: Store, files: PolicyLoader, where: ConfigPaths, version: str) -> None:
        self._store = store
        self._version = version
        self._files = files
        self._workspace = os.path.realpath(where.cwd)
        self.differences: tuple[Difference, ...] = ()

    async def compare(self) -> None:
        """Say what this process is, and log what differs now and did not before; it stops nothing."""
        own = Pod(workspace=self._workspace, policy_digest=self._files.digest, version=self._version)
        try:
            found = differences(own, await self._store.join(own))
        except StoreError as error:
            _log.warning("pods could not be compared: %s", error)
            return
        for one in found:
            if one not in self.differences:
                _log.warning("%s", one.sentence)
        if self.differences and not found:
            _log.info("all pods agree on workspace, policy and version again")
        self.differences = found


@asynccontextmanager
async def joined(
    store: Store, files: PolicyLoader, where: ConfigPaths, version: str
) -> AsyncGenerator[PodComparison]:
    """Join the others on a store, for as long as this process works."""
    comparison = PodComparison(store, files, where, version)
    await comparison.compare()
    try:
        yield comparison
    finally:
        with suppress(StoreError):
            await store.leave()


class DiskWorkspace:
    """The file system of this machine."""

    def __init__(self, where: ConfigPaths, files: PolicyLoader) -> None:
        self._where = where
        self._files = files
        self._version = ""
        self._place = self._found()

    async def place(self, call: Call) -> Place:
        """Where a call happens: where its caller says, or where this process was started."""
        if self._version != self._files.version:
            self._place = self._found()
        return replace(self._place, cwd=call.cwd) if call.cwd else self._place

    async def facts(self, place: Place, wanted: Sequence[str]) -> Facts:
        """What the disk says of these paths now; where there is none, and nothing is trusted, nothing."""
        if not wanted and not self._files.trust.repositories:
            return Facts(place=place)
        return await asyncio.to_thread(gather_facts, place, wanted, trusts=self._files.trust.trusts_directory)

    async def content(self, place: Place, path: str) -> Content:
        """The bytes of a file of the workspace, or why they are not read."""
        return await asyncio.to_thread(read_content, path, place)

    def _found(self) -> Place:
        where, files = self._where, self._files
        self._version = files.version
        return real_place(where.cwd, (where.root, *files.policy.roots), where.home)
