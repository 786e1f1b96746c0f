"""Texts that editors of files and scripts of other languages may put into files."""

import pytest

from assent.engine.lines.command import Command
from assent.engine.lines.edits import edited
from assent.engine.lines.printing import fed
from assent.engine.programs.word import Word
from tests.engine.bash.reading import read


def edits(text: str) -> list[tuple[str, str]]:
    command = read(text).commands[-1]
    return list(edited(command.program, command, fed(command)))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("sed -i '1i rm x' ./s", ("s", "rm x")),
        ("sed --in-place 's/a/rm x/' s", ("s", "rm x")),
        ("perl -pi -e 's|a|rm x|' s", ("s", "rm x")),
        ("ex s <<< 'a rm x'", ("s", "a rm x\n")),
        ("node -e \"fs.writeFileSync('s.sh', 'rm x')\"", ("s.sh", "rm x")),
        ('python3.11 -c \'open("s", "w").write("rm x\\ny z")\'', ("s", "rm x\ny z")),
        ("pnpm pkg set scripts.a='rm x'", ("package.json", ': "rm x"')),
    ],
)
def test_a_file_may_hold_what_a_script_puts_there(text: str, found: tuple[str, str]) -> None:
    assert found in edits(text)


@pytest.mark.parametrize(
    "text",
    ["sed 's/a/rm x/' s", "sed -n p s", "python -c 'print(1)'", "npm pkg set version=1.0.0", "ls s", "ed s"],
)
def test_nothing_is_guessed_of_what_writes_nothing(text: str) -> None:
    assert edits(text) == []


def test_a_command_without_words_edits_nothing() -> None:
    assert list(edited("", Command((Word(""),)), None)) == []
