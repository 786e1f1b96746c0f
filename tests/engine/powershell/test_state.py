"""Variables and directories are known where they are certain."""

import pytest

from tests.engine.powershell.line_decisions import command_texts, parse_commands


@pytest.mark.parametrize(
    ("line", "last"),
    [
        ("$x = 'a'; b $x", "b a"),
        ("$x = 'a'; b \"$x/c\" $x/d", "b a/c a/d"),
        ("$X = 'a'; b $x", "b a"),
        ("$global:x = 'a'; b $x", "b a"),
        ("$x = 'a', 'c'; ls $x", "ls a , c"),
        ("$x = 'a'; if (1) { b $x }", "b a"),
        ("$x = 'a' + 'c'; b $x", "b ac"),
        ("b $HOME $PWD $true", "b ~ . $true"),
        ('b "$true$null"', "b True"),
        (r"b $env:USERPROFILE\c ${env:ProgramFiles(x86)}", r"b ~\c C:\Program Files (x86)"),
        ("b $env:HOMEDRIVE$env:HOMEPATH", "b ~"),
        ("foreach ($x in 'a') { b $x }", "b a"),
        ("'a' | % { b $_ $PSItem }", "b a a"),
        ("'a' | ? { b $_ }", "b a"),
        ("b ('a', 'c')[1] ('a', 'c')[0]", "b c a"),
        ("b ('{1}{0}' -f 'a', 'c')", "b ca"),
        ("b ('a', 'c' -join '-') (-join ('a', 'c'))", "b a-c ac"),
        ("b ([string]'a')", "b a"),
        ("$HOME = 'a'; b $HOME", "b ~"),
    ],
)
def test_a_certain_variable_has_its_value(line: str, last: str) -> None:
    assert command_texts(line)[-1] == last


@pytest.mark.proves("T-20")
@pytest.mark.parametrize(
    "line",
    [
        "b $x",
        "$x = 'a'; $x = 'c'; b $x",
        "if (1) { $x = 'a' }; b $x",
        "$x += 'a'; b $x",
        "$x = 'a'; $x++; b $x",
        "$x, $y = 'a', 'c'; b $x",
        "b $x; $x = 'a'",
        "$x = c; b $x",
        "function f { $x = 'a' }; b $x",
        "$x = 'a'; function f { b $x }",
        "$x = 'a'; & { param($x) b $x } 'c'",
        "$x = 'a'; foreach ($x in 1) { b $x }",
        "$x = 'a'; Get-Date -OutVariable x; b $x",
        "$env:USERPROFILE = 'a'; b $env:USERPROFILE",
        "b $env:TEMP",
        "b $_",
        "ls | sort { b $_ }",
        "try { } catch { b $_ }",
        "b (1 + 2)",
        "b ('a' + $x)",
        "b ('a')[1]",
        "b ('a', 'c')[5]",
        "b ('a', 'c')[$x]",
        "b ('{2}' -f 'a')",
        "b ('{0:x}' -f 'a')",
        "b ('a' -replace 'c')",
        "b ([int]'a')",
        "b $x.FullName",
        "b (ls).Name",
        "b 'a'.FullName",
        "b $PWD.Drive",
        "$x = 'a'; b $private:y",
    ],
)
def test_an_uncertain_variable_is_unknown(line: str) -> None:
    assert "□" in " ".join(command_texts(line))


def test_a_loop_with_many_iterations_is_read_once() -> None:
    many = ", ".join(f"'{number}'" for number in range(20))

    assert command_texts(f"foreach ($x in {many}) {{ b $x }}") == ["b □"]


@pytest.mark.proves("D-7")
@pytest.mark.parametrize(
    ("line", "directories"),
    [
        ("ls", ("",)),
        ("cd a; ls", ("a/.",)),
        ("cd a && ls", ("a",)),
        ("cd a && cd b && ls", ("a/b",)),
        (r"cd a\b && ls", ("a/b",)),
        ("cd a && ls; ls", ("a", "")),
        ("cd a || ls", ("a/.", "")),
        ("cd /a && ls", ("/a",)),
        ("cd ~ && ls", ("~",)),
        ("Set-Location -Path a && ls", ("a",)),
        (r"cd C:\ && ls", ("C:/", "\0")),
        (r"cd HKLM:\ && ls", ("HKLM:/", "\0")),
        ("C: && ls", ("C:", "\0")),
        ("cd.. && ls", ("..",)),
        ("cd && ls", ("\0",)),
        ("cd - && ls", ("\0",)),
        ("cd $x && ls", ("\0",)),
        ("cd -Zzz a && ls", ("\0",)),
        ("Pop-Location; ls", ("\0",)),
        ("pushd a; popd; ls", ("",)),
        ("cd a; pushd b; popd; ls", ("a/.",)),
        ("pushd a; pushd b; popd; ls", ("a/.",)),
        ("pushd a && popd && ls", ("",)),
        ("pushd a && ls; popd; ls", ("\0",)),
        ("pushd a; if (1) { popd }; popd; ls", ("\0",)),
        ("pushd a; if (1) { pushd b }; popd; ls", ("\0",)),
        ("pushd a -StackName b; popd; ls", ("\0",)),
        ("pushd a; popd -StackName b; ls", ("\0",)),
        ("pushd a; popd -Foo; ls", ("\0",)),
        ("if (1) { cd a }; ls", ("", "a/.")),
        ("while (1) { ls; cd a }", ("\0",)),
        ("1 | % { cd a }; ls", ("\0",)),
        ("function f { cd a }; f; ls", ("\0",)),
        ("function f { ls }; cd a; f", ("a/.",)),
        ("(cd a) -and (ls)", ("a/.",)),
        ("cd a; cd b; ls", ("a/./b/.",)),
        ("if (1) { cd a } elseif (1) { cd b }; if (1) { cd c }; if (1) { cd d }; ls", ("\0",)),
    ],
)
def test_a_command_has_the_directories_that_it_may_run_in(line: str, directories: tuple[str, ...]) -> None:
    assert parse_commands(line)[-1].directories == directories


def test_the_body_of_a_function_may_run_anywhere_if_the_line_changes_directory() -> None:
    body, *_ = parse_commands("function f { ls }; cd a; f")

    assert body.directories == ("\0",)


@pytest.mark.proves("T-27")
@pytest.mark.parametrize(
    "line",
    [
        "$x = $PWD; cd a; b $x",
        '$x = $PWD; $y = "$x/c"; cd a; b $y',
        "$x = Resolve-Path .; cd a; b $x",
        "$x = $PWD; pushd a; popd; b $x",
        "$x = $PWD; if (1) { cd a }; b $x",
    ],
)
def test_a_path_found_before_a_change_of_directory_is_unknown_after_it(line: str) -> None:
    assert command_texts(line)[-1] == "b □"


def test_a_path_is_known_until_the_next_change_of_directory() -> None:
    assert command_texts("cd a; $x = $PWD; b $x")[-1] == "b ."
    assert command_texts("$x = 'c'; cd a; b $x")[-1] == "b c"
