"""The work of the parser is limited, and texts that the grammar misreads are rewritten."""

import subprocess
import sys

import pytest

from assent.engine.bash.language import MAX_TEXT_LENGTH, parse_bash
from assent.engine.bash.tree import (
    RespelledSource,
    create_parser,
    expand_command_braces,
    find_skipped_text,
    join_continued_lines,
    parse_tree,
)
from assent.engine.lines.command import Unreadable
from assent.engine.policy.modes import Mode
from assent.engine.policy.verdict import Stage, Verdict
from tests.engine import given
from tests.engine.bash.forged_nodes import ForgedNode
from tests.engine.bash.line_texts import describe_commands, unreadable_reason
from tests.engine.timing import measure_seconds

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
    snapshot = given.make_snapshot(deny=["terminal.exec(rm *)"], allow=["terminal.exec"], mode=Mode.AUTO)
    call = given.shell_call(HOSTILE[name])

    decision, spent = measure_seconds(lambda: given.decide_call(call, snapshot))

    assert decision.verdict is Verdict.DENY or decision.stage is Stage.UNREADABLE
    assert spent < 1.0


@pytest.mark.proves("T-23")
def test_a_line_of_sixty_one_commands_is_read_completely() -> None:
    decision = given.decide_call(
        given.shell_call(HOSTILE["61 commands, the last denied"]),
        given.make_snapshot(deny=["terminal.exec(rm *)"]),
    )

    assert decision.verdict is Verdict.DENY


@pytest.mark.proves("T-23")
def test_a_text_over_the_limit_is_not_even_parsed() -> None:
    just = "ls " + "a" * (MAX_TEXT_LENGTH - 3)

    assert parse_bash(just).unreadable is None
    assert parse_bash(just + "a").unreadable == f"is longer than {MAX_TEXT_LENGTH} characters"


def test_a_text_that_takes_too_much_work_has_no_tree() -> None:
    padding = b"#" * 2_000 + b"\n"

    assert parse_tree(b"ls") is not None
    assert parse_tree(padding + b"ls") is not None
    assert parse_tree(padding + b"cat <<E\nE\n" * 20) is None
    assert parse_tree(padding + b")" * 100) is None


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
def test_text_that_the_grammar_skips_is_found(text: bytes, left_out: bytes) -> None:
    root = parse_tree(text)

    assert root is not None
    assert find_skipped_text(text, root.children[0]) == left_out


@pytest.mark.proves("T-22")
def test_a_newline_between_the_words_of_a_command_is_found() -> None:
    text = b"b|p|y\n*>t"
    root = parse_tree(text)

    assert root is not None
    nodes = [root]
    for node in nodes:
        nodes.extend(node.children)
    with pytest.raises(RespelledSource) as respelled:
        [find_skipped_text(text, node) for node in nodes]
    assert respelled.value.source == b"b|p|y;*>t"


def test_a_newline_in_a_text_with_a_here_document_is_only_found() -> None:
    text = b"b <<E|p|y\n*>t\nE\n"
    root = parse_tree(text)

    assert root is not None
    nodes = [root]
    for node in nodes:
        nodes.extend(node.children)
    found = [find_skipped_text(text, node) for node in nodes]
    assert len(found) == len(nodes)


@pytest.mark.parametrize("package", ["tree_sitter_bash", "tree_sitter_powershell"])
def test_a_package_has_one_grammar_and_each_caller_a_new_parser(package: str) -> None:
    assert create_parser(package) is not create_parser(package)
    assert create_parser(package).language is create_parser(package).language
    assert create_parser(package).parse(b"ls").root_node.child_count == 1


def test_a_package_without_a_grammar_is_an_error_that_names_it() -> None:
    with pytest.raises(ModuleNotFoundError, match="no module named no_such_grammar"):
        create_parser("no_such_grammar")
    with pytest.raises(ModuleNotFoundError, match=r"no module named assent\._binding"):
        create_parser("assent")


def test_the_package_itself_is_not_imported() -> None:
    program = (
        "import sys; from assent.engine.bash.tree import create_parser; create_parser('tree_sitter_bash');"
        "sys.exit('tree_sitter_bash' in sys.modules)"
    )

    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


@pytest.mark.parametrize(
    ("text", "joined"),
    [
        ("a b", "a b"),
        ("a \\\n b", "a  b"),
        ("r\\\nm x", "rm x"),
        ("a\\\\\\\nb", "a\\\\b"),
        ("a 'b' \\\n c", "a 'b' \\\n c"),
    ],
)
@pytest.mark.proves("T-22")
def test_continued_lines_are_joined(text: str, joined: str) -> None:
    assert join_continued_lines(text) == joined


@pytest.mark.parametrize("text", ["a 'b'; r\\\nm x", "a 'b'; \\r\\\n'm' x", "# a\\\nrm x"])
@pytest.mark.proves("T-22")
def test_a_continued_word_is_refused_if_quotes_may_keep_the_backslash(text: str) -> None:
    with pytest.raises(Unreadable):
        join_continued_lines(text)


@pytest.mark.parametrize(
    ("text", "written"),
    [("{rm,-r,x}", "rm -r x"), ("a; {rm,x}", "a; rm x"), ("$({rm,x})", "$(rm x)")],
)
@pytest.mark.proves("T-24")
def test_a_brace_list_as_a_command_is_expanded(text: str, written: str) -> None:
    with pytest.raises(RespelledSource) as respelled:
        expand_command_braces(text.encode())

    assert respelled.value.source.decode() == written


def test_a_subshell_may_be_timed() -> None:
    assert describe_commands("ls; time (rm x | wc -l)") == ["ls", "rm x", "wc -l"]
    assert unreadable_reason("frob (rm x)") == "holds a word we do not read (subshell)"


def test_other_braces_stay_as_they_are() -> None:
    expand_command_braces(b"echo {a,b}")


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("time { a; }", ["a"]),
        ("time -p { a; }", ["a"]),
        ("coproc x { a; }", ["a"]),
        ("coproc { a; }", ["a"]),
        ("time", ["time"]),
        ("time a", ["time a"]),
        ("'time' { a", ["time { a"]),
    ],
)
def test_a_keyword_before_a_compound_statement_is_no_program(text: str, commands: list[str]) -> None:
    assert describe_commands(text) == commands


@pytest.mark.parametrize("text", ["then a", "a; fi", "do a", "esac", "}", "in a", "a && }"])
@pytest.mark.proves("T-22")
def test_a_keyword_out_of_place_is_refused(text: str) -> None:
    assert unreadable_reason(text)


def test_a_keyword_in_quotes_is_a_word() -> None:
    assert describe_commands("'then' a") == ["then a"]


def test_a_newline_before_the_only_word_separates_no_commands() -> None:
    command = ForgedNode("command", 0, 2, (ForgedNode("word", 1, 2),))

    assert find_skipped_text(b"\na", command) == b"\n"  # type: ignore[arg-type]
