"""Paths of PowerShell become paths of the engine, or are no files."""

import pytest

from assent.engine.powershell.paths import (
    PLAIN_UNKNOWN,
    child_path,
    has_provider,
    is_local_path,
    may_be_secret,
    may_have_chosen_properties,
    to_file,
    to_files,
    to_narrower_path,
)
from assent.engine.programs.word import UNKNOWN_MARK, Word
from tests.engine.powershell.line_decisions import join_words, parse_commands


@pytest.mark.parametrize(
    ("text", "file"),
    [
        ("a", Word("a")),
        (r".\a\b", Word("./a/b")),
        (r"..\a", Word("../a")),
        (r"\a", Word("/a")),
        ("*.txt", Word("./*.txt", glob=True)),
        (r"a\*", Word("a/*", glob=True)),
        ("~", Word("~", tilde=True)),
        (r"~\a", Word("~/a", tilde=True)),
        ("~a", Word("~a")),
        (r"C:\a", Word(r"C:\a")),
        (r"C:\*", Word(r"C:\*", glob=True)),
        ("C:a", Word("C:a")),
        (r"\\server\a", Word(r"\\server\a")),
        ("//server/a", Word("//server/a")),
        (UNKNOWN_MARK, Word(UNKNOWN_MARK)),
    ],
)
def test_a_path_of_the_file_system_is_a_file(text: str, file: Word) -> None:
    assert to_file(Word(text)) == file


@pytest.mark.proves("T-27")
@pytest.mark.parametrize(
    "text",
    [
        r"HKLM:\a",
        "env:",
        "a.txt:stream",
        r"C:\a:b",
        "FileSystem::a",
        "C::a",
        "a`[b",
        "PROGRA~1",
        "a.",
        "a ",
        r"a.\b",
        "...",
    ],
)
def test_a_path_that_may_be_something_else_is_no_file(text: str) -> None:
    assert to_file(Word(text)) is None
    assert to_files([Word(text)]) is None


def test_things_of_the_session_are_no_files() -> None:
    assert to_files([Word("env:PATH"), Word("Variable:x"), Word("alias:ls"), Word("a")]) == (Word("a"),)
    assert to_files([Word("env:")]) is None
    assert to_files([Word("env:*")]) is None
    assert to_files([Word("env:API_TOKEN")]) is None


@pytest.mark.parametrize(
    ("directory", "name", "text"),
    [
        (".", "*", "./*"),
        ("", "a", "./a"),
        ("a", "b", "a/b"),
        ("a/", "b", "a/b"),
        ("C:", "a", "C:\\a"),
        (r"a\b", "c", r"a\b\c"),
    ],
)
def test_a_child_is_below_its_directory(directory: str, name: str, text: str) -> None:
    assert child_path(Word(directory), name).text == text


def test_a_narrowed_path_matches_fewer_files() -> None:
    assert to_narrower_path(Word("a/*", glob=True)) == Word("a/" + UNKNOWN_MARK)
    assert to_narrower_path(Word("a/*.txt", glob=True)) == Word("a/*.txt", glob=True)
    assert to_narrower_path(Word("a")) == Word("a")


def test_other_providers_are_recognized() -> None:
    assert [text for text in (r"HKLM:\a", "C:\\a", "a", "env:", "C::a") if has_provider(text)] == [
        r"HKLM:\a",
        "env:",
        "C::a",
    ]


@pytest.mark.proves("T-27")
@pytest.mark.parametrize(
    "text", [r"\\host\share", "//host/share", r"/\host", UNKNOWN_MARK, "HKLM:/x", r"FileSystem::\\host\x"]
)
def test_a_location_that_may_be_on_another_machine_is_not_local(text: str) -> None:
    assert not is_local_path(Word(text))


@pytest.mark.parametrize("text", ["a", "..", "~", "C:\\a", "/a", f"a/{UNKNOWN_MARK}"])
def test_a_location_on_this_machine_is_local(text: str) -> None:
    assert is_local_path(Word(text))


@pytest.mark.parametrize("name", [".env", "env", "*env", ".e*", "*.pem", "id_rsa", "?env", "*e[n]v"])
def test_a_name_may_mean_a_secret(name: str) -> None:
    assert may_be_secret(name)


@pytest.mark.parametrize("name", ["a", "C", "*", "*.*", "*.cs", "*node*", "git*", "Name", "environment", ""])
def test_other_names_mean_no_secret(name: str) -> None:
    assert not may_be_secret(name)


