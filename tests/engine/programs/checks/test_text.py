"""Scripts of awk and sed that only compute and print, and scripts that do more."""

import pytest

from assent.engine.programs.checks.text import check_awk, check_sed, delimiter_index, expression_end
from assent.engine.programs.word import UNKNOWN_MARK, Word
from tests.engine.programs.lines import files_read_by, find_line_reads, split_lines

AWK_PRINTS = split_lines(r"""
    {print > "/dev/stderr"}
    {print > "/dev/stderr"; print $1}
    {printf "%s", $1 >> "/dev/stdout"; x = 1}
    NR > 3 {print $1 > "/dev/null"} {n++}
    {print}
    {print $1}
    {print $1, $NF}
    {print $1 "|" $2}
    NR==1
    NR>1 {print $2}
    $3 > 1000
    $3 > 1000 {print $1}
    $3 >= 10 && $4 < 5 || /x/
    {if ($3 > 100) print $1; else print $2}
    {print ($3 > 100)}
    {print ($3 > 100) ? "a" : "b"}
    {printf "%s\n", $1}
    {printf("%d %s\n", $1, $2)}
    {s += $1} END {print s/NR}
    {print $1/1024 "K"}
    {a = (x + y) / 2; print a}
    {print a[1] / 2, NF/2}
    /foo/
    /foo/,/bar/
    !/foo/ {print}
    $1 ~ /a|b/ {print}
    $1 !~ /^[a-z_>|]+$/
    {gsub(/"/, ""); print}
    {gsub("|", ">"); print}
    {sub(/a\/b/, "c")} 1
    {n = split($0, a, /[:,]/); print a[n]}
    BEGIN {FS=":"; OFS="\t"} {print $1, $3}
    BEGIN {for (i = 0; i < 3; i++) print i}
    {c[$1]++} END {for (k in c) print k, c[k]}
    {print length($0)}
    function f(x) {return x > 1} {print f($1)}
    {print "a > b | c"}
    {print # what > is
    NR % 2
    {print -$1; x--; y = x ** 2 ^ 2}
    {print substr($0, index($0, "x"))}
    {x = $1 > $2; print x}
    {do {i++} while (i < 5); print i}
    {print; next} {exit 1}
    {print "\"quoted\" > x"}
    {return /x/}
    {a /= 2; print a}
    {print "/dev/null"}
""")

AWK_DOES_MORE = split_lines(r"""
    {system("id")}
    BEGIN{system("id")}
    {system ("id")}
    {print | "sh"}
    {print $1 | "sort"}
    {print |& "sh"}
    {"id" | getline x}
    {"id" |& getline x}
    {getline < "/etc/passwd"}
    {while ((getline line < "f") > 0) print line}
    {print > "out"}
    {print > "/dev/stderr" "x"}
    {print > "/dev/stderr" ? "x" : "y"}
    {print > "/dev/stderr"; print > "out"}
    {print > ("/dev/stderr")}
    {print >
    {print > /dev/stderr/}
    {print $1 > $2}
    {print $1 >> "out"}
    {print $3 > 100}
    {print a, b > "out"}
    {print(a, b) > "out"}
    {print (a)(b) > "out"}
    {print (a > b) > "out"}
    {print a >= b}
    {printf "%s" > "out"}
    {printf("%s", $1) >> "out"}
    {if (x) print > "out"}
    {print a ? b : c > "out"}
    {print a[1 > 2]}
    @include "x"
    @load "filefuncs"
    {f = "system"; @f("id")}
    {print ENVIRON["HOME"]}
    BEGIN {for (k in ENVIRON) print k}
    BEGIN {ARGV[1] = "/etc/passwd"; ARGC = 2}
    BEGIN {PROCINFO["x"] = 1}
    {SYMTAB["ARGV"] = 1}
    {FUNCTAB["x"]}
    {extension("./evil.so", "dl_load")}
    1system("id")
    /a/ {print} ; BEGIN {system("id")}
    {if (1) /"/; system("id") #"
    {while (1) /"/; system("id") #"
    {for (;;) /"/; system("id") #"
    {x++ /"/; system("id") #"
    {length /"/; system("id") #"
    {"a" /"/; system("id") #"
    {/a/ /"/; system("id") #"
    {$/"/; system("id") #"
    {print /[/]/; system("id")}
    {x y /="/; system("id") #"
    {(x) /="/; system("id") #"
    {print a[1] /="/; system("id") #"
    x in a /1;"/; system("id") #"
    {x / ( / ; system("id") ; y = "/" }
    {x /[/]"/; system("id") #"
    {print "unfinished}
    {print `id`}
    {print 'x'}
    {a & b}
    {print \x}
    {/unfinished}
    {a = 1 \ b}
""")


