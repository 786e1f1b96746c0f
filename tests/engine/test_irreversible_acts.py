"""Irreversible is shown and held for; it is no reason to decide otherwise."""

import pytest

from assent.engine.irreversible import commands, tools
from assent.engine.irreversible_acts import irreversible
from assent.engine.model import Call, Dialect, Tool
from assent.engine.programs.program import Program
from tests.corpus.deciding import CORPORA, ORIGINS, answer, answers
from tests.engine import given


@pytest.mark.proves("T-49")
@pytest.mark.parametrize("corpus", CORPORA)
def test_every_verdict_is_the_same_with_and_without_the_table(
    corpus: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_table = [given_answer for origin in ORIGINS for _, given_answer in answers(origin, corpus)]
    monkeypatch.setattr(commands, "lookup", lambda _: Program(""))
    monkeypatch.setattr(tools, "_VERBS", {})

    assert [answer(row) for origin in ORIGINS for row, _ in answers(origin, corpus)] == with_table


@pytest.mark.parametrize("corpus", CORPORA)
def test_every_line_of_the_corpora_is_read_and_none_that_only_reads_is_irreversible(corpus: str) -> None:
    told = 0
    for origin in ORIGINS:
        for row, _ in answers(origin, corpus):
            dialect = Dialect.POWERSHELL if row.shell == "powershell" else Dialect.SHELL
            tool = Tool(name="terminal.exec", dialect=dialect)
            told += bool(irreversible(Call(tool=tool.name, args={"command": row.command}), tool))

    assert (told == 0) is (corpus == "benign")


def test_a_call_without_a_command_does_nothing_of_the_kind() -> None:
    assert irreversible(Call(tool=given.SHELL.name, args={}), given.SHELL) == ()
