"""Runs the chosen benchmarks and prints a table of results."""

import argparse
import json
import os
import platform
import sqlite3
import sys
from collections.abc import Iterable
from dataclasses import asdict
from importlib.metadata import version

from bench import page, questions
from bench.harness import COLUMNS, Effort, Result, table_row, table_separator
from bench.progress import clear_progress, show_note, show_progress
from bench.rows import ROW_MODULES, find_row, measure_in_new_process

COMPARED_PACKAGES = (
    "tree-sitter", "tree-sitter-bash", "pyahocorasick", "cedarpy", "casbin", "pathspec", "sqlalchemy",
    "aiosqlite", "asyncpg", "dbos", "langgraph", "openai-agents", "pydantic-ai-slim",
)  # fmt: skip
TABLE_HEAD = [table_row(COLUMNS), table_separator()]


def main() -> int:
    """Run the benchmarks; return 1 if one raised an error. A missed goal is only shown in the table."""
    if sys.argv[1:2] == ["questions"]:
        return questions.main(sys.argv[2:])
    arguments = _parse_arguments()
    effort = Effort(arguments.rounds or (3 if arguments.quick else 9), arguments.quick)
    results: list[Result] = []
    broken = 0
    _print_lines([] if arguments.json else TABLE_HEAD)
    for row in arguments.rows or ROW_MODULES:
        show_progress(f"{row}: measuring")
        try:
            found = measure_in_new_process(row, effort)
        except Exception as error:  # noqa: BLE001 - every error is reported
            show_note(f"bench: {row} failed: {type(error).__name__}: {error}")
            broken += 1
            continue
        clear_progress()
        results.extend(found)
        _print_lines([] if arguments.json else _result_rows(found))
    if arguments.json:
        print(json.dumps(_results_to_json(results), indent=2, ensure_ascii=False))
    else:
        print(f"\n{_machine_text()}\n{_goals_met_text(results)}")
    if arguments.write and not broken:
        page.write_results_page(
            [*TABLE_HEAD, *_result_rows(results)], _machine_text(), _goals_met_text(results)
        )
    return 1 if broken else 0


def _print_lines(lines: Iterable[str]) -> None:
    for text in lines:
        print(text, flush=True)


def _result_rows(results: list[Result]) -> list[str]:
    return [table_row(result.cells()) for result in results]


def _goals_met_text(results: list[Result]) -> str:
    judged = [result.is_met for result in results if result.is_met is not None]
    return f"{judged.count(True)} of {len(judged)} goals met"


def _results_to_json(results: list[Result]) -> dict[str, object]:
    rows = [asdict(result) | {"goal": str(result.goal or ""), "met": result.is_met} for result in results]
    return {"machine": _machine_text(), "score": _goals_met_text(results), "results": rows}


def _machine_text() -> str:
    packages = ", ".join(f"{name} {version(name)}" for name in COMPARED_PACKAGES)
    cores = f"{os.cpu_count()} cores under a load of {os.getloadavg()[1]:.1f}"
    system = f"{platform.machine()} {platform.system()}"
    return (
        f"Python {platform.python_version()}, {system}, {cores}, SQLite {sqlite3.sqlite_version}, {packages}"
    )


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="./dev bench", description="Measure Assent and its peers.")
    parser.add_argument(
        "rows", nargs="*", type=_parse_row_name, metavar="ROW", help=f"some of {', '.join(ROW_MODULES)}"
    )
    parser.add_argument(
        "--rounds", type=int, metavar="N", help="interleaved rounds, of which the best counts"
    )
    parser.add_argument("--quick", action="store_true", help="3 rounds instead of 9, and fewer decisions")
    parser.add_argument("--json", action="store_true", help="every figure, for a program to read")
    parser.add_argument("--write", action="store_true", help="keep the table in docs/performance.md")
    return parser.parse_args()


def _parse_row_name(word: str) -> str:
    row = find_row(word)
    if row is None:
        raise argparse.ArgumentTypeError(f"there is no row `{word}`; the rows are {', '.join(ROW_MODULES)}")
    return row


if __name__ == "__main__":
    sys.exit(main())
