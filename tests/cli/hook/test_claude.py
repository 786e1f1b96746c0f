"""The hook process without a server: it decides by the project's policy, and every failure blocks the call."""

import json
import subprocess
from pathlib import Path

import pytest

from assent.cli.hook.claude import HookOptions, answer_event
from tests.cli.running import ASSENT_PROGRAM, CommandSandbox

SPELLINGS = json.loads((Path(__file__).parents[2] / "claude" / "spellings.json").read_text("utf-8"))


def event_data(
    sandbox: CommandSandbox,
    tool: str = "Bash",
    mode: str = "default",
    kind: str = "PreToolUse",
    cwd: str = "",
    **args: object,
) -> bytes:
    fields = {
        "session_id": "s1",
        "cwd": cwd or str(sandbox.root),
        "permission_mode": mode,
        "hook_event_name": kind,
        "tool_name": tool,
        "tool_input": args,
        "tool_use_id": "toolu_1",
    }
    return json.dumps(fields).encode()


def hook_options(sandbox: CommandSandbox, **more: object) -> HookOptions:
    data = sandbox.home / ".local" / "share" / "assent"
    return HookOptions(home=str(sandbox.home), config=str(sandbox.user), data=str(data), **more)  # type: ignore[arg-type]


def reply_word_and_reason(sandbox: CommandSandbox, data: bytes, **more: object) -> tuple[str, str]:
    """The word and the reason of the answer."""
    said = answer_event(data, hook_options(sandbox, **more), {"CLAUDE_PROJECT_DIR": str(sandbox.root)})
    assert (said.status, said.err) == (0, "")
    found = json.loads(said.out)["hookSpecificOutput"]
    return found["permissionDecision"], found["permissionDecisionReason"]


def failure_message(sandbox: CommandSandbox, data: bytes, environ: dict[str, str] | None = None) -> str:
    """The sentence of a blocked call."""
    found = {"CLAUDE_PROJECT_DIR": str(sandbox.root)} if environ is None else environ
    said = answer_event(data, hook_options(sandbox), found)
    assert (said.status, said.out) == (2, "")
    return said.err


def test_reads_run_and_other_calls_ask(sandbox: CommandSandbox) -> None:
    assert reply_word_and_reason(sandbox, event_data(sandbox, command="ls")) == (
        "allow",
        "Assent allows this: it only reads",
    )
    assert reply_word_and_reason(sandbox, event_data(sandbox, command="make")) == (
        "ask",
        "Assent asks: `make` runs this project's code",
    )


def test_rules_of_the_user_decide(sandbox: CommandSandbox) -> None:
    sandbox.write_user_file('allow = ["Bash(npm test)"]\ndeny = ["Bash(touch *)"]\n')

    assert reply_word_and_reason(sandbox, event_data(sandbox, command="npm test"))[0] == "allow"
    assert reply_word_and_reason(sandbox, event_data(sandbox, command="touch a"))[0] == "deny"
    assert reply_word_and_reason(sandbox, event_data(sandbox, command="touch a"))[1].startswith(
        "Assent denies this: deny rule `Bash(touch *)`"
    )


@pytest.mark.supports("T-12")
def test_the_rules_of_an_untrusted_project_only_tighten(sandbox: CommandSandbox) -> None:
    sandbox.write_file(".assent/config.toml", 'allow = ["Bash(npm test)"]\ndeny = ["Bash(touch *)"]\n')

    assert reply_word_and_reason(sandbox, event_data(sandbox, command="npm test"))[0] == "ask"
    assert reply_word_and_reason(sandbox, event_data(sandbox, command="touch a"))[0] == "deny"


