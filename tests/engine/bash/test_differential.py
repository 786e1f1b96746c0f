"""Compare our reading with the parse of bash: we must find every command that bash would run.

Bash prints a text as it understood it; we read both, the text and the print, and compare what each would run.
"""

import os
import re
from collections.abc import Callable
from random import Random

import pytest

from assent.engine.bash.language import parse_bash
from assent.engine.lines.command import Command, ParsedLine, RedirectAccess
from assent.engine.programs.word import UNKNOWN_MARK
from tests.conftest import IS_DEEP_RUN
from tests.corpus.corpus_rows import CORPORA, ORIGINS, load_rows
from tests.engine.bash import bash
from tests.engine.bash.random_texts import mutate_text_randomly, random_line

NOT_PLAIN = re.compile(r"[^\w./:=@%+, -]").search
SEEDS = range(40 if IS_DEEP_RUN else 2)
TEXTS = 500


@pytest.fixture(scope="module", autouse=True)
def _skip_without_printing_bash() -> None:
    if bash.bash_version() >= bash.MINIMAL_VERSION:
        return
    if os.environ.get("CI") == "true":
        pytest.fail("bash 5.2 or newer is needed to compare with")
    pytest.skip("there is no bash 5.2 or newer to compare with")


def corpus_lines() -> list[str]:
    """Every line that is more than plain words."""
    every = {
        row.command
        for name in CORPORA
        for origin in ORIGINS
        for row in load_rows(origin, name)
        if row.shell == "bash"
    }
    return sorted(text for text in every if NOT_PLAIN(text) and "\0" not in text and len(text) < 5_000)


@pytest.mark.proves("T-22")
def test_corpus_lines_that_bash_rejects_are_refused() -> None:
    found = bash.parse_with_bash("corpus", corpus_lines())

    rejected = [text for text, parse in found.items() if not parse.accepted]

    assert len(rejected) > 20
    assert [text for text in rejected if parse_bash(text).unreadable is None] == []


@pytest.mark.proves("T-22", "T-20")
def test_the_corpora_are_read_as_bash_reads_them() -> None:
    found = bash.parse_with_bash("corpus", corpus_lines())

    compared = [told for text, parse in found.items() if (told := find_disagreement(text, parse)) is not None]

    assert compared == []


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.proves("T-22", "T-20")
def test_changed_lines_of_the_corpora_are_read_as_bash_reads_them(seed: int) -> None:
    random = Random(seed)
    texts = [text for text in corpus_lines() if len(text) < 300]

    found = bash.parse_with_bash(
        f"mutated-{seed}", generate_readable_texts(lambda: mutate_text_randomly(random, texts))
    )

    assert [told for text, parse in found.items() if (told := find_disagreement(text, parse))] == []


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.proves("T-22", "T-20")
def test_lines_out_of_the_grammar_are_read_as_bash_reads_them(seed: int) -> None:
    random = Random(seed)

    found = bash.parse_with_bash(f"line-{seed}", generate_readable_texts(lambda: random_line(random)))

    assert [told for text, parse in found.items() if (told := find_disagreement(text, parse))] == []


def generate_readable_texts(make: Callable[[], str]) -> list[str]:
    """The required number of generated texts that are readable; unreadable texts cannot be misread."""
    found: list[str] = []
    while len(found) < TEXTS:
        text = make()
        if "\0" not in text and parse_bash(text).unreadable is None:
            found.append(text)
    return found


def find_disagreement(text: str, parse: bash.BashParse) -> str | None:
    """A description of what bash would run differently; None if there is no difference."""
    ours, theirs = parse_bash(text), parse_bash(parse.output.replace("coproc COPROC ", "coproc "))
    if ours.unreadable is not None or theirs.unreadable is not None:
        return None
    read, printed = list_actions(ours), list_actions(theirs)
    # Of a text that bash rejects it runs what stands before the mistake, and nothing else.
    missed = [act for act in printed if not _remove_action(read, act)]
    if not missed and (not read or not parse.accepted):
        return None
    return f"{text!r}: bash has {missed}, we have {read}, in {parse.output!r}"


def list_actions(line: ParsedLine) -> list[list[str]]:
    """The actions of a line, without details that printing changes."""
    return [
        act for command in line.commands if command.program != "((" and (act := _describe_action(command))
    ]


def _describe_action(command: Command) -> list[str]:
    """The program, then its other words, assignments and redirections in any order: bash prints them sorted."""
    words = [word.text for word in command.words]
    if words[:1] == ["[["]:
        words = [word for word in words if word != "-n"]  # which bash adds
    assigned = [f"{one.name.partition('[')[0]}={one.value.text}" for one in command.assignments]
    redirected = [
        one.access.value
        + (_squeeze_blanks(one.target.text) if one.access is RedirectAccess.TEXT else one.target.text)
        for one in command.redirects
        if one.access is not RedirectAccess.DUPLICATE
    ]
    return [*words[:1], *sorted([*words[1:], *assigned, *redirected])]


def _squeeze_blanks(text: str) -> str:
    """A here-document without the tabs and continued lines that bash removes."""
    return "".join(text.replace("\\\n", "").split())


def _remove_action(acts: list[list[str]], wanted: list[str]) -> bool:
    """Remove the first action from the list that may be the wanted action; return whether there is one."""
    for act in acts:
        if (
            len(act) == len(wanted)
            and all(map(_could_be_equal, sorted(act), sorted(wanted)))
            and _could_be_equal(act[0], wanted[0])
        ):
            acts.remove(act)
            return True
    return False


def _could_be_equal(text: str, other: str) -> bool:
    """Whether two texts can be equal for some values of their unknown pieces."""
    return text == other or _could_match(text, other) or _could_match(other, text)


def _could_match(text: str, other: str) -> bool:
    return re.fullmatch("(?s:.*)".join(map(re.escape, text.split(UNKNOWN_MARK))), other) is not None
