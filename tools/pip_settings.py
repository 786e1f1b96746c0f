"""Passes pip's configured package indexes to uv, which does not read pip's settings.

Prints shell assignments for `./dev` to evaluate. Settings of uv itself take precedence.
"""

import ast
import os
import shlex
import subprocess
import sys
from collections.abc import Mapping

UV_NAMES = {
    "index-url": "UV_DEFAULT_INDEX",
    "extra-index-url": "UV_INDEX",
    "find-links": "UV_FIND_LINKS",
    "no-index": "UV_NO_INDEX",
    "trusted-host": "UV_INSECURE_HOST",
    "cert": "SSL_CERT_FILE",
}
OLDER_NAME = {"UV_DEFAULT_INDEX": "UV_INDEX_URL", "UV_INDEX": "UV_EXTRA_INDEX_URL"}


def pip_settings(listing: str, environment: Mapping[str, str]) -> dict[str, str]:
    """All settings of pip: its files as `pip config list` prints them, then its environment variables."""
    found: dict[str, str] = {}
    for line in sorted(listing.splitlines()):
        key, equals, value = line.partition("=")
        if equals and not key.startswith(":env:"):
            found[key.rpartition(".")[2]] = str(ast.literal_eval(value))
    for name, value in environment.items():
        if name.startswith("PIP_") and value:
            found[name.removeprefix("PIP_").lower().replace("_", "-")] = value
    return found


def uv_environment(settings: Mapping[str, str], environment: Mapping[str, str]) -> dict[str, str]:
    """Convert settings of pip to variables of uv, except those that are already set for uv."""
    told: dict[str, str] = {}
    for key, name in UV_NAMES.items():
        if key in settings and not environment.get(name) and not environment.get(OLDER_NAME.get(name, name)):
            told[name] = (" " if name == "UV_INDEX" else ",").join(settings[key].split())
    if "UV_INDEX" in told and "UV_INDEX_STRATEGY" not in environment:
        # Like pip, use the best version of all indexes; the hashes in constraints.txt make that safe.
        told["UV_INDEX_STRATEGY"] = "unsafe-best-match"
    return told


def read_uv_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Read pip's settings on this machine, and return the environment variables for uv."""
    command = [sys.executable, "-m", "pip", "config", "list"]
    listing = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    return uv_environment(pip_settings(listing, environment), environment)


def main() -> None:
    """Print one `export` for each variable that uv should see."""
    for name, value in read_uv_environment(os.environ).items():
        print(f"export {name}={shlex.quote(value)}")


if __name__ == "__main__":
    main()
