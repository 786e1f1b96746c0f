"""The gate's access to the file system, and the policy files of each project from which calls come."""

import asyncio
import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence

from assent.config.content import read_workspace_file
from assent.config.findings import make_searches, names_program_code
from assent.config.made_paths import MadePaths
from assent.config.paths import NO_PROJECT, ConfigPaths
from assent.config.policy import Policy
from assent.config.policy_loader import PolicyLoader
from assent.config.repository import Trust
from assent.config.task_files import Pins, add_pins, fitting_packs, load_pins
from assent.config.workspace import (
    directories_on_disk,
    directories_without_disk,
    facts_without_disk,
    gather_facts,
)
from assent.config.workspace_roots import check_project, check_root, find_workspace
from assent.engine.base.facts import CallDirectories, DirectorySearch, Facts
from assent.engine.base.tool import Call
from assent.engine.base.value import replace
from assent.engine.policy.task_files import is_about_tasks
from assent.errors import AssentError
from assent.gate.file_preview import FileContent, UnreadReason
from assent.gate.ports import CallWorkspace
from assent.gate.workspaces import CheckedRoot, RegisteredWorkspace, WantedRoot

_log = logging.getLogger("assent.policy")
MAX_PROJECTS = 256
"""The number of projects whose policy stays in memory."""


class DiskWorkspace:
    """The gate's access to the file system of this machine."""

    def __init__(self, where: ConfigPaths, files: PolicyLoader) -> None:
        self._own = Project(where, files)
        self._projects = Projects(where, files)
        self._made = MadePaths()

    async def locate(self, call: Call, workspaces: Sequence[RegisteredWorkspace] = ()) -> CallWorkspace:
        """The workspace and working directory of a call; by default the directory of this process."""
        if call.cwd and workspaces:
            found = await asyncio.to_thread(self._find_registered_workspace, call.cwd, workspaces)
            if found is not None and found.remote:
                return found  # What was made on this disk says nothing about another machine.
            if found is not None:
                return found._replace(directories=self._add_made_paths(call, found.directories))
        directories = self._own.directories()
        directories = replace(directories, cwd=call.cwd) if call.cwd else directories
        return CallWorkspace(self._add_made_paths(call, directories))

    def record_made_paths(self, call: Call, paths: Sequence[str]) -> None:
        """Record the paths that a call is about to make; only this process knows them."""
        self._made.note(call, paths)

    def _add_made_paths(self, call: Call, directories: CallDirectories) -> CallDirectories:
        """The directories, with the paths that the conversation of the call made."""
        made = self._made.existing(call)
        return replace(directories, made=made) if made else directories

    async def facts(
        self, where: CallWorkspace, wanted: Sequence[str], searches: Sequence[DirectorySearch] = ()
    ) -> Facts:
        """Look up paths and make searches; without paths, searches and trust, the disk is not read."""
        if where.remote:
            return facts_without_disk(where.directories, wanted, trusted_repository=False)
        trust = (self._projects.find(where.root) or self._own).files.trust
        if not (wanted or searches or trust.repositories):
            return Facts(directories=where.directories)
        pins = self._load_pins if any(map(is_about_tasks, searches)) else dict[str, str]
        return await asyncio.to_thread(_gather_facts, where.directories, wanted, searches, trust, pins)

    async def approve_tasks(self, files: Mapping[str, str]) -> None:
        """Approve task files of packs with these digests; a file that cannot be written approves nothing."""
        try:
            await asyncio.to_thread(add_pins, self._own.where.pins_file, files)
        except AssentError as error:
            _log.warning("the task files of packs stay unapproved: %s", error)

    async def fitting_packs(self, workspaces: Sequence[RegisteredWorkspace]) -> frozenset[str]:
        """The packs whose files are in this process's own workspace, or in a registered one on this disk."""
        roots = [self._own.where.root, *(one.root for one in workspaces if not one.remote)]
        found = await asyncio.to_thread(lambda: [name for root in roots for name in fitting_packs(root)])
        return frozenset(found)

    def _load_pins(self) -> Pins:
        """The approved task files; none if their file cannot be read."""
        try:
            return load_pins(self._own.where.pins_file)
        except AssentError as error:
            _log.warning("no task file of a pack counts as approved: %s", error)
            return {}

    async def content(self, where: CallWorkspace, path: str) -> FileContent:
        """Read a file in the workspace; the result contains its content, or the reason why it is not read."""
        if where.remote:
            return FileContent(path, unread=UnreadReason.UNREACHABLE)
        return await asyncio.to_thread(read_workspace_file, path, where.directories)

    async def check_root(self, wanted: WantedRoot) -> CheckedRoot:
        """Resolve and check a directory that a person wants to register."""
        return await asyncio.to_thread(check_root, wanted, self._own.where)

    async def check_project(self, directory: str) -> CheckedRoot:
        """The project that contains a directory of this disk."""
        return await asyncio.to_thread(check_project, directory, self._own.where)

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


