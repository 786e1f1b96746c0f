"""Paths of PowerShell become paths of the engine, or are said to be none."""

import pytest

from assent.engine.powershell.places import (
    as_file,
    child,
    files,
    is_elsewhere,
    is_near,
    may_be_secret,
    some_of,
)
from assent.engine.programs.word import HOLE, Word


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
        (HOLE, Word(HOLE)),
    ],
)
def test_a_path_of_the_file_system(text: str, file: Word) -> None:
    assert as_file(Word(text)) == file


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
def test_a_path_that_may_be_something_else(text: str) -> None:
    assert as_file(Word(text)) is None
    assert files([Word(text)]) is None


def test_things_of_the_session_are_no_files() -> None:
    assert files([Word("env:PATH"), Word("Variable:x"), Word("alias:ls"), Word("a")]) == (Word("a"),)
    assert files([Word("env:")]) is None
    assert files([Word("env:*")]) is None
    assert files([Word("env:API_TOKEN")]) is None


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
def test_what_is_below_a_directory(directory: str, name: str, text: str) -> None:
    assert child(Word(directory), name).text == text


def test_some_of_what_a_pattern_matches() -> None:
    assert some_of(Word("a/*", glob=True)) == Word("a/" + HOLE)
    assert some_of(Word("a/*.txt", glob=True)) == Word("a/*.txt", glob=True)
    assert some_of(Word("a")) == Word("a")


def test_other_providers() -> None:
    assert [text for text in (r"HKLM:\a", "C:\\a", "a", "env:", "C::a") if is_elsewhere(text)] == [
        r"HKLM:\a",
        "env:",
        "C::a",
    ]


@pytest.mark.proves("T-27")
@pytest.mark.parametrize(
    "text", [r"\\host\share", "//host/share", r"/\host", HOLE, "HKLM:/x", r"FileSystem::\\host\x"]
)
def test_a_place_that_may_be_on_another_machine(text: str) -> None:
    assert not is_near(Word(text))


@pytest.mark.parametrize("text", ["a", "..", "~", "C:\\a", "/a", f"a/{HOLE}"])
def test_a_place_on_this_machine(text: str) -> None:
    assert is_near(Word(text))


@pytest.mark.parametrize("name", [".env", "env", "*env", ".e*", "*.pem", "id_rsa", "?env", "*e[n]v"])
def test_a_name_that_may_mean_a_secret(name: str) -> None:
    assert may_be_secret(name)


@pytest.mark.parametrize("name", ["a", "C", "*", "*.*", "*.cs", "*node*", "git*", "Name", "environment", ""])
def test_a_name_that_does_not(name: str) -> None:
    assert not may_be_secret(name)
