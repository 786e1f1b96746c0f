"""Assent can be installed from an sdist and by the commands of the image, and serves the web page."""

import json
import os
import re
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.contracts.test_deploy import read_instructions
from tests.contracts.tree import ROOT, tracked_files
from tests.serving import environment
from tools.pip_settings import read_uv_environment

UV = str(Path(sys.executable).with_name("uv"))
IMAGE_PATH = re.compile(r"(?<![\w./])/(?:build|wheels|opt)\b")
"""A path in the image; a test replaces it by a path below a temporary directory."""
IMAGE_EXTRAS = re.compile(r"\[server(?:,\w+)+\]")
"""The extras in the image. Only a deep run installs all of them, because most of their time is their bytecode."""


@pytest.fixture
def install_environment() -> dict[str, str]:
    """The environment for installing packages, with pip's settings under the names of uv."""
    return {**os.environ, "UV_SYSTEM_CERTS": "1", **read_uv_environment(os.environ)}


def test_a_wheel_that_is_built_from_the_sdist_serves_the_page(
    tmp_path: Path, install_environment: dict[str, str]
) -> None:
    source = _copy_tracked_files(tmp_path / "src")
    shutil.copytree(ROOT / "web" / "dist", source / "web" / "dist")
    (source / "web" / "dist" / "index.html").touch()  # newer than the sources that were copied before it
    dist, venv = tmp_path / "dist", tmp_path / "venv"
    run = _make_runner(install_environment, source)

    run(UV, "build", "--build-constraint", "constraints.txt", "--out-dir", str(dist))
    (wheel,) = dist.glob("*.whl")
    assert [path.name for path in dist.glob("*.tar.gz")] == [wheel.name.split("-py3")[0] + ".tar.gz"]
    run(UV, "venv", "--python", sys.executable, str(venv))
    install = ["pip", "install", "--python", str(venv / "bin" / "python"), "--constraint", "constraints.txt"]
    run(UV, *install, f"{wheel}[server]")

    assert _load_page_scripts(venv / "bin", tmp_path)


def test_the_commands_of_the_image_install_a_server_that_serves_the_page(
    tmp_path: Path, install_environment: dict[str, str], is_deep_run: bool
) -> None:
    source = _copy_tracked_files(tmp_path / "src")
    for left_out in (ROOT / ".dockerignore").read_text("utf-8").splitlines():
        if (source / left_out).is_dir():
            shutil.rmtree(source / left_out)
    run = _make_runner(install_environment, source)

    for line in _first_stage_commands(installs_all_extras=is_deep_run):
        run("sh", "-euc", IMAGE_PATH.sub(lambda found: f"{tmp_path}{found[0]}", line))

    assert _load_page_scripts(tmp_path / "opt" / "assent" / "bin", tmp_path)
    assert list((tmp_path / "opt").rglob("decide.*.pyc"))


def _first_stage_commands(*, installs_all_extras: bool) -> list[str]:
    """The commands that build and install Assent in the first stage of the image.

    Without `installs_all_extras`, the last command only resolves all extras, and installs the server.
    """
    words = read_instructions()
    second = [number for number, (word, _) in enumerate(words) if word == "FROM"][1]
    *first, last = [rest for word, rest in words[:second] if word == "RUN"]
    venv, install = last.split("&&")
    assert IMAGE_EXTRAS.search(install)
    if installs_all_extras:
        return [*first, last]
    resolve = install.replace("pip install", "pip install --dry-run", 1)
    return [*first, f"{venv} && {resolve} && {IMAGE_EXTRAS.sub('[server]', install)}"]


def _copy_tracked_files(directory: Path) -> Path:
    """Copy the tracked files, as a new clone would have them."""
    for path in tracked_files():
        copy = directory / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, copy)
    return directory


def _make_runner(install_environment: dict[str, str], directory: Path) -> Callable[..., None]:
    """Return a function that runs a command in a directory; if it fails, its output is shown."""

    def run(*command: str) -> None:
        ended = subprocess.run(
            command, cwd=directory, env=install_environment, capture_output=True, text=True, check=False
        )
        assert ended.returncode == 0, f"{command}\n{ended.stdout}\n{ended.stderr}"

    return run


def _load_page_scripts(programs: Path, home: Path) -> list[bytes]:
    """Start the installed server, load its page, and return the scripts that the page names."""
    command = [str(programs / "assent"), "serve", "--json", "--port", "0"]
    with subprocess.Popen(command, cwd=home, env=environment(home), stdout=subprocess.PIPE) as server:
        try:
            assert server.stdout is not None
            url = json.loads(server.stdout.readline())["url"]
            page = urllib.request.urlopen(f"{url}/").read().decode()
            names = re.findall(r'<script[^>]* src="\./([^"]+\.js)"', page)
            return [urllib.request.urlopen(f"{url}/{name}").read() for name in names]
        finally:
            server.terminate()
