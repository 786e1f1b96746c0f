"""Words of the shell itself: what they print, ask and set."""

import pytest

from assent.engine.shell.command import Word
from assent.engine.shell.knowledge.builtins_checks import condition, printf
from tests.engine.shell.knowledge.lines import files, lines, read, words

HARMLESS = lines(r"""
    echo
    echo --- heading ---
    echo -e 'a\n'
    echo $* $X
    true --anything
    : $X
    printf '%s\n' $X
    printf '%s\n' $*
    printf hello
    printf ''
    printf -- -x
    printf '%5.2f%%\n' 3
    test -f notes.txt
    [ -d /etc ]
    [ "$X" = y ]
    [ $* -gt 5 ]
    [ 3 -le $X ]
    [[ -n $X && -f notes.txt ]]
    [[ $X =~ ^[0-9]+$ ]]
    cd src
    cd
    cd -
    cd $X
    pwd -P
    exit
    exit 1
    exit -1
    exit $*
    return $X
    shift 2
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

NOT_HARMLESS = lines(r"""
    [[ count -eq -1 ]]
    printf
    printf --
    printf -v PATH x
    printf -vx y
    printf $X
    printf $*
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
    return x
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
    set -e
    source x
    eval ls
    (( $X
""")


@pytest.mark.parametrize("line", HARMLESS)
def test_it_changes_nothing_that_matters(line: str) -> None:
    assert files(line) == []


@pytest.mark.proves("T-21")
@pytest.mark.parametrize("line", NOT_HARMLESS)
def test_it_might_change_or_run_something(line: str) -> None:
    assert read(line) is None


def test_a_condition_reads_the_closing_bracket_as_a_word() -> None:
    assert condition(words("-f x ]]")) == ()


def test_a_format_that_file_names_could_change_is_refused() -> None:
    assert printf((Word("*", glob=True),)) is None
