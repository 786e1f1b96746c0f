"""Finds an installed Chromium, and defines its flags for headless use."""

import os
import shutil

HEADLESS_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
HEADLESS_SHELL = "chromium-headless-shell"
PROGRAM_NAMES = ("chromium", "chromium-browser", "google-chrome")
NOT_FOUND_MESSAGE = (
    "no Chromium is here: install it (Debian: apt-get install chromium), or set ASSENT_CHROMIUM to one"
)


def find_chromium() -> str:
    """Return the path of Chromium; raises an error if none is installed, so that no test is skipped."""
    found = os.environ.get("ASSENT_CHROMIUM") or next(filter(None, map(shutil.which, PROGRAM_NAMES)), None)
    if found is None:
        raise FileNotFoundError(NOT_FOUND_MESSAGE)
    return found


def find_headless_chromium() -> str:
    """Return the path of Chromium's headless shell, which needs a third less CPU time, or of Chromium."""
    return shutil.which(HEADLESS_SHELL) or find_chromium()