def test_a_trusted_file_may_allow_until_it_changes(sandbox: CommandSandbox) -> None:
    sandbox.write_file(".assent/config.toml", 'allow = ["Bash(npm test)"]\n')
    sandbox.run_at_terminal("config", "trust", typed="y\ny\n")

    assert reply_word_and_reason(sandbox, event_data(sandbox, command="npm test"))[0] == "allow"
    sandbox.write_file(".assent/config.toml", 'allow = ["Bash(npm test)", "Bash(make)"]\n')
    assert reply_word_and_reason(sandbox, event_data(sandbox, command="npm test"))[0] == "ask"


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
def test_the_clients_mode_counts_for_edits(sandbox: CommandSandbox, mode: str, word: str) -> None:
    file = str(sandbox.root / "a.txt")

    assert (
        reply_word_and_reason(sandbox, event_data(sandbox, "Write", mode, file_path=file, content="x"))[0]
        == word
    )


@pytest.mark.parametrize("mode", ["bypassPermissions", "auto", "acceptEdits"])
def test_no_mode_of_the_client_lets_commands_run(sandbox: CommandSandbox, mode: str) -> None:
    assert reply_word_and_reason(sandbox, event_data(sandbox, mode=mode, command="make"))[0] == "ask"


def test_a_mode_in_a_policy_file_lowers_the_ceiling_and_never_raises_it(sandbox: CommandSandbox) -> None:
    file = str(sandbox.root / "a.txt")
    sandbox.write_user_file('mode = "default"\n')
    assert (
        reply_word_and_reason(
            sandbox, event_data(sandbox, "Write", "acceptEdits", file_path=file, content="x")
        )[0]
        == "ask"
    )
    sandbox.write_user_file('mode = "auto"\n')
    assert (
        reply_word_and_reason(sandbox, event_data(sandbox, mode="bypassPermissions", command="make"))[0]
        == "ask"
    )


def test_the_ceiling_of_the_installation_counts(sandbox: CommandSandbox) -> None:
    file = str(sandbox.root / "a.txt")
    data = event_data(sandbox, "Write", "acceptEdits", file_path=file, content="x")

    assert reply_word_and_reason(sandbox, data, ceiling="default")[0] == "ask"
    assert (
        reply_word_and_reason(sandbox, event_data(sandbox, mode="auto", command="make"), ceiling="auto")[0]
        == "ask"
    )


def test_the_project_is_not_where_the_model_changed_to(sandbox: CommandSandbox, tmp_path: Path) -> None:
    sandbox.write_file(".assent/config.toml", 'deny = ["Bash(touch *)"]\n')
    other = tmp_path / "other"
    other.mkdir()

    assert reply_word_and_reason(sandbox, event_data(sandbox, cwd=str(other), command="touch a"))[0] == "deny"


def test_relative_paths_start_where_the_model_changed_to(sandbox: CommandSandbox, tmp_path: Path) -> None:
    inside = event_data(
        sandbox, mode="acceptEdits", tool="Write", cwd=str(sandbox.root / "src"), file_path="a", content=""
    )
    outside = event_data(
        sandbox, mode="acceptEdits", tool="Write", cwd=str(tmp_path), file_path="a", content=""
    )

    assert (reply_word_and_reason(sandbox, inside)[0], reply_word_and_reason(sandbox, outside)[0]) == (
        "allow",
        "ask",
    )


def test_an_unknown_tool_is_the_clients_question(sandbox: CommandSandbox) -> None:
    sandbox.write_user_file('deny = ["mcp__mail__delete"]\n')

    assert reply_word_and_reason(sandbox, event_data(sandbox, "mcp__mail__send"))[0] == "ask"
    assert (
        "does not know the tool `mcp__mail__send`"
        in reply_word_and_reason(sandbox, event_data(sandbox, "mcp__mail__send"))[1]
    )
    assert reply_word_and_reason(sandbox, event_data(sandbox, "mcp__mail__delete"))[0] == "deny"
    assert reply_word_and_reason(sandbox, event_data(sandbox, "mcp__mail__send", "plan"))[0] == "deny"
    assert reply_word_and_reason(sandbox, event_data(sandbox, "mcp__mail__send", "dontAsk"))[0] == "deny"


