"""Every command of a bash text is found, wherever it is in the text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assent.engine.bash.language import MAX_PLAIN_COMMANDS, parse_bash, parse_plain_commands
from assent.engine.bash.walk import MAX_COMMANDS, MAX_DEPTH
from assent.engine.lines.command import Assignment, Command, ParsedLine, Redirect
from assent.engine.programs.word import UNKNOWN_MARK, Word
from tests.engine.bash.line_texts import describe_commands, parse_readable_line, unreadable_reason

SIMPLE = [
    ("ls", ["ls"]),
    ("ls -l  a\tb", ["ls -l a b"]),
    ("A=1 B=2 ls", ["A=1 B=2 ls"]),
    ("A=1", ["A=1"]),
    ("a=1 b=2", ["a=1 b=2"]),
    ("a+=1", ["a=?"]),
    ("a=(1 2)", ["a=?"]),
    ("a[0]=1", ["a[0]=?"]),
    ("a=", ["a="]),
    ("export A=1 B", ["export A=1 B"]),
    ("declare -x A=b", ["declare -x A=b"]),
    ("unset A", ["unset A"]),
    ("ls > a 2>> b < c", ["ls >a >b <c"]),
    ("> a", [">a"]),
    ("2>&1 ls", ["ls >&1"]),
    ("ls &> a", ["ls >a"]),
    ("ls >& a", ["ls >a"]),
    ("ls >| a", ["ls >a"]),
    ("ls <<< 'a b'", ["ls <<'a b'"]),
    ("ls 2>&- x", ["ls x >&-"]),
    ("> a rm b", ["rm b >a"]),
    ("rm > a b c", ["rm b c >a"]),
    ("sort -ox2>y", ["sort -ox2 >y"]),
    ("cat - 2>x", ["cat - >x"]),
    ("cat - <<E\nx\nE", ["cat - <<x\\n"]),
]
LISTS = [
    ("a; b", ["a", "b"]),
    ("a && b || c", ["a", "b", "c"]),
    ("a | b |& c", ["a", "b", "c"]),
    ("a & b &", ["a", "b"]),
    ("a\nb\n\nc", ["a", "b", "c"]),
    ("a # b; c\nd", ["a", "d"]),
    ("a \\\n b", ["a b"]),
    ("! a", ["a"]),
    ("! a | b", ["a", "b"]),
    ("time a", ["time a"]),
    ("time { a; }", ["a"]),
    ("time -p { a; }", ["a"]),
    ("coproc { a; }", ["a"]),
    ("coproc x { a; }", ["a"]),
    ("for x; do a; done", ["x=?", "a"]),
    ("a && b > c", ["a", "b >c"]),
    ("a | b > c", ["a", "b >c"]),
    ("! a > b", ["a >b"]),
    ("{rm,-r,x}", ["rm -r x"]),
]
COMPOUNDS = [
    ("(a; b)", ["a", "b"]),
    ("{ a; b; }", ["a", "b"]),
    ("if a; then b; elif c; then d; else e; fi", ["a", "b", "c", "d", "e"]),
    ("while a; do b; done", ["a", "b"]),
    ("until a; do b; done", ["a", "b"]),
    ("for ((i=0; i<3; i++)); do a; done", ["i=?", "i=?", "a"]),
    ("for x in 1 2; do a $x; done", ["x=?", "a 1", "a 2"]),
    ("case $x in a) b ;; c|d) e ;& *) f ;; esac", ["b", "e", "f"]),
    ("case a in (b) c ;; esac", ["c"]),
    ("f() { a; }", ["a"]),
    ("function f { a; }", ["a"]),
    ("f() (a)", ["a"]),
    ("f() { a; }; f", ["a", "f"]),
    ("[[ -f a && $b == c* ]]", ["[[ -f a && ? == c* ]]"]),
    ("[ -f a ]", ["[ -f a ]"]),
    ("(( x > 1 ))", ["(("]),
    ("{ a; } > b", [">b", "a"]),
    ("(a) < b", ["<b", "a"]),
    ("while read x; do a; done < b", ["<b", "read x", "a"]),
    ("select x in a b; do c; done", ["x=?", "c"]),
]
INSIDE = [
    ("a $(b)", ["b", "a ?"]),
    ("a `b`", ["b", "a ?"]),
    ('a "$(b) c"', ["b", "a '? c'"]),
    ("a <(b) >(c)", ["b", "c", "a /dev/fd/63 /dev/fd/63"]),
    ("a $(b $(c))", ["c", "b ?", "a ?"]),
    ("A=$(b) c", ["b", "A=? c"]),
    ("a ${x:-$(b)}", ["b", "a ?"]),
    ("a $((1 + $(b)))", ["(( ?", "b", "a ?"]),
    ("a > $(b)", ["b", "a >?"]),
    ("a <<< $(b)", ["b", "a <<?"]),
    ("[[ -n $(a) ]]", ["a", "[[ -n ? ]]"]),
    ("case $(a) in b) c ;; esac", ["a", "c"]),
    ("for x in $(a); do b; done", ["a", "x=?", "b"]),
    ("a=($(b))", ["b", "a=?"]),
    ("a[$(b)]=1", ["(( ?", "b", "a[$(b)]=?"]),
    ("cat <<E\n$(a)\nE", ["a", "cat <<?"]),
    ("cat <<'E'\n$(a)\nE", ["cat <<$(a)\\n"]),
    ("cat <<E | sh\nx\nE", ["cat <<x\\n", "sh"]),
    ("cat <<E && b\nx\nE\nc", ["cat <<x\\n", "b", "c"]),
    ("$(< a)", ["<a", "?"]),
    ('a "`b`"', ["b", "a ?"]),
]


@pytest.mark.parametrize(("text", "commands"), [*SIMPLE, *LISTS, *COMPOUNDS, *INSIDE])
@pytest.mark.proves("T-20", "T-22", "R003-41", "R003-45", "R003-47")
def test_every_command_is_found_in_its_order(text: str, commands: list[str]) -> None:
    assert describe_commands(text) == commands


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("if a; then", "does not parse"),
        ("a 'b", "does not parse"),
        ("a (b)", "we do not read"),
        ("", "holds no command"),
        ("# a", "holds no command"),
        ("a\x07b", "control character"),
        ("a\u202eb", "right-to-left override"),
        ("a `b \\`c\\``", "escapes inside backticks"),
        ("ls\n\\rm x", "a blank in it"),
        ("xargs -I { {} x", "a blank in it"),
        ("0<x rm y", "redirection"),
        ("{fd}>x rm y", ""),
        ("<x$1\\& rm y", "redirection"),
        ("cat <& -/etc/shadow", "closes a descriptor"),
        ("ls \\ -l", "the parser skips"),
        ("a ''; b=\\\n rm x", "assignment"),
        ("a ''\\\nb", "next line"),
        ("[ a >> b ]", "before its bracket"),
        ("[a ]", ""),
        ("cat <<'E'x\nEx\nrm y\nE", ""),
        ("cat <<E &&\nhi\nE\nrm x", ""),
        ("cat -<<E\nx\nE", "redirection"),
        ("{ls; }", ""),
        ("then a", ""),
        ("f() { a; } > b", ""),
        ("a=$'\\x24(b)'", ""),
        ("echo ${x@P}", "prompt"),
        ("echo $((a['b']))", "quotes inside arithmetic"),
    ],
)
@pytest.mark.proves("T-22", "T-23", "R003-47", "D-4")
def test_an_unreadable_text_has_a_reason(text: str, reason: str) -> None:
    assert reason in unreadable_reason(text)


def test_a_command_has_its_directories_and_its_input() -> None:
    found = parse_readable_line("cd src && ls | grep x < a").commands

    assert [(command.directories, command.piped) for command in found] == [
        (("",), False),
        (("src",), False),
        (("src",), True),
    ]
    assert [command.span for command in found] == [(0, 6), (10, 12), (15, 21)]


def test_a_plain_line_is_read_without_a_tree() -> None:
    assert parse_bash("git log -5") == ParsedLine(
        (Command((Word("git"), Word("log"), Word("-5")), span=(0, 10)),)
    )


def test_a_declaration_shows_its_assignments() -> None:
    found = parse_readable_line('export A="b c" D=$X').commands[0]

    assert [word.text for word in found.words] == ["export", "A=b c", f"D={UNKNOWN_MARK}"]


def test_a_function_that_the_line_defined_is_known_when_it_is_called() -> None:
    found = parse_readable_line("f() { ls; }; f; g").commands

    assert [(command.program, command.is_function_call) for command in found] == [
        ("ls", False),
        ("f", True),
        ("g", False),
    ]


@pytest.mark.parametrize(
    ("text", "bombs"),
    [
        ("f() { f | f & }; f", ("f",)),
        (":(){ :|:& };:", (":",)),
        ("f() { f & }", ("f",)),
        ("f() { g | g; }; g() { f & }", ("f", "g")),
        ("f() { f; }", ()),
        ("f() { g | h; }", ()),
        ("f() { g; }; g() { f | f; }", ("g",)),
    ],
)
@pytest.mark.proves("T-25")
def test_a_function_that_starts_itself_in_a_pipe_is_a_fork_bomb(text: str, bombs: tuple[str, ...]) -> None:
    assert set(parse_readable_line(text).fork_bombs) >= set(bombs)
    assert bool(parse_readable_line(text).fork_bombs) is bool(bombs)


@pytest.mark.proves("D-6")
def test_variables_that_look_like_secrets_are_listed() -> None:
    assert parse_readable_line('echo "$GITHUB_TOKEN" ${DB_PASSWORD} $x').secret_variables == (
        "GITHUB_TOKEN",
        "DB_PASSWORD",
    )


@pytest.mark.proves("T-23")
def test_the_number_and_depth_of_commands_are_limited() -> None:
    assert len(parse_readable_line(";".join(["a"] * MAX_COMMANDS)).commands) == MAX_COMMANDS
    assert (
        unreadable_reason(";".join(["a"] * (MAX_COMMANDS + 1))) == f"holds more than {MAX_COMMANDS} commands"
    )
    assert "deeply" in unreadable_reason("( " * (MAX_DEPTH + 2) + "a" + " )" * (MAX_DEPTH + 2))
    assert "deeply" in unreadable_reason("time { " * (MAX_DEPTH + 2) + "a" + "; }" * (MAX_DEPTH + 2))
    assert "deeply" in unreadable_reason("time { a; }; " * (MAX_DEPTH + 2))


def test_an_assignment_with_a_command_as_text_is_refused() -> None:
    assert "holds a command" in unreadable_reason("a='$(rm x)'; ls")


def test_values_and_redirections_are_kept() -> None:
    found = parse_readable_line("A=b ls > c").commands[0]

    assert found.assignments == (Assignment("A", Word("b")),)
    assert found.redirects == (Redirect("write", Word("c")),)


@pytest.mark.parametrize("text", ["ls", "git log --oneline -n 5 src/app.py", "npm run build:all", "x y=z"])
def test_plain_words_are_split_at_their_blanks(text: str) -> None:
    line = parse_plain_commands(text)

    assert line is not None
    assert [word.text for word in line.commands[0].words] == text.split(" ")


@pytest.mark.proves("T-22")
@pytest.mark.parametrize(
    "text",
    [
        "",
        " ls",
        "ls ",
        "ls  a",
        "a=b ls",
        "if x",
        "time ls",
        "ls *",
        "ls ~",
        "ls 'a'",
        "ls a;b",
        "ls $x",
        "ls #a",
        "ls\ta",
        "é",
    ],
)
def test_a_line_that_is_not_plain_is_left_to_the_tree(text: str) -> None:
    assert parse_plain_commands(text) is None


@pytest.mark.proves("T-22")
@pytest.mark.parametrize("text", ["ls", "git log -n 5 src/app.py", "x y=z", "cd src", "echo a:b %s +x ,y @z"])
def test_the_tree_reads_plain_words_the_same(text: str) -> None:
    plain = parse_plain_commands(text)
    # A comment makes the line one that is not plain, and changes nothing else.
    whole = parse_bash(f"{text} # so")

    assert plain is not None
    assert [command.words for command in plain.commands] == [command.words for command in whole.commands]


CHAINS = [
    "ls && git log -n 5",
    "a || b; c\nd",
    "find src -name x | xargs rm -f",
    "git ls-files | grep -v x | xargs wc",
    "echo a b | xargs rm",
    "npm run build && npm test -- --flag=value || exit 1",
]


@pytest.mark.proves("T-22")
@pytest.mark.parametrize("text", CHAINS)
def test_the_tree_reads_plain_chains_the_same(text: str) -> None:
    plain = parse_plain_commands(text)
    whole = parse_bash(f"{text} # so")

    assert plain is not None
    assert plain.commands == whole.commands


@pytest.mark.proves("T-22")
@pytest.mark.parametrize(
    "text",
    [
        "cd src && ls",
        "ls; export A=b",
        "ls; read x",
        "ls; if x",
        "time ls | cat",
        "a=b && ls",
        "ls | wc && ls",
        "ls & wc",
        "ls ; wc",
        "ls &&  wc",
        "ls && ",
        "- x; y",
        "x == y; z",
        "; ".join(["ls"] * (MAX_PLAIN_COMMANDS + 2)),
    ],
)
def test_a_chain_that_is_not_plain_is_left_to_the_tree(text: str) -> None:
    assert parse_plain_commands(text) is None


WORDS = """ls git echo printf find grep head sort xargs cat rm a=b -n 5 - -- . / .. % + , @ : = ./x 1 -x -name x=1,y
a:b == test let exit return set trap eval source exec true function if in do unset export cd read command local
declare popd pushd time builtin select until then getopts mapfile type %1 a.b coproc""".split()
commands = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
joints = st.sampled_from([" && ", " || ", " | ", "; ", "\n"])


@pytest.mark.proves("T-22")
@settings(max_examples=1000)
@given(commands, st.lists(st.tuples(joints, commands), min_size=1, max_size=4))
def test_plain_chains_and_the_tree_give_the_same_commands(first: str, rest: list[tuple[str, str]]) -> None:
    text = first + "".join(joint + command for joint, command in rest)
    plain = parse_plain_commands(text)

    assert plain is None or plain.commands == parse_bash(f"{text} # so").commands
