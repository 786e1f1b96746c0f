"""The hook process without a server: it decides by the project's policy, and every failure blocks the call."""

import json
import subprocess
from pathlib import Path

import pytest

from assent.cli.hook_claude import HookOptions, answer_event
from tests.cli.running import ASSENT_PROGRAM, CommandPlace

SPELLINGS = json.loads((Path(__file__).parents[1] / "claude" / "spellings.json").read_text("utf-8"))


def event(
    place: CommandPlace,
    tool: str = "Bash",
    mode: str = "default",
    kind: str = "PreToolUse",
    cwd: str = "",
    **args: object,
) -> bytes:
    fields = {
        "session_id": "s1",
        "cwd": cwd or str(place.root),
        "permission_mode": mode,
        "hook_event_name": kind,
        "tool_name": tool,
        "tool_input": args,
        "tool_use_id": "toolu_1",
    }
    return json.dumps(fields).encode()


def options(place: CommandPlace, **more: object) -> HookOptions:
    data = place.home / ".local" / "share" / "assent"
    return HookOptions(home=str(place.home), config=str(place.user), data=str(data), **more)  # type: ignore[arg-type]


def reply(place: CommandPlace, data: bytes, **more: object) -> tuple[str, str]:
    """The word and the reason of the answer."""
    said = answer_event(data, options(place, **more), {"CLAUDE_PROJECT_DIR": str(place.root)})
    assert (said.status, said.err) == (0, "")
    found = json.loads(said.out)["hookSpecificOutput"]
    return found["permissionDecision"], found["permissionDecisionReason"]


def failure(place: CommandPlace, data: bytes, environ: dict[str, str] | None = None) -> str:
    """The sentence of a blocked call."""
    found = {"CLAUDE_PROJECT_DIR": str(place.root)} if environ is None else environ
    said = answer_event(data, options(place), found)
    assert (said.status, said.out) == (2, "")
    return said.err


def test_reads_run_and_other_calls_ask(place: CommandPlace) -> None:
    assert reply(place, event(place, command="ls")) == ("allow", "Assent allows this: it only reads")
    assert reply(place, event(place, command="make")) == (
        "ask",
        "Assent asks: default mode asks before running commands",
    )


def test_rules_of_the_user_decide(place: CommandPlace) -> None:
    place.write_user_file('allow = ["Bash(npm test)"]\ndeny = ["Bash(touch *)"]\n')

    assert reply(place, event(place, command="npm test"))[0] == "allow"
    assert reply(place, event(place, command="touch a"))[0] == "deny"
    assert reply(place, event(place, command="touch a"))[1].startswith(
        "Assent denies this: deny rule `Bash(touch *)`"
    )


@pytest.mark.supports("T-12")
def test_the_rules_of_an_untrusted_project_only_tighten(place: CommandPlace) -> None:
    place.write_file(".assent/config.toml", 'allow = ["Bash(npm test)"]\ndeny = ["Bash(touch *)"]\n')

    assert reply(place, event(place, command="npm test"))[0] == "ask"
    assert reply(place, event(place, command="touch a"))[0] == "deny"


def test_a_trusted_file_may_allow_until_it_changes(place: CommandPlace) -> None:
    place.write_file(".assent/config.toml", 'allow = ["Bash(npm test)"]\n')
    place.run_at_terminal("config", "trust", typed="y\ny\n")

    assert reply(place, event(place, command="npm test"))[0] == "allow"
    place.write_file(".assent/config.toml", 'allow = ["Bash(npm test)", "Bash(make)"]\n')
    assert reply(place, event(place, command="npm test"))[0] == "ask"


@pytest.mark.parametrize(
    ("mode", "word"),
    [
        ("default", "ask"),
        ("acceptEdits", "allow"),
        ("bypassPermissions", "allow"),
        ("auto", "allow"),
        ("plan", "deny"),
        ("dontAsk", "deny"),
        ("new", "ask"),
    ],
)
def test_the_clients_mode_counts_for_edits(place: CommandPlace, mode: str, word: str) -> None:
    file = str(place.root / "a.txt")

    assert reply(place, event(place, "Write", mode, file_path=file, content="x"))[0] == word


@pytest.mark.parametrize("mode", ["bypassPermissions", "auto", "acceptEdits"])
def test_no_mode_of_the_client_lets_commands_run(place: CommandPlace, mode: str) -> None:
    assert reply(place, event(place, mode=mode, command="make"))[0] == "ask"


