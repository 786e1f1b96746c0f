"""The policy files of several projects in one process, each loaded when a call first comes from it."""

import logging
import threading
from collections import OrderedDict

from assent.config.paths import NO_PROJECT, ConfigPaths
from assent.config.policy import Policy
from assent.config.policy_loader import PolicyLoader
from assent.config.workspace import directories_on_disk
from assent.engine.base.facts import CallDirectories
from assent.engine.base.value import replace
from assent.errors import AssentError
from assent.gate.workspaces import RegisteredWorkspace

_log = logging.getLogger("assent.policy")
MAX_PROJECTS = 256
"""The number of projects whose policy stays in memory."""


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
