"""`assent up`: prints command lines without starting anything, and starts nothing that is wrong or unconfirmed."""

import json
import shlex
import shutil
from pathlib import Path

import pytest

from assent.hosts.claude.command_line import hook_settings
from tests.cli.running import CommandSandbox
from tests.hosts.claude.test_command_line import EXPECTED

EXAMPLE = Path(__file__).parents[1] / "config"


@pytest.fixture
def place(tmp_path: Path) -> CommandSandbox:
    made = CommandSandbox(tmp_path)
    shutil.copy(EXAMPLE / "arch.yaml", made.root / "arch.yaml")
    shutil.copytree(EXAMPLE / "personas", made.root / "personas")
    return made


def command_lines(out: str) -> dict[str, list[str]]:
    lines = out.splitlines()
    return {
        name.removeprefix("# "): shlex.split(line) for name, line in zip(lines[::2], lines[1::2], strict=True)
    }


@pytest.mark.proves("R002-3", "R002-4", "R002-6", "R002-7", "R002-8", "R002-36", "R002-37")
def test_a_dry_run_prints_the_flags_that_the_seed_lists_for_each_agent(place: CommandSandbox) -> None:
    done = place.run("up", "--dry-run")

    found = command_lines(done.out)
    assert (done.status, done.err, list(found)) == (0, "", list(EXPECTED))
    for id, (model, tools) in EXPECTED.items():
        words = found[id]
        config = words[words.index("--mcp-config") + 1]
        settings = words[words.index("--settings") + 1]
        assert config.startswith(f"{place.home}/.local/share/assent/fleet/")
        hook = json.loads(settings)["hooks"]["PreToolUse"][0]["hooks"][0]["command"]
        program = hook.partition(" || ")[0]
        assert program.endswith("/assent/hosts/claude/hook_program.py 127.0.0.1:PORT")
        assert json.loads(settings) == hook_settings(program)
        assert words == [
            "claude",
            *model,
            "--output-format",
            "stream-json",
            "--mcp-config",
            config,
            "--print",
            "--permission-mode",
            "acceptEdits",
            "--allowedTools",
            *tools,
            "--permission-prompt-tool",
            "mcp__arch__handle_permission_request",
            # What we add to the seed's command line.
            "--verbose",
            "--strict-mcp-config",
            "--settings",
            settings,
            "--append-system-prompt-file",
            str(place.root / "personas" / f"{id}.md"),
            "--session-id",
            "SESSION",
            "--",
            words[-1],
        ]
    assert not (place.home / ".local").exists()


@pytest.mark.proves("R002-10")
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("archie: {persona: gone.md}\n", "line 1: `archie.persona` names `gone.md`"),
        ("archie:\n  persona: personas/qa.md\n  permissions: 3\n", "line 3: `archie.permissions` must be"),
        ("archie:\n  persona: personas/qa.md\nagents: []\n", "line 3: unknown key `agents`"),
    ],
)
def test_a_mistake_in_the_file_names_key_and_line_and_starts_nothing(
    place: CommandSandbox, text: str, message: str
) -> None:
    place.write_file("fleet.yaml", text)

    done = place.run("up")

    assert (done.status, done.out) == (2, "")
    assert f"fleet.yaml, {message}" in done.err
    assert not (place.home / ".local").exists()


def test_a_directory_without_a_fleet_file_is_an_error(place: CommandSandbox) -> None:
    done = place.run("up", cwd=place.home)

    assert done.status == 2
    assert "there is no fleet.yaml or arch.yaml" in done.err


def test_a_program_that_is_missing_is_an_error(place: CommandSandbox) -> None:
    done = place.run("up", "--program", "no-such-claude")

    assert done.status == 2
    assert "`no-such-claude` is not installed" in done.err


@pytest.mark.proves("R002-35")
@pytest.mark.parametrize("typed", ["", "\n", "y\n", "yes\n", "no\n", "skip it\n"])
def test_agents_that_skip_permissions_need_a_typed_word(place: CommandSandbox, typed: str) -> None:
    place.write_file(
        "fleet.yaml",
        "archie: {persona: personas/archie.md}\nagent_pool:\n"
        "  - {id: bold, persona: personas/qa.md, permissions: {skip_permissions: true}}\n",
    )

    done = place.run("up", "--program", "true", stdin=typed)

    assert done.status == 2
    assert "These agents run with --dangerously-skip-permissions: bold." in done.err
    assert "not confirmed; nothing was started" in done.err
    assert not (place.home / ".local").exists()


@pytest.mark.proves("R002-33")
def test_a_dry_run_shows_that_the_hook_stays_when_permissions_are_skipped(place: CommandSandbox) -> None:
    place.write_file(
        "fleet.yaml",
        "archie: {persona: personas/archie.md}\nagent_pool:\n"
        "  - {id: bold, persona: personas/qa.md, permissions: {skip_permissions: true}}\n",
    )

    words = command_lines(place.run("up", "--dry-run").out)["bold"]

    assert words[words.index("--print") + 1 : words.index("--verbose")] == [
        "--dangerously-skip-permissions",
        "--permission-prompts",
        "none",
    ]
    assert "hook_program.py" in words[words.index("--settings") + 1]


def test_what_is_no_repository_is_an_error_before_any_agent_starts(place: CommandSandbox) -> None:
    done = place.run("up", "--program", "true", "--plain")

    assert done.status == 2
    assert "git rev-parse failed" in done.err
