"""Measures the rows that were asked for and prints them as a table."""

import argparse
import json
import platform
import sys
from dataclasses import asdict
from importlib.metadata import version

from bench.harness import COLUMNS, Effort, Result, line, ruler
from bench.progress import clear, say
from bench.rows import ROWS, measure, row_named

PACKAGES = ("tree-sitter", "tree-sitter-bash", "pyahocorasick", "cedarpy", "casbin", "pathspec")


def main() -> int:
    """A missed goal is a finding; a benchmark that breaks is a failure, and the others still count."""
    arguments = _arguments()
    effort = Effort(arguments.rounds or (3 if arguments.quick else 9), arguments.quick)
    results: list[Result] = []
    broken: list[str] = []
    _print_table([COLUMNS], unless=arguments.json)
    for row in arguments.rows or ROWS:
        say(f"{row}: measuring")
        try:
            found = measure(row, effort)
        except Exception as error:  # noqa: BLE001 - said below
            broken.append(f"bench: {row} failed: {type(error).__name__}: {error}")
            found = []
        clear()
        results.extend(found)
        _print_table([result.cells() for result in found], unless=arguments.json)
    _print_summary(results, as_json=arguments.json)
    for sentence in broken:
        print(sentence, file=sys.stderr)
    return 1 if broken else 0


def _print_table(rows: list[tuple[str, ...]], *, unless: bool) -> None:
    if unless:
        return
    for cells in rows:
        print(line(cells), flush=True)
        if cells == COLUMNS:
            print(ruler(), flush=True)


def _print_summary(results: list[Result], *, as_json: bool) -> None:
    judged = [result.met for result in results if result.met is not None]
    if as_json:
        rows = [asdict(result) | {"met": result.met} for result in results]
        report = {"machine": _machine(), "met": judged.count(True), "goals": len(judged), "results": rows}
        print(json.dumps(report, indent=2, ensure_ascii=False))
    else:
        print(f"\n{_machine()}\n{judged.count(True)} of {len(judged)} goals met")


def _machine() -> str:
    packages = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    return f"Python {platform.python_version()}, {platform.machine()} {platform.system()}, {packages}"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="./dev bench", description="Measure Assent and its peers.")
    parser.add_argument("rows", nargs="*", type=_row, metavar="ROW", help=f"some of {', '.join(ROWS)}")
    parser.add_argument(
        "--rounds", type=int, metavar="N", help="interleaved rounds, of which the best counts"
    )
    parser.add_argument("--quick", action="store_true", help="3 rounds instead of 9, and fewer decisions")
    parser.add_argument("--json", action="store_true", help="every figure, for a program to read")
    return parser.parse_args()


def _row(word: str) -> str:
    row = row_named(word)
    if row is None:
        raise argparse.ArgumentTypeError(f"there is no row `{word}`; the rows are {', '.join(ROWS)}")
    return row


if __name__ == "__main__":
    sys.exit(main())
