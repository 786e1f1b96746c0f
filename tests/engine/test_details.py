"""The pieces of a line that a person sees: the start of each command, and its own verdict."""

import pytest
from tree_sitter import Node

from assent.engine.base.facts import Facts
from assent.engine.base.reason import Reason, ReasonCode, make_reason
from assent.engine.base.tool import Call, Dialect, Tool
from assent.engine.bash.tree import create_parser
from assent.engine.details import (
    MAX_COMMAND_LENGTH,
    MAX_PIECES,
    batch_key,
    call_pieces,
    disclosed_inputs,
    irreversible_acts,
    split_segments,
)
from assent.engine.irreversible import commands, tools
from assent.engine.lines.part import ParsedCall, Part
from assent.engine.lines.specifier import DisclosedInput, InputSource
from assent.engine.parsing import parse_call
from assent.engine.policy.modes import Mode
from assent.engine.policy.snapshot import Snapshot
from assent.engine.policy.verdict import Piece, Verdict
from assent.engine.programs.program import Program
from tests.corpus.corpus_rows import CORPORA, ORIGINS, decide_row, decide_rows, load_rows
from tests.engine import given


def unknown_program(name: str) -> Reason:
    return make_reason(ReasonCode.UNKNOWN_PROGRAM, program=name)


def find_pieces(call: Call, snapshot: Snapshot | None = None) -> tuple[Piece, ...]:
    snapshot = snapshot or given.make_snapshot()
    return call_pieces(call, snapshot, given.make_facts(call, snapshot), given.decide_call(call, snapshot))


def test_each_piece_begins_at_its_command_and_has_its_own_verdict() -> None:
    policy = given.make_snapshot(allow=["terminal.exec(frob *)"], grants=["terminal.exec(tidy *)"])

    assert find_pieces(given.shell_call("ls src && frob run && tidy up; grob it"), policy) == (
        Piece(0, Verdict.RUN, Reason(ReasonCode.ONLY_READS)),
        Piece(
            10,
            Verdict.RUN,
            make_reason(ReasonCode.ALLOW_RULE, rule="terminal.exec(frob *)"),
            "terminal.exec(frob *)",
        ),
        Piece(
            22,
            Verdict.RUN,
            make_reason(ReasonCode.GRANT, rule="terminal.exec(tidy *)"),
            "terminal.exec(tidy *)",
        ),
        Piece(31, Verdict.ASK, unknown_program("grob")),
    )


def test_a_rule_changes_only_the_verdict_of_the_part_that_it_matches() -> None:
    policy = given.make_snapshot(ask=["terminal.exec(grob *)"])
    frob, grob = find_pieces(given.shell_call("frob a; timeout 5 grob b"), policy)

    assert frob == Piece(0, Verdict.ASK, unknown_program("frob"))
    assert (grob.start, grob.verdict, grob.rule) == (8, Verdict.ASK, "terminal.exec(grob *)")


def test_an_ease_of_the_call_applies_to_each_part_without_a_floor() -> None:
    policy = given.make_snapshot(mode=Mode.AUTO, deny=["terminal.exec(grob *)"])
    frob, grob = find_pieces(given.shell_call("frob a; grob b"), policy)

    assert frob == Piece(0, Verdict.RUN, make_reason(ReasonCode.MODE_RUNS, mode="auto", effect="execute"))
    assert (grob.verdict, grob.rule) == (Verdict.DENY, "terminal.exec(grob *)")


def test_the_same_command_twice_is_two_pieces() -> None:
    assert [piece.start for piece in find_pieces(given.shell_call("frob a; frob a"))] == [0, 8]


@pytest.mark.parametrize(
    "line",
    ["frob a", "$X; frob a", "frob 'a", "; ".join(["frob a"] * (MAX_PIECES + 1))],
    ids=["one command", "a program that is not known", "no line", "too many"],
)
def test_a_single_or_inseparable_command_has_no_pieces(line: str) -> None:
    assert find_pieces(given.shell_call(line)) == ()


