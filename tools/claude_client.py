"""Finds the Claude Code client that the tests drive: one pinned version, downloaded once with pip.

The client is a program inside the wheel of its SDK. Run this file to download it and print its path.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
CACHE = ROOT / ".cache" / "claude"
CLIENT_VERSION = "2.1.325"
PACKAGE = "claude-agent-sdk==0.2.182"
WHEEL_HASHES = (
    "05b1ebd637b379f95c7aebb4f40702db59b3e3a6795cf255d31a9b42594b2647",  # macOS, arm64
    "24ccc1c37191ced8f6289f70a76d571b067d663040643e432c165d0c2756ef35",  # macOS, x86_64
    "2c56dc3b9059e68df272977e85f314dce99b6c9680c313236ee31968c14a2b5b",  # Linux, aarch64
    "f15e140913c67f45a5eb09e5793f785a2d05613fc911c14bc3f8d818bedf9d09",  # Linux, x86_64
)
"""The SHA-256 of the wheel for each platform; pip refuses every other file."""
MEMBER = "claude_agent_sdk/_bundled/claude"
ADVICE = (
    "run `python tools/claude_client.py` where a package index is reachable, "
    "or set ASSENT_CLAUDE_CLIENT to the program of Claude Code " + CLIENT_VERSION
)


OPENING = (
    {"type": "control_request", "request_id": "start", "request": {"subtype": "initialize", "hooks": None}},
    {
        "type": "user",
        "message": {"role": "user", "content": "SCRIPT:main"},
        "parent_tool_use_id": None,
        "session_id": "",
    },
)
"""The first messages to a client that speaks its control protocol; they start the script `main`."""


class ClientMissingError(Exception):
    """The client is not here and could not be downloaded; the message tells what to do."""


def find_client() -> Path:
    """The path of the client; downloads it when it is not in the cache."""
    if given := os.environ.get("ASSENT_CLAUDE_CLIENT"):
        return _check_given_client(Path(given))
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / "lock").open("w") as lock:  # several test processes may need it at the same time
        fcntl.flock(lock, fcntl.LOCK_EX)
        return _cached_client() or _download_client()


def client_command(*arguments: str, prompts: bool) -> list[str]:
    """The command that starts the client; with `prompts`, its questions come through its control protocol."""
    asking = ("--permission-prompt-tool", "stdio") if prompts else ()
    return [
        str(find_client()), "-p", "--input-format", "stream-json", "--output-format", "stream-json",
        "--verbose", *asking, *arguments,
    ]  # fmt: skip


def offline_environment(home: Path, url: str) -> dict[str, str]:
    """The environment of a client that reaches only a scripted model and has a home of its own."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "IS_SANDBOX": "1",
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": "not-a-key",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_ERROR_REPORTING": "1",
        "DISABLE_TELEMETRY": "1",
    }


def _check_given_client(path: Path) -> Path:
    if not os.access(path, os.X_OK):
        raise ClientMissingError(f"ASSENT_CLAUDE_CLIENT names `{path}`, which is not a program; {ADVICE}")
    return path


def _cached_client() -> Path | None:
    """The client in the cache; its directory has the digest of the wheel that it comes from."""
    return next((path for digest in WHEEL_HASHES if (path := CACHE / digest / "claude").exists()), None)


def _download_client() -> Path:
    with tempfile.TemporaryDirectory(dir=CACHE) as directory:
        wheel = _download_wheel(Path(directory))
        digest = _file_digest(wheel)
        unpacked = Path(directory, "unpacked")
        unpacked.mkdir()
        program = unpacked / "claude"
        with zipfile.ZipFile(wheel) as archive, archive.open(MEMBER) as member, program.open("wb") as file:
            shutil.copyfileobj(member, file, 1 << 20)
        program.chmod(0o755)
        # INVARIANT: the directory appears complete or not at all.
        unpacked.rename(CACHE / digest)
    return CACHE / digest / "claude"


def _download_wheel(directory: Path) -> Path:
    hashes = " ".join(f"--hash=sha256:{digest}" for digest in WHEEL_HASHES)
    requirement = directory / "client.txt"
    requirement.write_text(f"{PACKAGE} {hashes}\n", "utf-8")
    command = [
        sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
        "--only-binary=:all:", "--require-hashes", "--dest", str(directory), "-r", str(requirement),
    ]  # fmt: skip
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    found = next(directory.glob("*.whl"), None)
    if run.returncode != 0 or found is None:
        reason = (run.stderr.strip().splitlines() or ["pip found no wheel"])[-1]
        raise ClientMissingError(f"Claude Code {CLIENT_VERSION} cannot be downloaded ({reason}); {ADVICE}")
    return found


def _file_digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


if __name__ == "__main__":
    try:
        print(find_client())
    except ClientMissingError as error:
        sys.exit(f"claude_client: {error}")