class Project:
    """A workspace on this machine, with the policy of its files."""

    def __init__(self, where: ConfigPaths, files: PolicyLoader) -> None:
        self.where = where
        self.files = files
        self._cached: tuple[Policy, CallDirectories] | None = None

    def directories(self) -> CallDirectories:
        """The directories of the project; policy files may add some."""
        policy, cached = self.files.policy, self._cached
        if cached is not None and cached[0] is policy:
            return cached[1]
        directories = directories_on_disk(self.where.cwd, (self.where.root, *policy.roots), self.where.home)
        # Set in one step, because threads read it.
        self._cached = policy, directories
        return directories


class Projects:
    """The projects that people registered; threads may use it at the same time.

    INVARIANT: each project has its own loader, so that no rule of one project reaches another one. A loader
    checks its files before each call, because no timer reloads them.
    """

    def __init__(self, own: ConfigPaths, files: PolicyLoader) -> None:
        self._own = own
        self._files = files
        self._lock = threading.Lock()
        self._loaded: OrderedDict[str, Project] = OrderedDict()
        self._errors: dict[str, str] = {}

    def find(self, root: str) -> Project | None:
        """The project with this root, if it is loaded."""
        with self._lock:
            return self._loaded.get(root)

    def load(self, workspace: RegisteredWorkspace) -> Project | None:
        """The project of a workspace with its current policy; None if its files were never valid.

        The files of a remote workspace are not on this disk: there only the user's own files apply.
        """
        root = NO_PROJECT if workspace.remote else workspace.root
        with self._lock:
            try:
                project = self._load_project(root)
            except (AssentError, OSError) as error:
                if self._errors.get(root) != str(error):
                    _log.warning("workspace %s counts as not registered: %s", workspace.root, error)
                self._errors[root] = str(error)
                return None
            self._errors.pop(root, None)
            return project

    def _load_project(self, root: str) -> Project:
        known = self._loaded.get(root)
        if known is not None:
            self._loaded.move_to_end(root)
            if known.files.has_changed():
                known.files.reload()
            return known
        where = replace(self._own, root=root, cwd=root)
        project = Project(where, self._files.for_project(where))
        self._loaded[root] = project
        if len(self._loaded) > MAX_PROJECTS:
            self._loaded.popitem(last=False)
        return project


def _gather_facts(
    directories: CallDirectories,
    wanted: Sequence[str],
    searches: Sequence[DirectorySearch],
    trust: Trust,
    load_pins: Callable[[], Pins],
) -> Facts:
    """Look up paths and make searches on disk."""
    found = make_searches(directories, searches, load_pins(), trust) if searches else {}
    names_code = names_program_code(searches, found)
    return gather_facts(
        directories,
        wanted,
        trusts=lambda directory: not names_code and trust.trusts_directory(directory),
        findings=found,
    )
