"""The local record: private, bounded, and without arguments unless the person wants commands."""

import os
from pathlib import Path

import pytest

from assent.engine.base.reason import text_reason
from assent.engine.policy.verdict import Decision, Stage, Verdict
from assent.hosts.hook import history
from assent.hosts.hook.claude import HookEvent, HookEventKind
from assent.hosts.hook.history import (
    FILE_NAME,
    append_history_entry,
    build_history_entry,
    read_history_entries,
)

EVENT = HookEvent(
    kind=HookEventKind.PRE_TOOL_USE,
    session="s1",
    cwd="/project",
    permission_mode="default",
    tool="Bash",
    args={"command": "touch secret"},
    call_id="t1",
    agent_type="Explore",
)
DENIED = Decision(
    verdict=Verdict.DENY,
    stage=Stage.DENY_RULE,
    reason=text_reason("deny rule"),
    steps=(),
    rule="Bash(touch *)",
)


def test_an_entry_has_the_tool_the_verdict_and_the_rule_but_no_arguments() -> None:
    entry = build_history_entry(EVENT, DENIED, "/project", with_command=False)

    assert {name: value for name, value in entry.to_json().items() if name != "at"} == {
        "project": "/project",
        "session": "s1",
        "agent": "Explore",
        "tool": "Bash",
        "verdict": "deny",
        "stage": "deny-rule",
        "rule": "Bash(touch *)",
        "mode": "default",
    }


def test_commands_are_kept_on_request() -> None:
    assert build_history_entry(EVENT, DENIED, "/project", with_command=True).command == "touch secret"


def test_the_file_is_private_and_read_back_in_order(tmp_path: Path) -> None:
    directory = tmp_path / "data"
    entries = [
        build_history_entry(EVENT, DENIED, f"/project{number}", with_command=True) for number in range(3)
    ]
    for entry in entries:
        append_history_entry(str(directory), entry)

    assert list(read_history_entries(str(directory))) == entries
    assert ((directory / FILE_NAME).stat().st_mode & 0o777, directory.stat().st_mode & 0o777) == (
        0o600,
        0o700,
    )


def test_the_record_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "MAX_BYTES", 2_000)
    entry = build_history_entry(EVENT, DENIED, "/project", with_command=False)
    for _ in range(100):
        append_history_entry(str(tmp_path), entry)

    assert sorted(os.listdir(tmp_path)) == [FILE_NAME, f"{FILE_NAME}.1"]
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) < 5_000
    assert 10 < len(list(read_history_entries(str(tmp_path)))) < 30


def test_a_damaged_line_is_left_out(tmp_path: Path) -> None:
    entry = build_history_entry(EVENT, DENIED, "/project", with_command=False)
    append_history_entry(str(tmp_path), entry)
    with (tmp_path / FILE_NAME).open("a") as file:
        file.write('{"at": "2026\n[]\n')
    append_history_entry(str(tmp_path), entry)

    assert list(read_history_entries(str(tmp_path))) == [entry, entry]


def test_a_link_in_place_of_the_file_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).symlink_to(tmp_path / "elsewhere")

    with pytest.raises(OSError, match="symbolic"):
        append_history_entry(
            str(tmp_path), build_history_entry(EVENT, DENIED, "/project", with_command=False)
        )
