"""Composition: the only module that combines a store, the policy files and a gate."""

import asyncio
import getpass
import os
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext
from datetime import timedelta
from typing import Protocol

from assent.config.content import read_workspace_file
from assent.config.findings import make_searches
from assent.config.paths import ConfigPaths, find_config_paths
from assent.config.policy_loader import PolicyLoader
from assent.config.projects import Project, Projects
from assent.config.repository import Trust
from assent.config.workspace import directories_without_disk, facts_without_disk, gather_facts
from assent.config.workspace_roots import check_root, find_workspace
from assent.engine.base.facts import CallDirectories, DirectorySearch, Facts
from assent.engine.base.tool import Call
from assent.engine.base.value import replace
from assent.errors import AssentError
from assent.gate.access import Principal
from assent.gate.calls import NO_OBSERVER, Observer
from assent.gate.conversation import Transcript
from assent.gate.events import Pod, PodComparison
from assent.gate.file_preview import FileContent, UnreadReason
from assent.gate.gate import DEFAULT_LIMITS, Gate
from assent.gate.people import IdentityStore
from assent.gate.ports import Authorizer, CallWorkspace, Limits
from assent.gate.store import Store
from assent.gate.workspaces import CheckedRoot, RegisteredWorkspace, WantedRoot

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


class DiskWorkspace:
    """The gate's access to the file system of this machine."""

    def __init__(self, where: ConfigPaths, files: PolicyLoader) -> None:
        self._own = Project(where, files)
        self._projects = Projects(where, files)

    async def locate(self, call: Call, workspaces: Sequence[RegisteredWorkspace] = ()) -> CallWorkspace:
        """The workspace and working directory of a call; by default the directory of this process."""
        if call.cwd and workspaces:
            found = await asyncio.to_thread(self._find_registered_workspace, call.cwd, workspaces)
            if found is not None:
                return found
        directories = self._own.directories()
        return CallWorkspace(replace(directories, cwd=call.cwd) if call.cwd else directories)

    async def facts(
        self, where: CallWorkspace, wanted: Sequence[str], searches: Sequence[DirectorySearch] = ()
    ) -> Facts:
        """Look up paths and make searches; without paths, searches and trust, the disk is not read."""
        if where.remote:
            return facts_without_disk(where.directories, wanted, trusted_repository=False)
        trust = (self._projects.find(where.root) or self._own).files.trust
        if not (wanted or searches or trust.repositories):
            return Facts(directories=where.directories)
        return await asyncio.to_thread(_gather_facts, where.directories, wanted, searches, trust)

    async def content(self, where: CallWorkspace, path: str) -> FileContent:
        """Read a file in the workspace; the result contains its content, or the reason why it is not read."""
        if where.remote:
            return FileContent(path, unread=UnreadReason.UNREACHABLE)
        return await asyncio.to_thread(read_workspace_file, path, where.directories)

    async def check_root(self, wanted: WantedRoot) -> CheckedRoot:
        """Resolve and check a directory that a person wants to register."""
        return await asyncio.to_thread(check_root, wanted, self._own.where)

    async def find_root(self, directory: str, workspaces: Sequence[RegisteredWorkspace]) -> str | None:
        """The root of the workspace that contains a directory; None if no workspace contains it."""
        found = await asyncio.to_thread(find_workspace, directory, workspaces, "")
        if found is not None:
            return found.root
        own = self._own.directories().roots[0]
        mine = RegisteredWorkspace(id="", root=own, by="")
        return own if await asyncio.to_thread(find_workspace, directory, [mine], "") else None

    def _find_registered_workspace(
        self, cwd: str, workspaces: Sequence[RegisteredWorkspace]
    ) -> CallWorkspace | None:
        """The registered workspace that contains a directory; None if there is none or it cannot be used."""
        found = find_workspace(cwd, workspaces, self._own.directories().roots[0])
        if found is None:
            return None
        project = self._projects.load(found)
        if project is None:
            return None
        if found.remote:
            directories = replace(directories_without_disk(found.root, home=""), cwd=cwd)
        else:
            directories = replace(project.directories(), cwd=cwd)
        return CallWorkspace(directories, found.root, found.remote, project.files.freeze())


def _gather_facts(
    directories: CallDirectories, wanted: Sequence[str], searches: Sequence[DirectorySearch], trust: Trust
) -> Facts:
    """Look up paths and make searches on disk."""
    found = make_searches(directories, searches) if searches else {}
    return gather_facts(directories, wanted, trusts=trust.trusts_directory, findings=found)
