"""What a person is shown of a line: where each command begins, and what is to be said of it by itself."""

import pytest
from tree_sitter import Node

from assent.engine.bash.tree import parser
from assent.engine.lines.part import ParsedCall, Part
from assent.engine.model import Call, Tool
from assent.engine.modes import Mode
from assent.engine.parsing import parse_call
from assent.engine.pieces import MOST_PIECES, call_pieces, segments
from assent.engine.policy.snapshot import Snapshot
from assent.engine.verdict import Piece, Verdict
from tests.corpus.deciding import CORPORA, ORIGINS, rows
from tests.engine import given

UNCOVERED = "nothing covers this"


def told_apart(call: Call, snapshot: Snapshot | None = None) -> tuple[Piece, ...]:
    snapshot = snapshot or given.policy()
    return call_pieces(call, snapshot, given.facts(call, snapshot), given.decided(call, snapshot))


def test_each_command_begins_where_it_stands_and_has_its_own_verdict() -> None:
    policy = given.policy(allow=["terminal.exec(frob *)"], grants=["terminal.exec(tidy *)"])

    assert told_apart(given.run("ls src && frob run && tidy up; grob it"), policy) == (
        Piece(0, Verdict.RUN, "it only reads"),
        Piece(10, Verdict.RUN, "allow rule `terminal.exec(frob *)`", "terminal.exec(frob *)"),
        Piece(22, Verdict.RUN, "granted before: `terminal.exec(tidy *)`", "terminal.exec(tidy *)"),
        Piece(31, Verdict.ASK, UNCOVERED),
    )


def test_a_rule_speaks_about_the_part_that_it_hits_and_no_other() -> None:
    policy = given.policy(ask=["terminal.exec(grob *)"])
    frob, grob = told_apart(given.run("frob a; timeout 5 grob b"), policy)

    assert frob == Piece(0, Verdict.ASK, UNCOVERED)
    assert (grob.start, grob.verdict, grob.rule) == (8, Verdict.ASK, "terminal.exec(grob *)")


def test_what_eases_the_whole_call_eases_each_part_that_nothing_forbids() -> None:
    policy = given.policy(mode=Mode.AUTO, deny=["terminal.exec(grob *)"])
    frob, grob = told_apart(given.run("frob a; grob b"), policy)

    assert frob == Piece(0, Verdict.RUN, "auto mode allows running commands")
    assert (grob.verdict, grob.rule) == (Verdict.DENY, "terminal.exec(grob *)")


def test_the_same_command_twice_is_two_pieces() -> None:
    assert [piece.start for piece in told_apart(given.run("frob a; frob a"))] == [0, 8]


@pytest.mark.parametrize(
    "line",
    ["frob a", "$X; frob a", "frob 'a", "; ".join(["frob a"] * (MOST_PIECES + 1))],
    ids=["one command", "a program that is not known", "no line", "too many"],
)
def test_what_is_one_thing_or_cannot_be_told_apart_has_no_pieces(line: str) -> None:
    assert told_apart(given.run(line)) == ()


def test_only_command_lines_of_a_known_tool_have_pieces() -> None:
    assert told_apart(given.mail(to="a@b.example")) == ()
    assert told_apart(Call(tool="nobody.knows", args={"command": "a; b"})) == ()


CUTTABLE = frozenset({"string_content", "heredoc_body", "heredoc_content", "comment", "\n"})
"""Tokens of the grammar that hold commands: a substitution in a text has borders of its own."""
WORDISH = frozenset("_-./=:,%+~*?@")