def test_a_mode_in_a_policy_file_lowers_the_ceiling_and_never_raises_it(place: CommandPlace) -> None:
    file = str(place.root / "a.txt")
    place.write_user_file('mode = "default"\n')
    assert reply(place, event(place, "Write", "acceptEdits", file_path=file, content="x"))[0] == "ask"
    place.write_user_file('mode = "auto"\n')
    assert reply(place, event(place, mode="bypassPermissions", command="make"))[0] == "ask"


def test_the_ceiling_of_the_installation_counts(place: CommandPlace) -> None:
    file = str(place.root / "a.txt")
    data = event(place, "Write", "acceptEdits", file_path=file, content="x")

    assert reply(place, data, ceiling="default")[0] == "ask"
    assert reply(place, event(place, mode="auto", command="make"), ceiling="auto")[0] == "ask"


def test_the_project_is_not_where_the_model_changed_to(place: CommandPlace, tmp_path: Path) -> None:
    place.write_file(".assent/config.toml", 'deny = ["Bash(touch *)"]\n')
    other = tmp_path / "other"
    other.mkdir()

    assert reply(place, event(place, cwd=str(other), command="touch a"))[0] == "deny"


def test_relative_paths_start_where_the_model_changed_to(place: CommandPlace, tmp_path: Path) -> None:
    inside = event(
        place, mode="acceptEdits", tool="Write", cwd=str(place.root / "src"), file_path="a", content=""
    )
    outside = event(place, mode="acceptEdits", tool="Write", cwd=str(tmp_path), file_path="a", content="")

    assert (reply(place, inside)[0], reply(place, outside)[0]) == ("allow", "ask")


def test_an_unknown_tool_is_the_clients_question(place: CommandPlace) -> None:
    place.write_user_file('deny = ["mcp__mail__delete"]\n')

    assert reply(place, event(place, "mcp__mail__send"))[0] == "ask"
    assert "does not know the tool `mcp__mail__send`" in reply(place, event(place, "mcp__mail__send"))[1]
    assert reply(place, event(place, "mcp__mail__delete"))[0] == "deny"
    assert reply(place, event(place, "mcp__mail__send", "plan"))[0] == "deny"
    assert reply(place, event(place, "mcp__mail__send", "dontAsk"))[0] == "deny"


def test_rules_for_the_shell_also_apply_to_a_monitor(place: CommandPlace) -> None:
    place.write_user_file('allow = ["Monitor"]\ndeny = ["Bash(touch *)"]\n')

    assert reply(place, event(place, "Monitor", command="touch a"))[0] == "deny"
    assert reply(place, event(place, "Monitor", command="make"))[0] == "ask"
    assert reply(place, event(place, "Monitor", command="ls"))[0] == "allow"


@pytest.mark.parametrize("text", SPELLINGS)
def test_no_spelling_of_a_denied_command_runs(place: CommandPlace, text: str) -> None:
    place.write_user_file('allow = ["Bash"]\ndeny = ["Bash(touch *)"]\n')

    assert reply(place, event(place, command=text.replace("@", "denied")))[0] in ("deny", "ask")


def test_there_are_at_least_a_hundred_spellings() -> None:
    assert len(set(SPELLINGS)) >= 100


def test_the_clients_plan_is_left_to_the_client(place: CommandPlace) -> None:
    plan = str(place.home / ".claude" / "plans" / "calm-fox.md")
    said = answer_event(
        event(place, "Write", "plan", file_path=plan, content="x"),
        options(place),
        {"CLAUDE_PROJECT_DIR": str(place.root)},
    )

    assert (said.status, said.out, said.err) == (0, "", "")


def test_a_deny_rule_also_covers_the_clients_plan(place: CommandPlace) -> None:
    place.write_user_file('deny = ["Write"]\n')
    plan = str(place.home / ".claude" / "plans" / "calm-fox.md")

    assert reply(place, event(place, "Write", "plan", file_path=plan, content="x"))[0] == "deny"


@pytest.mark.parametrize("kind", ["PostToolUse", "PostToolUseFailure", "SessionStart", "SessionEnd"])
def test_events_that_only_report_get_no_decision(place: CommandPlace, kind: str) -> None:
    said = answer_event(event(place, kind=kind, command="ls"), options(place), {})

    assert (said.status, said.out, said.err) == (0, "", "")