@pytest.mark.parametrize("program", AWK_PRINTS)
def test_the_program_only_prints(program: str) -> None:
    assert check_awk((Word(program), Word("notes.txt"))) == (Word("notes.txt"),)


@pytest.mark.proves("T-21")
@pytest.mark.parametrize("program", AWK_DOES_MORE)
def test_the_program_might_do_more(program: str) -> None:
    assert check_awk((Word(program), Word("notes.txt"))) is None


@pytest.mark.parametrize(
    "program",
    [
        "{print a\nx = b > c}",
        "{print\nx > 3}",
        "{\n  # why > what\n  print $1,\n    $2\n}\nEND {print x / y}",
        "{if (a)\n  print\nelse\n  print b\n}",
        "/a/ {print}\n/b/ {print}",
        "{print a \\\n  b}",
    ],
)
def test_lines_end_statements(program: str) -> None:
    assert check_awk((Word(program),)) == ()


@pytest.mark.proves("T-21")
@pytest.mark.parametrize(
    "program",
    [
        '{print a,\n b > "out"}',
        '{print a ||\n b > "out"}',
        '{print a ?\n b :\n c > "out"}',
        '{print a \\\n > "out"}',
        '{print "a\n" > "out"}',
        '{if (1)\n/"/; system("id") #"\n}',
        '{if (1)\n\n/"/; system("id") #"\n}',
        '# "\n{system("id")} # "',
        '/a\n"/; {system("id")}',
    ],
)
def test_a_line_break_hides_nothing(program: str) -> None:
    assert check_awk((Word(program),)) is None


@pytest.mark.parametrize(
    "program",
    ['{print $1/1024 "K", $2/1024 "M"}', "{print a/b/c}", '{print a/b, "c/d"}', '{printf "%d/%d", a/b, 1}'],
)
def test_a_division_may_look_like_an_expression(program: str) -> None:
    assert check_awk((Word(program),)) == ()


@pytest.mark.proves("T-28")
@pytest.mark.parametrize(
    "program",
    ["{print a/b/c}\n" * 50, "{print " + "a/b/c" * 2_000 + "}", "a/" * 20_000, "{print a/b/c}\n" * 50 + '"'],
    ids=["many lines", "a long line", "only slashes", "no end"],
)
def test_too_many_interpretations_count_as_none(program: str) -> None:
    assert check_awk((Word(program),)) is None


@pytest.mark.parametrize(
    ("line", "known"),
    [
        ("awk '{print}' a ../b", ["a", "../b"]),
        ("awk -F: '{print $1}' /etc/passwd", ["/etc/passwd"]),
        ("awk -F : -v n=3 'NR==n' notes.txt", ["notes.txt"]),
        ("awk -v n=$X 'NR==n' notes.txt", ["notes.txt"]),
        ("awk -- '{print}' a", ["a"]),
        ("awk '{print}' FS=: a OFS=x", ["a"]),
        ("awk '{print}' $*", [UNKNOWN_MARK]),
        ("gawk '{print}' -i", ["-i"]),
        ("mawk 1", []),
        ("awk --version", []),
    ],
)
def test_the_files_that_awk_reads_are_known(line: str, known: list[str]) -> None:
    assert files_read_by(line) == known


