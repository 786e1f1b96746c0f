"""From a line of a shell to its parts: what each reads, writes, carries and may be called."""

import pytest

from assent.engine.bash.language import BASH
from assent.engine.facts import PathUse
from assent.engine.lines.line import DEEPEST, MOST_PARTS, MOST_WORK, parse_line
from assent.engine.lines.part import ParsedCall, Part
from assent.engine.lines.spellings import MOST_FORMS
from assent.engine.programs.word import HOLE


def read(text: str) -> ParsedCall:
    return parse_line(text, BASH)


def part(text: str) -> Part:
    found = read(text)
    assert len(found.parts) == 1
    return found.parts[0]


def texts(uses: tuple[PathUse, ...]) -> list[str]:
    return [use.text for use in uses]


@pytest.mark.parametrize(
    ("text", "hits"),
    [
        ("rm x", {"rm x"}),
        ("/bin/rm   x", {"rm x", "/bin/rm x"}),
        ("'rm' \"x\"", {"rm x"}),
        ("FOO=1 rm x", {"rm x", "FOO=1 rm x"}),
        ("git -C src push", {"git -C src push", "git push", "git src push"}),
        ("git --no-pager log", {"git --no-pager log", "git log"}),
        ("git -c a=b push --force", {"git -c a=b push --force", "git a=b push --force", "git push --force"}),
        ("docker --host=x ps", {"docker --host=x ps", "docker ps"}),
        ("frob -x y", {"frob -x y"}),
    ],
)
@pytest.mark.proves("R003-47", "T-24")
def test_deny_and_ask_see_a_command_in_each_way_it_could_be_meant(text: str, hits: set[str]) -> None:
    assert set(part(text).hits) >= hits


@pytest.mark.parametrize(
    ("text", "covers"),
    [
        ("rm x", [("rm", "x")]),
        ("/bin/rm x", [("/bin/rm", "x")]),
        ("FOO=1 rm x", [("FOO=1", "rm", "x")]),
        ("LANG=C rm x", [("rm", "x"), ("LANG=C", "rm", "x")]),
        ("FOO=$X rm x", []),
        ("rm $X", []),
        ("rm *", []),
        ("rm a*", [("rm", "a*")]),
        ("rm {a,b}", [("rm", "a", "b")]),
    ],
)
@pytest.mark.proves("D-3")
def test_an_allow_sees_the_words_as_written(text: str, covers: list[tuple[str, ...]]) -> None:
    assert list(part(text).covers) == covers


@pytest.mark.parametrize(
    ("text", "possible"),
    [
        ("rm x", []),
        ("rm $X", [f"rm {HOLE}"]),
        ("rm a$X", [f"rm {HOLE}"]),
        ('rm "a$X"', [f"rm a{HOLE}"]),
        ("rm a*b?", [f"rm a{HOLE}b{HOLE}"]),
        ("rm a[bc]d", [f"rm a{HOLE}d"]),
        ("/bin/rm $X", [f"rm {HOLE}", f"/bin/rm {HOLE}"]),
    ],
)
def test_what_is_unknown_is_a_hole_where_it_may_stand(text: str, possible: list[str]) -> None:
    assert list(part(text).possible) == possible


@pytest.mark.parametrize(
    ("text", "reads", "redirected"),
    [
        ("cat a b", ["a", "b"], []),
        ("cat < a", ["a"], []),
        ("frob > a 2>> b", [], ["a", "b"]),
        ("frob > /dev/null 2>&1", [], []),
        ("frob 2> /dev/stderr < /dev/fd/3", [], []),
        ("frob > /dev/fd/x", [], ["/dev/fd/x"]),
        ("frob &> a", [], ["a"]),
        ("frob >| a", [], ["a"]),
        ("> a", [], ["a"]),
    ],
)
@pytest.mark.proves("D-2", "R003-44")
def test_files_that_are_read_and_written_are_found(
    text: str, reads: list[str], redirected: list[str]
) -> None:
    found = part(text)

    assert texts(found.reads) == reads
    assert texts(found.redirected) == redirected


@pytest.mark.parametrize(
    ("text", "only_reads"),
    [
        ("ls", True),
        ("ls > a", False),
        ("a=1", True),
        ("PATH=.", False),
        ("a=1 > x", False),
        ("FOO=1 ls", False),
        ("LANG=C ls", True),
        ("export a=1", False),
        ("export LANG=C", True),
        ("export", False),
        ("local a=1", True),
        ("declare -x A", False),
        ("timeout 5 ls", True),
        ("timeout 5 frob", False),
        ("timeout 5", False),
        ("sudo ls", False),
        ("./ls", False),
        ("/bin/ls", True),
        ("f() { frob; }; f", False),
    ],
)
@pytest.mark.proves("R003-44", "R003-46", "D-3")
def test_a_part_only_reads_if_all_of_it_is_known_to(text: str, only_reads: bool) -> None:
    assert all(one.only_reads for one in read(text).parts) is only_reads


def test_a_reader_that_writes_its_output_would_only_read_without() -> None:
    assert part("ls > a").reads_alone
    assert not part("frob > a").reads_alone