def pieces(line: str, tool: Tool = given.SHELL) -> list[str]:
    """A line, cut at where its pieces begin."""
    call, policy = Call(tool=tool.name, args={"command": line}), given.policy()
    found = call_pieces(call, policy, given.facts(call, policy), given.decided(call, policy))
    starts = [piece.start for piece in found]
    return [line[start:end] for start, end in zip(starts, [*starts[1:], len(line)], strict=False)]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("for f in $(git ls-files '*.py'); do frob $f; done", ["for f in $(git ls-files '*.py'); do ", "frob $f; done"]),
        ("git commit -m \"$(cat <<'E'\nhi\nE\n)\"", ['git commit -m "$(', "cat <<'E'\nhi\nE\n)\""]),
        ("echo $(touch x) more", ["echo $(", "touch x", ") more"]),
        ("a=$(ls) frob; x", ["a=$(", "ls", ") frob; ", "x"]),
        ("cat > f <<E\nnow $(date)\nE\nls", ["cat > f <<E\nnow $(", "date)\nE\n", "ls"]),
        ("while read x; do frob $x; done < in | sort", ["while read x; do ", "frob $x; done < in | ", "sort"]),
        ("cd a && \\\n  npm ci", ["cd a && \\\n  ", "npm ci"]),
        ("time { ls; frob; }", ["time { ls; ", "frob; }"]),
        ("{ls,-l}; frob", ["{ls,-l}; ", "frob"]),
        ("echo ${X:+`touch x`} y", ["echo ${X:+`", "touch x", "`} y"]),
        ("frob é; ls 'ü'; grob", ["frob é; ", "ls 'ü'; ", "grob"]),
        ("if frob; then grob; fi > out", ["if frob; then ", "grob; fi > out"]),
        ("x=(a $(b)); frob", ["x=(a $(", "b)); ", "frob"]),
    ],
)  # fmt: skip
@pytest.mark.proves("T-49")
def test_a_command_inside_another_has_its_own_piece(line: str, expected: list[str]) -> None:
    assert pieces(line) == expected


@pytest.mark.proves("T-49")
def test_so_has_one_in_powershell() -> None:
    assert pieces("frob (grob x) y", given.POWERSHELL) == ["frob (", "grob x", ") y"]
    assert pieces("if (test-path a) { frob }", given.POWERSHELL) == ["if (test-path a) { ", "frob }"]


@pytest.mark.proves("T-49")
@pytest.mark.parametrize("corpus", CORPORA)
def test_the_pieces_of_every_corpus_line_are_the_line_and_cut_no_word(corpus: str) -> None:
    told = 0
    wrong: list[tuple[str, list[str]]] = []
    for row in [row for origin in ORIGINS for row in rows(origin, corpus)]:
        found = pieces(row.command, given.POWERSHELL if row.shell == "powershell" else given.SHELL)
        told += bool(found)
        borders = [len("".join(found[:at])) for at in range(1, len(found))]
        whole = not found or "".join(found) == row.command
        if not whole or any(_cuts_a_word(row.command, row.shell, border) for border in borders):
            wrong.append((row.command, found))

    assert told > 100
    assert wrong == []


def _cuts_a_word(line: str, shell: str, border: int) -> bool:
    before, behind = line[border - 1], line[border]
    if (before.isalnum() or before in WORDISH) and (behind.isalnum() or behind in WORDISH):
        return True
    # To the grammar a text in backquotes may be one token; to the shell it is commands.
    return shell == "bash" and "`" not in (before, behind) and _is_inside_a_token(line, border)


def _is_inside_a_token(line: str, border: int) -> bool:
    tree = parser("tree_sitter_bash").parse(line.encode())
    place = len(line[:border].encode())
    node: Node | None = tree.root_node
    while node is not None and node.children:
        node = next((child for child in node.children if child.start_byte < place < child.end_byte), None)
    return node is not None and not tree.root_node.has_error and node.type not in CUTTABLE


def test_a_line_that_asks_has_a_piece_that_asks() -> None:
    for row in [row for origin in ORIGINS for row in rows(origin, "bypass")]:
        tool = given.POWERSHELL if row.shell == "powershell" else given.SHELL
        call, policy = Call(tool=tool.name, args={"command": row.command}), given.policy()
        decision = given.decided(call, policy)
        found = call_pieces(call, policy, given.facts(call, policy), decision)

        assert (
            decision.verdict is Verdict.RUN
            or not found
            or any(one.verdict is not Verdict.RUN for one in found)
        )


def test_parts_without_a_place_in_the_line_leave_it_whole() -> None:
    assert segments("frob; grob", ParsedCall((Part("frob"), Part("grob")))) == ()
    assert segments("frob", ParsedCall((Part("frob"),), spans=((0, 4),))) == ()


def test_a_text_that_is_not_the_one_that_was_read_is_left_whole() -> None:
    subject = parse_call(given.run("frob; grob"), given.SHELL)

    assert [one.start for one in segments("frob; grob", subject)] == [0, 6]
    assert segments("another", subject._replace(source="frob; grob")) == ()
    assert segments("frob", subject._replace(source="frob; grob")) == ()


def test_what_has_no_stretch_of_its_own_is_said_where_it_stands() -> None:
    subject = parse_call(given.run("frob; echo $API_TOKEN; grob"), given.SHELL)

    assert [
        [one.text for one in stretch.besides] for stretch in segments("frob; echo $API_TOKEN; grob", subject)
    ] == [[], ["$API_TOKEN"], []]
