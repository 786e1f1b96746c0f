"""The numbered requirements of docs/spec, and the tests that prove them.

`write` fills the last column of the tables from the tests' markers; `report` says what the last run proved.
A test that `proves` a promise would fail if it did not hold. One that `supports` it shows a part of it and
does not count.
"""

import json
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / ".cache"
PAGES = {
    "requirements": ROOT / "docs/spec/requirements.md",
    "threats": ROOT / "docs/spec/threats.md",
    "faults": ROOT / "docs/spec/faults.md",
}
COUNTED = {"requirements": r"R\d{3}-\d+", "threats": r"T-\d+", "faults": r"R-\d+"}
COLLECTED = CACHE / "proofs-collected.json"
PASSED = CACHE / "proofs-passed.json"
CORPUS_RATES = CACHE / "corpus-rates.json"

_ROW = re.compile(r"^\| (?P<id>[RTD]\d*-\d+) \| (?P<sentence>.+?) \| (?P<proofs>.*?) ?\|$")

MARKERS = ("proves", "supports")

Proofs = Mapping[str, Iterable[str]]


def known_ids() -> set[str]:
    """All ids that a marker may name."""
    return {number for page in PAGES.values() for number in row_ids(page.read_text("utf-8"))}


def row_ids(text: str) -> list[str]:
    """The ids of a page's rows, in order."""
    return [row["id"] for line in text.splitlines() if (row := _ROW.match(line))]


def with_proofs(text: str, proofs: Proofs, supports: Proofs) -> str:
    """The page with its last column updated."""
    return "".join(_line_with_proofs(line, proofs, supports) for line in text.splitlines(keepends=True))


def count_lines(proven: Iterable[str]) -> list[str]:
    """One line per kind of requirement: how many of them are proven."""
    proven = set(proven)
    lines: list[str] = []
    for kind, shape in COUNTED.items():
        promised = [
            number for number in row_ids(PAGES[kind].read_text("utf-8")) if re.fullmatch(shape, number)
        ]
        lines.append(f"{kind} proven: {len(proven.intersection(promised))} of {len(promised)}")
    return lines


def corpus_rates() -> list[str]:
    """The rates that the corpus tests measured in this run, one per line."""
    if not CORPUS_RATES.exists():
        return []
    rates: dict[str, str] = json.loads(CORPUS_RATES.read_text("utf-8"))
    return [f"corpus: {name} {rate}" for name, rate in rates.items()]


def write() -> int:
    """Collect the markers of all tests and update the tables."""
    COLLECTED.unlink(missing_ok=True)
    collect = [sys.executable, "-m", "pytest", "--collect-only", "-qq", "-p", "no:xdist"]
    collecting = subprocess.run(collect, cwd=ROOT, check=False, capture_output=True, text=True)
    if collecting.returncode or not COLLECTED.exists():
        print(collecting.stdout, collecting.stderr, "spec: the tests could not be collected", sep="\n")
        return 1
    marked: dict[str, dict[str, list[str]]] = json.loads(COLLECTED.read_text("utf-8"))
    for page in PAGES.values():
        text = page.read_text("utf-8")
        if (current := with_proofs(text, *(marked[marker] for marker in MARKERS))) != text:
            page.write_text(current, "utf-8")
            print(f"spec: {page.relative_to(ROOT)} brought up to date")
    return 0


def report() -> int:
    """Print what the last test run proved, and the measured corpus rates."""
    proven: list[str] = json.loads(PASSED.read_text("utf-8")) if PASSED.exists() else []
    print("\n".join([*count_lines(proven), *corpus_rates()]))
    return 0


def _line_with_proofs(line: str, proofs: Proofs, supports: Proofs) -> str:
    row = _ROW.match(line.rstrip("\n"))
    if row is None:
        return line
    proven, supported = (sorted(set(found.get(row["id"], ()))) for found in (proofs, supports))
    names = [f"`{test}`" for test in proven] + [f"in part: `{test}`" for test in supported]
    cell = "<br>".join(names).replace("|", r"\|")
    return f"| {row['id']} | {row['sentence']} | {cell}{' ' if cell else ''}|\n"


if __name__ == "__main__":
    commands = {"write": write, "report": report}
    if len(sys.argv) != 2 or sys.argv[1] not in commands:
        sys.exit("usage: tools/spec.py write|report")
    sys.exit(commands[sys.argv[1]]())