def test_a_program_nobody_knows_may_write_each_of_its_operands() -> None:
    assert texts(part("frob -x a b").writes) == ["a", "b"]
    assert part("ls a").writes == ()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("$X", "runs a program that is itself computed"),
        ("fro*", "runs a program that is itself computed"),
        ('"$X" a', "runs a program that is itself computed"),
        ("curl x | sh", "runs a program that it gets from elsewhere"),
        ("eval $X", "runs a program that it gets from elsewhere"),
        ('bash -c "$X"', "runs a program that it gets from elsewhere"),
        ('bash -c "ls $X"', "runs a text that is itself computed"),
        ("bash -c 'if'", "does not parse"),
        ("if", "does not parse"),
    ],
)
@pytest.mark.proves("R003-47", "T-20")
def test_what_would_run_must_be_known(text: str, reason: str) -> None:
    unreadable = read(text).unreadable

    assert unreadable is not None
    assert reason in unreadable


def test_wrappers_around_wrappers_are_followed_only_so_far() -> None:
    deep = "timeout 1 " * DEEPEST
    deeper = "timeout 1 " * (DEEPEST + 1)

    assert read(deep + "ls").unreadable is None
    assert read(deeper + "ls").unreadable == "is wrapped too deeply"


@pytest.mark.parametrize(
    ("text", "directories"),
    [
        ("cd src; bash -c 'cat a'", {"src/."}),
        ("bash -c 'cd src && cat a'", {"src"}),
        ("cd src && bash -c 'cd x && cat a'", {"src/x"}),
        ("cd src && bash -c 'cd /tmp && cat a'", {"/tmp"}),
        ("cd src && bash -c 'cd ~ && cat a'", {"~"}),
    ],
)
def test_a_carried_text_runs_where_its_carrier_does(text: str, directories: set[str]) -> None:
    cats = [one for one in read(text).all_parts if one.text == "cat a"]

    assert {directory for one in cats for directory in one.directories} == directories


def test_bombs_and_secrets_are_parts_of_their_own() -> None:
    bomb = read("b() { b | b & }; b")
    secret = read('echo "$API_KEY"')

    assert [one.bomb for one in bomb.parts if one.bomb] == ["b"]
    assert [(one.secret, one.only_reads) for one in secret.parts if one.secret] == [("API_KEY", True)]


@pytest.mark.proves("T-32", "D-8")
def test_trust_is_needed_by_what_a_wrapper_carries_too() -> None:
    assert part("git status").trust
    assert part("timeout 5 git status").trust
    assert not part("ls").trust


def test_a_part_is_shown_as_it_was_typed() -> None:
    assert [one.text for one in read("ls   -l | grep 'a b'; timeout 3 frob \"x y\"").all_parts] == [
        "ls   -l",
        "grep 'a b'",
        'timeout 3 frob "x y"',
        "frob 'x y'",
    ]


@pytest.mark.proves("T-28", "R-21")
@pytest.mark.parametrize(
    "text",
    [
        "ls " + "a " * MOST_WORK,
        "sudo env nice " * 200,
        ("timeout 5 env frob " + "a " * 8 + "\n") * 200,
        "eval " + "-c ls " * 1000,
        "bash -c '" + "ls a b c; " * 250 + "'; " + "bash -c '" + "ls a b c; " * 200 + "'",
        "bash -c '" + "# " + "x" * 20_000 + "\nls'; bash -c '# " + "y" * 12_000 + "\nls'",
        "mv " + " ".join(f"a{number}" for number in range(MOST_WORK // 2)),
    ],
    ids=["words", "wrappers", "wrapped lines", "options", "carried commands", "carried texts", "paths"],
)
def test_a_line_that_would_take_long_to_read_is_left_to_a_person(text: str) -> None:
    found = read(text)

    assert found.unreadable is not None
    assert len(found.all_parts) <= MOST_PARTS * 2


def test_a_command_that_a_line_repeats_is_the_same_part_again() -> None:
    first, other, last = read("echo -- && ls src && echo --").parts

    assert (first is last, first == other) == (True, False)


@pytest.mark.proves("T-27")
@pytest.mark.parametrize(
    "text",
    ["cat a; cd sub; cat a", "x=a; cat $x; x=b; cat $x", "ls; echo rm | ls", "f; f() { rm a; }; f"],
    ids=["directory", "variable", "input", "function"],
)
def test_a_command_that_is_only_spelled_the_same_is_read_by_itself(text: str) -> None:
    same = {id(one) for one in read(text).parts if one.text in ("cat a", "cat $x", "ls", "f")}

    assert len(same) == 2


@pytest.mark.proves("T-28")
def test_what_a_line_repeats_counts_as_often_as_it_says_it() -> None:
    line = "frob " + "a " * 9
    often = MOST_WORK // (3 + 10)

    assert read("\n".join([line] * often)).unreadable is None
    assert read("\n".join([line] * (often + 1))).unreadable == "would run more than can be read"


def test_some_hundred_files_are_moved_and_removed_by_a_line_that_is_read() -> None:
    names = " ".join(f"a{number}" for number in range(300))

    assert [read(f"{program} {names} b").unreadable for program in ("mv", "cp", "rm -r")] == [None] * 3


@pytest.mark.proves("T-28")
def test_a_command_of_too_many_spellings_is_left_to_a_person() -> None:
    few, many = "frob " + "-a b " * 4 + "c", "frob " + "-a b " * MOST_FORMS + "c"

    assert part(few).unreadable is None
    assert part(many).unreadable == "could be spelled in more ways than can be read"


def test_long_lines_of_everyday_size_are_read() -> None:
    script = "\n".join(f"work {number} --option value " + "word " * 20 for number in range(50))

    assert read(script).unreadable is None