def test_rules_for_the_shell_also_apply_to_a_monitor(sandbox: CommandSandbox) -> None:
    sandbox.write_user_file('allow = ["Monitor"]\ndeny = ["Bash(touch *)"]\n')

    assert reply_word_and_reason(sandbox, event_data(sandbox, "Monitor", command="touch a"))[0] == "deny"
    assert reply_word_and_reason(sandbox, event_data(sandbox, "Monitor", command="make"))[0] == "ask"
    assert reply_word_and_reason(sandbox, event_data(sandbox, "Monitor", command="ls"))[0] == "allow"


@pytest.mark.parametrize("text", SPELLINGS)
def test_no_spelling_of_a_denied_command_runs(sandbox: CommandSandbox, text: str) -> None:
    sandbox.write_user_file('allow = ["Bash"]\ndeny = ["Bash(touch *)"]\n')

    assert reply_word_and_reason(sandbox, event_data(sandbox, command=text.replace("@", "denied")))[0] in (
        "deny",
        "ask",
    )


def test_there_are_at_least_a_hundred_spellings() -> None:
    assert len(set(SPELLINGS)) >= 100


def test_the_clients_plan_is_left_to_the_client(sandbox: CommandSandbox) -> None:
    plan = str(sandbox.home / ".claude" / "plans" / "calm-fox.md")
    said = answer_event(
        event_data(sandbox, "Write", "plan", file_path=plan, content="x"),
        hook_options(sandbox),
        {"CLAUDE_PROJECT_DIR": str(sandbox.root)},
    )

    assert (said.status, said.out, said.err) == (0, "", "")


def test_a_deny_rule_also_covers_the_clients_plan(sandbox: CommandSandbox) -> None:
    sandbox.write_user_file('deny = ["Write"]\n')
    plan = str(sandbox.home / ".claude" / "plans" / "calm-fox.md")

    assert (
        reply_word_and_reason(sandbox, event_data(sandbox, "Write", "plan", file_path=plan, content="x"))[0]
        == "deny"
    )


@pytest.mark.parametrize("kind", ["PostToolUse", "PostToolUseFailure", "SessionStart", "SessionEnd"])
def test_events_that_only_report_get_no_decision(sandbox: CommandSandbox, kind: str) -> None:
    said = answer_event(event_data(sandbox, kind=kind, command="ls"), hook_options(sandbox), {})

    assert (said.status, said.out, said.err) == (0, "", "")


def test_a_call_that_rules_allow_does_not_pass_the_clients_own_checks(sandbox: CommandSandbox) -> None:
    sandbox.write_user_file('allow = ["Bash(make)"]\ndeny = ["Bash(touch *)"]\n')
    environ = {"CLAUDE_PROJECT_DIR": str(sandbox.root)}

    eased = answer_event(
        event_data(sandbox, kind="PermissionRequest", command="make"), hook_options(sandbox), environ
    )
    denied = answer_event(
        event_data(sandbox, kind="PermissionRequest", command="touch a"), hook_options(sandbox), environ
    )

    assert (eased.status, eased.out) == (0, "")
    assert json.loads(denied.out)["hookSpecificOutput"]["decision"]["behavior"] == "deny"


def test_what_was_decided_is_recorded(sandbox: CommandSandbox) -> None:
    reply_word_and_reason(sandbox, event_data(sandbox, command="ls"))
    reply_word_and_reason(sandbox, event_data(sandbox, command="make"), record_commands=True)

    told = json.loads(sandbox.run("history", "--json").out)
    assert [(each["tool"], each["verdict"], each["stage"], each.get("command")) for each in told] == [
        ("Bash", "run", "read", None),
        ("Bash", "ask", "mode", "make"),
    ]


