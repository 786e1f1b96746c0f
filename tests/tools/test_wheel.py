"""The wheel contains the built web app, so that users do not need Node.js."""

import os
import shlex
import subprocess
import sys
import zipfile
from pathlib import Path

from tests.contracts.tree import ROOT

BUILT_WEB_APP = ROOT / "web" / "dist"


def test_a_wheel_contains_the_built_web_app(tmp_path: Path) -> None:
    settings = subprocess.run(
        [sys.executable, ROOT / "tools/pip_settings.py"], capture_output=True, text=True, check=True
    )
    exported = dict(word.split("=", 1) for word in shlex.split(settings.stdout) if "=" in word)
    command = [Path(sys.executable).with_name("uv"), "build", "--quiet", "--wheel", "--out-dir", tmp_path]
    constraint = ["--build-constraint", ROOT / "constraints.txt"]
    built = subprocess.run(
        [*command, *constraint, ROOT],
        env={"UV_SYSTEM_CERTS": "1", **os.environ, **exported},
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as opened:
        pages = {
            name.removeprefix("assent/_web/") for name in opened.namelist() if name.startswith("assent/_web/")
        }
        index = opened.read("assent/_web/index.html")

    assert index == (BUILT_WEB_APP / "index.html").read_bytes()
    assert pages == {
        path.relative_to(BUILT_WEB_APP).as_posix() for path in BUILT_WEB_APP.rglob("*") if path.is_file()
    }
