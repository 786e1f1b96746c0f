"""The bench of questions per 100 calls, on sessions that the test writes."""

import json
from pathlib import Path

import pytest

from bench.questions import first_word_allows, main, split_list_allows

_CALLS = (
    ("Bash", "command", "ls -la"),
    ("Bash", "command", "go test ./..."),
    ("Bash", "command", "ls && curl http://example.org"),
    ("Edit", "path", "/home/ana/work/a.go"),
    ("TodoWrite", "path", None),
)


def test_the_three_figures_count_questions_per_hundred_calls(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sessions = tmp_path / "sessions.jsonl"
    records = [
        {"s": 1, "root": "/home/ana/work", "cwd": "/home/ana/work", "tool": tool, key: value}
        for tool, key, value in _CALLS
    ]
    sessions.write_text("\n".join(map(json.dumps, records)), "utf-8")

    assert main(["--sessions", str(sessions)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "5 calls of 1 sessions"
    assert [line.split()[0] for line in lines[2:6]] == ["60.0", "40.0", "20.0", "20.0"]
    assert "     0  of 3 questions in default name only the mode" in lines


def test_the_projects_of_all_sessions_and_named_directories_are_registered(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sessions = tmp_path / "sessions.jsonl"
    reads = ("cat /home/ana/other/a", "cat /home/ana/notes/a", "cat /tmp/a")
    records = [
        {"s": 1, "root": "/home/ana/work", "cwd": "/home/ana/work", "tool": "Bash", "command": command}
        for command in reads
    ]
    other = {"s": 2, "root": "/home/ana/other", "cwd": "/home/ana/other", "tool": "Bash", "command": "ls"}
    sessions.write_text("\n".join(map(json.dumps, (*records, other))), "utf-8")

    assert main(["--sessions", str(sessions)]) == 0
    projects = capsys.readouterr().out.splitlines()
    assert main(["--sessions", str(sessions), "--register", "/home/ana/notes"]) == 0
    named = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in projects[4:6]] == ["75.0", "50.0"]
    assert named[5].split()[0] == "25.0"
    assert "3 registered directories" in named[5]


def test_a_list_of_first_words_allows_what_a_split_list_does_not() -> None:
    line = "ls && curl http://example.org"

    assert (first_word_allows(line), split_list_allows(line)) == (True, False)
