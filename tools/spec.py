"""Connects the numbered requirements of docs/spec with the tests that prove them.

`write` fills the last column of the tables from the tests' markers; `report` prints what the last run proved.
A test that `proves` a requirement would fail if the requirement were not met. A test that `supports` it
checks only a part of it, and does not count.
"""

import json
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CACHE_FOLDER = ROOT / ".cache"
SPEC_PAGES = {
    "requirements": ROOT / "docs/spec/requirements.md",
    "threats": ROOT / "docs/spec/threats.md",
    "faults": ROOT / "docs/spec/faults.md",
}
COUNTED_ID_PATTERNS = {"requirements": r"R\d{3}-\d+", "threats": r"T-\d+", "faults": r"R-\d+"}
COLLECTED_PROOFS_FILE = CACHE_FOLDER / "proofs-collected.json"
PASSED_PROOFS_FILE = CACHE_FOLDER / "proofs-passed.json"
CORPUS_RATES_FILE = CACHE_FOLDER / "corpus-rates.json"

_TABLE_ROW = re.compile(r"^\| (?P<id>[RTD]\d*-\d+) \| (?P<sentence>.+?) \| (?P<proofs>.*?) ?\|$")

MARKERS = ("proves", "supports")

ProvingTests = Mapping[str, Iterable[str]]


def known_ids() -> set[str]:
    """The ids of all requirements that a marker may name."""
    return {number for page in SPEC_PAGES.values() for number in row_ids(page.read_text("utf-8"))}


def row_ids(text: str) -> list[str]:
    """The ids in the table rows of a page, in order."""
    return [row["id"] for line in text.splitlines() if (row := _TABLE_ROW.match(line))]


def with_proofs(text: str, proofs: ProvingTests, supports: ProvingTests) -> str:
    """The text of a page with an updated last column."""
    return "".join(_line_with_proofs(line, proofs, supports) for line in text.splitlines(keepends=True))


def proven_count_lines(proven: Iterable[str]) -> list[str]:
    """One line for each kind of requirement, with the number of proven ones."""
    proven = set(proven)
    lines: list[str] = []
    for kind, shape in COUNTED_ID_PATTERNS.items():
        promised = [
            number for number in row_ids(SPEC_PAGES[kind].read_text("utf-8")) if re.fullmatch(shape, number)
        ]
        lines.append(f"{kind} proven: {len(proven.intersection(promised))} of {len(promised)}")
    return lines


def corpus_rate_lines() -> list[str]:
    """The rates that the corpus tests measured in the last run, one per line."""
    if not CORPUS_RATES_FILE.exists():
        return []
    rates: dict[str, str] = json.loads(CORPUS_RATES_FILE.read_text("utf-8"))
    return [f"corpus: {name} {rate}" for name, rate in rates.items()]


def write_proofs() -> int:
    """Collect the markers of all tests, and update the tables."""
    COLLECTED_PROOFS_FILE.unlink(missing_ok=True)
    collect = [sys.executable, "-m", "pytest", "--collect-only", "-qq", "-p", "no:xdist"]
    collecting = subprocess.run(collect, cwd=ROOT, check=False, capture_output=True, text=True)
    if collecting.returncode or not COLLECTED_PROOFS_FILE.exists():
        print(collecting.stdout, collecting.stderr, "spec: the tests could not be collected", sep="\n")
        return 1
    marked: dict[str, dict[str, list[str]]] = json.loads(COLLECTED_PROOFS_FILE.read_text("utf-8"))
    for page in SPEC_PAGES.values():
        text = page.read_text("utf-8")
        if (current := with_proofs(text, *(marked[marker] for marker in MARKERS))) != text:
            page.write_text(current, "utf-8")
            print(f"spec: {page.relative_to(ROOT)} brought up to date")
    return 0


def print_report() -> int:
    """Print what the last test run proved, and the measured corpus rates."""
    proven: list[str] = (
        json.loads(PASSED_PROOFS_FILE.read_text("utf-8")) if PASSED_PROOFS_FILE.exists() else []
    )
    print("\n".join([*proven_count_lines(proven), *corpus_rate_lines()]))
    return 0


def _line_with_proofs(line: str, proofs: ProvingTests, supports: ProvingTests) -> str:
    row = _TABLE_ROW.match(line.rstrip("\n"))
    if row is None:
        return line
    proven, supported = (sorted(set(found.get(row["id"], ()))) for found in (proofs, supports))
    names = [f"`{test}`" for test in proven] + [f"in part: `{test}`" for test in supported]
    cell = "<br>".join(names).replace("|", r"\|")
    return f"| {row['id']} | {row['sentence']} | {cell}{' ' if cell else ''}|\n"


if __name__ == "__main__":
    commands = {"write": write_proofs, "report": print_report}
    if len(sys.argv) != 2 or sys.argv[1] not in commands:
        sys.exit("usage: tools/spec.py write|report")
    sys.exit(commands[sys.argv[1]]())
