"""Measures the chosen rows and prints a table."""

import argparse
import json
import os
import platform
import sqlite3
import sys
from collections.abc import Iterable
from dataclasses import asdict
from importlib.metadata import version

from bench import page
from bench.harness import COLUMNS, Effort, Result, table_row, table_ruler
from bench.progress import clear, show_note, show_progress
from bench.rows import ROWS, find_row, measure

PACKAGES = (
    "tree-sitter", "tree-sitter-bash", "pyahocorasick", "cedarpy", "casbin", "pathspec", "sqlalchemy",
    "aiosqlite", "asyncpg", "dbos", "langgraph", "openai-agents", "pydantic-ai-slim",
)  # fmt: skip
HEAD = [table_row(COLUMNS), table_ruler()]


def main() -> int:
    """Measure the rows. A missed goal is reported; one that raises fails, and the others still run."""
    arguments = _arguments()
    effort = Effort(arguments.rounds or (3 if arguments.quick else 9), arguments.quick)
    results: list[Result] = []
    broken = 0
    _show([] if arguments.json else HEAD)
    for row in arguments.rows or ROWS:
        show_progress(f"{row}: measuring")
        try:
            found = measure(row, effort)
        except Exception as error:  # noqa: BLE001 - every error is reported
            show_note(f"bench: {row} failed: {type(error).__name__}: {error}")
            broken += 1
            continue
        clear()
        results.extend(found)
        _show([] if arguments.json else _table(found))
    if arguments.json:
        print(json.dumps(_report(results), indent=2, ensure_ascii=False))
    else:
        print(f"\n{_machine()}\n{_score(results)}")
    if arguments.write and not broken:
        page.write([*HEAD, *_table(results)], _machine(), _score(results))
    return 1 if broken else 0


def _show(lines: Iterable[str]) -> None:
    for text in lines:
        print(text, flush=True)


def _table(results: list[Result]) -> list[str]:
    return [table_row(result.cells()) for result in results]


def _score(results: list[Result]) -> str:
    judged = [result.met for result in results if result.met is not None]
    return f"{judged.count(True)} of {len(judged)} goals met"


def _report(results: list[Result]) -> dict[str, object]:
    rows = [asdict(result) | {"goal": str(result.goal or ""), "met": result.met} for result in results]
    return {"machine": _machine(), "score": _score(results), "results": rows}


def _machine() -> str:
    packages = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    cores = f"{os.cpu_count()} cores under a load of {os.getloadavg()[1]:.1f}"
    system = f"{platform.machine()} {platform.system()}"
    return (
        f"Python {platform.python_version()}, {system}, {cores}, SQLite {sqlite3.sqlite_version}, {packages}"
    )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="./dev bench", description="Measure Assent and its peers.")
    parser.add_argument("rows", nargs="*", type=_row, metavar="ROW", help=f"some of {', '.join(ROWS)}")
    parser.add_argument(
        "--rounds", type=int, metavar="N", help="interleaved rounds, of which the best counts"
    )
    parser.add_argument("--quick", action="store_true", help="3 rounds instead of 9, and fewer decisions")
    parser.add_argument("--json", action="store_true", help="every figure, for a program to read")
    parser.add_argument("--write", action="store_true", help="keep the table in docs/performance.md")
    return parser.parse_args()


def _row(word: str) -> str:
    row = find_row(word)
    if row is None:
        raise argparse.ArgumentTypeError(f"there is no row `{word}`; the rows are {', '.join(ROWS)}")
    return row


if __name__ == "__main__":
    sys.exit(main())
