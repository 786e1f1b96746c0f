"""`assent up`: prints command lines without starting anything, and starts nothing that is wrong or unconfirmed."""

import json
import shlex
import shutil
from pathlib import Path

import pytest

from assent.hosts.claude.command_line import hook_settings
from tests.cli.running import CommandSandbox
from tests.cli.test_dashboard import Terminal
from tests.hosts.claude.running_fleet import make_repository, write_client
from tests.hosts.claude.test_command_line import EXPECTED

EXAMPLE = Path(__file__).parents[1] / "config"


@pytest.fixture
def sandbox(tmp_path: Path) -> CommandSandbox:
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
def test_a_dry_run_prints_the_flags_that_the_seed_lists_for_each_agent(sandbox: CommandSandbox) -> None:
    done = sandbox.run("up", "--dry-run")

    found = command_lines(done.out)
    assert (done.status, done.err, list(found)) == (0, "", list(EXPECTED))
    for id, (model, tools) in EXPECTED.items():
        words = found[id]
        config = words[words.index("--mcp-config") + 1]
        settings = words[words.index("--settings") + 1]
        assert config.startswith(f"{sandbox.home}/.local/share/assent/fleet/")
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
            str(sandbox.root / "personas" / f"{id}.md"),
            "--session-id",
            "SESSION",
            "--",
            words[-1],
        ]
    assert not (sandbox.home / ".local").exists()


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
    sandbox: CommandSandbox, text: str, message: str
) -> None:
    sandbox.write_file("fleet.yaml", text)

    done = sandbox.run("up")

    assert (done.status, done.out) == (2, "")
    assert f"fleet.yaml, {message}" in done.err
    assert not (sandbox.home / ".local").exists()


def test_a_directory_without_a_fleet_file_is_an_error(sandbox: CommandSandbox) -> None:
    done = sandbox.run("up", cwd=sandbox.home)

    assert done.status == 2
    assert "there is no fleet.yaml or arch.yaml" in done.err


def test_a_program_that_is_missing_is_an_error(sandbox: CommandSandbox) -> None:
    done = sandbox.run("up", "--program", "no-such-claude")

    assert done.status == 2
    assert "`no-such-claude` is not installed" in done.err


@pytest.mark.supports("R002-35")
@pytest.mark.parametrize("typed", ["", "\n", "y\n", "yes\n", "no\n", "skip it\n"])
def test_agents_that_skip_permissions_need_a_typed_word(sandbox: CommandSandbox, typed: str) -> None:
    sandbox.write_file(
        "fleet.yaml",
        "archie: {persona: personas/archie.md}\nagent_pool:\n"
        "  - {id: bold, persona: personas/qa.md, permissions: {skip_permissions: true}}\n",
    )

    done = sandbox.run("up", "--program", "true", stdin=typed)

    assert done.status == 2
    assert "These agents run with --dangerously-skip-permissions: bold." in done.err
    assert "not confirmed; nothing was started" in done.err
    assert not (sandbox.home / ".local").exists()


@pytest.mark.proves("R002-35")
def test_only_after_the_typed_word_they_start_and_the_audit_has_a_row(tmp_path: Path) -> None:
    place = CommandSandbox(tmp_path)
    skipping = "archie: {persona: lead.md, permissions: {skip_permissions: true}}\n"
    make_repository(place.root, skipping)
    program, log, stay = write_client(tmp_path)
    stay.unlink()

    refused = place.run("up", "--plain", "--program", str(program), stdin="\n")
    started_before = log.exists()
    done = place.run("up", "--plain", "--program", str(program), stdin="Skip\n")

    assert (refused.status, started_before, done.status) == (2, False, 0), done.err
    assert "--dangerously-skip-permissions" in json.loads(log.read_text())[0]
    rows = [row["entry"] for row in json.loads(place.run("audit", "list", "--json").out)]
    skips = [row for row in rows if row["tool"] == "fleet.skip_permissions" and row["decision"]]
    decided = [(row["agent"], row["decision"]) for row in skips]
    assert decided == [("archie", "approved"), ("archie", "claimed"), ("archie", "executed")]


@pytest.mark.proves("R002-33")
def test_a_dry_run_shows_that_the_hook_stays_when_permissions_are_skipped(sandbox: CommandSandbox) -> None:
    sandbox.write_file(
        "fleet.yaml",
        "archie: {persona: personas/archie.md}\nagent_pool:\n"
        "  - {id: bold, persona: personas/qa.md, permissions: {skip_permissions: true}}\n",
    )

    words = command_lines(sandbox.run("up", "--dry-run").out)["bold"]

    assert words[words.index("--print") + 1 : words.index("--verbose")] == [
        "--dangerously-skip-permissions",
        "--permission-prompts",
        "none",
    ]
    assert "hook_program.py" in words[words.index("--settings") + 1]


def test_what_is_no_repository_is_an_error_before_any_agent_starts(sandbox: CommandSandbox) -> None:
    done = sandbox.run("up", "--program", "true", "--plain")

    assert done.status == 2
    assert "git rev-parse failed" in done.err


def test_a_lead_that_fails_is_an_error(tmp_path: Path) -> None:
    place = CommandSandbox(tmp_path)
    make_repository(place.root, "archie: {persona: lead.md}\n")

    done = place.run("up", "--plain", "--program", "false")

    assert (done.status, done.err.splitlines()[-2:]) == (
        2,
        ["archie ended with status 1", "assent: the lead ended with an error"],
    )
    assert "archie           error, 0 tokens" in done.out


def test_at_a_terminal_the_dashboard_shows_the_agents_and_q_ends_the_fleet(tmp_path: Path) -> None:
    make_repository(tmp_path / "project")
    program, _, _ = write_client(tmp_path)
    fleet, size = str(tmp_path / "project" / "fleet.yaml"), {"COLUMNS": "120", "LINES": "40"}
    terminal = Terminal(tmp_path, "up", fleet, "--program", str(program), **size)

    terminal.wait_for_text("Type skip to start them")
    terminal.type("skip\r")
    for text in ("Nothing needs you.", "archie", "tokens", "$0.50"):
        terminal.wait_for_text(text)
    terminal.type("q")

    assert terminal.wait() == 0
    summary = terminal.shown.decode().rpartition("\x1b")[2]
    assert "archie           ended, 5 tokens, $0.50\r\n" in summary
    assert f"archie started in {tmp_path / 'project' / '.worktrees' / 'archie'}" in summary


def test_with_accessible_set_a_terminal_gets_plain_lines(tmp_path: Path) -> None:
    make_repository(tmp_path / "project")
    program, _, stay = write_client(tmp_path)
    fleet = str(tmp_path / "project" / "fleet.yaml")
    terminal = Terminal(tmp_path, "up", fleet, "--program", str(program), ACCESSIBLE="1")

    terminal.wait_for_text("Type skip to start them")
    terminal.type("skip\r")
    terminal.wait_for_text("answer its questions with `assent dashboard`")
    stay.unlink()

    assert terminal.wait() == 0
    assert b"\x1b" not in terminal.shown
    assert b"archie ended" in terminal.shown