@pytest.mark.proves("T-21")
@pytest.mark.parametrize(
    "line",
    [
        "awk",
        "awk -f program.awk notes.txt",
        "awk --file=program.awk notes.txt",
        "awk -E program.awk",
        "awk -i inplace '{print}' a",
        "awk -l filefuncs '{print}' a",
        "awk -e '{print}' a",
        "awk -o out '{print}' a",
        "awk -W exec=x '{print}'",
        "awk -v -f program.awk",
        "awk -F $* '{print}' a",
        "awk $X a",
        "awk '{print \"$X\"}' a",
        "awk --",
        "awk -F",
    ],
)
def test_an_awk_command_that_may_run_unseen_code_is_refused(line: str) -> None:
    assert find_line_reads(line) is None


@pytest.mark.proves("T-21")
def test_an_unquoted_program_that_file_names_could_change_is_refused() -> None:
    assert check_awk((Word("/a*/", glob=True), Word("notes.txt"))) is None


SED_PRINTS = split_lines(r"""
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
    i\ text
    p # and why
    p;;p
    1,5 p
    1 , 5 p
    2 ! p
""")

SED_DOES_MORE = split_lines(r"""
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
    i\ text\
    i a\b
    v 4.2
    L
    x;k
    1,+p
""")


@pytest.mark.parametrize("script", SED_PRINTS)
def test_the_script_only_prints(script: str) -> None:
    assert check_sed((Word("-n"), Word(script), Word("notes.txt"))) == (Word("notes.txt"),)


@pytest.mark.proves("T-21")
@pytest.mark.parametrize("script", SED_DOES_MORE)
def test_the_script_might_do_more(script: str) -> None:
    assert check_sed((Word("-n"), Word(script), Word("notes.txt"))) is None


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
    assert check_sed((Word(script),)) is None


@pytest.mark.parametrize("script", ["p\np", "# why\np", "/a/{\n  p\n  q\n}", "1i text\np", ":a\nba"])
def test_several_lines_may_be_harmless(script: str) -> None:
    assert check_sed((Word(script),)) == ()


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
def test_the_files_that_sed_reads_are_known(line: str, known: list[str] | None) -> None:
    assert files_read_by(line) == known


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
def test_a_sed_command_that_may_write_or_run_is_refused(line: str) -> None:
    assert find_line_reads(line) is None


@pytest.mark.proves("T-21")
def test_an_unquoted_script_that_file_names_could_change_is_refused() -> None:
    assert check_sed((Word("s/a*/b/", glob=True), Word("notes.txt"))) is None


@pytest.mark.parametrize(
    "text",
    [
        "", "a", "a.*b$", r"a\/b", r"\[", "[a-z]", "[^a-z]", "[]a]", "[^]a]", "[[:space:]]",
        "[[:alpha:][:digit:]_]+", "[[]", r"[\t ]", r"[^\"]*", r"[\/]", r"\\", "]",
    ],
)  # fmt: skip
def test_a_regular_expression_ends_at_its_delimiter(text: str) -> None:
    assert expression_end(text + "/rest/", 0, "/") == len(text)


@pytest.mark.proves("T-22")
@pytest.mark.parametrize(
    "text", ["[", "[^", "[]", "[^]", "[[:alpha:]", "[[:]", "[[.]", "[a[:x]", r"[\]", r"[\]]", r"[a\[b]"]
)
def test_where_versions_of_sed_differ_the_end_is_unknown(text: str) -> None:
    assert expression_end(text + "/]/", 0, "/") is None


@pytest.mark.parametrize(
    "text", ["a", "a\\", "a\\/", "a\nb/", "a\\\nb/", f"a{UNKNOWN_MARK}b/", f"\\{UNKNOWN_MARK}/", ""]
)
def test_without_a_delimiter_on_the_line_the_end_is_unknown(text: str) -> None:
    assert delimiter_index(text, 0, "/") is None


def test_brackets_mean_nothing_in_a_replacement() -> None:
    assert delimiter_index("[/", 0, "/") == 1
