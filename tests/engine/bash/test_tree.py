"""The parser is kept from taking long, and every limit ends in a question."""

import subprocess
import sys

import pytest

from assent.engine.bash.language import LONGEST_TEXT, read_bash
from assent.engine.bash.tree import parse, parser, passed_over
from assent.engine.modes import Mode
from assent.engine.verdict import Stage, Verdict
from tests.engine import given
from tests.engine.timing import costing

HOSTILE = {
    "61 commands, the last denied": "; ".join(["ls"] * 60 + ["rm x"]),
    "2,001 commands": "; ".join(["ls"] * 2_000 + ["rm x"]),
    "3,001 commands": " && ".join(["ls"] * 3_000 + ["rm x"]),
    "3,001 stages": " | ".join(["cat"] * 3_000 + ["rm x"]),
    "150 groups": "{ " * 150 + "rm x" + "; }" * 150,
    "200 subshells": "( " * 200 + "rm x" + " )" * 200,
    "200 substitutions": "echo " + "$(echo " * 200 + "$(rm x)" + ")" * 200,
    "200 quotes": 'echo "' + '$(echo "' * 200 + "$(rm x)" + '")' * 200 + '"',
    "a long argument": "echo " + "a" * 200_000 + "; rm x",
    "a long quoted argument": "echo '" + "a b " * 50_000 + "'; rm x",
    "many quotes": "echo " + "'a' " * 20_000 + "; rm x",
    "many heredocs": "\n".join(["cat <<E\nx\nE"] * 100) + "\nrm x",
    "many closing brackets": "ls " + ")" * 30_000,
    "many opening brackets": "ls " + "$(" * 30_000,
    "many backticks": "ls " + "`" * 30_000,
    "many braces": "ls " + "{a,b}" * 1_000 + "; rm x",
    "many negations": "! " * 5_000 + "rm x",
    "many ifs": "if " * 5_000,
    "many escapes": "ls " + "\\a" * 20_000 + "; rm x",
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.proves("T-23", "R-18")
def test_a_hostile_text_never_runs_and_takes_little_time(name: str) -> None:
    snapshot = given.policy(deny=["terminal.exec(rm *)"], allow=["terminal.exec"], mode=Mode.AUTO)
    call = given.run(HOSTILE[name])

    decision, spent = costing(lambda: given.decided(call, snapshot))

    assert decision.verdict is Verdict.DENY or decision.stage is Stage.UNREADABLE
    assert spent < 1.0


@pytest.mark.proves("T-23")
def test_sixty_one_commands_are_all_read() -> None:
    decision = given.decided(
        given.run(HOSTILE["61 commands, the last denied"]), given.policy(deny=["terminal.exec(rm *)"])
    )

    assert decision.verdict is Verdict.DENY


@pytest.mark.proves("T-23")
def test_a_text_over_the_limit_is_not_even_parsed() -> None:
    just = "ls " + "a" * (LONGEST_TEXT - 3)

    assert read_bash(just).unreadable is None
    assert read_bash(just + "a").unreadable == f"is longer than {LONGEST_TEXT} characters"


def test_a_text_that_is_not_worth_the_time_has_no_tree() -> None:
    padding = b"#" * 2_000 + b"\n"

    assert parse(b"ls") is not None
    assert parse(padding + b"ls") is not None
    assert parse(padding + b"cat <<E\nE\n" * 20) is None
    assert parse(padding + b")" * 100) is None


@pytest.mark.parametrize(
    ("text", "left_out"),
    [
        (b"ls -l", b""),
        (b"ls \\\n -l", b""),
        (b"cat - 2>x", b"-"),
        (b"cat - <<E\nx\nE", b"-"),
    ],
)
@pytest.mark.proves("T-22")
def test_text_that_the_grammar_leaves_out_is_noticed(text: bytes, left_out: bytes) -> None:
    root = parse(text)

    assert root is not None
    assert passed_over(text, root.children[0]) == left_out


@pytest.mark.proves("T-22")
def test_a_line_end_between_the_words_of_a_command_is_noticed() -> None:
    text = b"b|p|y\n*>t"
    root = parse(text)

    assert root is not None
    nodes = [root]
    for node in nodes:
        nodes.extend(node.children)
    assert b"\n" in [passed_over(text, node) for node in nodes]


@pytest.mark.parametrize("package", ["tree_sitter_bash", "tree_sitter_powershell"])
def test_a_package_has_one_grammar_and_everybody_a_parser_of_their_own(package: str) -> None:
    assert parser(package) is not parser(package)
    assert parser(package).language is parser(package).language
    assert parser(package).parse(b"ls").root_node.child_count == 1


def test_a_package_without_a_grammar_is_an_error_that_names_it() -> None:
    with pytest.raises(ModuleNotFoundError, match="no module named no_such_grammar"):
        parser("no_such_grammar")
    with pytest.raises(ModuleNotFoundError, match=r"no module named assent\._binding"):
        parser("assent")


def test_the_package_itself_is_not_imported() -> None:
    program = (
        "import sys; from assent.engine.bash.tree import parser; parser('tree_sitter_bash');"
        "sys.exit('tree_sitter_bash' in sys.modules)"
    )

    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