def test_only_command_lines_of_a_known_tool_have_pieces() -> None:
    assert find_pieces(given.mail_call(to="a@b.example")) == ()
    assert find_pieces(Call(tool="nobody.knows", args={"command": "a; b"})) == ()


CUTTABLE = frozenset({"string_content", "heredoc_body", "heredoc_content", "comment", "\n"})
"""Tokens of the grammar that may contain commands, and so the start of a piece."""
WORD_CHARACTERS = frozenset("_-./=:,%+~*?@")


def piece_texts(line: str, tool: Tool = given.SHELL) -> list[str]:
    """A line, split at the start of each piece."""
    call, policy = Call(tool=tool.name, args={"command": line}), given.make_snapshot()
    found = call_pieces(call, policy, given.make_facts(call, policy), given.decide_call(call, policy))
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
    assert piece_texts(line) == expected


@pytest.mark.proves("T-49")
def test_a_nested_command_of_powershell_has_its_own_piece() -> None:
    assert piece_texts("frob (grob x) y", given.POWERSHELL) == ["frob (", "grob x", ") y"]
    assert piece_texts("if (test-path a) { frob }", given.POWERSHELL) == ["if (test-path a) { ", "frob }"]


@pytest.mark.proves("T-49")
@pytest.mark.parametrize("corpus", CORPORA)
def test_the_pieces_of_every_corpus_line_are_the_line_and_cut_no_word(corpus: str) -> None:
    told = 0
    wrong: list[tuple[str, list[str]]] = []
    for row in [row for origin in ORIGINS for row in load_rows(origin, corpus)]:
        found = piece_texts(row.command, given.POWERSHELL if row.shell == "powershell" else given.SHELL)
        told += bool(found)
        borders = [len("".join(found[:at])) for at in range(1, len(found))]
        whole = not found or "".join(found) == row.command
        if not whole or any(_cuts_a_word(row.command, row.shell, border) for border in borders):
            wrong.append((row.command, found))

    assert told > 100
    assert wrong == []


def _cuts_a_word(line: str, shell: str, border: int) -> bool:
    before, behind = line[border - 1], line[border]
    if (before.isalnum() or before in WORD_CHARACTERS) and (behind.isalnum() or behind in WORD_CHARACTERS):
        return True
    # To the grammar a text in backquotes may be one token; to the shell it is commands.
    return shell == "bash" and "`" not in (before, behind) and _is_inside_a_token(line, border)


def _is_inside_a_token(line: str, border: int) -> bool:
    tree = create_parser("tree_sitter_bash").parse(line.encode())
    offset = len(line[:border].encode())
    node: Node | None = tree.root_node
    while node is not None and node.children:
        node = next((child for child in node.children if child.start_byte < offset < child.end_byte), None)
    return node is not None and not tree.root_node.has_error and node.type not in CUTTABLE


def test_a_line_that_asks_has_a_piece_that_asks() -> None:
    for row in [row for origin in ORIGINS for row in load_rows(origin, "bypass")]:
        tool = given.POWERSHELL if row.shell == "powershell" else given.SHELL
        call, policy = Call(tool=tool.name, args={"command": row.command}), given.make_snapshot()
        decision = given.decide_call(call, policy)
        found = call_pieces(call, policy, given.make_facts(call, policy), decision)

        assert (
            decision.verdict is Verdict.RUN
            or not found
            or any(one.verdict is not Verdict.RUN for one in found)
        )


def test_parts_without_a_position_leave_the_line_in_one_piece() -> None:
    assert split_segments("frob; grob", ParsedCall((Part("frob"), Part("grob")))) == ()
    assert split_segments("frob", ParsedCall((Part("frob"),), spans=((0, 4),))) == ()


def test_a_text_that_differs_from_the_parsed_source_stays_in_one_piece() -> None:
    subject = parse_call(given.shell_call("frob; grob"), given.SHELL)

    assert [one.start for one in split_segments("frob; grob", subject)] == [0, 6]
    assert split_segments("another", subject._replace(source="frob; grob")) == ()
    assert split_segments("frob", subject._replace(source="frob; grob")) == ()


