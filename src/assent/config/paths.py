"""Where the files of each layer are, for one directory and one person."""

import os
from collections.abc import Mapping

from assent.engine.value import Value

MANAGED_DIRECTORY = "/etc/assent"
NO_HOME = "/nonexistent"
"""Where nobody's files are, for a person without a home."""


class ConfigPaths(Value):
    """The root of the workspace and every file that may say something about it."""

    root: str
    cwd: str
    home: str
    managed: str
    """The administrator's directory."""
    user: str
    """The person's own directory of settings."""
    data: str
    """Where Assent keeps what it remembers for this person."""

    @property
    def managed_file(self) -> str:
        """The administrator's policy."""
        return os.path.join(self.managed, "config.toml")

    @property
    def user_file(self) -> str:
        """The person's own policy."""
        return os.path.join(self.user, "config.toml")

    @property
    def project_file(self) -> str:
        """The repository's policy, shared by all who work on it."""
        return os.path.join(self.root, ".assent", "config.toml")

    @property
    def local_file(self) -> str:
        """The person's own policy for this repository."""
        return os.path.join(self.root, ".assent", "config.local.toml")

    @property
    def trust_file(self) -> str:
        """What this person has trusted."""
        return os.path.join(self.data, "trust.json")

    @property
    def claude_files(self) -> tuple[str, str, str]:
        """Claude Code's own settings: the person's, the repository's, and the local ones."""
        project = os.path.join(self.root, ".claude")
        return (
            os.path.join(self.home, ".claude", "settings.json"),
            os.path.join(project, "settings.json"),
            os.path.join(project, "settings.local.json"),
        )

    def existing_files(self) -> list[str]:
        """The policy files that exist; a link that leads nowhere exists, so that it is an error."""
        files = (self.managed_file, self.user_file, self.project_file, self.local_file)
        return [file for file in files if os.path.lexists(file)]


def find_config_paths(cwd: str, environ: Mapping[str, str]) -> ConfigPaths:
    """Everything that counts in a directory; the environment may move the person's own places."""
    home = find_home() or NO_HOME
    return ConfigPaths(
        root=find_root(cwd, home),
        cwd=cwd,
        home=home,
        managed=MANAGED_DIRECTORY,
        user=os.path.join(_base(environ, "XDG_CONFIG_HOME", home, ".config"), "assent"),
        data=os.path.join(_base(environ, "XDG_DATA_HOME", home, ".local/share"), "assent"),
    )


def find_home() -> str:
    """The home directory, or nothing; a relative one would be a directory of whatever we look at."""
    home = os.path.expanduser("~")
    return home if os.path.isabs(home) else ""


def find_root(cwd: str, home: str) -> str:
    """The repository that holds a directory, or the directory itself.

    A repository at home or above it is someone's dotfiles: taking it would make all of home the workspace.
    """
    directory = cwd
    while directory not in (home, os.path.dirname(directory)):
        if _is_marked(directory):
            return directory
        directory = os.path.dirname(directory)
        if _holds(directory, home):
            break
    return cwd


def _base(environ: Mapping[str, str], variable: str, home: str, default: str) -> str:
    """A base directory; one that is not absolute does not count."""
    said = environ.get(variable, "")
    return said if os.path.isabs(said) else os.path.join(home, default)


def _holds(directory: str, path: str) -> bool:
    return os.path.join(path, "").startswith(os.path.join(directory, ""))


def _is_marked(directory: str) -> bool:
    return any(_is_ours(os.path.join(directory, marker)) for marker in (".git", ".assent"))


def _is_ours(path: str) -> bool:
    """Whether it exists and belongs to us: what another user planted above must not widen the workspace."""
    try:
        owner = os.lstat(path).st_uid
    except OSError:
        return False
    return os.name != "posix" or owner in (os.geteuid(), 0)