def test_a_call_that_rules_allow_does_not_pass_the_clients_own_checks(place: CommandPlace) -> None:
    place.write_user_file('allow = ["Bash(make)"]\ndeny = ["Bash(touch *)"]\n')
    environ = {"CLAUDE_PROJECT_DIR": str(place.root)}

    eased = answer_event(event(place, kind="PermissionRequest", command="make"), options(place), environ)
    denied = answer_event(event(place, kind="PermissionRequest", command="touch a"), options(place), environ)

    assert (eased.status, eased.out) == (0, "")
    assert json.loads(denied.out)["hookSpecificOutput"]["decision"]["behavior"] == "deny"


def test_what_was_decided_is_recorded(place: CommandPlace) -> None:
    reply(place, event(place, command="ls"))
    reply(place, event(place, command="make"), record_commands=True)

    told = json.loads(place.run("history", "--json").out)
    assert [(each["tool"], each["verdict"], each["stage"], each.get("command")) for each in told] == [
        ("Bash", "run", "read", None),
        ("Bash", "ask", "mode", "make"),
    ]


def test_a_record_that_cannot_be_written_changes_no_verdict(place: CommandPlace) -> None:
    (place.home / ".local" / "share").mkdir(parents=True)
    (place.home / ".local" / "share" / "assent").write_text("a file in place of the directory")

    said = answer_event(event(place, command="ls"), options(place), {"CLAUDE_PROJECT_DIR": str(place.root)})

    assert (said.status, '"allow"' in said.out) == (0, True)
    assert said.err.startswith("assent: the call was decided, but not recorded: ")


@pytest.mark.parametrize("environ", [{}, {"CLAUDE_PROJECT_DIR": "here"}])
def test_without_a_project_nothing_runs(place: CommandPlace, environ: dict[str, str]) -> None:
    assert "CLAUDE_PROJECT_DIR is not an absolute path" in failure(place, event(place, command="ls"), environ)


@pytest.mark.supports("R-13")
def test_a_policy_file_with_a_mistake_blocks_and_is_named(place: CommandPlace) -> None:
    place.write_file(".assent/config.toml", 'deny = ["Bash(touch *"]\n')

    assert "config.toml, line 1" in failure(place, event(place, command="ls"))


def test_a_policy_file_of_another_user_blocks(place: CommandPlace) -> None:
    place.write_user_file("", mode=0o666)

    assert "other users may write" in failure(place, event(place, command="ls"))


def test_a_failure_inside_blocks(place: CommandPlace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assent.cli.hook_claude.build_decider", None)

    assert "it could not be decided (TypeError" in failure(place, event(place, command="ls"))


def test_variables_that_a_repository_may_set_do_not_move_the_policy(
    place: CommandPlace, tmp_path: Path
) -> None:
    place.write_user_file('deny = ["Bash(touch *)"]\n')
    said = answer_event(
        event(place, command="touch a"),
        options(place),
        {"CLAUDE_PROJECT_DIR": str(place.root), "XDG_CONFIG_HOME": str(tmp_path), "ASSENT_MODE": "auto"},
    )

    assert '"deny"' in said.out


@pytest.mark.parametrize(
    ("stdin", "sentence"),
    [(b"", "is not JSON"), (b"x" * 10_000_001, "larger than 10000000 bytes"), (b"{}", "is unknown")],
    ids=["empty", "large", "no event"],
)
def test_the_process_ends_with_status_2_and_one_sentence(
    place: CommandPlace, stdin: bytes, sentence: str
) -> None:
    run = place.run("hook", "claude", "--local", stdin=stdin)

    assert (run.status, run.out) == (2, "")
    assert (sentence in run.err, run.err.count("\n")) == (True, 1)


def test_an_option_that_is_not_known_blocks(place: CommandPlace) -> None:
    assert place.run("hook", "claude", "--server", stdin=event(place, command="ls")).status == 2


def test_the_process_answers_an_event(place: CommandPlace) -> None:
    run = place.run(
        "hook", "claude", "--local", stdin=event(place, command="ls"), CLAUDE_PROJECT_DIR=str(place.root)
    )

    assert (run.status, '"permissionDecision": "allow"' in run.out) == (0, True)


def test_a_closed_output_blocks(place: CommandPlace) -> None:
    run = subprocess.run(
        ["sh", "-c", '"$0" hook claude --local >&-', ASSENT_PROGRAM],
        input=event(place, command="ls"),
        capture_output=True,
        env=place.environment(CLAUDE_PROJECT_DIR=str(place.root)),
        check=False,
    )

    assert run.returncode == 2