def test_a_record_that_cannot_be_written_changes_no_verdict(sandbox: CommandSandbox) -> None:
    (sandbox.home / ".local" / "share").mkdir(parents=True)
    (sandbox.home / ".local" / "share" / "assent").write_text("a file in place of the directory")

    said = answer_event(
        event_data(sandbox, command="ls"), hook_options(sandbox), {"CLAUDE_PROJECT_DIR": str(sandbox.root)}
    )

    assert (said.status, '"allow"' in said.out) == (0, True)
    assert said.err.startswith("assent: the call was decided, but not recorded: ")


@pytest.mark.parametrize("environ", [{}, {"CLAUDE_PROJECT_DIR": "here"}])
def test_without_a_project_nothing_runs(sandbox: CommandSandbox, environ: dict[str, str]) -> None:
    assert "CLAUDE_PROJECT_DIR is not an absolute path" in failure_message(
        sandbox, event_data(sandbox, command="ls"), environ
    )


@pytest.mark.supports("R-13")
def test_a_policy_file_with_a_mistake_blocks_and_is_named(sandbox: CommandSandbox) -> None:
    sandbox.write_file(".assent/config.toml", 'deny = ["Bash(touch *"]\n')

    assert "config.toml, line 1" in failure_message(sandbox, event_data(sandbox, command="ls"))


def test_a_policy_file_of_another_user_blocks(sandbox: CommandSandbox) -> None:
    sandbox.write_user_file("", mode=0o666)

    assert "other users may write" in failure_message(sandbox, event_data(sandbox, command="ls"))


def test_a_failure_inside_blocks(sandbox: CommandSandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assent.cli.hook.claude.build_decider", None)

    assert "it could not be decided (TypeError" in failure_message(sandbox, event_data(sandbox, command="ls"))


def test_variables_that_a_repository_may_set_do_not_move_the_policy(
    sandbox: CommandSandbox, tmp_path: Path
) -> None:
    sandbox.write_user_file('deny = ["Bash(touch *)"]\n')
    said = answer_event(
        event_data(sandbox, command="touch a"),
        hook_options(sandbox),
        {"CLAUDE_PROJECT_DIR": str(sandbox.root), "XDG_CONFIG_HOME": str(tmp_path), "ASSENT_MODE": "auto"},
    )

    assert '"deny"' in said.out


@pytest.mark.parametrize(
    ("stdin", "sentence"),
    [(b"", "is not JSON"), (b"x" * 10_000_001, "larger than 10000000 bytes"), (b"{}", "is unknown")],
    ids=["empty", "large", "no event"],
)
def test_the_process_ends_with_status_2_and_one_sentence(
    sandbox: CommandSandbox, stdin: bytes, sentence: str
) -> None:
    run = sandbox.run("hook", "claude", "--local", stdin=stdin)

    assert (run.status, run.out) == (2, "")
    assert (sentence in run.err, run.err.count("\n")) == (True, 1)


def test_an_option_that_is_not_known_blocks(sandbox: CommandSandbox) -> None:
    assert sandbox.run("hook", "claude", "--server", stdin=event_data(sandbox, command="ls")).status == 2


def test_the_process_answers_an_event(sandbox: CommandSandbox) -> None:
    run = sandbox.run(
        "hook",
        "claude",
        "--local",
        stdin=event_data(sandbox, command="ls"),
        CLAUDE_PROJECT_DIR=str(sandbox.root),
    )

    assert (run.status, '"permissionDecision": "allow"' in run.out) == (0, True)


def test_a_closed_output_blocks(sandbox: CommandSandbox) -> None:
    run = subprocess.run(
        ["sh", "-c", '"$0" hook claude --local >&-', ASSENT_PROGRAM],
        input=event_data(sandbox, command="ls"),
        capture_output=True,
        env=sandbox.environment(CLAUDE_PROJECT_DIR=str(sandbox.root)),
        check=False,
    )

    assert run.returncode == 2
