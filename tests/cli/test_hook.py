"""`assent hook install`, `uninstall` and `status`: shown first, reversible, and honest about what is off."""

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.running import ASSENT_PROGRAM, CommandPlace


def settings(place: CommandPlace) -> Path:
    return place.home / ".claude" / "settings.json"


def write_settings(place: CommandPlace, text: str) -> None:
    settings(place).parent.mkdir(exist_ok=True)
    settings(place).write_text(text, "utf-8")


def commands(path: Path) -> list[str]:
    groups = json.loads(path.read_text("utf-8"))["hooks"]["PreToolUse"]
    return [hook["command"] for group in groups for hook in group["hooks"]]


def test_install_shows_the_change_and_keeps_a_backup(place: CommandPlace) -> None:
    write_settings(place, '{\n    "model": "opus"\n}\n')

    done = place.run("hook", "install", "--local", "--yes")

    assert done.status == 0
    assert '+    "hooks": {' in done.out
    assert "The mode that you choose in Claude Code counts up to accept_edits." in done.out
    assert "the hook answers; it takes effect in the next session of Claude Code" in done.out
    (backup,) = settings(place).parent.glob("settings.json.backup-*")
    assert backup.read_text("utf-8") == '{\n    "model": "opus"\n}\n'
    assert json.loads(settings(place).read_text("utf-8"))["model"] == "opus"
    (command,) = commands(settings(place))
    assert " || { echo 'assent: this call is blocked" in command


def test_install_twice_changes_nothing(place: CommandPlace) -> None:
    place.run("hook", "install", "--yes")
    before = settings(place).read_text("utf-8")

    again = place.run("hook", "install")

    assert (again.status, "the hook is installed already" in again.out) == (0, True)
    assert settings(place).read_text("utf-8") == before
    assert list(settings(place).parent.glob("*.backup-*")) == []


def test_without_a_terminal_and_without_yes_nothing_changes(place: CommandPlace) -> None:
    refused = place.run("hook", "install")

    assert (refused.status, refused.err) == (
        2,
        "assent: nothing was changed: confirm at a terminal, or add --yes\n",
    )
    assert not settings(place).exists()


@pytest.mark.parametrize(("typed", "installed"), [("y\n", True), ("n\n", False), ("\n", False)])
def test_a_person_confirms_at_a_terminal(place: CommandPlace, typed: str, installed: bool) -> None:
    place.run_at_terminal("hook", "install", typed=typed)

    assert settings(place).exists() is installed


def test_a_settings_file_that_is_not_json_stays_as_it_is(place: CommandPlace) -> None:
    text = '{\n  // mine\n  "model": "opus"\n}\n'
    write_settings(place, text)

    refused = place.run("hook", "install", "--yes")

    assert refused.status == 2
    assert (
        "settings.json` is not JSON: expecting property name enclosed in double quotes at line 2"
        in refused.err
    )
    assert settings(place).read_text("utf-8") == text
    assert list(settings(place).parent.iterdir()) == [settings(place)]


def test_a_linked_settings_file_stays_a_link(place: CommandPlace) -> None:
    real = place.write_file("dotfiles/settings.json", "{}")
    settings(place).parent.mkdir()
    settings(place).symlink_to(real)

    place.run("hook", "install", "--yes")

    assert settings(place).is_symlink()
    assert len(commands(real)) == 1


def test_uninstall_gives_the_settings_from_before(place: CommandPlace) -> None:
    write_settings(place, '{\n  "model": "opus",\n  "hooks": {\n    "Stop": []\n  }\n}\n')
    before = settings(place).read_text("utf-8")
    place.run("hook", "install", "--yes")

    done = place.run("hook", "uninstall", "--yes")

    assert (done.status, '-    "PreToolUse": [' in done.out) == (0, True)
    assert settings(place).read_text("utf-8") == before
    assert "there is no hook of Assent" in place.run("hook", "uninstall", "--yes").out


