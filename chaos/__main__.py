"""Runs the selected chaos scenarios and prints a table of results."""

import argparse
import random
import sys

from bench.progress import clear_progress, show_note, show_progress
from chaos import page
from chaos.forms import POSTGRES, SCENARIOS, SQLITE
from chaos.report import COLUMNS, Report, table_row


def main() -> int:
    """Run the scenarios; returns 1 if an invariant was broken or a limit was missed."""
    arguments = _parse_arguments()
    seed = random.SystemRandom().randrange(10**6) if arguments.seed is None else arguments.seed
    print(
        f"seed {seed}\n{table_row(COLUMNS)}\n{table_row(['-' * len(column) for column in COLUMNS])}",
        flush=True,
    )
    reports: list[Report] = []
    for name in arguments.scenarios or SCENARIOS:
        for store in SCENARIOS[name].stores:
            if arguments.store in (None, store):
                show_progress(f"{name} on {store}")
                reports.append(SCENARIOS[name].run(store, seed, show_progress, short=arguments.short))
                clear_progress()
                _print_report(reports[-1])
                if arguments.write:
                    page.write_results(reports[-1:])
    return 0 if all(report.is_clean for report in reports) else 1


def _print_report(report: Report) -> None:
    print(table_row(report.cells()), flush=True)
    for missed in report.missed:
        show_note(f"chaos: {report.scenario} on {report.store}: {missed}")
    for breach in report.breaches or ():
        show_note(f"chaos: {breach.invariant} is broken by {breach.call}: {breach.why}")


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="./dev chaos", description="Try the gate and its stores to destruction."
    )
    parser.add_argument(
        "scenarios",
        nargs="*",
        type=_parse_scenario_name,
        metavar="SCENARIO",
        help=f"some of {', '.join(SCENARIOS)}",
    )
    parser.add_argument("--store", choices=(SQLITE, POSTGRES), help="only on this store")
    parser.add_argument(
        "--seed", type=int, metavar="N", help="do again what a run with this seed did, as far as chance goes"
    )
    parser.add_argument("--short", action="store_true", help="as short as in the tests")
    parser.add_argument("--write", action="store_true", help="keep the figures in docs/reliability.md")
    return parser.parse_args()


def _parse_scenario_name(word: str) -> str:
    if word not in SCENARIOS:
        raise argparse.ArgumentTypeError(
            f"there is no scenario `{word}`; the scenarios are {', '.join(SCENARIOS)}"
        )
    return word


if __name__ == "__main__":
    sys.exit(main())
