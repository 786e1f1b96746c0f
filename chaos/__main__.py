"""Tries the forms that were asked for, and says what came of them."""

import argparse
import random
import sys

from bench.progress import clear, note, say
from chaos import page
from chaos.forms import FORMS, POSTGRES, SQLITE
from chaos.report import COLUMNS, Report, line


def main() -> int:
    """Fails when an invariant is broken; a figure that is worse than promised is a finding, too."""
    arguments = _arguments()
    seed = random.SystemRandom().randrange(10**6) if arguments.seed is None else arguments.seed
    print(f"seed {seed}\n{line(COLUMNS)}\n{line(['-' * len(column) for column in COLUMNS])}", flush=True)
    reports: list[Report] = []
    for name in arguments.forms or FORMS:
        for store in FORMS[name].stores:
            if arguments.store in (None, store):
                say(f"{name} on {store}")
                reports.append(FORMS[name].tried(store, seed, say, short=arguments.short))
                clear()
                _show(reports[-1])
                if arguments.write:
                    page.write(reports[-1:])
    return 0 if all(report.is_well for report in reports) else 1


def _show(report: Report) -> None:
    print(line(report.cells()), flush=True)
    for missed in report.missed:
        note(f"chaos: {report.form} on {report.store}: {missed}")
    for breach in report.breaches or ():
        note(f"chaos: {breach.invariant} is broken by {breach.call}: {breach.why}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="./dev chaos", description="Try the gate and its stores to destruction."
    )
    parser.add_argument("forms", nargs="*", type=_form, metavar="FORM", help=f"some of {', '.join(FORMS)}")
    parser.add_argument("--store", choices=(SQLITE, POSTGRES), help="only on this store")
    parser.add_argument(
        "--seed", type=int, metavar="N", help="do again what a run with this seed did, as far as chance goes"
    )
    parser.add_argument("--short", action="store_true", help="as short as in the tests")
    parser.add_argument("--write", action="store_true", help="keep the figures in docs/reliability.md")
    return parser.parse_args()


def _form(word: str) -> str:
    if word not in FORMS:
        raise argparse.ArgumentTypeError(f"there is no form `{word}`; the forms are {', '.join(FORMS)}")
    return word


if __name__ == "__main__":
    sys.exit(main())