def test_a_project_gets_a_command_that_works_for_everybody(place: CommandPlace) -> None:
    path = place.environment()["PATH"]
    done = place.run("hook", "install", "--project", "--yes", PATH=f"{Path(ASSENT_PROGRAM).parent}:{path}")

    assert done.status == 0
    (command,) = commands(place.root / ".claude" / "settings.json")
    assert command.startswith("assent hook claude --local || { echo ")
    assert not settings(place).exists()


def test_a_hook_that_gives_no_answer_is_not_installed(place: CommandPlace) -> None:
    refused = place.run("hook", "install", "--project", "--yes", PATH="/usr/bin:/bin")

    assert (refused.status, "the hook gives no valid answer" in refused.err) == (2, True)
    assert not (place.root / ".claude").exists()


def test_user_and_project_exclude_each_other(place: CommandPlace) -> None:
    assert (
        place.run("hook", "install", "--user", "--project").err
        == "assent: give --user or --project, not both\n"
    )


def test_status_before_and_after_the_installation(place: CommandPlace) -> None:
    before = place.run("hook", "status")
    place.run("hook", "install", "--yes")
    after = place.run("hook", "status")

    assert (before.status, before.lines[-1]) == (
        1,
        "problem: the hook is not installed; run `assent hook install`",
    )
    assert (after.status, after.lines) == (
        0,
        [
            f"installed in {settings(place)}",
            "the mode chosen in Claude Code counts up to accept_edits",
            "each tool call of Claude Code in this project is decided by Assent",
        ],
    )


@pytest.mark.parametrize("name", ["settings.json", "settings.local.json"])
def test_status_names_a_file_of_the_project_that_disables_hooks(place: CommandPlace, name: str) -> None:
    place.run("hook", "install", "--yes")
    file = place.write_file(f".claude/{name}", '{"disableAllHooks": true}')

    told = place.run("hook", "status")

    assert (told.status, told.lines[-1]) == (
        1,
        f"problem: {file} has `disableAllHooks`, so Claude Code does not run the hook in this project; "
        "remove that line",
    )


def test_status_finds_a_hook_that_does_not_answer(place: CommandPlace) -> None:
    place.run("hook", "install", "--yes")
    (place.home / ".local" / "share" / "assent" / "hook" / "claude.py").unlink()

    told = place.run("hook", "status", "--json")

    assert told.status == 1
    (problem,) = json.loads(told.out)["problems"]
    assert problem.startswith("the hook gives no valid answer (")


def test_status_finds_a_command_that_would_let_calls_run(place: CommandPlace) -> None:
    place.run("hook", "install", "--yes")
    (command,) = commands(settings(place))
    write_settings(place, settings(place).read_text("utf-8").replace(command, command.partition(" || ")[0]))

    told = place.run("hook", "status")

    assert (told.status, "lets calls run if the hook fails" in told.out) == (1, True)
    place.run("hook", "install", "--yes")
    assert place.run("hook", "status").status == 0


def test_status_reports_a_file_that_cannot_be_read(place: CommandPlace) -> None:
    place.run("hook", "install", "--yes")
    place.write_file(".claude/settings.json", "{")

    assert "is not JSON" in place.run("hook", "status").out


def test_a_mode_in_a_policy_file_is_the_ceiling_that_is_shown(place: CommandPlace) -> None:
    place.write_user_file('mode = "default"\n')

    assert "counts up to default" in place.run("hook", "install", "--yes").out


def test_commands_are_recorded_on_request(place: CommandPlace) -> None:
    place.run("hook", "install", "--yes", "--record-commands")

    launcher = place.home / ".local" / "share" / "assent" / "hook" / "claude.py"
    assert "record_commands=True" in launcher.read_text("utf-8")
    assert launcher.stat().st_mode & 0o777 == 0o600


def test_a_home_with_blanks_in_its_name_works(place: CommandPlace) -> None:
    place.home = Path(shutil.move(place.home, place.home.with_name("a home; it's")))

    assert place.run("hook", "install", "--yes").status == 0
    assert place.run("hook", "status").status == 0


def test_the_test_event_is_not_in_the_history(place: CommandPlace) -> None:
    place.run("hook", "install", "--yes")

    assert place.run("history", "--json").out == "[]\n"
