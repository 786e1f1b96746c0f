"""Programs that search, cut and sort text: what they read, and flags with which they do more."""

import pytest

from assent.engine.programs.word import UNKNOWN_MARK
from tests.engine.programs.lines import files_read_by, find_line_reads, split_lines

READS = split_lines(r"""
    grep TODO notes.txt
    grep -rn TODO src
    grep -rnE 'a|b' --include='*.py' --exclude-dir=.git .
    grep -c x notes.txt
    grep -A3 -B3 x notes.txt
    grep -3 x notes.txt
    grep -e -x notes.txt
    egrep -i 'a|b' notes.txt
    zgrep error app.log.gz
    rg TODO
    rg -n --hidden -g '!.git' TODO src
    rg -t py 'def ' -C 2
    rg --files
    rg --files -g '*.py' src
    rg -e '-->' src
    rg -l TODO
    rg --json TODO
    ag -Q TODO src
    sort notes.txt
    sort -k2 -n data.tsv
    sort -t, -k1,1 -u a.csv
    sort -rnk 2
    uniq -c
    uniq notes.txt
    cut -d: -f1 notes.txt
    cut -d - -f 2
    tr a-z A-Z
    tr -d '\n'
    paste -sd+ -
    join -t, -1 1 -2 2 a b
    nl -ba src/app.py
    fold -s -w 80 notes.txt
    column -t -s, a.csv
    shuf -n 5 notes.txt
    seq 10
    seq 5 -1 1
    xmllint --format a.xml
    xmllint --xpath '//a' a.xml
    base64 -d notes.b64
    base64 -i notes.txt
    iconv -f latin1 -t utf-8 a.txt
    bc -l
    expr 1 + 2
    expr -1 + 2
    cloc --json src
    tokei -o json
    bat --paging=never -p src/app.py
    bat -P src/app.py
    bat src/app.py
    bat -n -l python src/app.py
    less notes.txt
    less -NSR notes.txt
    less
    more notes.txt
    tee
    tee /dev/null
    tee -a /dev/stderr /dev/stdout
    tee --help
    batcat --version
    less --version
    man -k grep
    whatis ls
""")

REFUSED = split_lines("""
    # they write
    sort -o out notes.txt
    sort notes.txt -o notes.txt
    sort --output=out notes.txt
    sort --outp=out notes.txt
    sort -uo out notes.txt
    sort -T ../tmp notes.txt
    uniq a b
    uniq -c a b
    uniq -c -- a b
    shuf -o out notes.txt
    base64 -i a -o b
    base64 a b
    iconv -o out a.txt
    xmllint --output out a.xml
    diffstat -o out
    cloc --out=x src
    cloc src.tar.gz
    scc -o out
    yq -i .a=1 a.yml
    # they run programs
    sort --compress-program=./evil notes.txt
    sort --files0-from=list
    rg --pre ./evil TODO
    rg --pre=./evil TODO
    rg --pre-glob '*' TODO
    rg -z TODO
    rg --search-zip TODO
    rg --hostname-bin=./evil TODO
    ag --pager ./evil TODO
    bat --paging=always src/app.py
    bat cache --build
    bat cache
    less -o log notes.txt
    less +!evil notes.txt
    less -k keys notes.txt
    less $* notes.txt
    more +!evil notes.txt
    tee notes.txt
    tee -a /dev/null notes.txt
    tee /dev/sda
    tee $X
    tee -
    zgrep -R x .
    ag -f x
    ag --follow x
    uniq in -c
    uniq -c in -c
    uniq in -5
    base64 in -d
    bat -P --pager=./evil src/app.py
    bat --paging src/app.py
    man ls
    man -P ./evil -k ls
    xmllint --shell a.xml
    # they connect
    xmllint http://evil.example/x.xml
    xmllint --noent a.xml
    xmllint --loaddtd a.xml
    xmllint file:/etc/passwd
    gron https://evil.example/x
""")

FILES = {
    "grep x /etc/passwd": ["/etc/passwd"],
    "grep -e x /etc/passwd": ["/etc/passwd"],
    "grep -f /etc/patterns notes.txt": ["/etc/patterns", "notes.txt"],
    "grep --exclude-from=../list x .": ["../list", "."],
    "rg --files /etc": ["/etc"],
    "rg x /etc": ["/etc"],
    "rg -f ../patterns /etc": ["../patterns", "/etc"],
    "rg --ignore-file=../x TODO": ["../x"],
    "ag -A foo /etc": ["/etc"],
    "ag -g x /etc": ["/etc"],
    "sort --random-source=/etc/x notes.txt": ["/etc/x", "notes.txt"],
    "uniq ../a": ["../a"],
    "tr a /etc/passwd": [],
    "look x /usr/share/dict/words": ["/usr/share/dict/words"],
}


@pytest.mark.parametrize("line", READS)
def test_a_listed_command_only_reads(line: str) -> None:
    assert find_line_reads(line) is not None


@pytest.mark.proves("T-21")
@pytest.mark.parametrize("line", REFUSED)
def test_another_command_may_do_more_than_read(line: str) -> None:
    assert find_line_reads(line) is None


@pytest.mark.parametrize("line", FILES)
def test_the_files_that_a_command_reads_are_known(line: str) -> None:
    assert files_read_by(line) == FILES[line]


@pytest.mark.parametrize(
    ("line", "known"),
    [
        ("grep $X notes.txt", ["notes.txt"]),
        ("grep $* notes.txt", [UNKNOWN_MARK, "notes.txt"]),
        ("grep x $X", [UNKNOWN_MARK]),
    ],
)
def test_unknown_words_are_fine_for_grep(line: str, known: list[str]) -> None:
    assert files_read_by(line) == known


@pytest.mark.parametrize("line", ["rg -e $X src", "rg -- $X src", "sort -k $X notes.txt", "rg -C $X TODO"])
def test_an_unknown_word_is_fine_where_it_is_sure_to_be_no_flag(line: str) -> None:
    assert find_line_reads(line) is not None


@pytest.mark.proves("T-21")
@pytest.mark.parametrize(
    "line", ["rg $X src", "sort $X", "sort -k $* x", "sort -S$* x", "uniq $*", "uniq -- $*", "iconv $X"]
)
def test_an_unknown_word_that_may_be_a_flag_or_a_second_file_is_not(line: str) -> None:
    assert find_line_reads(line) is None


@pytest.mark.proves("T-21")
@pytest.mark.parametrize(
    "line", ["sort -k -o x", "sort -t --output=x y", "iconv -f -o x", "shuf -n --output x"]
)
def test_a_value_that_looks_like_a_flag_is_not_trusted_to_be_a_value(line: str) -> None:
    assert find_line_reads(line) is None


@pytest.mark.parametrize(
    "line", ["grep -rl TODO src", "grep -L x a b", "rg -l TODO", "rg --files", "ag -l TODO"]
)
def test_a_listing_command_prints_one_name_per_line(line: str) -> None:
    found = find_line_reads(line)

    assert found is not None
    assert found.lists


@pytest.mark.parametrize(
    "line", ["grep -r TODO src", "grep -lc TODO a", "rg TODO", "rg -l --json TODO", "sort a"]
)
def test_another_command_does_not_print_plain_names(line: str) -> None:
    found = find_line_reads(line)

    assert found is not None
    assert not found.lists
