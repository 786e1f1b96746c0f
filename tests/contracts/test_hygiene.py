"""No file names a machine of a developer or a package registry."""

import re

from tests.contracts.tree import ROOT, relative_name, tracked_files

# Each pattern has brackets, so that it does not match itself in this file.
REGISTRY_HOSTS = r"pypi[.]org|pythonhosted[.]org|npmjs[.]org|yarnpkg[.]com"
MACHINE_PATHS = r"/work[/](?:main|shared)|/opt[/](?:pypi|wheels)|/root[/][.](?:pyenv|cache)|[.][.]/shared"
FORBIDDEN = re.compile(f"(?:{REGISTRY_HOSTS}|{MACHINE_PATHS})")
LOCK_TEXT = (ROOT / "constraints.txt").read_text("utf-8")


def test_no_file_names_a_registry_or_a_path_of_one_machine() -> None:
    found = {
        relative_name(path): FORBIDDEN.findall(path.read_text("utf-8", errors="replace"))
        for path in tracked_files()
    }

    assert {path: words for path, words in found.items() if words} == {}


def test_every_locked_package_has_hashes() -> None:
    entries = re.split(r"^(?=[a-z0-9])", LOCK_TEXT, flags=re.MULTILINE)[1:]

    assert len(entries) > 50
    assert [entry.split()[0] for entry in entries if "--hash=sha256:" not in entry] == []


def test_the_lock_file_contains_no_urls() -> None:
    assert "://" not in LOCK_TEXT
    assert "index-url" not in LOCK_TEXT


def test_ci_only_runs_the_tests() -> None:
    lines = (ROOT / ".ci" / "run").read_text("utf-8").splitlines()

    assert lines[0].startswith("#!")
    assert lines[1:] == ['exec "$(dirname "$0")/../dev" test']
