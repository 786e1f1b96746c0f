"""`assent hook install`, `uninstall` and `status`: changes are shown first and reversible, and disabled hooks are reported."""

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.running import ASSENT_PROGRAM, CommandSandbox


def settings_path(sandbox: CommandSandbox) -> Path:
    return sandbox.home / ".claude" / "settings.json"


def write_settings(sandbox: CommandSandbox, text: str) -> None:
    settings_path(sandbox).parent.mkdir(exist_ok=True)
    settings_path(sandbox).write_text(text, "utf-8")


def hook_commands(path: Path) -> list[str]:
    groups = json.loads(path.read_text("utf-8"))["hooks"]["PreToolUse"]
    return [hook["command"] for group in groups for hook in group["hooks"]]


def test_install_shows_the_change_and_keeps_a_backup(sandbox: CommandSandbox) -> None:
    write_settings(sandbox, '{\n    "model": "opus"\n}\n')

    done = sandbox.run("hook", "install", "--local", "--yes")

    assert done.status == 0
    assert '+    "hooks": {' in done.out
    assert "The mode that you choose in Claude Code applies, up to accept_edits." in done.out
    assert "the hook answers; it takes effect in the next session of Claude Code" in done.out
    (backup,) = settings_path(sandbox).parent.glob("settings.json.backup-*")
    assert backup.read_text("utf-8") == '{\n    "model": "opus"\n}\n'
    assert json.loads(settings_path(sandbox).read_text("utf-8"))["model"] == "opus"
    (command,) = hook_commands(settings_path(sandbox))
    assert " || { echo 'assent: this call is blocked" in command


def test_install_twice_changes_nothing(sandbox: CommandSandbox) -> None:
    sandbox.run("hook", "install", "--yes")
    before = settings_path(sandbox).read_text("utf-8")

    again = sandbox.run("hook", "install")

    assert (again.status, "the hook is installed already" in again.out) == (0, True)
    assert settings_path(sandbox).read_text("utf-8") == before
    assert list(settings_path(sandbox).parent.glob("*.backup-*")) == []


def test_without_a_terminal_and_without_yes_nothing_changes(sandbox: CommandSandbox) -> None:
    refused = sandbox.run("hook", "install")

    assert (refused.status, refused.err) == (
        2,
        "assent: nothing was changed: confirm at a terminal, or add --yes\n",
    )
    assert not settings_path(sandbox).exists()


@pytest.mark.parametrize(("typed", "installed"), [("y\n", True), ("n\n", False), ("\n", False)])
def test_a_person_confirms_at_a_terminal(sandbox: CommandSandbox, typed: str, installed: bool) -> None:
    sandbox.run_at_terminal("hook", "install", typed=typed)

    assert settings_path(sandbox).exists() is installed


def test_a_settings_file_that_is_not_json_stays_as_it_is(sandbox: CommandSandbox) -> None:
    text = '{\n  // mine\n  "model": "opus"\n}\n'
    write_settings(sandbox, text)

    refused = sandbox.run("hook", "install", "--yes")

    assert refused.status == 2
    assert (
        "settings.json` is not JSON: expecting property name enclosed in double quotes at line 2"
        in refused.err
    )
    assert settings_path(sandbox).read_text("utf-8") == text
    assert list(settings_path(sandbox).parent.iterdir()) == [settings_path(sandbox)]


def test_a_linked_settings_file_stays_a_link(sandbox: CommandSandbox) -> None:
    real = sandbox.write_file("dotfiles/settings.json", "{}")
    settings_path(sandbox).parent.mkdir()
    settings_path(sandbox).symlink_to(real)

    sandbox.run("hook", "install", "--yes")

    assert settings_path(sandbox).is_symlink()
    assert len(hook_commands(real)) == 1


def test_uninstall_gives_the_settings_from_before(sandbox: CommandSandbox) -> None:
    write_settings(sandbox, '{\n  "model": "opus",\n  "hooks": {\n    "Stop": []\n  }\n}\n')
    before = settings_path(sandbox).read_text("utf-8")
    sandbox.run("hook", "install", "--yes")

    done = sandbox.run("hook", "uninstall", "--yes")

    assert (done.status, '-    "PreToolUse": [' in done.out) == (0, True)
    assert settings_path(sandbox).read_text("utf-8") == before
    assert "there is no hook of Assent" in sandbox.run("hook", "uninstall", "--yes").out


def test_a_project_gets_a_command_that_works_for_everybody(sandbox: CommandSandbox) -> None:
    path = sandbox.environment()["PATH"]
    done = sandbox.run("hook", "install", "--project", "--yes", PATH=f"{Path(ASSENT_PROGRAM).parent}:{path}")

    assert done.status == 0
    (command,) = hook_commands(sandbox.root / ".claude" / "settings.json")
    assert command.startswith("assent hook claude --local || { echo ")
    assert not settings_path(sandbox).exists()


def test_a_hook_that_gives_no_answer_is_not_installed(sandbox: CommandSandbox) -> None:
    refused = sandbox.run("hook", "install", "--project", "--yes", PATH="/usr/bin:/bin")

    assert (refused.status, "the hook gives no valid answer" in refused.err) == (2, True)
    assert not (sandbox.root / ".claude").exists()


