"""`assent demo`: nothing of one's own counts there, and nothing of it is left behind."""

import json
import signal
import subprocess
from pathlib import Path

import pytest

from assent.cli.demo import has_browser
from assent.client.client import Client
from tests.serving import PATIENCE, command


def demo(home: Path, *words: str) -> "subprocess.Popen[str]":
    (home / "tmp").mkdir()
    return command(home, "demo", "--no-browser", *words, name="demo", env={"TMPDIR": str(home / "tmp")})


def test_a_policy_of_ones_own_does_not_count_and_nothing_is_left(tmp_path: Path) -> None:
    own = tmp_path / "config" / "assent"
    own.mkdir(parents=True)
    (own / "config.toml").write_text('deny = ["terminal.exec"]\n', encoding="utf-8")
    process = demo(tmp_path, "--json")
    assert process.stdout is not None
    told = json.loads(process.stdout.readline())
    with Client(told["url"], told["owner_token"]) as client:
        tools = {one.call.tool for one in client.approvals()}
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=PATIENCE)

    assert "terminal.exec" in tools
    assert process.returncode == 0
    assert list((tmp_path / "tmp").iterdir()) == []


def test_it_says_where_it_is_and_how_to_come_in(tmp_path: Path) -> None:
    process = demo(tmp_path)
    assert process.stdout is not None
    lines = [process.stdout.readline() for _ in range(5)]
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=PATIENCE)

    assert lines[0].startswith("An example is at http://127.0.0.1:")
    assert "/login#assent_l_" in lines[2]
    assert lines[4] == "Ctrl-C ends it; nothing is kept.\n"


@pytest.mark.parametrize(
    ("platform", "environ", "opens"),
    [
        ("linux", {}, False),
        ("linux", {"DISPLAY": ":0"}, True),
        ("linux", {"WAYLAND_DISPLAY": "wayland-0"}, True),
        ("darwin", {}, True),
    ],
)
def test_a_page_is_opened_only_where_a_window_can_be(
    platform: str, environ: dict[str, str], opens: bool
) -> None:
    assert has_browser(platform, environ) is opens
