"""The client of the tests: a missing one fails in CI, and tells everybody else what to do."""

from pathlib import Path

import pytest

from tests.claude.driver import require_client
from tools import claude_client
from tools.claude_client import ClientMissingError, find_client


def test_a_client_that_is_named_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSENT_CLAUDE_CLIENT", "/bin/sh")

    assert find_client() == Path("/bin/sh")


def test_a_client_that_cannot_run_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSENT_CLAUDE_CLIENT", "/nonexistent")

    with pytest.raises(ClientMissingError, match=r"is not a program; run `python tools/claude_client.py`"):
        find_client()


def test_a_client_in_the_cache_is_not_downloaded_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ASSENT_CLAUDE_CLIENT", raising=False)
    monkeypatch.setattr(claude_client, "CACHE", tmp_path)
    cached = tmp_path / claude_client.WHEEL_HASHES[-1] / "claude"
    cached.parent.mkdir()
    cached.write_text("#!/bin/sh\n")

    assert find_client() == cached


def test_a_wheel_with_another_hash_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ASSENT_CLAUDE_CLIENT", raising=False)
    monkeypatch.setattr(claude_client, "CACHE", tmp_path)
    monkeypatch.setattr(claude_client, "PACKAGE", "click==8.1.8")  # small, and not the client

    with pytest.raises(ClientMissingError, match="cannot be downloaded"):
        find_client()
    assert [path.name for path in tmp_path.iterdir()] == ["lock"]


def test_a_missing_client_fails_in_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSENT_CLAUDE_CLIENT", "/nonexistent")
    monkeypatch.setenv("CI", "true")

    with pytest.raises(pytest.fail.Exception, match="is not a program"):
        require_client()


def test_a_missing_client_is_skipped_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSENT_CLAUDE_CLIENT", "/nonexistent")
    monkeypatch.delenv("CI", raising=False)

    with pytest.raises(pytest.skip.Exception, match="is not a program"):
        require_client()
