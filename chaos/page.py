"""Writes the results of each scenario into the documentation."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from chaos.report import COLUMNS, Report, table_row

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reliability.md"
_RUNS_SECTION = re.compile(r"(?<=<!-- the last runs -->\n).*?(?=<!-- end of the runs -->)", re.DOTALL)
_TABLE_HEADER = (*COLUMNS, "day", "verdict")


def write_results(reports: Sequence[Report]) -> None:
    """Replace the previous reports of the same scenario and store."""
    text = PAGE.read_text("utf-8")
    PAGE.write_text(_RUNS_SECTION.sub(lambda found: _format_table(found[0], reports), text), "utf-8")


def _format_table(before: str, reports: Sequence[Report]) -> str:
    old = [tuple(cell.strip() for cell in row.strip("|").split("|")) for row in before.split("\n") if row]
    kept = {(row[0], row[2]): row for row in old[2:]}
    day = f"{datetime.now(UTC):%Y-%m-%d}"
    for report in reports:
        broken = ["an invariant is broken"] if report.breaches else []
        verdict = "; ".join([*broken, *report.missed]) or "kept"
        kept[report.scenario, report.store] = (*report.cells(), day, verdict)
    ruler = tuple("-" * len(column) for column in _TABLE_HEADER)
    rows = [kept[key] for key in sorted(kept)]
    return "\n".join(["", *map(table_row, (_TABLE_HEADER, ruler, *rows)), "", ""])
