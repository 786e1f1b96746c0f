"""A Chromium that is on this machine already, and how it is started where nobody looks on."""

import os
import shutil

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
NAMES = ("chromium", "chromium-browser", "google-chrome")
WANTED = "no Chromium is here: install it (Debian: apt-get install chromium), or set ASSENT_CHROMIUM to one"


def chromium() -> str:
    """Where it is; whoever needs one fails without it, so that no check is left out in silence."""
    found = os.environ.get("ASSENT_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        raise FileNotFoundError(WANTED)
    return found
