"""Git worktrees of a fleet: one for each agent, and merges that change everything or nothing.

No hook of the repository runs in any of these commands.
"""

import os
import subprocess
from collections.abc import Sequence

from assent.errors import AssentError

DIRECTORY = ".worktrees"
BRANCH_PREFIX = "agent/"
_SECONDS = 120
_SAFE = (
    "-c", f"core.hooksPath={os.devnull}", "-c", "core.fsmonitor=false", "-c", "commit.gpgSign=false",
    "-c", "core.pager=cat", "-c", "merge.verifySignatures=false", "-c", "rerere.enabled=false",
)  # fmt: skip


class Worktrees:
    """The worktrees below the root of one repository."""

    def __init__(self, repository: str) -> None:
        self.root = _run_git(repository, "rev-parse", "--show-toplevel").strip()
        if not _try_git(self.root, "rev-parse", "--verify", "--quiet", "HEAD^{commit}"):
            raise AssentError(f"the repository {self.root} has no commit; worktrees need one")

    @property
    def branch(self) -> str:
        """The branch that is checked out at the root; empty if there is none."""
        return _run_git(self.root, "symbolic-ref", "--quiet", "--short", "HEAD", check=False).strip()

    @property
    def status(self) -> str:
        """The changed files at the root, as Git shows them."""
        return _run_git(self.root, "status", "--short", "--branch")

    def path(self, agent: str) -> str:
        """The directory of an agent's worktree."""
        return os.path.join(self.root, DIRECTORY, agent)

    def add(self, agent: str) -> tuple[str, str]:
        """Create the worktree and the branch of an agent, or find them again; return both."""
        self._exclude_directory()
        path, branch = self.path(agent), f"{BRANCH_PREFIX}{agent}"
        if os.path.isdir(path):
            found = _run_git(path, "rev-parse", "--show-toplevel", check=False).strip()
            if os.path.realpath(found or "/") != os.path.realpath(path):
                raise AssentError(f"{path} exists and is no worktree; move it away")
            return path, branch
        _run_git(self.root, "worktree", "prune")
        is_known = _run_git(self.root, "branch", "--list", branch).strip() != ""
        words = (path, branch) if is_known else ("-b", branch, path)
        _run_git(self.root, "worktree", "add", "--quiet", *words)
        return path, branch

    def remove(self, agent: str) -> bool:
        """Remove the worktree of an agent, but not its branch; a worktree with uncommitted changes stays."""
        path = self.path(agent)
        if not os.path.isdir(path):
            return True
        return _try_git(self.root, "worktree", "remove", path)

    def merge(self, agent: str, target: str, message: str) -> str:
        """Merge the branch of an agent into the branch at the root; return the new commit.

        The root must have this branch checked out and no changes; a conflict changes nothing.
        """
        branch = f"{BRANCH_PREFIX}{agent}"
        if not _run_git(self.root, "branch", "--list", branch).strip():
            raise AssentError(f"there is no branch `{branch}`")
        if self.branch != target:
            raise AssentError(f"`{self.branch or 'no branch'}` is checked out, not `{target}`")
        if _run_git(self.root, "status", "--porcelain", "--untracked-files=no").strip():
            raise AssentError("there are changes that are not committed; nothing was merged")
        before = _run_git(self.root, "rev-parse", "HEAD").strip()
        command = ("merge", "--no-ff", "--no-verify", "--no-edit", "-m", message, branch)
        if not _try_git(self.root, *command):
            conflicts = _run_git(self.root, "diff", "--name-only", "--diff-filter=U", check=False).split()
            _try_git(self.root, "merge", "--abort")
            if _run_git(self.root, "rev-parse", "HEAD").strip() != before:
                raise AssertionError(before)
            names = ", ".join(conflicts) or "Git gave no reason"
            raise AssentError(f"`{branch}` conflicts with `{target}` ({names}); nothing was merged")
        return _run_git(self.root, "rev-parse", "HEAD").strip()

    def _exclude_directory(self) -> None:
        """Keep the worktrees out of `git status`; the file is not part of the repository."""
        path = _run_git(self.root, "rev-parse", "--git-path", "info/exclude").strip()
        path = os.path.join(self.root, path)
        line = f"/{DIRECTORY}/"
        try:
            with open(path, encoding="utf-8") as file:
                if line in file.read().splitlines():
                    return
        except FileNotFoundError:
            os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "a", encoding="utf-8") as file:
            file.write(f"{line}\n")


def _run_git(directory: str, *words: str, check: bool = True) -> str:
    run = _start_git(directory, words)
    if check and run.returncode:
        reason = (run.stderr.strip() or f"exit status {run.returncode}").splitlines()[-1]
        raise AssentError(f"git {words[0]} failed in {directory}: {reason}")
    return run.stdout if run.returncode == 0 else ""


def _try_git(directory: str, *words: str) -> bool:
    return _start_git(directory, words).returncode == 0


def _start_git(directory: str, words: Sequence[str]) -> "subprocess.CompletedProcess[str]":
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        return subprocess.run(  # noqa: S603 - the words are ours
            ["git", *_SAFE, *words],  # noqa: S607 - the user's git
            cwd=directory,
            env={**environment, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=_SECONDS,
        )
    except FileNotFoundError:
        raise AssentError("git is not installed, or the directory is gone") from None
    except subprocess.TimeoutExpired:
        raise AssentError(f"git {words[0]} gave no answer within {_SECONDS} s") from None
