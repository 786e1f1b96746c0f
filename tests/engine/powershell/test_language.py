"""Every command of a PowerShell text is found, or the text is unreadable."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as some
from tree_sitter import Language, Node, Parser
from tree_sitter_powershell import language

from assent.engine.lines.command import RedirectAccess
from assent.engine.policy.modes import Mode
from assent.engine.policy.verdict import Verdict
from assent.engine.powershell import syntax
from assent.engine.powershell.language import MAX_TEXT_LENGTH, find_input_use, parse_powershell
from assent.engine.powershell.statements import StatementParser
from assent.engine.programs.runs import InputUse
from assent.engine.programs.word import UNKNOWN_MARK, Word
from assent.engine.suggestions import RuleWidth, suggestions
from tests.engine import given as setup
from tests.engine.powershell.line_decisions import command_texts, decide_line, parse_commands
from tests.engine.powershell.lines import CATASTROPHES, MORE_THAN_READS, NEAR_MISSES, READS, REMOVALS


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("a b 'c d' \"e\"", ["a b c d e"]),
        ("a; b\nc", ["a", "b", "c"]),
        ("a | b | c", ["a", "b", "c"]),
        ("a |\n b", ["a", "b"]),
        ("a\n| b", ["a", "b"]),
        ("a && b || c", ["a", "b", "c"]),
        ("a & b", ["a", "b"]),
        ("a `\n b", ["a b"]),
        ("a `\n; b", ["a", "b"]),
        ("a ` b", ["a b"]),
        ("a # b", ["a"]),
        ("a <# ; b #> c", ["a c"]),
        ("a (b)<# c #>d", ["b", "a □ d"]),
        ("a (b)<# c #>.d", ["b", "a □"]),
        ("a b#c", ["a b#c"]),
        ("a 'b'#c", ["a b"]),
        ("& 'a b' c", ["a b c"]),
        (". ./a.ps1 b", ["./a.ps1 b"]),
        ("&$x y", ["□ y"]),
        ("& { a } b", ["a"]),
        ("a b(c)d", ["c", "a b □ d"]),
        ("a 'b'c", ["a b c"]),
        ("a b'c'", ["a bc"]),
        ('a b"c"d', ["a bcd"]),
        ("a $x/y $x.y ${x}", ["a □/y □ □"]),
        ("a @x @y/z", ["a □ @y/z"]),
        ("a `$x `;", ["a $x ;"]),
        ('a "`n`t" ', ["a \n\t"]),
        ('a "b`e" "`u{41}"', ["a b□ □"]),
        ('a "x""y" "`"z"', ['a x"y "z']),
        ("a 'it''s'", ["a it's"]),
        ("a \u2018b c\u2019 \u201cd\u201d", ["a b c d", "□"]),
        ("a 'b\u2019; c", ["a b", "c", "□"]),
        ("a 'b\u2019'c'", ["a b'c", "□"]),
        ('a "b\u201d"c"', ['a b"c', "□"]),
        ('a "$(b ""c\u201d\u201d)"', ["b c", "a □", "□"]),
        ("a @\u2018\nb\n\u2019@", ["a b", "□"]),
        ("a \"it\u2019s\" '\u201cb\u201d'", ["a it\u2019s \u201cb\u201d"]),
        ('a "$x $($y) $(b)"', ["b", "a □ □ □"]),
        ('a "$"', ["a $"]),
        ("a @'\nb 'c\n'@ d", ["a b 'c d"]),
        ('a @"\nb $(c)\n"@', ["c", "a b □"]),
        ("a @''@".replace("''", "'\n'"), ["a "]),
        ("git --% log | b", ["git --% log  □", "b"]),
        ('git --% "a|b" & c', ['git --% "a|b" & c □']),
        ("a -b:c -d: e", ["a -b:c -d: e"]),
        ("rm -Path:c", ["rm -Path: c"]),
        ("a -b.c", ["a -b .c"]),
        ("a --b=c -- -d", ["a --b=c -- -d"]),
        ("a -'b'", ["a -b"]),
        ("a b,c d, e", ["a b,c d , e"]),
        ("rm b,c", ["rm b , c"]),
        ("a .'b'", ["a . b"]),
        ("7z x", ["7z x"]),
        ("1..3 | a", ["a"]),
        ("$x = a b", ["a b"]),
        ("$x += (a)", ["a"]),
        ("[int]$x = a", ["a"]),
        ("$x, $y = (a), (b)", ["a", "b"]),
        ("$x = if (a) { b } else { c }", ["a", "b", "c"]),
        ("if (a) { b } elseif (c) { d }\nelse { e }", ["a", "b", "c", "d", "e"]),
        ("while (a) { b; break }", ["a", "b"]),
        ("do { a } until (b)", ["a", "b"]),
        ("for (a; b; c) { d }", ["a", "b", "c", "d"]),
        ("for (;;) { d }", ["d"]),
        ("for (a) { b }", ["a", "b"]),
        (":x foreach ($i in a) { b $i; continue x }", ["a", "b □"]),
        ("switch -Regex (a) { 'x' { b } { c } { d } default { e } }", ["a", "b", "c", "d", "e"]),
        ("switch -File f { 1 { a } }", ["Get-Content f", "a"]),
        ("try { a } catch [X], [Y] { b } catch { c } finally { d }", ["a", "b", "c", "d"]),
        ("trap [X] { a } b", ["a", "b"]),
        ("function f { a }; b", ["a", "b"]),
        ("function f($x = (a)) { b }", ["a", "b"]),
        ("filter f { a }", ["a"]),
        (
            "function f { [C()] param([P(Mandatory, Position = 0)][string]$x, $y = (a)) b }",
            ["a", "b"],
        ),
        ("function f { param([V({ a })]$x) begin { b } process { c } end { d } }", ["a", "b", "c", "d"]),
        ("param($x = (a)) b", ["a", "b"]),
        ("return (a)", ["a"]),
        ("throw", [""]),
        ("exit 1", [""]),
        ("@{ a = b; 'c' = (d)\n e = { f } }", ["b", "d", "f"]),
        ("(a).Length + (b)[(c)]", ["a", "b", "c"]),
        ("-not (a) -and !(b) -or -(c)", ["a", "b", "c"]),
        ("(a) ? (b) : (c)", ["a", "b", "c"]),
        ("$x ?? (a)", ["a"]),
        ("'x' -replace 'y', (a)", ["a"]),
        ("'x'.Split((a), (b))", ["a", "b"]),
        ("@(a; b), $(c)", ["a", "b", "c"]),
        ("[math]::Max((a), 1)", ["a"]),
        ("$x.y.z", [""]),
        ("5", [""]),
        ("a > b", ["a"]),
        ("ls ~ $HOME/x $PWD", ["ls ~ ~/x ."]),
    ],
)
def test_every_command_of_a_text_is_found(line: str, found: list[str]) -> None:
    assert command_texts(line) == found


@pytest.mark.proves("T-22", "T-23")
@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("", "holds no command"),
        ("# a", "holds no command"),
        ("a" * (MAX_TEXT_LENGTH + 1), f"longer than {MAX_TEXT_LENGTH} characters"),
        ("a \x1b[0m", "holds an invisible or control character (U+001B, control character)"),
        ("a\r\nb", "holds an invisible or control character (U+000D, control character)"),
        ("a;" * 300, "holds more than 256 commands"),
        ("(" * 60 + "a" + ")" * 60, "nested too deeply"),
        ("!" * 9000 + "$a", "nested too deeply"),
        ("{" * 200 + "}" * 200, "nested too deeply"),
        ("a 'b", "holds a string that never ends"),
        ('a "b', "holds a string that never ends"),
        ('a "$(b"', "holds a string that never ends"),
        ("a @'\nb", "holds a string that never ends"),
        ("a @'b'@", "holds a string that never ends"),
        ('a @"\nb$(', "holds a string that never ends"),
        ("a <# b", "holds a comment that never ends"),
        ("#requires -modules x", "holds `#requires`, which can load modules"),
        ("a `", "holds an escape that means nothing, or a null character"),
        ('a "`0"', "holds an escape that means nothing, or a null character"),
        ("a `n", "holds a control character in a word"),
        ("a b`\nc", "holds a control character in a word"),
        ("a ${x", "holds a variable with an odd name"),
        ('"$x: y"', "holds a variable with an odd name"),
        ("a b>c", "holds a word that could be read in two ways"),
        ("a b\u2013c", "holds a word that could be read in two ways"),
        ("a -b$c", "holds a word that could be read in two ways"),
        ("a \u2013b", "holds a word that could be read in two ways"),
        ("$x \u2013 1", "holds a dash that only looks like one"),
        ("1 + \u20132", "holds a dash that only looks like one"),
        ("class X { }", "holds `class`, which we do not read"),
        ("using module x", "holds `using`, which we do not read"),
        ("[X(1)]$y = 2", "holds an attribute or a type we do not read"),
        ("[a[b]$y", "holds an attribute or a type we do not read"),
        ("function f([a[b]$x) { }", "holds an attribute or a type we do not read"),
    ],
)
def test_an_unreadable_text_has_a_reason(line: str, reason: str) -> None:
    assert parse_powershell(line)[:2] == ((), reason)


@pytest.mark.parametrize(
    "line",
    [
        "(",
        ")",
        "a (",
        "a )",
        "a }",
        "{",
        "a {",
        "a |",
        "| a",
        "a &&",
        "&& a",
        "a ||",
        "&",
        "& ;",
        "a < b",
        "< a",
        "> a",
        "a >",
        "a > ;",
        "a -b:",
        "a -b: ;",
        "a ,b",
        "a b,",
        "a b, ;",
        "a ]",
        "a @",
        "a @x.y",
        "@x",
        "'a' b",
        "$x b",
        "5 b",
        "$x = ",
        "$x.",
        "$x[",
        "$x[1",
        "$x[]",
        "(a).b(",
        "(a).b(1",
        "(a).b(1 2)",
        "$x -foo 1",
        "-foo",
        "$x +",
        "1 ? 2",
        "1 ? 2 ; 3",
        "if",
        "if (a)",
        "if a { }",
        "do { }",
        "do { } a",
        "while (a)",
        "for",
        "for (a",
        "for (a b) { }",
        "foreach (a in b) { }",
        "foreach ($x of b) { }",
        "foreach",
        "switch (a) { 1 }",
        "switch (a)",
        "function",
        "function f",
        "function f(",
        "function f($x",
        "function f($x y) { }",
        "function f(x) { }",
        "try",
        "@{ a }",
        "@{ a = }",
        "@{",
        "@(",
        "$(",
        "a; )",
        "a } b",
        "param(x)",
        "begin { a } b",
        "$x = 1 = 2 b",
        "a && $x = 1",
        "=a",
        "*",
        "]",
        "-",
        "[int",
        "[int]$x b",
        "function f { [A(1 2)] param() }",
        "a b $x[ c",
        "\u2018a",
        "else { }",
        "in",
        "process { a }; b",
        "&'a'b'",
        "a `\n",
        "${}",
        "a ${}",
        "a $x..y(",
        ": a",
        "% |",
        "..",
        "a; | b",
    ],
)
def test_a_text_that_is_no_powershell_is_refused_or_read_as_more_commands(line: str) -> None:
    assert decide_line(line, Mode.AUTO, deny=["*"]).verdict is not Verdict.RUN


def test_the_span_of_a_command_is_in_bytes() -> None:
    line = "echo 'ä'; rm \"$(ls)\""
    source = line.encode()
    spans = [source[slice(*command.span)].decode() for command in parse_commands(line)]

    assert spans == ["echo 'ä'", "ls", 'rm "$(ls)"']


def test_a_variable_that_may_be_set_indirectly_is_read_in_both_ways() -> None:
    assert command_texts("$x = 'ls'; iex $y; & $x z") == ["", "iex □", "□ z", "ls z"]
    assert command_texts("$run = 'ls'; & ('ie' + 'x') $y; & $run z") == ["", "iex □", "□ z", "ls z"]
    assert command_texts("$x = 'ls'; & $x z") == ["", "ls z"]


def test_a_caller_deep_in_the_stack_gets_an_answer() -> None:
    def parse_at_depth(levels: int) -> str | None:
        return (
            parse_at_depth(levels - 1) if levels else parse_powershell("(" * 45 + "a" + ")" * 45).unreadable
        )

    assert parse_at_depth(0) is None
    parse_powershell.cache_clear()
    assert parse_at_depth(sys.getrecursionlimit() - 200) == "nested too deeply"
    parse_powershell.cache_clear()


@pytest.mark.proves("T-20")
def test_secrets_that_a_text_expands_are_named() -> None:
    assert parse_powershell("echo $env:API_KEY ${env:API_KEY} $env:PATH").secret_variables == ("API_KEY",)


# A second opinion: the grammar that other tools read PowerShell with

_PARSER = Parser(Language(language()))
_LINES = [*READS, *MORE_THAN_READS, *REMOVALS, *CATASTROPHES, *NEAR_MISSES]


def _command_start_bytes(node: Node) -> list[int]:
    found = [start for child in node.children for start in _command_start_bytes(child)]
    name = node.child_by_field_name("command_name") if node.type == "command" else None
    return found if name is None or (name.text or b"")[:1].isdigit() else [*found, node.start_byte]


def _command_nodes(node: object) -> list[syntax.CommandNode]:
    found = [node] if isinstance(node, syntax.CommandNode) else []
    below = node.children() if isinstance(node, syntax.Node) else node if isinstance(node, tuple) else ()
    return [*found, *(call for part in below for call in _command_nodes(part))]


@pytest.mark.proves("T-22")
@pytest.mark.parametrize("line", [line for line in _LINES if line.isascii()])
def test_every_command_that_another_parser_finds_is_found(line: str) -> None:
    tree = _PARSER.parse(line.encode())
    if tree.root_node.has_error or parse_powershell(line).unreadable is not None:
        return
    ours = {call.span[0] for call in _command_nodes(StatementParser(line).parse_program())}

    assert set(_command_start_bytes(tree.root_node)) <= ours


# Whatever stands around a command, it is found

CONSTRUCTS = [
    "{}",
    "ls; {}",
    "ls | % {{ {} }}",
    "if (1) {{ {} }}",
    "if (0) {{ }} else {{ {} }}",
    "while (0) {{ {} }}",
    "do {{ {} }} while (0)",
    "for (;0;) {{ {} }}",
    "foreach ($i in 1) {{ {} }}",
    "switch (1) {{ 1 {{ {} }} }}",
    "try {{ {} }} catch {{ }}",
    "try {{ }} catch {{ {} }}",
    "try {{ }} finally {{ {} }}",
    "trap {{ {} }}",
    "function f {{ {} }}",
    "filter f {{ {} }}",
    "& {{ {} }}",
    ". {{ {} }}",
    "({})",
    "$({})",
    "@({})",
    '"$({})"',
    "echo ({})",
    "echo $({})",
    "$x = {}",
    "@{{ a = {} }}",
    "ls && {}",
    "ls || {}",
    "{} | Out-Null",
    "{} > $null",
    "Start-Job {{ {} }}",
    "Measure-Command {{ {} }}",
    "ls | ? {{ {} }}",
    "ls | select @{{ n='a'; e={{ {} }} }}",
    "{} # c",
    "<# c #> {}",
    "return ({})",
    "'a' -replace 'b', ({})",
    "[int]({})",
    "-not ({})",
]


def _nest_in_constructs(line: str, constructs: list[str]) -> str:
    for construct in constructs:
        quoted = construct.startswith('"')
        line = construct.format(line.replace('"', '""') if quoted else line)
    return line


@pytest.mark.proves("T-20")
@given(some.lists(some.sampled_from(CONSTRUCTS), min_size=1, max_size=4))
def test_a_denied_command_is_found_in_any_nesting(constructs: list[str]) -> None:
    found = decide_line(
        _nest_in_constructs("Remove-Item x", constructs), Mode.AUTO, deny=["Remove-Item *"], allow=["*"]
    )

    assert found.verdict is not Verdict.RUN


@pytest.mark.parametrize("construct", CONSTRUCTS)
def test_each_of_these_constructs_is_read(construct: str) -> None:
    found = decide_line(
        _nest_in_constructs("Remove-Item x", [construct]), Mode.AUTO, deny=["Remove-Item *"], allow=["*"]
    )

    assert found.verdict is Verdict.DENY


PIECES = some.sampled_from(
    "a ls rm $x ${y} $(b) @(c) @{ d } { } ( ) [ ] [int] ' \" ` \n ; | & && || . :: , -x -eq = + ++ > >> "
    "2>&1 # <# #> -- --% @' '@ $_ $env:P 1 ? : ! % if else foreach in function param try catch".split(" ")
)


@pytest.mark.proves("T-23")
@given(some.lists(PIECES, max_size=24), some.sampled_from(["", " "]))
def test_no_text_makes_the_reader_fail(pieces: list[str], between: str) -> None:
    line = parse_powershell(between.join(pieces))

    assert (line.unreadable is None) == bool(line.commands)
    assert all(
        UNKNOWN_MARK not in command.program or command.program == UNKNOWN_MARK for command in line.commands
    )


@pytest.mark.proves("T-28")
def test_a_text_with_too_many_words_is_unreadable() -> None:
    assert parse_powershell("ls " + "a " * 1000).unreadable is None
    assert parse_powershell("ls " + "a " * 5000).unreadable == "holds more words than can be read"


def test_a_function_of_the_line_is_known_by_its_body() -> None:
    called = [
        command for command in parse_commands("function Go { ls }; go; Go x") if command.is_function_call
    ]

    assert [command.program for command in called] == ["go", "Go"]


@pytest.mark.proves("T-20")
@pytest.mark.parametrize(
    "line",
    [
        "go; function go { }",
        "if (1) { function go { } }; go",
        "& { function go { } }; go",
        "function go { }; 1 | % { go }",
        "function go { }; Remove-Item function:go; go",
        "function rm { }; rm x",
    ],
)
def test_a_name_that_may_mean_something_else_is_no_function(line: str) -> None:
    assert not any(command.is_function_call for command in parse_commands(line))


@pytest.mark.proves("T-25")
@pytest.mark.parametrize(
    ("line", "bombs"),
    [
        ("function f { f | f }; f", ("f",)),
        ("function F { f; f }", ("F",)),
        ("function f { Start-Job { f } }", ("f",)),
        ("function f { f }", ()),
        ("function f { g; g }", ()),
    ],
)
def test_a_function_that_multiplies_is_a_fork_bomb(line: str, bombs: tuple[str, ...]) -> None:
    assert parse_powershell(line).fork_bombs == bombs


def test_an_endless_loop_that_starts_processes_is_a_fork_bomb() -> None:
    assert parse_powershell("while ($true) { Start-Process pwsh }").fork_bombs == ("while",)
    assert parse_powershell("while ($true) { Write-Output a }").fork_bombs == ()


@pytest.mark.parametrize(
    ("line", "access", "target", "appends"),
    [
        ("a > b", RedirectAccess.WRITE, "b", False),
        (r"a >> ..\b", RedirectAccess.WRITE, "../b", True),
        ("a 2> b", RedirectAccess.WRITE, "b", False),
        ("a *>> b", RedirectAccess.WRITE, "b", True),
        ("'a' > b", RedirectAccess.WRITE, "b", False),
        ("& { a } > b", RedirectAccess.WRITE, "b", False),
        ("a > $x", RedirectAccess.WRITE, "\0", False),
        (r"a > HKLM:\x", RedirectAccess.WRITE, r"HKLM:\x", False),
        ("a > $null", RedirectAccess.DUPLICATE, "$null", False),
        ("a 2>&1", RedirectAccess.DUPLICATE, "", False),
    ],
)
def test_a_redirection_has_its_target(line: str, access: RedirectAccess, target: str, appends: bool) -> None:
    (found,) = [redirect for command in parse_commands(line) for redirect in command.redirects]

    assert (found.access, found.target.text, found.appends) == (access, target, appends)


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("$env:A = 'b'", ["Set-Item env:A b"]),
        ("$env:A += 'b'", ["Set-Item env:A □"]),
        ("$env:A = 'b', 'c'", ["Set-Item env:A □"]),
        ("${env:A} = b", ["b", "Set-Item env:A □"]),
        ("$x = 1", [""]),
        ("[int]$x = 1", [""]),
        (r"${C:\a} = 1", [r"Get-Content C:\a", "□"]),
        (r"echo ${C:\a}", [r"Get-Content C:\a", r"echo □"]),
    ],
)
def test_an_assignment_sets_a_variable_or_runs_a_command(line: str, found: list[str]) -> None:
    assert command_texts(line) == found


def test_a_value_is_never_a_parameters_name() -> None:
    words = parse_commands("$x = '-Recurse'; rm $x '-Force' --% -a")[-1].words

    assert [word for word in words if word.text == "-Recurse"] == [Word("-Recurse", quoted=True)]
    assert [word for word in words if word.text == "-Force"] == [Word("-Force", quoted=True)]


def test_a_pattern_is_a_glob_only_for_other_programs() -> None:
    assert parse_commands("cat.exe *.txt")[0].words[1] == Word("*.txt", glob=True)
    assert parse_commands("Get-Content *.txt")[0].words[1] == Word("*.txt")
    assert parse_commands("cat.exe '*.txt'")[0].words[1] == Word("*.txt", quoted=True)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("iex", InputUse.INSTRUCTIONS),
        ("Invoke-Command", InputUse.INSTRUCTIONS),
        ("Get-Content x", InputUse.DATA),
        ("Out-File x", InputUse.DATA),
        ("Out-File", InputUse.UNKNOWN),
        ("Set-Clipboard", InputUse.DATA),
        ("Remove-Item", InputUse.UNKNOWN),
        ("powershell -", InputUse.INSTRUCTIONS),
        ("pwsh -Command -", InputUse.INSTRUCTIONS),
        ("pwsh -File x.ps1", InputUse.DATA),
        ("cmd", InputUse.INSTRUCTIONS),
        ("cmd /c dir", InputUse.DATA),
        ("python -", InputUse.INSTRUCTIONS),
        ("python.exe x.py", InputUse.DATA),
        ("psql", InputUse.INSTRUCTIONS),
        ("npm test", InputUse.DATA),
    ],
)
def test_the_words_of_a_command_decide_how_it_uses_the_pipe(line: str, expected: InputUse) -> None:
    assert find_input_use(parse_powershell(line).commands[-1]) is expected


@pytest.mark.proves("T-44")
@pytest.mark.parametrize(
    "words", ["python -", "node", "powershell -", "psql", "bash", "Remove-Item", "xargs rm"]
)
def test_a_rule_for_the_words_covers_nothing_that_is_piped_to_them(words: str) -> None:
    policy = setup.make_snapshot(allow=[f"pwsh.exec({words})"])
    for line in (f"'a' | {words}", f"@'\na\n'@ | {words}", f"Get-Content x | {words}"):
        call = setup.Call(tool="pwsh.exec", args={"command": line})

        assert setup.decide_call(call, policy).verdict.word == "ask"
        offered = suggestions(call, policy, setup.make_facts(call, policy))
        assert RuleWidth.EXACT not in [one.width for one in offered]
