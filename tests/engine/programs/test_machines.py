"""Clients that run a command on another machine, in a queue or in a jail."""

import pytest

from assent.engine.policy.verdict import Verdict
from tests.engine.given import decide_call, make_snapshot, shell_call

SNAPSHOT = make_snapshot(allow=["terminal.exec"], deny=["terminal.exec(rm *)"])


@pytest.mark.proves("T-24")
@pytest.mark.parametrize(
    "line",
    [
        "gcloud compute ssh vm --command='rm x'",
        "gcloud beta compute ssh vm --command 'rm x'",
        "gcloud alpha cloud-shell ssh -- rm x",
        "heroku run -a app rm x",
        "heroku run:detached 'rm x'",
        "tailscale ssh host rm x",
        "sbatch --wrap='rm x'",
        "arch-chroot /mnt sh -c 'rm x'",
    ],
)
def test_a_deny_rule_holds_on_every_machine(line: str) -> None:
    assert decide_call(shell_call(line), SNAPSHOT).verdict is Verdict.DENY


def test_a_command_that_only_lists_machines_runs_nothing_on_them() -> None:
    assert decide_call(shell_call("gcloud beta compute instances list"), SNAPSHOT).verdict is Verdict.RUN
