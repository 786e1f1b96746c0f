"""Builtins of the shell: which of them are harmless."""

import pytest

from assent.engine.programs.checks.builtins import check_condition, check_printf
from assent.engine.programs.word import UNKNOWN_MARK, Word
from tests.engine.programs.lines import files_read_by, find_line_reads, split_lines, to_words

HARMLESS = split_lines(r"""
    echo
    echo --- heading ---
    echo -e 'a\n'
    echo $* $X
    true --anything
    : $X
    printf '%s\n' $X
    printf '%s\n' $*
    printf $X
    printf "a$X\n"
    printf -- $X
    printf %n
    printf '%5.2f%%' 3
    printf hello
    printf ''
    printf -- -x
    printf '%5.2f%%\n' 3
    test -f notes.txt
    [ -d /etc ]
    [ "$X" = y ]
    [ 3 -le $X ]
    [ "$X" -gt 5 ]
    [ -f *.c ]
    test -d src/[ab]*
    [ ! "$X" = b ]
    [[ $* -ef x ]]
    [[ -n $X && -f notes.txt ]]
    [[ $X =~ ^[0-9]+$ ]]
    cd src
    pushd src
    pushd $X
    popd
    set -e
    set -euo pipefail
    set +x
    set -o
    set -eu -o pipefail +o noglob
    set -x -v
    bash --version
    envsubst '$HOME ${USER}'
    envsubst --version
    cd
    cd -
    cd $X
    pwd -P
    exit
    exit 1
    exit -1
    exit $*
    return $X
    sleep 0.5
    wait
    wait $* %1
    wait -n
    jobs -l
    kill -0 123
    kill -0 $X
    kill -l
    kill -l 9
    read -r line
    read -r LINE NAME
    read REPLY
    read -r a b c
    read -p 'name? ' name
    read -ra items
    read
    mapfile -t lines
    type -t ls
    command -v node
    command -pv node
    command -V ls
    which -a python3
    umask
    ulimit -n
    ulimit -a
    printenv HOME PATH
    tty
    ((
""")

NOT_HARMLESS = split_lines(r"""
    [[ count -eq -1 ]]
    printf
    printf --
    printf -v PATH x
    printf -vx y
    printf $*
    printf "a$X" PATH
    printf $X PATH
    printf -- "$X" y
    printf "%s$X" y
    [ $* -gt 5 ]
    [ $* ]
    [ $* = y ]
    test $*
    test -n $*
    [ $X $X ]
    [ $X 'a[x]' ]
    test ! $X $X
    printf '%n' PATH
    printf '%5n' x
    printf %d 'a[$(id)]'
    [ -v 'a[$(id)]' ]
    [[ -v x ]]
    [[ -R x ]]
    [[ 'a[$(id)]' -eq 1 ]]
    [[ 1 -eq 'a[`id`]' ]]
    [[ a[0] -eq 1 ]]
    [[ x+1 -gt 2 ]]
    [ "$X$X" -gt 2 ]
    test -eq 1
    exit 'a[$(id)]'
    set
    set -a
    set -o allexport
    set -eo posix
    set -- a b
    set -e x
    set $X
    set -n
    set -k
    popd +1
    bash -n
    bash -n -x run.sh
    bash run.sh -n
    bash -x run.sh
    bash --version x
    read PATH
    read -r IFS
    read HTTP_PROXY
    read -a $X
    envsubst
    envsubst '$GITHUB_TOKEN'
    envsubst $X
    envsubst -v
    return x
    shift
    shift 2
    wait -p x
    jobs -x id
    kill 123
    kill -9 123
    kill -0 $*
    kill -0 -s
    kill
    read PATH
    read -r IFS
    read path
    read -a BASH_ENV
    read 'a[$(id)]'
    read $X
    read -e line
    mapfile -C ./evil -c 1 lines
    mapfile PATH
    command ls
    command
    ulimit -n 100
    umask 000
    printenv
    printenv GITHUB_TOKEN
    printenv aws_secret_access_key
    printenv DATABASE_URL
    printenv $X
    alias ls=./evil
    source x
    eval ls
    (( $X
""")


@pytest.mark.parametrize("line", HARMLESS)
def test_a_harmless_builtin_only_reads(line: str) -> None:
    assert files_read_by(line) == []


@pytest.mark.proves("T-21")
@pytest.mark.parametrize("line", NOT_HARMLESS)
def test_another_builtin_may_change_or_run_something(line: str) -> None:
    assert find_line_reads(line) is None


def test_a_condition_reads_the_closing_bracket_as_a_word() -> None:
    assert check_condition(to_words("-f x ]]")) == ()


def test_a_format_that_file_names_could_change_is_refused() -> None:
    assert check_printf((Word("*", glob=True),)) is None


@pytest.mark.parametrize("line", ["bash -n run.sh", "sh -n run.sh a b", "zsh -n -- run.sh"])
def test_a_shell_that_only_checks_syntax_only_reads(line: str) -> None:
    assert files_read_by(line) == ["run.sh"]


@pytest.mark.parametrize("pattern", ["*", "-?", "[-a][vR]", "?*"])
@pytest.mark.proves("T-22", "T-24")
def test_names_of_files_could_become_a_test_that_evaluates(pattern: str) -> None:
    assert check_condition((Word(pattern, glob=True), Word("]"))) is None


@pytest.mark.parametrize("pattern", ["*.c", "src/[ab]*", "a*", "v*x"])
def test_a_glob_that_cannot_become_a_test_only_reads(pattern: str) -> None:
    assert check_condition((Word("-f"), Word(pattern, glob=True), Word("]"))) == ()


def test_comparing_an_unknown_number_evaluates_nothing() -> None:
    number = Word(UNKNOWN_MARK, plain=True)

    assert check_condition((number, Word("-lt"), Word("3"), Word("]]"))) == ()
    assert (
        check_condition((number._replace(text=f"x{UNKNOWN_MARK}"), Word("-lt"), Word("3"), Word("]]")))
        is None
    )
