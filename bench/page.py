"""Writes the last full run into the documentation."""

import re
from datetime import UTC, datetime
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "docs" / "performance.md"

_RUN = re.compile(r"(?<=<!-- the last full run -->\n).*?(?=<!-- end of the run -->)", re.DOTALL)


def write(table: list[str], machine: str, score: str) -> None:
    """Replace the previous run."""
    day = f"{datetime.now(UTC):%Y-%m-%d}"
    run = "\n".join(["", *table, "", f"{score}, on {day}. {machine}.", "", ""])
    PAGE.write_text(_RUN.sub(lambda _: run, PAGE.read_text("utf-8")), "utf-8")
