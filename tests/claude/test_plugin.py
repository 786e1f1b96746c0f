"""The plugin of Claude Code has the hooks that `install` writes, and the real client obeys them."""

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from assent.hosts.hook.settings import format_settings, plugin_hooks
from tests.claude.driver import bash_call, require_client
from tests.claude.gated import ALLOW_EVERYTHING, files_named, install_hook, make_client
from tests.claude.served import ALLOW, running_server
from tests.cli.running import ASSENT_PROGRAM, CommandSandbox
from tools.claude_client import find_client, offline_environment

PLUGIN = Path(__file__).parents[2] / "deploy" / "claude-plugin"


def test_the_plugin_has_the_hooks_that_install_writes() -> None:
    assert (PLUGIN / "hooks" / "hooks.json").read_text("utf-8") == format_settings(plugin_hooks(), "")


@pytest.mark.usefixtures("require_hosts_option")
def test_the_client_accepts_the_plugin(tmp_path: Path) -> None:
    require_client()
    run = subprocess.run(
        [str(find_client()), "plugin", "validate", str(PLUGIN)],
        env=offline_environment(tmp_path, "http://127.0.0.1:9"),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (run.returncode, "Validation passed" in run.stdout) == (0, True), run.stdout


@pytest.mark.usefixtures("require_hosts_option")
def test_the_plugin_decides_calls_and_blocks_them_without_a_server(sandbox: CommandSandbox) -> None:
    sandbox.write_user_file('deny = ["Bash(touch *)"]\n')
    path = f"{Path(ASSENT_PROGRAM).parent}:{sandbox.environment()['PATH']}"
    client = replace(make_client(sandbox, allow=ALLOW_EVERYTHING), environ={"PATH": path})
    with running_server(sandbox) as server:
        install_hook(sandbox)
        sandbox.run("hook", "uninstall", "--yes")
        with server.answer_each_question(lambda _: ALLOW) as asked:
            run = client.run(
                [bash_call("cp README.md yes.txt"), bash_call("touch denied")], "--plugin-dir", str(PLUGIN)
            )
    dead = client.run([bash_call("mkdir later")], "--plugin-dir", str(PLUGIN))

    assert ([result.is_error for result in run.results], len(asked)) == ([False, True], 1)
    assert [result.is_error for result in dead.results] == [True]
    assert (files_named(sandbox, "yes"), files_named(sandbox, "denied"), files_named(sandbox, "later")) == (
        ["yes.txt"],
        [],
        [],
    )
