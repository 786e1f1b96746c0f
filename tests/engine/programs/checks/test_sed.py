"""A sed script prints, and does nothing else."""

import pytest

from assent.engine.programs.checks.sed import sed
from assent.engine.programs.word import Word
from tests.engine.programs.lines import files, lines, read

PRINTS = lines(r"""
    p
    10p
    1,20p
    $p
    $!d
    /re/p
    /re/!d
    /a/,/b/p
    /a/I,$p
    1~2p
    0,/re/d
    1,+3p
    2,~4p
    \%a/b%p
    s/a/b/
    s/a/b/g
    s|a|b|gp
    s/a/b/2
    s/a/b/gI;s/c/d/
    s/a\/b/c/
    s/\(a\)\n/\1\n/
    s#/#_#g
    s/a/[/
    s/[[:space:]]*$//
    y/abc/xyz/
    /a/{p;q}
    /a/{ s/x/y/; p }
    1!G;h;$!d
    :a;N;$!ba;s/\n/ /g
    :top
    /x/b end
    n;d
    =
    l 20
    q
    q5
    5q
    Q 1
    1i header
    /x/a after it
    3c changed
    p # and why
    p;;p
    1,5 p
    1 , 5 p
    2 ! p
""")

DOES_MORE = lines(r"""
    w out
    1w out
    s/a/b/w out
    s/a/b/gw out
    s/a/b/e
    s/a/id/ge
    e
    e id
    1e id
    r /etc/passwd
    R /etc/passwd
    W out
    p;w out
    p;e id
    p}e id
    {p;w out
    /a/w out
    /a/{w out
    $!e id
    1,5w out
    1,5!w out
    1!!e id
    s/a/b/;e id
    s/[/]/x/w out
    s/[\]/]/x/e
    s/a/b
    s/a
    s
    sXaXbX
    s/a/b/z
    y/a/b/e
    y/a/b
    :a w out
    :
    b a e id
    b#a e id
    t #W w out
    {t}/a/a xw out
    {t }/a/a xw out
    {b x}/a/a xw out
    t x#W w out
    :x#W w out
    1,p
    /a/,p
    /a
    \a1ap
    \%a
    p p
    p e
    pe
    q e
    q5e
    a
    a\
    i\ text
    i a\b
    v 4.2
    L
    x;k
    1,+p
""")


@pytest.mark.parametrize("script", PRINTS)
def test_the_script_only_prints(script: str) -> None:
    assert sed((Word("-n"), Word(script), Word("notes.txt"))) == (Word("notes.txt"),)


@pytest.mark.proves("T-21")
@pytest.mark.parametrize("script", DOES_MORE)
def test_the_script_might_do_more(script: str) -> None:
    assert sed((Word("-n"), Word(script), Word("notes.txt"))) is None


@pytest.mark.proves("T-21")
@pytest.mark.parametrize(
    "script",
    [
        "p\ne id",
        "# why\nw out",
        "s/a/b\\\n/;e id",
        "s/a/\n/",
        "1i text\ne id",
        "}\nw out",
        ":a\nw out",
        "y/a/\n/",
    ],
)
def test_the_next_line_is_a_command_too(script: str) -> None:
    assert sed((Word(script),)) is None


@pytest.mark.parametrize("script", ["p\np", "# why\np", "/a/{\n  p\n  q\n}", "1i text\np", ":a\nba"])
def test_several_lines_may_be_harmless(script: str) -> None:
    assert sed((Word(script),)) == ()


@pytest.mark.parametrize(
    ("line", "known"),
    [
        ("sed -n 1,5p notes.txt", ["notes.txt"]),
        ("sed -ne p -e '$p' a b", ["a", "b"]),
        ("sed -E --expression='s/a/b/' ../a", ["../a"]),
        ("sed -nE '/x/p'", []),
        ("sed --quiet -s 1p a", ["a"]),
        ("sed -z p -- -i", ["-i"]),
        ("sed -e -i a", None),
        ("sed --version", []),
        ("gsed -n p a", ["a"]),
    ],
)
def test_the_files_it_reads_are_known(line: str, known: list[str] | None) -> None:
    assert files(line) == known


@pytest.mark.proves("T-21")
@pytest.mark.parametrize(
    "line",
    [
        "sed -i s/a/b/ notes.txt",
        "sed -i.bak s/a/b/ notes.txt",
        "sed -ni p notes.txt",
        "sed -Ei s/a/b/ notes.txt",
        "sed -I .bak p notes.txt",
        "sed --in-place p notes.txt",
        "sed --in-plac=x p notes.txt",
        "sed p notes.txt -i",
        "sed -f script notes.txt",
        "sed --file=script notes.txt",
        "sed -e p -e 'w out' a",
        "sed -n ${X}p a",
        "sed $X a",
        "sed p $X",
        "sed p $*",
        "sed -l 5 p a",
    ],
)
def test_it_might_write_or_run(line: str) -> None:
    assert read(line) is None


@pytest.mark.proves("T-21")
def test_an_unquoted_script_that_file_names_could_change_is_refused() -> None:
    assert sed((Word("s/a*/b/", glob=True), Word("notes.txt"))) is None
