"""The program of the README asks in one process and is answered from another process."""

import json
import subprocess
import sys
from pathlib import Path

from tests.contracts.examples import clean_environment, read_blocks
from tests.contracts.tree import ROOT
from tests.waiting import wait_until


def test_the_demo_asks_in_one_terminal_and_is_answered_in_another(tmp_path: Path) -> None:
    (demo,) = [block for block in read_blocks(ROOT / "README.md") if block.file == "demo.py"]
    (tmp_path / "demo.py").write_text(demo.body, "utf-8")
    command = [sys.executable, "demo.py"]
    with subprocess.Popen(
        command, cwd=tmp_path, env=clean_environment(tmp_path), stdout=subprocess.PIPE
    ) as program:
        first = _wait_for_question(tmp_path)
        run_assent(tmp_path, "answer", first[:4], "once")
        second = _wait_for_question(tmp_path)
        run_assent(tmp_path, "answer", second[:4], "deny", "--reason", "not this week")
        said, _ = program.communicate(timeout=180)

    assert said.decode().splitlines() == [
        "sent `Minutes` to ana@example.com",
        "not sent to ben@example.com: a person denied this call; do not retry the same call "
        '(they said: "not this week")',
    ]


def run_assent(directory: Path, *words: str) -> str:
    program = Path(sys.executable).with_name("assent")
    run = subprocess.run(
        [program, *words], cwd=directory, env=clean_environment(directory), capture_output=True, check=True
    )
    return run.stdout.decode()


def _wait_for_question(directory: Path) -> str:
    """Wait for the first question and return its id."""

    def find_questions() -> list[dict[str, object]]:
        asked = (directory / "assent.db").exists()
        return json.loads(run_assent(directory, "pending", "--json")) if asked else []

    return str(wait_until(find_questions)[0]["id"])
