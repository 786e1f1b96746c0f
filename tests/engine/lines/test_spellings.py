"""The forms of a command that rules are compared with."""

import pytest

from assent.engine.lines import spellings
from assent.engine.lines.command import Assignment, Command
from assent.engine.programs.word import UNKNOWN_MARK, Word


def to_words(line: str) -> tuple[Word, ...]:
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
def test_deny_and_ask_rules_match_a_command_without_its_disguise(line: str, form: str) -> None:
    assert form in spellings.normal_forms(Command(to_words(line)), spellings.find_bash_forms)


def test_an_option_value_stays_if_nothing_else_would_remain() -> None:
    assert spellings.normal_forms(Command(to_words("npm install --save x")), spellings.find_bash_forms) == (
        "npm install --save x",
        "npm install x",
    )


def test_a_command_with_only_options_has_no_form_without_them() -> None:
    assert spellings.normal_forms(Command(to_words("ls -l")), spellings.find_bash_forms) == ("ls -l",)


def test_a_command_is_compared_with_and_without_its_assignment() -> None:
    command = Command(to_words("rm x"), (Assignment("A", Word("b")),))

    assert spellings.normal_forms(command, spellings.find_bash_forms) == ("rm x", "A=b rm x")


def test_an_unknown_word_is_a_wildcard_at_each_position() -> None:
    loose = Command((Word("git"), Word(UNKNOWN_MARK + "x", splits=True), Word("src/*.py", glob=True)))

    assert spellings.possible_forms(loose, spellings.find_bash_forms) == (
        f"git {UNKNOWN_MARK} src/{UNKNOWN_MARK}.py",
    )
    assert spellings.possible_forms(Command(to_words("git status")), spellings.find_bash_forms) == ()


def test_allow_rules_match_the_words_as_written() -> None:
    assert spellings.written_forms(Command(to_words("/bin/rm x")), harmless_assignments=True) == (
        ("/bin/rm", "x"),
    )


def test_an_assignment_must_be_spelled_out_unless_it_is_harmless() -> None:
    command = Command(to_words("npm test"), (Assignment("A", Word("b")),))

    assert spellings.written_forms(command, harmless_assignments=False) == (("A=b", "npm", "test"),)
    assert spellings.written_forms(command, harmless_assignments=True) == (
        ("npm", "test"),
        ("A=b", "npm", "test"),
    )


@pytest.mark.parametrize("word", [Word(UNKNOWN_MARK), Word("*.py", glob=True), Word("a", splits=True)])
def test_no_rule_covers_an_unknown_word(word: Word) -> None:
    assert spellings.written_forms(Command((Word("rm"), word)), harmless_assignments=True) == ()


def test_no_rule_covers_a_function_of_the_line() -> None:
    assert (
        spellings.written_forms(
            Command(to_words("npm test"), is_function_call=True), harmless_assignments=True
        )
        == ()
    )
