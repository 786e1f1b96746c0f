"""Our reading against bash's own parse: what bash would run, we have read, and as bash has.

Bash prints a text as it understood it; we read both, the text and the print, and compare what each would run.
"""

import os
import re
from collections.abc import Callable
from random import Random

import pytest

from assent.engine.bash.language import read_bash
from assent.engine.lines.command import Access, Command, Line
from assent.engine.programs.word import HOLE
from tests.conftest import DEEP
from tests.corpus.deciding import CORPORA, ORIGINS, rows
from tests.engine.bash import bash
from tests.engine.bash.generated import line, mutated

NOT_PLAIN = re.compile(r"[^\w./:=@%+, -]").search
SEEDS = range(40 if DEEP else 4)
TEXTS = 500


@pytest.fixture(scope="module", autouse=True)
def _bash_that_prints() -> None:
    if bash.version() >= bash.NEEDED:
        return
    if os.environ.get("CI") == "true":
        pytest.fail("bash 5.2 or newer is needed to compare with")
    pytest.skip("there is no bash 5.2 or newer to compare with")


def corpus() -> list[str]:
    """Every line that is more than plain words."""
    every = {
        row.command
        for name in CORPORA
        for origin in ORIGINS
        for row in rows(origin, name)
        if row.shell == "bash"
    }
    return sorted(text for text in every if NOT_PLAIN(text) and "\0" not in text and len(text) < 5_000)


@pytest.mark.proves("T-22")
def test_what_bash_rejects_of_the_corpora_we_refuse() -> None:
    found = bash.parses("corpus", corpus())

    rejected = [text for text, parse in found.items() if not parse.accepted]

    assert len(rejected) > 20
    assert [text for text in rejected if read_bash(text).unreadable is None] == []


@pytest.mark.proves("T-22", "T-20")
def test_the_corpora_are_read_as_bash_reads_them() -> None:
    found = bash.parses("corpus", corpus())

    compared = [told for text, parse in found.items() if (told := disagreement(text, parse)) is not None]

    assert compared == []


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.proves("T-22", "T-20")
def test_changed_lines_of_the_corpora_are_read_as_bash_reads_them(seed: int) -> None:
    random = Random(seed)
    texts = [text for text in corpus() if len(text) < 300]

    found = bash.parses(f"mutated-{seed}", readable(lambda: mutated(random, texts)))

    assert [told for text, parse in found.items() if (told := disagreement(text, parse))] == []


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.proves("T-22", "T-20")
def test_lines_out_of_the_grammar_are_read_as_bash_reads_them(seed: int) -> None:
    random = Random(seed)

    found = bash.parses(f"line-{seed}", readable(lambda: line(random)))

    assert [told for text, parse in found.items() if (told := disagreement(text, parse))] == []


def readable(make: Callable[[], str]) -> list[str]:
    """So many texts that we can read; those we refuse cannot be misread."""
    found: list[str] = []
    while len(found) < TEXTS:
        text = make()
        if "\0" not in text and read_bash(text).unreadable is None:
            found.append(text)
    return found


def disagreement(text: str, parse: bash.Parse) -> str | None:
    """What bash would run otherwise than we read, in words; None when nothing."""
    ours, theirs = read_bash(text), read_bash(parse.printed.replace("coproc COPROC ", "coproc "))
    if ours.unreadable is not None or theirs.unreadable is not None:
        return None
    read, printed = acts(ours), acts(theirs)
    # Of a text that bash rejects it runs what stands before the mistake, and nothing else.
    missed = [act for act in printed if not _take(read, act)]
    if not missed and (not read or not parse.accepted):
        return None
    return f"{text!r}: bash has {missed}, we have {read}, in {parse.printed!r}"


def acts(line: Line) -> list[list[str]]:
    """What a line would run, so far as printing does not change it."""
    return [act for command in line.commands if command.program != "((" and (act := _act(command))]


def _act(command: Command) -> list[str]:
    """The program, then its other words, assignments and redirections in any order: bash prints them sorted."""
    words = [word.text for word in command.words]
    if words[:1] == ["[["]:
        words = [word for word in words if word != "-n"]  # which bash adds
    assigned = [f"{one.name.partition('[')[0]}={one.value.text}" for one in command.assignments]
    redirected = [
        one.access.value + (_squeezed(one.target.text) if one.access is Access.TEXT else one.target.text)
        for one in command.redirects
        if one.access is not Access.DUPLICATE
    ]
    return [*words[:1], *sorted([*words[1:], *assigned, *redirected])]


def _squeezed(text: str) -> str:
    """A here-document without what bash takes out of it: tabs before its lines, and joints between them."""
    return "".join(text.replace("\\\n", "").split())


def _take(acts: list[list[str]], wanted: list[str]) -> bool:
    """Take an act that could be the wanted one out of the list."""
    for act in acts:
        if (
            len(act) == len(wanted)
            and all(map(_could_be, sorted(act), sorted(wanted)))
            and _could_be(act[0], wanted[0])
        ):
            acts.remove(act)
            return True
    return False


def _could_be(text: str, other: str) -> bool:
    """Whether two texts are the same for some value of what either of them leaves open."""
    return text == other or _fills(text, other) or _fills(other, text)


def _fills(text: str, other: str) -> bool:
    return re.fullmatch("(?s:.*)".join(map(re.escape, text.split(HOLE))), other) is not None