def test_user_and_project_exclude_each_other(sandbox: CommandSandbox) -> None:
    assert (
        sandbox.run("hook", "install", "--user", "--project").err
        == "assent: give one of --user, --project and --managed\n"
    )


def test_status_before_and_after_the_installation(sandbox: CommandSandbox) -> None:
    before = sandbox.run("hook", "status")
    sandbox.run("hook", "install", "--yes")
    after = sandbox.run("hook", "status")

    assert (before.status, before.lines) == (
        1,
        ["problem: the hook is not installed; run `assent hook install`"],
    )
    assert (after.status, after.lines) == (
        0,
        [
            f"installed in {settings_path(sandbox)}",
            "the mode chosen in Claude Code applies, up to accept_edits",
            "each tool call of Claude Code in this project is decided by Assent",
        ],
    )


@pytest.mark.parametrize("name", ["settings.json", "settings.local.json"])
def test_status_names_a_file_of_the_project_that_disables_hooks(sandbox: CommandSandbox, name: str) -> None:
    sandbox.run("hook", "install", "--yes")
    file = sandbox.write_file(f".claude/{name}", '{"disableAllHooks": true}')

    told = sandbox.run("hook", "status")

    assert (told.status, told.lines[-1]) == (
        1,
        f"problem: {file} has `disableAllHooks`, so Claude Code does not run the hook in this project; "
        "remove that line",
    )


@pytest.mark.parametrize(("value", "told"), [("1", True), ("true", True), ("0", False), ("", False)])
def test_status_names_a_variable_because_of_which_the_client_runs_no_hook(
    sandbox: CommandSandbox, value: str, told: bool
) -> None:
    sandbox.run("hook", "install", "--yes")

    done = sandbox.run("hook", "status", CLAUDE_CODE_SIMPLE=value)

    problem = "problem: the variable CLAUDE_CODE_SIMPLE is set, so Claude Code runs no hook; unset it"
    assert (done.status, problem in done.lines) == (int(told), told)


def test_status_finds_a_hook_that_does_not_answer(sandbox: CommandSandbox) -> None:
    sandbox.run("hook", "install", "--yes")
    (sandbox.home / ".local" / "share" / "assent" / "hook" / "claude.py").unlink()

    told = sandbox.run("hook", "status", "--json")

    assert told.status == 1
    (problem,) = json.loads(told.out)["problems"]
    assert problem.startswith("the hook gives no valid answer (")


def test_status_finds_a_command_that_would_let_calls_run(sandbox: CommandSandbox) -> None:
    sandbox.run("hook", "install", "--yes")
    (command,) = hook_commands(settings_path(sandbox))
    write_settings(
        sandbox, settings_path(sandbox).read_text("utf-8").replace(command, command.partition(" || ")[0])
    )

    told = sandbox.run("hook", "status")

    assert (told.status, "lets calls run if the hook fails" in told.out) == (1, True)
    sandbox.run("hook", "install", "--yes")
    assert sandbox.run("hook", "status").status == 0


def test_status_reports_a_file_that_cannot_be_read(sandbox: CommandSandbox) -> None:
    sandbox.run("hook", "install", "--yes")
    sandbox.write_file(".claude/settings.json", "{")

    assert "is not JSON" in sandbox.run("hook", "status").out


def test_status_names_the_mistake_in_a_policy_file_that_blocks_each_call(sandbox: CommandSandbox) -> None:
    sandbox.run("hook", "install", "--yes")
    file = sandbox.write_user_file('deny = ["Bash("]\n')

    told = sandbox.run("hook", "status")
    found = json.loads(sandbox.run("hook", "status", "--json").out)

    mistake = f"invalid rule `Bash(` in {file}, line 1: expected `Tool` or `Tool(specifier)`"
    assert (told.status, told.lines[:2]) == (
        1,
        [f"installed in {settings_path(sandbox)}", f"problem: each call is blocked: {mistake}"],
    )
    assert (found["ceiling"], found["problems"][0]) == (None, f"each call is blocked: {mistake}")


def test_a_mode_in_a_policy_file_is_the_ceiling_that_is_shown(sandbox: CommandSandbox) -> None:
    sandbox.write_user_file('mode = "default"\n')

    assert "applies, up to default" in sandbox.run("hook", "install", "--yes").out


def test_commands_are_recorded_on_request(sandbox: CommandSandbox) -> None:
    sandbox.run("hook", "install", "--yes", "--record-commands")

    launcher = sandbox.home / ".local" / "share" / "assent" / "hook" / "claude.py"
    assert "record_commands=True" in launcher.read_text("utf-8")
    assert launcher.stat().st_mode & 0o777 == 0o600


def test_a_home_with_blanks_in_its_name_works(sandbox: CommandSandbox) -> None:
    sandbox.home = Path(shutil.move(sandbox.home, sandbox.home.with_name("a home; it's")))

    assert sandbox.run("hook", "install", "--yes").status == 0
    assert sandbox.run("hook", "status").status == 0


def test_the_test_event_is_not_in_the_history(sandbox: CommandSandbox) -> None:
    sandbox.run("hook", "install", "--yes")

    assert sandbox.run("history", "--json").out == "[]\n"
