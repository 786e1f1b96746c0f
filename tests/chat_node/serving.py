"""A real server process, and the real packages of the AI SDK under Node."""

import fcntl
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).parent
CACHE = HERE.parents[1] / ".cache" / "chat_node"
BIN = Path(sys.executable).parent
FILES = ("package.json", "package-lock.json", ".npmrc")


class Server(NamedTuple):
    """The address, the owner's token and the workspace of a running server."""

    url: str
    token: str
    work: Path
    process: subprocess.Popen[bytes]


@contextmanager
def start_server(directory: Path, *more: str, config: str = "", **environ: str) -> Generator[Server]:
    """Run `assent serve`, with the rehearsal model unless the configuration names another model."""
    work, home = directory / "work", directory / "home"
    settings = home / ".config" / "assent"
    for one in (work, settings):
        one.mkdir(parents=True, exist_ok=True)
    if config:
        (settings / "config.toml").write_text(config, "utf-8")
        (settings / "config.toml").chmod(0o600)
    command = [str(BIN / "assent"), "serve", "--port", "0", "--json", "--data-dir", str(directory / "data")]
    with (directory / "server.log").open("ab") as log:
        process = subprocess.Popen(
            [*command, *more],
            cwd=work,
            env={"HOME": str(home), "PATH": os.environ["PATH"], **environ},
            stdout=subprocess.PIPE,
            stderr=log,
        )
    try:
        assert process.stdout is not None
        said = json.loads(process.stdout.readline())
        yield Server(said["url"], said["owner_token"] or "", work, process)
    finally:
        process.terminate()
        process.wait(180)
        assert process.stdout is not None
        process.stdout.close()


def install_packages(version: str) -> Path:
    """Install the packages of a lock file once; concurrent callers wait."""
    directory = CACHE / version
    directory.mkdir(parents=True, exist_ok=True)
    with (CACHE / f"{version}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        wanted = (HERE / version / "package-lock.json").read_text("utf-8")
        stamp = directory / "stamp"
        if not stamp.exists() or stamp.read_text("utf-8") != wanted:
            for name in FILES:
                shutil.copy(HERE / version / name, directory / name)
            subprocess.run([str(BIN / "npm"), "ci", "--no-audit", "--no-fund"], cwd=directory, check=True)
            stamp.write_text(wanted, "utf-8")
        for program in HERE.glob("*.mjs"):
            shutil.copy(program, directory / program.name)
    return directory


def run_client(server: Server, version: str, program: str = "drive.mjs", other: Server | None = None) -> Any:
    """Run all scenarios with a client of this version; some of them use another pod."""
    ran = subprocess.run(
        [str(BIN / "node"), program],
        cwd=install_packages(version),
        env={
            "PATH": os.environ["PATH"],
            "BASE": server.url,
            "OTHER": (other or server).url,
            "TOKEN": server.token,
            "SDK": "6" if version.endswith("six") else "7",
        },
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout.splitlines()[-1])
