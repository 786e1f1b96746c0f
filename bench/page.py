"""Writes the results of the last full benchmark run into docs/performance.md."""

import re
from datetime import UTC, datetime
from pathlib import Path

PERFORMANCE_PAGE = Path(__file__).resolve().parents[1] / "docs" / "performance.md"

_LAST_RUN = re.compile(r"(?<=<!-- the last full run -->\n).*?(?=<!-- end of the run -->)", re.DOTALL)


def write_results_page(table: list[str], machine: str, score: str) -> None:
    """Replace the previous results on the page."""
    day = f"{datetime.now(UTC):%Y-%m-%d}"
    run = "\n".join(["", *table, "", f"{score}, on {day}. {machine}.", "", ""])
    PERFORMANCE_PAGE.write_text(_LAST_RUN.sub(lambda _: run, PERFORMANCE_PAGE.read_text("utf-8")), "utf-8")