def test_a_part_without_its_own_text_belongs_to_the_segment_around_it() -> None:
    subject = parse_call(given.shell_call("frob; echo $API_TOKEN; grob"), given.SHELL)

    assert [
        [one.text for one in stretch.other_parts]
        for stretch in split_segments("frob; echo $API_TOKEN; grob", subject)
    ] == [[], ["$API_TOKEN"], []]


DIGEST = "1" * 64
SEED = "/project/db/seed.sql"
FACTS = Facts(directories=given.DIRECTORIES, real={SEED: (SEED,)}, contents={SEED: DIGEST})


def find_inputs(command: str, facts: Facts = FACTS, **args: object) -> tuple[DisclosedInput, ...]:
    call = Call(tool="terminal.exec", args={"command": command, **args})
    return disclosed_inputs(call, given.make_snapshot(), facts)


def text_input(argument: str, start: int, end: int, *commands: str) -> DisclosedInput:
    return DisclosedInput(
        source=InputSource.TEXT,
        commands=commands,
        argument=argument,
        start=start,
        end=end,
        can_be_named=True,
    )


@pytest.mark.parametrize("command", ["npm test", "psql shop", "tee a.txt < b.txt", "cat <<'E'\nx\nE"])
def test_without_an_input_to_act_on_nothing_is_disclosed(command: str) -> None:
    assert find_inputs(command) == ()


def test_a_file_is_shown_by_its_path_and_its_digest() -> None:
    file = DisclosedInput(
        source=InputSource.FILE,
        commands=("psql shop",),
        path="db/seed.sql",
        digest=DIGEST,
        can_be_named=True,
    )

    assert find_inputs("psql shop < db/seed.sql") == (file,)
    assert find_inputs("cd db && psql shop < seed.sql") == (file,)


def test_a_file_without_facts_has_no_digest_and_no_name() -> None:
    (unread,) = find_inputs("psql < /srv/seed.sql")

    assert (unread.path, unread.digest, unread.can_be_named) == ("/srv/seed.sql", "", False)


def test_a_file_that_the_line_may_write_has_no_name() -> None:
    (written,) = find_inputs("frob > db/seed.sql; psql < db/seed.sql")

    assert (written.source, written.can_be_named) == (InputSource.WRITTEN_FILE, False)


def test_a_text_is_shown_by_its_position_in_the_command() -> None:
    assert find_inputs("python3 - <<'E'\nprint('ñ😀')\nE") == (text_input("command", 16, 28, "python3 -"),)


def test_a_text_in_its_own_argument_is_disclosed_once_for_all_commands() -> None:
    found = find_inputs("psql -c 'select 1'; python3 -; bash", stdin="select 1")

    assert found == (text_input("stdin", 0, 8, "python3 -", "bash"),)


def test_a_text_that_no_argument_contains_is_shown_itself() -> None:
    (escaped,) = find_inputs(r"python3 - <<< $'print(1)\nprint(2)'")

    assert (escaped.argument, escaped.text) == ("", "print(1)\nprint(2)")


def test_an_empty_text_is_a_text() -> None:
    (empty,) = find_inputs("python3 - <<'E'\nE")

    assert (empty.source, empty.argument, empty.text) == (InputSource.TEXT, "", "")


@pytest.mark.parametrize(
    ("command", "source"),
    [
        ("cat a.sql | psql", InputSource.PIPE),
        ("{ psql; } < a.sql", InputSource.PIPE),
        ("psql < a < b", InputSource.SEVERAL),
        ("python3 - <<E\n$x\nE", InputSource.UNKNOWN_TEXT),
        ("psql < $x", InputSource.UNKNOWN_FILE),
    ],
)
def test_an_input_that_no_rule_can_name_shows_its_source(command: str, source: InputSource) -> None:
    (unnamed,) = find_inputs(command)

    assert (unnamed.source, unnamed.can_be_named, unnamed.must_be_named) == (source, False, True)


