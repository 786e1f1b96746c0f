"""Every fault of the file system while facts are collected makes the call ask."""

import builtins
import errno
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assent.config import git_code, tree_walk
from assent.config.findings import make_searches
from assent.config.made_paths import MadePaths
from assent.config.tools import KNOWN_TOOLS
from assent.config.workspace import directories_on_disk, gather_facts
from assent.engine.base.tool import Call
from assent.engine.decide import decide, paths_to_resolve, searches_to_make
from assent.engine.policy.modes import Mode
from assent.engine.policy.rule import RuleList, parse_rule
from assent.engine.policy.snapshot import build_snapshot
from assent.engine.policy.verdict import Verdict
from assent.engine.programs.packs import PACKS

POLICY = build_snapshot(KNOWN_TOOLS, mode=Mode.ACCEPT_EDITS)
WITH_PACK = build_snapshot(KNOWN_TOOLS, rules={RuleList.ALLOW: [parse_rule("Bash(@git)")]}, mode=Mode.DEFAULT)
PATCHED = ((os, "stat"), (os, "lstat"), (os, "open"), (os, "scandir"), (os, "readlink"), (builtins, "open"))
LINES = (
    "git status",
    "git commit -m a",
    "git add src",
    "yarn --version",
    "grep -R x src",
    "grep -r x .",
    "cat *",
    "ls | xargs cat",
    "git ls-files | xargs cat",
    "sed -i s/a/b/ README.md",
    "cp README.md b",
    "cat src/a.py",
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "work"
    for name in ("src/a.py", "README.md", ".yarnrc.yml"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("a: b\n", "utf-8")
    for words in (("init", "-q"), ("add", "-A")):
        subprocess.run(["git", *words], cwd=root, check=True)
    return root


class Fault:
    """Lets the n-th access to a path below a directory fail."""

    def __init__(self, root: Path, number: int, error: int) -> None:
        self._root, self._number, self._error = str(root), number, error
        self.count = 0
        self.is_hit = False

    def wrap(self, function: Callable[..., object]) -> Callable[..., object]:
        def access(*args: Any, **options: Any) -> object:
            path = args[0] if args else None
            if isinstance(path, str | Path) and str(path).startswith(self._root):
                self.count += 1
                if self.count == self._number:
                    self.is_hit = True
                    raise OSError(self._error, "injected", path)
            return function(*args, **options)

        return access


def verdict_with(fault: Fault, line: str, root: Path) -> Verdict:
    directories = directories_on_disk(str(root), [str(root)], "")
    call = Call(tool="Bash", args={"command": line})
    policy = WITH_PACK if "commit" in line else POLICY
    paths = paths_to_resolve(call, policy, directories)
    # The pack of Git has a search of its own; the others do not matter for it.
    own = PACKS["git"].git_settings if "commit" in line else ""
    searches = [one for one in searches_to_make(call, policy, directories) if own in one.search.settings]
    git_code._read_submodules_once.cache_clear()  # pyright: ignore[reportPrivateUsage]
    tree_walk._known.clear()  # pyright: ignore[reportPrivateUsage]
    with pytest.MonkeyPatch.context() as patch:
        for module, name in PATCHED:
            patch.setattr(module, name, fault.wrap(getattr(module, name)))
        findings = make_searches(directories, searches, {})
        facts = gather_facts(directories, paths, trusts=lambda _: False, findings=findings)
    return decide(call, policy, facts).verdict


@pytest.mark.proves("T-32")
@pytest.mark.parametrize("error", [errno.EIO, errno.EACCES], ids=["EIO", "EACCES"])
@pytest.mark.parametrize("line", LINES)
def test_every_fault_makes_the_call_ask(root: Path, line: str, error: int) -> None:
    whole = Fault(root, 0, error)
    assert verdict_with(whole, line, root) is Verdict.RUN

    faults = [Fault(root, number, error) for number in range(1, whole.count + 1)]
    verdicts = [verdict_with(fault, line, root) for fault in faults]
    hit = [number for number, fault in enumerate(faults) if fault.is_hit]

    assert hit != []
    assert [number for number in hit if verdicts[number] is Verdict.RUN] == []


def test_a_path_that_cannot_be_checked_is_not_noted_as_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, call = MadePaths(), Call(tool="Bash", args={}, conversation="c")
    path = tmp_path / "a"

    fault = Fault(tmp_path, 1, errno.EIO)
    with monkeypatch.context() as patch:
        patch.setattr(os, "lstat", fault.wrap(os.lstat))
        made.note(call, [str(path)])
    path.write_text("x", "utf-8")

    assert made.existing(call) == ()
