"""The forms by which rules compare a command."""

import pytest

from assent.engine.lines import spellings
from assent.engine.lines.command import Assignment, Command
from assent.engine.programs.word import HOLE, Word


def words(line: str) -> tuple[Word, ...]:
    return tuple(map(Word, line.split()))


@pytest.mark.proves("T-24")
@pytest.mark.parametrize(
    ("line", "form"),
    [
        ("/bin/rm x", "rm x"),
        ("/bin/rm x", "/bin/rm x"),
        ("git -C . push origin", "git push origin"),
        ("git -C . -c a=b push origin", "git push origin"),
        ("gh pr -R o/r merge 5", "gh pr merge 5"),
        ("gh pr -R o/r merge --squash 5", "gh pr merge 5"),
        ("apt-get -y install x", "apt-get install x"),
        ("cargo +nightly publish", "cargo publish"),
        ("aws --profile=p s3 rm x", "aws s3 rm x"),
        ("cat -n secrets", "cat secrets"),
    ],
)
def test_deny_and_ask_see_a_command_without_its_disguise(line: str, form: str) -> None:
    assert form in spellings.normal_forms(Command(words(line)), spellings.bash_spellings)


def test_a_value_is_not_taken_away_when_nothing_would_remain() -> None:
    assert spellings.normal_forms(Command(words("npm install --save x")), spellings.bash_spellings) == (
        "npm install --save x",
        "npm install x",
    )


def test_options_alone_leave_the_program() -> None:
    assert spellings.normal_forms(Command(words("ls -l")), spellings.bash_spellings) == ("ls -l",)


def test_an_assignment_is_seen_with_and_without() -> None:
    command = Command(words("rm x"), (Assignment("A", Word("b")),))

    assert spellings.normal_forms(command, spellings.bash_spellings) == ("rm x", "A=b rm x")


def test_what_is_unknown_is_a_hole_wherever_it_may_stand() -> None:
    loose = Command((Word("git"), Word(HOLE + "x", splits=True), Word("src/*.py", glob=True)))

    assert spellings.possible_forms(loose, spellings.bash_spellings) == (f"git {HOLE} src/{HOLE}.py",)
    assert spellings.possible_forms(Command(words("git status")), spellings.bash_spellings) == ()


def test_allow_sees_the_words_as_written() -> None:
    assert spellings.written_forms(Command(words("/bin/rm x")), prefixed=True) == (("/bin/rm", "x"),)


def test_an_assignment_must_be_spelled_out_unless_it_is_harmless() -> None:
    command = Command(words("npm test"), (Assignment("A", Word("b")),))

    assert spellings.written_forms(command, prefixed=False) == (("A=b", "npm", "test"),)
    assert spellings.written_forms(command, prefixed=True) == (("npm", "test"), ("A=b", "npm", "test"))


@pytest.mark.parametrize("word", [Word(HOLE), Word("*.py", glob=True), Word("a", splits=True)])
def test_no_rule_covers_what_is_unknown(word: Word) -> None:
    assert spellings.written_forms(Command((Word("rm"), word)), prefixed=True) == ()


def test_no_rule_covers_a_function_of_the_line() -> None:
    assert spellings.written_forms(Command(words("npm test"), function=True), prefixed=True) == ()
