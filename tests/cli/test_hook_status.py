"""The state of the hook names each file that prevents it from deciding."""

from assent.cli.hook_status import inspect_hook
from assent.config.paths import find_config_paths
from tests.cli.running import CommandSandbox


def test_a_hook_of_which_one_event_does_not_block_is_a_problem(sandbox: CommandSandbox) -> None:
    hook = '{"hooks": [{"type": "command", "command": "assent-hook"}]}'
    sandbox.write_file(".claude/settings.json", f'{{"hooks": {{"PostToolUse": [{hook}]}}}}')
    sandbox.write_file(".git/HEAD", "")
    paths = find_config_paths(str(sandbox.root), {})

    problems = inspect_hook(paths).problems

    assert any("settings.json lets calls run if the hook fails" in problem for problem in problems)
