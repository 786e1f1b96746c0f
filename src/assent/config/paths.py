"""Finds the paths of all configuration files for a working directory and a user."""

import os
from collections.abc import Mapping

from assent.engine.base.value import Value

MANAGED_DIRECTORY = "/etc/assent"
NO_HOME = "/nonexistent"
"""A path that does not exist; used as the home of a user without a home directory."""

NO_PROJECT = "/dev/null"
"""A root without any files, because it is not a directory; used where there is no project on this disk."""


class ConfigPaths(Value):
    """The root of the workspace and the configuration files that apply to it."""

    root: str
    cwd: str
    home: str
    managed: str
    """The administrator's directory."""
    user: str
    """The user's configuration directory."""
    data: str
    """The user's data directory."""

    @property
    def managed_file(self) -> str:
        """The path of the administrator's policy file."""
        return os.path.join(self.managed, "config.toml")

    @property
    def user_file(self) -> str:
        """The path of the user's policy file."""
        return os.path.join(self.user, "config.toml")

    @property
    def project_file(self) -> str:
        """The path of the repository's policy file, which is committed to Git."""
        return os.path.join(self.root, ".assent", "config.toml")

    @property
    def local_file(self) -> str:
        """The path of the user's policy file for this repository, which is not committed to Git."""
        return os.path.join(self.root, ".assent", "config.local.toml")

    @property
    def trust_file(self) -> str:
        """The path of the file that lists which files and repositories the user trusts."""
        return os.path.join(self.data, "trust.json")

    @property
    def pins_file(self) -> str:
        """The path of the file with the task files that a person approved, for packs."""
        return os.path.join(self.data, "pins.json")

    @property
    def claude_files(self) -> tuple[str, str, str]:
        """The paths of Claude Code's settings files: the user's, the repository's, and the local file."""
        project = os.path.join(self.root, ".claude")
        return (
            os.path.join(self.home, ".claude", "settings.json"),
            os.path.join(project, "settings.json"),
            os.path.join(project, "settings.local.json"),
        )

    def existing_files(self) -> list[str]:
        """The policy files that exist, including broken links, so that reading them fails."""
        files = (self.managed_file, self.user_file, self.project_file, self.local_file)
        return [file for file in files if os.path.lexists(file)]


def find_config_paths(cwd: str, environ: Mapping[str, str]) -> ConfigPaths:
    """Find the paths for a working directory; XDG variables may move the user's directories."""
    home = find_home() or NO_HOME
    return ConfigPaths(
        root=find_root(cwd, home),
        cwd=cwd,
        home=home,
        managed=MANAGED_DIRECTORY,
        user=os.path.join(_base_directory(environ, "XDG_CONFIG_HOME", home, ".config"), "assent"),
        data=os.path.join(_base_directory(environ, "XDG_DATA_HOME", home, ".local/share"), "assent"),
    )


def find_home() -> str:
    """The home directory; empty if its path is not absolute."""
    home = os.path.expanduser("~")
    return home if os.path.isabs(home) else ""


def find_root(cwd: str, home: str) -> str:
    """The root of the repository that contains a directory; the directory itself if there is none.

    A repository at or above the home directory is ignored, or all of home would be the workspace.
    """
    directory = cwd
    while directory not in (home, os.path.dirname(directory)):
        if _has_root_marker(directory):
            return directory
        directory = os.path.dirname(directory)
        if _is_directory_above(directory, home):
            break
    return cwd


def _base_directory(environ: Mapping[str, str], variable: str, home: str, default: str) -> str:
    """An XDG base directory from an environment variable; a relative path is ignored."""
    value = environ.get(variable, "")
    return value if os.path.isabs(value) else os.path.join(home, default)


def _is_directory_above(directory: str, path: str) -> bool:
    return os.path.join(path, "").startswith(os.path.join(directory, ""))


def _has_root_marker(directory: str) -> bool:
    return any(_is_own_file(os.path.join(directory, marker)) for marker in (".git", ".assent"))


def _is_own_file(path: str) -> bool:
    """Whether a file exists and belongs to this user or root: other users must not enlarge the workspace."""
    try:
        owner = os.lstat(path).st_uid
    except OSError:
        return False
    return os.name != "posix" or owner in (os.geteuid(), 0)
