"""The files of an installed hook: an environment that stays, and a program that answers."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from assent.cli.hook import files
from assent.cli.hook.files import (
    inspect_hook,
    is_temporary_environment,
    send_test_event,
    user_hook_command,
    user_settings_path,
    write_hook_program,
)
from assent.config.paths import ConfigPaths, find_config_paths
from assent.errors import AssentError
from tests.cli.running import CommandSandbox
from tests.contracts.tree import ROOT
from tools.pip_settings import read_uv_environment


@pytest.fixture
def config_paths(tmp_path: Path) -> ConfigPaths:
    root = tmp_path / "root"
    root.mkdir()
    return ConfigPaths(
        root=str(root),
        cwd=str(root),
        home=str(tmp_path),
        managed=str(tmp_path / "managed"),
        user=str(tmp_path / "config"),
        data=str(tmp_path / "data" / "assent"),
    )


@pytest.mark.parametrize(
    ("prefix", "temporary"),
    [
        ("/home/ana/.cache/uv/archive-v0/x1", True),
        ("/opt/uv-cache/archive-v0/x1", True),
        ("/home/ana/.cache/pipx/1234", True),
        ("/home/ana/.local/share/uv/tools/assent", False),
        ("/home/ana/project/.venv", False),
        ("/usr", False),
    ],
)
def test_an_environment_for_one_run_is_recognized(prefix: str, temporary: bool) -> None:
    assert is_temporary_environment(prefix) is temporary


def test_the_program_answers(config_paths: ConfigPaths) -> None:
    write_hook_program(config_paths, record_commands=False)

    send_test_event(user_hook_command(config_paths), config_paths.root)


@pytest.mark.parametrize("program", ["/nonexistent/assent", "echo no", "echo '{}'", "true", "false"])
def test_what_gives_no_answer_is_refused(config_paths: ConfigPaths, program: str) -> None:
    with pytest.raises(AssentError, match="the hook gives no"):
        send_test_event(program, config_paths.root)


def test_from_a_temporary_environment_the_hook_gets_a_permanent_one(
    config_paths: ConfigPaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "is_temporary_environment", lambda _: True)
    write_hook_program(config_paths, record_commands=False)
    program = user_hook_command(config_paths)
    python, _, launcher = program.split()

    assert python.startswith(os.path.join(config_paths.data, "hook", "venv-"))
    assert launcher.startswith(config_paths.data)
    # Assent itself is installed here as a link to its source; everything that it needs is a copy.
    check = "import sys; sys.path[:] = [p for p in sys.path if 'python3' in p]; import click, tree_sitter_bash; print(click.__file__)"
    said = subprocess.run([python, "-I", "-c", check], capture_output=True, text=True, check=True).stdout
    assert said.startswith(config_paths.data)
    assert sys.prefix not in said


def test_the_client_may_keep_its_settings_elsewhere(
    config_paths: ConfigPaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    assert user_settings_path(config_paths) == os.path.join(config_paths.home, ".claude", "settings.json")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", "/elsewhere")
    assert user_settings_path(config_paths) == "/elsewhere/settings.json"


def test_a_hook_that_uvx_installed_works_after_the_cache_of_uv_is_gone(tmp_path: Path) -> None:
    uv = Path(sys.executable).with_name("uv")
    environ = {
        **os.environ,
        "UV_SYSTEM_CERTS": "1",
        **read_uv_environment(os.environ),
        "ASSENT_SKIP_WEB": "1",
    }
    build = [
        uv,
        "build",
        "--quiet",
        "--wheel",
        "--build-constraint",
        ROOT / "constraints.txt",
        "--out-dir",
        tmp_path,
    ]
    subprocess.run([*build, ROOT], env=environ, check=True)
    (wheel,) = tmp_path.glob("*.whl")
    sandbox, cache = CommandSandbox(tmp_path), tmp_path / "uv-cache"

    install = [
        uv,
        "tool",
        "run",
        "--quiet",
        "--python",
        sys.executable,
        "--cache-dir",
        cache,
        "--from",
        wheel,
    ]
    subprocess.run(
        [*install, "assent", "hook", "install", "--yes"],
        cwd=sandbox.root,
        env={**environ, "HOME": str(sandbox.home)},
        check=True,
    )
    shutil.rmtree(cache)

    assert sandbox.run("hook", "status").status == 0


def test_a_hook_of_which_one_event_does_not_block_is_a_problem(sandbox: CommandSandbox) -> None:
    hook = '{"hooks": [{"type": "command", "command": "assent-hook"}]}'
    sandbox.write_file(".claude/settings.json", f'{{"hooks": {{"PostToolUse": [{hook}]}}}}')
    sandbox.write_file(".git/HEAD", "")
    paths = find_config_paths(str(sandbox.root), {})

    problems = inspect_hook(paths).problems

    assert any("settings.json lets calls run if the hook fails" in problem for problem in problems)