def test_the_input_of_an_unknown_program_need_not_be_named() -> None:
    (unknown,) = find_inputs("cat a | frob")

    assert unknown == DisclosedInput(source=InputSource.PIPE, commands=("frob",), must_be_named=False)


def test_a_long_command_is_named_by_its_beginning() -> None:
    (found,) = find_inputs(f"python3 - {'a' * 1000} < db/seed.sql")

    assert len(found.commands[0]) == MAX_COMMAND_LENGTH
    assert found.commands[0].endswith("a…")


def test_an_unknown_tool_has_no_disclosed_inputs() -> None:
    assert disclosed_inputs(Call(tool="nowhere", args={}), given.make_snapshot(), FACTS) == ()


@pytest.mark.proves("T-49")
@pytest.mark.parametrize("corpus", CORPORA)
def test_every_verdict_is_the_same_with_and_without_the_table(
    corpus: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_table = [given_answer for origin in ORIGINS for _, given_answer in decide_rows(origin, corpus)]
    monkeypatch.setattr(commands, "find_program", lambda _: Program(""))
    monkeypatch.setattr(tools, "_VERB_LOSSES", {})

    assert [decide_row(row) for origin in ORIGINS for row, _ in decide_rows(origin, corpus)] == with_table


@pytest.mark.parametrize("corpus", CORPORA)
def test_every_line_of_the_corpora_is_read_and_none_that_only_reads_is_irreversible(corpus: str) -> None:
    told = 0
    for origin in ORIGINS:
        for row, _ in decide_rows(origin, corpus):
            dialect = Dialect.POWERSHELL if row.shell == "powershell" else Dialect.SHELL
            tool = Tool(name="terminal.exec", dialect=dialect)
            told += bool(irreversible_acts(Call(tool=tool.name, args={"command": row.command}), tool))

    assert (told == 0) is (corpus == "benign")


def test_a_call_without_a_command_has_no_irreversible_acts() -> None:
    assert irreversible_acts(Call(tool=given.SHELL.name, args={}), given.SHELL) == ()


def find_batch_key(call: Call) -> str:
    snapshot = given.make_snapshot()
    tool = snapshot.tools[call.tool]
    return batch_key(call, tool, given.decide_call(call, snapshot), irreversible_acts(call, tool))


@pytest.mark.proves("T-49")
def test_commands_with_one_program_and_sub_command_share_a_batch_key() -> None:
    assert (
        find_batch_key(given.shell_call("npm run a"))
        == find_batch_key(given.shell_call("npm run b -- c"))
        == "terminal.exec execute npm run"
    )
    assert find_batch_key(given.shell_call("npm test")) == "terminal.exec execute npm test"
    assert find_batch_key(given.shell_call("make")) == "terminal.exec execute make"


@pytest.mark.proves("T-49")
def test_calls_with_one_tool_and_effect_share_a_batch_key() -> None:
    assert find_batch_key(given.file_call(given.SAVE_FILE, "a.txt")) == "files.save edit"


@pytest.mark.proves("T-49")
@pytest.mark.parametrize(
    "line",
    [
        "npm run a; npm run b", "timeout 5 npm run a", "A=1 npm run a", "npm run a > out.txt", "npm run $X",
        "git -C x push", "npm $X", "$X", "X=1", "git push --force", "rm -rf ~/", "npm run 'a",
        "echo a | npm run a", "echo $(npm run a)", "npm ''", "npm " + "x" * 120,
    ],
)  # fmt: skip
def test_a_call_that_is_not_one_plain_command_is_answered_alone(line: str) -> None:
    expected = "terminal.exec execute npm run" if line == "npm run $X" else ""

    assert find_batch_key(given.shell_call(line)) == expected


def test_an_irreversible_or_unreadable_call_is_answered_alone() -> None:
    assert find_batch_key(Call(tool=given.DROP_TABLE.name, args={"table": "users"})) == ""
    assert find_batch_key(Call(tool=given.SHELL.name, args={})) == ""
