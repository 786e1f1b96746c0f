"""`assent history` shows what the hook decided, for this project and newest last."""

import json

from assent.hosts.hook.history import HistoryEntry, append_history_entry
from tests.cli.running import CommandSandbox


def record_call(sandbox: CommandSandbox, **changes: str) -> None:
    fields = {
        "at": "2026-03-01T12:00:00Z",
        "project": str(sandbox.root),
        "session": "s1",
        "agent": "",
        "tool": "Bash",
        "verdict": "run",
        "stage": "read",
        "rule": "",
        "mode": "default",
        **changes,
    }
    append_history_entry(str(sandbox.home / ".local" / "share" / "assent"), HistoryEntry(**fields))


def test_each_call_is_a_line_and_the_last_line_counts(sandbox: CommandSandbox) -> None:
    record_call(sandbox)
    record_call(sandbox, verdict="deny", stage="deny-rule", rule="Bash(touch *)", agent="Explore")
    record_call(sandbox, tool="Write", verdict="ask", stage="mode", command="a\x1b[2J")

    assert sandbox.run("history").lines == [
        "2026-03-01T12:00:00Z  run  Bash  read",
        "2026-03-01T12:00:00Z  deny  Bash  deny-rule `Bash(touch *)`  agent Explore",
        "2026-03-01T12:00:00Z  ask  Write(a\\u001b[2J)  mode",
        "3 calls: 1 run, 1 ask, 1 deny",
    ]


def test_other_projects_are_shown_on_request(sandbox: CommandSandbox) -> None:
    record_call(sandbox, project="/elsewhere")
    record_call(sandbox)

    assert sandbox.run("history").lines[-1] == "1 call: 1 run, 0 ask, 0 deny"
    assert sandbox.run("history", "--all").lines[-1] == "2 calls: 2 run, 0 ask, 0 deny"


def test_the_number_of_calls_can_be_limited(sandbox: CommandSandbox) -> None:
    for number in range(5):
        record_call(sandbox, session=f"s{number}")

    told = json.loads(sandbox.run("history", "--limit", "2", "--json").out)
    assert [each["session"] for each in told] == ["s3", "s4"]


def test_without_calls_it_tells_where_to_look(sandbox: CommandSandbox) -> None:
    assert sandbox.run("history").out == (
        "no calls are recorded here; `assent hook status` shows whether the hook works\n"
    )