@pytest.mark.parametrize(
    ("line", "fed"),
    [
        ("ls | x", "./*"),
        ("ls src | x", "src/*"),
        (r"ls C:\ | x", "C:\\*"),
        ("ls *.txt | x", "./*.txt"),
        ("ls src -Filter *.py | x", "src/*.py"),
        ("ls src -Recurse | x", "src/□"),
        ("ls src -Include *.py | x", "src/□"),
        ("ls a, b | x", "a/* b/*"),
        ("gi a | x", "a"),
        ("ls | Resolve-Path | x", "./*"),
        ("ls | sort Name | x", "./*"),
        ("ls | Tee-Object y | x", "./*"),
        ("ls | ? Length | x", "./□"),
        ("ls | select -First 1 | x", "./□"),
        ("ls | select -ExpandProperty FullName | x", "./□"),
        ("ls | % FullName | x", "./*"),
        ("(ls) | x", "./*"),
        ("$f = ls; $f | x", "./*"),
        ("ls *.py | % { $_.FullName | x }", "./*.py"),
        ("foreach ($f in ls) { $f | x }", "./*"),
        ("ls | % { $_ } | x", "./*"),
        ("ls *.py | % { $_.FullName } | x", "./*.py"),
    ],
)
def test_listed_files_are_passed_through_a_pipe(line: str, fed: str) -> None:
    found = parse_commands(line)[-1].listing_roots

    assert found is not None
    assert join_words(found) == fed


@pytest.mark.parametrize(
    ("line", "given"),
    [
        ("'a', 'b' | x", "a b"),
        ("echo a b | x", "a b"),
        ("$p = 'a'; $p | x", "a"),
        ("Join-Path a b | x", "a/b"),
    ],
)
def test_words_are_passed_through_a_pipe(line: str, given: str) -> None:
    found = parse_commands(line)[-1].input_words

    assert found is not None
    assert join_words(found) == given


@pytest.mark.parametrize(
    "line",
    [
        "ls -Name | x",
        "ls | select Name | x",
        "ls | % Name | x",
        "ls | % { $_; $_ } | x",
        "ls | % -Begin { $_ } -Process { $_ } | x",
        "ls | group Name | x",
        "foo | x",
        "Get-Content a | x",
        "ls -Zzz | x",
        "ls .env | x",
        "ls -Include *.pem | x",
        "ls | ? Name -eq .env | x",
        "Join-Path a b c | x",
        "Join-Path a, b c | x",
        "ls | Get-Member | x",
        "Get-Date | ? x | x",
        "'a' | foo | x",
    ],
)
def test_other_pipelines_pass_unknown_values(line: str) -> None:
    last = parse_commands(line)[-1]

    assert (last.listing_roots, last.input_words) == (None, None)


@pytest.mark.parametrize(
    "line",
    [
        "git log | sls x",
        "gc a | sls x",
        "ls -Name | sls x",
        "ls | select Name, Length | sls x",
        "ls | % Name | sls x",
        "Get-Process | sls x",
        "git log | % { $_.Trim() } | sls x",
        "[string]::Join(',', $x) | sls x",
        "$x -replace 'a' | sls x",
        '"a $x" | sls x',
    ],
)
def test_some_input_has_no_chosen_properties(line: str) -> None:
    assert (
        parse_commands(line)[-1].input_words == PLAIN_UNKNOWN
        or join_words(parse_commands(line)[-1].input_words or ()) == "a □"
    )


@pytest.mark.proves("T-21")
@pytest.mark.parametrize(
    "line",
    [
        "import-csv a | sls x",
        "$x | sls x",
        "echo $x | sort a | sls x",
        "ls | select @{ n = 'Path'; e = { 1 } } | sls x",
        "ls | select $x | sls x",
        "ls | % { $y } | sls x",
        "$x.GetEnumerator() | sls x",
        "[object]::new() | sls x",
        "Get-Thing | sls x",
        "& $x | sls x",
        "./a.ps1 | sls x",
        "function f { }; f | sls x",
        "function git { }; git log | sls x",
    ],
)
def test_other_input_may_have_any_property(line: str) -> None:
    last = parse_commands(line)[-1]

    assert last.listing_roots is None
    assert last.input_words is None or any(may_have_chosen_properties(word) for word in last.input_words)
