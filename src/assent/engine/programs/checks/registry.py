"""The programs a flag list cannot describe: each has a function that reads its words.

A function gets the words after the program, or after its sub-command, and returns the files it
would read; None when it might do more than read.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import cast

from assent.engine.late import late
from assent.engine.programs.word import Word

Check = Callable[[tuple[Word, ...]], tuple[Word, ...] | None]

_IN = {
    "archive": ("ar", "jar", "tar", "unpack"),
    "awk": ("awk",),
    "builds": (
        "plain names",
        "registry names",
        "python versions",
        "locked",
        "go list",
        "no versions",
        "rpm",
        "pacman",
    ),
    "builtins": (
        "text",
        "numbers",
        "jobs",
        "kill",
        "printf",
        "set",
        "syntax",
        "read",
        "mapfile",
        "printenv",
        "envsubst",
        "condition",
    ),
    "cloud": (
        "kubectl get",
        "kubectl",
        "compose",
        "helm show",
        "helm template",
        "aws",
        "gcloud",
        "az",
    ),
    "code_hosts": ("gh", "glab", "gh api", "glab api", "no address"),
    "find": ("find",),
    "git": (
        "git settings",
        "git log",
        "git shortlog",
        "git rev-list",
        "git diff",
        "git diff-tree",
        "git blame",
        "git grep",
        "git ls-files",
        "git cat-file",
        "git stash show",
        "git branch",
        "git tag",
        "git remote show",
        "git for-each-ref",
        "git config",
        "git reflog",
    ),
    "jq": ("jq", "yq"),
    "sed": ("sed",),
    "system": (
        "date",
        "service",
        "sysctl",
        "ps",
        "no hosts after @",
        "no host names",
        "no archives",
        "no cache",
        "no commands",
        "no files",
        "no commas",
        "no formats",
    ),
}
HOMES = {check: module for module, checks in _IN.items() for check in checks}
"""The module in whose `CHECKS` each of them stands, which is loaded with the first line that needs it."""


@cache
def named(name: str) -> Check:
    """The function of this name."""
    return cast("Mapping[str, Check]", late(f"programs.checks.{HOMES[name]}", "CHECKS"))[name]
